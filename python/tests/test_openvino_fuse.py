# SPDX-License-Identifier: Apache-2.0
"""clmove.openvino.fuse: which chains it finds, what it puts in their place, and what it leaves alone."""

import clmove.openvino
import numpy as np
import openvino
import pytest
from openvino import opset13 as op
from openvino import opset15
from openvino_models import ROWS, integers, reshape, transpose
from oracle import noise

EXACT = {"INFERENCE_PRECISION_HINT": "f32"}


@pytest.fixture(scope="module")
def core():
    made = openvino.Core()
    made.add_extension(clmove.openvino.extension())
    return made


def data_for(shape, kind):
    shape = tuple(shape)
    return noise(shape, "u1") if kind == openvino.Type.u8 else np.random.default_rng(4).standard_normal(shape).astype("f4")


def result(core, model, x):
    return core.compile_model(model, "CPU", EXACT)(x)[0].copy()


def moves(model):
    return [each for each in model.get_ordered_ops() if each.get_type_name() == "Move"]


def fuse_all(model, **options):
    return clmove.openvino.fuse(model, min_bytes=0, measure=False, device="host", **options)


@pytest.mark.parametrize("batch", [2, -1])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.make.__name__)
def test_models(core, row, batch):
    model, steps = row.make(batch, *row.small)
    x = data_for([2] + [each.get_length() for each in list(model.input(0).partial_shape)[1:]], model.input(0).element_type)
    expected, names, shape = result(core, model, x), model.output(0).names, model.output(0).partial_shape
    chains = fuse_all(model)
    assert [chain.steps for chain in chains] == steps and all(chain.replaced for chain in chains)
    assert [node.get_attributes()["steps"] for node in moves(model)] == steps
    assert [node.get_friendly_name() for node in moves(model)] == [chain.names[-1] for chain in chains]
    assert (model.output(0).names, model.output(0).partial_shape) == (names, shape)
    assert {each.get_type_name() for each in model.get_ops()}.isdisjoint({"SpaceToDepth", "DepthToSpace", "ShuffleChannels", "Broadcast"})
    actual = result(core, model, x)
    assert actual.tobytes() == expected.tobytes() and np.isfinite(actual).all() and actual.any()
    assert fuse_all(model) == []


def one(op_of, shape, kind=np.float32):
    x = op.parameter(shape, kind)
    return openvino.Model([op.relu(op_of(x))], [x])


@pytest.mark.parametrize("make, shape, steps", [
    (lambda x: op.tile(x, integers(2, 1, 3)), [2, 3, 5], "tile 2,1,3"),
    (lambda x: op.transpose(x, op.constant(np.array([], "i8"))), [2, 3, 5], "permute 2,1,0"),
    (lambda x: op.broadcast(x, integers(4, 2, 3)), [2, 1], "expand 4,2,3"),
    (lambda x: op.broadcast(x, integers(4, 1), broadcast_spec="BIDIRECTIONAL"), [2, 1, 3], "expand =,4,="),
    (lambda x: op.broadcast(x, integers(2, 4, 3), integers(0, 2), "EXPLICIT"), [2, 3], "unsqueeze 1; expand 2,4,3"),
    (lambda x: op.squeeze(op.tile(x, integers(1, 2, 2)), integers(0)), [1, 3, 5], "tile 1,2,2; squeeze 0"),
    (lambda x: opset15.squeeze(op.tile(x, integers(1, 2, 2))), [1, 3, 5], "tile 1,2,2; reshape 6,10"),
    (lambda x: op.unsqueeze(op.tile(x, integers(2, 2)), integers(0, -1)), [3, 5], "tile 2,2; unsqueeze 0,-1"),
    (lambda x: op.reshape(op.tile(x, integers(2, 1)), integers(5, -1), False), [3, 5], "tile 2,1; reshape 5,-1"),
    (lambda x: op.space_to_depth(x, "depth_first", 2), [1, 2, 4, 6], "space-to-depth 2:depth_first"),
    (lambda x: op.depth_to_space(x, "blocks_first", 2), [1, 8, 3, 3], "depth-to-space 2:blocks_first"),
    (lambda x: op.shuffle_channels(x, -2, 3), [2, 6, 4], "shuffle-channels 3:-2"),
    (lambda x: transpose(reshape(transpose(x, 1, 0), 2, 6), 1, 0), [4, 3], "permute 1,0; reshape 2,6; permute 1,0"),
])
def test_operators(core, make, shape, steps):
    model = one(make, shape)
    x = data_for(shape, openvino.Type.f32)
    expected = result(core, model, x)
    assert [chain.steps for chain in fuse_all(model)] == [steps]
    assert result(core, model, x).tobytes() == expected.tobytes()


def strided_focus(x):
    """As YOLOv5 writes it: four strided slices, joined."""
    parts = [op.strided_slice(x, integers(0, 0, row, column), integers(0, 0, 0, 0), integers(1, 1, 2, 2), [1, 1, 0, 0], [1, 1, 1, 1])
             for row, column in ((0, 0), (1, 0), (0, 1), (1, 1))]
    return op.concat(parts, 1)


