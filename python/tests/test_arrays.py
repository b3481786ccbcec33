# SPDX-License-Identifier: Apache-2.0
"""Sources and destinations: strides, orders, other libraries' arrays, subclasses."""

import array
import ctypes
import gc

import clmove
import numpy as np
import pytest
from oracle import noise, same, space_to_depth, tile

BIG = noise((4, 6, 8, 10), "f4")
VIEWS = {
    "fortran": BIG.copy(order="F"),
    "transposed": BIG.transpose(2, 0, 3, 1),
    "sliced": BIG[1:3, ::2, 2:6, 1:9],
    "stepped": BIG[::3, 1::2, ::2, ::4],
    "reversed": BIG[::-1, :, ::-2, ::-1],
    "mixed": BIG[::2, ::-1, 1:7, ::5].transpose(3, 1, 0, 2),
    "broadcast": np.broadcast_to(BIG[:, :1, :, :1], (4, 6, 8, 10)),
    "units": BIG[:1, :, :, :1].transpose(3, 1, 2, 0),
    "unit of a step": BIG[3:4, ::2, ::8, 9:],
}


@pytest.mark.parametrize("name", VIEWS)
def test_strided_sources(device, name):
    x = VIEWS[name]
    same(clmove.tile(x, (2, 1, 3, 1), device=device), tile(x, (2, 1, 3, 1)))
    same(clmove.permute(x, (0, 2, 3, 1), device=device), x.transpose(0, 2, 3, 1))
    same(clmove.rearrange(x, "a b c d -> (a b) (d c)", device=device), x.transpose(0, 1, 3, 2).reshape(x.shape[0] * x.shape[1], -1))


def test_strided_blocks(device):
    x = BIG[1:, ::-2, 2:, ::-1].copy(order="F")
    same(clmove.space_to_depth(x, 2, device=device), space_to_depth(x, 2, "blocks_first"))


@pytest.mark.parametrize("name", ["fortran", "transposed", "reversed", "mixed"])
def test_strided_destinations(device, name):
    like = VIEWS[name]
    memory = noise((4, 6, 8, 10), "f4", 5)
    before = memory.copy()
    out = {"fortran": lambda m: m.reshape(-1).reshape(like.shape, order="F"), "transposed": lambda m: m.transpose(2, 0, 3, 1),
           "reversed": lambda m: m[::-1, :, ::-2, ::-1], "mixed": lambda m: m[::2, ::-1, 1:7, ::5].transpose(3, 1, 0, 2)}
    to, kept = out[name](memory), out[name](before)
    x = noise(to.shape[::-1], "f4", 7)
    assert clmove.permute(x, (3, 2, 1, 0), out=to, device=device) is to
    same(to.copy(), np.ascontiguousarray(x.transpose()))
    kept[...] = x.transpose()
    same(memory, before)  # what lies between is as it was


def test_strides_that_are_no_elements(device):
    """A field of a packed structure: copied first. As a destination it is refused."""
    packed = noise((6, 4), [("a", "u1"), ("b", "<f4")])
    same(clmove.tile(packed["b"], (2, 2), device=device), np.tile(packed["b"], (2, 2)))
    with pytest.raises(clmove.ArgumentError, match="out cannot be written in place: a stride of 5 bytes"):
        clmove.permute(noise((4, 6), "f4"), (1, 0), out=packed["b"], device=device)
    plan, out = device.plan(clmove.Map((6, 4), 4).tile((2, 2))), np.empty((12, 8), "f4", order="F")
    same(plan.run(packed["b"]), np.tile(packed["b"], (2, 2)))
    assert plan.run(packed["b"], out=out) is out
    same(out.copy("C"), np.tile(packed["b"], (2, 2)))
    padded = noise((6, 4), [("a", "<u4"), ("b", "<f4")])
    same(clmove.tile(padded["b"], (2, 2), device=device), np.tile(padded["b"], (2, 2)))


def test_any_alignment(device):
    memory = noise((1 + 4 * 6 * 8,), "u1")
    x = memory[1:].view("f4").reshape(6, 8)
    assert not x.flags.aligned
    same(clmove.permute(x, (1, 0), device=device), x.copy().transpose())


