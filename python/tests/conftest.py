# SPDX-License-Identifier: Apache-2.0
import clmove
import pytest


@pytest.fixture(params=["host", "cpu"], scope="session")
def device(request):
    """The host, and an OpenCL CPU device. A test that wants it runs on both."""
    return clmove.Device(request.param)
