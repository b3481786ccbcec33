#!/usr/bin/env bash
# kernel_size.sh CLANG FILE.cl MOST: checks that a kernel file of cpu/ makes at most MOST lines of LLVM's text for each block. What is
# inlined where it is needed multiplies: 20641 lines for bytes by 16 took POCL 3.1 12 seconds, and 2131 take half a second.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
clang=$1 file=$2 most=$3
if ! command -v "$clang" >/dev/null; then
    printf 'lint: skipped: clang is missing\n'
    exit 77
fi
kernels=${file%/cpu/*}
largest=0
for block in 2 3 4 7 8 13 15 16; do
    lines=$(cat "$kernels/move.h" "$kernels/cpu/lanes.h" "$kernels/cpu/wc_buffer.h" "$file" |
        "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target x86_64-pc-linux-gnu -march=x86-64-v4 -O1 -Wno-psabi \
            -DUNIT_BITS=8 -DINDEX_BITS=32 "-DBLOCK=$block" -DCLANG_KERNELS -S -emit-llvm -o - - | wc -l)
    if ((lines > most)); then
        printf 'lint: %s makes %d lines for bytes by %d, and should make %d or fewer\n' "${file##*/}" "$lines" "$block" "$most"
        exit 1
    fi
    ((lines <= largest)) || largest=$lines
done
((largest > 0))
printf 'lint: %s makes at most %d lines\n' "${file##*/}" "$largest"
