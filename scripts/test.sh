#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors and runs every test. With --asan it runs them once more, built with
# AddressSanitizer and UBSan, and then what uses threads, built with ThreadSanitizer. With --ci it goes on to other OpenCL
# implementations, another Debian and other architectures, at a size for every day; with --all at full size, for hours. The last
# line is `test: OK - ...` or `test: FAILED - ...`, the exit status 0 or 1.
name='test'
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

presets=(dev asan tsan)
parts=()          # scripts that end as this one does, each with its options
latest_start=4000 # of a part in CI, in seconds: a machine that is so slow lands without it, and says so
case "$*" in
'') presets=(dev) ;;
--asan) ;;
--ci)
    parts=('test-implementations.sh' 'test-in-debian.sh trixie' 'test-architectures.sh')
    for ((i = $(date +%-j) % 3; i > 0; i--)); do # another one first each day, so that a slow machine comes to all
        parts=("${parts[@]:1}" "${parts[0]}")
    done
    ;;
--all) parts=('test-implementations.sh --full' 'test-in-debian.sh --full trixie' 'test-in-debian.sh --full bookworm' 'test-architectures.sh --all') ;;
*)
    printf '%s\n' 'usage: scripts/test.sh [--asan | --ci | --all]' \
        '  --asan  once more with AddressSanitizer and UBSan, and what uses threads with ThreadSanitizer' \
        '  --ci    the same, then other OpenCL implementations, Debian 13 and other architectures: what CI does' \
        '  --all   the same at full size: 1000 random cases and every suite on each, for hours' >&2
    said=1
    exit 2
    ;;
esac

# Leaves of CTest's output the results and the summary, and of a failing test the first and the last lines.
shorten() {
    awk '
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
install_packages "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}"
use_kernel_cache build/pocl-cache
summary=()
for preset in "${presets[@]}"; do
    build "$preset"
    printf '\n'
    output=build/$preset/tests.log
    # GCC 12's ThreadSanitizer does not start where addresses have more than 28 random bits.
    plainly=()
    if [[ $preset == tsan ]] && setarch -R true 2>/dev/null; then plainly=(setarch -R); fi
    "${plainly[@]}" ctest --preset "$preset" 2>&1 | tee "$output" | shorten || fail "a test of the $preset preset failed (why is above, in full in $output)"
    skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "$output" || true)
    ran=$(($(sed -nE 's/.*tests passed, .* out of ([0-9]+)$/\1/p' "$output") - skipped))
    ((ran > 0)) || fail "the $preset preset ran no test"
    printf '\n'
    summary+=("$preset: $ran tests passed, $skipped skipped")
    [[ $preset != tsan ]] || continue
    # What the conformance tests say themselves. Continuous integration has the vectors.
    said_by_tests=$(grep -hE '^conformance: ' "build/$preset/Testing/Temporary/LastTest.log" || true)
    printf '%s\n' "${said_by_tests:-conformance: no test says anything}"
    [[ -z ${CI:-} || $said_by_tests =~ conformance:\ [0-9] ]] || fail "the $preset preset ran no conformance vectors"
    printf '\n'
done

# What other scripts do, and what each costs.
for part in "${parts[@]}"; do
    script=scripts/${part%% *} begun=$SECONDS
    if [[ $* == --ci ]] && ((SECONDS > latest_start)); then
        printf '  part       %s is left out: %d s have gone, and CI has 5400\n\n' "$part" "$SECONDS"
        summary+=("${part%% *}: LEFT OUT for lack of time")
        continue
    fi
    read -ra options <<<"${part#"${part%% *}"}"
    [[ -e $script ]] || fail "$script is not in this copy"
    output=build/${part//[^a-z0-9.-]/_}.log
    bash "$script" "${options[@]}" 2>&1 | tee "$output" || fail "$part failed (why is above, in full in $output)"
    last=$(tail -n 1 "$output")
    [[ $last == *': OK - '* ]] || fail "$part does not say that it passed"
    printf '\n'
    summary+=("${part%% *}: ${last#*: OK - }")
    printf '  part       %s in %d s\n\n' "$part" $((SECONDS - begun))
done

text=$(printf '%s; ' "${summary[@]}")
succeed "${text%; } in $SECONDS s"
