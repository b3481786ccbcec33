#!/usr/bin/env bash
# Builds the Python package, installs it in a virtual environment below build/python, and runs its tests on the host and on POCL,
# its docstrings' examples, README.md's, and mypy. Then it makes a wheel of it that other systems can install. The last line is `python: OK - ...` or `python: FAILED - ...`, the exit status 0
# or 1.
name='python'
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

fresh='' torch='' asan=''
for argument in "$@"; do
    case $argument in
    --fresh) fresh=1 ;;
    --torch) torch=1 ;;
    --asan) asan=1 ;;
    *)
        printf '%s\n' 'usage: scripts/test-python.sh [--fresh] [--torch] [--asan]' \
            '  --fresh  in a new virtual environment, built as "pip install ." builds: all of it, with what pip fetches for it' \
            "  --torch  PyTorch's own samples, too: installs Debian's python3-torch, 50 MB (where it is installed, they run anyway)" \
            '  --asan   once more with AddressSanitizer and UBSan in the module: what is refused, robustness, drivers that fail' >&2
        said=1
        exit 2
        ;;
    esac
done

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
options=(--no-deps --wheel-dir "$place/wheel")
[[ -n $fresh ]] || options+=(--no-build-isolation "--config-settings=build-dir=$place/build") # what is built is kept
rm -rf "$place/wheel"
in_venv pip wheel "${options[@]}" . || or_fail 'the Python package did not build'
wheel=$(find "$place/wheel" -name '*.whl')
in_venv pip install --force-reinstall --no-deps "$wheel" || or_fail "$wheel cannot be installed"
printf '  build      %s in %d s\n' "$("$venv/bin/python" -c 'import clmove, clmove.openvino, openvino
clmove.openvino.extension()
print("clmove", clmove.__version__, "and its extension of OpenVINO", openvino.__version__.split("-")[0])')" $((SECONDS - started))

# run WORD PROGRAM ARGUMENT...: its last line, or all lines if it fails. pytest has to pass a test.
results=()
run() {
    local output=$place/$1.log
    "$venv/bin/$2" "${@:3}" >"$output" 2>&1 </dev/null || { cat "$output" && fail "$1 failed (above)"; }
    results+=("$1: $(tail -n 1 "$output")")
    printf '  %-10s %s\n' "$1" "$(tail -n 1 "$output")"
    [[ $* != *' pytest '* ]] || grep -qE '[1-9][0-9]* passed' "$output" || fail "of the $1 none ran"
}
run tests python -m pytest -rs -p no:cacheprovider python/tests
sed -nE 's/^SKIPPED \[[0-9]+\] ([^:]*):[0-9: ]*(.*)/  skipped    \1: \2/p' "$place/tests.log" | sort -u
run docstrings python -m pytest -p no:cacheprovider --doctest-modules --pyargs clmove
run mypy mypy --cache-dir "$place/mypy"

# Debian's PyTorch is built for processors alone, and for Debian's NumPy. That of PyPI has CUDA: gigabytes.
[[ -z $torch ]] || install_packages python3-torch
if /usr/bin/python3 -c 'import torch' 2>/dev/null; then
    if [[ ! -e $place/torch/ready ]]; then
        /usr/bin/python3 -m venv --system-site-packages "$place/torch" >>"$place/install.log" 2>&1 || or_fail 'python3 could not make a virtual environment'
        venv=$place/torch in_venv pip install 'pytest==9.2.0' 'expecttest==0.3.0' || or_fail 'pip could not install pytest beside PyTorch'
        touch "$place/torch/ready"
    fi
    venv=$place/torch in_venv pip install --force-reinstall --no-deps "$wheel" || or_fail "$wheel cannot be installed beside PyTorch"
    venv=$place/torch run torch python -m pytest -p no:cacheprovider -W ignore --no-header python/tests/test_torch.py
else
    printf "  torch      left out: Debian's python3-torch is not installed (--torch installs it)\n"
    results+=('torch: left out')
fi

if [[ -n $asan ]]; then
    started=$SECONDS
    # The environment of the tests is seen from this one, and its clmove is not. Without the wider instructions, which C's tests
    # run so, it builds quickly.
    "$venv/bin/python" -m venv --without-pip "$place/asan" >>"$place/install.log" 2>&1 || or_fail 'python3 could not make a virtual environment'
    packages=$("$place/asan/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    "$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$packages/tests.pth"
    in_venv pip install --no-build-isolation --no-deps --upgrade --target "$packages" "--config-settings=build-dir=$place/asan-build" \
        --config-settings=cmake.build-type=Debug --config-settings=install.strip=false --config-settings=cmake.define.CLMOVE_OPENVINO=OFF \
        --config-settings=cmake.define.CLMOVE_X86_LEVELS=OFF --config-settings=cmake.define.CLMOVE_SANITIZE=address,undefined . || or_fail 'the Python package did not build with AddressSanitizer'
    printf '  asan       built in %d s\n' $((SECONDS - started))
    # Python leaks what lives as long as the process. Without an allocator of its own, each of its arrays has fences.
    with_asan() {
        LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)" PYTHONMALLOC=malloc \
            ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1:intercept_tls_get_addr=0 \
            UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 "$@"
    }
    nm -D --undefined-only "$packages"/clmove/_core*.so | grep __asan_report_store >/dev/null || fail 'the module has no AddressSanitizer'
    with_asan "$place/asan/bin/python" -c 'import ctypes, numpy
x = numpy.zeros(5000, "u1")
ctypes.memset(x.ctypes.data, 1, 5001)' >"$place/planted.log" 2>&1 || true
    grep heap-buffer-overflow "$place/planted.log" >/dev/null || fail 'AddressSanitizer does not see a write behind an array'
    venv=$place/asan with_asan run asan python -m pytest -p no:cacheprovider python/tests/test_errors.py python/tests/test_robustness.py \
        python/tests/test_faults.py python/tests/test_arrays.py python/tests/test_array_api.py -k 'not standard'
fi

scripts/wheel.sh --built "$wheel" "$venv/bin/python" >"$place/wheel.log" 2>&1 || { cat "$place/wheel.log" && fail 'the wheel cannot be used (above)'; }
sed 1,2d "$place/wheel.log" | sed '$d'
results+=("$(tail -n 1 "$place/wheel.log" | sed -E 's/^wheel: OK - ([^;]*).*/wheel: \1/')")
text=$(printf '%s; ' "${results[@]}")
succeed "${text%; } in $SECONDS s"
