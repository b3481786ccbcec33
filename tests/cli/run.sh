#!/bin/sh
# Runs one golden test: a script of clmove commands whose output, errors and exit statuses included, must be the text beside it.
#
#   run.sh [--update] CLMOVE DIRECTORY CASE.sh [DEVICE]
#
# CASE.sh runs in DIRECTORY, which is emptied first; what it prints is compared with CASE.expected, or replaces that with
# --update. DEVICE becomes the default device. The functions that a case may use are in fixtures.sh.
#
# SPDX-License-Identifier: Apache-2.0
set -eu
update=false
if [ "${1-}" = --update ]; then
    update=true
    shift
fi
[ $# -ge 3 ] || { echo "usage: run.sh [--update] CLMOVE DIRECTORY CASE.sh [DEVICE]" >&2; exit 2; }
[ -x "$1" ] || { echo "run.sh: $1 is not there" >&2; exit 2; }
CLMOVE=$(realpath "$1")
case=$(realpath "$3")
expected=${case%.sh}.expected
here=$(dirname "$(realpath "$0")")
work=$2

unset CLMOVE_DEVICE CLMOVE_TUNING
[ $# -lt 4 ] || export CLMOVE_DEVICE="$4"
export CLMOVE LC_ALL=C CLMOVE_TUNING_FILE='' CLMOVE_CALIBRATION_FILE=''
umask 022

# Only a folder that an earlier run made is emptied.
if [ -e "$work" ] && [ ! -e "$work/.golden" ]; then
    echo "run.sh: $work is there and was not made by run.sh" >&2
    exit 2
fi
rm -rf "$work"
mkdir -p "$work/in"
: >"$work/.golden"
cd "$work/in"
(
    set +e
    # shellcheck source=fixtures.sh
    . "$here/fixtures.sh"
    # shellcheck source=/dev/null
    . "$case"
) >../output 2>&1 </dev/null || : # a failure shows in what was printed

if $update; then
    cp ../output "$expected"
elif ! diff -u "$expected" ../output; then
    echo "run.sh: the output of $3 is not what $expected says; if it is what it should be, run this again with --update" >&2
    exit 1
fi
