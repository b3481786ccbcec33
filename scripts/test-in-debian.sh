#!/usr/bin/env bash
# Builds and tests in another Debian, with its compilers and its OpenCL: makes a root of it below build/debian/, or takes the one
# that is there, builds the dev preset with GCC and with clang, runs the tests on that Debian's POCL, makes the Debian packages and,
# with --full, the wheel, and runs what scripts/test-implementations.sh can run there. The repository, seen from inside, lies where
# it lies outside. Mounts last as long as a command. The last line is `test-in-debian: OK - ...` or `test-in-debian: FAILED - ...`,
# the exit status 0 or 1.
name='test-in-debian'
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

full='' suite='' python=''
for argument in "$@"; do
    case $argument in
    --full) full=--full ;;
    --python) python=1 ;;
    bookworm | trixie) suite=$argument ;;
    *) suite='' && break ;;
    esac
done
if [[ -z $suite ]]; then
    printf '%s\n' 'usage: scripts/test-in-debian.sh [--full | --python] trixie|bookworm' \
        '  --full  every test with either compiler, and what scripts/test-implementations.sh --full runs, the wheel' \
        '  --python  the wheel of the Python package alone' \
        '  CLMOVE_DEBIAN_MIRROR: where packages come from (default: where this machine has its own)' \
        '  CLMOVE_POCL_REMOTE: a copy of PoCL-R that was built for that Debian, to be tested as well' >&2
    said=1
    exit 2
fi

printf 'clmove in Debian %s\n' "$suite"
become_root || fail 'a root of another Debian is made and entered by root, and this user is neither root nor allowed to sudo'
install_packages "${build_packages[@]}" debootstrap debian-archive-keyring util-linux
"${as_root[@]}" unshare --mount true 2>/dev/null || fail 'this machine lets not even root mount anything, which a root of another Debian needs'
inner_packages=("${build_packages[@]}" "${lint_packages[@]}" ocl-icd-libopencl1 pocl-opencl-icd mesa-opencl-icd python3 python3-numpy libcmocka-dev clang)
inner_packages+=(python3-dev python3-venv)
[[ -z $python ]] || inner_packages=("${build_packages[@]}" ocl-icd-libopencl1 pocl-opencl-icd python3 python3-dev python3-venv)
root_at=$root/build/debian/$suite
build_base=build/debian-$suite # and a folder for each compiler
mkdir -p build/debian "$build_base"

# ---- the root ----
mirror() {
    if [[ -n ${CLMOVE_DEBIAN_MIRROR:-} ]]; then
        printf '%s\n' "$CLMOVE_DEBIAN_MIRROR"
        return
    fi
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        sed -nE '/^Debian Debian ([a-z]+:.*)$/{s//\1/p;q}' # nothing: debootstrap has one of its own
}
# enter WHO COMMAND...: in the root, in the repository, as a user.
enter() {
    local -a extra=()
    [[ ! -d $root/../shared/conformance ]] || extra+=("$(cd "$root/../shared/conformance" && pwd)")
    [[ -z ${CLMOVE_POCL_REMOTE:-} ]] || extra+=("$CLMOVE_POCL_REMOTE")
    # shellcheck disable=SC2016
    "${as_root[@]}" unshare --mount --propagation private /bin/bash -ec '
        root_at=$1 who=$2 here=$3
        shift 3
        mount --bind /proc "$root_at/proc"
        mount --rbind /dev "$root_at/dev"
        mount --rbind /sys "$root_at/sys"
        [[ ! -e /etc/resolv.conf ]] || cp -L /etc/resolv.conf "$root_at/etc/resolv.conf"
        mkdir -p "$root_at$here"
        mount --bind "$here" "$root_at$here"
        while [[ $1 != -- ]]; do
            mkdir -p "$root_at$1"
            mount --bind "$1" "$root_at$1"
            shift
        done
        shift
        exec chroot --userspec="$who" "$root_at" /bin/bash -c "cd \"\$0\" && exec \"\$@\"" "$here" "$@"
    ' enter "$root_at" "$1" "$root" "${extra[@]}" -- \
        /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME="$root/$build_base/home" \
        CI="${CI:-}" CLMOVE_POCL_REMOTE="${CLMOVE_POCL_REMOTE:-}" CLMOVE_CHECK_SECONDS="${CLMOVE_CHECK_SECONDS:-1800}" \
        "${proxies[@]}" "${of_pip[@]}" "${@:2}" </dev/null
}
proxies=()
for variable in http_proxy https_proxy no_proxy; do
    [[ -z ${!variable:-} ]] || proxies+=("$variable=${!variable}")
done
of_pip=() # where packages of Python come from
[[ -z ${PIP_INDEX_URL:-} ]] || of_pip+=("PIP_INDEX_URL=$PIP_INDEX_URL")
if [[ -e ${PIP_CERT:-} ]]; then
    cp -L "$PIP_CERT" "$build_base/pip-cert.pem"
    of_pip+=("PIP_CERT=$root/$build_base/pip-cert.pem")
fi
in_root() {
    enter "$(id -u):$(id -g)" "$@"
}

log=$build_base/root.log
begun=$SECONDS
if [[ ! -e $root_at/etc/debian_version ]]; then
    partial=$root_at.partial
    "${as_root[@]}" rm -rf "$partial"
    mapfile -t from < <(mirror)
    "${as_root[@]}" debootstrap --variant=minbase --include=ca-certificates "$suite" "$partial" "${from[@]}" >"$log" 2>&1 || {
        tail -n 20 "$log"
        fail "debootstrap could not make a root of $suite (above: the end of $log)"
    }
    "${as_root[@]}" mv "$partial" "$root_at"
