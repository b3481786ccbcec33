# SPDX-License-Identifier: Apache-2.0
"""Plans on PyOpenCL's queues, buffers, arrays and shared virtual memory."""

import gc
import os
import subprocess
import sys
import threading
import warnings

import clmove
import numpy as np
import oracle
import pytest
from oracle import noise, same

cl = pytest.importorskip("pyopencl")
cl_array = pytest.importorskip("pyopencl.array")
cl_tools = pytest.importorskip("pyopencl.tools")

OUT_OF_ORDER = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
RW = cl.mem_flags.READ_WRITE
X = noise((2, 3, 4, 6), "f4")
MAP = clmove.Map.like(X).space_to_depth(2).permute((0, 2, 3, 1))
Y = oracle.space_to_depth(X, 2, "blocks_first").transpose(0, 2, 3, 1).copy()


def new_context():
    found = [each for platform in cl.get_platforms() for each in platform.get_devices() if each.type & cl.device_type.CPU]
    return cl.Context(found[:1])


@pytest.fixture(scope="module")
def context():
    return new_context()


@pytest.fixture(params=[0, OUT_OF_ORDER], ids=["in order", "out of order"])
def queue(request, context):
    return cl.CommandQueue(context, properties=request.param)


@pytest.fixture(scope="module")
def plan(context):
    return clmove.Device.on(cl.CommandQueue(context)).plan(MAP)


def of(context, array, flags=RW):
    return cl.Buffer(context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=array)


def read(queue, buffer, like, wait_for=None):
    got = np.empty_like(like)
    cl.enqueue_copy(queue, got, buffer, wait_for=wait_for)
    return got


def test_buffers(queue, context, plan):
    src, dst = of(context, X), of(context, np.zeros_like(Y))
    event = plan.enqueue(queue, src, dst)
    assert type(event) is cl.Event and event.get_info(cl.event_info.CONTEXT) == context
    same(read(queue, dst, Y, [event]), Y)
    assert event.command_execution_status == cl.command_execution_status.COMPLETE
    assert event.command_queue == queue
    plan.enqueue(queue, src, dst)
    queue.finish()
    assert event.reference_count == 1  # the driver, which keeps the last event of each buffer, has another


def test_wait_lists(queue, context, plan):
    """The work begins when the last event is there, between a write and a read."""
    src, dst = of(context, np.zeros_like(X)), of(context, np.zeros_like(Y))
    gates = [cl.UserEvent(context), cl.UserEvent(context)]
    written = cl.enqueue_copy(queue, src, X, wait_for=gates[:1], is_blocking=False)
    moved = plan.enqueue(queue, src, dst, wait_for=[written, gates[1]])
    got = np.zeros_like(Y)
    done = cl.enqueue_copy(queue, got, dst, wait_for=[moved], is_blocking=False)
    queue.flush()
    gates[0].set_status(cl.command_execution_status.COMPLETE)
    assert moved.command_execution_status > 0 and not got.any()
    gates[1].set_status(cl.command_execution_status.COMPLETE)
    done.wait()
    same(got, Y)


def test_chains_of_events(queue, context):
    """Forth and back 20 times, each after the event of the one before."""
    device = clmove.Device.on(queue)
    x = noise((16, 64, 64), "u2")
    forth = device.plan(clmove.Map(x.shape, 2).permute((2, 0, 1)))
    back = device.plan(clmove.Map(forth.map.shape, 2).permute((1, 2, 0)))
    here, there, event = of(context, x), cl.Buffer(context, RW, x.nbytes), None
    for _ in range(20):
        event = forth.enqueue(queue, here, there, wait_for=[event] if event else None)
        event = back.enqueue(queue, there, here, wait_for=(event,))
    same(read(queue, here, x, [event]), x)


def test_between_kernels(queue, context, plan):
    program = cl.Program(context, "kernel void twice(global float *it) { it[get_global_id(0)] *= 2; }").build()
    x = np.arange(X.size, dtype="f4").reshape(X.shape)
    src, dst = of(context, x), of(context, np.zeros_like(Y))
    twice = program.twice
    before = twice(queue, (X.size,), None, src)
    event = plan.enqueue(queue, src, dst, wait_for=[before])
    after = twice(queue, (X.size,), None, dst, wait_for=[event])
    same(read(queue, dst, Y, [after]), 4 * oracle.space_to_depth(x, 2, "blocks_first").transpose(0, 2, 3, 1))


