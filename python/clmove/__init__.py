# SPDX-License-Identifier: Apache-2.0
"""Moves tensor data with OpenCL, or on the host's own cores.

A function for one operator takes an array and returns a new one. A Map describes a chain of them, a Plan makes it ready for a
Device, and runs any number of times. Elements are bytes: every type of a fixed size is moved, and none is converted.

>>> import clmove, numpy
>>> x = numpy.arange(16, dtype="f4").reshape(1, 1, 4, 4)
>>> clmove.space_to_depth(x, 2, device="host").shape
(1, 4, 2, 2)
"""

from . import _core
from ._bench import bench
from ._device import Device, Plan
from ._dlpack import to_dlpack
from ._errors import (
    ArgumentError,
    AxisError,
    CancelledError,
    DeviceError,
    ElementError,
    Error,
    MemoryRangeError,
    NoDeviceError,
    OutOfMemoryError,
    ShapeError,
    SizeError,
    UnsupportedError,
)
from ._map import Map
from ._operators import depth_to_space, permute, rearrange, space_to_depth, tile

__version__ = _core.version()
__all__ = [
    "ArgumentError",
    "AxisError",
    "CancelledError",
    "Device",
    "DeviceError",
    "ElementError",
    "Error",
    "Map",
    "MemoryRangeError",
    "NoDeviceError",
    "OutOfMemoryError",
    "Plan",
    "ShapeError",
    "SizeError",
    "UnsupportedError",
    "bench",
    "depth_to_space",
    "permute",
    "rearrange",
    "space_to_depth",
    "tile",
    "to_dlpack",
]
