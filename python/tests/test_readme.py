# SPDX-License-Identifier: Apache-2.0
"""The examples of README.md, doc/python.md, doc/dask.md and doc/openvino.md, as they stand there, on the host and on an OpenCL CPU device."""

import os
import re
import subprocess
import sys

import pytest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGES = ["README.md", "doc/python.md", "doc/dask.md", "doc/openvino.md"]


def examples(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return re.findall(r"^```python package\n(.*?)^```$", file.read(), flags=re.M | re.S)


@pytest.mark.parametrize("device", ["host", "cpu"])
@pytest.mark.parametrize("page", PAGES)
def test_examples(page, device):
    found = examples(page)
    assert found
    program = "\n".join(found)
    if page == "README.md":
        assert program.count("\n") == 3
        program += "assert y.tolist() == x.reshape(1, 3, 4, 2, 4, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 12, 4, 4).tolist()\n"
    program += f"assert clmove.Device().type == '{device}'\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env={**os.environ, "CLMOVE_DEVICE": device})
    assert (done.returncode, done.stderr) == (0, "")
