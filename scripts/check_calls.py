#!/usr/bin/env python3
"""Files do not call each other in a circle: reads which symbols the objects of a program define and use.

usage: check_calls.py NM OBJECT...

Prints each circle of files, with the symbols that close it. Exit status 0 clean, 1 circles, or objects that use nothing of each
other.
"""
import os
import subprocess
import sys


def read(nm, objects):
    """Of each file, the files that it uses, with the symbols."""
    defined, used = {}, {}
    for path in objects:
        listing = subprocess.run([nm, '-P', '-g', path], check=True, capture_output=True, text=True).stdout
        for line in listing.splitlines():
            symbol, kind = line.split()[:2]
            if kind == 'U':
                used.setdefault(path, set()).add(symbol)
            else:
                defined[symbol] = path
    graph = {path: {} for path in objects}
    for path, symbols in used.items():
        for symbol in symbols:
            other = defined.get(symbol, path)
            if other != path:
                graph[path].setdefault(other, []).append(symbol)
    return graph


def reachable(graph, start):
    found, todo = set(), [start]
    while todo:
        for other in graph[todo.pop()]:
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def name_of(path):
    """host/run/run.c of CMakeFiles/TARGET.dir/host/run/run.c.o"""
    return os.path.splitext(path.split('.dir/')[-1])[0]


def main():
    graph = read(sys.argv[1], sys.argv[2:])
    if not any(graph.values()):
        print('check_calls: no object uses another')
        return 1
    reach = {path: reachable(graph, path) for path in graph}
    circles = {frozenset(other for other in reach[path] if path in reach[other]) for path in graph if path in reach[path]}
    for circle in circles:
        print('check_calls: these files call each other in a circle:')
        for path in sorted(circle):
            for other in sorted(circle & graph[path].keys()):
                print('    %s -> %s: %s' % (name_of(path), name_of(other), ', '.join(sorted(graph[path][other]))))
    if not circles:
        print('check_calls: %d files, clean' % len(graph))
    return 1 if circles else 0


sys.exit(main())
