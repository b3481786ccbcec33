# SPDX-License-Identifier: Apache-2.0
"""Patterns against what they mean, written with NumPy, and against einops where it is installed."""

import clmove
import pytest
from oracle import noise, same, space_to_depth

X = noise((2, 3, 4, 6), "f4")
PATTERNS = [
    ("n c h w -> n c h w", {}, lambda x: x),
    ("n c h w -> n h w c", {}, lambda x: x.transpose(0, 2, 3, 1)),
    ("n c h w -> (n c h w)", {}, lambda x: x.reshape(-1)),
    ("n c (h a) (w b) -> n (a b c) h w", {"a": 2, "b": 2}, lambda x: space_to_depth(x, 2, "blocks_first")),
    ("n c (h a) (w b) -> n (c a b) h w", {"a": 2, "b": 2}, lambda x: space_to_depth(x, 2, "depth_first")),
    ("n c (h a) (w b) -> n (a b c) h w", {"h": 2, "b": 3}, lambda x: x.reshape(2, 3, 2, 2, 2, 3).transpose(0, 3, 5, 1, 2, 4).reshape(2, 18, 2, 2)),
    ("n ... w -> w n ...", {}, lambda x: x.transpose(3, 0, 1, 2)),
    ("... -> (...)", {}, lambda x: x.reshape(-1)),
    ("n ... -> n (...)", {}, lambda x: x.reshape(2, -1)),
    ("a b c d ... -> d c b a ...", {}, lambda x: x.transpose(3, 2, 1, 0)),
    ("n c h w -> n 1 (h w) () c", {}, lambda x: x.reshape(2, 3, 24).transpose(0, 2, 1).reshape(2, 1, 24, 1, 3)),
    ("n  c h(w v)->  (v n)c  h w", {"v": 3}, lambda x: x.reshape(2, 3, 4, 2, 3).transpose(4, 0, 1, 2, 3).reshape(6, 3, 4, 2)),
    ("n (c one) h w -> n c h w one", {"one": 1}, lambda x: x.reshape(2, 3, 4, 6, 1)),
    ("n c (h 1) w -> n c h w", {}, lambda x: x),
]


@pytest.mark.parametrize("pattern, sizes, meaning", PATTERNS, ids=[each[0] for each in PATTERNS])
def test_patterns(device, pattern, sizes, meaning):
    same(clmove.rearrange(X, pattern, device=device, **sizes), meaning(X))
    fortran = X.copy(order="F")
    same(clmove.rearrange(fortran, pattern, device=device, **sizes), meaning(X))
    made = clmove.Map.like(X).rearrange(pattern, **sizes)
    same(device.plan(made).run(X), meaning(X))


@pytest.mark.parametrize("pattern, sizes", [each[:2] for each in PATTERNS], ids=[each[0] for each in PATTERNS])
def test_einops(pattern, sizes):
    einops = pytest.importorskip("einops")
    same(clmove.rearrange(X, pattern, device="host", **sizes), einops.rearrange(X, pattern, **sizes))


def test_unit_dimensions(device):
    x = noise((1, 3, 1, 4), "u1")
    same(clmove.rearrange(x, "1 c 1 w -> w c", device=device), x[0, :, 0].T)
    same(clmove.rearrange(x, "() c () w -> (w c)", device=device), x[0, :, 0].T.reshape(-1))


@pytest.mark.parametrize("pattern, sizes, error, text", [
    ("n c h w", {}, clmove.ArgumentError, 'one "->"'),
    ("n c h w -> n c -> h w", {}, clmove.ArgumentError, 'one "->"'),
    ("n c h w -> n c h", {}, clmove.ArgumentError, '"w" stands on one side alone'),
    ("n c h w -> n c h w v", {}, clmove.ArgumentError, '"v" stands on one side alone'),
    ("n c h h -> n c h", {}, clmove.ArgumentError, '"h" stands twice'),
    ("n c h w -> n (c (h w))", {}, clmove.ArgumentError, "do not nest"),
    ("n c h w -> n (c h w", {}, clmove.ArgumentError, 'without "\\)"'),
    ("n c h w -> n c h w)", {}, clmove.ArgumentError, 'without "\\("'),
    ("n c h 2 -> n c h 2", {}, clmove.ArgumentError, "no name"),
    ("n c h+w -> n c h w", {}, clmove.ArgumentError, "has no meaning"),
    ("n (c ...) -> n c ...", {}, clmove.ArgumentError, "no parentheses"),
    ("n ... -> n", {}, clmove.ArgumentError, "one side alone"),
    ("n c h (w a b) -> n c h w a b", {"w": 2}, clmove.ArgumentError, "pass the sizes of b"),
    ("n c h w -> n c h w", {"v": 2}, clmove.ArgumentError, "there is no v"),
    ("n c h -> n c h", {}, clmove.ShapeError, "3 dimensions"),
    ("a b c d e ... -> a b c d e ...", {}, clmove.ShapeError, "dimensions"),
    ("n c (h a) w -> n c h a w", {"a": 3}, clmove.ShapeError, "a dimension of 4"),
    ("n c h w -> n c h w", {"h": 5}, clmove.ShapeError, "a dimension of 4"),
    ("n c (h a) w -> n c h a w", {"a": 0}, clmove.ShapeError, "is 0"),
    ("n c (h a) w -> n c h a w", {"a": -2}, clmove.ShapeError, "at least 0"),
    ("n 1 h w -> n h w", {}, clmove.ShapeError, "a dimension of 3"),
    ("n c h w -> n c h w", {"h": 2**70}, clmove.SizeError, "63 bits"),
    ("n c (h a) w -> n c h a w", {"a": 2.0}, TypeError, "pass an integer"),
    (3, {}, TypeError, "pass a string"),
])
def test_errors(pattern, sizes, error, text):
    with pytest.raises(error, match=text):
        clmove.rearrange(X, pattern, device="host", **sizes)
