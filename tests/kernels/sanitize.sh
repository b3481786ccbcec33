#!/usr/bin/env bash
# sanitize.sh CLANG cpu|gpu KERNELS FOLDER OBJECT...: compiles the kernels of a set as host code, with checks of addresses and of
# undefined behaviour, links them to host_kernels.c, which is among the objects, and runs it. Blocks stand for those like them.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
clang=$1 set=$2 kernels=$3 folder=$4
shift 4
checks=("-fsanitize=address,undefined" -fno-sanitize-recover=all)
rm -rf "$folder"
mkdir -p "$folder"
if ! "$clang" "${checks[@]}" -x c -o "$folder/probe" - <<<'int main(void) { return 0; }' 2>"$folder/log" || ! "$folder/probe"; then
    printf 'sanitize: skipped: clang or its runtime is missing\n'
    exit 77
fi
. "$(dirname "$0")/headers.sh"
keys() { # NAME UNITS INDICES BLOCKS
    local unit index block
    for unit in $2; do for index in $3; do for block in $4; do printf '%s %s %s %s\n' "$1" "$unit" "$index" "$block"; done; done; done
}
list() {
    local name
    # Of a CPU's, the cases of bit_runs.h that there are, for either order of bits.
    keys bits '1 2 4' 32 "$([[ $set == cpu ]] && echo 0 1 6 7 12 13 16 17 18 19 20 21 22 23 || echo 1)"
    for name in copy_rows gather; do keys $name '8 32 128' 32 1; done
    [[ $set != cpu ]] || for name in period shuffle_bytes transpose transpose_runs; do keys $name '8 16 32 64 128' 32 1; done
    [[ $set != cpu ]] || for name in period shuffle_bytes; do keys $name 16 64 1; done
    if [[ $set == gpu ]]; then
        keys local_tiles '8 16' 32 '2 3 6 7 8 9 12'
        keys local_tiles '32 64' 32 '0 1 2 4 5 6 8 9'
        keys local_tiles '8 16' 64 '3 12'
        keys local_tiles 128 32 0
        keys local_tiles 32 64 '0 5 6 9'
    fi
    keys repeat '8 32' 32 '1 3 7 16'
    keys repeat 64 32 '11 16'
    for name in deinterleave interleave; do
        keys $name 8 32 '2 3 8'
        keys $name 32 32 '2 3'
    done
    if [[ $set == cpu ]]; then
        # Groups of so many units, and rows of them: gaps between groups are read, too.
        keys deinterleave '8 16 32' 32 '4_3 8_5 16_9' && keys deinterleave 8 32 '4_2 7_6 13_3'
        keys interleave 8 32 '5 6 7 12 16' && keys interleave 16 32 '3 4 5 6 7 12 16' && keys interleave 64 32 4
        keys deinterleave 8 32 '5 6 7 12' && keys deinterleave 16 32 '5 6 7 8'
    fi
    for name in copy_rows gather; do keys $name 16 64 1; done
    for name in repeat deinterleave interleave; do keys $name 16 64 3; done
}
compile() { # NAME UNIT INDEX BLOCK[_ROWS]
    local name=${set}_$1_$2_$3_$4 block=${4%_*} header includes=(-include "$builtins") of=("-march=$arch")
    [[ $1 != shuffle_bytes || -z $has_vbmi || ($2 != 8 && $2 != 32) ]] || of=(-march=x86-64-v4 -DHAS_VBMI)
    # On processors with registers of 16 bytes the same files take other ways; packed_runs.h needs shuffles of bytes for that.
    [[ $set != cpu || $2 != 16 || ! $1 =~ ^(transpose|interleave|deinterleave)$ ]] || of=(-march=x86-64)
    [[ $set != cpu || $2 != 16 || $1 != transpose_runs ]] || of=(-march=x86-64-v2)
    [[ $4 != *_* ]] || of+=("-DROWS=${4#*_}")
    headers_of "$kernels" "$set" "$1"
    for header in "${headers[@]}"; do includes+=(-include "$header"); done
    [[ $set != cpu ]] || includes=(-DCLANG_KERNELS "${includes[@]}")
    "$clang" "${checks[@]}" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target x86_64-pc-linux-gnu "${of[@]}" -O1 -g1 \
        -Wno-psabi -DUNIT_BITS="$2" -DINDEX_BITS="$3" -DBLOCK="$block" "-D$1=$name" "${includes[@]}" -c "$kernels/$set/$1.cl" \
        -o "$folder/$name.o"
}
builtins=$(dirname "$0")/builtins.h arch=x86-64 has_vbmi=
grep -q '\<avx2\>' /proc/cpuinfo && grep -q '\<bmi2\>' /proc/cpuinfo && arch=x86-64-v3
grep -q '\<avx512vbmi\>' /proc/cpuinfo && has_vbmi=1
while read -r name unit index block; do
    while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
    compile "$name" "$unit" "$index" "$block" &
done < <(list)
for job in $(jobs -p); do wait "$job"; done
"$clang" "${checks[@]}" -rdynamic -o "$folder/host_kernels" "$@" "$folder"/*.o -lcmocka -lpthread -ldl -lm
ASAN_OPTIONS=detect_leaks=0 "$folder/host_kernels" "$set"
