#!/usr/bin/env python3
"""Calibration and advice on one device: what is written is followed, the file is replaced whole, and auto goes by it.

usage: calibrate.py CLMOVE DEVICE LAYER
No figure that is measured is judged: where calibrate says that the machine is too busy, the file has to be as it was, and the section
is made of the figures of a dry run. LAYER makes an OpenCL CPU device say that it is a GPU.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from calibration_text import section_of

clmove, device, layer = sys.argv[1:4]
for variable in ("CLMOVE_DEVICE", "CLMOVE_TUNING", "CLMOVE_CALIBRATION_FILE"):
    os.environ.pop(variable, None)
OTHER = "# mine\n[device none | 0]\nlaunch_ns = whatever\n\n"
TILE = ("tile", "--shape", "1,3,256,256", "--element-bytes", "4", "--repeats", "32,1,1,1")


START = r"clmove: calibrate measures twice: about [0-9.e+]+ s in all, at most [0-9.e+]+ s where the machine is busy\. Programs that the driver has to build take additional time\n"
UNCLEAR = r"clmove: what was measured is not clear: .* Nothing is kept, and (.*) stays as it was\. .*\n"


def run(*arguments, rc=0, quiet=True, **variables):
    ran = subprocess.run([clmove, *arguments], timeout=110, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=dict(os.environ, **variables))
    assert ran.returncode == rc, ran
    assert (ran.stderr == "") == quiet, ran
    return ran.stdout if quiet else ran.stderr


def calibrate(*arguments, notes=0, **variables):
    """What calibrate says, whether it was clear, and what else it noted. Its file has to be as it was unless it was clear."""
    path = variables.get("CLMOVE_CALIBRATION_FILE", "/nowhere")
    before = read(path) if os.path.exists(path) else None
    ran = subprocess.run([clmove, "calibrate", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=dict(os.environ, **variables))
    told, starts = re.subn(START, "", ran.stderr)
    found = re.search(UNCLEAR, told)
    told = re.sub(UNCLEAR, "", told)
    is_dry = "--dry-run" in arguments
    assert starts == 1 and told.count("\n") == notes, ran
    assert ran.returncode == (1 if found and not is_dry else 0), ran
    if found and not is_dry:
        assert found[1] == path, ran
    after = read(path) if os.path.exists(path) else None
    assert (after == before) == bool(found or is_dry), (ran, before, after)
    if "--json" in arguments:
        shown = json.loads(ran.stdout)
        if max(shown["measured_sizes"].values()) < 9:
            assert found, ran  # nothing of 1 MiB or more that two measurements could agree on
        assert shown["noise"] >= 0 and shown["clear"] == (not found), ran
        assert shown["written"] == (shown["clear"] and not is_dry), ran
        assert shown["noise"] < 0.2 or found, ran
    return ran.stdout, not found, told


def read(path):
    with open(path) as file:
        return file.read()


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def check_calibration(found):
    places = {"host"} if device == "host" else {"host", "device"}
    assert set(found["slowdown"]) == places and len(found["sizes"]) == 17, found
    assert (len(found["seconds"]), found["launch_seconds"] is None) == ((2, True) if device == "host" else (7, False)), found
    for name, seconds in found["seconds"].items():
        assert len(seconds) == 17 and min(seconds) > 0, (name, seconds)
        assert 1 <= found["measured_sizes"][name] <= 17, found


def check_advice(found, calibrated):
    assert found["calibrated"] == calibrated and found["bytes_written"] == 32 * found["bytes_read"], found
    assert [(it["from"], it["to"]) for it in found["advice"]] == [
        ("host", "host"), ("host", "device"), ("device", "host"), ("device", "device")], found
    for it in found["advice"]:
        best = min(it["ways"], key=lambda way: way["seconds"])
        assert it["choice"] == best["way"] and best["way"] in it["reason"] + "host", it
        assert ("guess" in it["reason"]) != calibrated, it
        assert len(it["ways"]) == (1 if device == "host" else 2), it


def check_table(shown):
    """One row and one sentence where all places are the host's memory, else two rows and a sentence for each pair."""
    rows, reasons = shown.split("\n\n")
    if device == "host":
        assert rows.count("\n") == 2 and "\nany     any     * host " in rows, shown
        assert reasons.startswith("the host is the device, so there is one way, which takes ") and reasons.count("\n") == 1, shown
    else:
        assert rows.count("\n") == 9 and reasons.count("\n") == 4 and reasons.count(" over the link, ") == 4, shown
        assert reasons.startswith("from host to host: ") and " bytes" not in reasons, shown


