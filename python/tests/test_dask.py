# SPDX-License-Identifier: Apache-2.0
"""clmove.dask against the operators' definition, in this process. test_dask_workers.py has what needs workers."""

import random
import subprocess
import sys
from math import prod

import clmove
import numpy as np
import oracle
import pytest
from oracle import noise, same

dask = pytest.importorskip("dask")
import clmove.dask as moved
import dask.array as da


#: Each is a random case. OpenCL has a sample: the devices have tests of their own.
CASES = pytest.mark.parametrize("selector, seed", [("host", seed) for seed in range(30)] + [("cpu", seed) for seed in range(5)])


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def in_chunks(array, rng):
    """Whole, equal or unequal chunks along each dimension."""
    chunks = []
    for dim in array.shape:
        kind, left, lengths = rng.randrange(3), dim, []
        while kind == 2 and left:
            lengths.append(rng.randint(1, left))
            left -= lengths[-1]
        chunks.append((dim,) if kind == 0 or not dim else rng.randint(1, dim) if kind == 1 else tuple(lengths))
    return da.from_array(array, chunks=tuple(chunks))


@CASES
def test_blocks(selector, seed):
    rng = random.Random(seed)
    block, mode = rng.randint(1, 3), rng.choice(["blocks_first", "depth_first"])
    x = noise([rng.randint(1, 3), rng.randint(1, 5)] + [block * rng.randint(1, 4) for _ in range(rng.randint(1, 3))], rng.choice(["u1", "f4", "c16"]))
    deep = oracle.space_to_depth(x, block, mode)
    y = moved.space_to_depth(in_chunks(x, rng), block, mode, device=selector)
    assert isinstance(y, da.Array) and (y.shape, y.dtype) == (deep.shape, deep.dtype)
    same(y.compute(), deep)
    z = moved.depth_to_space(in_chunks(np.ascontiguousarray(deep), rng), block, mode, device=selector)
    assert (z.shape, z.dtype) == (x.shape, x.dtype)
    same(z.compute(), x)


@CASES
def test_tile_and_permute(selector, seed):
    rng = random.Random(seed)
    x = noise([rng.randint(0, 5) if rng.random() < 0.1 else rng.randint(1, 5) for _ in range(rng.randint(0, 4))], "u2")
    reps = [rng.randint(0, 3) if rng.random() < 0.1 else rng.randint(1, 4) for _ in range(rng.randint(0, 5))]
    with dask.config.set({"array.chunk-size": rng.choice(["1 B", "100 B", "10 kB"])}):
        y = moved.tile(in_chunks(x, rng), reps, device=selector)
    same(y.compute(), oracle.tile(x, reps))
    assert y.shape == np.tile(x, reps).shape
    order = rng.sample(range(x.ndim), x.ndim)
    chunked = in_chunks(x, rng)
    z = moved.permute(chunked, [each - x.ndim if rng.random() < 0.5 else each for each in order], device=selector)
    assert z.chunks == tuple(chunked.chunks[each] for each in order)
    same(z.compute(), x.transpose(order))


@CASES
def test_patterns(selector, seed):
    """Random patterns: what clmove itself makes of them is tested elsewhere."""
    rng = random.Random(seed)
    sizes = {name: rng.randint(1, 4) for name in "abcdefg"[: rng.randint(1, 7)]}

    def side(names):
        groups = []
        while names:
            count = rng.randint(0, 3)
            groups.append(names[:count])
            names = names[count:]
        return groups

    left, right = side(list(sizes)), side(rng.sample(list(sizes), len(sizes)))
    pattern = "->".join("".join(f"({' '.join(group)})" for group in groups) for groups in (left, right))
    x = noise([prod(sizes[name] for name in group) for group in left], "f4")
    y = moved.rearrange(in_chunks(x, rng), pattern, device=selector, **sizes)
    expected = clmove.rearrange(x, pattern, device="host", **sizes)
    assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
    same(y.compute(), expected)


