#!/usr/bin/env python3
"""Random .npy files through the command, against NumPy: its tile, its transpose, reshape-transpose-reshape as the specification
has it, and chains of all these with reshape and broadcast_to. A chain that the command refuses, since no single map expresses it,
must come out right in several.

    numpy_random.py CLMOVE DEVICE [--cases N] [--seed S] [--case K]

Exit status 77, which CTest takes as skipped, when NumPy is missing.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("numpy_random.py: skipped, since NumPy is missing (Debian: python3-numpy)")
    sys.exit(77)

DTYPES = [
    "|b1", "|i1", "|u1", "<i2", ">u2", "<f2", ">f2", "<f4", ">f4", "<i4", ">u4", "<f8", ">i8", "<c8", ">c8", "<c16", "<f16", "|S3",
    "|S1", "<U2", ">U1", "|V2", "|V5", "|V24", "<M8[ns]", ">m8[s]",
    [("x", "<f4"), ("y", "|u1", (3,))],
    [("r", "|u1"), ("g", "|u1"), ("b", "|u1")],
    [("a", ">i2"), ("", "|V2"), ("b", [("c", "<f8"), ("d", "|S1")])],
    [("\u00e4", "<f4")],
    [("\u03c9", "<f4"), ("x", "<i8")],
]  # fmt: skip
EXTENTS = [1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 93, 144]
LIMIT = 1 << 14


def shrink(*lists):
    """Halves the largest number until the product of all is small."""
    while True:
        product = 1
        for numbers in lists:
            for n in numbers:
                product *= max(n, 1)
        if product <= LIMIT:
            return
        numbers = max(lists, key=lambda some: max(some, default=0))
        largest = max(range(len(numbers)), key=lambda i: numbers[i])
        numbers[largest] = (numbers[largest] + 1) // 2


def extent(rng):
    return 0 if rng.random() < 0.02 else rng.choice(EXTENTS)


def make_tile(rng):
    dims = [extent(rng) for _ in range(rng.randrange(10))]
    onnx = rng.random() < 0.4
    if onnx and dims and rng.random() < 0.4:
        tiles, axis = [rng.choice([0, 1, 2, 3, 8])], rng.randrange(-len(dims), len(dims))
        shrink(dims, tiles)
        repeats = [1] * len(dims)
        repeats[axis] = tiles[0]
        options = ["--tiles", str(tiles[0]), "--axis", str(axis)]
    else:
        repeats = [rng.choice([1, 1, 2, 2, 3, 4, 7, 8]) for _ in range(len(dims) if onnx else rng.randrange(10))]
        if repeats and rng.random() < 0.04:
            repeats[rng.randrange(len(repeats))] = 0 if onnx else rng.choice([0, -1])
        shrink(dims, repeats)
        options = ["--repeats", ",".join(map(str, repeats))]
    options += ["--rules", "onnx"] if onnx else []
    return dims, ["tile"], options, lambda data: np.tile(data, [max(r, 0) for r in repeats])


def space_to_depth(data, block, mode):
    n, c, *spatial = data.shape
    k = len(spatial)
    split = data.reshape([n, c] + [part for d in spatial for part in (d // block, block)])
    outer, inner = [2 + 2 * i for i in range(k)], [3 + 2 * i for i in range(k)]
    order = [0] + inner + [1] + outer if mode == "blocks_first" else [0, 1] + inner + outer
    return split.transpose(order).reshape([n, c * block**k] + [d // block for d in spatial])


def depth_to_space(data, block, mode):
    n, c, *spatial = data.shape
    k = len(spatial)
    blocks = [block] * k
    if mode == "blocks_first":
        split = data.reshape([n] + blocks + [c // block**k] + spatial)
        order = [0, k + 1] + [axis for i in range(k) for axis in (k + 2 + i, 1 + i)]
    else:
        split = data.reshape([n, c // block**k] + blocks + spatial)
        order = [0, 1] + [axis for i in range(k) for axis in (k + 2 + i, 2 + i)]
    return split.transpose(order).reshape([n, c // block**k] + [d * block for d in spatial])


def make_blocks(rng):
    k = rng.randint(1, 4)
    block = rng.choice([1, 2, 2, 3, 4, 5, 8] if k < 3 else [1, 2, 2, 3])
    mode = rng.choice(["blocks_first", "depth_first"])
    dims = [extent(rng) for _ in range(2 + k)]
    shrink(dims, [block] * k)
    command = rng.choice(["space-to-depth", "depth-to-space"])
    if command == "space-to-depth":
        dims[2:] = [d * block for d in dims[2:]]
    else:
        dims[1] *= block**k
    options = ["--block-size", str(block), "--mode", mode]
    if k == 2 and (command == "depth-to-space" or mode == "blocks_first") and rng.random() < 0.5:
        options = ["--rules", "onnx", "--block-size", str(block)] + (options[2:] if mode == "depth_first" else [])
    reference = space_to_depth if command == "space-to-depth" else depth_to_space
    return dims, [command], options, lambda data: reference(data, block, mode)


def text(numbers):
    return ",".join(map(str, numbers))


def make_permute(rng):
    dims = [extent(rng) for _ in range(rng.randrange(8))]
    shrink(dims)
    order = rng.sample(range(len(dims)), len(dims))
    return dims, ["permute"], ["--order", text(order)], lambda data: data.transpose(order)


def make_step(rng, dims):
    """One step that a tensor of this shape can take: its option, and what NumPy does."""
    kind = rng.choice(["permute", "tile", "expand", "reshape", "reshape", "reshape", "space-to-depth", "depth-to-space"])
    if kind == "permute":
        order = rng.sample(range(len(dims)), len(dims))
        return [f"--{kind}", text(order)], lambda data: data.transpose(order)
    if kind == "tile":
        repeats = [rng.choice([1, 1, 2, 3]) for _ in range(len(dims) + rng.randrange(2))]
        return [f"--{kind}", text(repeats)], lambda data: np.tile(data, repeats)
    if kind == "expand":
        target = [rng.choice([1, 2, 3])] * rng.randrange(2) + [rng.choice([1, 2, 5]) if d == 1 else d for d in dims]
        return [f"--{kind}", text(target)], lambda data: np.broadcast_to(data, target)
    if kind == "reshape":
        shape, at = list(dims), rng.randrange(len(dims) + 1)
        factors = [f for f in range(2, 9) if at < len(dims) and dims[at] % f == 0]
        if rng.random() < 0.4 and factors:
            factor = rng.choice(factors)
            shape[at : at + 1] = [factor, dims[at] // factor]
        elif rng.random() < 0.7 and at + 1 < len(dims):
            shape[at : at + 2] = [dims[at] * dims[at + 1]]
        else:
            shape.insert(at, 1)
        given = list(shape)
        if 0 not in dims and rng.random() < 0.3:
            given[rng.randrange(len(given))] = -1
        return [f"--{kind}", text(given)], lambda data: data.reshape(shape)
    block, mode = rng.choice([2, 2, 3]), rng.choice(["blocks_first", "depth_first"])
    if not 3 <= len(dims) <= 5:
        return None
    if dims[1] % block ** (len(dims) - 2) if kind == "depth-to-space" else any(d % block for d in dims[2:]):
        return None
    reference = space_to_depth if kind == "space-to-depth" else depth_to_space
    return [f"--{kind}", f"{block}:{mode}"], lambda data: reference(data, block, mode)


def make_move(rng):
    dims = [extent(rng) for _ in range(rng.randrange(6))]
    if rng.random() < 0.5:
        dims = [rng.randint(1, 4), rng.choice([1, 3, 4, 8])] + [rng.choice([4, 6, 12, 24]) for _ in range(rng.randint(1, 3))]
    shrink(dims)
    like = np.broadcast_to(np.uint8(0), dims)
    steps, wanted = [], rng.randint(1, 6)
    for _ in range(40):
        step = make_step(rng, list(like.shape))
        after = step and step[1](like)
        if step and after.size <= 4 * LIMIT and after.ndim <= 12 and len(steps) < wanted:
            steps, like = steps + [step], after

    def reference(data):
        for _, apply in steps:
            data = apply(data)
        return data

    return dims, ["move"], [word for option, _ in steps for word in option] or ["--permute", text(range(len(dims)))], reference


def run(arguments, command, options, more, src, dst):
    """What the command says. A move that is refused is done in two, one up to the step that is named, one from there."""
    done = subprocess.run([arguments.clmove] + command + [src, dst] + options + more, capture_output=True, text=True)
    refused = re.search(r"step (\d+) \([a-z-]+\): .*no single map can express it", done.stderr)
    if done.returncode != 1 or not refused:
        return f"exit status {done.returncode}: {done.stdout}{done.stderr}" if done.returncode or done.stdout + done.stderr else None
    before = 2 * (int(refused[1]) - 1)
    rank = np.load(src, mmap_mode="r").ndim
    # Refused at once: the source is in Fortran order, and a first command puts it into C order.
    first = (command, options[:before]) if before else (["permute"], ["--order", text(range(rank))])
    between = dst + ".between.npy"
    wrong = run(arguments, *first, more, src, between) or run(arguments, command, options[before:], more, between, dst)
    os.remove(between)
    return wrong


def check(number, arguments, folder):
    """Runs one case; returns None, or what is wrong with it."""
    rng = random.Random(f"{arguments.seed} {number}")
    make = rng.choices([make_tile, make_blocks, make_permute, make_move], [3, 4, 2, 3])[0]
    dims, command, options, reference = make(rng)
    dtype = np.dtype(rng.choice(DTYPES))
    elements = int(np.prod(dims, dtype=object)) if dims else 1
    data = np.frombuffer(rng.randbytes(elements * dtype.itemsize), dtype=np.dtype(("V", dtype.itemsize))).reshape(dims)
    if dims and rng.random() < 0.25:
        data = np.asfortranarray(data)
    src, dst = os.path.join(folder, f"src{number}.npy"), os.path.join(folder, f"dst{number}.npy")
    version = (3, 0) if any(ord(c) > 255 for c in str(dtype.descr)) else rng.choice([None, (1, 0), (2, 0), (3, 0)])
    with open(src, "wb") as file:
        np.lib.format.write_array(file, data.view(dtype) if elements else data.astype(dtype), version=version)
    more = ["--device", arguments.device] + rng.choice([[], ["--verify"], ["--index-bits", "64"]])
    what = f"case {number}: {dtype.descr} of {tuple(dims)}, {' '.join(command + options + more)}"
    wrong = run(arguments, command, options, more, src, dst)
    if wrong:
        return f"{what}: {wrong}"
    result, expected = np.load(dst), reference(data)
    os.remove(src)
    os.remove(dst)
    if result.dtype != dtype or result.shape != expected.shape:
        return f"{what}: result is {result.dtype} of {result.shape}, and must be of {expected.shape}"
    if elements and not (result.flags.c_contiguous and result.tobytes() == expected.tobytes()):
        return f"{what}: the bytes differ"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clmove")
    parser.add_argument("device")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    arguments = parser.parse_args()
    numbers = range(arguments.cases) if arguments.case is None else [arguments.case]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [found for found in pool.map(lambda number: check(number, arguments, folder), numbers) if found]
    print("\n".join(wrong[:10]))
    print(f"{len(numbers)} cases of seed {arguments.seed} on {arguments.device}: {len(wrong)} wrong")
    return 1 if wrong or not numbers else 0


if __name__ == "__main__":
    sys.exit(main())
