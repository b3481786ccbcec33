#!/usr/bin/env python3
"""An interrupt while progress is shown on a terminal takes the line away, and the half file: interrupt.py CLMOVE LAYER

LAYER makes the CPU device one behind a link of 1 MB/s, so that 64 MB take a minute each way on any machine. Exit status 77 when the
loader of OpenCL knows no layers.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile

CLMOVE, LAYER = sys.argv[1:3]
ROWS = 64  # of 10^6 bytes
CLEAR = b"\r\x1b[K"
ENVIRONMENT = dict(os.environ, OPENCL_LAYERS=LAYER, CLMOVE_TEST_LINK_GBPS="0.001", CLMOVE_TUNING="piece_bytes=65536")


def read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # what Linux says when the other side is closed
        return b""


def interrupt(folder, *, key=None, sends=None):
    """By a key on the terminal, or by a signal. Returns what stood on the terminal, and the exit status."""
    arguments = [CLMOVE, "tile", "src.npy", "dst.npy", "--repeats", "2,1", "--device", "gpu"]
    child, terminal = pty.fork()  # the child's own terminal, whose keys are its signals
    if child == 0:
        os.chdir(folder)
        os.execve(CLMOVE, arguments, ENVIRONMENT)
    text = b""
    while b" left" not in text:
        got = read(terminal)
        assert got, text  # it ended before it showed anything
        text += got
    files = [os.readlink(f"/proc/{child}/fd/{fd}") for fd in os.listdir(f"/proc/{child}/fd")]
    assert any(name.startswith(os.path.realpath(folder)) and ("(deleted)" in name or "/.clmove-" in name) for name in files), files
    if key:
        os.write(terminal, key)
    else:
        os.kill(child, sends)
    while True:
        got = read(terminal)
        if not got:
            break
        text += got
    os.close(terminal)
    return text, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main():
    listed = subprocess.run([CLMOVE, "devices", "--json"], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=True).stdout
    if "gpu" not in [it["type"] for it in json.loads(listed)]:
        print("interrupt: skipped: the loader of OpenCL knows no layers")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "src.npy"), "wb") as file:
            header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 1000000), }" % ROWS
            file.write(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117) + b"\n")
            file.truncate(128 + ROWS * 10**6)
        for how in ({"key": b"\x03"}, {"sends": signal.SIGINT}, {"sends": signal.SIGTERM}):
            text, status = interrupt(folder, **how)
            assert status == -how.get("sends", signal.SIGINT), (how, status)
            assert text.startswith(CLEAR + b"clmove: ") and text.endswith(CLEAR), text
            assert os.listdir(folder) == ["src.npy"], os.listdir(folder)
    return 0


sys.exit(main())
