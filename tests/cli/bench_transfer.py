#!/usr/bin/env python3
"""clmove bench --transfer on one device: keys, arithmetic, winners, break-even, interrupts, wrong results.

usage: bench_transfer.py CLMOVE DEVICE [LIBRARY]
No figure is judged. LIBRARY, for LD_PRELOAD, makes clmove read a wrong byte from device buffers, or from runs.
"""
import json
import math
import os
import shlex
import signal
import subprocess
import sys
import tempfile

from calibration_text import section_of

clmove, device = sys.argv[1:3]
flip = sys.argv[3] if len(sys.argv) > 3 else None
os.environ.pop("CLMOVE_DEVICE", None)
os.environ["CLMOVE_CALIBRATION_FILE"] = ""
LINKED = "CLMOVE_TEST_LINK_GBPS" in os.environ  # the layer whose device shares no memory with the host

WORKLOADS = [
    {"name": "row", "op": "tile", "dtype": "u8", "shape": [17, 3], "repeats": [2, 5]},
    {"name": "outer", "op": "tile", "dtype": "f32", "shape": [2, 4096], "repeats": [8, 1, 1]},
    {"name": "blocks", "op": "space_to_depth", "dtype": "f32", "shape": [1, 3, 64, 64], "block_size": 2, "mode": "depth_first"},
    {"name": "space", "op": "depth_to_space", "dtype": "f16", "shape": [1, 16, 9, 7], "block_size": 4, "mode": "blocks_first"},
    {"name": "turned", "op": "permute", "dtype": "f32", "shape": [30, 7, 20], "order": [2, 0, 1]},
]
WAYS = "abcde"
TIE = 1.05  # ways that differ by no more are even
TEXTS = {"name", "op", "device", "device_type", "variant", "memory", "on_device_winner", "on_host_winner", "repro"}
COUNTS = {"src_bytes", "dst_bytes", "bytes", "runs"}
LINKS = {"a_link_bytes", "b_link_bytes", "d_link_bytes"}
TRUTHS = {"verified", "cold", "d_in_place"}
SECONDS = {f"{way}_seconds_median" for way in WAYS} | {
    "c_device_seconds_median", "steps_seconds", "upload_src_seconds_median", "upload_dst_seconds_median",
    "download_dst_seconds_median"}
RATES = {"upload_src_gbps", "upload_dst_gbps", "download_dst_gbps"}
RATIOS = {"device_gbps", "host_gbps", "on_device_ratio", "on_host_ratio"}
EVENS = {"b_from_repeats", "b_from_bytes", "upload_pays_from_moves"}
PREDICTED = {f"{way}_seconds_predicted" for way in WAYS} | {"steps_seconds_predicted"}
THOUGHTS = {key + "_predicted" for key in EVENS}
EVENTS = {f"{transfer}_device_seconds_median" for transfer in ("upload_src", "upload_dst", "download_dst")}
STAGES = {f"d_{stage}_device_seconds_median" for stage in ("upload", "move", "download")}
KEYS = {"d_overlap"} | EVENTS | STAGES | TEXTS | COUNTS | LINKS | TRUTHS | SECONDS | RATES | RATIOS | EVENS | PREDICTED | THOUGHTS
BY_MEMORY = {"b_wins", "b_ties", "d_wins", "d_ties"}
SUMMARY = BY_MEMORY | {"summary", "workloads", "b_from_bytes", "d_from_bytes", "calibration", "calibration_noise", "predicted",
                       "predicted_within_30_percent", "predicted_all_within_30_percent", "predictions_within_30_percent",
                       "on_device_clear", "on_device_chosen_right", "on_host_clear", "on_host_chosen_right"}


