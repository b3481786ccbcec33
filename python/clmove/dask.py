# SPDX-License-Identifier: Apache-2.0
"""The operators on arrays of dask, which may be larger than the machine. Nothing is moved before the result is computed.

Each chunk of a result is made by one task, from one chunk of the source. Where chunks do not allow that, such as chunks that end
within a block of SpaceToDepth, only they are cut anew. The task runs on the device of the process that it runs in.

>>> import clmove.dask, dask.array
>>> x = dask.array.zeros((8, 3, 64, 64), chunks=(1, 3, 64, 64))
>>> clmove.dask.space_to_depth(x, 2).chunksize
(1, 12, 32, 32)
"""

from functools import partial
from itertools import product
from math import isnan, prod
from typing import Any, Optional, SupportsIndex

import numpy as np

from . import _errors, _operators
from ._arguments import Array, Integers, integer, integers, source
from ._cut import chunks_of, cut, group, place_of, split
from ._map import Map
from ._pattern import steps

try:
    import dask.array as da
    from dask import config
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph
    from dask.utils import parse_bytes
except ImportError as why:
    raise ImportError(f"clmove.dask needs the package dask with arrays: pip install 'dask[array]' ({why})") from why

__all__ = ["depth_to_space", "permute", "rearrange", "space_to_depth", "tile"]
Selector = Optional[str]


def _map_of(x: Any, device: Selector) -> Map:
    """The map that changes nothing, if x can be moved by tasks."""
    if not isinstance(x, da.Array):
        raise TypeError(f"a {type(x).__name__} is no dask.array: pass dask.array.from_array(x), or call the function of clmove itself")
    if device is not None and not isinstance(device, str):
        raise TypeError(f'device is {device!r}: pass a selector such as "gpu" or "host", by which each worker opens its own')
    source(x._meta)
    if any(map(isnan, x.shape)):
        raise _errors.ShapeError(f"the shape is {x.shape}: call x.compute_chunk_sizes() first, or pass an array whose chunks are known")
    return Map(x.shape, x.dtype.itemsize)


def _array(x: Any, word: str, token: Any, chunks: Any, tasks: Any) -> Any:
    """The array whose tasks are those that tasks(name) yields."""
    name = f"clmove-{word}-{tokenize(x, chunks, token)}"
    graph = HighLevelGraph.from_collections(name, dict(tasks(name)), dependencies=[x])
    return da.Array(graph, name, chunks, meta=np.empty((0,) * len(chunks), x.dtype))


def _tile_block(block: Any, reps: tuple[int, ...], device: Selector) -> Array:
    return _operators.tile(block, reps, device=device)


def _permute_block(block: Any, axes: tuple[int, ...], device: Selector) -> Array:
    return _operators.permute(block, axes, device=device)


def _rearrange_block(block: Any, pattern: str, sizes: tuple[int, ...], device: Selector) -> Array:
    named: dict[str, Any] = {f"e{axis}": size for axis, size in enumerate(sizes)}
    return _operators.rearrange(block, pattern, device=device, **named)


