#!/usr/bin/env python3
"""Files when things go wrong around them: files.py CLMOVE MEDDLE FOLDER DEVICE...

Sources that change or shrink while they are used, standard streams that are closed or full, and who may open what replaces a file.
MEDDLE is a library that changes src.npy when it is loaded as that of OpenCL. FOLDER is made, and emptied.

SPDX-License-Identifier: Apache-2.0
"""
import itertools
import json
import os
import shutil
import struct
import subprocess
import sys
import threading
import time

CLMOVE, MEDDLE, FOLDER = (os.path.abspath(it) for it in sys.argv[1:4])
DEVICES = sys.argv[4:]
PAST = (10**9, 10**9)


def npy(shape, data, descr="<f4"):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00\x76\x00" + text.ljust(117) + b"\n" + data


def put(name, content):
    with open(name, "wb") as file:
        file.write(content)
    os.utime(name, PAST)


def get(name):
    with open(name, "rb") as file:
        return file.read()


def run(*arguments, rc=0, **options):
    """What stands on stderr."""
    done = subprocess.run([CLMOVE, *arguments], stderr=subprocess.PIPE, timeout=120, check=False, **options)
    assert done.returncode == rc, done
    return done.stderr.decode()


def check_left(*names):
    assert sorted(os.listdir(".")) == sorted(names), os.listdir(".")


def clean():
    for name in os.listdir("."):
        os.remove(name)


DATA = bytes(i % 251 for i in range(7 * 9 * 4))
SOURCE = npy((7, 9), DATA)
TWICE = npy((14, 9), DATA + DATA)


def check_meddled():
    """A source that becomes another one while the device is looked for."""
    size = len(SOURCE)
    for what, rc, sentence in (("empty", 1, f"changed while it was in use, from {size} bytes to 0; nothing was written"),
                               ("shrink", 1, f"changed while it was in use, from {size} bytes to {size - 1}; nothing was written"),
                               ("grow", 1, f"changed while it was in use, from {size} bytes to {size + 1}; nothing was written"),
                               ("rewrite", 1, "changed while it was in use; nothing was written"),
                               ("rewrite silently", 0, None), ("replace", 0, None)):
        put("src.npy", SOURCE)
        put("other.npy", npy((5,), bytes(40), ">c8"))
        put("dst.npy", b"old")
        said = run("tile", "src.npy", "dst.npy", "--repeats", "2,1", "--quiet", rc=rc,
                   env=dict(os.environ, CLMOVE_DEVICE="auto", CLMOVE_OPENCL_LIBRARY=MEDDLE, CLMOVE_TEST_MEDDLE=what))
        assert said == (f"clmove: src.npy: {sentence}\n" if sentence else ""), (what, said)
        assert get("dst.npy") == (b"old" if rc else TWICE), what
        clean()


def check_flipped():
    """The digits of the shape change all the time, as the size that they claim is there or not."""
    few, many = (npy(f"({digit}, 100)", bytes(400)) for digit in "19")
    assert len(few) == len(many)
    put("src.npy", few)
    stop = threading.Event()
    flips = 0

    def flip():
        nonlocal flips
        at = few.index(b"(1, ") + 1
        with open("src.npy", "r+b", buffering=0) as file:
            while not stop.is_set():
                for digit in b"19":
                    os.pwrite(file.fileno(), bytes([digit]), at)
                os.utime("src.npy", PAST)  # what is seen of it is to be the header alone
                flips += 1

    thread = threading.Thread(target=flip)
    thread.start()
    answers = {}
    try:
        for _ in range(100):
            done = subprocess.run([CLMOVE, "tile", "src.npy", "dst.npy", "--repeats", "2,1", "--device", "host"],
                                  stderr=subprocess.PIPE, timeout=60, check=False)
            if done.returncode == 0:
                assert get("dst.npy") == npy((2, 100), bytes(800)), get("dst.npy")[:128]
                os.remove("dst.npy")
            else:
                assert done.returncode == 1 and done.stderr.count(b"\n") == 1, done
                assert b"it is truncated" in done.stderr or b"changed while it was in use" in done.stderr, done
                assert not os.path.exists("dst.npy")
            answers[done.returncode] = answers.get(done.returncode, 0) + 1
    finally:
        stop.set()
        thread.join()
    assert flips > 100, flips
    clean()


def unfinished(process):
    """Whether the file to be is there."""
    try:
        folder = f"/proc/{process.pid}/fd"
        return any("(deleted)" in it or "/.clmove-" in it for it in (os.readlink(f"{folder}/{fd}") for fd in os.listdir(folder)))
    except OSError:  # it ended, or closed one
        return False


def start_to_move(device, mib):
    """The process, which moves a large source."""
    put("src.npy", npy((mib, 1 << 18), b""))
    os.truncate("src.npy", 128 + (mib << 20))
    os.utime("src.npy", PAST)
    process = subprocess.Popen([CLMOVE, "tile", "src.npy", "dst.npy", "--repeats", "1,1", "--device", device, "--quiet"],
                               stderr=subprocess.PIPE)
    while process.poll() is None and not unfinished(process):
        time.sleep(0.001)
    return process


