#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares clmove.Move with the operators of OpenVINO's CPU plugin: chains alone, models with every chain replaced, and models
after clmove.openvino.fuse. Prints a table of Markdown.

usage: openvino_bench.py [--batch N] [--precision f32|bf16] [--seconds S] [MODEL ...]

Times are medians of runs in turns, the two sides one after the other; "fastest" is the ratio of the fastest runs. "copy" is how many
times as long as a copy of the chain's result the plugin takes: no operator that writes the result can be more times as fast. All
include the same few microseconds of infer().
"""

import argparse
import os
import platform
import statistics
import sys
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))

import clmove
import clmove.openvino
import openvino
from clmove import _openvino_measure as measure
from openvino_models import ROWS


def processor() -> str:
    with open("/proc/cpuinfo") as file:
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {len(os.sched_getaffinity(0))} processors"


def ratio_text(runs: list[list[float]]) -> tuple[str, float, float]:
    """The medians in ms, and how many times faster the second is by medians and by the fastest runs."""
    before, after = map(statistics.median, runs)
    return f"{before * 1e3:.3f} | {after * 1e3:.3f} | {before / after:.2f}", before / after, min(runs[0]) / min(runs[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    core = openvino.Core()
    core.add_extension(clmove.openvino.extension())
    config: dict[str, Any] = {"INFERENCE_PRECISION_HINT": options.precision}

    def compile(model: openvino.Model) -> openvino.CompiledModel:
        return core.compile_model(model, "CPU", config)

    def both(model: openvino.Model, chains: list[clmove.openvino.Chain]) -> tuple[str, float, float]:
        before = compile(model)
        for nodes, chain in [(clmove.openvino.nodes_of(model, chain), chain) for chain in chains]:
            clmove.openvino.replace(nodes, chain.steps)
        return ratio_text(measure.seconds_of([before, compile(model)], options.seconds))

    print(f"{processor()}; OpenVINO {openvino.__version__.split('-')[0]}, clmove {clmove.__version__}; batch {options.batch}, {options.precision}\n")
    print("| what | plugin ms | clmove.Move ms | times faster | fastest | copy | fuse |\n|---|--:|--:|--:|--:|--:|---|")
    alone: list[tuple[float, float, float]] = []

    def bound(part: openvino.Model, before: openvino.CompiledModel) -> float:
        """By the fastest runs. A copy of the result's size, by the same operator."""
        x = openvino.opset13.parameter(part.output(0).get_partial_shape(), part.output(0).get_element_type())
        copied = compile(openvino.Model([clmove.openvino.move(x, "")], [x]))
        plugin, copy = measure.seconds_of([before, copied], options.seconds)
        return min(plugin) / min(copy)
    for row in ROWS:
        name = row.make.__name__
        if options.models and name not in options.models:
            continue
        model, _ = row.make(options.batch, *row.whole)
        chains = clmove.openvino.fuse(model.clone(), config=config, core=core)
        for chain in chains:
            copy = model.clone()
            part = measure.cut_out(clmove.openvino.nodes_of(copy, chain), 0)
            before = compile(part)
            found, = clmove.openvino.find_chains(part)
            clmove.openvino.replace(clmove.openvino.nodes_of(part, found), found.steps)
            text, median, fastest = ratio_text(measure.seconds_of([before, compile(part)], options.seconds))
            alone.append((median, fastest, bound(part, before)))
            print(f"| {name}: `{chain.steps}` | {text} | {fastest:.2f} | {alone[-1][2]:.2f} | {'replaced' if chain.replaced else 'left alone'} |", flush=True)
        text, _, fastest = both(model.clone(), chains)
        print(f"| {name}, the whole model, all chains replaced | {text} | {fastest:.2f} | | |", flush=True)
        kept = [chain for chain in chains if chain.replaced]
        if kept:
            text, _, fastest = both(model.clone(), kept)
            print(f"| {name}, the whole model after fuse | {text} | {fastest:.2f} | | |", flush=True)
    medians, fastest_runs, copies = (statistics.geometric_mean(each) for each in zip(*alone))
    print(f"\nChains alone: geometric mean {medians:.2f} times as fast by medians, {fastest_runs:.2f} by fastest runs; a copy {copies:.2f}.")


main()
