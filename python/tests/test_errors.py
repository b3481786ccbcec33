# SPDX-License-Identifier: Apache-2.0
"""What is refused, and the sentence that says what would be right."""

import copy
import pickle

import clmove
import numpy as np
import pytest
from clmove import _core
from oracle import noise, same

X = noise((1, 3, 4, 6), "f4")


@pytest.mark.parametrize("call, error, text", [
    (lambda: clmove.space_to_depth(X, 5), clmove.ShapeError, "dimension 2 is 4, not a multiple of block size 5"),
    (lambda: clmove.space_to_depth(X, 0), clmove.ShapeError, "block"),
    (lambda: clmove.space_to_depth(X[0, 0], 2), clmove.ShapeError, "rank"),
    (lambda: clmove.depth_to_space(X, 2), clmove.ShapeError, "3"),
    (lambda: clmove.space_to_depth(X, 2, "depth"), clmove.ArgumentError, '"blocks_first" or "depth_first"'),
    (lambda: clmove.space_to_depth(X, 2, []), clmove.ArgumentError, '"blocks_first" or "depth_first"'),
    (lambda: clmove.space_to_depth(X, 2, None), clmove.ArgumentError, '"blocks_first" or "depth_first"'),
    (lambda: clmove.space_to_depth(X, "2"), TypeError, "block is '2': pass an integer"),
    (lambda: clmove.space_to_depth(X, 2**64), clmove.SizeError, "63 bits"),
    (lambda: clmove.tile(X, "2"), TypeError, "reps is '2': pass an integer or a tuple"),
    (lambda: clmove.tile(X, (2, 1.5)), TypeError, "pass an integer or a tuple"),
    (lambda: clmove.tile(X, np.array(2.0)), TypeError, r"reps is array\(2.\): pass an integer or a tuple"),
    (lambda: clmove.tile(X, np.ones((2, 2), int)), TypeError, "pass an integer or a tuple"),
    (lambda: clmove.tile(X, (2, -1)), clmove.ShapeError, "at least 0"),
    (lambda: clmove.tile(X, (2**62, 2**62)), clmove.SizeError, "."),
    (lambda: clmove.tile(X, (2**64,)), clmove.SizeError, "63 bits"),
    (lambda: clmove.tile(X, (1,) * 33), clmove.ShapeError, "33"),
    (lambda: clmove.permute(X, (0, 1, 2)), clmove.ShapeError, "."),
    (lambda: clmove.permute(X, (0, 1, 2, 2)), clmove.ShapeError, "."),
    (lambda: clmove.permute(X, (0, 1, 2, 4)), clmove.ShapeError, "."),
    (lambda: clmove.permute(X, (0, 1, 2, -5)), clmove.ShapeError, "."),
    (lambda: clmove.permute(X, None), TypeError, "order is None"),
    (lambda: clmove.tile([1, 2], 2), TypeError, "a list is no array: pass a NumPy array"),
    (lambda: clmove.tile(None, 2), TypeError, "a NoneType is no array"),
    (lambda: clmove.tile(np.float64, 2), TypeError, "float64 is a type and no array: pass a NumPy array of it"),
    (lambda: clmove.bench(5), TypeError, 'operation is 5: pass a string such as "tile"'),
    (lambda: clmove.tile(X, 1, out=X), clmove.MemoryRangeError, "out and the source overlap.*: pass an out in other memory, or none"),
    (lambda: clmove.tile(X[..., ::2], 1, out=X[..., 1::2]), clmove.MemoryRangeError, "from its first element to its last: pass an out in other"),
    (lambda: clmove.tile("text", 2), TypeError, "a str is no array"),
    (lambda: clmove.tile(np.ma.masked_array(X), 2), TypeError, "pass x.data"),
    (lambda: clmove.tile(np.array([None, 1]), 2), clmove.ElementError, "references to Python objects"),
    (lambda: clmove.tile(np.zeros(2, [("a", "O"), ("b", "i4")]), 2), clmove.ElementError, "references to Python objects"),
    (lambda: clmove.tile(np.zeros(2, "V0"), 2), clmove.ElementError, "elements of 0 bytes"),
    (lambda: clmove.tile(X, 2, out=[1]), TypeError, r"out is a list: pass a NumPy array of shape \(1, 3, 4, 12\) and type float32"),
    (lambda: clmove.tile(X, 2, out=np.ma.zeros((1, 3, 4, 12), "f4")), TypeError, "out is a MaskedArray"),
    (lambda: clmove.tile(X, 2, out=np.empty((1, 3, 4, 11), "f4")), clmove.ShapeError, r"the result \(1, 3, 4, 12\)"),
    (lambda: clmove.tile(X, 2, out=np.empty((1, 3, 4, 12), "i4")), clmove.ElementError, "clmove converts nothing"),
    (lambda: clmove.tile(X, 2, out=np.empty((1, 3, 4, 12), ">f4")), clmove.ElementError, "clmove converts nothing"),
    (lambda: clmove.tile(X, 2, out=np.broadcast_to(X[..., :1], (1, 3, 4, 12))), clmove.MemoryRangeError, "read-only"),
    (lambda: clmove.tile(X, 2, device=3.5), TypeError, 'device is 3.5: pass a clmove.Device, an index, or "gpu"'),
    (lambda: clmove.tile(X, 2, device=True), TypeError, "device is True"),
    (lambda: clmove.tile(X, 2, device=99), clmove.NoDeviceError, 'no OpenCL device matches "99"'),
    (lambda: clmove.tile(X, 2, device=-1), clmove.NoDeviceError, "matches"),
    (lambda: clmove.tile(X, 2, out=bytes(8)), TypeError, "out is a bytes"),
    (lambda: clmove.tile(X, 2, out=memoryview(bytes(8))), clmove.ElementError, "clmove converts nothing"),
    (lambda: clmove.tile(np.zeros(4, "u1"), 2, out=memoryview(bytes(8))), clmove.MemoryRangeError, "read-only"),
    (lambda: clmove.to_dlpack([1]), TypeError, "a list is no NumPy array"),
    (lambda: clmove.to_dlpack(X.astype(">f4")), clmove.ElementError, "DLPack has no elements of >f4"),
    (lambda: clmove.to_dlpack(np.zeros(3, "M8[s]")), clmove.ElementError, "pass a view of another type"),
    (lambda: clmove.to_dlpack(np.broadcast_to(X, (2, *X.shape))), clmove.MemoryRangeError, "read-only"),
    (lambda: clmove.to_dlpack(np.zeros(3, [("a", "f4"), ("b", "u1")])["a"]), clmove.ArgumentError, "no multiples"),
    (lambda: pickle.dumps(clmove.Device("host")), TypeError, "pass the selector to the other process"),
    (lambda: copy.deepcopy(clmove.Device("host").plan(clmove.Map((2,), 4))), TypeError, "pass plan.map to the other process"),
    (lambda: clmove.tile(X, 2, device=[]), TypeError, "pass a clmove.Device"),
    (lambda: clmove.tile(X, 2, device="no such device"), clmove.NoDeviceError, 'no OpenCL device matches "no such device"'),
    (lambda: clmove.Device(["host", "host"]), clmove.ArgumentError, "twice"),
    (lambda: clmove.Device(["host", "auto"]), clmove.ArgumentError, "stands alone"),
    (lambda: clmove.Device("host,"), clmove.ArgumentError, "part 2"),
    (lambda: clmove.Device(["host,cpu", "0"]), clmove.ArgumentError, "has a comma"),
    (lambda: clmove.Device([]), clmove.NoDeviceError, "empty"),
    (lambda: clmove.Device(["host", 1.5]), TypeError, "the selector is 1.5"),
    (lambda: clmove.Device(["host", ""]), clmove.NoDeviceError, "pass"),
    (lambda: clmove.Device("gpu of nobody"), clmove.NoDeviceError, "matches"),
    (lambda: clmove.Device(""), clmove.NoDeviceError, "pass"),
    (lambda: clmove.Device("a\0b"), clmove.NoDeviceError, "pass"),
    (lambda: clmove.Device(99), clmove.NoDeviceError, "matches"),
    (lambda: clmove.Device(b"host"), TypeError, "pass an index, or a string"),
    (lambda: clmove.Device("host").plan(X), TypeError, "pass a clmove.Map"),
    (lambda: clmove.Device("host").plan(clmove.Map((2, 3), 4), variant="no such"), clmove.ArgumentError, "no such"),
    (lambda: clmove.Device("host").plan(clmove.Map((2, 3), 4), variant=7), TypeError, "variant is a int"),
    (lambda: clmove.Device("host").plan(clmove.Map((2, 3), 4), variant="rows\0"), clmove.ArgumentError, "variant is 'rows"),
    (lambda: clmove.Device("host").plan(clmove.Map((2, 3), 4), index_bits=16), clmove.ArgumentError, "pass 32, 64 or None"),
    (lambda: clmove.Device("host").plan(clmove.Map((2, 3), 4), tuning="no_key=1"), clmove.ArgumentError, "no_key"),
    (lambda: clmove.Device("host").plan(clmove.Map((2, 3), 4), tuning={"strips": "many"}), clmove.ArgumentError, "strips"),
    (lambda: clmove.Device("host").plan(clmove.Map((2, 3), 4), tuning=4), TypeError, "tuning is a int"),
    (lambda: clmove.Map((2, -3), 4), clmove.ShapeError, "."),
    (lambda: clmove.Map((2, 3), 0), clmove.ArgumentError, "itemsize is 0"),
    (lambda: clmove.Map((2, 3), 4.0), TypeError, "itemsize is 4.0"),
    (lambda: clmove.Map((2**40, 2**40), 4), clmove.SizeError, "."),
    (lambda: clmove.Map((2, 3), 4).reshape((4, 2)), clmove.ShapeError, "."),
    (lambda: clmove.Map((2, 3), 4).broadcast_to((4, 3)), clmove.ShapeError, "."),
    (lambda: clmove.Map((2, 3), 4).permute((1, 0)).reshape((2, 3)), clmove.UnsupportedError, "."),
])
def test_refused(call, error, text):
    for _ in range(2):
        with pytest.raises(error, match=text):
            call()