@pytest.mark.parametrize("call, chunks, expected", [
    # Nothing but the blocks decides: the chunks stay.
    (lambda x: moved.space_to_depth(x, 2), (1, 4, 8, 24), ((1, 1), (16,), (4, 4), (12,))),
    (lambda x: moved.space_to_depth(x, 2, "depth_first"), (1, 3, 8, 24), ((1, 1), (12, 4), (4, 4), (12,))),
    # An edge within a block moves to the next one, and the other edges stay.
    (lambda x: moved.space_to_depth(x, 2), (2, 4, (7, 8, 1), 24), ((2,), (16,), (4, 4), (12,))),
    # Depth becomes whole, and chunks are no larger than before.
    (lambda x: moved.space_to_depth(x, 2), (2, 1, 16, 24), ((1, 1), (16,), (4, 4), (12,))),
    # Rows of chunks that are smaller than a block: depth is cut instead.
    (lambda x: moved.space_to_depth(x, 2), (2, 4, 1, 24), ((2,), (8, 8), (1,) * 8, (12,))),
    (lambda x: moved.depth_to_space(x, 2), (1, 4, 8, 24), ((1, 1), (1,), (16, 16), (48,))),
    (lambda x: moved.permute(x, (0, 3, 1, 2)), (1, 3, 8, 24), ((1, 1), (24,), (3, 1), (8, 8))),
    (lambda x: moved.rearrange(x, "n c h w -> (n c h w)"), (2, 4, 4, 24), ((768,) * 4,)),
    (lambda x: moved.rearrange(x, "n c h w -> c (h n) w"), (1, 4, 8, 24), ((2, 2), (16, 16), (24,))),
    (lambda x: moved.rearrange(x, "n c (h a) w -> n c h a w", a=8), (1, 4, 6, 24), ((1, 1), (4,), (1, 1), (4, 4), (24,))),
    (lambda x: moved.tile(x, (2, 1, 1, 1)), (1, 4, 16, 24), ((1, 1, 1, 1), (4,), (16,), (24,))),
])
def test_chunks(call, chunks, expected):
    x = da.zeros((2, 4, 16, 24), chunks=chunks)
    y = call(x)
    assert y.chunks == expected
    assert prod(y.chunksize) <= prod(x.chunksize) * 8 / 7


@pytest.mark.parametrize("size, chunks", [("1 B", (1,) * 100), ("80 B", (2,) * 50), ("240 B", (6,) * 16 + (4,)), ("1 MB", (100,))])
def test_chunks_of_tile(size, chunks):
    with dask.config.set({"array.chunk-size": size}):
        assert moved.tile(da.zeros(5, chunks=5), (100, 1)).chunks == (chunks, (5,))


@pytest.mark.parametrize("call", [
    lambda x: moved.permute(x, (3, 1, 0, 2)),
    lambda x: moved.space_to_depth(x, 2),
    lambda x: moved.depth_to_space(x, 2),
    lambda x: moved.rearrange(x, "n c (h a) w -> (n h) c a w", a=4),
    lambda x: moved.tile(x, (1, 3, 1, 1)),
])
def test_tasks_have_one_chunk(call):
    """Where the chunks allow it, and the source is read by the same task."""
    x = da.from_array(np.zeros((4, 4, 8, 8)), chunks=(1, 4, 4, 8), inline_array=True)
    y = call(x)
    tasks = [task for task in dict(dask.optimize(y)[0].__dask_graph__()).values() if type(task).__name__ != "Alias"]
    assert len(tasks) == y.npartitions == x.npartitions
    assert not any(task.dependencies for task in tasks)


def test_repeated_chunks_are_not_copied():
    x = da.from_array(noise((6, 5), "f4"), chunks=(2, 5))
    blocks = dask.compute(*moved.tile(x, (3, 1)).to_delayed().ravel())
    assert len(blocks) == 9 and blocks[0] is blocks[3] is blocks[6] and blocks[0] is not blocks[1]


@pytest.mark.parametrize("dtype", [">i2", "S5", [("a", "i1"), ("b", "f8")], "bfloat16", "M8[s]"])
def test_types(dtype):
    if dtype == "bfloat16":
        dtype = pytest.importorskip("ml_dtypes").bfloat16
    x = noise((2, 4, 4), dtype)
    y = moved.space_to_depth(da.from_array(x, chunks=(1, 4, 2)), 2, device="host")
    assert y.dtype == y._meta.dtype == x.dtype and y._meta.shape == (0, 0, 0)
    same(y.compute(), oracle.space_to_depth(x, 2, "blocks_first"))


def test_chain():
    x = noise((3, 4, 12, 20), "u4")
    y = moved.space_to_depth(da.from_array(x, chunks=(2, 4, 5, 7))[:, :, ::-1] + np.uint32(1), 2, device="host")
    y = moved.permute(moved.tile(y, (1, 2, 1, 1), device="host"), (0, 2, 3, 1), device="host")
    same(y.compute(), oracle.tile(oracle.space_to_depth(x[:, :, ::-1] + np.uint32(1), 2, "blocks_first"), (1, 2, 1, 1)).transpose(0, 2, 3, 1))


