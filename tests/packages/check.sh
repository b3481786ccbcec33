#!/usr/bin/env bash
# Lints Debian packages, installs them, uses them as README.md says, and removes them: lintian finds no error, and nothing of them is
# left. It is for root, on a system that may be changed; test.sh, beside it, and scripts/test-in-debian.sh run it.
#
# usage: check.sh SOURCE_DIR FOLDER_OF_PACKAGES WORK_DIR
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source=$1 packages=$2 work=$3
trap 'printf "packages: line %d failed\n" $LINENO' ERR
library=$(basename "$packages"/libclmove0*.deb | cut -d_ -f1)
said=$(lintian --fail-on error --tag-display-limit 0 "$packages"/*.deb 2>&1) || { printf 'lintian:\n%s\n' "$said"; exit 1; }
printf 'lintian: no error, %d warnings\n' "$(grep -c '^W: ' <<<"$said")"

traces() { find /usr /etc /var -name '*clmove*' -print; }
{ dpkg-query -W -f '${Package}\n' '*clmove*' 2>/dev/null || true; } | xargs -r dpkg -P # what a run that failed left
before=$(traces)
dpkg -i "$packages"/*.deb
[[ $(clmove --version) == "clmove $(pkg-config --modversion clmove)" ]]
for page in man/man1/clmove.1.gz man/man1/clmove-tile.1.gz man/man3/clmove.3.gz bash-completion/completions/clmove; do
    [[ -s /usr/share/$page ]]
done

rm -rf "$work"
mkdir -p "$work"
read -ra shared < <(pkg-config --cflags --libs clmove)
read -ra static < <(pkg-config --static --cflags --libs clmove)
for program in c:cc:c11 cpp:c++:c++17; do
    IFS=: read -r suffix compiler standard <<<"$program"
    "$compiler" -std="$standard" -o "$work/consumer" "$source/tests/consumer/consumer.$suffix" "${shared[@]}"
    "$work/consumer" | grep 'abcabc'
    "$compiler" -std="$standard" -static -o "$work/consumer" "$source/tests/consumer/consumer.$suffix" "${static[@]}" 2>/dev/null # ld warns of dlopen
    "$work/consumer" | grep 'abcabc'
done
"$source/tests/consumer/reader.sh" "$source" "$work/reader" cc
cc -std=c11 -o "$work/slice" /usr/share/doc/libclmove-dev/examples/slice.c "${shared[@]}"
CLMOVE_DEVICE=host "$work/slice"

dpkg -P clmove libclmove-dev "$library"
rm -rf "$work"
[[ $(traces) == "$before" ]] || { printf 'left behind: %s\n' "$(traces)"; exit 1; }