fi
# shellcheck disable=SC2016
if ! in_root dpkg-query -W -f='${db:Status-Status}\n' "${inner_packages[@]}" >"$log.packages" 2>&1 || grep -qv '^installed$' "$log.packages"; then
    enter 0:0 /bin/bash -ec 'export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update
        apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 install --yes --no-install-recommends "$@"
        apt-get clean' install "${inner_packages[@]}" >>"$log" 2>&1 || {
        tail -n 20 "$log"
        fail "apt-get could not install packages in the root of $suite (above: the end of $log)"
    }
fi
printf '  root       %s, ready in %d s\n' "build/debian/$suite" $((SECONDS - begun))
mkdir -p "$build_base/home"

# ---- the wheel, as a user has it ----
# test_wheel: for the Python of that Debian.
test_wheel() {
    local log=$build_base/wheel.log
    in_root scripts/wheel.sh --work "$build_base/wheel" /usr/bin/python3 >"$log" 2>&1 || {
        tail -n 30 "$log"
        fail "the wheel of $suite does not work (above: the end of $log)"
    }
    sed -n '/^  wheel/p' "$log"
    summary+=("$(sed -nE 's/^wheel: OK - .*whl; (.*) in [0-9]+ s$/wheel: \1/p' "$log")")
}
summary=()
if [[ -n $python ]]; then
    test_wheel
    succeed "$suite: ${summary[*]}, in $SECONDS s"
    exit
fi
# shellcheck disable=SC2016
printf '  versions   %s\n' "$(in_root dpkg-query -W -f='${Package} ${Version}  ' gcc clang pocl-opencl-icd mesa-opencl-icd)"

# ---- build and test ----
# No lint: it was done outside, and every clang-format disagrees.
for compiler in gcc clang; do
    begun=$SECONDS
    at=$build_base/$compiler
    plus=g++
    [[ $compiler == gcc ]] || plus=clang++
    if ! { in_root cmake --preset dev -B "$at" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER="$plus" && in_root cmake --build "$at" -j 2; } >"$at.log" 2>&1; then
        grep -vE '^(-- |\[[0-9]+/[0-9]+\] )' "$at.log" | tail -n 40
        fail "$compiler of $suite did not build (above: the end of $at.log, less progress)"
    fi
    printf '  build      %s in %d s\n' "$at" $((SECONDS - begun))
    begun=$SECONDS
    # Every day, what another driver and another compiler can break; the second compiler on the host alone.
    chosen=(-LE '^(lint|large|soak|long|gpusim|cli|sample)$' -R '^(unit|suite\.host|suite\.cpu\.all$|suite\.cpu\.(pieces|blocks|index64|streaming)\.day$|suite\.gpu_like\.all$|levels|api|conformance|.*\.layer|self_test)')
    if [[ -n $full ]]; then
        chosen=(-LE '^(lint|sample|day)$')
    elif [[ $compiler == clang ]]; then
        chosen=(-LE '^(lint|large|long)$' -R '^(unit|suite\.host$|levels|api\.host|conformance\.host)')
    fi
    status=0
    in_root scripts/test-implementations.sh --work "$build_base/implementations" --run pocl \
        ctest --test-dir "$at" -j 2 --timeout 600 --no-tests=error --output-on-failure "${chosen[@]}" >"$at.tests.log" 2>&1 || status=$?
    skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "$at.tests.log" || true)
    ran=$(($(sed -nE 's/.*tests passed, .* out of ([0-9]+)$/\1/p' "$at.tests.log" | tail -n 1) - skipped))
    if ((status != 0)); then
        sed -n '/The following tests FAILED/,$p' "$at.tests.log"
        fail "a test of $compiler in $suite failed (above, in full in $at.tests.log)"
    fi
    ((ran > 0)) || fail "$compiler in $suite ran no test"
    printf '  tests      %s: %d passed, %d skipped, on POCL in %d s\n' "$compiler" "$ran" "$skipped" $((SECONDS - begun))
    summary+=("$compiler: $ran tests passed, $skipped skipped")
done

# ---- the packages, as a user has them: installed, used, and gone without a trace ----
begun=$SECONDS
at=$build_base/package
rm -f "$at"/*.deb # those of another version
if ! { in_root cmake --preset package -B "$at" && in_root cmake --build "$at" -j 2 --target all package; } >"$at.log" 2>&1; then
    tail -n 40 "$at.log"
    fail "the packages of $suite were not made (above: the end of $at.log)"
fi
enter 0:0 tests/packages/check.sh "$root" "$root/$at" "$root/$at/check" >>"$at.log" 2>&1 || {
    tail -n 20 "$at.log"
    fail "the packages of $suite do not work (above: the end of $at.log)"
}
printf '  packages   made, linted, installed, used and removed in %d s\n' $((SECONDS - begun))

[[ -z $full ]] || test_wheel
in_root scripts/test-implementations.sh ${full:+"$full"} --build "$build_base/gcc" --work "$build_base/implementations" \
    pocl rusticl ${CLMOVE_POCL_REMOTE:+pocl_remote} 2>&1 | tee "$build_base/implementations.log" | sed 's/^/  /' ||
    fail "an implementation of $suite failed (above); ${summary[*]}"
summary+=("$(sed -nE 's/^implementations: OK - (.*), in [0-9]+ s$/\1/p' "$build_base/implementations.log")")
text=$(printf '%s; ' "${summary[@]}")
succeed "$suite: ${text%; }, in $SECONDS s"
