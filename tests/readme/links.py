#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the documentation names exists, and what is public is named. No network.

usage: links.py SOURCE_DIR

- Every relative link leads to a file, and every anchor to a heading. Each file of doc/ is reached from README.md.
- Every function, macro, variable and long option that is named occurs in the sources.
- Every public function and every environment variable of the library is named in README.md or doc/.
"""
import os
import re
import sys

SOURCES = ("CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "include", "host", "scripts", "tests", "cl_kernels", "python")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def pages(root):
    found = [os.path.join(root, name) for name in ("README.md", "CONTRIBUTING.md", "tests/gpusim/README.md")]
    for folder, _, names in os.walk(os.path.join(root, "doc")):
        found += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".md")]
    return found


def prose(text):
    """Without blocks of code, which have no links and no headings; lines keep their numbers."""
    return re.sub(r"^```.*?^```$", lambda block: "\n" * block.group().count("\n"), text, flags=re.M | re.S)


def anchors(text):
    """As GitHub makes them of headings."""
    found = set()
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", prose(text), flags=re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        base = slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = 0
        while slug in found:
            count += 1
            slug = f"{base}-{count}"
        found.add(slug)
    return found


def links(text):
    """Line number and target of each, but for those in `code`."""
    for number, line in enumerate(re.sub(r"(`+).+?\1(?!\])", "`code`", prose(text)).split("\n"), 1):
        for target in re.findall(r"\]\(\s*<?([^)\s>]*)>?[^)]*\)|^\[[^]]+\]:\s*(\S+)|(?:href|src)=\"([^\"]*)\"", line):
            yield number, "".join(target)


def check_links(root, found):
    wrong, reached = [], {}
    for page in found:
        reached[page] = set()
        for number, target in links(read(page)):
            if re.match(r"(https?|mailto):", target):
                continue
            path, _, anchor = target.partition("#")
            at = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            where = f"{os.path.relpath(page, root)}:{number}"
            if os.path.isabs(path) or not (at + os.sep).startswith(root + os.sep) or not os.path.exists(at):
                wrong.append(f"{where}: there is no {target or 'target'}")
            elif anchor and not (at.endswith(".md") and anchor in anchors(read(at))):
                wrong.append(f"{where}: {os.path.relpath(at, root)} has no heading #{anchor}")
            else:
                reached[page].add(at)
    todo, seen = [os.path.join(root, "README.md")], set()
    while todo:
        page = todo.pop()
        if page not in seen:
            seen.add(page)
            todo += [at for at in reached[page] if at in reached]
    wrong += [f"{os.path.relpath(page, root)}: no link leads here from README.md" for page in found if page not in seen]
    return wrong, sum(len(of) for of in reached.values())


def sources(root):
    text = []
    for name in SOURCES:
        path = os.path.join(root, name)
        files = [path] if os.path.isfile(path) else [os.path.join(folder, each) for folder, _, names in os.walk(path) for each in names
                                                      if not each.endswith((".md", ".pyc"))]
        text += [read(each) for each in files]
    return "\n".join(text)


def check_names(root, found):
    code, wrong = sources(root), []
    known = {kind: set(re.findall(form, code)) for kind, form in NAMES.items()}
    for page in found:
        for number, line in enumerate(read(page).split("\n"), 1):
            for kind, form in NAMES.items():
                wrong += [f"{os.path.relpath(page, root)}:{number}: nothing is called {name}"
                          for name in re.findall(form, line) if name not in known[kind]]
    return wrong


NAMES = {"functions and types": r"\bclmove_[a-z0-9_]*[a-z0-9]\b", "macros and variables": r"\bCLMOVE_[A-Z0-9_]*[A-Z0-9]\b",
         "options": r"(?<![\w-])--[a-z][a-z-]*[a-z]\b"}


def check_public(root, found):
    named = "\n".join(read(page) for page in found if not page.endswith(("CONTRIBUTING.md", "gpusim/README.md")))
    headers = "\n".join(read(os.path.join(root, "include/clmove", name)) for name in os.listdir(os.path.join(root, "include/clmove")))
    functions = re.findall(r"^CLMOVE_API [^;(]*?(clmove_\w+)\(", headers, flags=re.M)
    host = []
    for folder, _, names in os.walk(os.path.join(root, "host")):
        host += [read(os.path.join(folder, name)) for name in names if name.endswith((".c", ".h"))]
    # The command's own variables, with which it runs itself, are nobody's to set.
    variables = set(re.findall(r'"(CLMOVE_[A-Z_]+)"', "\n".join(host)))
    wrong = [f"{name} is public, and neither README.md nor doc/ names it" for name in sorted({*functions, *variables})
             if not re.search(rf"\b{name}\b", named)]
    if len(functions) < 10 or len(variables) < 5:
        wrong.append(f"only {len(functions)} functions and {len(variables)} variables were found: this test does not see them")
    return wrong, len(functions), len(variables)


def main(root):
    root = os.path.realpath(root)
    found = pages(root)
    wrong, count = check_links(root, found)
    wrong += check_names(root, found)
    missing, functions, variables = check_public(root, found)
    wrong += missing
    print(*wrong, sep="\n", end="\n" if wrong else "")
    if not count:
        print("no link was found")
    print(f"{len(found)} files, {count} links, {functions} functions, {variables} variables: {len(wrong)} errors")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
