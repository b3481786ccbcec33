#!/usr/bin/env bash
# Runs the examples of README.md as they stand: the ```sh blocks in an empty folder with the command on the path, the ```c blocks
# compiled and linked with the library. Blocks ```c FILE are excerpts, and every line of code in them must be one of that file.
# Fails at the first that fails, or when it found none of either.
#
# usage: run.sh README.md COMMAND LIBRARY_DIR INCLUDE_DIR WORK_DIR
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
readme=$1 command=$2 library=$3 include=$4 work=$5
rm -rf "$work"
mkdir -p "$work"
cd "$work"
PATH=$(dirname "$command"):$PATH

# block LANGUAGE NUMBER: prints that block
block() {
    awk -v fence="\`\`\`$1" -v wanted="$2" '
        $0 == "```" { inside = 0 }
        inside && seen == wanted { print }
        $0 == fence { inside = 1; seen++ }' "$readme"
}

shells=$(grep -c '^```sh$' "$readme" || true)
read -ra flags <<<"${CFLAGS:-}"
programs=$(grep -c '^```c$' "$readme" || true)
((shells > 0 && programs > 0)) || {
    echo "README.md has $shells shell and $programs C examples: there must be one of each at least"
    exit 1
}
for ((i = 1; i <= shells; i++)); do
    block sh "$i" >"shell_$i.sh"
    [[ $(head -n 1 "shell_$i.sh") != python3* ]] || /usr/bin/python3 -c 'import numpy' 2>/dev/null || {
        echo "NumPy for /usr/bin/python3 is missing"
        exit 77
    }
    PATH=/usr/bin:$PATH bash -euo pipefail "shell_$i.sh"
done
# What each program's output has to begin with, in their order.
expected=('[2,12,2,3]: 0 2 4 12' 'the last element: 3f80' ' 17 %')
((programs == ${#expected[@]})) || {
    echo "README.md has $programs C examples, and what ${#expected[@]} print is known"
    exit 1
}
for ((i = 1; i <= programs; i++)); do
    block c "$i" >"program_$i.c"
    "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror "${flags[@]}" -I "$include" "program_$i.c" -L "$library" -lclmove \
        -Wl,-rpath,"$library" -o "program_$i"
    CLMOVE_DEVICE=host "./program_$i" | tee "program_$i.txt"
    [[ $(<"program_$i.txt") == "${expected[i - 1]}"* ]] || {
        echo "C example $i should begin with: ${expected[i - 1]}"
        exit 1
    }
done
mapfile -t excerpts < <(sed -n 's/^```c \(..*\)$/\1/p' "$readme" | sort -u)
for file in "${excerpts[@]}"; do
    while IFS= read -r line; do
        sed 's/^ *//' "$(dirname "$readme")/$file" | grep -qxF -- "$line" || {
            echo "README.md shows as an excerpt of $file what is not there: $line"
            exit 1
        }
    done < <(block "c $file" 1 | grep -vE '^$|^/\*.*\*/$')
done
echo "README.md: $shells shell and $programs C examples ran, ${#excerpts[@]} files are quoted"
