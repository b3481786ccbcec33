#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plan.enqueue beside what else moves an array of PyOpenCL's: .get(), NumPy and .set(), and a kernel with an index for each element.

usage: on_queues.py [SECONDS]    how long each is measured (1)
Prints a table in Markdown. Times are the least, in milliseconds, until queue.finish() returns; the kernel's last line is what it computes.
"""
import sys
import time

import clmove
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

# Of each element i of the destination, the place in the source.
KERNEL = "kernel void move(global const %s *src, global %s *dst) { const size_t i = get_global_id(0); dst[i] = src[%s]; }"
C = {1: "uchar", 2: "ushort", 4: "uint"}
CASES = [  # name, shape, type, map, NumPy, index
    ("tile 16,1,1", (3, 256, 512), "f4", lambda m: m.tile((16, 1, 1)), lambda x: np.tile(x, (16, 1, 1)), "i % (3 * 256 * 512)"),
    ("space_to_depth 2", (8, 3, 512, 512), "f4", lambda m: m.space_to_depth(2),
     lambda x: np.ascontiguousarray(x.reshape(8, 3, 256, 2, 256, 2).transpose(0, 3, 5, 1, 2, 4)).reshape(8, 12, 256, 256),
     "((i / 65536 / 12 * 3 + i / 65536 % 3) * 256 + i / 256 % 256) * 1024 + i / 65536 % 12 / 6 * 512 + i % 256 * 2 + i / 65536 % 6 / 3"),
    ("permute 1,0", (4096, 4096), "f4", lambda m: m.permute((1, 0)), lambda x: np.ascontiguousarray(x.T), "i % 4096 * 4096 + i / 4096"),
    ("permute 0,2,3,1", (8, 3, 1024, 1024), "u1", lambda m: m.permute((0, 2, 3, 1)), lambda x: np.ascontiguousarray(x.transpose(0, 2, 3, 1)),
     "(i / 3145728 * 3 + i % 3) * 1048576 + i / 3 % 1048576"),
]


def least(call, seconds):
    call()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


def main(seconds):
    device = next(each for platform in cl.get_platforms() for each in platform.get_devices())
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    ours = clmove.Device.on(queue)
    print(f"{device.name}, {device.platform.version}\n")
    print("| case | MB moved | clmove | kernel | get, NumPy, set |\n|---|---|---|---|---|")
    for name, shape, dtype, step, numpys, index in CASES:
        x = np.random.default_rng(1).integers(0, 256, int(np.prod(shape)) * np.dtype(dtype).itemsize, dtype="u1").view(dtype).reshape(shape)
        expected, width = numpys(x), np.dtype(dtype).itemsize
        here, there = cl_array.to_device(queue, x), cl_array.zeros(queue, expected.shape, dtype)
        plan = ours.plan(step(clmove.Map.like(x)))
        kernel = cl.Program(context, KERNEL % (C[width], C[width], index)).build().move
        times = []
        for call in (lambda: plan.enqueue(queue, here, there), lambda: kernel(queue, (expected.size,), None, here.data, there.data),
                     lambda: there.set(numpys(here.get()))):
            there.fill(0)
            call()
            queue.finish()
            assert there.get().tobytes() == expected.tobytes(), name
            times.append(least(lambda: (call(), queue.finish()), seconds))
        print(f"| {name}, {'x'.join(map(str, shape))} {dtype} | {(x.nbytes + expected.nbytes) / 1e6:.0f} | {' | '.join(f'{each * 1e3:.1f}' for each in times)} |")


main(float(sys.argv[1]) if len(sys.argv) > 1 else 1)
