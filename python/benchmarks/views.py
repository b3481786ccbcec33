#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies of strided NumPy arrays, by clmove and by NumPy: flipped, turned, with steps, of some channels, in windows.

usage: views.py [options]    with a Python that has clmove
  --device SEL      where clmove runs (host)
  --dtypes LIST     of the elements (u1,f2,f4,f8)
  --bytes N         each copy has about so many bytes (32 MiB)
  --seconds S       how long each call is measured (0.1); at least 3 times
  --only WORD       views whose name has this word
  --json FILE       writes what was measured, one object a line

Prints, for each view, GB/s written into a result that is there already, by clmove and by numpy.copyto; how many times as long NumPy
takes; and the share of a copy of an array of the same shape that is contiguous. Times are medians, and every result is compared with the
view. Then geometric means.
"""

import argparse
import json
import math
import sys
import time

import clmove
import numpy as np

SIDE = 512  # of images, unless a copy has less


def windows(x, shape, axis):
    return np.lib.stride_tricks.sliding_window_view(x, shape, axis)


def images(room, channels):
    """[n, height, width, channels], of about `room` elements."""
    side = min(SIDE, max(8, math.isqrt(room // channels) // 8 * 8))
    return max(1, room // (side * side * channels)), side, side, channels


def planes(room):
    count, high, wide, channels = images(room, 3)
    return count, channels, high, wide


#: Of a view: the shape of its array for so many elements, and the view.
VIEWS = {
    "mirrored planes": (planes, lambda x: x[..., ::-1]),
    "upside down planes": (planes, lambda x: x[:, :, ::-1]),
    "planes turned by 180 degrees": (planes, lambda x: x[..., ::-1, ::-1]),
    "planes turned by 90 degrees": (planes, lambda x: np.rot90(x, 1, (2, 3))),
    "planes turned by 270 degrees": (planes, lambda x: np.rot90(x, 3, (2, 3))),
    "mirrored pixels": (lambda room: images(room, 3), lambda x: x[:, :, ::-1]),
    "pixels turned by 90 degrees": (lambda room: images(room, 3), lambda x: np.rot90(x, 1, (1, 2))),
    "BGR to RGB": (lambda room: images(room, 3), lambda x: x[..., ::-1]),
    "BGR pixels to RGB planes": (lambda room: images(room, 3), lambda x: x[..., ::-1].transpose(0, 3, 1, 2)),
    "BGR planes to RGB pixels": (planes, lambda x: x[:, ::-1].transpose(0, 2, 3, 1)),
    "mirrored planes to pixels": (planes, lambda x: x[..., ::-1].transpose(0, 2, 3, 1)),
    "RGBA to RGB": (lambda room: images(room * 4 // 3, 4), lambda x: x[..., :3]),
    "RGBA pixels to BGR planes": (lambda room: images(room * 4 // 3, 4), lambda x: x[..., 2::-1].transpose(0, 3, 1, 2)),
    "one channel of 4": (lambda room: images(4 * room, 4), lambda x: x[..., 0]),
    "real parts": (lambda room: (room, 2), lambda x: x[:, 0]),
    "every other column": (lambda room: planes(2 * room), lambda x: x[..., ::2]),
    "every third column": (lambda room: planes(3 * room), lambda x: x[..., ::3]),
    "every other row and column": (lambda room: planes(4 * room), lambda x: x[..., ::2, ::2]),
    "cropped planes": (planes, lambda x: x[..., 3:-3, 3:-5]),
    "24 of 40 columns": (lambda room: (room // 24, 40), lambda x: x[:, 8:32]),
    "windows of 8": (lambda room: (room // 8 + 7,), lambda x: windows(x, 8, 0)),
    "frames of 400 at every 160th": (lambda room: (room // 400 * 160 + 400,), lambda x: windows(x, 400, 0)[::160]),
    "patches of 3 x 3": (lambda room: images(room // 9, 1)[:3], lambda x: windows(x, (3, 3), (1, 2))),
    "patches of 3 x 3 as columns": (lambda room: images(room // 9, 1)[:3], lambda x: windows(x, (3, 3), (1, 2)).transpose(0, 3, 4, 1, 2)),
    "patches of 3 x 3, 3 channels, every other place": (
        lambda room: images(room // 8, 3), lambda x: windows(x, (3, 3), (1, 2))[:, ::2, ::2].transpose(0, 1, 2, 4, 5, 3)),
    "diagonals of 8 x 8": (lambda room: (room // 8, 8, 8), lambda x: x.diagonal(0, 1, 2)),
    "first half in Fortran order": (lambda room: (1024, room // 512), lambda x: x.T[: x.shape[1] // 2]),
}


def median(call, seconds):
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return sorted(times)[len(times) // 2]


def measure(name, dtype, options):
    shape_of, view_of = VIEWS[name]
    shape = shape_of(max(1024, options.bytes // np.dtype(dtype).itemsize))
    size = math.prod(shape)
    view = view_of(np.random.default_rng(1).integers(0, 250, size, dtype="u1").astype(dtype).reshape(shape))
    out, plain = clmove.permute(view, range(view.ndim)), np.ones(view.shape, dtype)

    def by_clmove(x):
        return lambda: clmove.permute(x, range(x.ndim), out=out, device=options.device)

    copy = median(by_clmove(plain), options.seconds)
    ours = median(by_clmove(view), options.seconds)
    if not np.array_equal(out, view):
        raise SystemExit(f"{name}, {dtype}: the result of clmove is not the view")
    numpys = median(lambda: np.copyto(out, view), options.seconds)
    return {"name": name, "dtype": dtype, "bytes": out.nbytes, "seconds": ours, "numpy_seconds": numpys, "copy_seconds": copy}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--device", default="host")
    parser.add_argument("--dtypes", default="u1,f2,f4,f8")
    parser.add_argument("--bytes", type=int, default=32 << 20)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=argparse.FileType("w"))
    options = parser.parse_args()
    names, ratios, shares = [each for each in VIEWS if options.only in each], [], []
    if not names:
        print("no view is left", file=sys.stderr)
        return 1
    print(f"{'view':48} {'type':5} {'clmove':>7} {'numpy':>7} GB/s   ratio   of a copy")
    for name in names:
        for dtype in options.dtypes.split(","):
            row = measure(name, dtype, options)
            ratios.append(row["numpy_seconds"] / row["seconds"])
            shares.append(row["copy_seconds"] / row["seconds"])
            gbps = [row["bytes"] / row[key] / 1e9 for key in ("seconds", "numpy_seconds")]
            print(f"{name:48} {dtype:5} {gbps[0]:7.1f} {gbps[1]:7.1f} {'':6} {ratios[-1]:6.1f} {shares[-1]:11.2f}", flush=True)
            if options.json:
                print(json.dumps(row), file=options.json)
    print(f"\n{len(ratios)} views; geometric means: {mean(ratios):.2f} times NumPy, {mean(shares):.2f} of a copy; least "
          f"{min(ratios):.2f} and {min(shares):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