def favour(text, host):
    """The section with either the host or the device taking next to nothing."""
    lines = []
    for line in text.splitlines():
        key = line.split(" ")[0]
        if key.endswith("_ns"):
            count = len(line.split("=")[1].split())
            line = f"{key} = " + " ".join(["1" if key.startswith("host") == host else "1000000000"] * count)
        lines.append(line)
    return "\n".join(lines) + "\n"


def check_unsaid(folder):
    """What cannot be printed is not kept either."""
    path = os.path.join(folder, "unsaid.conf")
    before = "# mine\n"
    write(path, before)
    for arguments in ((), ("--json",)):
        with open("/dev/full", "w") as full:
            ran = subprocess.run([clmove, "calibrate", "--device", device, "--seconds", "0.05", *arguments], stdout=full,
                                 stderr=subprocess.PIPE, text=True, env=dict(os.environ, CLMOVE_CALIBRATION_FILE=path))
        assert ran.returncode == 1 and "standard output cannot be written" in ran.stderr and read(path) == before, ran


def check_own(folder, header, section):
    """Without the variable each device has its own file, which goes over the one for all."""
    config = os.path.join(folder, "config")
    own = dict(XDG_CONFIG_HOME=config)
    told = json.loads(calibrate("--device", device, "--seconds", "0.05", "--dry-run", "--json", **own)[0])
    path = told["file"]
    assert os.path.dirname(path) == os.path.join(config, "clmove", "calibration"), path
    assert re.fullmatch(r"host\.ini" if device == "host" else r"[A-Za-z0-9._-]+-[0-9a-f]{16}\.ini", os.path.basename(path)), path
    os.makedirs(os.path.dirname(path))
    write(os.path.join(config, "clmove", "calibration.conf"), OTHER + section)
    check_advice(json.loads(run("advise", *TILE, "--device", device, "--json", **own)), True)
    write(path, "[device another | 1]\nlaunch_ns = 1\n")
    told = run("advise", *TILE, "--device", device, quiet=False, **own)
    assert told.startswith(f"clmove: note: calibration: {path} has no section {header}; it is ignored"), told
    write(path, section)
    check_advice(json.loads(run("advise", *TILE, "--device", device, "--json", **own)), True)