@pytest.mark.parametrize("make, shape", [
    (strided_focus, [1, 3, 8, 8]),
    (lambda x: reshape(x, 0, 12), [2, 3, 4]),  # the plugin does it without a copy
    (lambda x: op.transpose(x, op.add(integers(1, 0), integers(0, 0))), [2, 3]),  # the order is computed
    (lambda x: op.tile(op.constant(np.zeros((2, 3), "f4")), integers(1, 1)), [2, 3]),  # of a constant
    (lambda x: op.broadcast(op.relu(x), op.shape_of(x)), [-1, 3]),  # the shape is computed
])
def test_left_alone(make, shape):
    model = one(make, shape)
    assert fuse_all(model) == [] and not moves(model)


def test_two_readers(core):
    """A result that others read ends a chain."""
    x = op.parameter([2, 3, 4], np.float32)
    turned = transpose(x, 2, 0, 1)
    model = openvino.Model([op.tile(turned, integers(1, 2, 1)), op.relu(turned)], [x])
    data = data_for((2, 3, 4), openvino.Type.f32)
    expected = [each.copy() for each in core.compile_model(model, "CPU", EXACT)(data).values()]
    assert sorted(chain.steps for chain in fuse_all(model)) == ["permute 2,0,1", "tile 1,2,1"]
    for actual, wanted in zip(core.compile_model(model, "CPU", EXACT)(data).values(), expected):
        assert actual.tobytes() == wanted.tobytes()


def test_min_bytes():
    for least, replaced in ((2 * 4 * 60, True), (2 * 4 * 60 + 1, False)):
        model = one(lambda x: transpose(x, 1, 0), [6, 10])
        chain, = clmove.openvino.fuse(model, min_bytes=least, measure=False)
        assert (chain.replaced, chain.bytes, len(moves(model))) == (replaced, 480, int(replaced))
        assert replaced or chain.reason == "it moves 480 bytes, fewer than min_bytes 481"


def test_dynamic_sizes():
    """Dynamic dimensions have the size that the caller says, within their bounds, while chains are judged."""
    for dynamic, bytes in ((1, 2 * 4 * 3), (5, 2 * 4 * 15), (100, 2 * 4 * 24)):
        chain, = fuse_all(one(lambda x: transpose(x, 1, 0), openvino.PartialShape("[1..8,3]")), dynamic=dynamic)
        assert chain.bytes == bytes and chain.replaced


def test_measured(core):
    """A part of the model is measured with its surroundings, and each kind of chain once."""
    x = op.parameter([1, 64, 64, 3], np.uint8)
    y = op.space_to_depth(transpose(x, 0, 3, 1, 2), "blocks_first", 2)
    for _ in range(2):
        y = op.shuffle_channels(op.relu(op.relu(op.relu(op.relu(op.convert(y, "f32"))))), 1, 3)
    model = openvino.Model([op.relu(op.relu(op.relu(op.relu(y))))], [x])
    before = result(core, model, data_for((1, 64, 64, 3), openvino.Type.u8))
    chains = clmove.openvino.fuse(model, min_bytes=0, device="host", config=EXACT)
    assert len(chains) == 3
    for chain in chains:
        assert chain.plugin_seconds > 0 and chain.move_seconds > 0 and "ms" in chain.reason
    assert len(moves(model)) == sum(chain.replaced for chain in chains)
    assert result(core, model, data_for((1, 64, 64, 3), openvino.Type.u8)).tobytes() == before.tobytes()


EVEN = [2.0] * 12
FASTER = [1.0] * 12


@pytest.mark.parametrize("part, whole, replaced, reason", [
    ((EVEN, FASTER), (EVEN, FASTER), True, "with clmove.Move 1000.000 ms, without 2000.000"),
    ((EVEN, [1.99] * 12), (EVEN, FASTER), False, "with clmove.Move 1990.000 ms, without 2000.000"),
    ((FASTER, EVEN), (EVEN, FASTER), False, "with clmove.Move 2000.000 ms, without 1000.000"),
    ((EVEN, FASTER[:8] + EVEN[:4]), (EVEN, FASTER), False, "with clmove.Move 1000.000 ms, without 2000.000"),  # in one third it was not
    ((EVEN, FASTER), (FASTER, EVEN), False, "the model takes 2000.000 ms, without 1000.000"),
])
def test_what_pays(monkeypatch, part, whole, replaced, reason):
    times = [part, whole]

    def compare(core, plugin, config, model, change):
        change(model)
        assert len(moves(model)) == 1
        return times.pop(0)

    monkeypatch.setattr(clmove.openvino, "compare", compare)
    model = one(lambda x: transpose(x, 1, 0), [256, 256])
    chain, = clmove.openvino.fuse(model)
    assert (chain.replaced, len(moves(model))) == (replaced, int(replaced)) and reason in chain.reason


def test_state_and_indices(core):
    """Parts are cut before what has a state, and indices that are noise would be out of range."""
    table = op.constant(np.arange(64, dtype="f4").reshape(16, 4))
    ids = op.parameter([2, 8], np.int64)
    found = op.gather(table, ids, op.constant(0))
    model = openvino.Model([op.relu(op.tile(transpose(found, 0, 2, 1), integers(2, 1, 1)))], [ids])
    data = np.random.default_rng(5).integers(0, 16, (2, 8))
    before = result(core, model, data)
    chain, = clmove.openvino.fuse(model, min_bytes=0, device="host")
    assert chain.plugin_seconds > 0
    assert result(core, model, data).tobytes() == before.tobytes()
