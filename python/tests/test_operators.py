# SPDX-License-Identifier: Apache-2.0
"""Every operator against the oracle: modes, ranks, widths, types."""

import copy
import pickle

import clmove
import numpy as np
import oracle
import pytest
from oracle import noise, same

MODES = ["blocks_first", "depth_first"]
RGB = np.dtype([("r", "u1"), ("g", "u1"), ("b", "u1")])
MIXED = np.dtype([("a", "<i4"), ("b", ">f8"), ("c", "S3"), ("d", "u1", (2, 2))])
TYPES = ["?", "i1", "<u2", ">u2", "f2", "f4", ">f4", "f8", "g", "c8", "c16", "M8[s]", "m8[us]", "S5", "U3", "V7", RGB, MIXED]
IMAGES = [(2, 3, 4), (1, 2, 6, 4), (2, 5, 4, 14), (1, 3, 2, 4, 6), (1, 1, 2, 2, 2, 4)]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_types(device, dtype):
    x = noise((2, 3, 4, 6), dtype)
    same(clmove.tile(x, (2, 1, 1, 3), device=device), oracle.tile(x, (2, 1, 1, 3)))
    same(clmove.space_to_depth(x, 2, device=device), oracle.space_to_depth(x, 2, "blocks_first"))
    same(clmove.permute(x, (0, 2, 3, 1), device=device), x.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 64, 100])
def test_widths(device, width):
    x = noise((3, 5, 7), f"V{width}")
    same(clmove.tile(x, (2, 3, 2), device=device), oracle.tile(x, (2, 3, 2)))
    same(clmove.permute(x, (2, 0, 1), device=device), x.transpose(2, 0, 1))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", IMAGES, ids=str)
@pytest.mark.parametrize("dtype", ["u1", "f4", "V3"])
def test_blocks(device, shape, mode, dtype):
    for block in (1, 2):
        x = noise(shape, dtype)
        deep = clmove.space_to_depth(x, block, mode, device=device)
        same(deep, oracle.space_to_depth(x, block, mode))
        same(clmove.depth_to_space(deep, block, mode, device=device), x)
        wide = noise((shape[0], shape[1] * block ** (len(shape) - 2), *shape[2:]), dtype)
        same(clmove.depth_to_space(wide, block, mode, device=device), oracle.depth_to_space(wide, block, mode))


@pytest.mark.parametrize("block", [3, 4, 7])
def test_larger_blocks(device, block):
    x = noise((2, 3, 2 * block, 93 * block), "u1")
    for mode in MODES:
        same(clmove.space_to_depth(x, block, mode, device=device), oracle.space_to_depth(x, block, mode))


def test_tile_of_all_ranks(device):
    for rank in range(10):
        x = noise((2, 1, 3, 1, 2, 1, 2, 1, 2)[:rank], "u2")
        reps = (1, 3, 2, 1, 1, 2, 1, 1, 2)[:rank]
        same(clmove.tile(x, reps, device=device), oracle.tile(x, reps))
        same(clmove.tile(x, (2, *reps), device=device), oracle.tile(x, (2, *reps)))
        same(clmove.tile(x, reps[1:], device=device), oracle.tile(x, reps[1:]))
    same(clmove.tile(noise((2, 3), "f4"), 3, device=device), np.tile(noise((2, 3), "f4"), 3))
    same(clmove.tile(noise((2, 3), "f4"), np.array([2, 2]), device=device), np.tile(noise((2, 3), "f4"), (2, 2)))


def test_empty(device):
    x = noise((2, 0, 4), "f4")
    same(clmove.tile(x, (2, 3, 1), device=device), np.tile(x, (2, 3, 1)))
    same(clmove.tile(noise((2, 3), "f4"), (0, 2), device=device), np.empty((0, 6), "f4"))
    same(clmove.permute(x, (1, 0, 2), device=device), x.transpose(1, 0, 2))
    same(clmove.space_to_depth(noise((0, 3, 4, 4), "u1"), 2, device=device), np.empty((0, 12, 2, 2), "u1"))


