#!/usr/bin/env python3
"""scripts/plot_bench.py on what the benchmark prints, and on what it does not. Status 77 where matplotlib is missing.

usage: plots.py CLMOVE PLOT_BENCH
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

clmove, plot = sys.argv[1:3]
try:
    import matplotlib
except ImportError:
    print("matplotlib is missing")
    sys.exit(77)

TILES = [{"name": f"x{r}", "op": "tile", "dtype": "f32", "shape": [64, 64], "repeats": [r, 1]} for r in (1, 2, 4, 8)]
PEERS = [{"name": name, "bytes": 10 ** 7, "best_peer": "numpy_out", "peer_GBps": 5,
          "peers": {"numpy": 3e-3, "numpy_out": 2e-3, "torch": 4e-3, "onnxruntime_out": 5e-3, "openvino": 1e-2},
          "ours": {"cpu": {"seconds_min": 1e-3}, "host": {"seconds_min": 9e-4}}} for name in ("one", "two")]


def start(*arguments):
    return subprocess.Popen([clmove, "bench", *arguments, "--device", "host", "--seconds", "0.001", "--json"],
                            env=dict(os.environ, CLMOVE_CALIBRATION_FILE=""), stdout=subprocess.PIPE, text=True)


def bench(*arguments):
    ran = start(*arguments)
    out = ran.communicate()[0]
    assert ran.returncode == 0, ran
    return out


def sweep(*arguments):
    """The first sizes."""
    ran = start("--sweep", *arguments)
    out = "".join(ran.stdout.readline() for _ in range(9))
    ran.send_signal(signal.SIGINT)
    ran.communicate()
    return out


def run(*arguments):
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "MPLBACKEND")}
    return subprocess.run([sys.executable, plot, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def check_picture(base, texts):
    words = "".join(xml.etree.ElementTree.parse(base + ".svg").getroot().itertext())
    for text in texts:
        assert text in words, (text, words)
    with open(base + ".png", "rb") as file:
        png = file.read()
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and width >= 800 and height >= 300 and len(png) > 15000, (width, height, len(png))


def main():
    with tempfile.TemporaryDirectory() as folder:
        def at(name):
            return os.path.join(folder, name)
        tiles = write(at("tiles.json"), json.dumps(TILES))
        sweeps = {op: write(at(op), sweep(op)) for op in ("tile", "space-to-depth")}
        for name, files, texts in [
                ("sizes", sweeps.values(), ["Tile, host executor", "SpaceToDepth", "the stream", "GB/s", "bytes read and written"]),
                ("cases", [write(at("c"), bench("--workloads", tiles))], ["x1", "x8", "GB/s", "its stream"]),
                ("ways", [write(at("w"), sweep("tile", "--transfer"))], ["a: host, then upload", "4 KiB", "GB/s"]),
                ("repeats", [write(at("r"), bench("--transfer", "--workloads", tiles))], ["repeats of a source of 16 KiB", "µs"]),
                ("list", [write(at("l"), bench("--transfer", "--only", "focus"))], ["s2d_focus_u8", "e: stays on the host"]),
                ("peers", [write(at("p"), json.dumps(PEERS))], ["NumPy", "OpenVINO", "clmove, host executor", "two", "GB/s"])]:
            ran = run(*files, "-o", at(name), "--machine", "a machine")
            assert ran.returncode == 0 and ran.stderr == "", (name, ran)
            check_picture(at(name), texts + ["a machine"])
        same = run(*sweeps.values(), "-o", at("again.svg"), "--machine", "a machine")
        assert same.returncode == 0 and not os.path.exists(at("again.svg.png")), same
        with open(at("again.svg")) as again, open(at("sizes.svg")) as before:
            assert again.read() == before.read()

        for files, text in [([at("nothing")], "cannot be read"), ([write(at("n"), "not JSON")], "is not JSON"),
                            ([write(at("e"), "")], "has no results"), ([write(at("o"), '{"name": "x"}')], "is none of"),
                            ([at("w"), at("c")], "several kinds"), ([write(at("m"), '{"roofline": 1, "bytes": 1}')], "lacks a figure")]:
            ran = run(*files, "-o", at("bad"))
            assert ran.returncode == 1 and ran.stderr.startswith("plot_bench: ") and text in ran.stderr, (text, ran)
            assert ran.stderr.count("\n") == 1 and not os.path.exists(at("bad.svg")), ran
        ran = run(at("w"), "--memory", "pinned", "-o", os.path.join(at("no_such_folder"), "x.svg"))
        assert ran.returncode == 1 and "cannot be written" in ran.stderr, ran
        ran = run(at("w"), "--memory", "holographic", "-o", at("bad"))
        assert ran.returncode == 1 and "nothing for holographic memory" in ran.stderr, ran


main()
