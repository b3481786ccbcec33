# SPDX-License-Identifier: Apache-2.0
"""The operators on arrays. Each call finds its plan by shape, strides, type and device, and makes one if there is none."""

from collections.abc import Callable
from typing import Any, Optional, SupportsIndex, Union

import numpy as np

from . import _core, _opencl
from ._arguments import Array, Integers, destination, integer, integers, maker, source
from ._device import Device, Plan, Selector, device_of_queue, find_device, fit, keep
from ._map import Map, depth_first

Place = Union[Device, Selector, None]
#: A plan, the shape of the result, and what makes an array of it.
Kept = tuple[_core.Plan, tuple[int, ...], Callable[[Any, Any], Array]]


def _move(x: Any, out: Optional[Array], device: Place, step: tuple[Any, ...]) -> Array:
    """Moves x to out by one step, which is a method of Map and its arguments."""
    if type(x) is not np.ndarray:
        if _opencl.is_array(x):
            return _enqueue(x, out, device, step)
        x = source(x)
    opened = device if type(device) is Device else find_device(device)
    if out is None:
        key: tuple[Any, ...] = (step, x.shape, x.strides, x.dtype)
    elif type(out) is np.ndarray:
        key = (step, x.shape, x.strides, x.dtype, out.shape, out.strides, out.dtype)
    else:
        return _move_to_other(x, out, opened, step)
    found: Optional[Kept] = opened._kept.get(key)
    if found is None:
        return _first(x, out, opened, step, key)
    core, shape, new = found
    if out is None:
        out = new(shape, x.dtype)
    core.run(x, out)
    return out


def _map(first: Map, step: tuple[Any, ...]) -> Map:
    name, *arguments = step
    made: Map = getattr(first, name)(*arguments)
    return made


def _enqueue(x: Any, out: Any, device: Place, step: tuple[Any, ...]) -> Array:
    """From one array of PyOpenCL's to another."""
    opened = device_of_queue(_opencl.queue_of(x, out)) if device is None else find_device(device)
    key = (step, x.shape, x.dtype.itemsize)
    plan: Optional[Plan] = opened._kept.get(key)
    if plan is None:
        plan = opened.plan(_map(Map(x.shape, x.dtype.itemsize), step))
        keep(opened._kept, key, plan)
    return plan.run(x, out)


def _first(x: Array, out: Optional[Array], opened: Device, step: tuple[Any, ...], key: tuple[Any, ...]) -> Array:
    """Makes a plan, runs it, and keeps it unless x has to be copied each time."""
    wanted = _map(Map.like(x), step)
    shape = wanted.shape
    new = maker(shape, x.dtype.itemsize)
    if out is None:
        out = new(shape, x.dtype)
    else:
        destination(out, shape, x.dtype)
    used, made = fit(wanted, x, out)
    core = _core.Plan(opened._core, made)
    core.run(used, out)
    if used is x:
        keep(opened._kept, key, (core, shape, new))
    return out


def _move_to_other(x: Array, out: Any, opened: Device, step: tuple[Any, ...]) -> Array:
    """To a subclass of NumPy's array, such as numpy.memmap, or to memory of another library."""
    checked = destination(out, _map(Map.like(x), step).shape, x.dtype)
    _move(x, checked.view(np.ndarray), opened, step)
    moved: Array = out
    return moved


def tile(x: Any, reps: Integers, out: Optional[Array] = None, device: Place = None) -> Array:
    """Repeats x along each dimension, as numpy.tile does: the shorter of x.shape and reps gets 1s in front.

    x is a NumPy array with any strides, or what has the buffer protocol or __dlpack__. The result is a new array, or out.

    >>> import clmove, numpy
    >>> clmove.tile(numpy.array([[1, 2]], "u1"), (2, 2), device="host").tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return _move(x, out, device, ("tile", integers(reps, "reps")))


def space_to_depth(
    x: Any, block: SupportsIndex, mode: str = "blocks_first", out: Optional[Array] = None, device: Place = None
) -> Array:
    """Moves blocks of the spatial dimensions into depth: [N, C, D1 .. DK] becomes [N, C * block**K, D1 / block .. DK / block].

    The new depth is [block .. block, C] in the mode "blocks_first" (ONNX), and [C, block .. block] in "depth_first"
    (pixel_unshuffle of PyTorch).

    >>> import clmove, numpy
    >>> x = numpy.arange(8).reshape(1, 2, 2, 2)
    >>> clmove.space_to_depth(x, 2, device="host").ravel().tolist()
    [0, 4, 1, 5, 2, 6, 3, 7]
    >>> clmove.space_to_depth(x, 2, "depth_first", device="host").shape
    (1, 8, 1, 1)
    """
    depth_first(mode)  # checks it
    return _move(x, out, device, ("space_to_depth", integer(block, "block"), mode))


def depth_to_space(
    x: Any, block: SupportsIndex, mode: str = "blocks_first", out: Optional[Array] = None, device: Place = None
) -> Array:
    """The inverse of space_to_depth: [N, C, D1 .. DK] becomes [N, C / block**K, D1 * block .. DK * block].

    >>> import clmove, numpy
    >>> clmove.depth_to_space(numpy.arange(4).reshape(1, 4, 1, 1), 2, device="host").tolist()
    [[[[0, 1], [2, 3]]]]
    """
    depth_first(mode)  # checks it
    return _move(x, out, device, ("depth_to_space", integer(block, "block"), mode))


def permute(x: Any, order: Integers, out: Optional[Array] = None, device: Place = None) -> Array:
    """Dimension i of the result is dimension order[i] of x, as in numpy.transpose, but in new memory.

    >>> import clmove, numpy
    >>> clmove.permute(numpy.zeros((2, 3, 4)), (2, 0, 1), device="host").shape
    (4, 2, 3)
    """
    return _move(x, out, device, ("permute", integers(order, "order")))


def rearrange(x: Any, pattern: str, *, out: Optional[Array] = None, device: Place = None, **sizes: SupportsIndex) -> Array:
    """Moves x by a pattern of einops, as one map. The sizes are those of names that x.shape does not tell.

    No name of a pattern whose size is passed may be out or device: Map.rearrange takes these too.

    >>> import clmove, numpy
    >>> x = numpy.arange(8).reshape(1, 2, 2, 2)
    >>> clmove.rearrange(x, "n c (h a) (w b) -> n (a b c) h w", a=2, b=2, device="host").ravel().tolist()
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    if not isinstance(pattern, str):
        raise TypeError(f'pattern is {pattern!r}: pass a string such as "n c h w -> n h w c"')
    given = tuple((name, integer(size, name)) for name, size in sizes.items())
    return _move(x, out, device, ("_rearrange", str(pattern), given))