def check_auto(folder):
    """auto on what says it is a GPU runs where the file says that it is faster, and says so."""
    layered = {"OPENCL_LAYERS": layer, "CLMOVE_TEST_GPU": "1"}
    if "gpu" not in [it["type"] for it in json.loads(run("devices", "--json", **layered))]:
        return  # the loader knows no layers
    path = os.path.join(folder, "gpu.conf")
    src, dst = (os.path.join(folder, name) for name in ("src.npy", "dst.npy"))
    layered["CLMOVE_CALIBRATION_FILE"] = path
    with open(src, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '|u1', 'fortran_order': False, 'shape': (6,), }".ljust(117) + b"\n" + b"abcdef")
    measured = section_of(json.loads(calibrate("--device", "gpu", "--seconds", "0.02", "--dry-run", "--json", **layered)[0]))
    for host in (True, False):
        write(path, favour(measured, host))
        told = run("tile", src, dst, "--repeats", "2", "--verbose", quiet=False, **layered)
        assert f"done by {'host' if host else 'opencl'}\n" in told, told
        assert open(dst, "rb").read().endswith(b"abcdefabcdef")
        told = run("tile", src, dst, "--repeats", "2", "--verbose", "--device", "gpu", quiet=False, **layered)
        assert "done by opencl\n" in told, told
        shown = run("explain", *TILE, "--device", "auto", "--verbose", **layered)
        assert ("with its transfers" in shown or "in place" in shown) != host and (" on the host (by its calibration)" in shown) == host, shown
        assert f"\nrun      the {'host' if host else 'device'} does clmove_run: " in shown, shown
        assert run("verify", "--cases", "5", **layered).endswith("0 runs by the host\n")  # the device all the same


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "below", "calibration.conf")
        named = {"CLMOVE_CALIBRATION_FILE": path}
        check_advice(json.loads(run("advise", *TILE, "--device", device, "--json", **named)), False)
        dry = json.loads(calibrate("--device", device, "--seconds", "0.05", "--dry-run", "--json", **named)[0])
        check_calibration(dry)
        for little in ({"seconds": "0.000001"}, {"seconds": "0.0001"}, {"seconds": "0.01", "budget": "128K"}):
            variables = dict(named, CLMOVE_MEMORY_BUDGET=little.get("budget", ""))
            check_calibration(json.loads(calibrate("--device", device, "--seconds", little["seconds"], "--dry-run", "--json",
                                                   **variables)[0]))
        assert not os.path.exists(path)

        shown, clear, _ = calibrate("--device", device, "--seconds", "0.05", "--json", **named)
        found = json.loads(shown)
        check_calibration(found)
        assert found["file"] == path
        section = read(path) if clear else section_of(dry)
        assert re.match(re.escape(found["header"]) + "\n# clmove [0-9.]+ calibrate, [-0-9]+\n", section), section
        write(path, section)
        check_advice(json.loads(run("advise", *TILE, "--device", device, "--json", **named)), True)

        for noise in (19, 20):
            write(path, re.sub("noise_percent = .*", f"noise_percent = {noise}", section))
            advice = json.loads(run("advise", *TILE, "--device", device, "--json", **named))
            assert all(("calibrated while the machine was busy" in way["reason"]) == (noise >= 20) for way in advice["advice"]), advice
        write(path, f"{OTHER}{found['header']}\nlaunch_ns = nonsense\n")
        told = run("calibrate", "--device", device, rc=1, quiet=False, **named)
        assert "calibration.conf: has \"[device none | 0]\", which would be lost" in told, told
        assert read(path) == f"{OTHER}{found['header']}\nlaunch_ns = nonsense\n"
        write(path, f"# mine\n{found['header']}\nlaunch_ns = nonsense\n")
        told = run("advise", *TILE, "--device", device, quiet=False, **named)
        assert told.startswith("clmove: note: calibration: ") and "launch_ns" in told, told
        _, clear, told = calibrate("--device", device, "--seconds", "0.05", notes=1, **named)
        assert told.count("calibration: ") == 1, told
        text = read(path)
        if clear:
            assert text.startswith(f"{found['header']}\n# clmove ") and "nonsense" not in text and "mine" not in text, text
        write(path, OTHER + section)
        assert os.listdir(os.path.dirname(path)) == ["calibration.conf"]
        shown = run("advise", *TILE, "--device", device, "--from", "host", "--to", "device", **named)
        assert "the file: " in shown and shown.count("\nhost ") == (1 if device == "host" else 2), shown
        check_table(run("advise", *TILE, "--device", device, **named))
        _, _, told = calibrate("--seconds", "0.05", "--dry-run", notes=1, OCL_ICD_VENDORS=os.path.join(folder, "none"), **named)
        assert told.count("the host takes over: ") == 1, told
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)  # which somebody may keep open and write nothing to: no reason to wait
        holder = os.open(pipe, os.O_RDWR)
        for strange in (pipe, folder, "/dev/zero"):
            told = run("advise", *TILE, "--device", device, "--json", quiet=False, CLMOVE_CALIBRATION_FILE=strange)
            assert told.startswith(f"clmove: note: calibration: {strange} cannot be a file of calibrations: it is no regular file"), told
            assert "name a regular file" in told and "makes a new one" not in told, told
        check_advice(json.loads(run("advise", *TILE, "--device", device, "--json", CLMOVE_CALIBRATION_FILE="/dev/null")), False)
        os.close(holder)
        check_own(folder, found["header"], section)
        check_unsaid(folder)
        check_auto(folder)


main()
