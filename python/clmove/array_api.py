# SPDX-License-Identifier: Apache-2.0
"""The manipulation functions of the Python array API standard that one map expresses, on NumPy arrays.

Names and arguments are the standard's (2024.12). Each result is new memory, or out, where NumPy's functions may return views. A
map has one source and knows no wrapping around: concat, stack and roll are left out, and repeat takes one number for all elements.

>>> import clmove.array_api as xp, numpy
>>> xp.permute_dims(numpy.zeros((2, 3, 4)), (2, 0, 1), device="host").shape
(4, 2, 3)
"""

from typing import Any, Optional, SupportsIndex

import numpy as np

from . import _errors
from ._arguments import Array, Integers, integer, integers, source
from ._map import Map
from ._operators import Place, _move
from ._operators import tile as _tile

__all__ = [
    "broadcast_arrays",
    "broadcast_to",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "squeeze",
    "tile",
    "unstack",
]
Step = tuple[Any, ...]


def _axes(values: Integers, rank: int, what: str, of: str = "array") -> tuple[int, ...]:
    """Each as 0 to rank - 1, and no one twice."""
    axes = integers(values, what)
    for axis in axes:
        if not -rank <= axis < rank:
            allowed = f"pass {-rank} to {rank - 1}" if rank else "there is no axis to pass"
            raise _errors.AxisError(f"{what} has {axis}, and the {of} {rank} dimensions: {allowed}")
    positive = tuple(axis % rank for axis in axes)
    if len({*positive}) < len(positive):
        raise _errors.ShapeError(f"{what} is {axes}, which names an axis twice")
    return positive


def _axis(value: SupportsIndex, rank: int, what: str = "axis") -> int:
    return _axes((integer(value, what),), rank, what)[0]


def _copy(x: Array, out: Optional[Array], device: Place) -> Array:
    """x, which may be any view, in the order of its indices."""
    return _move(x, out, device, ("permute", tuple(range(x.ndim))))


def _dense(x: Array, step: Step, out: Optional[Array], device: Place) -> Array:
    """Moves by a step that no map expresses of strided x: what it needs is then in order first."""
    try:
        return _move(x, out, device, step)
    except _errors.UnsupportedError:
        return _move(_copy(x, None, device), out, device, step)


def broadcast_arrays(*arrays: Any, device: Place = None) -> list[Array]:
    """Each array in the shape that all broadcast to, in memory of its own.

    >>> import clmove.array_api as xp, numpy
    >>> [each.shape for each in xp.broadcast_arrays(numpy.zeros((2, 1)), numpy.zeros(3), device="host")]
    [(2, 3), (2, 3)]
    """
    sources = [source(each) for each in arrays]
    try:
        shape = np.broadcast_shapes(*(each.shape for each in sources))
    except ValueError:
        shapes = " and ".join(str(each.shape) for each in sources)
        raise _errors.ShapeError(f"{shapes} do not broadcast: dimensions, from the last on, are to be equal or 1") from None
    return [broadcast_to(each, shape, device=device) for each in sources]


def broadcast_to(x: Any, /, shape: Integers, *, out: Optional[Array] = None, device: Place = None) -> Array:
    """Dimensions of 1 become larger, and new ones stand in front.

    >>> import clmove.array_api as xp, numpy
    >>> xp.broadcast_to(numpy.array([1, 2]), (2, 2), device="host").tolist()
    [[1, 2], [1, 2]]
    """
    return _move(source(x), out, device, ("broadcast_to", integers(shape, "shape")))


def expand_dims(x: Any, /, axis: Integers = 0, *, out: Optional[Array] = None, device: Place = None) -> Array:
    """New dimensions of 1, whose places in the result are axis: one or a tuple.

    >>> import clmove.array_api as xp, numpy
    >>> xp.expand_dims(numpy.zeros((2, 3)), -1, device="host").shape
    (2, 3, 1)
    """
    x = source(x)
    added = integers(axis, "axis")
    places = _axes(added, x.ndim + len(added), "axis", "result")
    rest = iter(x.shape)
    shape = tuple(1 if place in places else next(rest) for place in range(x.ndim + len(added)))
    return _move(x, out, device, ("reshape", shape))


def flip(x: Any, /, *, axis: Optional[Integers] = None, out: Optional[Array] = None, device: Place = None) -> Array:
    """The other order along axis: one, a tuple, or None for all.

    >>> import clmove.array_api as xp, numpy
    >>> xp.flip(numpy.array([[1, 2], [3, 4]]), axis=1, device="host").tolist()
    [[2, 1], [4, 3]]
    """
    x = source(x)
    axes = range(x.ndim) if axis is None else _axes(axis, x.ndim, "axis")
    return _copy(x[tuple(slice(None, None, -1 if each in axes else 1) for each in range(x.ndim))], out, device)


