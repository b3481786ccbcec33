#!/usr/bin/env python3
"""Which calibrations are kept, by planted ones: calibrate_planted.py CLMOVE PLANT

PLANT is the library of plant_times.c, after a sanitizer's and a colon in a program that has one. What two calibrations agree on is
kept; else there are others, four at most; then the file stays as it was, and a sentence says what was seen.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import subprocess
import sys
import tempfile

CLMOVE, PLANT = os.path.abspath(sys.argv[1]), sys.argv[2]
SEEN = r"clmove: what was measured is not clear: (.*), where each may be up to 20 %\. Nothing is kept, and (.*) stays as it was\. .*\n"
BEFORE = "# mine\n"


def calibrate(path, times):
    with open(path, "w", encoding="utf-8") as file:
        file.write(BEFORE)
    ran = subprocess.run([CLMOVE, "calibrate", "--device", "host", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         check=False, timeout=60,
                         env=dict(os.environ, LD_PRELOAD=PLANT, CLMOVE_TEST_TIMES=times, CLMOVE_CALIBRATION_FILE=path))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return ran, json.loads(ran.stdout), text


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "calibration.conf")
        # The noise says which one is kept: the quieter of the last two.
        for times, noise in (("quiet", 7), ("settles", 6)):
            ran, shown, text = calibrate(path, times)
            assert ran.returncode == 0 and shown["clear"] and shown["written"], ran
            assert round(100 * shown["noise"]) == noise and f"\nnoise_percent = {noise}\n" in text and BEFORE not in text, (ran, text)
        for times, sentence in (
                ("noisy", "runs of the same work differed by 30 %, threads waited for a processor for 0 % of their time, "
                          "and two of 4 measurements differed by 0 %"),
                ("apart", "runs of the same work differed by 5 %, threads waited for a processor for 0 % of their time, "
                          "and two of 4 measurements differed by 29 %"),
                ("waited", "runs of the same work differed by 5 %, threads waited for a processor for 50 % of their time, "
                           "and two of 4 measurements differed by 0 %")):
            ran, shown, text = calibrate(path, times)
            found = re.search(SEEN, ran.stderr)
            assert ran.returncode == 1 and not shown["clear"] and not shown["written"] and text == BEFORE, (times, ran, text)
            assert found and found.groups() == (sentence, path), (times, ran)


main()
