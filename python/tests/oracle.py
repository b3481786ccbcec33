# SPDX-License-Identifier: Apache-2.0
"""The operators by their definition: a reshape, a transposition and a reshape of NumPy's. Nothing of clmove."""

import numpy as np


def tile(x, reps):
    rank = max(x.ndim, len(reps))
    shape = (1,) * (rank - x.ndim) + x.shape
    reps = (1,) * (rank - len(reps)) + tuple(reps)
    pairs = [each for pair in zip((1,) * rank, shape) for each in pair]
    wide = [each for pair in zip(reps, shape) for each in pair]
    return np.broadcast_to(x.reshape(pairs), wide).reshape([r * d for r, d in zip(reps, shape)])


def space_to_depth(x, block, mode):
    n, c, *spatial = x.shape
    k = len(spatial)
    split = x.reshape([n, c] + [each for dim in spatial for each in (dim // block, block)])
    outer, inner = [2 + 2 * i for i in range(k)], [3 + 2 * i for i in range(k)]
    order = [0, *inner, 1, *outer] if mode == "blocks_first" else [0, 1, *inner, *outer]
    return split.transpose(order).reshape([n, c * block**k] + [dim // block for dim in spatial])


def depth_to_space(x, block, mode):
    n, c, *spatial = x.shape
    k = len(spatial)
    depth = c // block**k
    if mode == "blocks_first":
        split, at_block, at_depth = [n] + [block] * k + [depth] + spatial, 1, k + 1
    else:
        split, at_block, at_depth = [n, depth] + [block] * k + spatial, 2, 1
    order = [0, at_depth] + [axis for i in range(k) for axis in (k + 2 + i, at_block + i)]
    return x.reshape(split).transpose(order).reshape([n, depth] + [dim * block for dim in spatial])


def noise(shape, dtype, seed=1):
    """An array in which each byte is noise."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    data = np.random.default_rng(seed).integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    return data.view(dtype).reshape(shape) if count else np.empty(shape, dtype)


def same(actual, expected):
    """The same shape, type and bytes, in memory that is the array's own."""
    assert isinstance(actual, np.ndarray)
    assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
    assert actual.tobytes() == np.ascontiguousarray(expected).tobytes()
