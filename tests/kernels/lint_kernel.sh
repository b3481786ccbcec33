#!/usr/bin/env bash
# lint_kernel.sh CLANG FILE.cl [EVERY]: checks a kernel file for every set of -D it can be compiled with (see cl_kernels/move.h),
# or, where blocks make these many, for each EVERY-th. Blocks other than powers of two all take one path, so 2, 3, 15 and 16 stand
# for them in 64 bits. Files of gpu/ must be OpenCL C 1.2 to the letter, and name nothing that begins with two underscores: no
# builtin, no attribute, no macro of a compiler. Of pragmas only `unroll` is allowed, which compilers that do not know it ignore, as
# C says. Files of cpu/ are compiled for a processor without AVX, as clang warns of some vectors only while it makes code; what it
# then cannot unroll is no fault.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
clang=$1 file=$2 every=${3:-1}
kernels=$(dirname "$(dirname "$file")")
set=$(basename "$(dirname "$file")") # cpu or gpu
if ! command -v "$clang" >/dev/null; then
    printf 'lint: skipped: clang is missing\n'
    exit 77
fi
units='8 16 32 64 128'
how=(-fsyntax-only)
strict=(-pedantic -Wno-unused-function) # of move.h each file uses what it needs
if [[ $set == cpu ]]; then
    strict=(-DCLANG_KERNELS)
    how=(-target x86_64-pc-linux-gnu -march=x86-64 -Xclang -disable-llvm-passes -S -emit-llvm -o /dev/null)
fi
[[ $file != */bits.cl ]] || units='1 2 4'
. "$(dirname "$0")/headers.sh"
headers_of "$kernels" "$set" "$(basename "$file" .cl)"
includes=()
for header in "${headers[@]}"; do includes+=(-include "$header"); done
list_all() {
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
list() {
    if grep -q '\<BLOCK\>' "$file"; then
        list_all | awk -v every="$every" '(NR - 1) % every == 0'
    else
        list_all
    fi
}
list | xargs -P "$(nproc)" -I{} bash -c "'$clang' -x cl -cl-std=CL1.2 -Xclang -finclude-default-header ${how[*]} \
    -Wall -Wextra -Werror ${strict[*]} ${includes[*]@Q} {} '$file' || { echo 'with {}'; exit 1; }"
if [[ $set == gpu ]]; then
    beyond=$(cat "$kernels/move.h" "$file" | "$clang" -x cl -cl-std=CL1.2 -cl-no-stdinc -E -P -DUNIT_BITS=32 -DBLOCK=4 - | grep -nE '\b__|#pragma' | grep -v '#pragma unroll$' || true)
    if [[ -n $beyond ]]; then
        printf 'lint: %s goes beyond OpenCL C 1.2:\n%s\n' "${file##*/}" "$beyond"
        exit 1
    fi
fi
# What Oclgrind 21.10 stops at in compiled code: integers of 128 bits, which unions become, and marks of inlined structs' aliases.
# Not every clang has the target.
if [[ $set == gpu ]] && "$clang" -x cl -cl-std=CL1.2 -target spir64-unknown-unknown -S -emit-llvm -o /dev/null /dev/null 2>/dev/null; then
    strange=$(list | xargs -P "$(nproc)" -I{} bash -c "'$clang' -x cl -cl-std=CL1.2 -Xclang -finclude-default-header \
        -target spir64-unknown-unknown -O2 -S -emit-llvm -w ${includes[*]@Q} {} '$file' -o - | grep -m 1 -E '\bi128\b|noalias\.scope' | sed 's/^/{}: /'")
    if [[ -n $strange ]]; then
        printf 'lint: %s has what Oclgrind does not know:\n%s\n' "${file##*/}" "$strange"
        exit 1
    fi
fi
printf 'lint: %s compiles in %d ways\n' "${file##*/}" "$(list | wc -l)"
