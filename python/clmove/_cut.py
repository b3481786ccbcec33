# SPDX-License-Identifier: Apache-2.0
"""Where an array in chunks is cut for a rearrangement: into boxes that are whole chunks on both sides.

A rearrangement splits dimensions into axes, changes their order, and joins them again. A dimension is a group of axes, the outermost
first. A piece of a dimension is a box of axes if one axis is cut, those outside it are cut into single indices, and those inside it
are whole. Each axis is cut the same way for the source and for the result, so that one task makes one chunk from one chunk.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, product
from math import prod

#: Of each dimension, the numbers of its axes, outermost first.
Groups = list[list[int]]
#: Of each axis or dimension, the lengths of its pieces.
Pieces = tuple[tuple[int, ...], ...]


def group(axes: Iterable[int], sizes: Sequence[int], dims: Sequence[int]) -> Groups:
    """Which axes make up each dimension. None has the size 0. An axis of 1 may go to either neighbour."""
    rest = list(axes)
    groups: Groups = []
    for dim in dims:
        taken: list[int] = []
        while prod(sizes[axis] for axis in taken) != dim:
            taken.append(rest.pop(0))
        groups.append(taken)
    if rest:
        groups[-1] += rest
    return groups


def split(pieces: Sequence[int], most: int) -> tuple[int, ...]:
    """The pieces in parts of at most `most`. Equal pieces get equal parts, if parts down to half of that allow it."""
    largest = max(pieces)
    count = -(-largest // most)
    if len(pieces) > 1:
        count = next((each for each in range(count, min(2 * count, count + 1000)) if largest % each == 0), count)
    size = -(-largest // count)
    return tuple(min(size, piece - at) for piece in pieces for at in range(0, piece, size))


def _follow(sizes: Sequence[int], chunks: Sequence[int]) -> list[tuple[int, ...]]:
    """The axes of one dimension, cut where its chunks are, or as near to that as boxes allow."""
    cuts: list[tuple[int, ...]] = [(size,) for size in sizes]
    if len(chunks) == 1:
        return cuts
    inner, largest = prod(sizes), max(chunks)
    for axis, size in enumerate(sizes):
        inner //= size
        if inner > largest:
            cuts[axis] = (1,) * size
            continue
        if prod(sizes[:axis]) > 1:
            cuts[axis] = split((size,), largest // inner)
        else:
            edges = sorted({0, *((edge + inner // 2) // inner for edge in accumulate(chunks))})
            cuts[axis] = tuple(last - first for first, last in zip(edges, edges[1:]))
        break
    return cuts


def cut(sizes: Sequence[int], source: Groups, result: Groups, chunks: Pieces, limit: int) -> Pieces:
    """The pieces of each axis: near the source's chunks, and with at most `limit` elements in a box, where boxes allow that."""
    cuts: list[tuple[int, ...]] = [()] * len(sizes)
    for axes, lengths in zip(source, chunks):
        for axis, pieces in zip(axes, _follow([sizes[axis] for axis in axes], lengths)):
            cuts[axis] = pieces
    limit = max(limit, prod(map(max, cuts)))  # no chunk is halved because an edge moved to that of a block
    _make_boxes(sizes, source + result, cuts)
    home = [[each for groups in (source, result) for each in groups if axis in each] for axis in range(len(sizes))]
    while True:
        excess = prod(map(max, cuts))
        if excess <= limit:
            return tuple(cuts)
        for axis in range(len(sizes)):
            if max(cuts[axis]) > 1 and all(_may_cut(axis, axes, sizes, cuts) for axes in home[axis]):
                cuts[axis] = split(cuts[axis], max(1, max(cuts[axis]) * limit // excess))
                break
        else:
            return tuple(cuts)


def _make_boxes(sizes: Sequence[int], groups: Groups, cuts: list[tuple[int, ...]]) -> None:
    """Makes axes whole until every piece of every dimension is a box."""
    changed = True
    while changed:
        changed = False
        for axes in groups:
            single = True  # the axes so far are cut into single indices
            for axis in axes:
                if not single and len(cuts[axis]) > 1:
                    cuts[axis] = (sizes[axis],)
                    changed = True
                single = single and len(cuts[axis]) == sizes[axis]


def _may_cut(axis: int, axes: list[int], sizes: Sequence[int], cuts: Sequence[tuple[int, ...]]) -> bool:
    at = axes.index(axis)
    return all(len(cuts[each]) == sizes[each] for each in axes[:at]) and all(len(cuts[each]) == 1 for each in axes[at + 1 :])


def chunks_of(groups: Groups, cuts: Pieces) -> Pieces:
    """The chunks of each dimension."""
    return tuple(tuple(prod(each) for each in product(*(cuts[axis] for axis in axes))) for axes in groups)


def place_of(box: Sequence[int], groups: Groups, cuts: Pieces) -> tuple[int, ...]:
    """Which chunk of each dimension has the box whose number along each axis is given."""
    place = []
    for axes in groups:
        number = 0
        for axis in axes:
            number = number * len(cuts[axis]) + box[axis]
        place.append(number)
    return tuple(place)
