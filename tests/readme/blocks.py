#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the examples out of a Markdown file: one file a block, and a list that says what is to be done with each.

usage: blocks.py FILE.md OUT_DIR

What stands behind the fence says what a block is:
  sh                    is run, in an empty folder, after the blocks before it
  sh checkout           commands for a checkout that CI runs by themselves: what they name has to exist
  sh installed          is run beside an installed clmove, by tests/consumer/test.sh
  c                     a program; the block after it is what it prints
  c FILE                an excerpt: each line of code is one of FILE
  cmake installed       CMakeLists.txt for the "sh installed" after it, by tests/consumer/test.sh
  cmake subproject      CMakeLists.txt of a project with clmove as a subproject, by tests/consumer/test.sh
  python package        is run beside an installed Python package, by scripts/test-python.sh
  text output           what the program before it prints; a line "..." stands for any lines
  text                  a picture, a formula, an example of output: no commands
Everything else is refused, and so is code that has no fence. OUT_DIR/list has a line "NUMBER LINE KIND [FILE]" for each block, and
OUT_DIR/NUMBER.txt its text.
"""
import os
import re
import sys

KINDS = ("sh", "sh checkout", "sh installed", "c", "cmake installed", "cmake subproject", "python package", "text output", "text")
COMMAND = re.compile(r"^\s*(?:\$ |# )?(?:[A-Z_]+=\S* )*(?:sudo )?(?:clmove|cmake|ctest|cc|gcc|python3?|pip|apt-get|docker|\S*scripts/\S+) ")


def parse(path):
    """The blocks as [line number, info string, text], and what is wrong with them."""
    blocks, wrong, fence, in_list = [], [], None, False
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        if fence is not None:
            if line == "```":
                fence = None
            else:
                fence[2] += line + "\n"
        elif line.startswith("```"):
            fence = [number, line[3:], ""]
            blocks.append(fence)
        elif re.match(r"\s*(```|~~~)|\s*<(pre|code)\b", line):
            wrong.append((number, "code that this test does not see: a fence is ``` at the beginning of a line"))
        elif not in_list and re.match(r"(    |\t)\S", line):
            wrong.append((number, "an indented block of code: it wants a fence"))
        if fence is None and line.strip():
            in_list = bool(re.match(r"([-*]|\d+\.) ", line)) or (in_list and line.startswith(" "))
    if fence is not None:
        wrong.append((fence[0], "this block has no end"))
    return blocks, wrong


def check(blocks, lines_between):
    wrong = []
    for i, (number, info, text) in enumerate(blocks):
        excerpt = re.fullmatch(r"c (\S+\.[ch])", info)
        if info not in KINDS and not excerpt:
            wrong.append((number, f'a block "{info}", which no test runs'))
        if not text.strip():
            wrong.append((number, "an empty block"))
        if info == "text" and any(COMMAND.match(line) for line in text.split("\n")):
            wrong.append((number, "commands in a block that no test runs: it wants to be sh"))
        if info == "text output" and (i == 0 or blocks[i - 1][1] != "c" or not lines_between(i)):
            wrong.append((number, "output of no program: the block before it is none, or something stands between them"))
        if info == "c" and (i + 1 == len(blocks) or blocks[i + 1][1] != "text output"):
            wrong.append((number, 'a program without "text output" after it'))
    return wrong


def main(path, out):
    blocks, wrong = parse(path)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")

    def only_blank_before(i):
        first = blocks[i - 1][0] + blocks[i - 1][2].count("\n") + 1
        return not "".join(lines[first:blocks[i][0] - 1]).strip()

    wrong += check(blocks, only_blank_before)
    for number, why in sorted(wrong):
        print(f"{os.path.basename(path)}:{number}: {why}")
    if wrong:
        return 1
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "list"), "w", encoding="utf-8") as index:
        for i, (number, info, text) in enumerate(blocks, 1):
            kind, _, rest = info.partition(" ")
            name = f"excerpt {rest}" if kind == "c" and rest else info.replace(" ", "-")
            print(i, number, name, file=index)
            with open(os.path.join(out, f"{i}.txt"), "w", encoding="utf-8") as file:
                file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
