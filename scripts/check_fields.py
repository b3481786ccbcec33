#!/usr/bin/env python3
"""The comment of a field or an enumerator stands above it: refuses a comment behind a field of a struct or union, and behind an
enumerator.

usage: check_fields.py FILE...
"""
import re
import sys

TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[{};,]|\n|[^\n]', re.S)


def offences(text):
    """The numbers of the lines that have one, each with what the comment belongs to."""
    inside, before, line, previous = [], "", 1, ""
    for token in TOKENS.findall(text):
        if token.startswith(("/*", "//")):
            where = inside[-1] if inside else None
            if where == "field" and previous in (";", ","):
                yield line, "a field"
            # The last enumerator may have no comma.
            if where == "enumerator" and previous not in ("", "{", "}"):
                yield line, "an enumerator"
        elif token == "{":
            # What defines a struct or an enum, and neither a function nor a value in braces.
            word = re.search(r"\b(struct|union|enum)\b[^()=]*$", before)
            inside.append(None if not word else "enumerator" if word[1] == "enum" else "field")
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
        for line, what in offences(text):
            print(f"{path}:{line}: the comment of {what} stands above it")
            found += 1
    sys.exit(1 if found else 0)


main()
