# Functions for the golden tests: .npy files made with printf alone, and commands shown with what they answer. POSIX sh.
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh

clmove() { "$CLMOVE" "$@"; }

# try COMMAND ARGUMENT...: shows a command, what it prints, and its exit status unless that is 0.
try() {
    echo "\$ $*"
    "$@" 2>&1
    status=$?
    [ $status -eq 0 ] || echo "exit status $status"
}

# bytes N...: these bytes.
bytes() {
    for byte; do
        # shellcheck disable=SC2059
        printf "\\$(printf %03o "$byte")"
    done
}

# count N: the bytes 0, 1, 2, ... N - 1, modulo 256.
count() {
    i=0
    while [ $i -lt "$1" ]; do
        bytes $((i % 256))
        i=$((i + 1))
    done
}

# header MAJOR DICTIONARY: a whole .npy header.
header() {
    prologue=$((10 + ($1 > 1) * 2))
    total=$(((prologue + ${#2} + 1 + 63) / 64 * 64))
    printf '\223NUMPY'
    bytes "$1" 0 $(((total - prologue) % 256)) $(((total - prologue) / 256 % 256))
    [ "$1" = 1 ] || bytes $(((total - prologue) / 65536 % 256)) 0
    printf "%s%$((total - prologue - ${#2} - 1))s\n" "$2" ''
}

# npy FILE DESCR SHAPE BYTES [FORTRAN_ORDER]: a file of version 1.0 whose data count from 0.
npy() {
    header 1 "{'descr': $2, 'fortran_order': ${5:-False}, 'shape': $3, }" >"$1"
    count "$4" >>"$1"
}

# show FILE: its version, its dictionary, where the data start, and the data.
show() {
    # shellcheck disable=SC2046
    set -- "$1" $(od -An -v -tu1 -j6 -N6 "$1")
    if [ "$2" = 1 ]; then
        prologue=10 length=$(($4 + $5 * 256))
    else
        prologue=12 length=$(($4 + $5 * 256 + $6 * 65536))
    fi
    echo "$1: version $2.$3, data at $((prologue + length)): $(tail -c +$((prologue + 1)) "$1" | head -c $length | sed 's/ *$//')"
    od -An -v -tx1 -w16 -j$((prologue + length)) "$1"
}

# unchanged FILE COPY
unchanged() {
    if cmp -s "$1" "$2"; then
        echo "$1 is unchanged"
    else
        echo "$1 HAS CHANGED"
    fi
}

# files: everything in this folder, so that a temporary file left behind shows.
files() { echo "files:" "$(find . -mindepth 1 | sort | sed 's,^\./,,' | tr '\n' ' ' | sed 's/ $//')"; }
