#!/usr/bin/env python3
"""Files larger than the memory budget and than the device's buffers: large.py CLMOVE FOLDER DEVICE

A SpaceToDepth of 6 GiB and a Tile whose destination is many times the device's largest buffer, with 256 MiB of memory budget; what
is resident stays below a bound, and every byte is right. On a terminal it shows how far it is. Exit status 77 when there is no
NumPy, no such device, or not the disk for it.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pty
import re
import shutil
import subprocess
import sys
import time

try:
    import numpy
except ImportError:
    print("large: skipped: there is no NumPy")
    sys.exit(77)

CLMOVE, FOLDER, DEVICE = sys.argv[1:4]
HEIGHT, WIDTH = 16384, 32768  # of 3 channels of f32: 6 GiB
DISK = 14 * 10**9
SHORT = 2.0  # seconds: the first half goes by without a line, and so may what comes before the run and after it
MOST_RESIDENT = 700 * 1024  # KiB: pieces, staging, and 83 MiB of POCL and LLVM
CLEAR = b"\r\x1b[K"
SRC, DST = os.path.join(FOLDER, "src.npy"), os.path.join(FOLDER, "dst.npy")


def environment(**more):
    return dict(os.environ, CLMOVE_DEVICE=DEVICE, CLMOVE_MEMORY_BUDGET="256M", **more)


def execute(arguments, env):
    """Runs the command with a terminal for its messages. Returns its exit status and what it said."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen([CLMOVE, *arguments], env=env, stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            got = os.read(ours, 4096)
        except OSError:  # what Linux says when the other side is closed
            break
        if not got:
            break
        text += got
    os.close(ours)
    return child.wait(), text.replace(b"\r\n", b"\n")


def run(what, arguments, env):
    """Runs the command, on success prints how it went, and checks what was resident. Returns the way that it went, and the lines
    about how far it was, each of which must have been taken away again."""
    start = time.monotonic()
    status, text = execute([*arguments, "--verbose"], env)
    seconds = time.monotonic() - start
    assert status == 0, text
    *shown, told = text.split(CLEAR)
    way = re.search(r"(in place|staged|host), in (\d+) pieces .*; at most (\d+) KiB resident", told.decode())
    assert way, text
    print(f"large: {what}: {way[0]}; {seconds:.1f} s", flush=True)
    assert int(way[3]) < MOST_RESIDENT, way[0]
    assert shown[1:] or seconds < SHORT, text
    for line in shown[1:]:
        assert re.fullmatch(rb"clmove: \d+ % of \d+\.\d\d GB, \d+\.\d{3} GB/s, \d+ (s|min) left", line), line
    return way[1], shown[1:]


def create(shape, rows):
    """A sparse array of zeros with noise in some rows of each plane, a different one at each place."""
    array = numpy.lib.format.open_memmap(SRC, "w+", numpy.float32, shape)
    words = array.view(numpy.uint32).reshape(-1, shape[-2], shape[-1])
    noise = numpy.random.default_rng(7)
    for plane in words:
        for row in rows:
            plane[row] = noise.integers(1, 2**32, shape[-1], numpy.uint32)


def check_blocks():
    """DST must be SpaceToDepth of SRC with blocks of 2, blocks first."""
    src = numpy.load(SRC, mmap_mode="r").view(numpy.uint32)[0]
    dst = numpy.load(DST, mmap_mode="r").view(numpy.uint32)[0]
    assert dst.shape == (12, HEIGHT // 2, WIDTH // 2), dst.shape
    step = 256
    for plane in range(3):
        for first in range(0, HEIGHT // 2, step):
            rows = src[plane, 2 * first : 2 * (first + step)]
            for down in range(2):
                for along in range(2):
                    got = dst[(down * 2 + along) * 3 + plane, first : first + step]
                    assert numpy.array_equal(got, rows[down::2, along::2]), (plane, first, down, along)


def check_tiles(repeats):
    src = numpy.load(SRC, mmap_mode="r").view(numpy.uint32)
    dst = numpy.load(DST, mmap_mode="r").view(numpy.uint32)
    assert dst.shape == (src.shape[0] * repeats, src.shape[1])
    for i in range(repeats):
        assert numpy.array_equal(dst[i * src.shape[0] : (i + 1) * src.shape[0]], src), i


def check_quiet(arguments):
    status, text = execute([*arguments, "--quiet"], environment())
    assert status == 0 and text == b"", text


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    if shutil.disk_usage(FOLDER).free < DISK:
        print("large: skipped: less than 14 GB of disk are free")
        return 77
    listed = subprocess.run([CLMOVE, "devices"], capture_output=True, text=True, check=False).stdout
    if DEVICE not in (line.split()[1] for line in listed.splitlines() if len(line.split()) > 1):
        print(f"large: skipped: there is no device {DEVICE}")
        return 77
    blocks = ["space-to-depth", SRC, DST, "--block-size", "2", "--mode", "blocks_first"]
    create((1, 3, HEIGHT, WIDTH), (0, 1, 2, HEIGHT // 2 - 1, HEIGHT // 2, HEIGHT - 2, HEIGHT - 1))
    ways = set()
    for name, env in (("6 GiB to depth", environment()), ("with buffers of 256 MiB", environment(POCL_MEMORY_LIMIT="1"))):
        way, shown = run(name, blocks, env)
        ways.add(way)
        check_blocks()
        if shown:
            print(f"large: on a terminal, {len(shown)} times: {shown[len(shown) // 2].decode()}", flush=True)
        os.unlink(DST)
    print(f"large: went {' and '.join(sorted(ways))}")
    done = subprocess.run([CLMOVE, *blocks, "--verify"], env=environment(), stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "no memory to verify its 6442450944 bytes: the budget has " in done.stderr, done
    assert os.listdir(FOLDER) == ["src.npy"], os.listdir(FOLDER)
    os.unlink(SRC)
    repeats = 100
    tile = ["tile", SRC, DST, "--repeats", f"{repeats},1"]
    create((1, 1024, 4096), range(1024))
    numpy.save(SRC + ".2.npy", numpy.load(SRC).reshape(1024, 4096))
    os.rename(SRC + ".2.npy", SRC)
    run("tile of 16 MiB to 1.6 GiB, with buffers of 256 MiB", tile, environment(POCL_MEMORY_LIMIT="1"))
    check_tiles(repeats)
    check_quiet(tile)
    return 0


try:
    status = main()
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
sys.exit(status)
