#!/usr/bin/env bash
# Builds and runs a project that has clmove as a subproject (CMakeLists.txt here), as KIND: plain, as clmove is when its parent says
# nothing, or shared and in a unity build; fetched and fetched_shared with FetchContent. Nothing is optimised, unless an argument says
# so, and a warning is an error.
#
# usage: test.sh KIND SOURCE_DIR WORK_DIR GENERATOR [CMAKE_ARGUMENT...]
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
kind=$1 source=$2 work=$3 generator=$4
shift 4
options=() expected=STATIC
case $kind in
plain | fetched) ;;
shared | fetched_shared) options=(-D BUILD_SHARED_LIBS=ON -D CMAKE_UNITY_BUILD=ON) expected=SHARED ;;
*) exit 2 ;;
esac
[[ $kind != fetched* ]] || options+=(-D FETCHED=ON)
rm -rf "$work"
mkdir -p "$work"
cmake -S "$source/tests/subproject" -B "$work" -G "$generator" -D CLMOVE_SOURCE="$source" -D CLMOVE_WERROR=ON "${options[@]}" "$@" 2>&1 |
    tee "$work/configured.txt"
grep -q "clmove is a ${expected}_LIBRARY" "$work/configured.txt"
if [[ $expected == STATIC ]] && grep -E '^(BUILD_SHARED_LIBS|CMAKE_BUILD_TYPE):[A-Z]+=.+' "$work/CMakeCache.txt"; then
    echo "the parent said nothing, and has this in its cache"
    exit 1
fi
cmake --build "$work" -j 2
# Run by CTest, which knows how programs for another architecture are run.
ctest --test-dir "$work" --output-on-failure --no-tests=error
