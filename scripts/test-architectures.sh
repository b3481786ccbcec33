#!/usr/bin/env bash
# Builds clmove for other architectures and runs the host executor's tests there: 32-bit x86, and by qemu AArch64, 32-bit Arm,
# POWER and big-endian s390x. Installs compilers that are missing; libraries of other architectures are unpacked below
# build/roots, and the system learns of no other architecture. The last line is `architectures: OK - ...` or
# `architectures: FAILED - ...`.
name='architectures'
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

architectures=(m32 aarch64 arm ppc64le s390x)
# What Debian calls it, and the triplet of its compilers. qemu has clmove's names.
declare -A debian=([m32]=i386 [aarch64]=arm64 [arm]=armhf [ppc64le]=ppc64el [s390x]=s390x)
declare -A triplet=([aarch64]=aarch64-linux-gnu [arm]=arm-linux-gnueabihf [ppc64le]=powerpc64le-linux-gnu [s390x]=s390x-linux-gnu)

all='' wanted=()
for argument; do
    case $argument in
    --all) all=1 ;;
    *)
        if [[ " ${architectures[*]} " != *" $argument "* ]]; then
            printf '%s\n' "usage: scripts/test-architectures.sh [--all]$(printf ' [%s]' "${architectures[@]}")" \
                '  --all  the long tests too' >&2
            said=1
            exit 2
        fi
        wanted+=("$argument")
        ;;
    esac
done
((${#wanted[@]})) || wanted=("${architectures[@]}")

# What runs each time, and what only --all adds.
short='^(unit\.[a-z_]+|suite\.host(\.force_bits|\.force_deinterleave|\.force_period|\.force_transpose(_runs)?)?|api\.host|advice\.host|fallback\.no_.*|cli\.(npy|measured_file|transfer_even|temporary.*|tensor_source|permissions|clarity))$'
long='^(unit\.[a-z_]+|suite\.host.*|levels\..*|api\.host|advice\.host|measure\.host|fallback\.no_.*|examples\..*\.host|cli\.(npy|measured_file|transfer_even|temporary.*|tensor_source|permissions|clarity|verify\.host))$'
which=$short
[[ -z $all ]] || which=$long

# unpack DEBIAN PACKAGE...: the packages of an architecture into build/roots/DEBIAN, by an apt of our own.
unpack() {
    local port=$1 root=$PWD/build/roots/$1 state=$PWD/build/roots/apt-$1 package file
    shift
    [[ ! -e $root/.complete ]] || return 0
    rm -rf "$root" "$state"
    mkdir -p "$root" "$state"/{lists/partial,cache/archives/partial,debs}
    : >"$state/status"
    local -a apt_get=(apt-get -qq -o "APT::Architecture=$port" -o "APT::Architectures=$port" -o "Dir::State=$state"
        -o "Dir::State::lists=$state/lists" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache"
        -o Debug::NoLocking=1 -o Acquire::Languages=none -o Acquire::Retries=3)
    ((EUID != 0)) || apt_get+=(-o APT::Sandbox::User=root)
    "${apt_get[@]}" update >"$state/log" 2>&1 || printf '  packages   not all lists of %s could be fetched; going on\n' "$port"
    (cd "$state/debs" && "${apt_get[@]}" download "$@") >>"$state/log" 2>&1 || {
        tail -n 10 "$state/log"
        fail "the libraries of $port could not be fetched"
    }
    for file in "$state"/debs/*.deb; do dpkg-deb -x "$file" "$root"; done
    for package in "$@"; do compgen -G "$state/debs/${package}_*.deb" >/dev/null || fail "$package of $port is missing"; done
    : >"$root/.complete"
}

# emulator ARCHITECTURE: a script that runs its command as if it were native.
emulator() {
    printf '#!/bin/sh\nexec qemu-%s-static -L /usr/%s "%s" "$@"\n' "$1" "${triplet[$1]}" "$PWD/build/$1/clmove" >"build/$1/run-clmove"
    chmod +x "build/$1/run-clmove"
}

# test_on ARCHITECTURE
test_on() {
    local arch=$1 started=$SECONDS log=build/$1.log output=build/$1/tests.log command=$PWD/build/$1/clmove ran skipped
    unpack "${debian[$arch]}" libjansson4 libjansson-dev libcmocka0 libcmocka-dev opencl-c-headers
    if ! { cmake --preset dev -B "build/$arch" --toolchain "scripts/toolchains/$arch.cmake" -D CLMOVE_TEST_DEVICES=host &&
        cmake --build "build/$arch" -j 2; } >"$log" 2>&1; then
        grep -vE '^(-- |\[[0-9]+/[0-9]+\] )' "$log" | tail -n 40
        fail "$arch did not build (above: the end of $log, less progress)"
    fi
    printf '  build      build/%s in %d s\n' "$arch" $((SECONDS - started))
    started=$SECONDS
    local -a tests=(ctest --test-dir "build/$arch" -j 2 --no-tests=error --timeout 900 --output-on-failure)
    # api.host wants a fair share of time for each thread. qemu gives one of them next to nothing at times.
    if [[ $arch == m32 ]]; then
        "${tests[@]}" -R "$which" >"$output" 2>&1
    else
        "${tests[@]}" -R "$which" -E '^api\.host$' >"$output" 2>&1 &&
            "${tests[@]}" -R '^api\.host$' --repeat until-pass:3 >>"$output" 2>&1
    fi || {
        grep -E 'FAILED|ERROR|\*\*\*|tests passed' "$output" | head -n 40
        fail "a test failed on $arch (in full in $output)"
    }
    skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "$output" || true)
    ran=$(($(sed -nE 's/.*tests passed, .* out of ([0-9]+)$/\1/p' "$output" | paste -sd +) - skipped))
    ((ran > 0)) || fail "$arch ran no test"
    # Files that NumPy of this machine writes, in both byte orders.
    if [[ $arch != m32 ]]; then
        emulator "$arch"
        command=$PWD/build/$arch/run-clmove
    fi
    "$python" tests/cli/numpy_random.py "$command" host --cases 60 >"build/$arch/numpy.log" 2>&1 || {
        tail -n 20 "build/$arch/numpy.log"
        fail "$arch does not write the bytes that NumPy does"
    }
    printf '  %-10s %d tests passed, %d skipped, 60 cases of NumPy, in %d s\n' "$arch" "$ran" "$skipped" $((SECONDS - started))
    summary+=("$arch $ran tests")
}

printf 'clmove on other architectures\n'
packages=("${build_packages[@]}" python3 python3-numpy)
major=$(gcc -dumpversion 2>/dev/null | cut -d. -f1 || true)
for arch in "${wanted[@]}"; do
    case $arch in
    m32) packages+=("gcc-${major:-12}-multilib" "g++-${major:-12}-multilib") ;; # gcc-multilib is in the way of cross compilers
    *) packages+=("gcc-${triplet[$arch]}" "g++-${triplet[$arch]}" qemu-user-static) ;;
    esac
done
install_packages "${packages[@]}"
find_python
summary=()
for arch in "${wanted[@]}"; do test_on "$arch"; done
text=$(printf '%s, ' "${summary[@]}")
succeed "${text%, } in $SECONDS s"
