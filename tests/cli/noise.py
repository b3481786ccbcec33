#!/usr/bin/env python3
"""calibrate and tune beside processes that keep every processor busy: what is not clear is not kept.

usage: noise.py CLMOVE DEVICE
The machine may be busy with other things as well, so no figure is judged that needs it quiet, with one exception: a calibration that is
kept all the same has to be within FACTOR of one made without the processes.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

clmove, device = sys.argv[1:3]
for variable in ("CLMOVE_DEVICE", "CLMOVE_TUNING", "CLMOVE_CALIBRATION_FILE", "CLMOVE_TUNING_FILE"):
    os.environ.pop(variable, None)
FACTOR = 2
UNCLEAR = r"clmove: what was measured is not clear: (.*)\. Nothing is kept, and (.*) stays as it was\. .* again when the machine is quiet, or with more --seconds\n"
# Reads and writes 64 MiB again and again, and ends with its parent or after five minutes.
BUSY = """
import os, time
parent, end, block = os.getppid(), time.monotonic() + 300, bytes(64 << 20)
while os.getppid() == parent and time.monotonic() < end:
    block = bytes(bytearray(block))
"""


class Busy:
    """Twice as many processes as processors."""
    def __enter__(self):
        count = 2 * len(os.sched_getaffinity(0))
        self.processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
        time.sleep(0.5)
        assert all(it.poll() is None for it in self.processes), "nothing keeps the machine busy"

    def __exit__(self, *failure):
        still = [it.poll() is None for it in self.processes]
        for it in self.processes:
            it.kill()
            it.wait()
        assert failure[0] or all(still), "what kept the machine busy ended early"


def run(*arguments, **variables):
    start = time.monotonic()
    ran = subprocess.run([clmove, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=dict(os.environ, **variables))
    return ran, time.monotonic() - start


def is_refused(ran, path, before):
    """Whether nothing was kept; then there is a sentence, the exit status is 1, and the file is as it was."""
    found = re.search(UNCLEAR, ran.stderr)
    assert ran.returncode == (1 if found else 0), ran
    if found:
        assert found[2] == path and open(path).read() == before, ran
        assert re.search(r"\d %", found[1]), ran
    return bool(found)


def check_time(ran, taken):
    """It takes no longer than it says; a processor that others have a share of gives less in that time."""
    most = float(re.search(r"at most ([0-9.]+) s", ran.stderr)[1])
    assert taken < 3 * most + 5, (taken, most)


def check_calibrate(folder):
    path = os.path.join(folder, "calibration.conf")
    before = "# mine\n"
    named = {"CLMOVE_CALIBRATION_FILE": path}
    quiet = json.loads(run("calibrate", "--device", device, "--seconds", "0.2", "--dry-run", "--json", **named)[0].stdout)
    with open(path, "w") as file:
        file.write(before)
    with Busy():
        ran, taken = run("calibrate", "--device", device, "--seconds", "0.2", "--json", **named)
    check_time(ran, taken)
    busy = json.loads(ran.stdout)
    if is_refused(ran, path, before):
        assert not busy["clear"] and not busy["written"], busy
        return "refused"
    assert quiet["clear"], "kept beside busy processes, and not clear without them"
    for name, seconds in busy["seconds"].items():
        for i in range(8, min(busy["measured_sizes"][name], quiet["measured_sizes"][name])):
            assert 1 / FACTOR < seconds[i] / quiet["seconds"][name][i] < FACTOR, (name, i, busy, quiet)
    return "kept"


def check_tune(folder):
    path = os.path.join(folder, "tuning.conf")
    before = "# mine\n"
    with open(path, "w") as file:
        file.write(before)
    with Busy():
        ran, taken = run("tune", "--device", device, "--seconds", "0.2", "--output", path, "--json")
    check_time(ran, taken)
    tuned = json.loads(ran.stdout)
    if is_refused(ran, path, before):
        assert not tuned["written"], tuned
        return "refused"
    for it in tuned["trials"]:  # what is taken all the same is faster by far more than others can make it
        assert not it["taken"] or it["gain"] > 3 * tuned["waited"], it
    return "kept" if tuned["written"] else "nothing better"


def main():
    with tempfile.TemporaryDirectory() as folder:
        print("calibrate:", check_calibrate(folder))
        print("tune:", check_tune(folder))


main()
