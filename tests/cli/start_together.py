#!/usr/bin/env python3
"""Many processes start together, and find POCL's cache of kernels empty: start_together.py CLMOVE PROCESSES

All compile the same kernels into one folder. Each must end with status 0 and the right bytes. Exit status 77 when there is no
POCL.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy

CLMOVE, PROCESSES = os.path.abspath(sys.argv[1]), int(sys.argv[2])
SECONDS = 570  # less than CTest allows, so that no process is left


def has_pocl():
    devices = json.loads(subprocess.run([CLMOVE, "devices", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    return any(it["type"] == "cpu" and "Portable Computing Language" in it["platform"] for it in devices)


def files_below(folder):
    return [name for _, _, names in os.walk(folder) for name in names]


def main():
    if not has_pocl():
        print("start_together: skipped: there is no POCL")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "cache")
        os.mkdir(cache)
        environment = dict(os.environ, POCL_CACHE_DIR=cache, CLMOVE_PROGRAM_CACHE="0")
        src = numpy.arange(35, dtype="<i4").reshape(5, 7) * 2654435
        numpy.save(os.path.join(folder, "src.npy"), src)
        wanted = numpy.tile(src, (2, 3))
        waiting, start = os.pipe()  # they begin when it is closed
        running = []
        try:
            for number in range(PROCESSES):
                running.append(subprocess.Popen(["sh", "-c", 'read -r _; exec "$@" </dev/null', "sh", CLMOVE, "tile", "src.npy",
                                                 f"{number}.npy", "--repeats", "2,3", "--device", "cpu"], env=environment, cwd=folder,
                                                stdin=waiting, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
            assert not files_below(cache), "POCL's cache is not empty"
            begun = time.monotonic()
            os.close(start)
            for number, it in enumerate(running):
                _, told = it.communicate(timeout=max(begun + SECONDS - time.monotonic(), 1))
                assert it.returncode == 0, (number, it.returncode, told)
        finally:
            for it in running:
                it.kill()
                it.wait()
        for number in range(PROCESSES):
            got = numpy.load(os.path.join(folder, f"{number}.npy"))
            assert got.dtype == wanted.dtype and numpy.array_equal(got, wanted), (number, got)
        kept = files_below(cache)
        assert kept, "POCL has not used the empty cache"
        print(f"start_together: {PROCESSES} processes, all right, in {time.monotonic() - begun:.1f} s; {len(kept)} files in the cache")


main()
