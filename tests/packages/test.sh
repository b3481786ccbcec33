#!/usr/bin/env bash
# Makes the Debian packages, and checks them (check.sh) in a copy of this system: what is installed there is in memory, and gone when
# the test ends.
#
# usage: test.sh SOURCE_DIR WORK_DIR
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source=$1 work=$2
for tool in lintian dpkg-shlibdeps file; do
    command -v "$tool" >/dev/null || { printf 'packages: skipped, there is no %s\n' "$tool"; exit 77; }
done
rm -f "$work"/build/*.deb # those of another version
mkdir -p "$work/root"
{ cmake -S "$source" --preset package -B "$work/build" && cmake --build "$work/build" -j 2 --target all package; } >"$work/build.log" 2>&1 ||
    { tail -n 40 "$work/build.log"; exit 1; }

# It is also installed without packages.
prefix=$work/prefix
rm -rf "$prefix"
DESTDIR='' cmake --install "$work/build" --prefix "$prefix" >"$work/install.log"
grep -qx "prefix=$prefix" "$(find "$prefix" -name clmove.pc)"
"$source/tests/consumer/uninstall.sh" "$work/build"
[[ ! -e $prefix ]] || { printf 'in neither list of what is installed:\n%s\n' "$(find "$prefix")"; exit 1; }

skip='made, but not installed: this user may make no copy of the system'
unshare --mount true 2>/dev/null || { printf 'packages: %s\n' "$skip"; exit 77; }
# shellcheck disable=SC2016
unshare --mount --propagation private /bin/bash -ec '
    source=$1 work=$2 root=$2/root skip=$3
    trap "echo packages: \"\$skip\"; exit 77" ERR
    mount -t tmpfs none "$root"
    mkdir "$root/new" "$root/work" "$root/all"
    mount -t overlay overlay -o "lowerdir=/,upperdir=$root/new,workdir=$root/work" "$root/all"
    for folder in /proc /dev "$source" "$work/build"; do
        mkdir -p "$root/all$folder"
        mount --bind "$folder" "$root/all$folder"
    done
    trap - ERR
    exec chroot "$root/all" "$source/tests/packages/check.sh" "$source" "$work/build" /tmp/clmove-packages' copy "$source" "$work" "$skip"
