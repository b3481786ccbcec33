#!/usr/bin/env bash
# lint_kernel.sh CLANG FILE.cl: checks a kernel file for every set of -D it can be compiled with (see cl_kernels/move.h). Blocks
# other than powers of two all take one path, so 2, 3, 15 and 16 stand for them in 64 bits.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
clang=$1 file=$2
if ! command -v "$clang" >/dev/null; then
    printf 'lint: skipped: clang is missing\n'
    exit 77
fi
units='8 16 32 64 128'
more=''
if [[ $file == */bits.cl ]]; then
    units='1 2 4'
    more="-include '${file%/*}/bit_words.h' -include '${file%/*}/bit_runs.h'"
fi
list() {
    local unit block index
    for unit in $units; do
        if grep -q '\<BLOCK\>' "$file"; then
            for block in {1..16}; do printf -- '-DUNIT_BITS=%s -DINDEX_BITS=32 -DBLOCK=%s\n' "$unit" "$block"; done
            for block in 2 3 15 16; do printf -- '-DUNIT_BITS=%s -DINDEX_BITS=64 -DBLOCK=%s\n' "$unit" "$block"; done
        else
            for index in 32 64; do printf -- '-DUNIT_BITS=%s -DINDEX_BITS=%s\n' "$unit" "$index"; done
        fi
    done
}
list | sed 'p; s/$/ -DLONG_RUNS/' | xargs -P "$(nproc)" -I{} bash -c "'$clang' -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only \
    -Wall -Wextra -Werror -include '${file%/*}/move.h' -include '${file%/*}/sink.h' $more {} '$file' || { echo 'with {}'; exit 1; }"
printf 'lint: %s compiles in %d ways\n' "${file##*/}" "$((2 * $(list | wc -l)))"
