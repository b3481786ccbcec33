#!/usr/bin/env bash
# kernel_size.sh CLANG FILE.cl MOST: checks that a kernel file of cpu/ makes at most MOST lines of LLVM's text for each block, or for
# each case of bits. What is inlined where it is needed multiplies: 20641 lines for bytes by 16 took POCL 3.1 12 seconds, and 2131
# take half a second.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
clang=$1 file=$2 most=$3
if ! command -v "$clang" >/dev/null; then
    printf 'lint: skipped: clang is missing\n'
    exit 77
fi
kernels=${file%/cpu/*}
largest=0
. "$(dirname "$0")/headers.sh"
headers_of "$kernels" cpu "$(basename "$file" .cl)"
units=(8 16) blocks=(2 3 4 7 8 13 15 16) what='block'
if [[ $file == */bits.cl ]]; then
    units=(1) blocks=(0 6 12 16 18 20 22) what='case' # the runs and blocks that there are
fi
for unit in "${units[@]}"; do
    for block in "${blocks[@]}"; do
        lines=$(cat "${headers[@]}" "$file" |
            "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target x86_64-pc-linux-gnu -march=x86-64-v4 -O1 \
                "-DUNIT_BITS=$unit" -DINDEX_BITS=32 "-DBLOCK=$block" -DCLANG_KERNELS -DHAS_VBMI -S -emit-llvm -o - - | wc -l)
        if ((lines > most)); then
            printf 'lint: %s makes %d lines for units of %d bits, %s %d, and should make %d or fewer\n' "${file##*/}" "$lines" "$unit" \
                "$what" "$block" "$most"
            exit 1
        fi
        ((lines <= largest)) || largest=$lines
    done
done
((largest > 0))
printf 'lint: %s makes at most %d lines\n' "${file##*/}" "$largest"
