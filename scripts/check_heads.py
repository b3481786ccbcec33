#!/usr/bin/env python3
"""The sentence of a variant in host/plan/variants.c opens each .cl file of its kernel: "NAME: SENTENCE."

usage: check_heads.py (in the repository's root)
"""
import os
import re
import sys

VARIANTS = 'host/plan/variants.c'


def variants():
    """The name, the kernel and the sentence of each row of the table."""
    with open(VARIANTS) as text:
        rows = re.findall(r'\{\.name = "(\w+)",\s*\.source = CLM_(\w+),\s*\.requires_in_full =((?:\s*"[^"]*")+),', text.read())
    for name, source, strings in rows:
        yield name, source.lower(), ''.join(re.findall(r'"([^"]*)"', strings))


def main():
    offences = files = 0
    for name, source, sentence in variants():
        for folder in ('gpu', 'cpu'):
            path = 'cl_kernels/%s/%s.cl' % (folder, source)
            if not os.path.exists(path):
                continue
            files += 1
            with open(path) as text:
                head = re.sub(r'\s*\n \*\s*', ' ', text.read().split('*/')[0])
            if '%s: %s.' % (name, sentence) not in head:
                print('%s:1: does not open with "%s: %s.", as %s has it' % (path, name, sentence, VARIANTS))
                offences += 1
    if files == 0:
        print('check_heads: %s has no variants with files' % VARIANTS)
        return 1
    return 1 if offences else 0


sys.exit(main())
