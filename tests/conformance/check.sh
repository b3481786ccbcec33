#!/usr/bin/env bash
# Whether the vectors here are those that were copied: by their checksums, and byte by byte where the originals are at hand.
#
# usage: check.sh COPY ORIGINALS WORK_DIR
#
# Then it plants a difference on either side, and has to see both.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
copy=$1 originals=$2 work=$3

# compare COPY ORIGINALS: says what differs; exit status 0 or 1
compare() {
    local file differs=0 compared=0
    (cd "$1" && sha256sum --quiet --check SHA256SUMS) || return 1
    for file in "$1"/*.json; do
        grep -q " $(basename "$file")\$" "$1/SHA256SUMS" || {
            printf '%s has no checksum\n' "$file"
            differs=1
        }
    done
    if [[ -d $2 ]]; then
        for file in "$1"/*.json "$2"/*.json; do
            cmp "$1/$(basename "$file")" "$2/$(basename "$file")" || differs=1
            compared=$((compared + 1))
        done
        ((compared > 0)) || differs=1
    fi
    return "$differs"
}

compare "$copy" "$originals" || {
    printf 'conformance: the copy differs; if the originals are right, copy them and renew SHA256SUMS and README.md\n'
    exit 1
}

rm -rf "$work"
mkdir -p "$work/copy" "$work/originals"
cp "$copy"/*.json "$copy/SHA256SUMS" "$work/copy"
cp "$copy"/*.json "$work/originals"
compare "$work/copy" "$work/originals"
printf ' ' >>"$work/originals/onnx_vectors.json"
! compare "$work/copy" "$work/originals" >"$work/said.txt" 2>&1 || {
    printf 'conformance: an original that differs is not seen\n'
    exit 1
}
printf ' ' >>"$work/copy/onnx_vectors.json"
! compare "$work/copy" "$work/originals" >"$work/said.txt" 2>&1 || {
    printf 'conformance: a copy that was changed is not seen\n'
    exit 1
}
rm "$work"/originals/*.json
cp "$copy"/*.json "$work/copy"
! compare "$work/copy" "$work/originals" >"$work/said.txt" 2>&1 || {
    printf 'conformance: originals that are missing are not seen\n'
    exit 1
}
if [[ -d $originals ]]; then
    printf 'conformance: the copy is as the originals are\n'
else
    printf 'conformance: the copy is as it was made; the originals are not at hand\n'
fi
