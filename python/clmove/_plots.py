# SPDX-License-Identifier: Apache-2.0
"""Pictures of what the benchmark measured, as SVG and PNG: for clmove.bench and for scripts/plot_bench.py, which loads this file
alone. Nothing else of clmove is imported here."""

import math
import re
from collections.abc import Callable, Iterable
from typing import Any, Optional

Row = dict[str, Any]
Rows = list[Row]
#: What has shape and content of matplotlib's: a figure and its title.
Picture = tuple[Any, str]
#: x, and the times of the ways a and b.
Point = tuple[float, float, float]

# Okabe and Ito's colours, which people with any colour vision tell apart; markers differ, too.
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = "#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7"
SERIES = [(BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (PURPLE, "D"), (ORANGE, "v"), (SKY, "P")]
WAYS = {"a": ("a: host, then upload", VERMILION, "s"), "b": ("b: upload, then device", BLUE, "o"),
        "c": ("c: stays on the device", GREEN, "^"), "d": ("d: device, there and back", ORANGE, "v"),
        "e": ("e: stays on the host", PURPLE, "D")}
PEERS = {"numpy": ("NumPy", ORANGE, "v"), "torch": ("PyTorch", VERMILION, "s"), "onnxruntime": ("ONNX Runtime", GREEN, "^"),
         "openvino": ("OpenVINO", PURPLE, "D"), "opencv": ("OpenCV (UMat)", SKY, "P")}
SWEPT = re.compile(r"_\d+_[KMG]iB$")


class Refused(Exception):
    """What is wrong, in a sentence."""


# ---- what the rows say ----

def kind_of(row: Row, origin: str) -> str:
    for kind, keys in (("transfer", ("a_seconds_median", "memory")), ("peers", ("peers", "ours")), ("bench", ("roofline", "bytes"))):
        if all(key in row for key in keys):
            return kind
    raise Refused(f"{origin} has a result that is none of clmove bench --json, --transfer --json and compare.py --json: "
                  f"its keys are {', '.join(sorted(row)[:6])}, ...")


def bytes_text(count: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.3g} GiB"


def op_text(name: str) -> str:
    return {"tile": "Tile", "space_to_depth": "SpaceToDepth", "depth_to_space": "DepthToSpace", "permute": "Permute", "move": "chain"}.get(name, name)


def device_text(row: Row) -> str:
    kind: str = row["device_type"]
    return {"host": "host executor", "cpu": "OpenCL CPU", "gpu": "OpenCL GPU"}.get(kind, kind)


def grouped(rows: Rows, key: Callable[[Row], Any]) -> dict[Any, Rows]:
    groups: dict[Any, Rows] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


# ---- axes ----

def new_figure(rows: Optional[int] = None) -> tuple[Any, Any]:
    """A picture for curves, or one with a line for each of so many rows."""
    from matplotlib.figure import Figure  # without pyplot, which chooses a display, and keeps what it makes

    figure = Figure(figsize=(8, 4.5) if rows is None else (8, 1.7 + 0.26 * max(rows, 4)), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="both" if rows is None else "x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def axis_of_sizes(axes: Any, sizes: list[int]) -> None:
    axes.set_xscale("log", base=2)
    ticks = [2 ** power for power in range(10, 40, 2) if min(sizes) <= 2 ** power <= max(sizes)] or sorted(sizes)
    axes.set_xticks(ticks, [bytes_text(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("bytes read and written")


def axis_of_names(axes: Any, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_ylim(len(names) - 0.5, -0.5)


def ticks_of_log(axis: Any, values: Iterable[float], text: Callable[[float], str]) -> None:
    """1, 2 and 5 of each power of ten, within what there is."""
    ticks = [step * 10.0 ** power for power in range(-9, 5) for step in (1, 2, 5)]
    ticks = [tick for tick in ticks if min(values) / 1.5 <= tick <= max(values) * 1.5]
    if len(ticks) > 9:
        ticks = [tick for tick in ticks if f"{tick:.0e}".startswith("1")]
    axis.set_ticks(ticks, [text(tick) for tick in ticks])
    axis.set_ticks([], minor=True)


def time_text(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 0.9995:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"


# ---- clmove bench ----

def draw_sizes(rows: Rows) -> Picture:
    figure, axes = new_figure()
    groups = grouped(rows, lambda row: (row["op"], row["device_type"]))
    for ((op, _), of), (colour, marker) in zip(groups.items(), SERIES):
        of.sort(key=lambda row: row["bytes"])
        sizes = [row["bytes"] for row in of]
        name = f"{op_text(op)}, {device_text(of[0])}"
        axes.plot(sizes, [row["bytes"] / row["stream_seconds_median"] / 1e9 for row in of], color=colour, linestyle="--",
                  linewidth=1, alpha=0.7, label=f"{name}: the stream")
        axes.plot(sizes, [row["gbps_median"] for row in of], color=colour, marker=marker, markersize=4.5, linewidth=1.6, label=name)
    axis_of_sizes(axes, [row["bytes"] for row in rows])
    axes.set_ylim(bottom=0)
    axes.set_ylabel("GB/s (10$^9$ bytes a second)")
    axes.legend(frameon=False, fontsize=8)
    return figure, "How fast, against size; dashed: the stream, as fast as can be"


def draw_cases(rows: Rows) -> Picture:
    names = list(dict.fromkeys(row["name"] for row in rows))
    figure, axes = new_figure(len(names))
    for i, ((_, of), (colour, marker)) in enumerate(zip(grouped(rows, lambda row: row["device_type"]).items(), SERIES)):
        places = [names.index(row["name"]) for row in of]
        axes.plot([row["gbps_median"] for row in of], places, color=colour, marker=marker, linestyle="", label=device_text(of[0]))
        axes.plot([row["bytes"] / row["stream_seconds_median"] / 1e9 for row in of], places, color=colour, marker="|",
                  markersize=11, linestyle="", label=f"its stream")
    axis_of_names(axes, names)
    axes.set_xlim(left=0)
    axes.set_xlabel("GB/s (10$^9$ bytes a second)")
    axes.legend(frameon=False, fontsize=8, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))
    return figure, "How fast, with the stream, as fast as can be"


# ---- clmove bench --transfer ----

def crossing(points: list[Point]) -> tuple[Optional[float], bool]:
    """From where on b is faster than a for good: (x, or None; whether it always is). points: (x, a, b), by x."""
    behind = [i for i, (_, a, b) in enumerate(points) if b > a]
    if not behind:
        return points[0][0], True
    last = behind[-1]
    if last == len(points) - 1:
        return None, False
    (x0, a0, b0), (x1, a1, b1) = points[last], points[last + 1]
    lead0, lead1 = b0 / a0 - 1, b1 / a1 - 1 # the logarithm of x is what goes evenly
    return x0 * (x1 / x0) ** (lead0 / (lead0 - lead1)), False


def mark_crossing(axes: Any, points: list[Point], text: Callable[[float], str]) -> str:
    where, always = crossing(points)
    if where is None:
        note = "b is nowhere faster than a for good"
    elif always:
        note = "b is faster than a everywhere"
    else:
        axes.axvline(where, color="#555555", linestyle=":", linewidth=1.2)
        axes.annotate(f"b is faster\nfrom {text(where)} on", (where, 0.97), xycoords=("data", "axes fraction"), xytext=(4, 0),
                      textcoords="offset points", fontsize=8, color="#333333", va="top",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
        return ""
    return "; " + note


def draw_ways(rows: Rows, x_of: Callable[[Row], float], value_of: Callable[[Row, str], float]) -> tuple[Any, Any]:
    figure, axes = new_figure()
    rows.sort(key=x_of)
    for way, (name, colour, marker) in WAYS.items():
        axes.plot([x_of(row) for row in rows], [value_of(row, way) for row in rows], color=colour, marker=marker, markersize=4.5,
                  linewidth=1.6 if way in "ab" else 1, linestyle="-" if way in "ab" else "--", label=name)
    axes.legend(frameon=False, fontsize=8)
    return figure, axes


def ways_points(rows: Rows, x_of: Callable[[Row], float]) -> list[Point]:
    return [(x_of(row), row["a_seconds_median"], row["b_seconds_median"]) for row in rows]


def draw_transfer_sizes(rows: Rows) -> Picture:
    figure, axes = draw_ways(rows, lambda row: row["bytes"],
                             lambda row, way: row["bytes"] / row[way + "_seconds_median"] / 1e9)
    axis_of_sizes(axes, [row["bytes"] for row in rows])
    axes.set_yscale("log")
    ticks_of_log(axes.yaxis, axes.get_ylim(), lambda tick: f"{tick:g}")
    axes.set_ylabel("GB/s (bytes read and written / time)")
    note = mark_crossing(axes, ways_points(rows, lambda row: row["bytes"]), bytes_text)
    return figure, f"{op_text(rows[0]['op'])} between host and device, against size{note}"


def draw_transfer_repeats(rows: Rows) -> Picture:
    def repeats(row: Row) -> float:
        return float(row["dst_bytes"] / row["src_bytes"])
    figure, axes = draw_ways(rows, repeats, lambda row, way: row[way + "_seconds_median"])
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks([repeats(row) for row in rows], [f"{repeats(row):g}" for row in rows])
    axes.set_xticks([], minor=True)
    ticks_of_log(axes.yaxis, axes.get_ylim(), time_text)
    axes.set_xlabel("repeats of a source of " + bytes_text(rows[0]["src_bytes"]))
    axes.set_ylabel("time until the result is there")
    note = mark_crossing(axes, ways_points(rows, repeats), lambda x: f"{math.ceil(x)} repeats")
    return figure, f"Tile between host and device, against repeats{note}"


def draw_transfer_cases(rows: Rows) -> Picture:
    figure, axes = new_figure(len(rows))
    for i, row in enumerate(rows):
        axes.plot([row["a_seconds_median"], row["b_seconds_median"]], [i, i], color="#bbbbbb", linewidth=2, zorder=1)
    for way, (name, colour, marker) in WAYS.items():
        filled = colour if way in "ab" else "none"
        axes.plot([row[way + "_seconds_median"] for row in rows], range(len(rows)), color=colour, marker=marker, linestyle="",
                  markerfacecolor=filled, markersize=6, label=name)
    axis_of_names(axes, [row["name"] for row in rows])
    axes.set_xscale("log")
    ticks_of_log(axes.xaxis, axes.get_xlim(), time_text)
    axes.set_xlabel("time until the result is there")
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.4, 1))
    return figure, "Ways between host and device"


def draw_transfer(rows: Rows, memory: str) -> Picture:
    memories = list(dict.fromkeys(row["memory"] for row in rows))
    if memory not in memories:
        raise Refused(f"there is nothing for {memory} memory, only for {', '.join(memories)}")
    rows = [row for row in rows if row["memory"] == memory]
    if len({(row["op"], row["device_type"]) for row in rows}) == 1 and len(rows) > 1:
        if all(SWEPT.search(row["name"]) for row in rows):
            return draw_transfer_sizes(rows)
        if rows[0]["op"] == "tile" and len({row["src_bytes"] for row in rows}) == 1 < len({row["dst_bytes"] for row in rows}):
            return draw_transfer_repeats(rows)
    return draw_transfer_cases(rows)


# ---- compare.py ----

def draw_peers(rows: Rows) -> Picture:
    figure, axes = new_figure(len(rows))
    for peer, (name, colour, marker) in PEERS.items():
        found = []
        for i, row in enumerate(rows):
            times = [seconds for key, seconds in row["peers"].items() if key.split("_")[0] == peer]
            if times:
                found.append((row["bytes"] / min(times) / 1e9, i))
        if found:
            axes.plot(*zip(*found), color=colour, marker=marker, markerfacecolor="none", markersize=6, linestyle="", label=name)
    for device, colour, marker in (("cpu", BLUE, "o"), ("gpu", BLUE, "o"), ("host", BLACK, "|")):
        found = [(row["bytes"] / row["ours"][device]["seconds_min"] / 1e9, i) for i, row in enumerate(rows) if device in row["ours"]]
        if found:
            name = device_text({"device_type": device})
            axes.plot(*zip(*found), color=colour, marker=marker, markersize=7 if marker == "o" else 12, markeredgewidth=1.6,
                      linestyle="", label=f"clmove, {name}")
    axis_of_names(axes, [row["name"] for row in rows])
    axes.set_xscale("log")
    ticks_of_log(axes.xaxis, axes.get_xlim(), lambda tick: f"{tick:g}")
    axes.set_xlabel("GB/s (10$^9$ bytes a second, the fastest run)")
    axes.legend(frameon=False, fontsize=8, ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1))
    return figure, "clmove beside its peers"


# ---- all ----

def _draw(kind: str, rows: Rows, memory: str) -> Picture:
    try:
        if kind == "transfer":
            return draw_transfer(rows, memory)
        if kind == "peers":
            return draw_peers(rows)
        if all(SWEPT.search(row["name"]) for row in rows):
            return draw_sizes(rows)
        return draw_cases(rows)
    except (KeyError, TypeError, ZeroDivisionError, AttributeError) as error:
        raise Refused(f"a result lacks a figure, or has one that cannot be drawn: {type(error).__name__} {error}") from None


def check() -> None:
    """Whether pictures can be drawn here."""
    try:
        import matplotlib.figure
    except ImportError:
        raise Refused("matplotlib is missing: pip install matplotlib, or on Debian: apt-get install python3-matplotlib") from None


def draw(kind: str, rows: Rows, output: str, title: Optional[str], machine: Optional[str], memory: str) -> None:
    """Writes the picture of results of one kind to output.svg and output.png, or to one of them if output ends so.

    title: None for one that follows from the rows. machine: where it was measured, which stands below. memory: of
    clmove bench --transfer.
    """
    check()
    import matplotlib

    # Text stays text, and the same figures make the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "clmove", "font.size": 9, "font.family": "DejaVu Sans"}):
        figure, follows = _draw(kind, rows, memory)
        figure.suptitle(title or follows, fontsize=11, x=0.01, ha="left")
        if machine:
            figure.supxlabel(machine, fontsize=7.5, color="#555555", x=0.01, ha="left")
        for path in [output] if output.endswith((".svg", ".png")) else [output + ".svg", output + ".png"]:
            try:
                figure.savefig(path, dpi=150, metadata={"Date": None} if path.endswith(".svg") else None)
            except OSError as error:
                raise Refused(f"{path} cannot be written: {error}") from None
