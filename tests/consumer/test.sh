#!/usr/bin/env bash
# Installs what was built, and builds and runs a project with it: with CMake and with pkg-config, with the shared library and with
# the static one, in C11 and in C++17. Then what README.md and doc/ say about that, as it stands there. Nothing may be left of it
# when it is uninstalled as doc/building.md says.
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
for page in man/man1/clmove.1 man/man1/clmove-tile.1 man/man3/clmove.3 bash-completion/completions/clmove; do
    [[ -s $prefix/share/$page ]] || { printf '%s is not installed\n' "$page"; exit 1; }
done

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
check 'static, auto' env -u CLMOVE_OPENCL_LIBRARY "$work/static_c" auto # such a program can open no OpenCL loader
"$cxx" -std=c++17 -static -o "$work/static_cpp" "$here/consumer.cpp" "${whole[@]}" 2>"$work/static.log"
check 'pkg-config static cpp' "$work/static_cpp"

# The installed example that README.md names: a slice of a batch on a device, without OpenCL's headers.
slice=$(find "$prefix" -path '*/examples/slice.c')
"$cc" -std=c11 -o "$work/slice" "$slice" "${plain[@]}"
said=$(CLMOVE_DEVICE=host LD_LIBRARY_PATH="$library" "$work/slice")
printf '%-22s %s\n' 'installed slice.c' "$said"

# The examples of README.md and doc/ expect no space in the prefix, which is another one therefore.
plain_prefix=$work/prefix
DESTDIR='' cmake --install "$build" --prefix "$plain_prefix" >"$work/install_again.log"
plain_library=$plain_prefix/${library#"$(realpath "$prefix")"/}
PATH="$plain_prefix/bin:$PATH" PKG_CONFIG_PATH="$plain_library/pkgconfig" CMAKE_PREFIX_PATH="$plain_prefix" LD_LIBRARY_PATH="$plain_library" \
    "$here/reader.sh" "$source" "$work/reader" "$cc" subprojects

# What is installed may be moved.
moved=$work/moved\ there
mv "$plain_prefix" "$moved"
moved_library=$moved/${library#"$(realpath "$prefix")"/}
mapfile -t flags < <(PKG_CONFIG_PATH=$moved_library/pkgconfig pkg-config --cflags --libs clmove | xargs -n 1 printf '%s\n')
"$cc" -std=c11 -o "$work/moved_c" "$here/consumer.c" "${flags[@]}"
check 'pkg-config moved c' env LD_LIBRARY_PATH="$moved_library" "$work/moved_c"

DESTDIR='' cmake --install "$build" --prefix "$prefix" >"$work/install.log" # the manifest is that of the last one
"$prefix/bin/clmove" --version | grep -qx "clmove $(pkg-config --modversion clmove)"
"$here/uninstall.sh" "$build"
[[ ! -e $prefix ]] || { printf 'in neither list of what is installed:\n%s\n' "$(find "$prefix")"; exit 1; }

# Paths are one a line, whatever they consist of, also where a list is read again. A prefix may be below the working folder.
for other in "$work/zwölf [12" relative; do
    for _ in first second; do
        env -C "$work" DESTDIR='' timeout 60 cmake --install "$build" --prefix "$other" >"$work/install_other.log"
    done
    "$here/uninstall.sh" "$build"
    other=$work/${other##*/}
    [[ ! -e $other ]] || { printf 'left:\n%s\n' "$(find "$other")"; exit 1; }
done

# Folders that were there before, and those that others have put something into, stay. A staged tree, whose folder is made, notes none.
kept=$work/kept
cp "$build/install_folders.txt" "$work/folders.txt"
env -C "$work" DESTDIR="$work/staged" timeout 60 cmake --install "$build" --prefix "$kept" >"$work/install_staged.log"
cmp "$build/install_folders.txt" "$work/folders.txt"
[[ -x $work/staged$kept/bin/clmove && ! -e $kept ]]
mkdir -p "$kept/include" "$kept/share/man/man1"
DESTDIR='' cmake --install "$build" --prefix "$kept" >"$work/install_kept.log"
touch "$kept/share/doc/another"
"$here/uninstall.sh" "$build"
left=$(cd "$kept" && find . -mindepth 1 | sort | tr '\n' ' ')
[[ $left == './include ./share ./share/doc ./share/doc/another ./share/man ./share/man/man1 ' ]] || { printf 'left: %s\n' "$left"; exit 1; }