def moveaxis(x: Any, source_axes: Integers, destination: Integers, /, *, out: Optional[Array] = None, device: Place = None) -> Array:
    """Moves axes, one or a tuple, to where destination says; the others keep their order.

    >>> import clmove.array_api as xp, numpy
    >>> xp.moveaxis(numpy.zeros((2, 3, 4)), 0, -1, device="host").shape
    (3, 4, 2)
    """
    x = source(x)
    moved, places = _axes(source_axes, x.ndim, "source"), _axes(destination, x.ndim, "destination")
    if len(moved) != len(places):
        raise _errors.ShapeError(f"source has {len(moved)} axes, and destination {len(places)}: pass as many")
    order = [axis for axis in range(x.ndim) if axis not in moved]
    for place, axis in sorted(zip(places, moved)):
        order.insert(place, axis)
    return _move(x, out, device, ("permute", tuple(order)))


def permute_dims(x: Any, /, axes: Integers, *, out: Optional[Array] = None, device: Place = None) -> Array:
    """Dimension i of the result is dimension axes[i] of x: clmove.permute."""
    return _move(source(x), out, device, ("permute", integers(axes, "axes")))


def repeat(
    x: Any, repeats: Integers, /, *, axis: Optional[SupportsIndex] = None, out: Optional[Array] = None, device: Place = None
) -> Array:
    """Each element along axis, or of x in its order, repeats times. repeats is one integer, or an array of equal ones.

    UnsupportedError: repeats differ, which no map expresses.

    >>> import clmove.array_api as xp, numpy
    >>> xp.repeat(numpy.array([[1, 2]]), 2, axis=1, device="host").tolist()
    [[1, 1, 2, 2]]
    """
    x = source(x)
    place = None if axis is None else _axis(axis, x.ndim)
    dim = x.size if place is None else x.shape[place]
    counts = integers(repeats, "repeats")
    if len(counts) not in (1, dim):
        raise _errors.ShapeError(f"repeats has {len(counts)} integers for {dim} elements: pass one integer, or {dim}")
    if any(each < 0 for each in counts):
        raise _errors.ShapeError(f"repeats has {min(counts)}: a repeat is at least 0")
    if len({*counts}) > 1:
        raise _errors.UnsupportedError(f"repeats has {min(counts)} and {max(counts)}, which no single map expresses: pass one "
                                       "integer, or call numpy.repeat")
    return _dense(x, ("_repeat", counts[0] if counts else 1, place), out, device)


def reshape(
    x: Any, /, shape: Integers, *, copy: Optional[bool] = None, out: Optional[Array] = None, device: Place = None
) -> Array:
    """Another shape with the same elements in the same order, in new memory; one dimension may be -1.

    >>> import clmove.array_api as xp, numpy
    >>> xp.reshape(numpy.arange(6).reshape(2, 3).T, (2, -1), device="host").tolist()
    [[0, 3, 1], [4, 2, 5]]
    """
    if copy is not None and not copy:
        raise _errors.ArgumentError("copy is False, and clmove always moves: pass None or True, or call x.reshape(shape)")
    x = source(x)
    wanted = Map(x.shape, x.dtype.itemsize).reshape(shape).shape
    if x.flags.c_contiguous:
        return _move(x, out, device, ("reshape", wanted))
    if out is not None:
        return _dense(x, ("reshape", wanted), out, device)
    made = np.empty(wanted, x.dtype)
    _copy(x, made.reshape(x.shape), device)
    return made


def squeeze(x: Any, /, axis: Integers, *, out: Optional[Array] = None, device: Place = None) -> Array:
    """Without the dimensions of axis, one or a tuple, which are 1.

    >>> import clmove.array_api as xp, numpy
    >>> xp.squeeze(numpy.zeros((1, 3, 1)), (0, -1), device="host").shape
    (3,)
    """
    x = source(x)
    axes = _axes(axis, x.ndim, "axis")
    for each in axes:
        if x.shape[each] != 1:
            raise _errors.ShapeError(f"dimension {each} is {x.shape[each]}: only dimensions of 1 can be squeezed")
    return _move(x, out, device, ("reshape", tuple(dim for each, dim in enumerate(x.shape) if each not in axes)))


def tile(x: Any, repetitions: Integers, /, *, out: Optional[Array] = None, device: Place = None) -> Array:
    """Repeats x along each dimension: clmove.tile."""
    return _tile(source(x), integers(repetitions, "repetitions"), out, device)


def unstack(x: Any, /, *, axis: SupportsIndex = 0, device: Place = None) -> tuple[Array, ...]:
    """The arrays that lie along axis, each in memory of its own.

    >>> import clmove.array_api as xp, numpy
    >>> [each.tolist() for each in xp.unstack(numpy.array([[1, 2], [3, 4]]), axis=1, device="host")]
    [[1, 3], [2, 4]]
    """
    x = source(x)
    front = [slice(None)] * _axis(axis, x.ndim)
    return tuple(_copy(x[(*front, each, ...)], None, device) for each in range(x.shape[len(front)]))
