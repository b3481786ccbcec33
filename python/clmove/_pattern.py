# SPDX-License-Identifier: Apache-2.0
"""einops' patterns, as a reshape, a permutation and another reshape."""

import re
from collections.abc import Mapping
from math import prod
from typing import Optional

from . import _errors

_TOKEN = re.compile(r"\s*(\.\.\.|[()]|\w+)")
#: A group is a list of names. "..." is the group of a "..." without parentheses, and REST a name for one within them.
REST = "(...)"
Groups = list[list[str]]


def _parse(side: str, pattern: str) -> Groups:
    groups: Groups = []
    group: Optional[list[str]] = None
    at = 0
    side = side.rstrip()
    while at < len(side):
        found = _TOKEN.match(side, at)
        if not found:
            raise _errors.ArgumentError(f'"{pattern}": "{side[at:].strip()[0]}" has no meaning here')
        at, token = found.end(), found.group(1)
        if token == "(":
            if group is not None:
                raise _errors.ArgumentError(f'"{pattern}": parentheses do not nest')
            group = []
        elif token == ")":
            if group is None:
                raise _errors.ArgumentError(f'"{pattern}": a ")" without "("')
            groups.append(group)
            group = None
        elif not (token in ("...", "1") or token.isidentifier()):
            raise _errors.ArgumentError(f'"{pattern}": "{token}" is no name; of numbers, 1 alone is allowed')
        elif group is None:
            groups.append([token] if token != "1" else [])
        elif token != "1":
            group.append(REST if token == "..." else token)
    if group is not None:
        raise _errors.ArgumentError(f'"{pattern}": a "(" without ")"')
    return groups


def _names(groups: Groups, pattern: str) -> list[str]:
    names = ["..." if name == REST else name for group in groups for name in group]
    for name in names:
        if names.count(name) > 1:
            raise _errors.ArgumentError(f'"{pattern}": "{name}" stands twice on one side')
    return names


def _spread(groups: Groups, rest: int) -> Groups:
    """With names in the place of "...", one for each dimension."""
    names = [f"{number}" for number in range(rest)]
    spread: Groups = []
    for group in groups:
        if group == ["..."]:
            spread += [[name] for name in names]
        else:
            spread.append([each for name in group for each in (names if name == REST else [name])])
    return spread


def _split(group: list[str], dim: int, sizes: dict[str, int], pattern: str) -> None:
    """Gives each name of a group its size, of which one may be unknown."""
    unknown = [name for name in group if name not in sizes]
    known = prod(sizes[name] for name in group if name in sizes)
    text = " ".join(group) or "1"
    if len(unknown) > 1:
        raise _errors.ArgumentError(f'"{pattern}": pass the sizes of {" and ".join(unknown[1:])}, or of others in ({text})')
    if unknown and known == 0:
        raise _errors.ShapeError(f'"{pattern}": a size in ({text}) is 0, so that {unknown[0]} is not known')
    if dim % known if unknown else dim != known:
        raise _errors.ShapeError(f'"{pattern}": a dimension of {dim} is not ({text}) with {known} '
                                 f'{"times any size" if unknown else "elements"}')
    if unknown:
        sizes[unknown[0]] = dim // known


def steps(pattern: str, shape: tuple[int, ...], given: Mapping[str, int]) -> tuple[list[int], list[int], list[int]]:
    """The first shape, the order, and the last shape."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise _errors.ArgumentError(f'"{pattern}": a pattern has one "->", as in "n c h w -> n (c h) w"')
    left, right = _parse(sides[0], pattern), _parse(sides[1], pattern)
    if any(REST in group for group in left):
        raise _errors.ArgumentError(f'"{pattern}": "..." stands in no parentheses before "->"')
    before, after = _names(left, pattern), _names(right, pattern)
    for name in sorted({*before} ^ {*after}):
        raise _errors.ArgumentError(f'"{pattern}": "{name}" stands on one side alone')
    for name in given:
        if name not in before:
            raise _errors.ArgumentError(f'"{pattern}": there is no {name}, whose size is passed')
    rest = len(shape) - len(left) + 1 if ["..."] in left else 0
    if rest < 0 or ["..."] not in left and len(left) != len(shape):
        raise _errors.ShapeError(f'"{pattern}": {len(left)} dimensions stand before "->", and the array has {len(shape)}')
    left, right = _spread(left, rest), _spread(right, rest)
    sizes = dict(given)
    for group, dim in zip(left, shape):
        _split(group, dim, sizes, pattern)
    before = [name for group in left for name in group]
    order = [before.index(name) for group in right for name in group]
    return [sizes[name] for name in before], order, [prod(sizes[name] for name in group) for group in right]
