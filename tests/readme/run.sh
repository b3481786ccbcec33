#!/usr/bin/env bash
# Runs the examples of one Markdown file as they stand; blocks.py says which kinds there are. All of a file run in one folder, in
# their order, with the command on the path and scripts/ and doc/ of the checkout beside them. Fails at the first that fails. Exit
# status 77 when all passed that could run, and a module of Python was missing for others.
#
# usage: run.sh FILE.md SOURCE_DIR COMMAND LIBRARY_DIR WORK_DIR
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
file=$1 source=$2 command=$3 library=$4 work=$5
name=${file#"$source"/}
rm -rf "$work"
mkdir -p "$work/bin" "$work/here"
python3 "$source/tests/readme/blocks.py" "$file" "$work/blocks"
cd "$work/here"
ln -s "$source/scripts" "$source/doc" .
ln -s "$command" ../bin/clmove
ln -s /usr/bin/python3 ../bin/python3 # Debian's, which has Debian's modules
export PATH=$work/bin:$PATH
read -ra flags <<<"${CFLAGS:-}"

broken() { # LINE WHY...
    printf '%s:%s: %s\n' "$name" "$1" "${*:2}"
    exit 1
}

# needs FILE: the module of Python that an example needs and that is missing; status 1 when none is.
needs() {
    local module
    for module in numpy matplotlib; do
        case $module in
        numpy) grep -q 'import numpy' "$1" || continue ;;
        matplotlib) grep -q 'plot_bench' "$1" || continue ;;
        esac
        python3 -c "import $module" 2>/dev/null || { printf '%s\n' "$module" && return 0; }
    done
    return 1
}

# prints SAID EXPECTED: whether a program said what is written below it.
prints() {
    python3 - "$1" "$2" <<'END'
import re
import sys

said, expected = (open(path, encoding="utf-8").read().rstrip("\n") for path in sys.argv[1:])
lines = [r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in expected.split("\n")]
sys.exit(not re.fullmatch("".join(lines), said + "\n"))
END
}

# exists LINE COMMAND WORD...: a command for a checkout names a script with such options, or a preset.
exists() {
    local line=$1 word
    shift
    case "$1 ${2:-}" in
    scripts/*)
        [[ -x $source/$1 ]] || broken "$line" "there is no script $1"
        for word in "${@:2}"; do
            [[ $word != -* ]] || grep -qF -- "$word" "$source/$1" || broken "$line" "$1 has no option $word"
        done
        ;;
    'cmake --preset' | 'ctest --preset') grep -qF "\"name\": \"$3\"" "$source/CMakePresets.json" || broken "$line" "there is no preset $3" ;;
    'cmake --build') grep -qF "\"name\": \"$4\", \"configurePreset\"" "$source/CMakePresets.json" || broken "$line" "there is no preset $4" ;;
    'cmake --install') grep -qF "\"name\": \"${3#build/}\"" "$source/CMakePresets.json" || broken "$line" "no preset builds in $3" ;;
    'apt-get install') ;; # of what the line before it made
    *) broken "$line" "nobody runs: $*" ;;
    esac
}

ran=0 elsewhere=0 missing=''
while read -r number line kind of; do
    block=$work/blocks/$number.txt
    case $kind in
    sh)
        if module=$(needs "$block"); then
            missing=$module
            continue
        fi
        bash -euo pipefail "$block" || broken "$line" "this ended with status $?"
        ;;
    c)
        "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror "${flags[@]}" -I "$source/include" -x c "$block" -x none -L "$library" -lclmove \
            -Wl,-rpath,"$library" -o "program_$number" || broken "$line" "this does not compile"
        CLMOVE_DEVICE=host "./program_$number" >"said_$number" || broken "$line" "this program ended with status $?"
        program=$number
        ;;
    text-output)
        prints "said_$program" "$block" || broken "$line" "the program before it says: $(<"said_$program")"
        ;;
    excerpt)
        while IFS= read -r code; do
            sed 's/^ *//' "$source/$of" | grep -qxF -- "$code" || broken "$line" "this is not in $of: $code"
        done < <(grep -vE '^$|^/\*.*\*/$' "$block" | sed 's/^ *//')
        ;;
    sh-checkout)
        while IFS= read -r commands; do
            commands=${commands%%  #*}
            while IFS= read -r one; do
                read -ra words <<<"$one"
                exists "$line" "${words[@]}"
            done <<<"${commands//&&/$'\n'}"
        done <"$block"
        ;;
    sh-installed | cmake-installed | cmake-subproject | python-package) # tests/consumer/test.sh and scripts/test-python.sh run these
        elsewhere=$((elsewhere + 1))
        continue
        ;;
    text) continue ;;
    *) broken "$line" "nobody runs $kind" ;;
    esac
    ran=$((ran + 1))
done <"$work/blocks/list"
[[ -z $missing ]] || {
    printf '%s: %d examples are as they should be, and others want %s for /usr/bin/python3\n' "$name" "$ran" "$missing"
    exit 77
}
((ran + elsewhere > 0)) || [[ $name == doc/results/* ]] || broken 1 'there is no example: a test that runs none tests nothing'
printf '%s: %d examples are as they should be; %d are for others\n' "$name" "$ran" "$elsewhere"
