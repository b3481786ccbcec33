# SPDX-License-Identifier: Apache-2.0
"""Devices and plans."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _core, _errors, _opencl
from ._arguments import Array, View, destination, maker, source, view_of
from ._map import Map

#: What is called with the bytes that are done, and those of all.
Progress = Callable[[int, int], object]

_MOST_KEPT = 512  # plans of one device, and layouts of one plan
_lock = threading.Lock()


def keep(kept: dict[Any, Any], key: Any, value: Any, most: int = _MOST_KEPT) -> None:
    """Adds to a cache, from which the oldest entry goes when it is full."""
    with _lock:
        if len(kept) >= most:
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


#: The keys of a tuning and their values, as a mapping or as CLMOVE_TUNING has them.
Tuning = Union[str, Mapping[str, int]]


def _read_name(name: str, value: Optional[str], example: str) -> Optional[str]:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} is a {type(value).__name__}: pass a string such as {example}")
    if value is not None and (not value or "\0" in value):
        raise _errors.ArgumentError(f"{name} is {value!r}: pass a string such as {example}, or None")
    return value


def _read_forced(variant: Optional[str], index_bits: Optional[int], tuning: Optional[Tuning]) -> tuple[Optional[str], int, Optional[str]]:
    """What a plan is made with, as the library takes it."""
    if index_bits not in (None, 32, 64):
        raise _errors.ArgumentError(f"index_bits is {index_bits!r}: pass 32, 64 or None")
    if isinstance(tuning, Mapping):
        tuning = ",".join(f"{key}={value}" for key, value in tuning.items()) or None
    return (_read_name("variant", variant, '"rows"'), int(index_bits or 0),
            _read_name("tuning", tuning, '"strips=2,near_bytes=4096"'))


class Plan:
    """A map made ready for a device. It runs any number of times, from any thread.

    >>> import clmove, numpy
    >>> x = numpy.arange(6).reshape(2, 3)
    >>> plan = clmove.Device("host").plan(clmove.Map.like(x).permute((1, 0)))
    >>> plan.run(x).tolist()
    [[0, 3], [1, 4], [2, 5]]
    """

    __slots__ = ("_core", "_device", "_forced", "_kept", "_map")

    def __init__(self, device: "Device", map: Map, *, variant: Optional[str] = None, index_bits: Optional[int] = None,
                 tuning: Optional[Tuning] = None) -> None:
        if not isinstance(map, Map):
            raise TypeError(f"map is a {type(map).__name__}: pass a clmove.Map, such as clmove.Map.like(x).tile((2, 1))")
        self._device, self._map = device, map
        self._forced = _read_forced(variant, index_bits, tuning)
        self._core = self._make(map._core)
        self._kept: dict[Any, _core.Plan] = {}

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

    def run(self, x: Any, out: Any = None, progress: Optional[Progress] = None) -> Array:
        """Moves x to out, or to a new array, and returns it. Other threads of Python run meanwhile.

        x may have any strides. It is copied first only if its strides in bytes are no multiples of its item size. out may have
        strides too, if no two of its elements share a place; it must not overlap x. It may be of another library, such as
        PyTorch, if its memory is the host's.

        progress is called after each piece of some 64 MiB, with the bytes that are done and those of all. What it raises ends
        the run. Ctrl-C ends long runs without it, too. After that a part of out is written.

        Arrays of PyOpenCL are moved on x.queue: the result is returned at once, and its events say when it is there.
        """
        if progress is not None and not callable(progress):
            raise TypeError(f"progress is a {type(progress).__name__}: pass a function of two integers, done and total")
        if _opencl.is_array(x):
            if progress is not None:
                raise _errors.ArgumentError("progress is not known of what is enqueued: wait for the events of the result")
            return _opencl.run(self, x, out)
        x = source(x)
        wanted = self._map
        if x.shape != wanted._source:
            raise _errors.ShapeError(f"the source has the shape {x.shape}, and the plan is for {wanted._source}")
        if x.dtype.itemsize != wanted._itemsize:
            raise _errors.ElementError(f"the source has elements of {x.dtype.itemsize} bytes, and the plan is for {wanted._itemsize}")
        shape = wanted.shape
        to = maker(shape, x.dtype.itemsize)(shape, x.dtype) if out is None else destination(out, shape, x.dtype)
        x, plan = self._for(x, to)
        plan.run(x, to, progress)
        return to if out is None else out

    def enqueue(self, queue: Any, src: Any, dst: Any, wait_for: Any = None, *, src_offset: int = 0, dst_offset: int = 0) -> Any:
        """Enqueues the plan on a queue of PyOpenCL's, and returns a pyopencl.Event. The device is of clmove.Device.on.

        src and dst are each a pyopencl.Buffer, a pyopencl.array.Array, or shared virtual memory (pyopencl.SVM,
        pyopencl.SVMAllocation). Arrays may have strides. Buffers are dense, from the byte src_offset or dst_offset on. The work
        begins after the events of wait_for and of the arrays. Shared virtual memory has to live until it is done.
        """
        return _opencl.enqueue(self, queue, src, dst, wait_for, src_offset, dst_offset)

    def __reduce__(self) -> str:
        raise TypeError("a Plan belongs to its process: pass plan.map to the other process, and make a plan of it there")

    def _make(self, map: _core.Map) -> _core.Plan:
        return _core.Plan(self._device._core, map, *self._forced)

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
            plan = self._core if made is self._map._core else self._make(made)
            keep(self._kept, key, plan)
        return x, plan

    def _with_views(self, src: Optional[View], dst: Optional[View]) -> _core.Plan:
        """The plan between memory with these strides. None: dense."""
        if not src and not dst:
            return self._core
        key = str(src), str(dst)
        plan = self._kept.get(key)
        if plan is None:
            plan = self._make(self._map._with_views(src, dst))
            keep(self._kept, key, plan)
        return plan


#: What chooses a device, as a string or an index, or a list or tuple of what each chooses one.
Selector = Union[str, int, Sequence[Union[str, int]]]


def _read_one(selector: object) -> str:
    if isinstance(selector, int) and not isinstance(selector, bool):
        return str(selector)
    if not isinstance(selector, str):
        raise TypeError(f'the selector is {selector!r}: pass an index, or a string such as "gpu", "cpu", "host" or "auto"')
    if not selector or "\0" in selector:
        raise _errors.NoDeviceError(f'the selector is {selector!r}: pass "gpu", "cpu", "host", "auto" or a part of a name')
    return selector


def read_selector(selector: Union[Selector, None]) -> Optional[str]:
    """A selector as the library takes it: a list has commas between its parts."""
    if selector is None:
        return None
    if not isinstance(selector, (list, tuple)):
        return _read_one(selector)
    parts = [_read_one(each) for each in selector]
    for part in parts:
        if "," in part:
            raise _errors.ArgumentError(f"{part!r} is in a list of devices and has a comma: pass one device each")
    if not parts:
        raise _errors.NoDeviceError("the list of devices is empty: pass one at least")
    return ",".join(parts)


class Device:
    """A device that is open: "host" (this process's threads), "gpu", "cpu" (an OpenCL CPU device such as POCL's), "auto" (a GPU
    if there is one, else the host), an index, or part of a name. None: what the environment variable CLMOVE_DEVICE says, or auto.
    A list of these, such as [0, 1, "host"], is several devices: each run is cut over all of them.

    >>> import clmove
    >>> clmove.Device("host").type
    'host'
    """

    __slots__ = ("_context", "_core", "_kept", "_selector", "__weakref__")

    def __init__(self, selector: Optional[Selector] = None) -> None:
        read = read_selector(selector)
        self._begin(_core.Device(read), read, None)

    def _begin(self, core: _core.Device, selector: Optional[str], context: Optional[int]) -> None:
        self._core, self._selector = core, selector
        #: The context of the caller's that it was opened on.
        self._context = context
        #: What clmove.tile and the other functions made.
        self._kept: dict[Any, Any] = {}

    @classmethod
    def on(cls, queue: Any) -> "Device":
        """The device of a pyopencl.CommandQueue, in its context, for Plan.enqueue and for PyOpenCL's arrays."""
        _opencl.check_queue(queue)
        return cls._on(queue.context.int_ptr, queue.device.int_ptr, queue.int_ptr)

    @classmethod
    def _on(cls, context: int, device: int, queue: int) -> "Device":
        made = cls.__new__(cls)
        made._begin(_opencl.open_on(context, device, queue), None, context)
        return made

    @property
    def type(self) -> str:
        """"host", "cpu", "gpu" or "accelerator"; "several" of a list."""
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

    def plan(self, map: Map, *, variant: Optional[str] = None, index_bits: Optional[int] = None, tuning: Optional[Tuning] = None) -> Plan:
        """The map made ready for this device.

        What is given is not clmove's to choose, for comparisons: a variant, such as "rows" (UnsupportedError if it does not fit
        the map), indices of 32 or 64 bits, and keys of the tuning, such as {"strips": 2}, for this plan alone.

        >>> import clmove, numpy
        >>> m = clmove.Map.like(numpy.zeros((64, 64), "f4")).permute((1, 0))
        >>> clmove.Device("host").plan(m, variant="gather", tuning={"segment_bytes": 4096}).variant
        'gather'
        """
        return Plan(self, map, variant=variant, index_bits=index_bits, tuning=tuning)

    def __reduce__(self) -> str:
        raise TypeError("a Device belongs to its process: pass the selector to the other process, and open the device there")

    def __repr__(self) -> str:
        return f"Device({self._selector!r})" if self._context is None else f"<Device on a queue of {self.name!r}>"


