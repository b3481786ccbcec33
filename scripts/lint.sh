#!/usr/bin/env bash
# Checks what needs no build: format, shell scripts, includes, sentences of variants, where comments of fields and enumerators stand, the lengths of files. Prints each offence; exit status 0 clean, 1 not.
# `scripts/lint.sh --fix` formats the sources in place first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
formatter=14 # other versions of clang-format disagree about details
most_lines=450

mapfile -d '' sources < <(find . \( -path ./.git -o -path './build*' \) -prune -o -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cl' -o -name '*.cpp' -o -name '*.hpp' \) -print0 | sort -z)
mapfile -d '' scripts < <(find . \( -path ./.git -o -path './build*' \) -prune -o -type f \
    \( -name '*.sh' -o -path ./.ci/run \) -print0 | sort -z)
if ((${#sources[@]} == 0 || ${#scripts[@]} == 0)); then
    printf 'lint: found no sources or no scripts\n'
    exit 1
fi

failed=0
format=$(command -v "clang-format-$formatter" || command -v clang-format || true)
if [[ -z $format ]]; then
    printf 'lint: clang-format is missing\n'
    failed=1
elif [[ $("$format" --version) != *"version $formatter."* ]]; then
    printf 'lint: format not checked: it is that of clang-format %s, and here is %s\n' "$formatter" "$("$format" --version)"
else
    if [[ ${1:-} == --fix ]]; then
        "$format" -i "${sources[@]}"
    fi
    unformatted=$("$format" --dry-run "${sources[@]}" 2>&1 | grep -E '^[^ ]+:[0-9]+:[0-9]+: ' | sort -u -t: -k1,1 | cut -d: -f1,2 || true)
    if [[ -n $unformatted ]]; then
        printf '%s: not as clang-format writes it; scripts/lint.sh --fix mends that\n' "${unformatted//$'\n'/, }"
        failed=1
    fi
fi
# Fragments without a first line that names a shell are read by /bin/sh scripts.
fragments=() whole=()
for script in "${scripts[@]}"; do
    if head -n 1 "$script" | grep -qE '^#!|shellcheck shell='; then
        whole+=("$script")
    else
        fragments+=("$script")
    fi
done
shellcheck -x -P SCRIPTDIR "${whole[@]}" || failed=1
if ((${#fragments[@]})); then
    shellcheck -x -P SCRIPTDIR -s sh "${fragments[@]}" || failed=1
fi
scripts/check_includes.py || failed=1
scripts/check_heads.py || failed=1
long=$(wc -l "${sources[@]}" host/native/*.inc "${scripts[@]}" | awk -v most="$most_lines" '$1 > most && $2 != "total" { print $2 ": " $1 " lines" }')
if [[ -n $long ]]; then
    printf '%s: more than %d lines; a file is split by its jobs\n' "${long//$'\n'/, }" "$most_lines"
    failed=1
fi
scripts/check_fields.py "${sources[@]}" host/native/*.inc || failed=1

if ((failed)); then
    printf 'lint: FAILED\n'
    exit 1
fi
printf 'lint: %d sources, %d scripts, clean\n' "${#sources[@]}" "${#scripts[@]}"
