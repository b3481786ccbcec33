#!/usr/bin/env bash
# Compares what the shared library exports with what the public headers declare, both ways, and checks the symbols' version.
#
# usage: symbols.sh LIBRARY VERSION INCLUDE_DIR NM C_COMPILER [FLAG...]
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
library=$1 version=$2 include=$3 nm=$4 cc=$5
shift 5

# A function's name stands before a parenthesis; nothing else in the headers of that name does.
declared=$(for header in "$include"/clmove/*.h; do printf '#include <clmove/%s>\n' "${header##*/}"; done |
    "$cc" -std=c11 -E -P -I "$include" "$@" -x c - | grep -oE '\bclmove_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)
exported=$("$nm" -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort -u) # A: the version itself
names=$(awk -F@ '{ print $1 }' <<<"$exported" | sort -u)
[[ -n $declared && -n $names ]] || { printf 'nothing is declared, or nothing is exported\n'; exit 1; }

failed=0
say() { # WHAT NAMES
    [[ -z $2 ]] || { printf '%s: %s\n' "$1" "${2//$'\n'/ }"; failed=1; }
}
say 'declared in the headers, and not exported (scripts/package/clmove.map.in, CLMOVE_API)' "$(comm -23 <(printf '%s\n' "$declared") <(printf '%s\n' "$names"))"
say 'exported, and not declared in the headers' "$(comm -13 <(printf '%s\n' "$declared") <(printf '%s\n' "$names"))"
say "exported without the version $version" "$(grep -vF "@@$version" <<<"$exported" || true)"
((!failed)) || exit 1
printf 'symbols: %d, of version %s\n' "$(wc -l <<<"$names")" "$version"
