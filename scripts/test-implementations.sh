#!/usr/bin/env bash
# Runs clmove on every other OpenCL implementation that this machine can have. Each is a small description in
# tests/implementations/, which says how it is found and what is checked on it; this is what they all share. A check fails when
# bytes are wrong, when a program dies, and when no kernel ran on the device. The last line is `implementations: OK - ...` or
# `implementations: FAILED - ...`, the exit status 0 or 1.
name='implementations'
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

use() {
    printf '%s\n' 'usage: scripts/test-implementations.sh [--full] [--build FOLDER] [--work FOLDER] [NAME...]' \
        '       scripts/test-implementations.sh [--work FOLDER] --run NAME COMMAND...' \
        "  NAME    one of $(names) (default: all of them that are at hand)" \
        '  --full  1000 random cases and all suites on each, for hours' \
        '  --build what is tested (default: build/dev, which is built first)' \
        '  --work  where implementations are kept (default: build/implementations)' \
        '  --run   runs a command on that implementation alone' >&2
    said=1
    exit 2
}
names() {
    local file
    for file in tests/implementations/*.sh; do basename "$file" .sh; done | grep -v '^together$' | tr '\n' ' '
    printf 'together' # which wants to find the others' folders
}

full='' build_at='' work=build/implementations to_run=''
while (($#)); do
    case $1 in
    --full) full=1 ;;
    --build | --work)
        (($# > 1)) || use
        if [[ $1 == --build ]]; then build_at=$2; else work=$2; fi
        shift
        ;;
    --run)
        (($# > 2)) || use
        to_run=$2
        shift 2
        break
        ;;
    -*) use ;;
    *) break ;;
    esac
    shift
done
mkdir -p "$work"
work=$(cd "$work" && pwd)
command=("$@") # of --run
mapfile -d ' ' -t chosen < <(printf '%s' "$(names)")
named=''
if [[ -n $to_run ]]; then
    chosen=("$to_run")
elif (($#)); then
    named=1
    chosen=("$@")
fi
for it in "${chosen[@]}"; do [[ -e tests/implementations/$it.sh ]] || use; done
if [[ -z $build_at ]]; then
    build_at=build/dev
    [[ -n $to_run ]] || build_first=1
fi

# ---- what the descriptions use ----
suites_of_all_variants=('suite' 'suite --index-bits 64' 'suite --pieces 5' 'suite --table large' 'suite --pieces 7 --table large')
suites_of_clang_kernels=()
read -ra variants < <(sed -nE 's/^set\(CLMOVE_VARIANTS (.*)\)$/\1/p' tests/CMakeLists.txt)
for variant in "${variants[@]}"; do
    case $variant in
    local) ;;                                                                               # of GPUs alone
    period | shuffle | two_passes | transpose*) suites_of_clang_kernels+=("suite --variant $variant") ;; # which plain kernels do not have
    *) suites_of_all_variants+=("suite --variant $variant") ;;
    esac
done

# vendor_file NAME: the library that a .icd file of this machine names.
vendor_file() {
    if [[ -e /etc/OpenCL/vendors/$1 ]]; then
        cat "/etc/OpenCL/vendors/$1"
    else
        absent "/etc/OpenCL/vendors/$1 is not there"
    fi
}
# use_vendors LIBRARY...: the loader finds these and no others. What a second loader needs goes to vendors_folder of its own.
use_vendors() {
    local library folder=${vendors_folder:-$place/vendors} number=0
    rm -rf "$folder"
    mkdir -p "$folder"
    for library in "$@"; do
        printf '%s\n' "$library" >"$folder/$number.icd"
        number=$((number + 1))
    done
    export OCL_ICD_VENDORS=$folder
}
# find_one FOLDER PATH...: the first of these paths below the folder that is a file.
find_one() {
    local path
    for path in "${@:2}"; do
        if [[ -f $1/$path ]]; then
            printf '%s\n' "$1/$path"
            return
        fi
    done
}
absent() { # the implementation is not at hand
    printf '%s\n' "$*" >"$place/absent"
    return 1
}
refuse() { # it is, and does not start
    printf '%s\n' "$*" >"$place/refused"
    return 1
}
# wrong SENTENCE: what a check ends with that did not pass.
wrong() {
    complaint=$*
    return 1
}
# limited COMMAND...: ends what does not end; a compiler that does not listen to SIGTERM gets SIGKILL. A description may allow more
# seconds than most need.
limited() {
    timeout --kill-after=10 "${CLMOVE_CHECK_SECONDS:-$most_seconds}" "$@" 8>&-
}

total() { # of the numbers that it reads
    awk '{ sum += $1 } END { print sum + 0 }'
}

# ---- checks: each sets said, and adds to kernels what ran ----
count_verified() {
    local line
    line=$(grep -E '^seed [0-9]+ on .* cases? correct' "$output") || wrong "verify says nothing of its cases" || return
    [[ $line =~ ([0-9]+)\ cases?\ correct,\ ([0-9]+)\ wrong,\ [0-9]+\ skipped\;\ ([0-9]+)\ kernels?\ run,\ ([0-9]+)\ runs?\ by ]] ||
        wrong "verify says what no one understands: $line" || return
    ((BASH_REMATCH[2] == 0 && BASH_REMATCH[4] == 0)) || wrong "$line" || return
    correct=$((correct + BASH_REMATCH[1]))
    kernels=$((kernels + BASH_REMATCH[3]))
    said="$correct cases correct"
}
check_verify() { # CASES OPTION...
    limited "$build/clmove" verify --device "$device" --cases "$@" >"$output" 2>&1 || wrong "verify ends with status $?" || return
    count_verified
}
check_suite() {
    limited "$build/tests/test_suite" "$device" "$@" >"$output" 2>&1 || wrong "test_suite ends with status $?" || return
    local line
    line=$(grep -E '^suite: [0-9]+ cases moved' "$output") || wrong "test_suite says nothing of its cases" || return
    [[ $line =~ ([0-9]+)\ cases\ moved.*\;\ ([0-9]+)\ kernels,.*\ ([0-9]+)\ runs\ on ]] || wrong "$line" || return
    ((BASH_REMATCH[3] == 0)) || wrong "$line" || return
    kernels=$((kernels + BASH_REMATCH[2]))
    said="${BASH_REMATCH[1]} cases moved"
}
check_api() { # it counts what is built, and so wants no program that another process left on disk
    limited env CLMOVE_PROGRAM_CACHE=0 "$build/tests/test_api" "$device" >"$output" 2>&1 || wrong "test_api ends with status $?" || return
    local passed
    passed=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) test.*/\1/p' "$output" | total)
    ((${passed:-0} > 0)) || wrong "test_api passed nothing" || return
    kernels=$((kernels + 1)) # it runs some, and does not count them
    said="$passed tests passed"
}
check_several() { # all devices of the implementation as one
    local list passed
    list=$(IFS=, && printf '%s' "${devices[*]}")
    limited "$build/tests/test_several" "$list" "${devices[@]}" >"$output" 2>&1 || wrong "test_several ends with status $?" || return
    passed=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) test.*/\1/p' "$output" | total)
    ((${passed:-0} > 0)) || wrong "test_several passed nothing" || return
    kernels=$((kernels + 1)) # it sees to it that each device runs some
    said="$passed tests of $list passed"
}
check_builds() { # SECONDS of processors that no program may take more of
    local empty=$place/no_programs # without what drivers keep of the other checks
    rm -rf "$empty"
    mkdir -p "$empty"
    POCL_CACHE_DIR=$empty MESA_SHADER_CACHE_DIR=$empty XDG_CACHE_HOME=$empty \
        limited "$build/tests/implementations/build_times" "$device" "$1" >"$output" 2>&1 || wrong "build_times ends with status $?" || return
    said=$(sed -n 's/^build times: //p' "$output")
    [[ $said =~ ^([0-9]+)\ programs ]] || wrong "build_times says nothing of its programs" || return
    kernels=$((kernels + BASH_REMATCH[1])) # each was tested
}
# The device is refused at open: a sentence, status 1, no bytes, no crash.
check_refused() {
    local status=0
    limited "$build/clmove" verify --device "$device" --cases 20 >"$output" 2>&1 || status=$?
    ((status == 1)) || wrong "verify ends with status $status, not with 1 and a sentence" || return
    grep -qiE '^clmove: .*(rusticl|mesa|driver)' "$output" || wrong "no sentence names the driver" || return
    ! grep -qE 'kernels? run' "$output" || wrong "the device is used" || return
    said='refused with a sentence'
}
# ... and what does not insist on it goes on without it.
check_fallback() {
    limited "$build/clmove" verify --device auto --cases 20 >"$output" 2>&1 || wrong "--device auto fails with status $?" || return
    grep -q '20 cases correct, 0 wrong' "$output" || wrong "--device auto is wrong" || return
    said='auto goes to the host'
}
# ---- one implementation, in a process of its own ----
fresh_environment() {
    local variable
    for variable in $(compgen -e | grep -E '^(CLMOVE_|POCL_|OCL_|OPENCL_|OCLGRIND_|RUSTICL_|MESA_|GALLIUM_|LP_|CL_CONFIG_)'); do
        [[ $variable =~ ^CLMOVE_(POCL_REMOTE|CHECK_SECONDS)$ ]] || unset "$variable"
    done
    export CLMOVE_TUNING_FILE='' CLMOVE_CALIBRATION_FILE=''
    export XDG_CACHE_HOME=$place/cache POCL_CACHE_DIR=$place/cache/pocl
    mkdir -p "$POCL_CACHE_DIR" "$place/logs"
    ulimit -c 0
}
describe() { # NAME: the variables and functions of its description
    before_check() { :; }
    after_check() { :; }
    expected='' most_seconds=1800 place=$work/$1 packages=() devices=() checks=() full_checks=() listed='' servers=()
    # shellcheck source=/dev/null
    source "tests/implementations/$1.sh"
}
one_check() { # WORDS: prints a line; exit status 0 or 1
    local begun=$SECONDS kernels=0 correct=0 complaint='' said='' output=$place/logs/${1//[^a-z0-9]/_}.$device.log
    local -a words
    read -ra words <<<"$1"
    before_check "$1"
    if "check_${words[0]}" "${words[@]:1}" && after_check; then
        [[ -n $expected || ${words[0]} =~ ^(listing|refused)$ ]] || ((kernels > 0)) || complaint='no kernel ran on the device'
    else
        complaint=${complaint:-the check did not run}
    fi
    if [[ -n $complaint ]]; then
        printf '  %-11s %-3s %-30s FAILED: %s\n' "$it" "$device" "$1" "$complaint"
        { grep -aE '^(ERROR|\[  (ERROR|FAILED))|: error: ' "$output" || tail -n 8 "$output"; } 2>/dev/null | head -n 12 | cut -c1-300 | sed 's/^/      /'
        printf '      in full in %s\n' "$output"
        return 1
    fi
    printf '  %-11s %-3s %-30s %s; %d kernels run, %d s\n' "$it" "$device" "$1" "$said" "$kernels" $((SECONDS - begun))
    printf '%d\n' "$kernels" >&9
}
one_implementation() { # prints its lines; 9 takes the kernels of each check; exit status 0, 1, or 77 where it is not at hand
    trap 'kill "${servers[@]}" 2>/dev/null || true' EXIT
    local failed=0 check device
    rm -f "$place/absent" "$place/refused"
    fresh_environment
    if ! set_up; then
        [[ -e $place/absent ]] && return 77
        printf '  %-11s FAILED: %s\n' "$it" "$(cat "$place/refused" 2>/dev/null || printf 'it could not be set up')"
        return 1
    fi
    if [[ -n $to_run ]]; then
        "${command[@]}"
        return
    fi
    if ! limited "$build/clmove" devices >"$place/logs/devices.log" 2>&1 || { [[ $expected != refused ]] && ! grep -qF "$listed" "$place/logs/devices.log"; }; then
        printf '  %-11s FAILED: clmove devices does not list %s\n' "$it" "$listed"
        cut -c1-300 "$place/logs/devices.log"
        return 1
    fi
    [[ -z $full ]] || checks=("${full_checks[@]}")
    for device in "${devices[@]}"; do
        for check in "${checks[@]}"; do
            [[ $check =~ ^(listing|several)$ && $device != "${devices[0]}" ]] || one_check "$check" || failed=1
        done
    done
    return "$failed"
}

if [[ -n $to_run ]]; then
    it=$to_run
    describe "$it"
    mkdir -p "$place"
    status=0
    (one_implementation) 9>/dev/null || status=$?
    [[ ! -e $place/absent ]] || printf '%s: %s\n' "$it" "$(cat "$place/absent")"
    said=1
    exit "$status"
fi

printf 'clmove on other OpenCL implementations\n'
wanted=()
for it in "${chosen[@]}"; do
    describe "$it"
    wanted+=("${packages[@]}")
done
mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | sort -u)
[[ -z ${build_first:-} ]] || wanted+=("${build_packages[@]}" "${test_packages[@]}")
install_packages "${wanted[@]}"
[[ -z ${build_first:-} ]] || build dev
build=$(cd "$build_at" && pwd)
ran=() missing=() failed=()
counted=$work/kernels
: >"$counted"
for it in "${chosen[@]}"; do
    status=0
    describe "$it"
    mkdir -p "$place"
    (one_implementation) 9>>"$counted" || status=$?
    case $status in
    0) ran+=("$it") ;;
    77)
        printf '  %-11s not at hand: %s\n' "$it" "$(cat "$place/absent")"
        missing+=("$it")
        ;;
    *) failed+=("$it") ;;
    esac
done
checks_run=$(wc -l <"$counted")
kernels_run=$(total <"$counted")
summary="$checks_run checks passed, ${kernels_run:-0} kernels run; passed: ${ran[*]:-none}${missing:+, not at hand: ${missing[*]}}, in $SECONDS s"
((${#failed[@]} == 0)) || fail "on ${failed[*]}; $summary"
((checks_run > 0)) || fail "nothing was checked; $summary"
[[ -z $named || ${#missing[@]} -eq 0 ]] || fail "named, but not at hand: ${missing[*]}"
succeed "$summary"
