#!/usr/bin/env bash
# Removes what was installed last from a build, as doc/building.md says.
#
# usage: uninstall.sh BUILD_DIR
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
xargs -d '\n' rm -- <"$1/install_manifest.txt"
tac "$1/install_folders.txt" | xargs -d '\n' rmdir --ignore-fail-on-non-empty --
