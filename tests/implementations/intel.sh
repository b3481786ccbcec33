# shellcheck shell=bash disable=SC2034,SC2154
# Intel's OpenCL runtime for CPUs, AMD's among them, from PyPI in a virtual environment.
packages=(python3 python3-venv)
listed='Intel(R) OpenCL;'
devices=(cpu)
checks=('verify 256' 'suite' 'suite --pieces 5' 'api' 'builds 2')
full_checks=('verify 1000' "${suites_of_all_variants[@]}" 'api' 'builds 2')
intel_version=2026.2.0

set_up() {
    local venv=$place/venv file
    if [[ ! -e $venv/$intel_version.ready ]]; then
        rm -rf "$venv"
        if ! { /usr/bin/python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check \
            "intel-opencl-rt==$intel_version" "intel-cmplr-lib-rt==$intel_version"; } >"$place/pip.log" 2>&1; then
            tail -n 5 "$place/pip.log"
            refuse "pip could not install intel-opencl-rt $intel_version (in full in $place/pip.log)"
            return
        fi
        touch "$venv/$intel_version.ready"
    fi
    # Its libraries less its own loader, which would replace the machine's.
    mkdir -p "$place/lib"
    for file in "$venv"/lib/*; do
        [[ $file == *libOpenCL* || -d $file ]] || ln -sfn "$file" "$place/lib/"
    done
    export LD_LIBRARY_PATH=$place/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    use_vendors "$place/lib/libintelocl.so"
}
