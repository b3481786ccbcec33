#!/usr/bin/env python3
"""Checks who includes whom (the table of CONTRIBUTING.md), that no files include each other in a circle, that only the operators
know operators, and that the oracle stands alone.

Prints each offence as FILE:LINE: sentence. Exit status 0 clean, 1 offences, or a folder that has nothing to look at.
"""
import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

STANDARD = r'<(assert|errno|float|inttypes|limits|stdalign|stdarg|stdbool|stddef|stdint|stdio|stdlib|string)\.h>'
SYSTEM = r'<(?!CL/)(?!clmove/)[a-z0-9_/]+\.h>'
OPENCL = r'<CL/[a-z_]+\.h>'
PUBLIC = r'<clmove/(clmove|status|map|device|plan|buffer|enqueue|tuning|advice)\.h>'
PUBLIC_OPENCL = r'<clmove/opencl\.h>'
ROOT = r'"host/[a-z_]+\.h"'
BASE = r'"host/(error|checked|clock|pages|params|repeat|thread|variables)\.h"'  # for all of the library
EXECUTOR = r'"host/executor\.h"'
KERNEL = r'"cl_kernels/[a-z_]+\.h"'
EMBEDDED = r'"kernels\.inc"'  # the texts of the kernels, made by scripts/embed.cmake
NEIGHBOUR = r'"[a-z0-9_]+\.(h|inc)"'


def rooms(*names):
    return r'"host/(%s)/[a-z0-9_]+\.(h|inc)"' % '|'.join(names)


def tools(*names):
    return r'"host/tools/(%s)/[a-z0-9_]+\.h"' % '|'.join(names)


# A folder or a file, and what may be included there. The longest one counts.
RULES = {
    'include/clmove': [PUBLIC, STANDARD],
    'include/clmove/opencl.h': [PUBLIC, OPENCL, STANDARD],
    'host': [PUBLIC, PUBLIC_OPENCL, ROOT, rooms('map', 'plan', 'native', 'cache', 'opencl', 'settings', 'device', 'run', 'advice'), SYSTEM],
    'host/error.h': [PUBLIC, STANDARD],
    'host/checked.h': [STANDARD],
    'host/clock.h': [r'<time\.h>'],
    'host/repeat.h': [STANDARD],
    'host/thread.h': [SYSTEM],
    'host/pages.h': [STANDARD, SYSTEM],
    'host/params.h': [PUBLIC, r'"host/error\.h"', STANDARD],
    'host/executor.h': [PUBLIC, rooms('plan'), STANDARD],
    'host/map': [PUBLIC, BASE, rooms('map'), STANDARD],
    'host/plan': [PUBLIC, BASE, rooms('map', 'plan'), KERNEL, STANDARD],
    'host/native': [PUBLIC, BASE, EXECUTOR, rooms('map', 'plan', 'native'), KERNEL, SYSTEM],
    'host/cache': [PUBLIC, BASE, rooms('cache'), SYSTEM],
    'host/opencl': [PUBLIC, BASE, EXECUTOR, rooms('map', 'plan', 'cache', 'opencl'), KERNEL, EMBEDDED, OPENCL, SYSTEM],
    'host/settings': [PUBLIC, BASE, EXECUTOR, rooms('plan', 'settings'), SYSTEM],
    'host/device': [PUBLIC, BASE, EXECUTOR, rooms('settings', 'device'), SYSTEM],
    'host/run': [PUBLIC, BASE, EXECUTOR, rooms('map', 'plan', 'device', 'run'), KERNEL, SYSTEM],
    'host/advice': [PUBLIC, BASE, rooms('map', 'plan', 'settings', 'device', 'run', 'advice'), SYSTEM],
    'host/examples': [PUBLIC, PUBLIC_OPENCL, OPENCL, SYSTEM],
    'python/module': [PUBLIC, PUBLIC_OPENCL, r'"module\.h"', r'<nanobind/[a-z_/]+\.h>', r'<(sys/)?[a-z_]+(\.h)?>'],
    'extension/openvino': [PUBLIC, r'"(steps|program|spread|move)\.h"', r'<openvino/[a-z_/]+\.hpp>', r'<[a-z_]+(\.h)?>'],
    'cl_kernels': [KERNEL, NEIGHBOUR, STANDARD],
    'tests/oracle': [PUBLIC, r'"tests/oracle/[a-z_]+\.h"', STANDARD],
}
# The rooms of the command, each with those that it builds on.
TOOLS = {
    'common': [],
    'npy': ['common'],
    'measured': ['common'],
    'move': ['common', 'npy'],
    'verify': ['common', 'npy', 'move'],
    'workloads': ['common', 'npy', 'move', 'verify'],
    'bench': ['common', 'measured', 'npy', 'move', 'verify', 'workloads'],
    'start': ['common', 'measured', 'npy', 'move', 'verify', 'workloads', 'bench'],
    'transfer': ['common', 'measured', 'npy', 'move', 'verify', 'workloads', 'bench'],
    'tune': ['common', 'measured', 'npy', 'move', 'verify', 'workloads', 'bench', 'transfer'],
    'advise': ['common', 'measured', 'npy', 'move', 'verify', 'workloads', 'bench', 'transfer'],
    'devices': ['common', 'measured'],
}
for room, below in TOOLS.items():
    RULES['host/tools/' + room] = [PUBLIC, tools(room, *below), r'"host/tools/commands\.h"', SYSTEM]
for room in ('move', 'verify'):
    RULES['host/tools/' + room].append(r'"tests/oracle/[a-z_]+\.h"')