def test_hierarchy():
    for name in clmove.__all__:
        each = getattr(clmove, name)
        if isinstance(each, type) and issubclass(each, Exception):
            assert issubclass(each, clmove.Error) and issubclass(each, RuntimeError)
    with pytest.raises(ValueError) as caught:
        clmove.Map((1, 1, 3), 4).space_to_depth(2)
    assert caught.value.status == "bad shape" and caught.value.device_code == 0


def test_overlap(device):
    x = noise((4, 6), "f4")
    before = x.copy()
    for out in (x.reshape(6, 4), x.reshape(-1)[::-1].reshape(6, 4)):
        with pytest.raises(clmove.MemoryRangeError, match="overlap"):
            clmove.permute(x, (1, 0), out=out, device=device)
    with pytest.raises(clmove.MemoryRangeError, match="overlap"):
        clmove.tile(x[:2], (1, 1), out=x[1:3], device=device)
    same(x, before)
    clmove.tile(x[:2], (1, 1), out=x[2:], device=device)  # side by side
    same(x[2:], before[:2])


def test_destinations_of_shared_places(device):
    memory = np.zeros(10, "u1")
    windows = np.lib.stride_tricks.as_strided(memory, (3, 4), (2, 1))
    with pytest.raises(clmove.ShapeError):
        clmove.permute(noise((4, 3), "u1"), (1, 0), out=windows, device=device)


