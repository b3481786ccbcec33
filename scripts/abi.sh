#!/usr/bin/env bash
# Compares the ABI of a shared library, built with debug information, with the one in the repository; or writes that anew. Only
# what the public headers declare counts. Exit status 0 the same, 1 not the same, 77 nothing to compare with here.
#
# usage: abi.sh check|renew LIBRARY
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kept=$source/scripts/package/clmove.abi
[[ $# == 2 && $1 =~ ^(check|renew)$ && -e $2 ]] || { printf 'usage: abi.sh check|renew LIBRARY\n' >&2; exit 2; }
if ! command -v abidw >/dev/null || ! command -v abidiff >/dev/null; then
    printf 'abi: abidw and abidiff are missing: they are in the package abigail-tools\n'
    exit 77
fi
elf=$(LC_ALL=C readelf -hS "$2") # whole: a pipe that is closed early fails now and then
machine=$(sed -n 's/^ *Machine: *//p' <<<"$elf")
if [[ $machine != *X86-64* || $elf == *ELF32* ]]; then
    printf 'abi: the ABI in the repository is that of x86-64, and this is %s\n' "$machine"
    exit 77
fi
if [[ $elf != *.debug_info* ]]; then
    printf 'abi: %s was built without debug information\n' "$2"
    exit 77
fi

now=$(mktemp) public=$(mktemp)
trap 'rm -f "$now" "$public"' EXIT

# Types of public headers alone; others are opaque, which the label says: libabigail gives it to the types that --headers-dir leaves
# out. That option compares the names of files without their folders, and host/ has a map.h, too.
cat >"$public" <<'END'
[suppress_type]
  label = Artificial private types suppression specification
  source_location_not_regexp = /include/clmove/
  drop = yes
END

# What differs from machine to machine, and from one compiler to the next, is left out, folders of sources too.
dump() {
    abidw --no-corpus-path --no-comp-dir-path --no-elf-needed --no-architecture --no-show-locs --no-parameter-names \
        --suppr "$public" --drop-undefined-syms --exported-interfaces-only "$1" |
        sed -E "s,(<abi-instr .*)path='[^']*/([^'/]*)',\1path='\2',"
}

dump "$2" >"$now"
if grep -q "name='clm_" "$now" || ! grep -q "class-decl name='clmove_device' .*is-declaration-only" "$now"; then
    printf 'abi: %s\n' "the dump has types of the library's own, or lacks the handles: this libabigail does not leave them out"
    exit 1
fi
if [[ $1 == renew ]]; then
    cp "$now" "$kept.new"
    mv "$kept.new" "$kept"
    printf 'abi: %s is that of %s\n' "$kept" "$2"
    exit
fi
if abidiff --no-architecture "$kept" "$now"; then
    printf 'abi: as in the repository\n'
    exit
fi
printf '%s\n' '' "abi: not the one in the repository, scripts/package/clmove.abi (above: what differs)." \
    'Is it not meant? Then mend the headers.' \
    'Is it more than symbols, enumerators or fields at the end of a struct with struct_size that were added since the last release?' \
    'Then the minor version in CMakeLists.txt and status.h goes up.' \
    "And then: scripts/abi.sh renew $2"
exit 1
