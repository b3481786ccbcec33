# shellcheck shell=bash disable=SC2034,SC2154
# PoCL-R, POCL's driver for other machines, from a built copy that CLMOVE_POCL_REMOTE names: the build folder of POCL with
# -DENABLE_REMOTE_CLIENT=1 -DENABLE_REMOTE_SERVER=1, or where it was installed. Two servers, on this machine's POCL and on loopback.
packages=(pocl-opencl-icd)
listed='pocl-remote'
devices=(0 1)
checks=('verify 100' 'suite' 'suite --pieces 5' 'several')
full_checks=('verify 1000' 'suite' 'suite --pieces 5' 'suite --pieces 7 --table large' 'suite --table large' 'api' 'several')

set_up() {
    local at=${CLMOVE_POCL_REMOTE:-} client server
    client=$(find_one "$at" lib/CL/libpocl.so lib/libpocl.so lib/x86_64-linux-gnu/libpocl.so lib64/libpocl.so)
    server=$(find_one "$at" pocld/pocld bin/pocld)
    if [[ -z $at || -z $client || -z $server ]]; then
        absent "CLMOVE_POCL_REMOTE names no built copy of POCL with its remote client and server"
        return
    fi
    if ldd "$client" "$server" 2>&1 | grep -qE 'not found|not a dynamic'; then
        absent "the copy in $at was built for another system"
        return
    fi
    # The servers first, for they use the vendors of this machine.
    local number port tries
    for number in 0 1; do
        start_server "$number" || return
        export "POCL_REMOTE${number}_PARAMETERS=127.0.0.1:$port/0"
    done
    export POCL_DEVICES='remote remote'
    use_vendors "$client"
    # It is refused before 7.3, and used where the user says so.
    if limited "${build:-build/dev}/clmove" devices --json | grep -q '"refused": *"POCL.s remote driver'; then
        is_refused=1
        checks=('refused' "${checks[@]}")
        full_checks=('refused' "${full_checks[@]}")
    fi
}

before_check() {
    unset CLMOVE_KERNELS
    [[ -z ${is_refused:-} || $1 == refused ]] || export CLMOVE_KERNELS=plain
}

# start_server NUMBER: sets port. A server takes the port and the next one; where another program has it, another is tried.
start_server() {
    for ((tries = 0; tries < 5; tries++)); do
        port=$((20000 + (RANDOM % 10000) * 4))
        (
            cd "$place" || exit
            vendors_folder=$place/server$1-vendors use_vendors "$(vendor_file pocl.icd)"
            POCL_CACHE_DIR=$place/server$1-cache exec "$server" -a 127.0.0.1 -p "$port"
        ) >"$place/server$1.log" 2>&1 &
        local id=$! waited
        servers+=("$id")
        for ((waited = 0; waited < 100; waited++)); do
            kill -0 "$id" 2>/dev/null || break
            if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
                return 0
            fi
            sleep 0.1
        done
        kill "$id" 2>/dev/null || true
    done
    refuse "pocld did not start (its words are in $place/server$1.log)"
}