def test_permutations(device):
    x = noise((3, 4, 5, 7), "f4")
    for order in [(0, 1, 2, 3), (3, 2, 1, 0), (0, 2, 3, 1), (2, 0, 3, 1), (-1, 0, -2, 1)]:
        same(clmove.permute(x, order, device=device), x.transpose(order))
    same(clmove.permute(noise((), "f4"), (), device=device), noise((), "f4"))


def test_more_than_a_page(device):
    x = noise((2, 3, 257, 130), "f4")
    same(clmove.tile(x, (1, 2, 1, 3), device=device), oracle.tile(x, (1, 2, 1, 3)))
    same(clmove.permute(x, (0, 3, 1, 2), device=device), x.transpose(0, 3, 1, 2))
    y = noise((3, 16, 144, 93), "u1")
    same(clmove.depth_to_space(y, 4, "depth_first", device=device), oracle.depth_to_space(y, 4, "depth_first"))


def test_results_are_kept_apart(device):
    """A call does not return memory that an earlier one returned."""
    x = noise((2, 3), "f4")
    first = clmove.tile(x, (2, 2), device=device)
    kept = first.copy()
    second = clmove.tile(noise((2, 3), "f4", 2), (2, 2), device=device)
    same(first, kept)
    assert first.base is None and second.base is None and not np.shares_memory(first, second)
    assert first.flags.owndata and first.flags.writeable


def test_equal_arguments_of_other_types(device):
    """What Python's == makes equal is not the same argument."""
    x = noise((1, 1, 2, 2), "u1")
    clmove.space_to_depth(x, 2, device=device)
    with pytest.raises(TypeError, match="block is 2.0: pass an integer"):
        clmove.space_to_depth(x, 2.0, device=device)
    same(clmove.tile(x, [1, 2, 1, 1], device=device), oracle.tile(x, (1, 2, 1, 1)))
    same(clmove.tile(x.view("i1"), (1, 2, 1, 1), device=device), oracle.tile(x.view("i1"), (1, 2, 1, 1)))


def test_maps_are_values():
    """They go to other processes, into sets, and their text is how they are made."""
    def made():
        return (clmove.Map((1, 4, 4, 4), 4).space_to_depth(2, "depth_first").depth_to_space(2).space_to_depth(2).tile((2, 1, 1, 1))
                .broadcast_to((3, 2, 16, 2, 2)).rearrange("z a (b c) d e -> z a d e (c b)", b=4))

    first = made()
    for other in (made(), pickle.loads(pickle.dumps(first)), copy.deepcopy(first), eval(f"clmove.{first!r}")):
        assert other == first and hash(other) == hash(first) and other.shape == first.shape
        x = noise((1, 4, 4, 4), "f4")
        same(clmove.Device("host").plan(other).run(x), clmove.Device("host").plan(first).run(x))
    assert first != made().tile(2) and first != clmove.Map((1, 4, 4, 4), 2) and first != "a map"


def test_results_begin_at_a_line(device):
    """And own their memory all the same, also when it changes."""
    for size in (65536, 1_000_003, 5 << 20):
        x = noise(size, "u1")
        plan = device.plan(clmove.Map.like(x).tile(2))
        for _ in range(2):
            for y in (clmove.tile(x, 2, device=device), plan.run(x)):
                assert y.ctypes.data % 64 == 0 and y.flags.owndata and y.base is None
                same(y, np.tile(x, 2))
        y.resize(10, refcheck=False)
        same(y, x[:10])
        y.resize(6 << 20, refcheck=False)
        same(y[:10], x[:10])
        assert not y[10:].any()
    assert np.zeros(10).flags.owndata  # NumPy's own allocator is back
    with pytest.raises((MemoryError, ValueError)):
        clmove.tile(np.broadcast_to(np.uint8(1), (2**40, 2**15)), (1, 2), device=device)
