# SPDX-License-Identifier: Apache-2.0
"""The benchmarks: each result is NumPy's, for each operator, view, width and rank, and the means are of all."""

import json
import os
import subprocess
import sys

import pytest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "benchmarks", "beside_peers.py")
WORKLOADS = [
    {"name": "t2", "op": "tile", "dtype": "f32", "shape": [3, 64, 5], "repeats": [2, 3, 4]},
    {"name": "t1", "op": "tile", "dtype": "f16", "shape": [1, 64], "repeats": [200, 3]},
    {"name": "s3", "op": "space_to_depth", "dtype": "f64", "shape": [2, 3, 4, 6, 8], "block_size": 2, "mode": "blocks_first"},
    {"name": "s2", "op": "space_to_depth", "dtype": "u8", "shape": [2, 3, 16, 16], "block_size": 4, "mode": "depth_first"},
    {"name": "d2", "op": "depth_to_space", "dtype": "f32", "shape": [2, 12, 4, 4], "block_size": 2, "mode": "depth_first"},
    {"name": "d1", "op": "depth_to_space", "dtype": "c128", "shape": [2, 12, 6], "block_size": 3, "mode": "blocks_first"},
]


@pytest.mark.parametrize("device", ["host", "cpu"])
def test_beside_peers(device, tmp_path):
    (tmp_path / "works.json").write_text(json.dumps(WORKLOADS))
    (tmp_path / "orders.txt").write_text("p201 2 3 4 5 6 2 0 1\np10 8 2 30 20 1 0\n")
    done = subprocess.run([sys.executable, "-W", "ignore", SCRIPT, "--device", device, "--seconds", "0.0005", "--json", tmp_path / "out",
                           tmp_path / "works.json", tmp_path / "orders.txt"], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert [row["name"] for row in rows] == [work["name"] for work in WORKLOADS] + ["p201", "p10"]
    for row in rows:
        assert {"numpy", "einops", "pyopencl", "c"} <= {*row["ratios"]} and min(row["seconds"].values()) > 0
    assert rows[6]["bytes"] == 2 * 2 * 4 * 5 * 6
    assert "8 workloads; geometric means" in done.stdout and "slower than a peer above 64 KiB: " in done.stdout
    missing = subprocess.run([sys.executable, SCRIPT, "--only", "nothing", tmp_path / "works.json"], capture_output=True, text=True, timeout=300)
    assert missing.returncode == 1 and missing.stderr.startswith("no workload is left")


def test_views(tmp_path):
    script = os.path.join(os.path.dirname(SCRIPT), "views.py")
    done = subprocess.run([sys.executable, "-W", "ignore", script, "--bytes", "40000", "--seconds", "0.0005", "--dtypes", "u1,c16",
                           "--json", tmp_path / "out"], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert len(rows) == len({(row["name"], row["dtype"]) for row in rows}) > 40
    assert all(min(row[key] for key in ("bytes", "seconds", "numpy_seconds", "copy_seconds")) > 0 for row in rows)
    assert f"{len(rows)} views; geometric means: " in done.stdout
    missing = subprocess.run([sys.executable, script, "--only", "nothing"], capture_output=True, text=True, timeout=300)
    assert (missing.returncode, missing.stderr) == (1, "no view is left\n")
