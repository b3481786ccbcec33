#!/usr/bin/env bash
# Installs what was built, and builds and runs a project with it: with CMake and with pkg-config, with the shared library and with
# the static one, in C11 and in C++17. Nothing may be installed that the manifest does not name.
#
# usage: test.sh BUILD_DIR SOURCE_DIR WORK_DIR C_COMPILER CXX_COMPILER
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
build=$1 source=$2 work=$3 cc=$4 cxx=$5
prefix=$work/an\ installed\ place
here=$source/tests/consumer
rm -rf "$work"
mkdir -p "$work"
DESTDIR='' cmake --install "$build" --prefix "$prefix" >"$work/install.log"
library=$(dirname "$(find "$prefix" -name clmove.pc)")/..
library=$(realpath "$library")
[[ -e $library/libclmove.so && -e $library/libclmove.a ]]

check() { # NAME COMMAND...: it must say what it moved, as the installed version
    local name=$1 said
    shift
    said=$("$@")
    [[ $said == *' abcabc' ]] || { printf '%s says "%s"\n' "$name" "$said"; exit 1; }
    printf '%-22s %s\n' "$name" "$said"
}

for target in clmove::clmove clmove::clmove_static; do
    at=$work/${target#*::}
    cmake -S "$here" -B "$at" -D CMAKE_PREFIX_PATH="$prefix" -D LIBRARY="$target" -D CMAKE_C_COMPILER="$cc" \
        -D CMAKE_CXX_COMPILER="$cxx" >"$at.log" 2>&1 || { cat "$at.log"; exit 1; }
    cmake --build "$at" >>"$at.log" 2>&1 || { cat "$at.log"; exit 1; }
    for language in c cpp; do check "cmake ${target#*::} $language" "$at/consumer_$language"; done
done

# pkg-config prints words for a shell to read, which xargs does.
export PKG_CONFIG_PATH=$library/pkgconfig
mapfile -t plain < <(pkg-config --cflags --libs clmove | xargs -n 1 printf '%s\n')
mapfile -t whole < <(pkg-config --static --cflags --libs clmove | xargs -n 1 printf '%s\n')
"$cc" -std=c11 -o "$work/shared_c" "$here/consumer.c" "${plain[@]}"
"$cxx" -std=c++17 -o "$work/shared_cpp" "$here/consumer.cpp" "${plain[@]}"
check 'pkg-config shared c' env LD_LIBRARY_PATH="$library" "$work/shared_c"
check 'pkg-config shared cpp' env LD_LIBRARY_PATH="$library" "$work/shared_cpp"
"$cc" -std=c11 -static -o "$work/static_c" "$here/consumer.c" "${whole[@]}" 2>"$work/static.log" # ld warns of dlopen
check 'pkg-config static c' "$work/static_c"

"$prefix/bin/clmove" --version | grep -qx "clmove $(pkg-config --modversion clmove)"
xargs -d '\n' rm -- <"$build/install_manifest.txt"
left=$(find "$prefix" -type f -o -type l)
[[ -z $left ]] || { printf 'not in the manifest: %s\n' "$left"; exit 1; }
