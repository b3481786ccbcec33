# shellcheck shell=bash disable=SC2034,SC2154
# All that are at hand in one process, and among them an ICD whose library is missing, one that is a text, and a platform without
# a device.
packages=(pocl-opencl-icd mesa-opencl-icd)
listed='Portable Computing Language'
checks=('listing' 'verify 40')
full_checks=('listing' 'verify 256')

set_up() {
    local other
    local -a vendors=()
    printf 'no library at all\n' >"$place/text.so"
    vendors=("$(vendor_file pocl.icd)" "$(vendor_file rusticl.icd)" /nonexistent/libOpenCL_of_nobody.so "$place/text.so")
    unset RUSTICL_ENABLE # without it rusticl has no device
    together_wanted=('Portable Computing Language')
    if [[ -e $work/oclgrind/vendors ]]; then
        vendors+=("$(cat "$work"/oclgrind/vendors/*.icd)")
        together_wanted+=('Oclgrind Simulator')
    fi
    if [[ -e $work/intel/vendors ]]; then
        export LD_LIBRARY_PATH=$work/intel/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        vendors+=("$(cat "$work"/intel/vendors/*.icd)")
        together_wanted+=('Intel(R) OpenCL;')
    fi
    use_vendors "${vendors[@]}"
    devices=()
    for ((other = 0; other < ${#together_wanted[@]}; other++)); do
        devices+=("$other")
    done
}

# Every platform must show one device, and no device may be another's.
check_listing() {
    local wanted
    limited "$build/clmove" devices >"$output" 2>&1 || wrong "clmove devices fails" || return
    for wanted in "${together_wanted[@]}"; do
        [[ $(grep -cF "$wanted" "$output") == 1 ]] || wrong "clmove devices does not list $wanted once" || return
    done
    [[ $(grep -cE '^[0-9]' "$output") == "${#together_wanted[@]}" ]] || wrong "clmove devices lists others as well" || return
    said="${#together_wanted[@]} listed, each once"
}
