# SPDX-License-Identifier: Apache-2.0
"""How long a part of a model takes, by OpenVINO's own operators and with clmove.Move."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import openvino
from openvino import CompiledModel, Core, Model, Node, Output, Tensor, opset13

#: Operators on each side of a chain that are measured with it: what the plugin joins with it, and whose layouts it meets.
_DEPTH = 3
#: Never inside of a part: they have a state, a body, or nothing to measure.
_OUTSIDE = ("Parameter", "Result", "ReadValue", "Assign", "Loop", "If", "TensorIterator")
_SECONDS = 0.15
_LEAST_RUNS = 12
#: A turn lasts about so many seconds.
_TURN, _MOST_IN_TURN = 0.003, 50

#: What is done to a model between two measurements.
Change = Callable[[Model], None]


def _size(dim: Any, dynamic: int) -> int:
    if dim.is_static:
        return int(dim.get_length())
    most = int(dim.get_max_length())  # -1: any
    return max(min(dynamic, most) if most >= 0 else dynamic, int(dim.get_min_length()))


def static_copy(model: Model, dynamic: int) -> Model:
    """A copy in which each dynamic dimension of an input has this size, as far as its bounds allow."""
    copy = model.clone()
    shapes = {}
    for at, given in enumerate(copy.inputs):
        shapes[at] = openvino.PartialShape([_size(dim, dynamic) for dim in given.get_partial_shape()])
    if any(each.get_partial_shape().is_dynamic for each in copy.inputs):
        copy.reshape(shapes)
    return copy


def _readers(node: Node) -> Iterator[Node]:
    for output in node.outputs():
        for each in output.get_target_inputs():
            yield each.get_node()


def _is_constant(node: Node) -> bool:
    """Weights, also those that are converted first."""
    inputs = node.inputs()
    return node.get_type_name() == "Constant" or bool(inputs) and all(_is_constant(each.get_source_output().get_node()) for each in inputs)


def _around(nodes: list[Node], depth: int) -> dict[str, Node]:
    """The nodes and their neighbours, by name."""
    part = {node.get_name(): node for node in nodes}
    above, below = [nodes[0]], [nodes[-1]]
    for _ in range(depth):
        above = [each.get_source_output().get_node() for node in above for each in node.inputs()]
        above = [node for node in above if node.get_type_name() not in _OUTSIDE and not _is_constant(node)]
        below = [node for each in below for node in _readers(each) if node.get_type_name() not in _OUTSIDE]
        part.update((node.get_name(), node) for node in above + below)
    return part


def cut_out(nodes: list[Node], depth: int = _DEPTH) -> Model:
    """A model of these nodes and of their neighbours; the model that they were in is of no use any more."""
    part = _around(nodes, depth)
    parameters: dict[tuple[str, int], Node] = {}
    results: list[Output] = []
    for node in part.values():
        for output in node.outputs():
            if any(reader.get_name() not in part for reader in _readers(node)) and output.get_target_inputs():
                results.append(output)
    for node in part.values():
        for each in node.inputs():
            source = each.get_source_output()
            before = source.get_node()
            if before.get_name() in part or _is_constant(before):
                continue
            key = (before.get_name(), source.get_index())
            if key not in parameters:
                parameters[key] = opset13.parameter(source.get_partial_shape(), source.get_element_type())
            each.replace_source_output(parameters[key].output(0))
    return Model(results, list(parameters.values()), "part")


def signature(nodes: list[Node]) -> str:
    """Equal for parts that take equal time."""
    lines = []
    for node in _around(nodes, _DEPTH).values():
        shapes = [f"{each.get_element_type()}{each.get_partial_shape()}" for each in node.inputs()]
        lines.append(f"{node.get_type_name()} {shapes} {node.get_attributes()}")
    return "\n".join(lines)


def _tensor(given: Any) -> Tensor:
    """Small numbers of noise, and zeros for integers, which may be indices."""
    tensor = Tensor(given.get_element_type(), given.get_shape())
    if tensor.data.dtype.kind == "f":
        tensor.data[...] = np.random.default_rng(1).standard_normal(tensor.shape).astype(tensor.data.dtype)
    else:
        tensor.data[...] = 0
    return tensor


def seconds_of(compiled: list[CompiledModel], seconds: float = _SECONDS) -> list[list[float]]:
    """The time of each run of each. They take turns, so that other work on the machine disturbs all alike.

    A turn is several runs, and the first of them do not count: the plugin's threads stay with the last model for a while, and its
    tensors are in their caches. Results are not copied to NumPy's memory, which takes longer than many chains.
    """
    requests = [each.create_infer_request() for each in compiled]
    for model, request in zip(compiled, requests):
        for at, given in enumerate(model.inputs):
            request.set_input_tensor(at, _tensor(given))
        _run(request)
    counted = max(1, min(_MOST_IN_TURN, int(_TURN / max(map(_run, requests)))))
    runs: list[list[float]] = [[] for _ in requests]
    end = time.perf_counter() + seconds
    while len(runs[0]) < _LEAST_RUNS or time.perf_counter() < end:
        for at, request in enumerate(requests):
            for _ in range(counted // 2):
                _run(request)
            runs[at] += [_run(request) for _ in range(counted)]
    return runs


def _run(request: Any) -> float:
    begun = time.perf_counter()
    request.infer(share_outputs=True)
    return time.perf_counter() - begun


def compare(core: Core, plugin: str, config: dict[str, Any], model: Model, change: Change) -> list[list[float]]:
    """The seconds of each run of a model before and after it is changed."""
    before = core.compile_model(model, plugin, config)
    change(model)
    return seconds_of([before, core.compile_model(model, plugin, config)])


def ratios(before: list[float], after: list[float]) -> list[float]:
    """The time after by the time before, of the fastest runs in the first, second and last third: what other work on the machine
    does to one third says nothing of the others."""
    third = len(before) // 3
    return [min(after[at:at + third]) / min(before[at:at + third]) for at in (0, third, 2 * third)]