_named: dict[Optional[str], Device] = {}


def find_device(device: Union[Device, Selector, None]) -> Device:
    """The device itself, or the one that this selector opened first."""
    if isinstance(device, Device):
        return device
    if isinstance(device, int) and not isinstance(device, bool) or isinstance(device, (list, tuple)) and device:
        device = read_selector(device)
    if device is not None and not isinstance(device, str):
        raise TypeError(f'device is {device!r}: pass a clmove.Device, an index, or "gpu", "cpu", "host" or "auto"')
    found = _named.get(device)
    if found is None:
        found = _named.setdefault(device, Device(device))
    return found


#: By the addresses of context and device, which are no other's while the device is open.
_of_queues: dict[tuple[int, int], Device] = {}
_MOST_CONTEXTS = 16


def device_of_queue(queue: Any) -> Device:
    """The device that the first call for this context and device opened."""
    _opencl.check_queue(queue)
    key = queue.context.int_ptr, queue.device.int_ptr
    found = _of_queues.get(key)
    if found is None:
        found = Device._on(*key, 0)
        keep(_of_queues, key, found, _MOST_CONTEXTS)
    return found


def _forget() -> None:
    """A forked process has none of the threads of the first one, whose devices are of no use in it."""
    global _lock
    _lock = threading.Lock()
    _named.clear()
    _of_queues.clear()


os.register_at_fork(after_in_child=_forget)
