# shellcheck shell=bash disable=SC2034,SC2154
# An older POCL, from PyPI in a virtual environment: a driver that has no row in host/opencl/dialect.c, so that it gets plain kernels.
# Its LLVM 14 builds nothing at all on processors that it does not know, such as Zen 5: clmove must say so.
packages=(python3 python3-venv)
listed='Portable Computing Language; OpenCL 3.0 PoCL HSTR'
devices=(cpu)
checks=('verify 20')
full_checks=('verify 1000' 'suite' 'suite --pieces 5' 'api')
wheel_version=3.0

set_up() {
    local venv=$place/venv library
    if [[ ! -e $venv/$wheel_version.ready ]]; then
        rm -rf "$venv"
        if ! { /usr/bin/python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
            "pocl-binary-distribution==$wheel_version"; } >"$place/pip.log" 2>&1; then
            tail -n 5 "$place/pip.log"
            refuse "pip could not install pocl-binary-distribution $wheel_version (in full in $place/pip.log)"
            return
        fi
        touch "$venv/$wheel_version.ready"
    fi
    library=$(find "$venv" -name 'libpocl-*.so' -print -quit)
    [[ -n $library ]] || refuse "pocl-binary-distribution $wheel_version has no libpocl" || return
    use_vendors "$library"
    [[ -n $to_run ]] || limited "$build/clmove" verify --device cpu --cases 1 >"$place/logs/first.log" 2>&1 || true
    if [[ -z $to_run ]] && grep -q "$unknown_processor" "$place/logs/first.log"; then
        expected='no kernel'
        checks=('builds_nothing')
        full_checks=("${checks[@]}")
    fi
}
unknown_processor='unknown target CPU'

# Every run fails with the driver's reason, and what does not insist on the device goes on without it.
check_builds_nothing() {
    local status=0 src=$place/src.npy
    limited "$build/clmove" verify --device cpu --cases 20 >"$output" 2>&1 || status=$?
    ((status == 1)) || wrong "verify ends with status $status, not with 1 and a sentence" || return
    grep -qE "^clmove: .* does not build on .*$unknown_processor" "$output" || wrong "no sentence has the driver's reason" || return
    grep -q ' 0 kernels run, 0 runs by the host' "$output" || wrong "something ran" || return
    printf '\223NUMPY\1\0%b%-69s\n%s' '\x46\0' "{'descr': '|u1', 'fortran_order': False, 'shape': (4,)}" abcd >"$src"
    limited "$build/clmove" tile "$src" "$place/dst.npy" --repeats 3 --device cpu --allow-fallback --verify >>"$output" 2>&1 ||
        wrong "with --allow-fallback tile fails" || return
    grep -q "$unknown_processor" "$output" && [[ $(tail -c 12 "$place/dst.npy") == abcdabcdabcd ]] || wrong "the host's bytes are wrong" || return
    said='the driver builds nothing on this processor: said with its reason, and the host goes on'
}
