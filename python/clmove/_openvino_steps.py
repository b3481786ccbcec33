# SPDX-License-Identifier: Apache-2.0
"""The operators of an OpenVINO model as steps of clmove.Move, and the chains that they form."""

from dataclasses import dataclass, field
from typing import Optional

from openvino import Model, Node

#: Operators that give a tensor another shape alone. OpenVINO's CPU plugin does these without a copy.
FREE = ("Reshape", "Squeeze", "Unsqueeze")
#: Elements without a width, or with their bits in several places.
_REFUSED_TYPES = ("string", "u3", "u6", "dynamic")


@dataclass
class Chain:
    """Operators that follow each other, the second the only reader of the first, and what became of them."""

    #: The friendly names of the operators.
    names: list[str]
    #: As the attribute of clmove.Move.
    steps: str
    #: Whether clmove.Move is in their place now.
    replaced: bool = False
    #: Why, or why not.
    reason: str = ""
    #: The bytes of the source and of the result. 0: their shapes are not known.
    bytes: int = 0
    #: The part of the model around them, by the plugin's own operators and with clmove.Move. 0: not measured.
    plugin_seconds: float = 0.0
    move_seconds: float = 0.0
    #: Their places in the model's order.
    places: list[int] = field(default_factory=list, repr=False)


def _text(values: list[int]) -> str:
    return ",".join(map(str, values))


def _constant(node: Node, port: int) -> Optional[list[int]]:
    """The numbers of an input, if it is a constant."""
    source = node.input_value(port).get_node()
    if source.get_type_name() != "Constant":
        return None
    return [int(each) for each in source.data.reshape(-1)]


def _static(node: Node) -> Optional[list[int]]:
    """The shape of the result, if all of it is known."""
    shape = node.output(0).get_partial_shape()
    return [int(each.get_length()) for each in shape] if shape.is_static else None


def _rank(node: Node) -> Optional[int]:
    rank = node.input_value(0).get_partial_shape().rank
    return int(rank.get_length()) if rank.is_static else None


def _reshape(node: Node) -> Optional[str]:
    pattern = _constant(node, 1)
    if pattern is None:
        shape = _static(node)
        return None if shape is None else f"reshape {_text(shape)}"
    keeps = node.get_attributes()["special_zero"]
    return "reshape " + ",".join("=" if keeps and each == 0 else str(each) for each in pattern)


def _axes(node: Node) -> Optional[str]:
    """Squeeze and Unsqueeze. Without constant axes, or where axes may be skipped, the shape itself if it is known."""
    name = node.get_type_name().lower()
    axes = _constant(node, 1) if node.get_input_size() > 1 else None
    if axes is not None and not node.get_attributes().get("allow_axis_skip"):
        return f"{name} {_text(axes)}"
    shape = _static(node)
    return None if shape is None else f"reshape {_text(shape)}"


def _broadcast(node: Node) -> Optional[str]:
    """The mode may be numpy, bidirectional or explicit. A target of 1 keeps the dimension, as = does."""
    rank, shape = _rank(node), _static(node)
    target = _constant(node, 1) or shape
    mode = str(node.get_attributes()["mode"])
    if rank is None or target is None or mode not in ("numpy", "bidirectional", "explicit"):
        return None
    if mode == "explicit":
        mapping = _constant(node, 2)
        if mapping is None:
            return None
        new = [axis for axis in range(len(target)) if axis not in mapping]
        return (f"unsqueeze {_text(new)}; " if new else "") + f"expand {_text(target)}"
    wide = [1] * max(rank - len(target), 0) + target
    first = len(wide) - rank
    return "expand " + ",".join("=" if each == 1 and axis >= first else str(each) for axis, each in enumerate(wide))


def _step(node: Node) -> Optional[str]:
    name = node.get_type_name()
    if name in ("SpaceToDepth", "DepthToSpace"):
        attributes = node.get_attributes()
        word = "space-to-depth" if name == "SpaceToDepth" else "depth-to-space"
        return f"{word} {attributes['block_size']}:{attributes['mode']}"
    if name == "ShuffleChannels":
        attributes = node.get_attributes()
        return f"shuffle-channels {attributes['group']}:{attributes['axis']}"
    if name == "Transpose":
        order, rank = _constant(node, 1), _rank(node)
        if order is None or rank is None:
            return None
        return f"permute {_text(order or list(range(rank))[::-1])}"
    if name == "Tile":
        repeats = _constant(node, 1)
        return None if repeats is None else f"tile {_text(repeats)}"
    if name == "Reshape":
        return _reshape(node)
    if name in ("Squeeze", "Unsqueeze"):
        return _axes(node)
    return _broadcast(node) if name == "Broadcast" else None


def step_of(node: Node) -> Optional[str]:
    """What clmove.Move does for this operator, or None."""
    if not node.get_type_info().version_id.startswith("opset") or node.get_output_size() != 1 or not node.get_input_size():
        return None
    if node.get_output_element_type(0).get_type_name() in _REFUSED_TYPES:
        return None
    if node.input_value(0).get_node().get_type_name() == "Constant":
        return None  # the plugin does it once
    return _step(node)


def find_chains(model: Model) -> list[Chain]:
    """The longest chains, without those that copy nothing."""
    nodes = model.get_ordered_ops()
    steps = {place: step for place, step in enumerate(map(step_of, nodes)) if step is not None}
    place_of = {node.get_name(): place for place, node in enumerate(nodes)}
    chains: list[Chain] = []
    taken: set[int] = set()
    for place in steps:
        if place in taken:
            continue
        chain = [place]
        while True:
            readers = nodes[chain[-1]].output(0).get_target_inputs()
            only = next(iter(readers)) if len(readers) == 1 else None
            after = place_of[only.get_node().get_name()] if only is not None and only.get_index() == 0 else None
            if after is None or after not in steps:
                break
            chain.append(after)
        taken.update(chain)
        found = [nodes[each] for each in chain]
        if any(node.get_type_name() not in FREE for node in found):
            chains.append(Chain([node.get_friendly_name() for node in found], "; ".join(steps[each] for each in chain),
                                places=chain))
    return chains