def tile(x: Any, reps: Integers, device: Selector = None) -> Any:
    """Repeats x along each dimension, as numpy.tile does.

    A dimension of several chunks has them several times: they are not copied. One of a single chunk is repeated within chunks of
    about the size that dask's configuration calls array.chunk-size.

    >>> import clmove.dask, dask.array
    >>> clmove.dask.tile(dask.array.arange(4, chunks=2), (2, 2), device="host").compute().tolist()
    [[0, 1, 2, 3, 0, 1, 2, 3], [0, 1, 2, 3, 0, 1, 2, 3]]
    """
    given = integers(reps, "reps")
    shape = _map_of(x, device).tile(given).shape
    if 0 in shape:
        return da.empty(shape, dtype=x.dtype, chunks=shape)
    x = x[(None,) * (len(shape) - x.ndim)]
    repeats = (1,) * (x.ndim - len(given)) + given
    room = parse_bytes(config.get("array.chunk-size")) // (prod(map(max, x.chunks)) * x.dtype.itemsize)
    pieces: list[tuple[int, ...]] = [()] * x.ndim
    for axis in reversed(range(x.ndim)):
        here = max(room, 1) if x.numblocks[axis] == 1 else 1
        pieces[axis] = split((repeats[axis],), here)
        room //= max(pieces[axis])
    chunks = tuple(tuple(piece * length for piece in each for length in lengths) for each, lengths in zip(pieces, x.chunks))

    def tasks(name: str) -> Any:
        for place in product(*(range(len(each)) for each in chunks)):
            key = (x.name, *(at % count for at, count in zip(place, x.numblocks)))
            local = tuple(each[at // count] for each, at, count in zip(pieces, place, x.numblocks))
            yield (name, *place), key if prod(local) == 1 else (partial(_tile_block, reps=local, device=device), key)

    return _array(x, "tile", (repeats, device), chunks, tasks)


def space_to_depth(x: Any, block: SupportsIndex, mode: str = "blocks_first", device: Selector = None) -> Any:
    """Moves blocks of the spatial dimensions into depth: [N, C, D1 .. DK] becomes [N, C * block**K, D1 / block .. DK / block].

    Spatial chunks become multiples of the block. In the mode "blocks_first" C becomes whole, and other dimensions are cut instead.

    >>> import clmove.dask, dask.array
    >>> x = dask.array.arange(8, chunks=8).reshape(1, 2, 2, 2)
    >>> clmove.dask.space_to_depth(x, 2, device="host").compute().ravel().tolist()
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    wanted = _map_of(x, device).space_to_depth(block, mode)
    b, spatial = integer(block, "block"), x.ndim - 2
    sizes = [*x.shape[:2], *(each for dim in x.shape[2:] for each in (dim // b, b))]
    outer, inner = range(2, 2 + 2 * spatial, 2), range(3, 2 + 2 * spatial, 2)
    order = [0, *inner, 1, *outer] if mode == "blocks_first" else [0, 1, *inner, *outer]
    return _rearrange(x, "space_to_depth", sizes, order, wanted.shape, device)


def depth_to_space(x: Any, block: SupportsIndex, mode: str = "blocks_first", device: Selector = None) -> Any:
    """The inverse of space_to_depth: [N, C, D1 .. DK] becomes [N, C / block**K, D1 * block .. DK * block].

    In the mode "blocks_first" C becomes whole, and other dimensions are cut instead. In "depth_first" chunks of C become multiples
    of block**K.

    >>> import clmove.dask, dask.array
    >>> x = dask.array.arange(4, chunks=4).reshape(1, 4, 1, 1)
    >>> clmove.dask.depth_to_space(x, 2, device="host").compute().tolist()
    [[[[0, 1], [2, 3]]]]
    """
    wanted = _map_of(x, device).depth_to_space(block, mode)
    b, spatial = integer(block, "block"), x.ndim - 2
    depth, blocks = wanted.shape[1], [b] * spatial
    sizes = [x.shape[0], *([*blocks, depth] if mode == "blocks_first" else [depth, *blocks]), *x.shape[2:]]
    at_depth, at_block = (1 + spatial, 1) if mode == "blocks_first" else (1, 2)
    order = [0, at_depth, *(axis for each in range(spatial) for axis in (2 + spatial + each, at_block + each))]
    return _rearrange(x, "depth_to_space", sizes, order, wanted.shape, device)


def permute(x: Any, order: Integers, device: Selector = None) -> Any:
    """Dimension i of the result is dimension order[i] of x, as in numpy.transpose. The chunks change their order too.

    >>> import clmove.dask, dask.array
    >>> clmove.dask.permute(dask.array.zeros((2, 3, 4), chunks=(1, 3, 2)), (2, 0, 1)).chunks
    ((2, 2), (1, 1), (3,))
    """
    given = integers(order, "order")
    _map_of(x, device).permute(given)
    axes = tuple(each % x.ndim for each in given)
    meta = np.empty((0,) * x.ndim, x.dtype)
    return da.blockwise(_permute_block, axes, x, tuple(range(x.ndim)), axes=axes, device=device, token="clmove-permute", dtype=x.dtype, meta=meta)


def rearrange(x: Any, pattern: str, *, device: Selector = None, **sizes: SupportsIndex) -> Any:
    """Moves x by a pattern of einops. The sizes are those of names that x.shape does not tell.

    x is cut along names that are outermost in their parentheses on both sides. Others become whole, as names inside them do.

    >>> import clmove.dask, dask.array
    >>> x = dask.array.zeros((2, 8, 6), chunks=(1, 3, 6))
    >>> clmove.dask.rearrange(x, "n (h a) w -> (h n) (w a)", a=2).chunks
    ((2, 2, 2, 2), (12,))
    """
    wanted = _map_of(x, device).rearrange(pattern, **sizes)
    first, order, _ = steps(pattern, x.shape, {name: integer(size, name) for name, size in sizes.items()})
    return _rearrange(x, "rearrange", first, order, wanted.shape, device)


def _rearrange(x: Any, word: str, sizes: list[int], order: list[int], shape: tuple[int, ...], device: Selector) -> Any:
    """x as axes of these sizes, in this order, joined to this shape."""
    if 0 in x.shape:
        return da.empty(shape, dtype=x.dtype, chunks=shape)
    before, after = group(range(len(sizes)), sizes, x.shape), group(order, sizes, shape)
    cuts = cut(sizes, before, after, x.chunks, prod(map(max, x.chunks)))
    pattern = " -> ".join(" ".join(f"({' '.join(f'e{axis}' for axis in axes)})" for axes in side) for side in (before, after))
    _map_of(x, device).rearrange(pattern, **{f"e{axis}": size for axis, size in enumerate(sizes)})  # raises what the tasks would
    # The tasks of this method read nothing but what they need; the other one writes all chunks to disk.
    cells = x.rechunk(chunks_of(before, cuts), method=config.get("array.rechunk.method", None) or "tasks")

    def tasks(name: str) -> Any:
        for box in product(*(range(len(each)) for each in cuts)):
            local = tuple(each[at] for each, at in zip(cuts, box))
            key = (cells.name, *place_of(box, before, cuts))
            yield (name, *place_of(box, after, cuts)), (partial(_rearrange_block, pattern=pattern, sizes=local, device=device), key)

    return _array(cells, word, (pattern, sizes, device), chunks_of(after, cuts), tasks)
