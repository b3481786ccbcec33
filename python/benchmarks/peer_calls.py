# SPDX-License-Identifier: Apache-2.0
"""A workload as NumPy, PyTorch, einops and PyOpenCL have it, each as its users write it. Nothing of clmove."""

import json
import os

import numpy as np

TYPES = {"u8": "u1", "u16": "u2", "u32": "u4", "i32": "i4", "f16": "f2", "f32": "f4", "f64": "f8", "c128": "c16"}
BY_BYTES = {1: "u8", 2: "f16", 4: "f32", 8: "f64", 16: "c128"}


def read(path):
    """The workloads of a list in JSON, or of lines `NAME ELEMENT_BYTES RANK DIMS ORDER` that are permutations."""
    with open(path, encoding="utf-8") as file:
        if path.endswith(".json"):
            return json.load(file)
        found = []
        for name, width, rank, *rest in (line.split() for line in file if line.strip() and not line.startswith("#")):
            numbers, rank = [int(each) for each in rest], int(rank)
            if len(numbers) != 2 * rank:
                raise SystemExit(f"{path}: {name} has {len(numbers)} numbers after the rank, not {2 * rank}")
            found.append({"name": name, "op": "permute", "dtype": BY_BYTES[int(width)], "shape": numbers[:rank], "order": numbers[rank:]})
        return found


def noise(work):
    """A source of finite numbers."""
    count = int(np.prod(work["shape"], dtype=np.int64))
    return np.random.default_rng(1).integers(0, 250, count, dtype="u1").astype(TYPES[work["dtype"]]).reshape(work["shape"])


def blocks(work):
    """SpaceToDepth and DepthToSpace as a split shape, an order and a last shape."""
    n, c, *spatial = work["shape"]
    b, k, first = work["block_size"], len(spatial), work["mode"] == "blocks_first"
    if work["op"] == "space_to_depth":
        split = [n, c] + [each for dim in spatial for each in (dim // b, b)]
        inner, outer = [3 + 2 * i for i in range(k)], [2 + 2 * i for i in range(k)]
        return split, [0, *inner, 1, *outer] if first else [0, 1, *inner, *outer], [n, c * b**k] + [dim // b for dim in spatial]
    depth = c // b**k
    split, at_block, at_depth = ([n] + [b] * k + [depth], 1, k + 1) if first else ([n, depth] + [b] * k, 2, 1)
    order = [0, at_depth] + [axis for i in range(k) for axis in (k + 2 + i, at_block + i)]
    return split + spatial, order, [n, depth] + [dim * b for dim in spatial]


def strided(work, x):
    """The result as a view of x with more axes, and its shape."""
    if work["op"] == "permute":
        return x.transpose(work["order"]), [x.shape[axis] for axis in work["order"]]
    if work["op"] == "tile":
        pairs = [each for dim in x.shape for each in (1, dim)]
        wide = [each for pair in zip(work["repeats"], x.shape) for each in pair]
        return np.broadcast_to(x.reshape(pairs), wide), [r * d for r, d in zip(work["repeats"], x.shape)]
    split, order, shape = blocks(work)
    return x.reshape(split).transpose(order), shape


def with_numpy(work, x):
    if work["op"] == "tile":
        return lambda: np.tile(x, work["repeats"])
    view, shape = strided(work, x)
    return lambda: np.ascontiguousarray(view).reshape(shape)


def into_numpy(work, x, out):
    """Into a preallocated result, which strides split as they split the source."""
    view, _ = strided(work, x)
    target = out.reshape(view.shape)
    return lambda: np.copyto(target, view)


def into_torch(work, x, out):
    """The same in PyTorch, or None."""
    try:
        import torch
        torch.from_numpy(x)
    except (ImportError, TypeError, RuntimeError):
        return None
    view, _ = strided(work, x)
    source = torch.as_strided(torch.from_numpy(x), view.shape, [stride // x.itemsize for stride in view.strides])
    target = torch.from_numpy(out).reshape(view.shape)
    return lambda: target.copy_(source)


def with_torch(work, x):
    """None: PyTorch is not here, or does not know the type."""
    try:
        import torch
        tensor = torch.from_numpy(x)
    except (ImportError, TypeError, RuntimeError):
        return None
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    if work["op"] == "tile":
        return lambda: tensor.repeat(*work["repeats"])
    if work["op"] == "permute":
        return lambda: tensor.permute(*work["order"]).contiguous()
    if len(work["shape"]) == 4 and work["mode"] == "depth_first":
        call = torch.nn.functional.pixel_unshuffle if work["op"] == "space_to_depth" else torch.nn.functional.pixel_shuffle
        return lambda: call(tensor, work["block_size"])
    split, order, shape = blocks(work)
    return lambda: tensor.reshape(split).permute(order).contiguous().reshape(shape)


def with_einops(work, x):
    try:
        import einops
    except ImportError:
        return None
    names = [f"a{i}" for i in range(x.ndim)]
    if work["op"] == "tile":
        sizes = {f"r{i}": each for i, each in enumerate(work["repeats"])}
        pattern = f"{' '.join(names)} -> {' '.join(f'({r} {a})' for r, a in zip(sizes, names))}"
        return lambda: np.ascontiguousarray(einops.repeat(x, pattern, **sizes))
    if work["op"] == "permute":
        pattern = f"{' '.join(names)} -> {' '.join(names[axis] for axis in work['order'])}"
        return lambda: np.ascontiguousarray(einops.rearrange(x, pattern))
    spatial, b = range(x.ndim - 2), [f"b{i}" for i in range(x.ndim - 2)]
    deep = f"n ({' '.join([*b, 'c'] if work['mode'] == 'blocks_first' else ['c', *b])}) {' '.join(f'h{i}' for i in spatial)}"
    wide = f"n c {' '.join(f'(h{i} b{i})' for i in spatial)}"
    pattern = f"{wide} -> {deep}" if work["op"] == "space_to_depth" else f"{deep} -> {wide}"
    return lambda: np.ascontiguousarray(einops.rearrange(x, pattern, **dict.fromkeys(b, work["block_size"])))


KERNEL = """kernel void move(global const %s *src, global %s *dst)
{
    const size_t i = get_global_id(0);
    dst[i] = src[%s];
}"""
C = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong", 16: "ulong2"}


def with_pyopencl(work, x, queue):
    """A kernel that computes the place of each element, between arrays on the device: the call, and the result."""
    import pyopencl as cl
    import pyopencl.array as cl_array
    view, shape = strided(work, x)
    size, stride, terms = view.size, 1, []
    for dim, step in zip(reversed(view.shape), reversed(view.strides)):
        if step and dim > 1:
            terms.append(f"i / {stride}ul % {dim}ul * {step // x.itemsize}ul")
        stride *= dim
    program = cl.Program(queue.context, KERNEL % (*[C[x.itemsize]] * 2, " + ".join(terms) or "0"))
    kernel = program.build().move
    here, there = cl_array.to_device(queue, x), cl_array.empty(queue, tuple(shape), x.dtype)

    def call():
        kernel(queue, (size,), None, here.data, there.data)
        queue.finish()

    return call, here, there