def test_annotations():
    """They are on the tasks that move, and on those that cut anew."""
    x = da.zeros((1, 4, 6, 4), chunks=(1, 4, 3, 4))
    with dask.annotate(resources={"GPU": 1}):
        results = [moved.permute(x, (3, 2, 1, 0)), moved.tile(x, 2), moved.space_to_depth(x, 2)]
    for y in results:
        layers = [layer for name, layer in y.dask.layers.items() if name not in x.dask.layers]
        assert layers and all(layer.annotations == {"resources": {"GPU": 1}} for layer in layers)


def test_no_dimensions():
    x = noise((), "f8")
    same(moved.permute(da.from_array(x), ()).compute(), x)
    same(moved.rearrange(da.from_array(x), "->").compute(), x)
    same(moved.rearrange(da.from_array(x), "-> 1 1").compute(), x.reshape(1, 1))
    same(moved.rearrange(da.from_array(x.reshape(1, 1)), "1 () ->").compute(), x)
    same(moved.tile(da.from_array(x), 3).compute(), oracle.tile(x, (3,)))


def calls(x, device):
    return [
        moved.tile(x, (1, 2), device=device),
        moved.tile(x, (2, 1), device=device),
        moved.permute(x, (0, 2, 1), device=device),
        moved.space_to_depth(x, 2, device=device),
        moved.space_to_depth(x, 2, "depth_first", device=device),
        moved.depth_to_space(x, 2, device=device),
        moved.rearrange(x, "a b c -> a (b c)", device=device),
        moved.rearrange(x, "a b c -> a (c b)", device=device),
    ]


def test_names():
    """The same call has the same name; another source, argument or device has another one."""
    sources = [da.from_array(noise((1, 8, 8), "f4", seed), chunks=(1, 8, 4)) for seed in (1, 1, 2)]
    first, again, other = ([each.name for each in calls(x, "host")] for x in sources)
    elsewhere = [each.name for each in calls(sources[0], "cpu")]
    assert first == again
    assert len({*first, *other, *elsewhere}) == 24


def test_nothing_runs_before_it_is_computed():
    def fail():
        raise AssertionError("computed")

    x = da.from_delayed(dask.delayed(fail)(), (1, 8, 8), "f4")
    for y in calls(x, "no such device"):
        assert y.dtype == "f4"
    for y in calls(da.zeros((1, 8, 8), dtype="f4"), "no such device"):
        with pytest.raises(clmove.NoDeviceError, match="no such device"):
            y.compute()


X = da.zeros((1, 3, 4, 6), dtype="f4", chunks=(1, 3, 2, 6))


@pytest.mark.parametrize("call, error, text", [
    (lambda: moved.space_to_depth(X, 5), clmove.ShapeError, "dimension 2 is 4, not a multiple of block size 5"),
    (lambda: moved.space_to_depth(X[0, 0], 2), clmove.ShapeError, "rank"),
    (lambda: moved.space_to_depth(X, 2, "depth"), clmove.ArgumentError, '"blocks_first" or "depth_first"'),
    (lambda: moved.space_to_depth(X, 2.0), TypeError, "pass an integer"),
    (lambda: moved.depth_to_space(X, 2), clmove.ShapeError, "3"),
    (lambda: moved.permute(X, (0, 1, 2)), clmove.ShapeError, "."),
    (lambda: moved.permute(X, (0, 1, 2, -5)), clmove.ShapeError, "."),
    (lambda: moved.tile(X, (2, -1)), clmove.ShapeError, "at least 0"),
    (lambda: moved.tile(X, "2"), TypeError, "pass an integer or a tuple"),
    (lambda: moved.tile(X, (2**62, 2**62)), clmove.SizeError, "."),
    (lambda: moved.rearrange(X, "n c h w -> n c h"), clmove.ArgumentError, "one side alone"),
    (lambda: moved.rearrange(X, "n c (h a) w -> n c h a w", a=3), clmove.ShapeError, "a dimension of 4"),
    (lambda: moved.rearrange(X, 3), TypeError, "pass a string"),
    (lambda: moved.tile(np.zeros(3), 2), TypeError, r"a ndarray is no dask.array: pass dask.array.from_array\(x\)"),
    (lambda: moved.tile(X, 2, device=clmove.Device("host")), TypeError, "pass a selector"),
    (lambda: moved.tile(X.astype(object), 2), clmove.ElementError, "references to Python objects"),
    (lambda: moved.tile(da.ma.masked_equal(X, 0), 2), TypeError, "pass x.data"),
    (lambda: moved.tile(X.ravel()[X.ravel() > 0], 2), clmove.ShapeError, "compute_chunk_sizes"),
])
def test_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_dask_is_an_option():
    program = "import sys, clmove; assert 'dask' not in sys.modules; sys.modules['dask'] = None; import clmove.dask"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "ImportError: clmove.dask needs the package dask with arrays: pip install 'dask[array]'" in done.stderr
