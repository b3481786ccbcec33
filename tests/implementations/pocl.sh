# shellcheck shell=bash disable=SC2034,SC2154
# POCL as this Debian packages it.
packages=(pocl-opencl-icd)
listed='Portable Computing Language'
devices=(cpu)
checks=('verify 256' 'suite' 'suite --pieces 5' 'api')
full_checks=('verify 1000' "${suites_of_all_variants[@]}" "${suites_of_clang_kernels[@]}" 'api' 'builds 2')

set_up() {
    local library
    library=$(vendor_file pocl.icd) || return
    use_vendors "$library"
}
