# SPDX-License-Identifier: Apache-2.0
"""python -m clmove, and clmove.bench with its pictures."""

import os
import shutil
import subprocess
import sys

import clmove
import numpy as np
import pytest
from clmove import _bench, _plots
from oracle import noise, same, space_to_depth

CASE = {"shape": (3, 64), "element_bytes": 4, "repeats": (2, 1), "seconds": 0.001, "device": "host"}


def command(*arguments, program=(sys.executable, "-m", "clmove"), **options):
    return subprocess.run([*program, *arguments], capture_output=True, text=True, timeout=120, **options)


def test_command(tmp_path):
    x = noise((1, 3, 4, 6), "f4")
    np.save(tmp_path / "x.npy", x)
    done = command("space-to-depth", "x.npy", "y.npy", "--block-size", "2", "--mode", "blocks_first", "--device", "host", "--verify", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    same(np.load(tmp_path / "y.npy"), space_to_depth(x, 2, "blocks_first"))
    assert command("--version").stdout == f"clmove {clmove.__version__}\n"
    done = command("tile", "none.npy", "y.npy", "--repeats", "2", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("clmove: ")
    assert command("tyle").returncode == 2


def test_it_needs_no_library_of_its_own():
    """Of what the executable links, fresh machines have all."""
    linked = subprocess.run(["ldd", _bench.find_command()], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0] for line in linked.splitlines()}
    assert all(name.startswith(("linux-vdso", "libc.so", "libm.so", "libdl.so", "libpthread.so", "/lib")) for name in names), names


def test_a_package_without_it(tmp_path):
    """Built where jansson was missing: a sentence."""
    shutil.copytree(os.path.dirname(clmove.__file__), tmp_path / "clmove", ignore=shutil.ignore_patterns("bin", "__pycache__"))
    done = command("--version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "") and done.stderr.startswith("clmove: this package was built without the command")
    done = command("-c", "import clmove; clmove.bench(only='focus')", program=[sys.executable], cwd=tmp_path)
    assert "clmove._errors.UnsupportedError: this package was built without the command" in done.stderr and "libjansson-dev" in done.stderr


@pytest.mark.parametrize("selector, kind", [("host", "host"), ("cpu", "cpu")])
def test_bench(selector, kind):
    rows = clmove.bench(only="focus", seconds=0.01, device=selector, cold=False)
    assert [row["name"] for row in rows] == ["s2d_focus_u8"]
    row = rows[0]
    assert row["device_type"] == kind and row["verified"] is True and row["gbps_median"] > 0 and row["cold"] is False
    assert clmove.bench("tile", **{**CASE, "cold": True})[0]["cold"] is True
    moved = clmove.bench("move", shape=[1, 4, 6], element_bytes=2, permute=(0, 2, 1), reshape=(6, 4), seconds=0.001, device="host")
    assert moved[0]["op"] == "move"


def test_bench_refused():
    for options, text in (({"only": "no such case"}, "no case has 'no such case' in its name"), ({"device": "nobody's"}, "nobody's")):
        with pytest.raises(clmove.Error, match=text):
            clmove.bench(**options)
    for call in (lambda: clmove.bench(no_such_option=3), lambda: clmove.bench("tyle"), lambda: clmove.bench("tile")):
        with pytest.raises(clmove.ArgumentError, match="see clmove bench --help|knows|needs"):
            call()


def check_picture(base, *texts):
    with open(f"{base}.svg", encoding="utf-8") as file:
        svg = file.read()
    with open(f"{base}.png", "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    for text in texts:
        assert f">{text}<" in svg


def test_plots(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    before = dict(matplotlib.rcParams)
    base = str(tmp_path / "cases")
    rows = clmove.bench("tile", plot=base, title="Tiles", machine="a machine", **CASE)
    check_picture(base, "Tiles", "a machine", "tile_3x64", "host executor")
    assert rows[0]["name"] == "tile_3x64"
    base = str(tmp_path / "ways")
    clmove.bench("tile", transfer=True, plot=base, **CASE)
    check_picture(base, "a: host, then upload")
    assert dict(matplotlib.rcParams) == before
    for options, text in (({"plot": str(tmp_path / "none" / "x.svg")}, "cannot be written"),
                          ({"plot": base, "transfer": True, "memory": "holographic"}, "nothing for holographic memory")):
        with pytest.raises(clmove.ArgumentError, match=text):
            clmove.bench("tile", **options, **CASE)


def test_plots_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(clmove.ArgumentError, match="matplotlib is missing: pip install matplotlib"):
        clmove.bench("tile", plot="never", **CASE)
    assert issubclass(_plots.Refused, Exception)
