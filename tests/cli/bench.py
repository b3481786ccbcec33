#!/usr/bin/env python3
"""The benchmark's output on one device: keys, consistency, the line that repeats a case, interrupts, a wrong result.

usage: bench.py CLMOVE DEVICE [LIBRARY]
No figure is judged. LIBRARY, for LD_PRELOAD, makes clmove read a wrong byte from device buffers.
"""
import json
import math
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

clmove, device = sys.argv[1:3]
flip = sys.argv[3] if len(sys.argv) > 3 else None
os.environ.pop("CLMOVE_DEVICE", None)

WORKLOADS = [
    {"name": "row", "op": "tile", "dtype": "u8", "shape": [17, 3], "repeats": [2, 5]},
    {"name": "outer", "op": "tile", "dtype": "c128", "shape": [2, 64], "repeats": [3, 1, 1]},
    {"name": "blocks", "op": "space_to_depth", "dtype": "f32", "shape": [1, 3, 64, 64], "block_size": 2, "mode": "depth_first"},
    {"name": "large", "op": "space_to_depth", "dtype": "u8", "shape": [1, 3, 1024, 512], "block_size": 2, "mode": "blocks_first"},
    {"name": "space", "op": "depth_to_space", "dtype": "f16", "shape": [1, 16, 9, 7], "block_size": 4, "mode": "blocks_first"},
    {"name": "turned", "op": "permute", "dtype": "f32", "shape": [30, 7, 20], "order": [2, 0, 1]},
    {"name": "chain", "op": "move", "dtype": "u16", "shape": [1, 4, 6, 6], "steps": [
        {"op": "space_to_depth", "block_size": 3, "mode": "depth_first"}, {"op": "permute", "order": [0, 2, 3, 1]},
        {"op": "reshape", "shape": [1, 4, -1]}, {"op": "tile", "repeats": [2, 1]},
        {"op": "expand", "shape": [3, 1, 8, 36]}, {"op": "depth_to_space", "block_size": 1, "mode": "blocks_first"}]},
]
TEXTS = {"name", "op", "device", "device_type", "variant", "stream", "repro"}
COUNTS = {"bytes_read", "bytes_written", "bytes", "runs"}
TRUTHS = {"verified", "cold"}
NUMBERS = {"seconds_min", "seconds_median", "seconds_p95", "device_seconds_median", "stream_seconds_median", "roofline",
           "gbps_median", "noise", "stream_noise", "open_seconds", "plan_seconds", "first_run_seconds", "plan_again_seconds"}


