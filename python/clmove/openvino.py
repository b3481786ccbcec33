# SPDX-License-Identifier: Apache-2.0
"""OpenVINO: the operator clmove.Move, which is any chain of moving operators as one node, and a pass that puts it into models.

>>> import numpy, openvino, clmove.openvino
>>> from openvino import opset13
>>> x = opset13.parameter([-1, 3, 64, 64], numpy.float32)
>>> model = openvino.Model([clmove.openvino.move(x, "space-to-depth 2:blocks_first; permute 0,2,3,1", device="host")], [x])
>>> core = openvino.Core()
>>> core.add_extension(clmove.openvino.extension())
>>> compiled = core.compile_model(model, "CPU")
>>> model.output(0).partial_shape
<PartialShape: [?,32,32,12]>
"""

import importlib.resources
import threading
from collections.abc import Callable
from math import prod
from typing import Any, Optional, Union

import openvino
from openvino import Core, Model, Node, Output
from openvino.utils import replace_node
from openvino.utils.node_factory import NodeFactory

from . import _errors
from ._openvino_measure import Change, compare, cut_out, ratios, signature, static_copy
from ._openvino_steps import Chain, find_chains

__all__ = ["Chain", "extension", "find_chains", "fuse", "move", "nodes_of", "replace"]

_FILE = "libclmove_openvino.so"
#: A part with clmove.Move must be this much faster before it is kept, and a whole model may be this much slower by chance.
_GAIN, _NOISE = 0.03, 0.02
_lock = threading.Lock()
_factory: Optional[NodeFactory] = None


def extension() -> str:
    """The path of the extension, for openvino.Core.add_extension.

    UnsupportedError: this clmove was built where there was no OpenVINO.
    """
    path = importlib.resources.files("clmove") / _FILE
    if not path.is_file():
        raise _errors.UnsupportedError("this clmove was built without OpenVINO: install openvino first, then build clmove again, "
                                       "by pip install --force-reinstall --no-deps of its checkout")
    return str(path)


def _nodes() -> NodeFactory:
    global _factory
    with _lock:
        if _factory is None:
            made = NodeFactory()
            try:
                made.add_extension(extension())
            except RuntimeError as why:
                if isinstance(why, _errors.Error):
                    raise
                raise _errors.UnsupportedError(f"the extension was built for another OpenVINO than {openvino.__version__}, which is "
                                               f"installed: build clmove again. OpenVINO says: {why}") from None
            _factory = made
        return _factory


def move(x: Union[Node, Output], steps: str, device: str = "") -> Node:
    """The operator clmove.Move: steps such as "space-to-depth 2:blocks_first; permute 0,2,3,1; reshape =,-1,12", in this order.

    device is "host", "cpu", "gpu", "auto", an index or a part of a name; "" is what CLMOVE_DEVICE says, or auto. A step that is
    wrong raises ArgumentError.
    """
    if not isinstance(steps, str) or not isinstance(device, str):
        raise TypeError(f"steps is {steps!r} and device {device!r}: pass two strings")
    source = x.output(0) if isinstance(x, Node) else x
    factory = _nodes()
    try:
        return factory.create("Move", [source], {"steps": steps, "device": device})
    except RuntimeError as why:
        sentence = str(why).partition("clmove.Move")[2] or f": {why}"
        raise _errors.ArgumentError("clmove.Move" + sentence.strip("\n")) from None


def fuse(model: Model, min_bytes: int = 65536, *, measure: bool = True, dynamic: int = 1, device: str = "", plugin: str = "CPU",
         config: Optional[dict[str, Any]] = None, core: Optional[Core] = None) -> list[Chain]:
    """Puts clmove.Move into the place of chains of Tile, Broadcast, Reshape, Squeeze, Unsqueeze, Transpose, SpaceToDepth,
    DepthToSpace and ShuffleChannels, where that is faster. The model is changed; the list says what became of each chain.

    A chain whose source and result have fewer than min_bytes together is left alone. The others are measured with the
    operators around them, as the plugin compiles them with this config. At the end the whole model is measured, and is left as
    it was if it would be slower. measure=False replaces chains without this. While they are measured, dynamic dimensions of
    the model's inputs have the size dynamic.
    """
    return _Pass(model, min_bytes, measure, dynamic, device, plugin, config or {}, core or Core()).run()


