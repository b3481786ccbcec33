# SPDX-License-Identifier: Apache-2.0
"""The command that is inside the package, and what its benchmark says."""

import json
import os
import subprocess
from typing import Any, Optional, Union

from . import _errors, _plots

Option = Union[str, int, float, bool, tuple[int, ...], None]


def find_command() -> str:
    """The file of the command."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "clmove")
    if not os.access(path, os.X_OK):
        raise _errors.UnsupportedError("this package was built without the command, since jansson's archive was missing: install it "
                                       "(Debian: libjansson-dev) and build the package again, or use the command of clmove's own build")
    return path


def _words(name: str, value: Option) -> list[str]:
    """An option of the command: True stands for one without a value, None and False for none."""
    if value is None or value is False:
        return []
    word = "--" + name.replace("_", "-")
    if value is True:
        return [word]
    return [word, ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)]


def bench(operation: Optional[str] = None, *, plot: Optional[str] = None, title: Optional[str] = None, machine: Optional[str] = None,
          memory: str = "pageable", **options: Option) -> list[dict[str, Any]]:
    """Runs `clmove bench` with these options, and returns its results, of which pandas.DataFrame makes a table.

    An option is a keyword: `--element-bytes 4` is element_bytes=4, `--shape 3,4` is shape=(3, 4), `--cold` is cold=True. Of a
    chain (operation "move") the order of keywords is that of the steps. `python -m clmove bench --help` lists all.

    plot writes a picture of the results to plot.svg and plot.png, or to one of them if plot ends so. It needs matplotlib. title
    replaces its title, machine is written below, and memory is what is drawn of transfer=True.

    >>> import clmove
    >>> row, = clmove.bench("tile", shape=(3, 64), element_bytes=4, repeats=(2, 1), seconds=0.001, device="host")
    >>> row["name"], row["bytes"], row["verified"]
    ('tile_3x64', 2304, True)
    """
    if operation is not None and not isinstance(operation, str):
        raise TypeError(f'operation is {operation!r}: pass a string such as "tile" or "move"')
    if plot is not None:
        _check(_plots.check)
    command = [find_command(), "bench", *([operation] if operation is not None else []), "--json"]
    for name, value in options.items():
        command += _words(name, value)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        text = done.stderr.strip().removeprefix("clmove: ") or f"clmove bench ended with status {done.returncode}"
        raise _errors.ArgumentError(text) if done.returncode == 2 else _errors.Error(text)
    rows = [row for row in map(json.loads, done.stdout.splitlines()) if not row.get("summary")]
    if plot is not None:
        _check(lambda: _plots.draw(_plots.kind_of(rows[0], "clmove bench"), rows, plot, title, machine, memory))
    return rows


def _check(call: Any) -> None:
    try:
        call()
    except _plots.Refused as why:
        raise _errors.ArgumentError(str(why)) from None
