#!/usr/bin/env python3
"""A command can be ended while the driver builds a program: slow_build.py CLMOVE LAYER

LAYER makes each build take a minute, whatever signals come. Exit status 77 when the loader of OpenCL knows no layers.

SPDX-License-Identifier: Apache-2.0
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

CLMOVE, LAYER = sys.argv[1:3]
BUILD_SECONDS, PATIENCE = 60, 20
COMMANDS = [
    ["tile", "src.npy", "dst.npy", "--repeats", "2", "--device", "cpu"],
    ["verify", "--cases", "3", "--device", "cpu"],
    ["bench", "--device", "cpu", "--only", "tile_odd"],
    ["bench", "--start", "--device", "cpu"],
    ["calibrate", "--device", "cpu"],
    ["tune", "--device", "cpu"],
]


def environment(folder):
    mine = {name: value for name, value in os.environ.items() if name not in ("CLMOVE_TUNING_FILE", "CLMOVE_CALIBRATION_FILE")}
    return dict(mine, OPENCL_LAYERS=LAYER, CLMOVE_TEST_BUILD_SECONDS=str(BUILD_SECONDS), CLMOVE_PROGRAM_CACHE="0",
                XDG_CONFIG_HOME=folder)


def knows_layers(folder):
    begun = time.monotonic()
    subprocess.run([CLMOVE, "explain", "tile", "--shape", "5", "--repeats", "2", "--element-bytes", "4", "--device", "cpu"],
                   env=environment(folder) | {"CLMOVE_TEST_BUILD_SECONDS": "3"}, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begun >= 3


def end(command, sends, folder):
    child = subprocess.Popen([CLMOVE, *command], env=environment(folder), cwd=folder, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    assert child.poll() is None, (command, child.returncode, child.stderr.read())  # it has met the build
    begun = time.monotonic()
    child.send_signal(sends)
    try:
        child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        raise
    assert time.monotonic() - begun < PATIENCE
    assert child.returncode == -sends, (command, sends, child.returncode, child.stderr.read())
    left = [name for _, _, names in os.walk(folder) for name in names]
    assert left == ["src.npy"], (command, left)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if not knows_layers(folder):
            print("slow_build: skipped: the loader of OpenCL knows no layers")
            return 77
        with open(os.path.join(folder, "src.npy"), "wb") as file:
            header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1000,), }"
            file.write(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117) + b"\n" + bytes(1000))
        for command in COMMANDS:
            for sends in (signal.SIGINT, signal.SIGTERM) if command[0] == "bench" else (signal.SIGTERM,):
                end(command, sends, folder)
    return 0


sys.exit(main())
