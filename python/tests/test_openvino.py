# SPDX-License-Identifier: Apache-2.0
"""The operator clmove.Move in OpenVINO's CPU plugin: its attributes, shapes, types, threads, and models as IR."""

import ctypes
import os
import subprocess
import sys

import clmove
import clmove.openvino
import numpy as np
import openvino
import oracle
import pytest
from openvino import opset13 as op
from oracle import noise, same

EXACT = {"INFERENCE_PRECISION_HINT": "f32"}


@pytest.fixture(scope="module")
def core():
    made = openvino.Core()
    made.add_extension(clmove.openvino.extension())
    return made


def model_of(steps, shape, dtype, device):
    x = op.parameter(shape, dtype)
    return openvino.Model([clmove.openvino.move(x, steps, device)], [x], "move")


def compile_move(core, steps, shape, dtype=np.float32, device="host"):
    return core.compile_model(model_of(steps, shape, dtype, device), "CPU", EXACT)


def shuffled(x, groups, axis):
    split = x.reshape(x.shape[:axis] + (groups, x.shape[axis] // groups) + x.shape[axis + 1:])
    return np.swapaxes(split, axis, axis + 1).reshape(x.shape)


STEPS = [
    ("", (2, 3), lambda x: x),
    ("tile 2,1,3", (2, 3, 5), lambda x: np.tile(x, (2, 1, 3))),
    ("tile 3", (2, 5), lambda x: np.tile(x, 3)),
    ("tile 2,1,1", (4, 5), lambda x: np.tile(x, (2, 1, 1))),
    ("tile 0,2", (2, 3), lambda x: np.tile(x, (0, 2))),
    ("permute 2,0,1", (2, 3, 5), lambda x: x.transpose(2, 0, 1)),
    ("reshape 5,-1", (2, 3, 5), lambda x: x.reshape(5, 6)),
    ("reshape =,15", (2, 3, 5), lambda x: x.reshape(2, 15)),
    ("expand 4,3,=", (1, 7), lambda x: np.broadcast_to(x, (4, 3, 7))),
    ("squeeze 0,-1", (1, 3, 1, 1), lambda x: x.reshape(3, 1)),
    ("squeeze", (1, 3, 1, 2), lambda x: x.reshape(3, 2)),
    ("unsqueeze 1,-1", (2, 3), lambda x: x.reshape(2, 1, 3, 1)),
    ("space-to-depth 2:blocks_first", (2, 3, 4, 6), lambda x: oracle.space_to_depth(x, 2, "blocks_first")),
    ("space-to-depth 3:depth_first", (1, 2, 6, 3, 9), lambda x: oracle.space_to_depth(x, 3, "depth_first")),
    ("depth-to-space 2:blocks_first", (2, 12, 3, 5), lambda x: oracle.depth_to_space(x, 2, "blocks_first")),
    ("depth-to-space 2:depth_first", (1, 8, 3), lambda x: oracle.depth_to_space(x, 2, "depth_first")),
    ("shuffle-channels 4:1", (2, 12, 3), lambda x: shuffled(x, 4, 1)),
    ("shuffle-channels 3:-1", (2, 12), lambda x: shuffled(x, 3, 1)),
    (" space-to-depth 2:blocks_first ;permute 0, 2,3,1;  tile 2,1,1,1", (1, 3, 4, 6),
     lambda x: np.tile(oracle.space_to_depth(x, 2, "blocks_first").transpose(0, 2, 3, 1), (2, 1, 1, 1))),
    # no single map: the reshape cuts across what was exchanged
    ("permute 1,0; reshape 2,6; permute 1,0; reshape 3,4", (4, 3), lambda x: x.T.reshape(2, 6).T.reshape(3, 4)),
]


@pytest.mark.parametrize("device", ["host", "cpu"])
@pytest.mark.parametrize("steps, shape, expected", STEPS)
def test_steps(core, device, steps, shape, expected):
    compiled = compile_move(core, steps, shape, device=device)
    x = noise(shape, "i4").astype("f4")
    wanted = np.ascontiguousarray(expected(x))
    assert tuple(compiled.output(0).shape) == wanted.shape
    same(compiled(x)[0].copy(), wanted)


@pytest.mark.parametrize("steps, shape, inferred, expected", [
    ("space-to-depth 2:blocks_first; permute 0,2,3,1", [-1, 3, 4, 6], "[?,2,3,12]",
     lambda x: oracle.space_to_depth(x, 2, "blocks_first").transpose(0, 2, 3, 1)),
    ("reshape =,2,2,6; permute 0,2,1,3; tile 2,1,1,1", [-1, 4, 6], "[?,2,2,6]",
     lambda x: np.tile(x.reshape(-1, 2, 2, 6).transpose(0, 2, 1, 3), (2, 1, 1, 1))),
    ("unsqueeze 1; expand =,5,=,=; squeeze -1", [-1, 4, 1], "[?,5,4]", lambda x: np.repeat(x[:, None, :, 0], 5, 1)),
    ("shuffle-channels 2:1; reshape -1,24", [-1, 4, 6], "[?,24]", lambda x: shuffled(x, 2, 1).reshape(-1, 24)),
    ("depth-to-space 2:depth_first", ["1..8", 4, 6, "?"], "[1..8,1,12,?]", lambda x: oracle.depth_to_space(x, 2, "depth_first")),
])
def test_dynamic_shapes(core, steps, shape, inferred, expected):
    compiled = compile_move(core, steps, openvino.PartialShape("[" + ",".join("?" if each == -1 else str(each) for each in shape) + "]"))
    assert str(compiled.output(0).partial_shape) == inferred
    for batch in (1, 3, 2, 3):
        x = noise([batch] + [5 if each == "?" else each for each in shape[1:]], "i4").astype("f4")
        same(compiled(x)[0].copy(), np.ascontiguousarray(expected(x)))


def test_dynamic_rank():
    """The CPU plugin has none; the operator itself does."""
    for steps, of in (("tile 2", lambda x: np.tile(x, 2)), ("squeeze", np.squeeze)):
        model = model_of(steps, openvino.PartialShape.dynamic(), np.float32, "host")
        assert model.output(0).partial_shape.rank.is_dynamic
        for shape in ((3,), (2, 3), (4, 1, 2)):
            x = noise(shape, "i4").astype("f4")
            dst = openvino.Tensor(openvino.Type.f32, [0])
            assert model.evaluate([dst], [openvino.Tensor(x)])
            same(dst.data.copy(), np.ascontiguousarray(of(x)))


def bytes_of(tensor):
    """The memory of a tensor, which for elements below a byte has no other array."""
    return np.frombuffer((ctypes.c_uint8 * tensor.byte_size).from_address(tensor.data.ctypes.data), "u1")


def elements(raw, bits):
    """One row of bytes, or of bits, for each element."""
    if bits >= 8:
        return raw.reshape(-1, bits // 8)
    return np.unpackbits(raw, bitorder="big" if bits == 1 else "little").reshape(-1, bits)


# What the CPU plugin takes, and what the operator alone does: the plugin refuses it, or converts it first.
TAKEN = ["f32", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "boolean", "u2", "u4", "i4", "nf4", "f4e2m1", "f8e4m3",
         "f8e5m2", "f8e8m0"]
ALONE = ["f64", "u1"]


@pytest.mark.parametrize("name", TAKEN + ALONE)
def test_element_types(core, name):
    kind, shape = getattr(openvino.Type, name), [4, 6, 8]
    model = model_of("permute 2,0,1", shape, kind, "host")
    assert model.output(0).element_type == kind
    src, dst = openvino.Tensor(kind, shape), openvino.Tensor(kind, [8, 4, 6])
    bytes_of(src)[...] = np.random.default_rng(3).integers(0, 2 if name == "boolean" else 60, src.byte_size)
    bits = kind.bitwidth
    if bits == 64:  # inside of the plugin these have 32
        bytes_of(src).reshape(-1, 8)[:, 4:] = 0
    wanted = elements(bytes_of(src), bits).reshape(*shape, -1).transpose(2, 0, 1, 3).reshape(192, -1)
    assert model.evaluate([dst], [src])
    same(elements(bytes_of(dst), bits), wanted)
    if name in TAKEN:
        request = core.compile_model(model, "CPU", EXACT).create_infer_request()
        request.infer([src])
        same(elements(bytes_of(request.get_output_tensor()), bits), wanted)


def test_other_types():
    for name in ("string", "u3", "u6"):
        with pytest.raises(clmove.ArgumentError, match=f"moves elements of a fixed width, and {name} has none"):
            clmove.openvino.move(op.parameter([2, 3], getattr(openvino.Type, name)), "tile 2")


def test_model_as_ir(core, tmp_path):
    steps = "space-to-depth 2:blocks_first; permute 0,2,3,1"
    openvino.save_model(model_of(steps, [-1, 3, 8, 8], np.float32, "host"), tmp_path / "move.xml", compress_to_fp16=False)
    x = noise((2, 3, 8, 8), "i4").astype("f4")
    again = core.read_model(tmp_path / "move.xml")
    node = next(each for each in again.get_ops() if each.get_type_name() == "Move")
    assert node.get_attributes() == {"steps": steps, "device": "host"}
    same(core.compile_model(again, "CPU", EXACT)(x)[0].copy(), np.ascontiguousarray(oracle.space_to_depth(x, 2, "blocks_first").transpose(0, 2, 3, 1)))
    with pytest.raises(RuntimeError, match="Move"):
        openvino.Core().read_model(tmp_path / "move.xml")


def test_constants_are_folded(core):
    constant = op.constant(noise((2, 3), "i4").astype("f4"))
    x = op.parameter([4, 3], np.float32)
    model = openvino.Model([op.add(x, clmove.openvino.move(constant, "tile 2,1", "host"))], [x])
    compiled = core.compile_model(model, "CPU", EXACT)
    assert "Move" not in {each.get_rt_info()["layerType"] for each in compiled.get_runtime_model().get_ops()}
    data = noise((4, 3), "i4").astype("f4")
    same(compiled(data)[0].copy(), data + np.tile(constant.data, (2, 1)))


@pytest.mark.parametrize("steps, text", [
    ("space-to-dept 2:blocks_first", 'there is no "space-to-dept"; steps are reshape, permute, tile, expand, space-to-depth'),
    ("space-to-depth 2", "write it as space-to-depth 2:blocks_first, or 2:depth_first"),
    ("space-to-depth 2:DCR", 'the mode is "DCR", and may be blocks_first or depth_first'),
    ("space-to-depth 5:blocks_first", 'the step "space-to-depth 5:blocks_first": dimension 2 is 4, not a multiple of block size 5'),
    ("space-to-depth 0:blocks_first", "block"),
    ("permute 0,1,2", 'the step "permute 0,1,2"'),
    ("permute 0,1,2,x", '"x" is no whole number'),
    ("permute 0,1,2,=", '"=" is no whole number'),
    ("tile 2,,1", '"" is no whole number'),
    ("tile 99999999999999999999", "is no whole number"),
    ("tile 4611686018427387904,4611686018427387904", "tile"),
    ("reshape 5,5", 'the step "reshape 5,5"'),
    ("reshape 1,3,4,6,=", "= in the place of dimension 4 has nothing to keep"),
    ("reshape 1,3,4.5,6", '"4.5" is no whole number and not ='),
    ("expand 2,3", 'the step "expand 2,3"'),
    ("squeeze 1", "dimension 1 is 3, and 1 alone is squeezed"),
    ("squeeze 7", "axis 7 is not one of 4 dimensions"),
    ("unsqueeze 0,0", "axis 0 stands twice"),
    ("shuffle-channels 2:1", "dimension 1 is 3, not a multiple of the group"),
    ("shuffle-channels 0:1", "not a multiple of the group"),
    ("shuffle-channels 3", "write it as shuffle-channels GROUP:AXIS, such as 4:1"),
    ("tile 2;", 'there is no ""'),
])
def test_wrong_steps(steps, text):
    with pytest.raises(clmove.ArgumentError) as caught:
        clmove.openvino.move(op.parameter([1, 3, 4, 6], np.float32), steps)
    assert text in str(caught.value) and str(caught.value).startswith("clmove.Move: ")


def test_wrong_dynamic_steps(core):
    """What no shape tells is refused when it runs, with the sentence."""
    compiled = compile_move(core, "space-to-depth 2:blocks_first", [1, 3, -1, 4])
    with pytest.raises(RuntimeError, match="dimension 2 is 5, not a multiple of block size 2"):
        compiled(np.zeros((1, 3, 5, 4), "f4"))
    same(compiled(np.zeros((1, 3, 6, 4), "f4"))[0].copy(), np.zeros((1, 12, 3, 2), "f4"))
    with pytest.raises(clmove.ArgumentError, match="0 beside ="):
        clmove.openvino.move(op.parameter([-1, 0], np.float32), "reshape =,0")


def test_wrong_arguments(core, monkeypatch, tmp_path):
    x = op.parameter([2, 3], np.float32)
    with pytest.raises(TypeError, match="pass two strings"):
        clmove.openvino.move(x, ["tile 2"])
    with pytest.raises(RuntimeError, match='no OpenCL device matches "no such device"'):
        core.compile_model(model_of("tile 2", [2, 3], np.float32, "no such device"), "CPU")(np.zeros((2, 3), "f4"))
    (tmp_path / "none").mkdir()
    monkeypatch.setattr(clmove.openvino, "_FILE", "no such file.so")
    with pytest.raises(clmove.UnsupportedError, match="install openvino first, then build clmove again"):
        clmove.openvino.extension()
    wrong = tmp_path / "wrong.so"
    wrong.write_bytes(b"no library")
    monkeypatch.setattr(clmove.openvino, "extension", lambda: str(wrong))
    monkeypatch.setattr(clmove.openvino, "_factory", None)
    with pytest.raises(clmove.UnsupportedError, match="build clmove again"):
        clmove.openvino.move(x, "tile 2")


def test_many_requests_at_once(core):
    """One operator, several shapes, several requests: each has its own result."""
    compiled = core.compile_model(model_of("space-to-depth 2:depth_first; permute 0,2,3,1", [-1, 3, -1, 32], np.float32, "host"), "CPU",
                                  {**EXACT, "NUM_STREAMS": 2})
    requests = [compiled.create_infer_request() for _ in range(4)]
    for round in range(10):
        sources = [noise((1 + at, 3, 2 * (1 + round), 32), "i4", at).astype("f4") for at in range(4)]
        for request, x in zip(requests, sources):
            request.start_async([x])
        for request, x in zip(requests, sources):
            request.wait()
            same(request.get_output_tensor().data.copy(), np.ascontiguousarray(oracle.space_to_depth(x, 2, "depth_first").transpose(0, 2, 3, 1)))


def test_more_shapes_than_are_kept(core):
    compiled = compile_move(core, "tile 2", [-1])
    for size in [*range(1, 300), 1, 2]:
        x = noise((size,), "i4").astype("f4")
        same(compiled(x)[0].copy(), np.tile(x, 2))


def test_no_copy(core):
    """The operator writes into the tensor that the caller gave, and reads the caller's."""
    request = compile_move(core, "permute 1,0", [64, 64]).create_infer_request()
    src, dst = openvino.Tensor(openvino.Type.f32, [64, 64]), openvino.Tensor(openvino.Type.f32, [64, 64])
    src.data[...] = noise((64, 64), "i4")
    request.set_input_tensor(src)
    request.set_output_tensor(dst)
    request.infer()
    assert request.get_output_tensor().data.ctypes.data == dst.data.ctypes.data
    same(dst.data.copy(), np.ascontiguousarray(src.data.T))


PINNED = """
import os, sys, threading
import numpy, openvino, clmove.openvino
from openvino import opset13
x = opset13.parameter([1, 3, 1024, 1024], numpy.float32)
core = openvino.Core()
core.add_extension(clmove.openvino.extension())
model = openvino.Model([clmove.openvino.move(x, "space-to-depth 2:blocks_first", "host")], [x])
request = core.compile_model(model, "CPU", {"ENABLE_CPU_PINNING": True}).create_infer_request()
for _ in range(5):
    request.infer([numpy.zeros((1, 3, 1024, 1024), "f4")])
print([open(f"/proc/self/task/{thread}/comm").read().strip() for thread in os.listdir("/proc/self/task")].count("clmove"))
"""


def test_threads_are_those_of_openvino():
    """Threads of clmove would wait for those of OpenVINO, which spin. And the process ends well."""
    done = subprocess.run([sys.executable, "-c", PINNED], capture_output=True, text=True, timeout=120, env={**os.environ, "CLMOVE_THREADS": ""})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["0"]
