#!/usr/bin/env bash
# streaming_stores.sh CLANG FILE.cl BLOCK:LEAST...: checks that a kernel file compiled as POCL does it has for each BLOCK at least LEAST
# streaming stores of 32 bytes. Compilers merge a streaming store with an ordinary one beside it into one that does not stream; no result shows it, only
# the speed.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
clang=$1 file=$2
shift 2
if ! command -v "$clang" >/dev/null; then
    printf 'lint: skipped: clang is missing\n'
    exit 77
fi
kernels=${file%/cpu/*} # one translation unit, as the library builds it: a typedef of one file serves the next
. "$(dirname "$0")/headers.sh"
headers_of "$kernels" cpu "$(basename "$file" .cl)"
for pair in "$@"; do
    block=${pair%:*} least=${pair#*:}
    found=$(cat "${headers[@]}" "$file" |
        "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target x86_64-pc-linux-gnu -march=x86-64-v3 -O1 -Wno-psabi \
            -DUNIT_BITS=32 -DINDEX_BITS=32 "-DBLOCK=$block" -DCLANG_KERNELS -S -o - - | grep -c vmovnt || true)
    if ((found < least)); then
        printf 'lint: %s has %d streaming stores for block %d, and should have %d or more\n' "${file##*/}" "$found" "$block" "$least"
        exit 1
    fi
    printf 'lint: %s has %d streaming stores for block %d\n' "${file##*/}" "$found" "$block"
done
