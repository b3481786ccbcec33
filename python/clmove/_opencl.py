# SPDX-License-Identifier: Apache-2.0
"""PyOpenCL's queues, memory and arrays. Whoever has such an object has imported PyOpenCL: nothing here does it first."""

import sys
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from . import _core, _errors
from ._arguments import Array, View, integer, view_of
from ._errors import ArgumentError, MemoryRangeError

if TYPE_CHECKING:
    from ._device import Plan


class Place(NamedTuple):
    """Where bytes are: in a cl_mem, or in shared virtual memory, and the first that is used."""

    address: int
    is_svm: bool
    offset: int
    #: What has the shape, the strides and the type; None: bytes.
    array: Any
    #: Bytes from the address on. None: the library finds out.
    size: Optional[int]


def is_array(x: Any) -> bool:
    arrays = sys.modules.get("pyopencl.array")
    return arrays is not None and isinstance(x, arrays.Array)


def check_queue(queue: Any) -> Any:
    """PyOpenCL's module, if this is a queue of it."""
    cl = sys.modules.get("pyopencl")
    if cl is None or not isinstance(queue, cl.CommandQueue):
        raise TypeError(f"queue is a {type(queue).__name__}: pass a pyopencl.CommandQueue")
    if not queue.int_ptr:
        raise ArgumentError("the queue is NULL: pass one that pyopencl.CommandQueue(context) made")
    return cl


def _loader() -> str:
    """The file of the OpenCL loader that PyOpenCL opened. "": it is not known."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            return next((line.split(maxsplit=5)[5].strip() for line in maps if "/libOpenCL" in line), "")
    except (OSError, IndexError):
        return ""


def open_on(context: int, device: int, queue: int) -> _core.Device:
    """queue: 0 for one of clmove's own."""
    try:
        return _core.open_on(context, device, queue)
    except _errors.NoDeviceError as why:
        its = _loader() if "OpenCL loader" in str(why) else ""
        if not its:
            raise
        raise _errors.NoDeviceError(f"{why}; PyOpenCL has one: set CLMOVE_OPENCL_LIBRARY={its} before Python starts") from None


def queue_of(x: Any, out: Any) -> Any:
    """The queue of PyOpenCL's arrays."""
    queue = x.queue if x.queue is not None else getattr(out, "queue", None)
    if queue is None:
        raise ArgumentError("neither array has a queue: pass x.with_queue(queue)")
    return queue


def _find(cl: Any, memory: Any, offset: int, role: str) -> Place:
    array = None
    if is_array(memory):
        array, memory, offset = memory, memory.base_data, offset + memory.offset
    if isinstance(memory, cl.MemoryObjectHolder):
        return Place(memory.int_ptr, False, offset, array, None)
    if isinstance(memory, cl.SVMPointer):
        if not memory.svm_ptr:
            raise MemoryRangeError(f"the {role} is shared virtual memory that was released: pass memory that is in use")
        if array is None and isinstance(getattr(memory, "mem", None), np.ndarray):
            array = memory.mem
        return Place(memory.svm_ptr, True, offset, array, memory.size)
    raise TypeError(f"the {role} is a {type(memory).__name__}: pass a pyopencl.Buffer, a pyopencl.array.Array, or memory in pyopencl.SVM")


def _check_array(array: Any, shape: tuple[int, ...], itemsize: int, role: str) -> None:
    if array.dtype.hasobject:
        raise _errors.ElementError(f"the {role} has elements of {array.dtype}, which are references to Python objects: pass numbers")
    if array.dtype.itemsize != itemsize:
        raise _errors.ElementError(f"the {role} has elements of {array.dtype.itemsize} bytes, and the plan is for {itemsize}")
    if array.shape != shape:
        raise _errors.ShapeError(f"the {role} has the shape {array.shape}, and the plan is for {shape}")


def _bytes(shape: tuple[int, ...], strides: Optional[list[int]], itemsize: int) -> int:
    """From the first byte to the last. strides: of elements; None if dense."""
    if strides is None:
        return int(np.prod(shape, dtype=object)) * itemsize
    return (sum((dim - 1) * abs(stride) for dim, stride in zip(shape, strides)) + 1) * itemsize