RULES['host/tools'] = [PUBLIC, r'"host/tools/[a-z_]+\.h"', tools(*TOOLS), SYSTEM]

# Where files may not include each other in a circle.
NO_CIRCLES = ('include', 'host', 'cl_kernels', 'tests/oracle')
MOST_FILES = 20  # in a folder of the command
# Only what stands between the library and OpenCL, or uses both, sees OpenCL's headers in tests.
TESTS_WITH_OPENCL = ('tests/layer/', 'tests/opencl/', 'tests/gpusim/', 'tests/implementations/')
# The library but for the room of operators, and the kernels. Nothing here says space_to_depth,
# depth_to_space, permute or permutation. No code says the names of other operators; comments may, since expand is a word of
# English, and a tile that is not the operator is what one job transposes.
NO_OPERATORS = r'cl_kernels/|host/(plan|opencl|native|device|run|settings|cache|advice)/|host/[^/]+$'

offences = []


def offend(path, line, sentence):
    offences.append('%s:%d: %s' % (path, line, sentence))


def find(folders, pattern):
    for folder in folders:
        for root, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if re.search(pattern, name):
                    yield os.path.join(root, name)


def includes(path):
    with open(path) as text:
        for number, line in enumerate(text, 1):
            found = re.match(r'\s*#\s*include\s*([<"][^>"]*[>"])', line)
            if found:
                yield number, found.group(1)
            elif re.match(r'\s*#\s*include', line):
                yield number, line.strip()


def rule_of(path):
    """The rule of a file: its own, or its folder's. That of host or host/tools is of the files directly there."""
    fits = [name for name in RULES if path == name or path.startswith(name + '/')]
    found = max(fits, key=len, default=None)
    return None if found in ('host', 'host/tools') and os.path.dirname(path) != found else found


def check_rules(paths):
    seen = set()
    for path in paths:
        name = rule_of(path)
        if name is None:
            offend(path, 1, 'no rule says what this folder may include')
            continue
        seen.add(name)
        for line, what in includes(path):
            if not any(re.fullmatch(allowed, what) for allowed in RULES[name]):
                offend(path, line, '%s may not include %s' % (name, what))
    for name in RULES:
        if name not in seen:
            offend(name, 1, 'no file to check')
    for folder in sorted({os.path.dirname(path) for path in paths if path.startswith('host/tools')}):
        count = sum(os.path.dirname(path) == folder for path in paths)
        if count > MOST_FILES:
            offend(folder, 1, '%d files are too many for a room: %d at most' % (count, MOST_FILES))


def check_circles(paths):
    """A source and its header are one."""
    def stem(path):
        return os.path.splitext(path)[0]
    graph = {}
    for path in paths:
        if path.startswith(NO_CIRCLES):
            below = graph.setdefault(stem(path), set())
            for _, what in includes(path):
                inner = what.strip('<>"')
                for other in (inner, 'include/' + inner, os.path.join(os.path.dirname(path), inner)):
                    if os.path.exists(other) and stem(other) != stem(path):
                        below.add(stem(other))
    state = {}

    def visit(node, way):
        if state.get(node) == 'done' or node not in graph:
            return
        if node in way:
            circle = way[way.index(node):] + [node]
            offend(node, 1, 'files include each other in a circle: ' + ' -> '.join(circle))
            return
        for other in sorted(graph[node]):
            visit(other, way + [node])
        state[node] = 'done'
    for node in sorted(graph):
        visit(node, [])


def check_operators(paths):
    for path in paths:
        if not re.match(NO_OPERATORS, path):
            continue
        with open(path) as text:
            whole = text.read()
        # Comments become blanks of as many lines.
        code = re.sub(r'/\*.*?\*/|//[^\n]*', lambda found: re.sub(r'[^\n]', ' ', found.group()), whole, flags=re.S)
        for number, (line, stripped) in enumerate(zip(whole.split('\n'), code.split('\n')), 1):
            if (re.search(r'(space|depth)[-_ ]?to[-_ ]?(depth|space)|(?<![A-Za-z0-9])permut(e|es|ed|ing|ations?)(?![A-Za-z0-9])', line, re.I)
                    or re.search(r'(?<![A-Za-z0-9])(map_tile|expand)(?![A-Za-z0-9])', stripped)):
                offend(path, number, "an operator's name outside of the operators")


def check_oracle():
    for path in find(['tests/oracle'], r'\.[ch]$'):
        with open(path) as text:
            for number, line in enumerate(text, 1):
                if re.search(r'clmove_(map|plan|run)\w*|"host/', line):
                    offend(path, number, 'the oracle may not use the library')


def check_tests():
    for path in find(['tests'], r'\.[ch]$'):
        for line, what in includes(path):
            if re.fullmatch(OPENCL, what) and not path.startswith(TESTS_WITH_OPENCL):
                offend(path, line, "only %s see OpenCL's headers" % ', '.join(TESTS_WITH_OPENCL))


def main():
    paths = list(find(['include', 'host', 'cl_kernels', 'tests/oracle', 'python/module', 'extension'], r'\.(h|c|cpp|cl|inc)$'))
    check_rules(paths)
    check_circles(paths)
    check_operators(paths)
    check_oracle()
    check_tests()
    for offence in offences:
        print(offence)
    if offences:
        print('check_includes: %d offences in %d files' % (len(offences), len(paths)))
        return 1
    print('check_includes: %d files, clean' % len(paths))
    return 0


sys.exit(main())
