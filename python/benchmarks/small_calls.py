#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call on a small array costs: clmove_run in C, clmove's functions with and without out, and NumPy, einops and PyTorch.

usage: small_calls.py LIBCLMOVE.a    with a Python that has clmove; the archive is the one of the package's build
Prints a table in Markdown. Times are the least of 200 means of 200 calls, in microseconds, on the host.
"""
import os
import subprocess
import sys
import tempfile
import timeit

import clmove
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = (8, 32, 128)


def least(call):
    return min(timeit.repeat(call, number=200, repeat=200)) / 200 * 1e6


def optional(name):
    try:
        return __import__(name)
    except ImportError:
        return None


def in_c(archive):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "small_calls")
        subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-I", os.path.join(HERE, "..", "..", "include"), os.path.join(HERE, "small_calls.c"), archive,
                        "-lpthread", "-ldl", "-o", program], check=True)
        lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    return [float(each) / 1e3 for each in lines]


def main(archive):
    torch, einops = optional("torch"), optional("einops")
    host = clmove.Device("host")
    in_c_times = iter(in_c(archive))
    print("| case | bytes written | C | clmove, `out` | clmove | NumPy | einops | PyTorch |\n|---|---|---|---|---|---|---|---|")
    for size in SIZES:
        x = np.zeros((1, 4, size, size), "f4")
        t = torch.from_numpy(x) if torch else None
        split = x.reshape(1, 4, size // 2, 2, size // 2, 2)
        cases = [
            ("tile", clmove.tile, ((2, 1, 1, 1),), lambda: np.tile(x, (2, 1, 1, 1)), "n c h w -> (2 n) c h w", "repeat",
             lambda: t.repeat(2, 1, 1, 1)),
            ("space_to_depth", clmove.space_to_depth, (2,),
             lambda: np.ascontiguousarray(split.transpose(0, 3, 5, 1, 2, 4)).reshape(1, 16, size // 2, size // 2),
             "n c (h a) (w b) -> n (a b c) h w", "rearrange", lambda: torch.nn.functional.pixel_unshuffle(t, 2)),
            ("permute", clmove.permute, ((0, 2, 3, 1),), lambda: np.ascontiguousarray(x.transpose(0, 2, 3, 1)), "n c h w -> n h w c",
             "rearrange", lambda: t.permute(0, 2, 3, 1).contiguous()),
        ]
        for name, call, arguments, numpys, pattern, function, torchs in cases:
            y = call(x, *arguments, device=host)
            given = {"a": 2, "b": 2} if "(h a)" in pattern else {}
            columns = [next(in_c_times), least(lambda: call(x, *arguments, out=y, device=host)), least(lambda: call(x, *arguments, device=host)), least(numpys),
                       least(lambda: np.ascontiguousarray(getattr(einops, function)(x, pattern, **given))) if einops else None,
                       least(torchs) if torch else None]
            print(f"| {name}, {'x'.join(map(str, x.shape))} f4 | {y.nbytes} | {' | '.join('-' if each is None else f'{each:.1f}' for each in columns)} |")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
