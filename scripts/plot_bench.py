#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of what the benchmark measured, as SVG and PNG.

What is drawn follows from the files:
  clmove bench --json             GB/s of each case, with the stream, which is as fast as can be
  clmove bench --sweep OP --json  GB/s against size, with the stream
  clmove bench --transfer --json  the ways between host and device: against size (--sweep), against repeats (Tiles of one
                                  source), or case by case
  compare.py --json               clmove beside its peers
Several files of one kind make one picture.
"""
import argparse
import importlib.util
import json
import os
import sys

# The file alone: the package may not be built.
spec = importlib.util.spec_from_file_location(
    "plots", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python", "clmove", "_plots.py"))
plots = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plots)
Refused = plots.Refused


def read(path):
    """The objects of a file: of one array, or one a line."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read: {error}") from None
    try:
        rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line]
    except ValueError as error:
        raise Refused(f"{path} is not JSON, or not one object a line: {error}") from None
    rows = [row for row in rows if isinstance(row, dict) and not row.get("summary")]
    if not rows:
        raise Refused(f"{path} has no results in it")
    return rows


def read_all(paths):
    found = [(plots.kind_of(row, path), row) for path in paths for row in read(path)]
    kinds = sorted({kind for kind, _ in found})
    if len(kinds) > 1:
        raise Refused(f"these files are of several kinds, and make no one picture: {', '.join(kinds)}")
    return kinds[0], [row for _, row in found]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="what the benchmark printed with --json")
    parser.add_argument("-o", "--output", required=True, metavar="PATH",
                        help="what to write: PATH.svg and PATH.png, or one of them if PATH ends so")
    parser.add_argument("--title", help="instead of one that follows from the files")
    parser.add_argument("--machine", metavar="TEXT", help="where it was measured; stands below the title")
    parser.add_argument("--memory", default="pageable", help="of --transfer: pageable (default), pinned or zero-copy")
    return parser.parse_args()


def main():
    asked = arguments()
    try:
        kind, rows = read_all(asked.files)
        plots.draw(kind, rows, asked.output, asked.title, asked.machine, asked.memory)
    except Refused as refused:
        sys.exit(f"plot_bench: {refused}")


main()
