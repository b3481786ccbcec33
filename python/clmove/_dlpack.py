# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries as NumPy's, and NumPy's for other libraries, over the same memory."""

from typing import Any

import numpy as np

from . import _core, _errors
from ._types import Array

#: The memories of DLPack that processors read: CPU, and of CUDA and ROCm pinned and managed memory.
_HOST_MEMORY = (1, 3, 11, 13)
#: DLPack's codes of types that are NumPy's own, with the letter of NumPy's.
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
#: Those that ml_dtypes has, by code and bits. None of them has more than one element in a byte.
_OTHERS = {(4, 16): "bfloat16", (7, 8): "float8_e3m4", (8, 8): "float8_e4m3", (9, 8): "float8_e4m3b11fnuz", (10, 8): "float8_e4m3fn",
           (11, 8): "float8_e4m3fnuz", (12, 8): "float8_e5m2", (13, 8): "float8_e5m2fnuz", (14, 8): "float8_e8m0fnu"}
_CODES = {name: key for key, name in _OTHERS.items()}


def check_place(x: Any) -> None:
    """Refuses the memory of a device."""
    if hasattr(x, "__dlpack_device__"):
        kind = int(x.__dlpack_device__()[0])
        if kind not in _HOST_MEMORY:
            raise _errors.ArgumentError(f"the memory of this {type(x).__name__} is a device's (DLPack's type {kind}): "
                                        "copy it to the host, such as by x.cpu() or x.get()")


def _dtype(code: int, bits: int, lanes: int, name: str) -> "np.dtype[Any]":
    if lanes != 1 or bits % 8:
        raise _errors.ElementError(f"elements of this {name} are {lanes} times {bits} bits: pass whole bytes")
    if code in _KINDS:
        return np.dtype(f"{_KINDS[code]}{bits // 8}")
    found: "np.dtype[Any]" = np.dtype(f"V{bits // 8}")
    try:
        import ml_dtypes
        found = np.dtype(getattr(ml_dtypes, _OTHERS.get((code, bits), "")))
    except (ImportError, AttributeError):
        pass
    return found


class _Memory:
    """What numpy.asarray makes an array of. The array holds it, and it holds the memory."""

    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], width: int, writable: bool, held: Any) -> None:
        self.held = held
        self.__array_interface__ = {"version": 3, "data": (address, not writable), "shape": shape, "typestr": f"|V{width}",
                                    "strides": tuple(each * width for each in strides)}


def _capsule(x: Any) -> Any:
    try:
        return x.__dlpack__(max_version=(1, 0))  # which says whether the memory is read-only
    except TypeError:
        return x.__dlpack__()


def borrow(x: Any, writable: bool) -> Array:
    """The memory of x, which has __dlpack__, as an array. Raises ArgumentError."""
    name = type(x).__name__
    try:
        capsule = _capsule(x)
    except Exception as why:
        raise _errors.ArgumentError(f"the memory of this {name} cannot be used: {why}") from why
    try:
        address, shape, strides, code, bits, lanes, held = (_core.write_dlpack if writable else _core.read_dlpack)(capsule)
    except TypeError:
        what = "is read-only" if writable else "is not described as DLPack has it"
        raise _errors.ArgumentError(f"the memory of this {name} {what}: pass a NumPy array") from None
    dtype = _dtype(code, bits, lanes, name)
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(_Memory(address, shape, strides, dtype.itemsize, writable, held)).view(dtype)


def to_dlpack(x: Any) -> Any:
    """An object with __dlpack__ over the memory of a NumPy array, for other libraries' from_dlpack.

    NumPy's arrays have __dlpack__ themselves, but for the types of ml_dtypes, such as bfloat16. This takes these too.

    >>> import clmove, numpy
    >>> x = numpy.arange(3.0)
    >>> numpy.shares_memory(numpy.from_dlpack(clmove.to_dlpack(x)), x)
    True
    """
    if not isinstance(x, np.ndarray):
        raise TypeError(f"a {type(x).__name__} is no NumPy array: pass one, such as what clmove.tile returns")
    name, width = x.dtype.name, x.dtype.itemsize
    kinds = {letter: code for code, letter in _KINDS.items()}
    if name in _CODES:
        code, bits = _CODES[name]
    elif x.dtype.kind in kinds and x.dtype.isnative and width <= 16 and x.dtype.names is None and name not in ("longdouble", "clongdouble"):
        code, bits = kinds[x.dtype.kind], width * 8
    else:
        raise _errors.ElementError(f"DLPack has no elements of {x.dtype}: pass a view of another type, such as x.view('u1')")
    if not x.flags.writeable:
        raise _errors.MemoryRangeError("the array is read-only, which DLPack's readers do not all respect: pass x.copy()")
    if any(stride % width for dim, stride in zip(x.shape, x.strides) if dim > 1):
        raise _errors.ArgumentError("strides are no multiples of the item size: pass x.copy()")
    strides = [stride // width for stride in x.strides]
    return _core.lend(x, x.__array_interface__["data"][0], list(x.shape), strides, code, bits)