def test_preallocated(device):
    x, y = noise((2, 3, 4, 6), "f4"), noise((2, 12, 2, 3), "f4", 2)
    for _ in range(2):
        assert clmove.space_to_depth(x, 2, out=y, device=device) is y
        same(y, space_to_depth(x, 2, "blocks_first"))
        y[...] = 0
    z = np.empty((4, 3, 4, 6), "f4").view(np.recarray)
    assert clmove.tile(x, (2, 1, 1, 1), out=z, device=device) is z
    same(z.view(np.ndarray), np.tile(x, (2, 1, 1, 1)))


def test_buffers(device):
    x = noise((3, 4), "f8")
    same(clmove.tile(memoryview(x), (2, 1), device=device), np.tile(x, (2, 1)))
    same(clmove.tile(memoryview(x)[::2], (2, 1), device=device), np.tile(x[::2], (2, 1)))
    same(clmove.tile(b"abc", 2, device=device), np.frombuffer(b"abcabc", "u1"))
    same(clmove.tile(bytearray(b"abc"), 2, device=device), np.frombuffer(b"abcabc", "u1"))
    same(clmove.tile(array.array("i", [1, 2]), 2, device=device), np.array([1, 2, 1, 2], "i4"))
    same(clmove.tile((ctypes.c_int16 * 3)(1, 2, 3), 2, device=device), np.array([1, 2, 3] * 2, "i2"))
    same(clmove.tile(np.float32(3), (2, 2), device=device), np.full((2, 2), 3, "f4"))


class Exporter:
    """An array of another library, which has __dlpack__ alone."""

    def __init__(self, of):
        self.of = of

    def __dlpack__(self, **options):
        return self.of.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()


class Refuses(Exporter):
    def __dlpack__(self, **options):
        raise BufferError("this memory is not for you")


class Both(Refuses):
    def __array__(self, dtype=None, copy=None):
        return self.of


class OfGpu(Exporter):
    def __init__(self, of, kind):
        super().__init__(of)
        self.kind = kind

    def __dlpack_device__(self):
        return self.kind, 0


class Interface:
    def __init__(self, of):
        self.__array_interface__ = of.__array_interface__


def test_dlpack(device):
    x = noise((3, 4, 5), "f4")
    for each in (x, x[::2, :, 1:], x.transpose(2, 0, 1)):
        same(clmove.tile(Exporter(each), (1, 2, 1), device=device), np.tile(each, (1, 2, 1)))
    same(clmove.tile(Interface(x), (1, 2, 1), device=device), np.tile(x, (1, 2, 1)))
    with pytest.raises(clmove.ArgumentError, match="the memory of this Refuses cannot be used: this memory is not for you"):
        clmove.tile(Refuses(x), 2, device=device)
    for kind in (2, 4, 10):  # CUDA, OpenCL, ROCm
        with pytest.raises(clmove.ArgumentError, match=rf"the memory of this OfGpu is a device's \(DLPack's type {kind}\): copy it to the host"):
            clmove.tile(OfGpu(x, kind), 2, device=device)


def test_dlpack_of_read_only_memory(device):
    """Whether NumPy reads it through DLPack or, before 2.1, through __array__."""
    x = noise((3, 4, 5), "f4")
    x.flags.writeable = False
    same(clmove.tile(Both(x), (1, 2, 1), device=device), np.tile(x, (1, 2, 1)))
    same(clmove.tile(x, (1, 2, 1), device=device), np.tile(x, (1, 2, 1)))


def test_dlpack_of_results(device):
    """Results are NumPy's arrays, which others read without a copy."""
    y = clmove.tile(noise((3, 4), "f4"), 2, device=device)
    same(np.from_dlpack(y), y)
    assert np.shares_memory(np.from_dlpack(Exporter(y)), y)


