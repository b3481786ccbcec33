# SPDX-License-Identifier: Apache-2.0
"""The exceptions. Each that the library raises has its sentence, its status, and OpenCL's code."""


class Error(RuntimeError):
    """What clmove raises. Its text says what is wrong."""

    #: The library's status, such as "bad shape". "": Python's side found it.
    status: str = ""
    #: OpenCL's error code. 0: OpenCL was not involved.
    device_code: int = 0


class ArgumentError(Error, ValueError):
    """An argument without a meaning."""


class ShapeError(Error, ValueError):
    """A rank, dimension, block size, repeat or shape that the operator does not allow."""


class AxisError(ShapeError, IndexError):
    """An axis that the array does not have."""


class SizeError(Error, OverflowError):
    """A size does not fit in 63 bits."""


class UnsupportedError(Error, NotImplementedError):
    """No single map can express it."""


class MemoryRangeError(Error, ValueError):
    """Source and destination overlap, or memory is too small or read-only."""


class ElementError(Error, TypeError):
    """Elements that cannot be moved as bytes, or two arrays of different types."""


class DeviceError(Error):
    """A driver refused a kernel, or a device failed."""


class NoDeviceError(DeviceError, ValueError):
    """Nothing matches the selector, or the device cannot be used here."""


class OutOfMemoryError(Error, MemoryError):
    """No memory is left on the host or the device, or a limit of the device was reached."""


class CancelledError(Error):
    """A run was cancelled."""


_CLASSES: dict[str, type[Error]] = {
    "invalid argument": ArgumentError,
    "bad shape": ShapeError,
    "overflow": SizeError,
    "unsupported": UnsupportedError,
    "bad buffer": MemoryRangeError,
    "no device": NoDeviceError,
    "out of memory": OutOfMemoryError,
    "build failed": DeviceError,
    "device failed": DeviceError,
    "cancelled": CancelledError,
}


def from_status(status: str, device_code: int, text: str) -> Error:
    """The exception for a status of the library."""
    made = _CLASSES.get(status, Error)(text)
    made.status, made.device_code = status, device_code
    return made