def run(*arguments, env=None):
    return subprocess.run([clmove, "bench", *arguments, "--transfer"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=env)


def lines(*arguments):
    ran = run(*arguments, "--json")
    assert ran.returncode == 0 and ran.stderr == "", ran
    *found, summary = [json.loads(line) for line in ran.stdout.splitlines()]
    check_summary(found, summary)
    return found, summary


def near(a, b, slack=0.0):
    return math.isclose(a, b, rel_tol=1e-4, abs_tol=slack)


def check(it):
    assert set(it) == KEYS, set(it) ^ KEYS
    assert all(isinstance(it[key], str) and it[key] for key in TEXTS), it
    assert all(type(it[key]) is int and it[key] > 0 for key in COUNTS), it
    assert all(type(it[key]) is bool for key in TRUTHS) and it["verified"] is True, it
    assert all(type(it[key]) is float and it[key] >= 0 for key in SECONDS | RATIOS), it
    assert it["runs"] >= 3
    copied = it["memory"] != "zero-copy"
    src, dst = it["src_bytes"], it["dst_bytes"]
    assert it["a_link_bytes"] == (dst if copied else 0) and it["b_link_bytes"] == (src if copied else 0), it
    assert it["d_link_bytes"] == (src + dst if copied and not it["d_in_place"] else 0), it
    # a zero-copy d is steps of the benchmark's own, and has no stages
    assert all((it[key] is not None) == copied for key in STAGES | {"d_overlap"}), it
    for key in EVENTS:  # a part of what the host's clock says
        assert (it[key] is not None) == copied, it
        assert not copied or 0 <= it[key] <= 1.05 * it[key.replace("_device", "")], it
    if copied:
        longest = max(it[key] for key in STAGES)
        assert longest > 0 and near(it["d_overlap"], longest / it["d_seconds_median"]), it
        assert not it["d_in_place"] or it["d_upload_device_seconds_median"] == 0, it
    if device == "host" or not copied:
        assert it["d_in_place"], it
    elif LINKED:
        assert not it["d_in_place"], it
    for key, bytes_, seconds in [("upload_src_gbps", src, "upload_src_seconds_median"),
                                 ("upload_dst_gbps", dst, "upload_dst_seconds_median"),
                                 ("download_dst_gbps", dst, "download_dst_seconds_median")]:
        # a map is no bandwidth
        assert (it[key] is None) if not copied else near(it[key], bytes_ / it[seconds] / 1e9), (key, it)
    assert near(it["device_gbps"], it["bytes"] / it["c_seconds_median"] / 1e9)
    assert near(it["host_gbps"], it["bytes"] / it["e_seconds_median"] / 1e9)
    steps = it["upload_src_seconds_median"] + it["c_seconds_median"] + it["download_dst_seconds_median"]
    assert near(it["steps_seconds"], steps), it
    check_winner(it, "on_device", "a", "b")
    check_winner(it, "on_host", "e", "d")
    check_evens(it)
    check_predicted(it)


def check_winner(it, where, host, on_device):
    winner, ratio = it[where + "_winner"], it[where + "_ratio"]
    times = sorted(it[way + "_seconds_median"] for way in (host, on_device))
    assert near(ratio, times[1] / times[0]), it
    if winner == "tie":
        assert 1 <= ratio <= TIE * (1 + 1e-5), it
    else:
        assert winner in (host, on_device) and ratio >= TIE * (1 - 1e-5) and near(it[winner + "_seconds_median"], times[0]), it


def check_evens(it):
    up_src, up_dst = it["upload_src_seconds_median"], it["upload_dst_seconds_median"]
    host, moved = it["e_seconds_median"], it["c_seconds_median"]
    assert all(it[key] is None or type(it[key]) is int and it[key] > 0 for key in EVENS), it
    pays = it["upload_pays_from_moves"]
    if pays is None:
        assert host <= TIE * moved * (1 + 1e-4), it
    elif pays > 1:
        assert TIE * (up_src + pays * moved) <= pays * host * (1 + 1e-3), it
        assert TIE * (up_src + (pays - 2) * moved) >= (pays - 2) * host * (1 - 1e-3), it
    if it["op"] != "tile":
        assert it["b_from_repeats"] is None
        return
    assert it["b_from_bytes"] is None
    repeats = it["dst_bytes"] / it["src_bytes"]

    def lead(at):  # how much later a is done than b, and 5 %
        share = (1 + at) / (1 + repeats)
        return host * share + up_dst * at / repeats - TIE * (up_src + moved * share)

    start = it["b_from_repeats"]
    slack = 1e-3 * (host + moved + up_src + up_dst)
    if start is None:
        assert lead(1e6) <= slack * 1e6, it
    else:
        assert lead(start) >= -slack * start and (start == 1 or lead(start - 1) <= slack * start), it


def check_predicted(it):
    values = [it[key] for key in PREDICTED]
    assert all(it[key] is None or type(it[key]) is int and it[key] > 0 for key in THOUGHTS), it
    assert it["b_from_repeats_predicted" if it["op"] != "tile" else "b_from_bytes_predicted"] is None, it
    if device == "host" or it["memory"] != "pageable":
        assert all(value is None for value in [*values, *(it[key] for key in THOUGHTS)]), it
    else:
        assert all(type(value) is float and value > 0 for value in values), it
        assert it["b_seconds_predicted"] <= it["steps_seconds_predicted"] and it["c_seconds_predicted"] <= it["b_seconds_predicted"], it


def check_summary(found, summary):
    assert set(summary) == SUMMARY and summary["summary"] is True, summary
    for it in found:
        check(it)
    memories = {it["memory"] for it in found}
    assert "pageable" in memories and all(set(summary[key]) == memories for key in BY_MEMORY), summary
    for memory in memories:
        of = [it for it in found if it["memory"] == memory]
        for way, where in ("b", "on_device"), ("d", "on_host"):
            assert summary[way + "_wins"][memory] == sum(it[where + "_winner"] == way for it in of), summary
            assert summary[way + "_ties"][memory] == sum(it[where + "_winner"] == "tie" for it in of), summary
    pageable = [it for it in found if it["memory"] == "pageable"]
    assert summary["workloads"] == len(pageable)
    predicted = [it for it in pageable if it["a_seconds_predicted"] is not None]
    assert summary["calibration"] in (("file", "measured") if predicted else (None,)), summary
    assert summary["predicted"] == len(predicted)
    assert (summary["calibration_noise"] is None) == (not predicted) and (summary["calibration_noise"] or 0) >= 0, summary

    def share(it, way):
        measured = it["steps_seconds" if way == "steps" else way + "_seconds_median"]
        return abs(it[way + "_seconds_predicted"] - measured) / measured

    for way, count in summary["predicted_within_30_percent"].items():
        assert count == sum(share(it, way) <= 0.3 for it in predicted), (way, summary)
    close = sum(summary["predicted_within_30_percent"].values())
    within = summary["predictions_within_30_percent"]
    assert near(within, close / (6 * len(predicted))) if predicted else within is None, summary
    for where, host, on_device in [("on_device", "a", "b"), ("on_host", "e", "d")]:
        clear = [it for it in predicted if it[where + "_ratio"] > 1.5]
        right = [it for it in clear if (it[on_device + "_seconds_predicted"] <= it[host + "_seconds_predicted"]) ==
                 (it[where + "_winner"] == on_device)]
        assert (summary[where + "_clear"], summary[where + "_chosen_right"]) == (len(clear), len(right)), summary


def interrupt(path):
    with open(path, "w") as file:
        json.dump([dict(WORKLOADS[0], name=f"row{i}") for i in range(200)], file)
    bench = subprocess.Popen([clmove, "bench", "--transfer", "--workloads", path, "--device", device, "--json", "--seconds", "0.2"],
                             stdout=subprocess.PIPE, text=True)
    first = bench.stdout.readline()
    bench.send_signal(signal.SIGINT)
    *rest, summary = [json.loads(line) for line in bench.stdout.read().splitlines()]
    assert bench.wait() == -signal.SIGINT, bench.returncode
    found = [json.loads(first), *rest]
    assert len({it["name"] for it in found}) < 200
    check_summary(found, summary)


def wrong(quick, what, told):
    ran = run(*quick, "--json", "--only", "blocks", env=dict(os.environ, LD_PRELOAD=flip, CLMOVE_TEST_FLIP=what))
    assert ran.returncode == 1 and ran.stdout == "", ran
    assert f"blocks is wrong, and was not measured: {told}byte 5 of 49152 of the result is 0x" in ran.stderr, ran
    assert "clmove bench space-to-depth --shape 1,3,64,64 --element-bytes 4" in ran.stderr, ran
    assert "--transfer" in ran.stderr, ran


def check_calibrations(folder, path):
    """A stored one is gone by, unless --calibrate; what is measured later here goes by it, too."""
    os.environ["CLMOVE_CALIBRATION_FILE"] = os.path.join(folder, "calibration.conf")
    calibrated = subprocess.run([clmove, "calibrate", "--device", device, "--seconds", "0.1", "--dry-run", "--json"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert calibrated.returncode == 0, calibrated
    with open(os.environ["CLMOVE_CALIBRATION_FILE"], "w") as file:
        file.write(section_of(json.loads(calibrated.stdout)))
    quick = ["--workloads", path, "--device", device, "--seconds", "0.05", "--only", "row"]
    for options, origin in ([], "file"), (["--calibrate"], "measured"):
        _, summary = lines(*quick, *options)
        assert summary["calibration"] == origin, summary
    # What is predicted by one file is the same whatever is measured.
    quick[-1] = "blocks"
    first, second = ([{key: it[key] for key in PREDICTED | THOUGHTS} for it in lines(*quick)[0]] for _ in range(2))
    assert first == second, (first, second)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "workloads.json")
        with open(path, "w") as file:
            json.dump(WORKLOADS, file)
        if device != "host":
            check_calibrations(folder, path)
        quick = ["--workloads", path, "--device", device, "--seconds", "0.05"]
        found, summary = lines(*quick)
        assert summary["b_from_bytes"] is None and summary["d_from_bytes"] is None, summary
        pageable = [it for it in found if it["memory"] == "pageable"]
        assert [it["name"] for it in pageable] == [it["name"] for it in WORKLOADS]
        assert [(it["src_bytes"], it["dst_bytes"]) for it in pageable] == [
            (51, 510), (32768, 262144), (49152, 49152), (2016, 2016), (16800, 16800)], pageable
        words = shlex.split(pageable[0]["repro"])
        assert words[:2] == ["clmove", "bench"] and "--transfer" in words, words
        again, _ = lines(*[word for word in words[2:] if word != "--transfer"])
        assert [again[0][key] for key in ("op", "variant", "bytes", "repro")] == [
            pageable[0][key] for key in ("op", "variant", "bytes", "repro")]
        cold, _ = lines(*quick, "--cold", "--only", "ro")
        assert cold[0]["cold"] and "--cold" in cold[0]["repro"], cold

        table = run(*quick)
        assert table.returncode == 0 and table.stderr == "", table
        for it in pageable:
            assert it["name"] + ":" in table.stdout and it["repro"] in table.stdout, table.stdout
        assert all(len(line) <= 120 for line in table.stdout.split("to repeat a case:")[0].splitlines()[1:]), table.stdout # the first has the device's name

        interrupt(os.path.join(folder, "many.json"))
        if flip:
            wrong(quick, "", "")
            wrong(quick, "run", "(d) there and back, pageable memory: ")


main()