def check_changing(device):
    """The source changes while it is moved, after it was looked at for the last time before: the result may be of both."""
    for _ in range(8):
        process = start_to_move(device, 96)
        os.truncate("src.npy", 129 + (96 << 20))
        said = process.communicate(timeout=120)[1].decode()
        failed = process.returncode == 1
        if failed:
            assert said == "clmove: src.npy: changed while it was in use, from 100663424 bytes to 100663425; nothing was written\n", said
            check_left("src.npy")
        else:
            assert process.returncode == 0 and said == "", (process.returncode, said)
        clean()
        if failed:
            return
    assert False, "no run was caught while it moved"


def check_shrinking(device):
    """The source shrinks while it is moved, which workers of drivers meet too: a sentence, and nothing is left."""
    shrank = 0
    for i in range(8):
        process = start_to_move(device, 384)
        time.sleep(0.004 * i)
        os.truncate("src.npy", 128)
        said = process.communicate(timeout=120)[1].decode()
        assert process.returncode in (0, 1), (process.returncode, said)
        if process.returncode == 1:
            assert said.startswith("clmove: ") and said.count("\n") == 1 and ("shrank" in said or "changed" in said), said
            check_left("src.npy")
        shrank += "shrank" in said
        clean()
        if shrank >= 2:
            return
    assert shrank, "no run was caught while it moved"


