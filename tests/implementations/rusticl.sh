# shellcheck shell=bash disable=SC2034,SC2154
# rusticl of this Debian's Mesa, on llvmpipe. Mesa 22.3's is the first release: clmove refuses it.
packages=(mesa-opencl-icd)
listed='(rusticl;'
devices=(cpu)
checks=('verify 256' 'suite' 'suite --pieces 5' 'api')
full_checks=('verify 1000' "${suites_of_all_variants[@]}" 'api' 'builds 2')

set_up() {
    export RUSTICL_ENABLE=llvmpipe MESA_SHADER_CACHE_DIR=$place/cache
    local library
    library=$(vendor_file rusticl.icd) || return
    use_vendors "$library"
    if [[ $(dpkg-query -W -f='${Version}' mesa-opencl-icd) == 22.* ]]; then
        expected='refused'
        checks=('refused' 'fallback')
        full_checks=("${checks[@]}")
    fi
}
