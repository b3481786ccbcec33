# SPDX-License-Identifier: Apache-2.0
"""Devices and plans."""

import os
import threading
from typing import Any, Optional, Union

import numpy as np

from . import _core, _errors
from ._arguments import Array, destination, source, view_of
from ._map import Map

_MOST_KEPT = 512  # plans of one device, and layouts of one plan
_lock = threading.Lock()


def keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    """Adds to a cache, from which the oldest entry goes when it is full."""
    with _lock:
        if len(kept) >= _MOST_KEPT:
            del kept[next(iter(kept))]
        kept[key] = value


def fit(wanted: Map, x: Array, out: Array) -> tuple[Array, _core.Map]:
    """The map between arrays of these strides; x is copied if no map can express its own."""
    try:
        src = view_of(x)
    except _errors.UnsupportedError:
        return fit(wanted, np.ascontiguousarray(x), out)
    try:
        dst = view_of(out)
    except _errors.UnsupportedError as why:
        raise _errors.ArgumentError(f"out cannot be written in place: {why}") from None
    return x, wanted._with_views(src, dst) if src or dst else wanted._core


class Plan:
    """A map made ready for a device. It runs any number of times, from any thread.

    >>> import clmove, numpy
    >>> x = numpy.arange(6).reshape(2, 3)
    >>> plan = clmove.Device("host").plan(clmove.Map.like(x).permute((1, 0)))
    >>> plan.run(x).tolist()
    [[0, 3], [1, 4], [2, 5]]
    """

    __slots__ = ("_core", "_device", "_kept", "_map")

    def __init__(self, device: "Device", map: Map) -> None:
        if not isinstance(map, Map):
            raise TypeError(f"map is a {type(map).__name__}: pass a clmove.Map, such as clmove.Map.like(x).tile((2, 1))")
        self._device, self._map = device, map
        self._core = _core.Plan(device._core, map._core)
        self._kept: dict[tuple[tuple[int, ...], tuple[int, ...]], _core.Plan] = {}

    @property
    def device(self) -> "Device":
        return self._device

    @property
    def map(self) -> Map:
        return self._map

    @property
    def variant(self) -> str:
        """The memory pattern that moves dense arrays, such as "copy" or "rows"."""
        return self._core.variant

    def explain(self) -> str:
        """Four lines that say why the plan is fast or slow, then the map and the launch, for dense arrays."""
        return self._core.explain()

    def run(self, x: Any, out: Optional[Array] = None) -> Array:
        """Moves x to out, or to a new array, and returns it. Other threads of Python run meanwhile.

        x may have any strides. It is copied first only if its strides in bytes are no multiples of its item size. out may have
        strides too, if no two of its elements share a place; it must not overlap x.
        """
        x = source(x)
        wanted = self._map
        if x.shape != wanted._source:
            raise _errors.ShapeError(f"the source has the shape {x.shape}, and the plan is for {wanted._source}")
        if x.dtype.itemsize != wanted._itemsize:
            raise _errors.ElementError(f"the source has elements of {x.dtype.itemsize} bytes, and the plan is for {wanted._itemsize}")
        if out is None:
            out = np.empty(wanted.shape, x.dtype)
        else:
            destination(out, wanted.shape, x.dtype)
        x, plan = self._for(x, out)
        plan.run(x, out)
        return out

    def _for(self, x: Array, out: Array) -> tuple[Array, _core.Plan]:
        """The plan for the strides of these arrays; x is copied if no plan can express them."""
        if x.flags.c_contiguous and out.flags.c_contiguous:
            return x, self._core
        key = x.strides, out.strides
        plan = self._kept.get(key)
        if plan is None:
            used, made = fit(self._map, x, out)
            if used is not x:
                return self._for(used, out)
            plan = self._core if made is self._map._core else _core.Plan(self._device._core, made)
            keep(self._kept, key, plan)
        return x, plan


class Device:
    """A device that is open: "host" (this process's threads), "gpu", "cpu" (an OpenCL CPU device such as POCL's), "auto" (a GPU
    if there is one, else the host), an index, or part of a name. None: what the environment variable CLMOVE_DEVICE says, or auto.

    >>> import clmove
    >>> clmove.Device("host").type
    'host'
    """

    __slots__ = ("_core", "_kept", "_selector", "__weakref__")

    def __init__(self, selector: Optional[str] = None) -> None:
        if selector is not None and not isinstance(selector, str):
            raise TypeError(f'the selector is {selector!r}: pass a string such as "gpu", "cpu", "host" or "auto"')
        if selector is not None and (not selector or "\0" in selector):
            raise _errors.NoDeviceError(f'the selector is {selector!r}: pass "gpu", "cpu", "host", "auto" or a part of a name')
        self._selector = selector
        self._core = _core.Device(selector)
        #: What clmove.tile and the other functions made.
        self._kept: dict[Any, Any] = {}

    @property
    def type(self) -> str:
        """"host", "cpu", "gpu" or "accelerator"."""
        return self._core.type

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def fallback(self) -> str:
        """Why auto opened the host. "": it did not."""
        return self._core.fallback

    @property
    def kernels_run(self) -> int:
        """OpenCL kernels that were launched."""
        return self._core.kernels_run

    @property
    def host_runs(self) -> int:
        """Runs by the threads of this process."""
        return self._core.host_runs

    def plan(self, map: Map) -> Plan:
        """The map made ready for this device."""
        return Plan(self, map)

    def __repr__(self) -> str:
        return f"Device({self._selector!r})"


_named: dict[Optional[str], Device] = {}


def find_device(device: Union[Device, str, None]) -> Device:
    """The device itself, or the one that this selector opened first."""
    if isinstance(device, Device):
        return device
    if device is not None and not isinstance(device, str):
        raise TypeError(f'device is {device!r}: pass a clmove.Device, or "gpu", "cpu", "host" or "auto"')
    found = _named.get(device)
    if found is None:
        found = _named.setdefault(device, Device(device))
    return found


def _forget() -> None:
    """A forked process has none of the threads of the first one, whose devices are of no use in it."""
    global _lock
    _lock = threading.Lock()
    _named.clear()


os.register_at_fork(after_in_child=_forget)