def check_streams():
    """Descriptors 0 to 2 are never those of files that are opened."""
    put("src.npy", SOURCE)
    for count in range(4):
        for closed in itertools.combinations(range(3), count):
            os.mkfifo("pipe")
            redirect = " ".join(f"{fd}{'<' if fd == 0 else '>'}&-" for fd in closed)
            process = subprocess.Popen(["sh", "-c", f'exec "$1" tile pipe dst.npy --repeats 2,1 --device host {redirect}', "sh", CLMOVE],
                                       stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            with open("pipe", "wb") as file:  # opened when the command opens it
                for fd in closed:
                    assert os.readlink(f"/proc/{process.pid}/fd/{fd}") == "/dev/null", closed
                file.write(SOURCE)
            said = process.communicate(timeout=60)[1]
            assert process.returncode == 0 and said == b"", (closed, process.returncode, said)
            assert get("dst.npy") == TWICE, closed
            os.remove("dst.npy")
            os.remove("pipe")
    # What no kernels are named is refused where they are listed as where they are used.
    if "cpu" in DEVICES:
        for command in (["devices"], ["tile", "src.npy", "dst.npy", "--repeats", "2,1", "--device", "cpu"]):
            done = subprocess.run([CLMOVE, *command], env=dict(os.environ, CLMOVE_KERNELS="foo"), capture_output=True, check=False, timeout=60)
            assert done.returncode == 1 and done.stdout == b"", done
            assert done.stderr == b'clmove: CLMOVE_KERNELS is "foo", it must be plain or clang, or nothing\n', done
    # What a driver says goes nowhere, and not into the result.
    if "cpu" in DEVICES:
        subprocess.run(["sh", "-c", 'exec "$1" tile src.npy dst.npy --repeats 2,1 --device cpu --verbose 2>&-', "sh", CLMOVE], check=True,
                       env=dict(os.environ, POCL_DEBUG="all"), timeout=120)
        assert get("dst.npy") == TWICE
        os.remove("dst.npy")
    for redirect, rc in ((">&-", 0), (">/dev/full", 0), ("2>/dev/full --verbose", 0)):
        done = subprocess.run(["sh", "-c", f'"$1" tile src.npy dst.npy --repeats 2,1 --device host {redirect}', "sh", CLMOVE],
                              check=False, timeout=60)
        assert done.returncode == rc and get("dst.npy") == TWICE, redirect
        os.remove("dst.npy")
    task = "tile --shape 4 --element-bytes 1 --repeats 2 --device host"
    for redirect, why in ((">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")):
        for command in ("devices", "devices --json", f"explain {task}", f"advise {task}", f"bench {task} --seconds .01"):
            done = subprocess.run(["sh", "-c", f'"$1" {command} {redirect}', "sh", CLMOVE], stderr=subprocess.PIPE, check=False, timeout=60)
            said = done.stderr.decode()
            assert done.returncode == 1 and said.count("written") == 1, done
            assert f"clmove: standard output cannot be written: {why}\n" in said, done
    # What --verbose says is said before the name is given: one that cannot read it on has the result, or its file of before.
    reader, writer = os.pipe()
    os.close(reader)
    put("dst.npy", b"old")
    done = subprocess.run([CLMOVE, "tile", "src.npy", "dst.npy", "--repeats", "2,1", "--device", "host", "--verbose"], stderr=writer,
                          check=False, timeout=60)
    os.close(writer)
    assert done.returncode != 0 and get("dst.npy") == b"old", done
    clean()


def check_terminal():
    """Names that others gave come to the terminal in letters that one sees, in tables and in JSON."""
    name = "a\x9b\u202e\u00e4"
    shape = {"op": "tile", "shape": [4], "repeats": [2], "dtype": "f32"}
    with open("cases.json", "w", encoding="utf-8") as file:
        json.dump([dict(shape, name=name)], file)
    command = [CLMOVE, "bench", "--workloads", "cases.json", "--device", "host", "--seconds", "0.01"]
    for more in ([], ["--json"], ["--transfer"], ["--transfer", "--json"]):
        printed = subprocess.run(command + more, stdout=subprocess.PIPE, timeout=120, check=True,
                                 env=dict(os.environ, CLMOVE_CALIBRATION_FILE="")).stdout
        assert b"a" in printed and not any(byte < 0x20 and byte != 0x0A or byte == 0x7F for byte in printed), (more, printed)
        for raw in ("\x9b", "\u202e"):
            assert raw.encode() not in printed, (more, printed)
        if "--json" in more:
            assert json.loads(printed.splitlines()[0])["name"] == name, printed
            assert printed.isascii()
        else:
            assert r"a\u009b\u202eä".encode() in printed, printed
    clean()
    path = "c\x7f\x7f\x1b.conf\x7f"
    printed = subprocess.run([CLMOVE, "calibrate", "--device", "host", "--seconds", "0.02", "--dry-run", "--json"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, timeout=120, check=True, env=dict(os.environ, CLMOVE_CALIBRATION_FILE=path)).stdout
    assert json.loads(printed)["file"] == path and b"\x7f" not in printed and b"\x1b" not in printed, printed
    folder = "f\x1b[2J"
    os.mkdir(folder)
    environment = {key: value for key, value in os.environ.items() if key != "CLMOVE_TUNING_FILE"}
    listed = subprocess.run([CLMOVE, "devices", "--verbose"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=True,
                            env=dict(environment, XDG_CONFIG_HOME=os.path.abspath(folder)))
    assert b"\x1b" not in listed.stdout and rb"f\x1b[2J/clmove/tuning.conf" in listed.stdout, listed
    os.rmdir(folder)


def status(name):
    it = os.stat(name)
    return f"{it.st_mode & 0o7777:o}", it.st_uid, it.st_gid


def replace(name):
    run("tile", "src.npy", name, "--repeats", "2,1", "--device", "host")
    assert get(name) == TWICE


ACL = "system.posix_acl_access"


def acl(owner, group, others, user=None):
    """The list as Linux keeps it: of the version, and of tag, rights and number."""
    entries = [(1, owner, 0xFFFFFFFF), (4, group, 0xFFFFFFFF), (32, others, 0xFFFFFFFF)]
    if user is not None:
        entries += [(2, user[1], user[0]), (16, group | user[1], 0xFFFFFFFF)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *it) for it in sorted(entries))


def check_permissions():
    put("src.npy", SOURCE)
    os.chmod(".", 0o777)
    for mode in (0o4755, 0o2775, 0o1644, 0o7777):
        put("dst.npy", b"old")
        os.chmod("dst.npy", mode)
        replace("dst.npy")
        assert status("dst.npy") == (f"{mode & 0o777:o}", os.getuid(), os.getgid()), status("dst.npy")
        os.remove("dst.npy")
    if os.getuid() == 0:
        # Root gives it to whom it was, without what lets programs run as that user.
        put("dst.npy", b"old")
        os.chown("dst.npy", 1000, 1001)
        os.chmod("dst.npy", 0o6751)
        replace("dst.npy")
        assert status("dst.npy") == ("751", 1000, 1001), status("dst.npy")
        os.remove("dst.npy")
    # Lists of further users are kept, and a folder's own do not come to a file that had none.
    put("dst.npy", b"old")
    try:
        os.setxattr("dst.npy", ACL, acl(6, 4, 0, (12345, 6)))
    except OSError:
        print("files: no access control lists here")
        clean()
        return
    before = os.getxattr("dst.npy", ACL)
    replace("dst.npy")
    assert os.getxattr("dst.npy", ACL) == before
    os.remove("dst.npy")
    os.setxattr(".", "system.posix_acl_default", acl(7, 7, 7, (12345, 7)))
    put("dst.npy", b"old")
    os.removexattr("dst.npy", ACL)
    os.chmod("dst.npy", 0o660)
    replace("dst.npy")
    assert ACL not in os.listxattr("dst.npy") and status("dst.npy")[0] == "660", os.listxattr("dst.npy")
    os.removexattr(".", "system.posix_acl_default")
    clean()


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    os.chdir(FOLDER)
    os.umask(0o022)
    check_meddled()
    check_flipped()
    check_streams()
    check_terminal()
    check_permissions()
    for device in DEVICES:
        check_changing(device)
        check_shrinking(device)
    check_left()


main()