def test_offsets(queue, context, plan):
    """Of bytes, of sub-buffers, of both; what lies around keeps its value."""
    around = noise((4096 + 2 * X.nbytes,), "u1", 3)
    for first in (0, 1, 12, 4096):
        src_bytes, expected = around.copy(), around.copy()
        src_bytes[first:first + X.nbytes] = X.reshape(-1).view("u1")
        expected[first:first + Y.nbytes] = Y.reshape(-1).view("u1")
        src, dst = of(context, src_bytes), of(context, around)
        event = plan.enqueue(queue, src, dst, src_offset=first, dst_offset=first)
        same(read(queue, dst, around, [event]), expected)
    part = dst[4096:4096 + X.nbytes]
    event = plan.enqueue(queue, src[4096:], part)
    same(read(queue, part, Y, [event]), Y)


def test_arrays(queue, context, plan):
    x = cl_array.to_device(queue, X)
    y = cl_array.zeros(queue, Y.shape, "f4")
    event = plan.enqueue(queue, x, y)
    assert y.events[-1] is event
    same(y.get(), Y)
    out = plan.run(x)
    assert type(out) is cl_array.Array and out.queue is queue
    same(out.get(), Y)
    out.fill(0)
    assert plan.run(x, out=out) is out
    same(out.get(), Y)


def test_views_of_arrays(queue, context):
    """Offsets and strides, negative ones too, on both sides."""
    whole = noise((8, 9, 10), "u2")
    device = clmove.Device.on(queue)
    for cut in (np.s_[2:6], np.s_[1::2, ::3], np.s_[::-1], np.s_[::-2, 1:, ::-3], np.s_[3:4, 2:3, 5:6]):
        x = cl_array.to_device(queue, whole)[cut]
        expected = whole[cut].transpose(2, 0, 1)
        plan = device.plan(clmove.Map(x.shape, 2).permute((2, 0, 1)))
        same(plan.run(x).get(), expected.copy())
        memory = noise(whole.shape, "u2", 2)
        there = cl_array.to_device(queue, memory)
        back = device.plan(clmove.Map(expected.shape, 2).permute((1, 2, 0)))
        back.enqueue(queue, cl_array.to_device(queue, expected.copy()), there[cut]).wait()
        memory[cut] = whole[cut]
        same(there.get(), memory)
    turned = cl_array.to_device(queue, whole).T
    same(clmove.tile(turned, (1, 1, 2)).get(), np.tile(whole.T, (1, 1, 2)))


def test_operators_on_arrays(queue, context):
    x = cl_array.to_device(queue, X)
    same(clmove.tile(x, (2, 1, 1, 3)).get(), np.tile(X, (2, 1, 1, 3)))
    deep = clmove.space_to_depth(x, 2, "depth_first")
    same(deep.get(), oracle.space_to_depth(X, 2, "depth_first"))
    same(clmove.depth_to_space(deep, 2, "depth_first", out=x).get(), X)
    same(clmove.rearrange(clmove.permute(x, (0, 2, 3, 1)), "n h w c -> n (c h w)").get(), X.reshape(2, -1))
    device = clmove.Device.on(queue)
    before = device.kernels_run
    clmove.tile(x, 2, device=device).get()
    assert device.kernels_run > before
    kept = len(clmove._device._of_queues)
    clmove.tile(x, 3).get()
    assert len(clmove._device._of_queues) == kept


def test_one_element(queue):
    x = cl_array.to_device(queue, np.array(7, "f4"))
    same(clmove.tile(x, (2, 3)).get(), np.full((2, 3), 7, "f4"))
    assert clmove.permute(x, ()).get() == 7


def test_empty(queue, context):
    device = clmove.Device.on(queue)
    nothing = cl_array.empty(queue, (0, 3), "f4")
    assert clmove.tile(nothing, (2, 2)).shape == (0, 6)
    x = cl_array.to_device(queue, X)
    gate = cl.UserEvent(context)
    event = device.plan(clmove.Map.like(X).tile((0, 1, 1, 1))).enqueue(queue, x, nothing[:, :, None, None].reshape(0, 3, 4, 6), wait_for=[gate])
    queue.flush()
    assert event.command_execution_status > 0
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()