def test_destinations_of_others(device):
    """What is passed is returned, and its memory is written."""
    x = noise((2, 3), "i4")
    expected = np.tile(x, (2, 1))
    plan = device.plan(clmove.Map.like(x).tile((2, 1)))
    for strided in (False, True):
        memory = np.zeros((4, 6), "i4")[:, ::2] if strided else np.zeros((4, 3), "i4")
        for out in (Exporter(memory), memoryview(memory)):
            for move in (lambda: clmove.tile(x, (2, 1), out=out, device=device), lambda: plan.run(x, out=out)):
                memory[...] = 0
                assert move() is out
                same(np.ascontiguousarray(memory), expected)
    flat = np.arange(3, dtype="i4")
    for out in (array.array("i", [0] * 6), (ctypes.c_int32 * 6)()):
        assert clmove.tile(flat, 2, out=out, device=device) is out and list(out) == [0, 1, 2] * 2
    out = bytearray(6)
    assert clmove.tile(b"abc", 2, out=out, device=device) is out and out == b"abcabc"
    assert clmove.tile(np.zeros((0, 3), "f4"), (2, 1), out=(empty := Exporter(np.zeros((0, 3), "f4"))), device=device) is empty
    with pytest.raises(clmove.MemoryRangeError, match="overlap"):
        clmove.tile(x, 1, out=Exporter(x), device=device)
    with pytest.raises(clmove.ArgumentError, match="the memory of this Refuses cannot be used: this memory is not for you"):
        clmove.tile(x, 1, out=Refuses(x), device=device)
    with pytest.raises(clmove.ArgumentError, match=r"is a device's \(DLPack's type 2\)"):
        clmove.tile(x, 1, out=OfGpu(x, 2), device=device)
    x.flags.writeable = False
    with pytest.raises(clmove.ArgumentError, match="the memory of this Exporter"):
        clmove.tile(x, 1, out=Exporter(x), device=device)


def test_types_that_numpy_does_not_exchange(device):
    """bfloat16 and small floats through DLPack, in both directions."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn):
        x = noise((2, 3, 4), "u2" if np.dtype(dtype).itemsize == 2 else "u1").view(dtype)
        for each in (x, x[:, ::2], x.transpose(2, 0, 1)):
            same(clmove.tile(Exporter(clmove.to_dlpack(each)), (2, 1, 2), device=device), np.tile(each, (2, 1, 2)))
        out = np.zeros((4, 3, 4), dtype)
        clmove.tile(x, (2, 1, 1), out=clmove.to_dlpack(out), device=device)
        same(out, np.tile(x, (2, 1, 1)))
    with pytest.raises(clmove.ElementError, match="int4"):
        clmove.to_dlpack(np.zeros(3, ml_dtypes.int4))


def test_to_dlpack():
    for dtype in ("?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"):
        x = noise((3, 4), "u1").astype(dtype)
        for each in (x, x[::-1, ::2], x.T, x[:0], np.ones((), dtype)):
            try:
                read = np.from_dlpack(clmove.to_dlpack(each))
            except RuntimeError:
                assert each.dtype.kind in "?bc" and np.lib.NumpyVersion(np.__version__) < "2.0.0"
                continue
            same(np.ascontiguousarray(read), np.ascontiguousarray(each))
            assert not each.size or np.shares_memory(read, each)
    lent = clmove.to_dlpack(np.full(1_000_000, 7.0))  # which holds the array
    gc.collect()
    assert (np.from_dlpack(lent) == 7).all()


def test_capsules_are_used_once(device):
    class Holds(Exporter):
        def __init__(self, of):
            super().__init__(of)
            self.capsule = of.__dlpack__()

        def __dlpack__(self, **options):
            return self.capsule

    once = Holds(noise(6, "f4"))
    same(clmove.tile(once, 2, device=device), np.tile(once.of, 2))
    with pytest.raises(clmove.ArgumentError, match="Holds"):
        clmove.tile(once, 2, device=device)


def test_bfloat16(device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
        x = noise((2, 3, 4), "u2" if np.dtype(dtype).itemsize == 2 else "u1").view(dtype)
        same(clmove.tile(x, (2, 1, 2), device=device), np.tile(x, (2, 1, 2)))


def test_sources_are_not_written(device):
    x = noise((2, 3, 4, 6), "f4")
    x.flags.writeable = False
    before = x.copy()
    clmove.tile(x, (1, 1, 2, 2), device=device)
    clmove.space_to_depth(x, 2, device=device)
    same(x, before)


def test_matrices(device):
    x = noise((2, 3), "f8").view(np.recarray)
    y = clmove.tile(x, (2, 1), device=device)
    assert type(y) is np.ndarray
    same(y, np.tile(np.asarray(x), (2, 1)))
