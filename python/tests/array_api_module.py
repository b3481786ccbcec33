# SPDX-License-Identifier: Apache-2.0
"""NumPy with the functions of clmove.array_api in the place of its own: the module that data-apis/array-api-tests tests.

What clmove refuses as UnsupportedError, such as repeats that differ, is NumPy's here. At the end a line says how often either moved.
"""

import atexit
import functools
import os
from collections import Counter

import clmove
import numpy as np
from clmove import array_api

calls = Counter()


def _counted(name):
    ours, theirs = getattr(array_api, name), getattr(np, {"permute_dims": "transpose"}.get(name, name), None)

    @functools.wraps(ours)
    def call(*arguments, **options):
        try:
            result = ours(*arguments, **options)
        except clmove.UnsupportedError:
            calls["left to NumPy"] += 1
            return theirs(*arguments, **options)
        calls[name] += 1
        return result

    return call


functions = {name: _counted(name) for name in array_api.__all__}


def __getattr__(name):
    return functions[name] if name in functions else getattr(np, name)


@atexit.register
def _say():
    if "ARRAY_API_TESTS_CALLS" in os.environ:
        with open(os.environ["ARRAY_API_TESTS_CALLS"], "w", encoding="utf-8") as file:
            file.writelines(f"{name} {count}\n" for name, count in calls.items())
