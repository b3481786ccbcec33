# SPDX-License-Identifier: Apache-2.0
"""Arrays of any kind, as they come: the right bytes or an exception, and the interpreter goes on."""

import threading

import clmove
import numpy as np
import oracle
import pytest
from oracle import noise, same

DTYPES = ["u1", "<i2", ">f4", "f8", "c16", "V3", "S5", "?", "M8[s]", "O"]


def any_array(random):
    """Of 0 to 5 dimensions of 0 to 7, with strides of any sign, broadcast, read-only or none of these."""
    shape = tuple(random.choice([0, 1, 1, 2, 3, 4, 6, 7], random.integers(0, 6), p=[0.04] + [0.96 / 7] * 7))
    dtype = np.dtype(random.choice(DTYPES, p=[0.11] * 9 + [0.01]))
    wide = tuple(int(dim * random.choice([1, 1, 2, 3])) for dim in shape)
    x = np.empty(wide, "O") if dtype.hasobject else noise(wide, dtype, int(random.integers(1 << 30)))
    x = x[(..., *(slice(None, None, each) for each in random.choice([1, 1, -1, 2, -2], len(shape))))]
    x = x[(..., *(slice(0, dim) for dim in shape))]
    if x.ndim and random.random() < 0.2:
        x = x.transpose(random.permutation(x.ndim))
    if x.ndim and x.size and random.random() < 0.1:
        x = np.broadcast_to(x[:1], x.shape)
    if random.random() < 0.1:
        x = x.view()
        x.flags.writeable = False
    return x


def any_call(random, x):
    """A function, its arguments, and what NumPy makes of them. None: an exception is right."""
    kind, mode = random.integers(5), str(random.choice(["blocks_first", "depth_first"]))
    block, k = int(random.integers(0, 4)), max(x.ndim - 2, 1)
    if kind == 0:
        reps = tuple(int(each) for each in random.integers(0, 4, random.integers(0, x.ndim + 2)))
        return clmove.tile, (reps,), np.tile(x, reps)
    if kind == 1 and random.random() < 0.1:
        return clmove.permute, ((0, 0, 9),), None
    if kind == 1:
        order = tuple(int(each) for each in random.permutation(x.ndim))
        return clmove.permute, (order,), x.transpose(order)
    if kind == 2:
        good = x.ndim > 2 and block > 0 and not any(dim % block for dim in x.shape[2:])
        return clmove.space_to_depth, (block, mode), oracle.space_to_depth(x, block, mode) if good else None
    if kind == 3:
        good = x.ndim > 2 and block > 0 and x.shape[1] % block**k == 0
        return clmove.depth_to_space, (block, mode), oracle.depth_to_space(x, block, mode) if good else None
    return clmove.rearrange, ("a b ... -> ... b a",), np.moveaxis(np.moveaxis(x, 0, -1), 0, -2) if x.ndim > 1 else None


def any_out(random, expected, x):
    """Where the result goes: a new array, one with strides, a wrong one, or a part of the source."""
    kind = random.integers(8)
    if kind == 0:
        return np.zeros(expected.shape, expected.dtype), True
    if kind == 1:
        wide = np.zeros(tuple(2 * dim for dim in expected.shape), expected.dtype)
        return wide[(..., *(slice(None, None, -2) for _ in expected.shape))], True
    if kind == 2:
        return np.zeros((*expected.shape, 2), expected.dtype), False
    if kind == 3:
        return np.zeros(expected.shape, "V9"), False
    if kind == 4 and expected.size:  # read-only
        return np.broadcast_to(np.zeros((), expected.dtype), expected.shape), False
    if kind == 5 and expected.size and x.flags.writeable and x.shape == expected.shape:
        return x, False
    return None, True


@pytest.mark.parametrize("seed", range(2))
def test_any_arrays(device, seed):
    random = np.random.default_rng(seed)
    moved = refused = 0
    for _ in range(500 if device.type == "host" else 30):
        x = any_array(random)
        call, arguments, expected = any_call(random, x)
        out, fits = (None, True) if expected is None else any_out(random, expected, x)
        if expected is None or x.dtype.hasobject or not fits:
            with pytest.raises((clmove.Error, TypeError, ValueError)):
                call(x, *arguments, out=out, device=device)
            refused += 1
        else:
            expected = np.array(expected)
            same(call(x, *arguments, out=out, device=device), expected)
            moved += 1
    assert moved > 8 and refused > 8


def test_shapes_without_memory(device):
    """Sizes that no memory has: refused before anything is moved."""
    wide = np.broadcast_to(np.zeros(1, "u1"), (2**45,))
    for call in (lambda: clmove.tile(wide, 2, device=device), lambda: clmove.tile(np.zeros(1, "u1"), 2**46, device=device)):
        with pytest.raises(MemoryError):
            call()
    for call in (lambda: clmove.tile(np.zeros(2), 2**62, device=device), lambda: clmove.tile(wide, (2**40, 2), device=device),
                 lambda: clmove.Map((2**62, 2), 8)):
        with pytest.raises(clmove.SizeError):
            call()
    nothing = np.zeros((2**40, 0, 2**20), "u1")
    assert clmove.permute(nothing, (2, 0, 1), device=device).shape == (2**20, 2**40, 0)
    same(clmove.tile(np.array(7, "u2"), (), device=device), np.array(7, "u2"))
    same(clmove.permute(np.array(7, "u2"), (), device=device), np.array(7, "u2"))


def test_runs_within_progress(device):
    """A plan may run in its own callback, and what the callback throws away stays until the end."""
    x = noise((20, 30, 40), "f4")
    plan = device.plan(clmove.Map.like(x).permute((2, 0, 1)))
    inner = []
    given = [x.copy()]

    def again(done, total):
        given.clear()
        inner.append(plan.run(x))
        inner.append(clmove.permute(x, (2, 0, 1), device=device))

    same(plan.run(given[0], progress=again), x.transpose(2, 0, 1).copy())
    assert len(inner) == 2
    for each in inner:
        same(each, x.transpose(2, 0, 1).copy())


def test_progress_in_threads(device):
    x = noise((64, 64, 64), "f4")
    plan, wrong = device.plan(clmove.Map.like(x).permute((2, 0, 1))), []

    def work(fails):
        def progress(done, total):
            if fails:
                raise KeyError("enough")
        try:
            for _ in range(20):
                try:
                    same(plan.run(x, progress=progress), x.transpose(2, 0, 1).copy())
                    assert not fails
                except KeyError:
                    assert fails
        except BaseException as why:
            wrong.append(why)

    threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
