#!/usr/bin/env bash
# What scripts/test.sh says of misuse and of itself, and that it knows no part that is not there: test_sh.sh SOURCE_DIR
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$1"

# refuse ARGUMENT...: usage on stderr, nothing else, and nothing done.
refuse() {
    local status=0 said
    said=$(bash scripts/test.sh "$@" 2>&1 >/dev/null) || status=$?
    ((status == 2)) || { printf 'scripts/test.sh %s: status %d, not 2\n' "$*" "$status" && exit 1; }
    [[ $said == 'usage: scripts/test.sh [--asan | --ci | --all]'* ]] || { printf 'scripts/test.sh %s: no usage: %s\n' "$*" "$said" && exit 1; }
    [[ -z $(bash scripts/test.sh "$@" 2>/dev/null) ]] || { printf 'scripts/test.sh %s: says more\n' "$*" && exit 1; }
}
refuse --al
refuse --ci --all
refuse --all trixie
refuse ''
refuse help
for option in --help -h; do
    [[ $(bash scripts/test.sh "$option" 2>&1) == 'usage: '*'--asan'*'--ci'*'--all'* ]] || { printf '%s: no help\n' "$option" && exit 1; }
done

# Each part is there, and takes the options that it is given: one that is wrong makes it print its usage.
mapfile -t parts < <(sed -nE "s/.*parts=\((.*)\)$/\1/p" scripts/test.sh | grep -oE "'[^']+'" | tr -d "'" | sort -u)
((${#parts[@]} >= 6)) || { printf 'scripts/test.sh has %d parts\n' "${#parts[@]}" && exit 1; }
for part in "${parts[@]}"; do
    read -ra words <<<"$part"
    [[ -x scripts/${words[0]} ]] || { printf 'scripts/%s is not there\n' "${words[0]}" && exit 1; }
    said=$(bash "scripts/${words[0]}" --none 2>&1 >/dev/null) && { printf '%s takes --none\n' "${words[0]}" && exit 1; }
    for word in "${words[@]:1}"; do
        grep -qF -- "$word" <<<"$said" || { printf 'scripts/%s does not know %s: %s\n' "${words[0]}" "$word" "$said" && exit 1; }
    done
done
printf 'scripts/test.sh: %d parts, each there\n' "${#parts[@]}"
