#!/usr/bin/env python3
"""The comment of a field stands above the field: refuses a comment behind a field of a struct or union. Enumerators may have theirs
beside them, where a table reads better.

usage: check_fields.py FILE...
"""
import re
import sys

TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[{};,]|\n|[^\n]', re.S)


def offences(text):
    """The numbers of the lines that have one."""
    inside, before, line, previous = [], "", 1, ""
    for token in TOKENS.findall(text):
        if token.startswith(("/*", "//")):
            if inside and inside[-1] and previous in (";", ","):
                yield line
        elif token == "{":
            # What defines a struct, and neither a function, nor a value in braces, nor an enum.
            inside.append(bool(re.search(r"\b(struct|union)\b[^()=]*$", before)))
            before = ""
        elif token in ("}", ";"):
            if token == "}" and inside:
                inside.pop()
            before = ""
        elif token[0] not in "\"'":
            before += token
        line += token.count("\n")
        if token == "\n":
            previous = ""
        elif not token.isspace():
            previous = token


def main():
    found = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for line in offences(text):
            print(f"{path}:{line}: the comment of a field stands above it")
            found += 1
    sys.exit(1 if found else 0)


main()
