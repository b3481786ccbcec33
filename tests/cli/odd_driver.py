#!/usr/bin/env python3
"""A driver whose name and version have control characters and text that turns around: odd_driver.py CLMOVE LAYER

No command brings them to the terminal, and JSON has them escaped. LAYER is the one of faults.h. Exit status 77 when the loader of
OpenCL knows no layers.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys
import tempfile

CLMOVE, LAYER = (os.path.abspath(it) for it in sys.argv[1:3])
HIDDEN = ("\x1b", "\x7f", "\x9b", "\u202e")
MARK = "x" + "".join(HIDDEN)
SHOWN = r"x\x1b\x7f\u009b\u202e"
TILE = ["--shape", "5", "--element-bytes", "4", "--repeats", "2"]
BRIEF = ["--seconds", "0.000001"]


def environment(folder):
    mine = {name: value for name, value in os.environ.items() if name not in ("CLMOVE_TUNING_FILE", "CLMOVE_CALIBRATION_FILE")}
    return dict(mine, OPENCL_LAYERS=LAYER, CLMOVE_TEST_MARK=MARK, XDG_CONFIG_HOME=folder)


def run(folder, command):
    ran = subprocess.run([CLMOVE, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, timeout=120,
                         check=False, env=environment(folder))
    return ran, ran.stdout.decode(), ran.stderr.decode()


def check_hidden(command, said):
    names = [letter for letter in HIDDEN if letter in said]
    assert not names, (command, names, said)


def check_tune(folder):
    """Its first line, for the rest takes long."""
    with subprocess.Popen([CLMOVE, "tune", "--dry-run", "--device", "cpu"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder,
                          env=environment(folder)) as tune:
        said = tune.stdout.readline().decode()
        tune.kill()
    check_hidden("tune", said)
    assert SHOWN in said, said


def main():
    with tempfile.TemporaryDirectory() as folder:
        listed = json.loads(run(folder, ["devices", "--json"])[1])
        if not any(MARK in it["name"] for it in listed):
            print("odd_driver: skipped: the loader of OpenCL knows no layers")
            return 77
        header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }"
        with open(os.path.join(folder, "src.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117) + b"\n" + bytes(5))
        here = ["--device", "cpu"]
        for command in (["devices"], ["devices", "--verbose"], ["devices", "--json", "--verbose"],
                        ["tile", "src.npy", "dst.npy", "--repeats", "2", "--verbose", *here],
                        ["explain", "tile", *TILE, "--verbose", "--device", "cpu,host"], ["verify", "--cases", "1", *here],
                        ["bench", "tile", *TILE, *BRIEF, *here], ["bench", "tile", *TILE, *BRIEF, "--json", *here],
                        ["bench", "tile", *TILE, *BRIEF, "--transfer", *here],
                        ["advise", "tile", *TILE, *here], ["advise", "tile", *TILE, "--json", *here],
                        ["calibrate", *BRIEF, "--dry-run", *here], ["calibrate", *BRIEF, "--dry-run", "--json", *here]):
            ran, out, err = run(folder, command)
            check_hidden(command, out + err)
            assert ran.returncode in (0, 1), (command, ran)
            if "--json" in command:
                json.loads(out.splitlines()[0] if command[0] != "devices" else out)
            else:
                assert SHOWN in out + err, (command, out, err)
        check_tune(folder)
    return 0


sys.exit(main())