def run(*arguments, env=None):
    return subprocess.run([clmove, "bench", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def lines(*arguments):
    ran = run(*arguments)
    assert ran.returncode == 0 and ran.stderr == "", ran
    return [json.loads(line) for line in ran.stdout.splitlines()]


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-4)


def check(it):
    assert set(it) == TEXTS | COUNTS | TRUTHS | NUMBERS, set(it) ^ (TEXTS | COUNTS | TRUTHS | NUMBERS)
    assert all(isinstance(it[key], str) and it[key] for key in TEXTS), it
    assert all(type(it[key]) is int and it[key] > 0 for key in COUNTS), it
    assert all(type(it[key]) is float and it[key] >= 0 for key in NUMBERS), it
    assert it["verified"] is True and type(it["cold"]) is bool
    assert it["bytes"] == it["bytes_read"] + it["bytes_written"]
    assert it["seconds_min"] <= it["seconds_median"] <= it["seconds_p95"]
    assert near(it["roofline"], it["stream_seconds_median"] / it["seconds_median"])
    assert near(it["gbps_median"], it["bytes"] / it["seconds_median"] / 1e9)
    assert it["runs"] >= 3
    if device == "host":
        assert it["device_type"] == "host" and it["device_seconds_median"] == it["seconds_median"]
        assert "driver" not in it["stream"], it  # there is none


def keeps_its_limit(path):
    """The limit does not follow the tuning: work cut far too small leaves a fraction of it."""
    with open(path, "w") as file:
        json.dump([{"name": "long", "op": "tile", "dtype": "f32", "shape": [1, 1 << 20], "repeats": [3, 1]}], file)
    tuning = dict(os.environ, CLMOVE_TUNING="segment_bytes=16,item_min_bytes=1,items_per_worker=65536")
    for _ in range(5):
        ran = run("--workloads", path, "--device", device, "--json", "--seconds", "0.05", env=tuning)
        assert ran.returncode == 0, ran
        it = json.loads(ran.stdout)
        if max(it["noise"], it["stream_noise"]) < 0.2:  # or other tests keep the machine from the limit's ways, too
            break
    assert it["roofline"] < 0.5, it


def interrupt(path):
    with open(path, "w") as file:
        json.dump([dict(WORKLOADS[0], name=f"row{i}") for i in range(200)], file)
    bench = subprocess.Popen([clmove, "bench", "--workloads", path, "--device", device, "--json", "--seconds", "0.2"],
                             stdout=subprocess.PIPE, text=True)
    first = bench.stdout.readline()
    bench.send_signal(signal.SIGINT)
    rest = bench.stdout.read().splitlines()
    assert bench.wait() == -signal.SIGINT, bench.returncode
    assert len(rest) < 199
    for line in [first, *rest]:
        check(json.loads(line))


def interrupt_a_pipe(path):
    """A list that nobody writes: a signal ends the process at once, and no sentence blames the list."""
    os.mkfifo(path)
    for is_open in (False, True):
        holder = os.open(path, os.O_RDWR) if is_open else None
        bench = subprocess.Popen([clmove, "bench", "--workloads", path, "--device", device],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        assert bench.poll() is None
        bench.send_signal(signal.SIGTERM)
        assert bench.communicate(timeout=60) == ("", "")
        assert bench.returncode == -signal.SIGTERM, bench.returncode
        if is_open:
            os.close(holder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "workloads.json")
        with open(path, "w") as file:
            json.dump(WORKLOADS, file)
        quick = ["--workloads", path, "--device", device, "--seconds", "0.02"]
        found = lines(*quick, "--json")
        assert [it["name"] for it in found] == [it["name"] for it in WORKLOADS]
        assert [it["op"] for it in found] == [it["op"] for it in WORKLOADS]
        assert [(it["bytes_read"], it["bytes_written"]) for it in found] == [
            (51, 510), (2048, 6144), (49152, 49152), (1572864, 1572864), (2016, 2016),
            (16800, 16800), (288, 1728)], found
        for it in found:
            check(it)
            assert not it["cold"]
            words = shlex.split(it["repro"])
            assert words[:2] == ["clmove", "bench"]
            [again] = lines(*words[2:], "--json")
            check(again)
            assert [again[key] for key in ("op", "variant", "bytes_read", "bytes_written", "repro")] == [
                it[key] for key in ("op", "variant", "bytes_read", "bytes_written", "repro")]
        [cold] = lines(*quick, "--json", "--cold", "--only", "ro")
        check(cold)
        assert cold["cold"] and cold["name"] == "row" and cold["repro"].endswith(" --cold")

        table = run(*quick)
        assert table.returncode == 0 and table.stderr == "", table
        for it in found:
            assert it["name"] in table.stdout and it["repro"] in table.stdout, table.stdout

        wide = run(*quick, "--json", "--variant", "copy")
        assert wide.returncode == 1 and wide.stdout == "" and "fits no case" in wide.stderr, wide

        if device == "host":
            [last] = lines("--device", device, "--seconds", "0.01", "--json", "--only", "ttc57")
            assert (last["name"], last["op"], last["bytes_read"]) == ("ttc57", "permute", 4 * 112 * 15 * 15 * 15 * 5 * 32), last
        interrupt(os.path.join(folder, "many.json"))
        interrupt_a_pipe(os.path.join(folder, "pipe"))
        if device in ("host", "cpu"):
            keeps_its_limit(os.path.join(folder, "long.json"))
        if flip:
            wrong = run(*quick, "--json", "--only", "blocks", env=dict(os.environ, LD_PRELOAD=flip))
            assert wrong.returncode == 1 and wrong.stdout == "", wrong
            assert "blocks is wrong, and was not measured: byte 5 of 49152 of the result is 0x" in wrong.stderr, wrong
            assert "clmove bench space-to-depth --shape 1,3,64,64 --element-bytes 4" in wrong.stderr, wrong


main()
