# shellcheck shell=bash disable=SC2034,SC2154
# Shared by quickstart.sh and test.sh, which set `name`, the word that their last line begins with, and source this file. From
# then on the current folder is the repository's root, and every way out ends with `NAME: OK - ...` or `NAME: FAILED - ...`.

set -euo pipefail
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

build_packages=(gcc g++ libc6-dev cmake ninja-build pkgconf opencl-c-headers libjansson-dev)
run_packages=(ocl-icd-libopencl1 pocl-opencl-icd python3 python3-numpy)
test_packages=(libcmocka-dev clang libclang-rt-dev clang-format shellcheck python3-matplotlib abigail-tools groff-base)
lint_packages=(file dpkg-dev lintian) # to make and lint Debian packages

said=''
succeed() {
    said=1
    printf '%s: OK - %s\n' "$name" "$*"
}
fail() {
    said=1
    printf '%s: FAILED - %s\n' "$name" "$*"
    exit 1
}
# Has the last word where neither of them had it.
leave() {
    local status=$?
    [[ -n $said ]] || printf '%s: FAILED - ended with status %s\n' "$name" "$status"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# installed PACKAGE: whether dpkg has it, or the loader of another package stands in for it.
installed() {
    case $1 in
    ocl-icd-libopencl1) /sbin/ldconfig -p | grep -F libOpenCL.so.1 >/dev/null && return ;;
    esac
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

as_root=() # what stands before a command that only root may run

# become_root: fills as_root, or fails if nothing makes this user root. sudo may ask for a password where it can.
become_root() {
    if ((EUID == 0)); then
        return
    fi
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
    command -v sudo >/dev/null && "${as_root[@]}" true
}

# apt ARGUMENT...: apt-get as root, its output in the log; waits for another apt-get to end.
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@" >>"$log" 2>&1 </dev/null
}

# install_packages PACKAGE...: installs those that are missing. Quick, and without a network, when none is.
install_packages() {
    local package started=$SECONDS log=build/install.log
    local -a missing=()
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        printf '  packages   not a Debian: needed are what Debian calls %s\n' "$*"
    else
        for package in "$@"; do
            installed "$package" || missing+=("$package")
        done
        if ((${#missing[@]})); then
            printf '  packages   installing %s\n' "${missing[*]}"
            become_root || fail "packages are missing, and this user is neither root nor allowed to sudo; let root run:" \
                "apt-get install --no-install-recommends ${missing[*]}"
            mkdir -p build
            : >"$log"
            apt update || printf '  packages   apt-get update failed; going on with the lists at hand\n'
            if ! apt install --yes --no-install-recommends "${missing[@]}"; then
                tail -n 20 "$log"
                fail "apt-get could not install ${missing[*]} (above: the end of $log)"
            fi
            printf '  packages   installed in %d s\n' $((SECONDS - started))
        else
            printf '  packages   all present\n'
        fi
    fi
    local tool
    for tool in cmake ninja cc; do
        command -v "$tool" >/dev/null || fail "'$tool' is missing"
    done
    local version
    version=$(cmake --version | sed -n '1s/[^0-9]*//p')
    [[ $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) == 3.25 ]] ||
        fail "CMake 3.25 or newer is needed (Debian 12 has it), and this is $version"
}

# find_python: sets python to one that has NumPy. Debian's has it, and another python3 may stand before it on the PATH.
find_python() {
    for python in /usr/bin/python3 python3; do
        if "$python" -c 'import numpy' 2>/dev/null; then
            return
        fi
    done
    fail "no python3 here has NumPy"
}

# use_kernel_cache FOLDER: gives POCL a folder that can be written. It keeps compiled kernels below the home folder, and
# without one that can be written it finds no device at all.
use_kernel_cache() {
    local base=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    [[ -z ${POCL_CACHE_DIR:-} ]] || return 0
    if [[ -n ${1:-} ]]; then
        export POCL_CACHE_DIR=$root/$1
    elif [[ -n $base ]] && mkdir -p "$base/pocl/kcache" 2>/dev/null && [[ -w $base/pocl/kcache ]]; then
        unset POCL_CACHE_DIR # "" would abort POCL
        return 0
    else
        export POCL_CACHE_DIR=$root/build/pocl-cache
    fi
    mkdir -p "$POCL_CACHE_DIR"
}

# build PRESET: configures and builds, in silence unless it fails.
build() {
    local started=$SECONDS log=build/$1.log
    mkdir -p build
    if ! { cmake --preset "$1" && cmake --build --preset "$1"; } >"$log" 2>&1; then
        grep -vE '^(-- |\[[0-9]+/[0-9]+\] )' "$log" | tail -n 60
        fail "the $1 preset did not build (above: the end of $log, less progress)"
    fi
    grep -iE -A 3 '^cmake .*warning|: warning: ' "$log" || true
    printf '  build      build/%s in %d s\n' "$1" $((SECONDS - started))
}
