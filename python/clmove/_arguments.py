# SPDX-License-Identifier: Apache-2.0
"""What callers pass: integers, and arrays as sources and destinations."""

from collections.abc import Callable
from math import prod
from operator import index
from typing import Any, Optional, SupportsIndex

import numpy as np

from . import _core, _dlpack, _errors
from ._types import Array as Array
from ._types import Integers as Integers
from ._types import View as View

_MOST = 2**63 - 1


def integer(value: SupportsIndex, what: str) -> int:
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}: pass an integer") from None
    if not -_MOST <= number <= _MOST:
        raise _errors.SizeError(f"{what} is {number}, which does not fit in 63 bits")
    return number


def integers(values: Integers, what: str) -> tuple[int, ...]:
    """One integer stands for a tuple of it."""
    try:
        numbers = tuple(map(index, values))  # type: ignore[arg-type]
    except TypeError:
        try:
            numbers = (index(values),)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"{what} is {values!r}: pass an integer or a tuple of integers") from None
    for number in numbers:
        if not -_MOST <= number <= _MOST:
            raise _errors.SizeError(f"{what} has {number}, which does not fit in 63 bits")
    return numbers


def _from_dlpack(x: Any) -> Array:
    _dlpack.check_place(x)
    try:
        return np.from_dlpack(x)
    except (TypeError, ValueError, RuntimeError, BufferError):  # also of memory that is read-only, in NumPy before 2.1
        if hasattr(x, "__array__"):
            try:
                return np.asarray(x)
            except (TypeError, ValueError, RuntimeError, BufferError):  # such as of PyTorch's bfloat16
                return _dlpack.borrow(x, False)
        return _dlpack.borrow(x, False)


def _convert(x: Any) -> Array:
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("a masked array has two arrays: pass x.data, and x.mask in a call of its own")
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray)
    if isinstance(x, type):
        raise TypeError(f"{x.__name__} is a type and no array: pass a NumPy array of it")
    try:
        buffer = memoryview(x)
    except (TypeError, ValueError, BufferError):
        pass
    else:
        return np.asarray(buffer)
    try:
        if hasattr(x, "__dlpack__"):
            return _from_dlpack(x)
        if hasattr(x, "__array__") or hasattr(x, "__array_interface__"):
            return np.asarray(x)
    except _errors.Error:
        raise
    except (TypeError, ValueError, RuntimeError, BufferError) as why:
        raise _errors.ArgumentError(f"NumPy cannot read this {type(x).__name__}: {why}") from why
    raise TypeError(f"a {type(x).__name__} is no array: pass a NumPy array, such as numpy.asarray(x), or what has the buffer protocol or "
                    "__dlpack__")


def source(x: Any) -> Array:
    """x as an array of elements that are bytes, without a copy."""
    array = x if type(x) is np.ndarray else _convert(x)
    if array.dtype.hasobject:
        raise _errors.ElementError(f"elements of {array.dtype} are references to Python objects: pass numbers, strings of a "
                                   "fixed length or structures of them, such as x.astype(float)")
    if array.dtype.itemsize == 0 or array.dtype.itemsize >= 2**29:
        raise _errors.ElementError(f"elements of {array.dtype.itemsize} bytes: pass elements of 1 to {2**29 - 1} bytes")
    return array


#: Smaller results are NumPy's own: they fit in caches, where their first byte matters less than the call.
LEAST_ALIGNED = 65536


def maker(shape: tuple[int, ...], itemsize: int) -> Callable[[Any, Any], Array]:
    """What makes a new array of this shape."""
    return _core.empty if prod(shape) * itemsize >= LEAST_ALIGNED else np.empty


def memory_of(out: Any, shape: tuple[int, ...], dtype: "np.dtype[Any]") -> Array:
    """The memory of out as an array: of NumPy, of a buffer, or what has __dlpack__."""
    if isinstance(out, np.ndarray) and not isinstance(out, np.ma.MaskedArray):
        return out
    if not isinstance(out, (np.ma.MaskedArray, np.generic, bytes)):
        try:
            return np.asarray(memoryview(out))
        except (TypeError, ValueError, BufferError):
            pass
        if hasattr(out, "__dlpack__"):
            _dlpack.check_place(out)
            return _dlpack.borrow(out, True)
    raise TypeError(f"out is a {type(out).__name__}: pass a NumPy array of shape {shape} and type {dtype}, or what has the buffer protocol "
                    "or __dlpack__ over such memory")


def destination(out: Any, shape: tuple[int, ...], dtype: "np.dtype[Any]") -> Array:
    """The memory of out as an array, if it has this shape and type and can be written."""
    array = memory_of(out, shape, dtype)
    if array.dtype != dtype:
        raise _errors.ElementError(f"out has elements of type {array.dtype}, and the source of {dtype}: clmove converts nothing")
    if array.shape != shape:
        raise _errors.ShapeError(f"out has the shape {array.shape}, and the result {shape}")
    if not array.flags.writeable:
        raise _errors.MemoryRangeError("out is read-only: pass an array that can be written")
    return array


def view_of(array: Array) -> Optional[View]:
    """None: the array is dense. Raises UnsupportedError if elements do not lie whole elements apart."""
    if array.flags.c_contiguous or array.size == 0:
        return None
    width = array.dtype.itemsize
    strides, offset = [], 0
    for dim, stride in zip(array.shape, array.strides):
        if dim > 1 and stride % width:
            raise _errors.UnsupportedError(f"a stride of {stride} bytes is not a multiple of elements of {width}")
        strides.append(stride // width if dim > 1 else 0)
        offset -= min(strides[-1], 0) * (dim - 1)
    return strides, offset
