# shellcheck shell=bash disable=SC2034,SC2154
# An older POCL, from PyPI in a virtual environment: a driver that has no row in host/opencl/dialect.c, so that it gets plain kernels.
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
}