def test_read_only(device):
    """Also where a plan is kept already."""
    x, out = noise((2, 3), "f4"), noise((4, 3), "f4", 2)
    clmove.tile(x, (2, 1), out=out, device=device)
    kept = out.copy()
    out.flags.writeable = False
    x[...] = 0
    with pytest.raises(clmove.MemoryRangeError, match="out is read-only: pass an array that can be written"):
        clmove.tile(x, (2, 1), out=out, device=device)
    same(out, kept)


def test_plans(device):
    plan = device.plan(clmove.Map((2, 3), 4).tile((2, 1)))
    for x, error in ((noise((3, 2), "f4"), clmove.ShapeError), (noise((2, 3), "f8"), clmove.ElementError), (noise((2, 3, 1), "f4"), clmove.ShapeError)):
        with pytest.raises(error, match="the plan is for"):
            plan.run(x)
    with pytest.raises(clmove.ShapeError, match=r"the result \(4, 3\)"):
        plan.run(noise((2, 3), "f4"), out=np.empty((2, 3), "f4"))


def test_the_module_itself(device):
    """What no function of the package does: memory of the wrong size or kind is refused, not overrun."""
    plan = _core.Plan(device._core, clmove.Map((2, 3), 4).tile((2, 1))._core)
    x, y = noise((2, 3), "f4"), np.empty((4, 3), "f4")
    for src, dst in ((x[:1], y), (x, y[:3]), (x[:0], y), (x, y[:0]), (b"", y), (y, x)):
        with pytest.raises(clmove.MemoryRangeError):
            plan.run(src, dst)
    with pytest.raises(clmove.MemoryRangeError, match="read-only"):
        plan.run(x, bytes(48))
    for wrong in (None, 3, "text", []):
        with pytest.raises((TypeError, BufferError)):
            plan.run(wrong, y)
        with pytest.raises((TypeError, clmove.MemoryRangeError)):
            plan.run(x, wrong)
    with pytest.raises(clmove.ShapeError):
        _core.Map(8, [2, 3]).view_src([1], 0)
    for kind, use in ((_core.Map, "copy"), (_core.Plan, "explain"), (_core.Device, "type")):
        with pytest.raises(TypeError):
            kind()
        with pytest.raises(TypeError), pytest.warns(RuntimeWarning, match="uninitialized"):
            getattr(kind.__new__(kind), use)()
