#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clmove from Python beside NumPy, PyTorch, einops and PyOpenCL, and beside the C benchmark, on lists of workloads.

usage: beside_peers.py [options] FILE...    with a Python that has clmove; peers take part where they are installed
  FILE              workloads in JSON, as `clmove bench --workloads` reads them, or lines NAME ELEMENT_BYTES RANK DIMS ORDER of permutations
  --device SEL      where clmove's functions run (host)
  --seconds S       how long each call is measured (0.2); at least 3 times
  --only WORD       workloads whose name has this word
  --most-bytes N    workloads that read and write at most this many bytes
  --first N         the first N workloads of each file
  --json FILE       writes what was measured, one object a line

Prints, for each workload, GB/s (bytes read and written, each once) and ratios: how many times as long a peer takes. NumPy, PyTorch and
einops return new arrays, as clmove does (`clmove`). Those called `>numpy` and `>torch` write a preallocated result, as clmove with `out`
does, of which C is `clmove bench`; below 1, Python costs time. `out` is what an earlier call returned.
PyOpenCL is a kernel that computes each element's place, beside Plan.enqueue on the same queue of the first CPU device. Times are the
least, and every result is compared with NumPy's. Then geometric means, and the workloads above 64 KiB where clmove is slower.
"""

import argparse
import json
import math
import sys
import tempfile
import time

import clmove
import numpy as np
import peer_calls

try:
    import pyopencl as cl
    import pyopencl.array as cl_array
except ImportError:
    cl = None

#: Each peer, and what of clmove it is beside.
BESIDE = {"numpy": "clmove", "torch": "clmove", "einops": "clmove", ">numpy": "out", ">torch": "out", "pyopencl": "queue", "c": "out"}
SMALL = 64 << 10


def least(call, seconds):
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


def arguments_of(work):
    """The function of clmove, and what stands after x."""
    if work["op"] == "tile":
        return clmove.tile, (tuple(work["repeats"]),)
    if work["op"] == "permute":
        return clmove.permute, (tuple(work["order"]),)
    return getattr(clmove, work["op"]), (work["block_size"], work["mode"])


def in_c(work, device, seconds):
    """Seconds of the C benchmark. None: this package has no command."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([work], file)
        file.flush()
        try:
            row, = clmove.bench(workloads=file.name, device=device, seconds=seconds)
        except clmove.UnsupportedError:
            return None
    return row["seconds_min"]


def check(name, who, result, expected):
    if (result.shape, result.tobytes()) != (expected.shape, expected.tobytes()):
        raise SystemExit(f"{name}: the result of {who} is not NumPy's")


def measure(work, device, queue, seconds):
    x = peer_calls.noise(work)
    call, arguments = arguments_of(work)
    expected = peer_calls.with_numpy(work, x)()
    out = call(x, *arguments, device=device)
    calls = {"clmove": lambda: call(x, *arguments, device=device), "out": lambda: call(x, *arguments, out=out, device=device),
             "numpy": peer_calls.with_numpy(work, x), "torch": peer_calls.with_torch(work, x), "einops": peer_calls.with_einops(work, x), ">numpy": peer_calls.into_numpy(work, x, out), ">torch": peer_calls.into_torch(work, x, out)}
    if queue is not None:
        calls["pyopencl"], here, there = peer_calls.with_pyopencl(work, x, queue)
        plan = clmove.Device.on(queue).plan(getattr(clmove.Map.like(x), call.__name__)(*arguments))
        to = cl_array.empty(queue, there.shape, there.dtype)
        calls["queue"] = lambda: plan.enqueue(queue, here, to).wait()
    times = {}
    for who, each in calls.items():
        if each is not None:
            result = each()
            if who in (">numpy", ">torch"):
                result = out
            if who in ("pyopencl", "queue"):
                result = (there if who == "pyopencl" else to).get()
            check(work["name"], who, np.asarray(result), expected)
            times[who] = least(each, seconds)
    times["c"] = in_c(work, device, seconds)
    return x.nbytes + expected.nbytes, {who: each for who, each in times.items() if each is not None}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--device", default="host")
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--only", default="")
    parser.add_argument("--most-bytes", type=int, default=1 << 62)
    parser.add_argument("--first", type=int, default=1 << 30)
    parser.add_argument("--json", type=argparse.FileType("w"))
    options = parser.parse_args()
    queue = None
    if cl is not None:
        devices = [each for platform in cl.get_platforms() for each in platform.get_devices() if each.type & cl.device_type.CPU]
        queue = cl.CommandQueue(cl.Context(devices[:1])) if devices else None
    rows = []
    print(f"clmove {clmove.__version__} on {clmove.Device(options.device).name}; NumPy {np.__version__}"
          + (f"; PyOpenCL {cl.VERSION_TEXT} on {queue.device.name}" if queue else ""))
    print(f"{'':36}  GB/s " + "".join(f"{each:>9}" for each in BESIDE))
    for path in options.files:
        works = [each for each in peer_calls.read(path) if options.only in each["name"]][:options.first]
        for work in works:
            dims = math.prod(work["shape"])
            written = dims * math.prod(work.get("repeats", [1]))
            if (dims + written) * np.dtype(peer_calls.TYPES[work["dtype"]]).itemsize > options.most_bytes:
                continue
            size, times = measure(work, options.device, queue, options.seconds)
            ratios = {who: times[who] / times[beside] for who, beside in BESIDE.items() if who in times and beside in times}
            rows.append({"name": work["name"], "bytes": size, "seconds": times, "ratios": ratios})
            print(f"{work['name'][:36]:36} {size / times['clmove'] / 1e9:5.1f} " + "".join(f"{ratios[who]:9.2f}" if who in ratios else f"{'-':>9}" for who in BESIDE),
                  flush=True)
            if options.json:
                print(json.dumps(rows[-1]), file=options.json, flush=True)
    if not rows:
        sys.exit("no workload is left: look at --only, --most-bytes and --first")
    print(f"\n{len(rows)} workloads; geometric means")
    for who in BESIDE:
        found = [row["ratios"][who] for row in rows if who in row["ratios"]]
        if found:
            print(f"  {who:10} {mean(found):6.2f}   worst {min(found):6.2f}, of {len(found)}")
    slower = [(row["ratios"][who], who, row) for row in rows if row["bytes"] > SMALL for who in BESIDE if row["ratios"].get(who, 2) < 1 and who != "c"]
    print(f"slower than a peer above 64 KiB: {len(slower) or 'none'}")
    for ratio, who, row in sorted(slower, key=lambda each: each[0]):
        print(f"  {row['name'][:36]:36} {row['bytes'] / 2**20:8.1f} MiB  {who} {ratio:.2f}")


main()
