#!/usr/bin/env python3
"""The command against other frameworks' own operators: PyTorch's pixel_unshuffle and pixel_shuffle are depth_first; ONNX's SpaceToDepth
and DepthToSpace (DCR, CRD) are blocks_first and depth_first; onnx.reference computes them.

usage: frameworks.py COMMAND DEVICE
Each takes part where this Python has it. Prints how many cases agreed; exit status 1 at a difference, 77 when there is neither.

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is missing")
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None
try:
    import onnx.helper
    import onnx.reference
except ImportError:
    onnx = None

command, device = sys.argv[1:3]
SHAPES = [(1, 1, 4, 6), (2, 3, 12, 20), (1, 5, 30, 7 * 6), (3, 2, 60, 60)]


def run(folder, operation, array, block, mode):
    src, dst = os.path.join(folder, "src.npy"), os.path.join(folder, "dst.npy")
    np.save(src, array)
    subprocess.run([command, operation, src, dst, "--block-size", str(block), "--mode", mode, "--device", device], check=True)
    return np.load(dst)


def cases():
    """(what, operation, source, block size, mode, expected)"""
    noise = np.random.default_rng(1)
    for shape in SHAPES:
        for block in (2, 3, 6):
            if shape[2] % block or shape[3] % block:
                continue
            image = noise.standard_normal(shape).astype(np.float32)
            deep = noise.standard_normal((shape[0], shape[1] * block**2, shape[2] // block, shape[3] // block)).astype(np.float32)
            if torch is not None:
                functional = torch.nn.functional
                yield "PyTorch", "space-to-depth", image, block, "depth_first", functional.pixel_unshuffle(torch.from_numpy(image), block).numpy()
                yield "PyTorch", "depth-to-space", deep, block, "depth_first", functional.pixel_shuffle(torch.from_numpy(deep), block).numpy()
            if onnx is not None:
                def evaluate(node, x):
                    value = onnx.helper.make_tensor_value_info
                    graph = onnx.helper.make_graph([node], "g", [value("x", 1, x.shape)], [value("y", 1, None)])
                    return onnx.reference.ReferenceEvaluator(onnx.helper.make_model(graph)).run(None, {"x": x})[0]

                node = onnx.helper.make_node("SpaceToDepth", ["x"], ["y"], blocksize=block)
                yield "ONNX", "space-to-depth", image, block, "blocks_first", evaluate(node, image)
                for name, mode in (("DCR", "blocks_first"), ("CRD", "depth_first")):
                    node = onnx.helper.make_node("DepthToSpace", ["x"], ["y"], blocksize=block, mode=name)
                    yield "ONNX", "depth-to-space", deep, block, mode, evaluate(node, deep)


if torch is None and onnx is None:
    print("neither PyTorch nor onnx is here")
    sys.exit(77)
agreed = {}
with tempfile.TemporaryDirectory() as folder:
    for what, operation, array, block, mode, expected in cases():
        got = run(folder, operation, array, block, mode)
        if got.shape != expected.shape or got.tobytes() != np.ascontiguousarray(expected).tobytes():
            print(f"{operation} of {array.shape} by {block}, {mode}, is not what {what} computes")
            sys.exit(1)
        agreed[what] = agreed.get(what, 0) + 1
print(", ".join(f"{count} cases agree with {what}" for what, count in agreed.items()), f"on {device}")