def test_svm(queue, context, plan):
    if not queue.device.svm_capabilities:
        pytest.skip("the device has no shared virtual memory")
    x, y = cl.svm_empty(context, cl.svm_mem_flags.READ_WRITE, X.shape, "f4"), cl.svm_empty(context, cl.svm_mem_flags.READ_WRITE, Y.shape, "f4")
    with cl.SVM(x).map_rw(queue) as memory:
        memory[...] = X
    event = plan.enqueue(queue, cl.SVM(x), cl.SVM(y))
    with cl.SVM(y).map_ro(queue, wait_for=[event]) as memory:
        same(memory.copy(), Y)
    bytes_ = cl.SVMAllocation(context, 8 + Y.nbytes, 64, cl.svm_mem_flags.READ_WRITE)
    event = plan.enqueue(queue, of(context, X), bytes_, dst_offset=8)
    got = np.empty(8 + Y.nbytes, "u1")
    cl.enqueue_copy(queue, got, bytes_, wait_for=[event])
    same(got[8:].view("f4").reshape(Y.shape), Y)
    pool = cl_tools.SVMPool(cl_tools.SVMAllocator(context, alignment=64, queue=queue))
    same(plan.run(cl_array.to_device(queue, X, allocator=pool)).get(), Y)
    turned = cl.svm_empty(context, cl.svm_mem_flags.READ_WRITE, (6, 4), "f4", order="F")
    with cl.SVM(turned).map_rw(queue) as memory:
        memory[...] = X[0, 0].T
    back = clmove.Device.on(queue).plan(clmove.Map((6, 4), 4).permute((1, 0)))
    event = back.enqueue(queue, cl.SVM(turned), dst := cl.Buffer(context, RW, 96))
    same(read(queue, dst, X[0, 0], [event]), X[0, 0])
    both = cl.SVMAllocation(context, 8 + Y.nbytes, 64, cl.svm_mem_flags.READ_WRITE)
    for offset in (0, 8):
        with pytest.raises(clmove.MemoryRangeError, match="overlap|share"):
            plan.enqueue(queue, both, both, dst_offset=offset)
    with pytest.raises(clmove.MemoryRangeError, match=f"has {8 + Y.nbytes} bytes, and the plan needs {Y.nbytes} from byte 9 on"):
        plan.enqueue(queue, of(context, X), bytes_, dst_offset=9)
    with pytest.raises(clmove.ShapeError, match=r"the source has the shape \(6, 4\)"):
        plan.enqueue(queue, cl.SVM(turned), bytes_)
    bytes_.release()
    with pytest.raises(clmove.MemoryRangeError, match="released"):
        plan.enqueue(queue, of(context, X), bytes_)


def test_memory_pools(queue, plan):
    pool = cl_tools.MemoryPool(cl_tools.ImmediateAllocator(queue))
    out = plan.run(cl_array.to_device(queue, X, allocator=pool))
    assert out.allocator is pool
    same(out.get(), Y)


