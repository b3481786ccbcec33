# shellcheck shell=bash disable=SC2034
# Sourced: headers_of KERNELS cpu|gpu NAME: puts into `headers` the files that stand before a kernel file in its program, in order, as
# host/opencl/program.c assembles it.
# SPDX-License-Identifier: Apache-2.0
headers_of() {
    local kernels=$1 set=$2 name=$3
    headers=("$kernels/move.h")
    [[ $set != cpu ]] || headers+=("$kernels/cpu/lanes.h" "$kernels/cpu/wc_buffer.h" "$kernels/cpu/frame.h" "$kernels/cpu/tile.h")
    case $set/$name in
    cpu/deinterleave) headers+=("$kernels/cpu/groups.h") ;;
    cpu/transpose_runs) headers+=("$kernels/cpu/packed_runs.h") ;;
    cpu/transpose) headers+=("$kernels/cpu/panels.h" "$kernels/cpu/rooms.h") ;;
    cpu/bits) headers+=("$kernels/bit_words.h" "$kernels/bit_runs.h") ;;
    gpu/local_tiles) headers+=("$kernels/gpu/local_tables.h" "$kernels/gpu/local_words.h") ;;
    esac
}