class _Pass:
    def __init__(self, model: Model, min_bytes: int, measure: bool, dynamic: int, device: str, plugin: str, config: dict[str, Any],
                 core: Core) -> None:
        core.add_extension(extension())
        self.model, self.min_bytes, self.measure, self.dynamic, self.device = model, min_bytes, measure, dynamic, device
        self.time: Callable[[Model, Change], list[list[float]]] = lambda part, change: compare(core, plugin, config, part, change)
        self.known: dict[str, list[list[float]]] = {}
        self.static: Optional[Model] = None

    def run(self) -> list[Chain]:
        chains = find_chains(self.model)
        if chains:
            try:
                self.static = static_copy(self.model, self.dynamic)
            except RuntimeError:  # the model allows no such shapes
                pass
        for chain in chains:
            self.judge(chain)
        wanted = [chain for chain in chains if chain.replaced]
        if wanted and self.measure:
            self.judge_all(wanted)
        _replace_all(self.model, [chain for chain in wanted if chain.replaced], self.device)
        return chains

    def judge(self, chain: Chain) -> None:
        if self.static is not None:
            nodes = nodes_of(self.static, chain)
            chain.bytes = sum(each.get_element_type().bitwidth * prod(each.get_shape()) // 8
                              for each in (nodes[0].input_value(0), nodes[-1].output(0)) if each.get_partial_shape().is_static)
        if not _fits(nodes_of(self.model, chain), chain.steps, self.device):
            chain.reason = "clmove.Move would know less of its shape"
        elif self.static is None or not chain.bytes:
            chain.reason = "its shapes are not known: pass another size for dynamic"
            chain.replaced = not self.measure
        elif chain.bytes < self.min_bytes:
            chain.reason = f"it moves {chain.bytes} bytes, fewer than min_bytes {self.min_bytes}"
        elif not self.measure:
            chain.replaced, chain.reason = True, "without a measurement"
        else:
            self.judge_by_time(chain)

    def judge_by_time(self, chain: Chain) -> None:
        static = static_copy(self.model, self.dynamic)
        nodes = nodes_of(static, chain)
        key = signature(nodes)
        if key not in self.known:
            self.known[key] = self.time(cut_out(nodes), lambda part: replace(nodes, chain.steps, self.device))
        before, after = self.known[key]
        chain.plugin_seconds, chain.move_seconds = min(before), min(after)
        chain.replaced = max(ratios(before, after)) < 1 - _GAIN
        chain.reason = f"with clmove.Move {chain.move_seconds * 1e3:.3f} ms, without {chain.plugin_seconds * 1e3:.3f}"

    def judge_all(self, wanted: list[Chain]) -> None:
        whole = static_copy(self.model, self.dynamic)
        before, after = self.time(whole, lambda model: _replace_all(model, wanted, self.device))
        if min(ratios(before, after)) > 1 or min(after) > min(before) * (1 + _NOISE):
            for chain in wanted:
                chain.replaced = False
                chain.reason += f"; with all of them the model takes {min(after) * 1e3:.3f} ms, without {min(before) * 1e3:.3f}"


def nodes_of(model: Model, chain: Chain) -> list[Node]:
    """The operators of a chain, in the model in which it was found or in a copy of that."""
    nodes = model.get_ordered_ops()
    return [nodes[place] for place in chain.places]


def replace(nodes: list[Node], steps: str, device: str = "") -> None:
    """Puts one clmove.Move into the place of the operators of a chain."""
    made = move(nodes[0].input_value(0), steps, device)
    made.set_friendly_name(nodes[-1].get_friendly_name())
    replace_node(nodes[-1], made)


def _fits(nodes: list[Node], steps: str, device: str) -> bool:
    """Whether the operator gives a shape that is as well known as before."""
    try:
        made = move(nodes[0].input_value(0), steps, device)
    except _errors.ArgumentError:
        return False
    return bool(made.get_output_partial_shape(0) == nodes[-1].get_output_partial_shape(0))


def _replace_all(model: Model, chains: list[Chain], device: str) -> None:
    for nodes, chain in [(nodes_of(model, chain), chain) for chain in chains]:
        replace(nodes, chain.steps, device)
    model.validate_nodes_and_infer_types()