def test_threads(context, plan):
    wrong = []

    def work(properties):
        try:
            queue = cl.CommandQueue(context, properties=properties)
            for _ in range(20):
                same(plan.run(cl_array.to_device(queue, X)).get(), Y)
        except BaseException as why:
            wrong.append(why)

    threads = [threading.Thread(target=work, args=(each,)) for each in (0, 0, OUT_OF_ORDER)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_what_lives_how_long():
    """The device keeps the context, and the work its memory and its plan."""
    context = new_context()
    queue = cl.CommandQueue(context)
    gate = cl.UserEvent(context)
    src, dst = of(context, X), cl.Buffer(context, RW, Y.nbytes)
    plan = clmove.Device.on(queue).plan(MAP)
    event = plan.enqueue(queue, src, dst, wait_for=[gate])
    del src, plan
    gc.collect()
    gate.set_status(cl.command_execution_status.COMPLETE)
    same(read(queue, dst, Y, [event]), Y)
    plan = clmove.Device.on(queue).plan(MAP)
    del context, queue, dst, gate, event
    gc.collect()
    same(plan.run(X), Y)


def test_queues_that_were_left(context, plan):
    """PyOpenCL finishes a queue at the end of `with`, and still takes it."""
    with cl.CommandQueue(context) as left:
        x = cl_array.to_device(left, X)
    dst = cl.Buffer(context, RW, Y.nbytes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(read(left, dst, Y, [plan.enqueue(left, x, dst)]), Y)
        same(plan.run(x).get(), Y)


def test_refused(queue, context, plan):
    src, dst = of(context, X), cl.Buffer(context, RW, Y.nbytes)
    other = new_context()
    others = cl.CommandQueue(other)
    x, y = cl_array.to_device(queue, X), cl_array.zeros(queue, Y.shape, "f4")
    image = cl.create_image(context, RW, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT), shape=(8, 8))
    gone = cl.CommandQueue.from_int_ptr(0, False)
    wide = clmove.Device.on(queue).plan(clmove.Map((3,), 8))
    no_event = cl.UserEvent(other)
    both = of(context, np.zeros(4096 + 2 * Y.nbytes, "u1"))
    cases = [
        (lambda: plan.enqueue(None, src, dst), TypeError, "queue is a NoneType: pass a pyopencl.CommandQueue"),
        (lambda: plan.enqueue(context, src, dst), TypeError, "queue is a Context"),
        (lambda: plan.enqueue(gone, src, dst), clmove.ArgumentError, "the queue is NULL: pass one that"),
        (lambda: clmove.Device.on(gone), clmove.ArgumentError, "the queue is NULL"),
        (lambda: clmove.Device.on(None), TypeError, "queue is a NoneType"),
        (lambda: plan.enqueue(others, src, dst), clmove.ArgumentError, r"another context than the queue's: make it by clmove.Device.on\(queue\)"),
        (lambda: clmove.Device("host").plan(MAP).enqueue(queue, src, dst), clmove.ArgumentError, "another context"),
        (lambda: clmove.Device("cpu").plan(MAP).enqueue(queue, src, dst), clmove.ArgumentError, "another context"),
        (lambda: plan.enqueue(queue, of(other, X), dst), clmove.MemoryRangeError, "the source belongs to another context"),
        (lambda: plan.enqueue(queue, src, of(other, Y)), clmove.MemoryRangeError, "the destination belongs to another context"),
        (lambda: plan.enqueue(queue, src, of(context, Y, cl.mem_flags.READ_ONLY)), clmove.MemoryRangeError, "READ_ONLY: kernels may not write it"),
        (lambda: plan.enqueue(queue, cl.Buffer(context, cl.mem_flags.WRITE_ONLY, X.nbytes), dst), clmove.MemoryRangeError, "may not read"),
        (lambda: plan.enqueue(queue, src, cl.Buffer(context, RW, Y.nbytes - 1)), clmove.MemoryRangeError, f"{Y.nbytes} bytes at offset 0 reach past the end"),
        (lambda: plan.enqueue(queue, cl.Buffer(context, RW, 1), dst), clmove.MemoryRangeError, "reach past the end of the source, which has 1"),
        (lambda: plan.enqueue(queue, src, dst, src_offset=1), clmove.MemoryRangeError, "at offset 1 reach past the end"),
        (lambda: plan.enqueue(queue, src, dst, dst_offset=2**62), clmove.MemoryRangeError, "reach past the end"),
        (lambda: plan.enqueue(queue, src, dst, src_offset=-1), clmove.MemoryRangeError, "begins 1 bytes in front of its memory"),
        (lambda: plan.enqueue(queue, src, dst, src_offset=2**64), clmove.SizeError, "63 bits"),
        (lambda: plan.enqueue(queue, src, dst, src_offset="1"), TypeError, "src_offset is '1': pass an integer"),
        (lambda: plan.enqueue(queue, src, src), clmove.MemoryRangeError, "overlap|share"),
        (lambda: plan.enqueue(queue, both[:Y.nbytes], both, dst_offset=4), clmove.MemoryRangeError, "overlap|share"),
        (lambda: plan.enqueue(queue, x, x.reshape(Y.shape)), clmove.MemoryRangeError, "overlap|share"),
        (lambda: plan.enqueue(queue, image, dst), clmove.MemoryRangeError, "must be a buffer"),
        (lambda: plan.enqueue(queue, X, dst), TypeError, "the source is a ndarray: pass a pyopencl.Buffer"),
        (lambda: plan.enqueue(queue, src, None), TypeError, "the destination is a NoneType"),
        (lambda: plan.enqueue(queue, src.int_ptr, dst), TypeError, "the source is a int"),
        (lambda: plan.enqueue(queue, src, dst, wait_for=3), TypeError, "wait_for is a int: pass a list of pyopencl.Event"),
        (lambda: plan.enqueue(queue, src, dst, wait_for=[None]), TypeError, "wait_for has a NoneType"),
        (lambda: plan.enqueue(queue, src, dst, wait_for=[no_event]), clmove.ArgumentError, "event 0 of wait_for is of another context"),
        (lambda: plan.enqueue(queue, x.reshape(1, 6, 4, 6), y), clmove.ShapeError, "the plan is for"),
        (lambda: plan.enqueue(queue, x, y[:1]), clmove.ShapeError, "the destination has the shape"),
        (lambda: plan.enqueue(queue, x, y.view("i4")), clmove.ElementError, "clmove converts nothing"),
        (lambda: plan.enqueue(queue, x.astype("f8"), dst), clmove.ElementError, "elements of 8 bytes, and the plan is for 4"),
        (lambda: clmove.tile(cl_array.Array(queue, (2, 4), "f4", data=y.base_data, strides=(18, 4)), 2), clmove.UnsupportedError, "a stride of 18 bytes"),
        (lambda: clmove.tile(x, 1, out=cl_array.Array(queue, X.shape, "f4", data=y.base_data, strides=(0, 96, 24, 4))), clmove.ShapeError, "share a place"),
        (lambda: clmove.tile(cl_array.Array(queue, (2**20, 2), "f4", data=y.base_data), 2), clmove.MemoryRangeError, "reach past the end of the source"),
        (lambda: wide.enqueue(queue, cl.SVM(np.array([None, 1, "a"])), dst), clmove.ElementError, "references to Python objects: pass numbers"),
        (lambda: plan.run(x, out=np.empty_like(Y)), TypeError, "out is a ndarray: pass a pyopencl.array.Array"),
        (lambda: plan.run(X, out=y), TypeError, "pass a NumPy array"),
        (lambda: plan.run(x, progress=print), clmove.ArgumentError, "wait for the events"),
        (lambda: plan.run(x.with_queue(None)), clmove.ArgumentError, "pass x.with_queue"),
        (lambda: clmove.tile(x, 2, device="host"), clmove.ArgumentError, "another context"),
    ]
    for number, (call, error, text) in enumerate(cases):
        with pytest.raises(error, match=text):
            call()
            pytest.fail(f"case {number} was not refused")
    null = cl.UserEvent(context)
    null.set_status(cl.command_execution_status.COMPLETE)
    same(read(queue, dst, Y, [plan.enqueue(queue, src, dst, wait_for=[null])]), Y)  # and all is as before


def run(program, **variables):
    done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **variables})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


