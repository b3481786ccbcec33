#!/usr/bin/env bash
# Runs what README.md and doc/ say to one who has clmove, as it stands there, with the first program of README.md: the examples with
# "installed" behind their fence (tests/readme/blocks.py), and with `subprojects` those with "subproject" as well. The environment
# says where clmove is installed, if the system does not look there.
#
# usage: reader.sh SOURCE_DIR WORK_DIR C_COMPILER [subprojects]
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source=$1 work=$2 cc=$3 subprojects=${4:-}
mkdir -p "$work/bin"
ln -sf "$(command -v "$cc")" "$work/bin/cc"
python3 "$source/tests/readme/blocks.py" "$source/README.md" "$work/blocks.README"
first=$(awk '$3 == "c" { print $1; exit }' "$work/blocks.README/list")

example() { # NAME SCRIPT: runs it with this test's compiler as cc; it says what README.md says
    env -C "$folder" PATH="$work/bin:$PATH" CC="$cc" CLMOVE_DEVICE=host bash -euo pipefail "$2" >"$folder/said" 2>&1 ||
        { printf '%s fails:\n%s\n' "$1" "$(<"$folder/said")"; exit 1; }
    [[ $(<"$folder/said") == *"$(<"$work/blocks.README/$((first + 1)).txt")"* ]] ||
        { printf '%s says:\n%s\n' "$1" "$(<"$folder/said")"; exit 1; }
}

compiled=0 with_cmake=0 built=0
for page in "$source"/README.md "$source"/doc/*.md; do
    blocks=$work/blocks.$(basename "$page" .md) folder=$work/as\ a\ reader/$(basename "$page" .md)
    python3 "$source/tests/readme/blocks.py" "$page" "$blocks"
    mkdir -p "$folder"
    cp "$work/blocks.README/$first.txt" "$folder/example.c"
    while read -r number line kind _; do
        name=$(basename "$page"):$line block=$blocks/$number.txt
        case $kind in
        cmake-installed) cp "$block" "$folder/CMakeLists.txt" ;;
        sh-installed)
            example "$name" "$block"
            if grep -q cmake "$block"; then with_cmake=$((with_cmake + 1)); else compiled=$((compiled + 1)); fi
            ;;
        cmake-subproject)
            [[ -n $subprojects ]] || continue
            sed "s|/path/to/clmove|$source|" "$block" >"$folder/CMakeLists.txt"
            printf 'cmake -B subproject\ncmake --build subproject -j 2\nsubproject/example\n' >"$folder/subproject.sh"
            example "$name" "$folder/subproject.sh"
            built=$((built + 1))
            ;;
        esac
    done <"$blocks/list"
done
printf 'as a reader            %d with pkg-config, %d with CMake, %d as a subproject\n' "$compiled" "$with_cmake" "$built"
((compiled && with_cmake && (built || ${#subprojects} == 0))) || { echo 'README.md and doc/ no longer say how to do all of it'; exit 1; }
