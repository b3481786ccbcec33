#!/usr/bin/env bash
# said.sh TEXT COMMAND...: runs a command, which fails also when it does not print TEXT. What a layer prints shows that it was there.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
text=$1
shift
output=$("$@" 2>&1) && status=0 || status=$?
printf '%s\n' "$output"
((status == 0)) || exit "$status"
grep -qF -- "$text" <<<"$output" || {
    printf 'said: nothing says "%s"\n' "$text"
    exit 1
}
