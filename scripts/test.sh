#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors and runs the tests for every day, in minutes. With --asan it runs them
# once more, built with AddressSanitizer and UBSan, and then what uses threads, built with ThreadSanitizer. With --ci it runs the heavy
# tests as well (large, random, timed and slow ones), and goes on to the Python package, other OpenCL implementations, another Debian and
# other architectures; with --all everything at full size, for hours. The last line is `test: OK - ...` or `test: FAILED - ...`, the
# exit status 0 or 1.
name='test'
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

use() {
    printf '%s\n' 'usage: scripts/test.sh [--asan | --ci | --all]' \
        '  --asan  once more with AddressSanitizer and UBSan, and what uses threads with ThreadSanitizer' \
        '  --ci    the same with the large, random, timed and slow tests, then the Python package, other OpenCL' \
        '          implementations, Debian 13 and other architectures: what CI does, in less than 40 minutes' \
        '  --all   the same at full size, with the tests that take hours or need a quiet machine, and 1000 random cases on each' \
        '          implementation'
    said=1
}

jobs=$(nproc)
jobs=$((jobs < 2 ? 2 : jobs > 8 ? 8 : jobs)) # each has threads of its own
presets=(dev asan tsan) # of CTest; what stands before the first hyphen is what is built
parts=()                # scripts that end as this one does, each with its options
left_out=()             # labels of CTest's tests that do not run
most_seconds=2400       # of --ci, where the machine allows; the first two parts run all the same, until latest_seconds
latest_seconds=4200
quick_seconds=1150      # what the presets of --ci take on a quick machine
case "$#:$*" in
0:)
    presets=(dev)
    left_out=(heavy long)
    ;;
1:--asan) left_out=(heavy long) ;;
1:--ci)
    presets=(dev-ci asan tsan)
    left_out=(long)
    parts=('test-implementations.sh' 'test-in-debian.sh trixie' 'test-architectures.sh')
    for ((i = $(date +%-j) % 3; i > 0; i--)); do # another one first each day, so that a slow machine comes to all
        parts=("${parts[@]:1}" "${parts[0]}")
    done
    # The shortest is the first each day.
    parts=('test-python.sh' "${parts[@]}")
    ;;
1:--all)
    presets=(dev-all asan tsan)
    parts=('test-python.sh --fresh --torch --asan' 'wheel.sh' 'test-implementations.sh --full' 'test-in-debian.sh --full trixie' 'test-in-debian.sh --full bookworm' 'test-architectures.sh --all')
    ;;
1:--help | 1:-h)
    use
    exit 0
    ;;
*)
    use >&2
    exit 2
    ;;
esac
for part in "${parts[@]}"; do # before hours have gone
    [[ -e scripts/${part%% *} ]] || fail "scripts/${part%% *} is not in this copy"
done

# seconds_of PART: what it takes on a quick machine.
seconds_of() {
    case $1 in
    *debian*) printf 500 ;;
    *python*) printf 270 ;;
    *) printf 300 ;;
    esac
}

# Leaves of CTest's output the results and the summary, and of a failing test the first and the last lines.
shorten() {
    local -a at_once=()
    [[ $(awk -W version 2>&1 </dev/null) != mawk* ]] || at_once=(-W interactive) # else it reads 4 KiB before it says a word
    awk "${at_once[@]}" '
        function end_of_test(i) {
            if (count > 50) printf "... %d lines left out ...\n", count - 50
            for (i = count < 51 ? 41 : count - 9; i <= count; i++) print last[i % 10]
            count = 0
        }
        summary { print; next }
        /^ +Start +[0-9]+: / { end_of_test(); next }
        /^ *[0-9]+\/[0-9]+ Test +#/ { end_of_test(); print; fflush(); next }
        /% tests passed, / { end_of_test(); print; summary = 1; next }
        /^\[ (RUN     |      OK|  SKIPPED) +\]/ { next }
        { last[++count % 10] = $0; if (count <= 40) print }
        END { end_of_test() }'
}

printf 'clmove tests\n'
[[ " ${left_out[*]} " == *' heavy '* ]] || test_packages+=("${lint_packages[@]}")
install_packages "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}"
use_kernel_cache build/pocl-cache
summary=()
for preset in "${presets[@]}"; do
    built=${preset%%-*}
    printf '  build      build/%s ...\n' "$built"
    build "$built"
    printf '\n'
    output=build/$built/tests.log
    # GCC 12's ThreadSanitizer does not start where addresses have more than 28 random bits.
    plainly=()
    if [[ $preset == tsan ]] && setarch -R true 2>/dev/null; then plainly=(setarch -R); fi
    "${plainly[@]}" ctest --preset "$preset" --parallel "$jobs" 2>&1 | tee "$output" | shorten ||
        fail "a test of the $preset preset failed (why is above, in full in $output)"
    skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "$output" || true)
    ran=$(($(sed -nE 's/.*tests passed, .* out of ([0-9]+)$/\1/p' "$output") - skipped))
    ((ran > 0)) || fail "the $preset preset ran no test"
    printf '\n'
    summary+=("$preset: $ran tests passed, $skipped skipped")
    [[ $preset != tsan ]] || continue
    # What the conformance tests say themselves.
    said_by_tests=$(grep -hE '^conformance: ' "build/$built/Testing/Temporary/LastTest.log" || true)
    printf '%s\n' "${said_by_tests:-conformance: no test says anything}"
    [[ $said_by_tests =~ conformance:\ [0-9] ]] || fail "the $preset preset ran no conformance vectors"
    printf '\n'
done

# What other scripts do, and what each costs. By the time that the presets took, a part on a machine like this.
slowness=$((SECONDS * 100 / quick_seconds)) # in percent
number=0
for part in "${parts[@]}"; do
    script=scripts/${part%% *} begun=$SECONDS
    expected=$(($(seconds_of "$part") * (slowness > 100 ? slowness : 100) / 100))
    number=$((number + 1))
    if [[ $* == --ci ]] && ((SECONDS + expected > (number > 2 ? most_seconds : latest_seconds))); then
        printf '  part       %s is left out: %d s have gone, and it takes about %d s\n\n' "$part" "$SECONDS" "$expected"
        summary+=("${part%% *}: LEFT OUT for lack of time")
        continue
    fi
    read -ra options <<<"${part#"${part%% *}"}"
    output=build/${part//[^a-z0-9.-]/_}.log
    bash "$script" "${options[@]}" 2>&1 | tee "$output" || fail "$part failed (why is above, in full in $output)"
    last=$(tail -n 1 "$output")
    [[ $last == *': OK - '* ]] || fail "$part does not say that it passed"
    printf '\n'
    summary+=("${part%% *}: ${last#*: OK - }")
    printf '  part       %s in %d s\n\n' "$part" $((SECONDS - begun))
done

# What did not run, and what runs it. A test of which a sample ran counts.
for label in "${left_out[@]}"; do
    count=$(ctest --test-dir build/dev -N -L "^$label\$" | sed -nE 's/^Total Tests: ([0-9]+)$/\1/p')
    case $label in
    heavy) who='large, random, timed or slow: scripts/test.sh --ci' ;;
    long) who='hours, or a quiet machine: scripts/test.sh --all' ;;
    esac
    printf '  left out   %d tests (%s)\n' "$count" "$who"
    summary+=("$count tests left out, run by ${who##* }")
done
text=$(printf '%s; ' "${summary[@]}")
succeed "${text%; } in $SECONDS s"
