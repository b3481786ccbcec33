#!/usr/bin/env bash
# Builds the Python package, installs it in a virtual environment below build/python, and runs its tests on the host and on POCL,
# its docstrings' examples, README.md's, and mypy. The last line is `python: OK - ...` or `python: FAILED - ...`, the exit status 0
# or 1.
name='python'
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

fresh=''
case "$#:$*" in
0:) ;;
1:--fresh) fresh=1 ;;
*)
    printf '%s\n' 'usage: scripts/test-python.sh [--fresh]' \
        '  --fresh  in a new virtual environment, built as "pip install ." builds: all of it, with what pip fetches for it' >&2
    said=1
    exit 2
    ;;
esac

tools=('scikit-build-core==1.1.2' 'nanobind==3.1.0' 'numpy>=1.24' 'pytest==9.2.0' 'mypy==2.4.1' 'einops==0.8.2' 'ml_dtypes>=0.5'
    'pyopencl==2026.1.4' 'tqdm==4.67.1' 'matplotlib==3.10.7'
    'hypothesis==6.170.15' 'ndindex==1.10.1' 'pytest-json-report==1.5.0' # array-api-tests needs these
    'dask[array]==2026.8.0' 'distributed==2026.8.0' 'zarr==3.1.6' 'openvino==2026.4.1')
place=build/python
venv=$place/venv

printf 'clmove in Python\n'
install_packages gcc g++ libc6-dev cmake ninja-build opencl-c-headers libjansson-dev ocl-icd-libopencl1 pocl-opencl-icd python3 \
    python3-dev python3-venv
mkdir -p "$place"
use_kernel_cache build/pocl-cache
for variable in $(compgen -e | grep -E '^(CLMOVE_|PYTHON(PATH|HOME)$|PIP_TARGET$|VIRTUAL_ENV$)' | grep -vx CLMOVE_ARRAY_API_TESTS); do unset "$variable"; done
export CLMOVE_TUNING_FILE='' CLMOVE_CALIBRATION_FILE=''

# in_venv PROGRAM ARGUMENT...: its output in the log.
in_venv() {
    "$venv/bin/$1" "${@:2}" >>"$place/install.log" 2>&1 </dev/null
}
# or_fail SENTENCE...: with the end of the log.
or_fail() {
    tail -n 30 "$place/install.log"
    fail "$* (above: the end of $place/install.log)"
}
: >"$place/install.log"
started=$SECONDS
ready=$venv/$(printf '%s\n' "${tools[@]}" | cksum | tr -dc 0-9).ready
if [[ -n $fresh || ! -e $ready ]]; then
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv" >>"$place/install.log" 2>&1 || or_fail 'python3 could not make a virtual environment'
    in_venv pip install --disable-pip-version-check "${tools[@]}" || or_fail "pip could not install ${tools[*]}"
    touch "$ready"
    printf '  packages   of Python in %d s\n' $((SECONDS - started))
fi
started=$SECONDS
options=(--disable-pip-version-check --force-reinstall --no-deps)
[[ -n $fresh ]] || options+=(--no-build-isolation "--config-settings=build-dir=$place/build") # what is built is kept
in_venv pip install "${options[@]}" . || or_fail 'the Python package did not build'
printf '  build      %s in %d s\n' "$("$venv/bin/python" -c 'import clmove, clmove.openvino, openvino
clmove.openvino.extension()
print("clmove", clmove.__version__, "and its extension of OpenVINO", openvino.__version__.split("-")[0])')" $((SECONDS - started))

# run WORD PROGRAM ARGUMENT...: its last line, or all lines if it fails.
results=()
run() {
    local output=$place/$1.log
    "$venv/bin/$2" "${@:3}" >"$output" 2>&1 </dev/null || { cat "$output" && fail "$1 failed (above)"; }
    results+=("$1: $(tail -n 1 "$output")")
    printf '  %-10s %s\n' "$1" "$(tail -n 1 "$output")"
}
run tests python -m pytest -p no:cacheprovider python/tests
run docstrings python -m pytest -p no:cacheprovider --doctest-modules --pyargs clmove
run mypy mypy --cache-dir "$place/mypy"
for word in tests docstrings; do
    grep -qE '[1-9][0-9]* passed' "$place/$word.log" || fail "of the $word none ran"
done
text=$(printf '%s; ' "${results[@]}")
succeed "${text%; } in $SECONDS s"