PROGRAM = """
import pyopencl as cl, pyopencl.array, clmove, numpy, sys
device = next(each for platform in cl.get_platforms() for each in platform.get_devices() if each.type & cl.device_type.CPU)
queue = cl.CommandQueue(cl.Context([device]))
x = numpy.arange(24, dtype="u1").reshape(4, 6)
assert (clmove.permute(cl.array.to_device(queue, x), (1, 0)).get() == x.T).all()
loaders = {line.split()[-1] for line in open("/proc/self/maps") if "libOpenCL" in line}
"""


def test_loaders():
    """PyOpenCL's wheel has a loader of its own. It and the system's work on the same objects; so does one loader for both."""
    assert run(PROGRAM + "print(len(loaders))") in ("1", "2")
    its = run(PROGRAM + "print(next((each for each in loaders if 'pyopencl' in each), ''))")
    if not its:
        pytest.skip("PyOpenCL was built with the system's loader")
    assert run(PROGRAM + "print(len(loaders))", CLMOVE_OPENCL_LIBRARY=its) == "1"
    told = f"try:\n    exec({PROGRAM!r})\nexcept __import__('clmove').NoDeviceError as why: print(why)"
    assert f"PyOpenCL has one: set CLMOVE_OPENCL_LIBRARY={its} before" in run(told, CLMOVE_OPENCL_LIBRARY="none.so")


def test_forks():
    """The child of a process that used PyOpenCL's queue with clmove is told to spawn."""
    assert run(PROGRAM + """
import os
plan = clmove.Device.on(queue).plan(clmove.Map((4, 6), 1).permute((1, 0)))
child = os.fork()
if not child:
    for call in (lambda: clmove.Device.on(queue), lambda: plan.enqueue(queue, cl.Buffer(queue.context, 1, 24), cl.Buffer(queue.context, 1, 24))):
        try:
            call()
            os._exit(1)
        except clmove.NoDeviceError as why:
            assert "fork" in str(why), why
    os._exit(0)
print(os.waitpid(child, 0)[1])
""") == "0"


def test_it_is_optional():
    """Nothing of clmove imports PyOpenCL."""
    assert run("import clmove, numpy, sys; clmove.tile(numpy.zeros(3), 2, device='host'); print('pyopencl' in sys.modules)") == "False"
