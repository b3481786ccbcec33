# SPDX-License-Identifier: Apache-2.0
"""python -m clmove: the command clmove."""

import os
import sys
from typing import NoReturn

from ._bench import find_command
from ._errors import UnsupportedError


def main() -> NoReturn:
    try:
        command = find_command()
    except UnsupportedError as why:
        sys.exit(f"clmove: {why}")
    os.execv(command, ["clmove", *sys.argv[1:]])


if __name__ == "__main__":
    main()
