# SPDX-License-Identifier: Apache-2.0
"""Maps: which element of the source each element of the result is."""

from math import prod
from typing import Any, Optional, SupportsIndex

from . import _errors, _pattern
from ._arguments import Integers, View, integer, integers, source
from ._core import Map as CoreMap

Step = tuple[Any, ...]
_MODES = {"blocks_first": False, "depth_first": True}


def depth_first(mode: str) -> bool:
    try:
        return _MODES[mode]
    except (KeyError, TypeError):
        raise _errors.ArgumentError(f'mode is {mode!r}: pass "blocks_first" or "depth_first"') from None


class Map:
    """Which element of the source each element of the result is. A map has no memory and no device.

    Each method returns another map, with one more operator. A chain of them is one map, and runs at once:

    >>> import clmove
    >>> m = clmove.Map((1, 3, 8, 8), 4).space_to_depth(2).permute((0, 2, 3, 1))
    >>> m.shape
    (1, 4, 4, 12)
    """

    __slots__ = ("_core", "_itemsize", "_source", "_steps")
    _core: CoreMap
    _itemsize: int
    _source: tuple[int, ...]
    _steps: tuple[Step, ...]

    def __init__(self, shape: Integers, itemsize: SupportsIndex) -> None:
        """A map that changes nothing: for a shape, and elements of itemsize bytes."""
        self._source, self._itemsize, self._steps = integers(shape, "shape"), integer(itemsize, "itemsize"), ()
        if not 1 <= self._itemsize < 2**29:
            raise _errors.ArgumentError(f"itemsize is {self._itemsize}: pass 1 to {2**29 - 1} bytes")
        self._core = CoreMap(self._itemsize * 8, self._source)

    @classmethod
    def like(cls, x: Any) -> "Map":
        """A map for arrays of the shape and item size of x.

        >>> import clmove, numpy
        >>> clmove.Map.like(numpy.zeros((2, 3), "f4"))
        Map((2, 3), 4)
        """
        array = source(x)
        return cls(array.shape, array.dtype.itemsize)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return self._core.shape

    @property
    def source_shape(self) -> tuple[int, ...]:
        """The shape of the source."""
        return self._source

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self._itemsize

    def _then(self, *steps: Step) -> "Map":
        made = object.__new__(Map)
        made._source, made._itemsize, made._steps = self._source, self._itemsize, self._steps + steps
        made._core = self._core.copy()
        for name, *arguments in steps:
            getattr(made._core, name)(*arguments)
        return made

    def tile(self, reps: Integers) -> "Map":
        """Repeats along each dimension, as numpy.tile does: the shorter of shape and reps gets 1s in front.

        >>> import clmove
        >>> clmove.Map((2, 3), 4).tile((2, 1, 2)).shape
        (2, 2, 6)
        """
        reps = integers(reps, "reps")
        if any(each < 0 for each in reps):
            raise _errors.ShapeError(f"reps is {reps}: a repeat is at least 0")
        return self._then(("tile", reps))

    def space_to_depth(self, block: SupportsIndex, mode: str = "blocks_first") -> "Map":
        """Moves blocks of the spatial dimensions into depth: [N, C, D1 .. DK] becomes [N, C * block**K, D1 / block ..].

        The new depth is [block .. block, C] in the mode "blocks_first", and [C, block .. block] in "depth_first".
        """
        return self._then(("space_to_depth", integer(block, "block"), depth_first(mode)))

    def depth_to_space(self, block: SupportsIndex, mode: str = "blocks_first") -> "Map":
        """The inverse of space_to_depth: [N, C, D1 .. DK] becomes [N, C / block**K, D1 * block ..]."""
        return self._then(("depth_to_space", integer(block, "block"), depth_first(mode)))

    def permute(self, order: Integers) -> "Map":
        """Dimension i of the result is dimension order[i]; a negative one counts from the end, as in numpy.transpose.

        >>> import clmove
        >>> clmove.Map((2, 3, 4), 1).permute((2, 0, -2)).shape
        (4, 2, 3)
        """
        rank = len(self.shape)
        return self._then(("permute", tuple(each + rank if -rank <= each < 0 else each for each in integers(order, "order"))))

    def reshape(self, shape: Integers) -> "Map":
        """Another shape with the same elements in the same order; one dimension may be -1.

        UnsupportedError: the shape cuts across dimensions that an earlier step separated. Run the map up to this step, and
        begin another map there.
        """
        return self._then(("reshape", integers(shape, "shape")))

    def broadcast_to(self, shape: Integers) -> "Map":
        """Dimensions of 1 become larger, as numpy.broadcast_to makes them."""
        return self._then(("expand", integers(shape, "shape")))

    def rearrange(self, pattern: str, **sizes: SupportsIndex) -> "Map":
        """A pattern of einops. The sizes are those of names that the shape does not tell.

        >>> import clmove
        >>> clmove.Map((1, 3, 8, 8), 4).rearrange("n c (h a) (w b) -> n (a b c) h w", a=2, b=2).shape
        (1, 12, 4, 4)
        """
        if not isinstance(pattern, str):
            raise TypeError(f'pattern is {pattern!r}: pass a string such as "n c h w -> n h w c"')
        return self._rearrange(pattern, tuple((name, integer(size, name)) for name, size in sizes.items()))

    def _rearrange(self, pattern: str, sizes: tuple[tuple[str, int], ...]) -> "Map":
        for name, size in sizes:
            if size < 0:
                raise _errors.ShapeError(f"{name} is {size}: a size is at least 0")
        first, order, last = _pattern.steps(pattern, self.shape, dict(sizes))
        return self._then(("reshape", tuple(first)), ("permute", tuple(order)), ("reshape", tuple(last)))

    def _repeat(self, repeats: int, axis: Optional[int]) -> "Map":
        """Each element along axis, or all in their order, repeats times in a row."""
        dims = self.shape if axis is not None else (prod(self.shape),)
        front, (dim, *rest) = dims[:axis or 0], dims[axis or 0:]
        return self._then(("reshape", (*front, dim, 1, *rest)), ("expand", (*front, dim, repeats, *rest)),
                          ("reshape", (*front, dim * repeats, *rest)))

    def _with_views(self, src: Optional[View], dst: Optional[View]) -> CoreMap:
        """The same map between strided arrays."""
        made = CoreMap(self._itemsize * 8, self._source)
        if src:
            made.view_src(*src)
        for name, *arguments in self._steps:
            getattr(made, name)(*arguments)
        if dst:
            made.view_dst(*dst)
        return made

    @classmethod
    def _of_steps(cls, shape: tuple[int, ...], itemsize: int, steps: tuple[Step, ...]) -> "Map":
        return cls(shape, itemsize)._then(*steps)

    def __reduce__(self) -> tuple[Any, ...]:
        return Map._of_steps, (self._source, self._itemsize, self._steps)

    def __eq__(self, other: object) -> bool:
        """Of the same source, by the same steps. Other steps may have the same effect."""
        if not isinstance(other, Map):
            return NotImplemented
        return (self._source, self._itemsize, self._steps) == (other._source, other._itemsize, other._steps)

    def __hash__(self) -> int:
        return hash((self._source, self._itemsize, self._steps))

    def __repr__(self) -> str:
        def text(name: str, arguments: list[Any]) -> str:
            if name in ("space_to_depth", "depth_to_space"):
                arguments = [arguments[0], *("depth_first" for each in arguments[1:] if each)]
            return f".{'broadcast_to' if name == 'expand' else name}({', '.join(map(repr, arguments))})"

        return f"Map({self._source}, {self._itemsize})" + "".join(text(name, arguments) for name, *arguments in self._steps)
