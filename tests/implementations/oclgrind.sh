# shellcheck shell=bash disable=SC2034,SC2154
# Oclgrind as an ICD: kernels under its checks for races, bounds, uniform writes and uninitialised values. It exits 0 whatever it
# finds, so every check reads its log; that the log would say something is checked with planted faults first.
packages=(oclgrind)
listed='Oclgrind Simulator'
devices=(gpu)
most_seconds=14400 # the suite took 95 minutes when it had 1050 cases
checks=('planted_faults' 'verify_in_groups 60')
full_checks=('planted_faults' 'verify_in_groups 1000' 'suite' 'suite --pieces 5')

set_up() {
    local library
    library=$(dpkg -L oclgrind | grep -E '/liboclgrind-rt-icd\.so$')
    export OCLGRIND_DATA_RACES=1 OCLGRIND_UNIFORM_WRITES=1 OCLGRIND_UNINITIALIZED=1 OCLGRIND_CHECK_API=1
    export OCLGRIND_LOG=$place/oclgrind.log OCLGRIND_MAX_ERRORS=100000000
    use_vendors "$library"
}

# What a check ends with: nothing may be in the log but what the kernel `bits` keeps. It writes the bits behind the last unit of a
# tensor as they are, and in staging nobody has written them, nor reads them.
after_check() {
    local said
    [[ -s $OCLGRIND_LOG ]] || return 0
    said=$(awk -v RS='' '!/^Uninitialized value written to global memory[^\n]*\n\tKernel: bits\n/' \
        "$OCLGRIND_LOG")
    [[ -z ${said//[[:space:]]/} ]] || wrong "Oclgrind says: $(grep -m 1 . <<<"$said") (in full in $OCLGRIND_LOG)"
}

# The suite in one process meets what crashes Oclgrind's own check of uninitialised values (see verify_in_groups).
before_check() {
    rm -f "$OCLGRIND_LOG"
    [[ $1 != suite* ]] || export OCLGRIND_UNINITIALIZED=
}

check_planted_faults() {
    local fault missed=''
    limited "$build/tests/implementations/planted_faults" >"$output" 2>&1 || wrong "the planted faults did not run" || return
    for fault in 'depends on uninitialized value.*Kernel: uninitialised' 'data race.*Kernel: race' 'data race.*Kernel: same_value' \
        'Invalid write.*Kernel: bounds'; do
        paste -sd ' ' "$OCLGRIND_LOG" | grep -qE "$fault" || missed+=" '$fault'"
    done
    rm -f "$OCLGRIND_LOG"
    [[ -z $missed ]] || wrong "Oclgrind did not report the planted fault$missed" || return
    kernels=4
    said='4 of 4 faults reported'
}

# verify_in_groups N: cases by tens, in one process each, for the check of uninitialised values crashes in Oclgrind's own plugin on
# some (rows of bytes interleaved in fours). The cases of such a ten run alone, and those that crash it alone, and no others, once
# more without that check. They may be one in ten at most.
check_verify_in_groups() {
    local groups=$(($1 / 10)) seed case status without=0
    for ((seed = 1; seed <= groups; seed++)); do
        status=0
        verify_here --seed "$seed" || status=$?
        if ((status == 0)); then
            count_verified && after_check || return
            continue
        fi
        ((status == 128 + 11)) || wrong "seed $seed ends with status $status" || return
        for ((case = 0; case < 10; case++)); do
            status=0
            verify_here --seed "$seed" --case "$case" || status=$?
            if ((status == 128 + 11)); then
                without=$((without + 1))
                status=0
                OCLGRIND_UNINITIALIZED='' verify_here --seed "$seed" --case "$case" || status=$?
            fi
            # An empty tensor alone runs no kernel, which is status 1.
            ((status == 0)) || grep -q ' 1 case correct, 0 wrong' "$output" ||
                wrong "seed $seed, case $case ends with status $status" || return
            count_verified && after_check || return
        done
    done
    ((without <= groups)) || wrong "Oclgrind's check of uninitialised values crashed on $without cases" || return
    said+=", $without of them without the check of uninitialised values"
}
verify_here() {
    rm -f "$OCLGRIND_LOG"
    limited "$build/clmove" verify --device gpu --cases 10 "$@" >"$output" 2>&1
}
