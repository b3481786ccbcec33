# SPDX-License-Identifier: Apache-2.0
"""Parts of known models, built from code. Each function returns a model and the steps of the chains that it has.

The tests use small ones, the benchmark those of the papers. Weights are noise.
"""

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
from openvino import Model
from openvino import opset13 as op

RNG = np.random.default_rng(1)


def weights(*shape):
    return op.constant((RNG.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype("f4"))


def integers(*values):
    return op.constant(np.array(values, "i8"))


def convolution(x, out, kernel, stride=1):
    pad = (kernel - 1) // 2 if stride == 1 else 0
    channels = x.get_output_partial_shape(0)[1].get_length()
    return op.convolution(x, weights(out, channels, kernel, kernel), [stride] * 2, [pad] * 2, [pad] * 2, [1, 1])


def reshape(x, *dims):
    return op.reshape(x, integers(*dims), True)


def transpose(x, *order):
    return op.transpose(x, integers(*order))


def model(name, x, result):
    return Model([result], [x], name)


def focus(batch, size, channels=32):
    """YOLOv5's Focus as SpaceToDepth, of a picture as cameras give it: bytes, channels last."""
    x = op.parameter([batch, size, size, 3], np.uint8)
    deep = op.space_to_depth(transpose(x, 0, 3, 1, 2), "blocks_first", 2)
    return model("focus", x, op.relu(convolution(op.convert(deep, "f32"), channels, 3))), ["permute 0,3,1,2; space-to-depth 2:blocks_first"]


def focus_floats(batch, size, channels=32):
    x = op.parameter([batch, 3, size, size], np.float32)
    return model("focus_floats", x, op.relu(convolution(op.space_to_depth(x, "blocks_first", 2), channels, 3))), ["space-to-depth 2:blocks_first"]


def partition(batch, size, channels=96, window=7):
    """Swin: into windows, a linear layer, and back."""
    k, c = size // window, channels
    x = op.parameter([batch, size, size, c], np.float32)
    windows = reshape(transpose(reshape(x, 0, k, window, k, window, c), 0, 1, 3, 2, 4, 5), -1, window * window, c)
    mixed = op.relu(op.matmul(windows, weights(c, c), False, False))
    back = reshape(transpose(reshape(mixed, -1, k, k, window, window, c), 0, 1, 3, 2, 4, 5), -1, size * size, c)
    return model("partition", x, op.relu(back)), [f"reshape =,{k},{window},{k},{window},{c}; permute 0,1,3,2,4,5; reshape -1,{window**2},{c}",
                                                 f"reshape -1,{k},{k},{window},{window},{c}; permute 0,1,3,2,4,5; reshape -1,{size**2},{c}"]


def shift(batch, size, channels=96, window=7):
    """Swin's shifted windows: the roll is no operator of clmove's, and stays."""
    k, c = size // window, channels
    x = op.parameter([batch, size, size, c], np.float32)
    rolled = op.roll(x, integers(-(window // 2), -(window // 2)), integers(1, 2))
    windows = reshape(transpose(reshape(rolled, 0, k, window, k, window, c), 0, 1, 3, 2, 4, 5), -1, window * window, c)
    return model("shift", x, op.matmul(windows, weights(c, c), False, False)), [
        f"reshape =,{k},{window},{k},{window},{c}; permute 0,1,3,2,4,5; reshape -1,{window**2},{c}"]


def merging(batch, size, channels=96):
    """Swin's patch merging."""
    k, c = size // 2, channels
    x = op.parameter([batch, size * size, c], np.float32)
    merged = reshape(transpose(reshape(x, 0, k, 2, k, 2, c), 0, 1, 3, 4, 2, 5), 0, k * k, 4 * c)
    return model("merging", x, op.matmul(merged, weights(4 * c, 2 * c), False, False)), [
        f"reshape =,{k},2,{k},2,{c}; permute 0,1,3,4,2,5; reshape =,{k * k},{4 * c}"]


def vit(batch, size, patch=16, channels=768):
    """ViT's patches, in front of its embedding as a matrix product."""
    k, deep = size // patch, 3 * patch * patch
    x = op.parameter([batch, 3, size, size], np.float32)
    patches = reshape(transpose(reshape(x, 0, 3, k, patch, k, patch), 0, 2, 4, 3, 5, 1), 0, k * k, deep)
    return model("vit", x, op.matmul(patches, weights(deep, channels), False, False)), [
        f"reshape =,3,{k},{patch},{k},{patch}; permute 0,2,4,3,5,1; reshape =,{k * k},{deep}"]


def vit_convolution(batch, size, patch=16, channels=768):
    """The same embedding as the convolution of the paper's code, of a picture with channels last."""
    x = op.parameter([batch, size, size, 3], np.float32)
    embedded = convolution(transpose(x, 0, 3, 1, 2), channels, patch, patch)
    k = size // patch
    tokens = transpose(reshape(embedded, 0, channels, k * k), 0, 2, 1)
    return model("vit_convolution", x, op.relu(tokens)), ["permute 0,3,1,2", f"reshape =,{channels},{k * k}; permute 0,2,1"]


def espcn(batch, size, scale=3):
    x = op.parameter([batch, 1, size, size], np.float32)
    deep = convolution(op.tanh(convolution(op.tanh(convolution(x, 64, 5)), 32, 3)), scale * scale, 3)
    return model("espcn", x, op.depth_to_space(deep, "depth_first", scale)), [f"depth-to-space {scale}:depth_first"]


def esrgan(batch, size, channels=64):
    """The two pixel shuffles at the end of Real-ESRGAN's compact form."""
    x = op.parameter([batch, 3, size, size], np.float32)
    y = op.relu(convolution(x, channels, 3))
    for _ in range(2):
        y = op.relu(op.depth_to_space(convolution(y, 4 * channels, 3), "depth_first", 2))
    return model("esrgan", x, convolution(y, 3, 3)), ["depth-to-space 2:depth_first"] * 2


def shuffle(batch, size, channels=240, groups=3):
    """ShuffleNet's shuffle between two convolutions."""
    x = op.parameter([batch, channels, size, size], np.float32)
    y = op.shuffle_channels(op.relu(convolution(x, channels, 1)), 1, groups)
    return model("shuffle", x, op.relu(convolution(y, channels, 1))), [f"shuffle-channels {groups}:1"]


def heads(batch, length, count=12, depth=64):
    """Attention's heads, split and joined."""
    x = op.parameter([batch, length, 3 * count * depth], np.float32)
    each = transpose(reshape(x, 0, length, 3, count, depth), 2, 0, 3, 1, 4)
    q, k, v = (op.squeeze(part, integers(0)) for part in op.split(each, op.constant(0), 3).outputs())
    mixed = op.matmul(op.softmax(op.matmul(q, k, False, True), -1), v, False, False)
    joined = reshape(transpose(mixed, 0, 2, 1, 3), 0, length, count * depth)
    return model("heads", x, op.matmul(joined, weights(count * depth, count * depth), False, False)), [
        f"reshape =,{length},3,{count},{depth}; permute 2,0,3,1,4", f"permute 0,2,1,3; reshape =,{length},{count * depth}"]


def rms(batch, length, channels=1024):
    """RMSNorm with its scale broadcast to the whole shape, as some converters write it."""
    x = op.parameter([batch, length, channels], np.float32)
    mean = op.reduce_mean(op.multiply(x, x), integers(2), True)
    scale = op.broadcast(op.divide(op.constant(np.float32(1)), op.sqrt(mean)), integers(1, length, channels), broadcast_spec="BIDIRECTIONAL")
    return model("rms", x, op.multiply(op.multiply(x, scale), weights(1, 1, channels))), [f"expand =,{length},{channels}"]


@dataclass
class Row:
    """A model in a size for tests, and in that of its paper."""

    make: Callable[..., Any]
    small: tuple[int, ...]
    whole: tuple[int, ...]


ROWS = [
    Row(focus, (12, 4), (640,)),
    Row(focus_floats, (12, 4), (640,)),
    Row(partition, (6, 5, 3), (56,)),
    Row(shift, (6, 5, 3), (56,)),
    Row(merging, (6, 5), (56,)),
    Row(vit, (8, 4, 7), (224,)),
    Row(vit_convolution, (8, 4, 7), (224,)),
    Row(espcn, (7,), (256,)),
    Row(esrgan, (5, 2), (128,)),
    Row(shuffle, (5, 12), (28,)),
    Row(heads, (5, 2, 3), (196,)),
    Row(rms, (3, 8), (512,)),
]
