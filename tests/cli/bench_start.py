#!/usr/bin/env python3
"""clmove bench --start on one device: what its two kinds of starts say, that a start with the caches filled builds nothing from
source where the cache of programs is forced on, that nothing is left on disk, interrupts.

usage: bench_start.py CLMOVE DEVICE
No figure is judged.
"""
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

clmove, device = sys.argv[1:3]
os.environ.pop("CLMOVE_DEVICE", None)
os.environ.pop("CLMOVE_PROGRAM_CACHE", None)
os.environ.pop("CLMOVE_SELF_TEST", None)

TEXTS = {"name", "op", "device", "device_type", "variant", "start", "repro"}
COUNTS = {"runs", "programs_built", "programs_loaded", "self_tests"}
TIMES = {"seconds_min", "seconds_median", "open_seconds_median", "plan_seconds_median", "run_seconds_median",
         "plan_again_seconds_median", "run_again_seconds_median"}
SELF_TEST = "self_test_seconds_median"  # of which there may be none


TILE = "tile --shape 5,7 --element-bytes 3 --repeats 2,3"


def command(*arguments, operation=""):
    return [clmove, "bench", *operation.split(), "--start", "--device", device, "--seconds", "0.01", *arguments]


def run(folder, *arguments, operation="", **variables):
    ran = subprocess.run(command(*arguments, operation=operation), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=dict(os.environ, TMPDIR=folder, **variables))
    assert ran.returncode == 0 and ran.stderr == "", ran
    assert os.listdir(folder) == [], os.listdir(folder)
    return ran.stdout


def check(it, kind):
    keys = TEXTS | COUNTS | TIMES | {SELF_TEST, "verified"}
    assert set(it) == keys, set(it) ^ keys
    assert all(isinstance(it[key], str) and it[key] for key in TEXTS), it
    assert all(type(it[key]) is int for key in COUNTS), it
    assert all(type(it[key]) is float and it[key] > 0 for key in TIMES), it
    assert type(it[SELF_TEST]) is float and (it[SELF_TEST] > 0) == (it["self_tests"] > 0), it
    assert it[SELF_TEST] <= it["plan_seconds_median"] + it["run_seconds_median"], it  # medians of the same starts
    assert it["verified"] is True and it["start"] == kind and it["runs"] >= 5
    assert it["seconds_min"] <= it["seconds_median"]


def starts(folder, *arguments, **variables):
    lines = run(folder, "--json", *arguments, **variables).splitlines()
    cold, warm = (json.loads(line) for line in lines)
    check(cold, "cold")
    check(warm, "warm")
    assert all(cold[key] == warm[key] for key in TEXTS - {"start"}), lines
    return cold, warm


def interrupt_from_a_terminal(folder):
    """It sends the signal to the process under way, too. What was measured before is printed."""
    bench = subprocess.Popen(command("--seconds", "60", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             start_new_session=True, env=dict(os.environ, TMPDIR=folder))
    time.sleep(3)
    os.killpg(bench.pid, signal.SIGINT)
    said, _ = bench.communicate()
    assert bench.returncode == -signal.SIGINT, bench.returncode
    for line in said.splitlines():  # none where no start ended in time
        it = json.loads(line)
        assert it["runs"] > 0 and it["device"] != "-" and it["repro"] != "-", it
    assert said or device != "host"
    assert os.listdir(folder) == [], os.listdir(folder)


def interrupt(folder):
    bench = subprocess.Popen(command("--seconds", "100"), stdout=subprocess.PIPE, text=True,
                             env=dict(os.environ, TMPDIR=folder))
    for _ in range(600):  # until it has begun
        if os.listdir(folder):
            break
        time.sleep(0.1)
    time.sleep(0.3)
    bench.send_signal(signal.SIGINT)
    bench.communicate()
    assert bench.returncode == -signal.SIGINT, bench.returncode
    assert os.listdir(folder) == [], os.listdir(folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        # Forced on, so that this holds on POCL as it does on a driver without a cache.
        cold, warm = starts(folder, CLMOVE_PROGRAM_CACHE="1")
        programs = 0 if device == "host" else 1
        assert [cold["programs_built"], cold["programs_loaded"]] == [programs, 0], cold
        assert [warm["programs_built"], warm["programs_loaded"]] == [0, programs], warm
        assert cold["self_tests"] == warm["self_tests"] == programs, (cold, warm)  # built or loaded
        assert cold["op"] == "space_to_depth" and cold["name"] == "space_to_depth_1x3x224x224", cold
        words = shlex.split(cold["repro"])
        assert words[:2] == ["clmove", "bench"] and words[-1] == "--start", words

        cold, warm = starts(folder, operation=TILE, CLMOVE_PROGRAM_CACHE="0", CLMOVE_SELF_TEST="0")
        assert cold["self_tests"] == warm["self_tests"] == 0, (cold, warm)
        assert cold["repro"] == f"clmove bench {TILE} --device {device} --start", cold
        assert [warm["programs_built"], warm["programs_loaded"]] == [programs, 0], warm

        table = run(folder, operation=TILE)
        assert all(word in table for word in ("cold", "warm", "MEDIAN", "LOADED", "SELF-TEST", cold["device"], cold["repro"])), table
        interrupt(folder)
        interrupt_from_a_terminal(folder)


main()
