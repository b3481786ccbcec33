#!/usr/bin/env python3
"""A command can be ended while the driver builds a program: slow_build.py CLMOVE LAYER

LAYER makes each build take a minute, whatever signals come, and says when one begins. Exit status 77 when the loader of OpenCL knows no layers.

SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
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


def environment(folder, sign, seconds=BUILD_SECONDS):
    mine = {name: value for name, value in os.environ.items() if name not in ("CLMOVE_TUNING_FILE", "CLMOVE_CALIBRATION_FILE")}
    return dict(mine, OPENCL_LAYERS=LAYER, CLMOVE_TEST_BUILD_SECONDS=str(seconds), CLMOVE_TEST_BUILD_BEGUN=sign,
                CLMOVE_PROGRAM_CACHE="0", XDG_CONFIG_HOME=folder)


def knows_layers(folder):
    sign = os.path.join(folder, "sign")
    subprocess.run([CLMOVE, "explain", "tile", "--shape", "5", "--repeats", "2", "--element-bytes", "4", "--device", "cpu"],
                   env=environment(folder, sign, 0), stdout=subprocess.DEVNULL, check=True)
    return os.path.exists(sign)


def end(command, sends):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as beside:
        with open(os.path.join(folder, "src.npy"), "wb") as file:
            header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1000,), }"
            file.write(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117) + b"\n" + bytes(1000))
        sign = os.path.join(beside, "sign")
        child = subprocess.Popen([CLMOVE, *command], env=environment(folder, sign), cwd=folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        for _ in range(int(BUILD_SECONDS / 0.02)):
            if os.path.exists(sign) or child.poll() is not None:
                break
            time.sleep(0.02)
        time.sleep(0.1)
        assert child.poll() is None, (command, child.returncode, child.stderr.read())  # it has met the build
        assert os.path.exists(sign), (command, "builds nothing")
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
    # Most of the time is waited, so some at once.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        ended = [pool.submit(end, command, sends) for command in COMMANDS
                 for sends in ((signal.SIGINT, signal.SIGTERM) if command[0] == "bench" else (signal.SIGTERM,))]
        for it in ended:
            it.result()
    return 0


sys.exit(main())