def _lay_out(place: Place, shape: tuple[int, ...], itemsize: int, role: str) -> tuple[Optional[View], int]:
    """The view for the map, and the first byte."""
    view, offset = None, place.offset
    if place.array is not None:
        _check_array(place.array, shape, itemsize, role)
        view = view_of(place.array)
        offset -= view[1] * itemsize if view else 0
    if offset < 0:
        raise MemoryRangeError(f"the {role} begins {-offset} bytes in front of its memory: pass an offset of at least 0")
    needed = _bytes(shape, view[0] if view else None, itemsize)
    if place.size is not None and offset + needed > place.size:
        raise MemoryRangeError(f"the {role} has {place.size} bytes, and the plan needs {needed} from byte {offset} on")
    return view, offset


def _waits(cl: Any, wait_for: Any, context: int) -> list[Any]:
    try:
        events = [] if wait_for is None else list(wait_for)
    except TypeError:
        raise TypeError(f"wait_for is a {type(wait_for).__name__}: pass a list of pyopencl.Event") from None
    for number, event in enumerate(events):
        if not isinstance(event, cl.Event):
            raise TypeError(f"wait_for has a {type(event).__name__}: pass a list of pyopencl.Event")
        if not event.int_ptr:
            raise ArgumentError(f"event {number} of wait_for is NULL: pass events that PyOpenCL returned")
        if event.get_info(cl.event_info.CONTEXT).int_ptr != context:
            raise ArgumentError(f"event {number} of wait_for is of another context: pass events of the queue's context")
    return events


def enqueue(plan: "Plan", queue: Any, src: Any, dst: Any, wait_for: Any, src_offset: Any, dst_offset: Any) -> Any:
    cl = check_queue(queue)
    context = plan.device._context
    if context is None or queue.context.int_ptr != context:
        raise ArgumentError("the plan is for a device of another context than the queue's: make it by clmove.Device.on(queue).plan(map)")
    events = _waits(cl, wait_for, context)
    for each in (src, dst):
        events += each.events if is_array(each) else ()
    map, itemsize = plan.map, plan.map.itemsize
    if is_array(src) and is_array(dst) and src.dtype != dst.dtype:
        raise _errors.ElementError(f"out has elements of type {dst.dtype}, and the source of {src.dtype}: clmove converts nothing")
    if 0 in map.shape:
        for array, shape, role in ((src, map.source_shape, "source"), (dst, map.shape, "destination")):
            if is_array(array):
                _check_array(array, shape, itemsize, role)
        event = cl.enqueue_marker(queue, events)
    else:
        source = _find(cl, src, integer(src_offset, "src_offset"), "source")
        destination = _find(cl, dst, integer(dst_offset, "dst_offset"), "destination")
        if isinstance(destination.array, np.ndarray) and not destination.array.flags.writeable:
            raise MemoryRangeError("the destination is read-only: pass an array that can be written")
        src_view, src_first = _lay_out(source, map.source_shape, itemsize, "source")
        dst_view, dst_first = _lay_out(destination, map.shape, itemsize, "destination")
        core = plan._with_views(src_view, dst_view)
        event = cl.Event.from_int_ptr(_core.enqueue(core, queue.int_ptr, source.address, source.is_svm, src_first,
                                                    destination.address, destination.is_svm, dst_first,
                                                    [each.int_ptr for each in events]), False)
    if is_array(dst):
        dst.add_event(event)
    return event


def run(plan: "Plan", x: Any, out: Any) -> Array:
    """Of PyOpenCL's arrays: enqueues, and returns the result, whose events say when it is there."""
    queue = queue_of(x, out)
    if out is None:
        out = sys.modules["pyopencl.array"].empty(queue, plan.map.shape, x.dtype, allocator=x.allocator)
    elif not is_array(out):
        raise TypeError(f"out is a {type(out).__name__}: pass a pyopencl.array.Array of shape {plan.map.shape} and type {x.dtype}")
    enqueue(plan, queue, x, out, None, 0, 0)
    moved: Array = out  # so that who passes NumPy's arrays has NumPy's types
    return moved

