#!/usr/bin/env bash
# The man pages and the completion of bash that the command writes: they name the options that its help names, no more and no fewer,
# and bash completes with them. And clmove.3: it names what the headers and the library have. With "render" instead: troff sets all
# of them without a warning; exit status 77 where there is no groff.
#
# usage: pages.sh COMMAND WORK_DIR SOURCE_DIR [CLMOVE.3 [render]]
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
command=$1 work=$2 source=$3 overview=${4-} mode=${5-}
rm -rf "$work"
mkdir -p "$work"
"$command" --write-pages "$work"
[[ -z $overview ]] || cp "$overview" "$work/clmove.3"

failed=0
say() {
    printf '%s\n' "$*"
    failed=1
}
words() { # TEXT: its words in order, one a line
    tr -s ' \n' '\n' <<<"$1" | sed '/^$/d' | sort
}
same() { # WHAT GOT WANTED: words in any order
    local got wanted
    got=$(words "$2") wanted=$(words "$3")
    [[ -n $got && $got == "$wanted" ]] || say "$1: ${got//$'\n'/ }; and not ${wanted//$'\n'/ }"
}

if [[ $mode == render ]]; then
    command -v groff >/dev/null || { echo 'groff is missing'; exit 77; }
    for page in "$work"/*.[13]; do
        warned=$(MANWIDTH=80 groff -ww -man -Tutf8 -K utf-8 "$page" 2>&1 >"$work/set") || say "$page is not set"
        [[ -z $warned ]] || say "$warned"
        [[ $(wc -l <"$work/set") -gt 20 ]] || say "$page is empty"
    done
    exit "$failed"
fi

# shellcheck source=/dev/null
source "$work/clmove.bash"
# shellcheck source=scripts/package/completion.bash
source "$source/scripts/package/completion.bash"
complete_words() { # WORD...: what the last one may become
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _clmove 2>>"$work/errors"
    printf '%s ' "${COMPREPLY[@]}"
}

# ---- the same options everywhere ----
options_of_help() { # FILE
    sed -nE 's/^  (-h, )?(--[a-z-]+).*/\2/p' "$1"
}
commands=$("$command" --help | awk 'NF == 0 { part++ } part == 1 && NF { print $1 }')
[[ $commands == *tile*advise*help ]] || say "clmove --help names the commands $commands"
same 'commands that bash completes' "$(complete_words clmove '')" "$commands --help --version"
same 'commands of which help can be had' "$(complete_words clmove help '')" "$commands"
operations='' others=''
for name in '' $commands; do
    [[ $name != help ]] || continue
    page=$work/clmove${name:+-$name}.1
    "$command" ${name:+"$name"} --help >"$work/help"
    of_help=$(options_of_help "$work/help")
    same "options in $page" "$(sed -nE '/^\.TP$/{n;s/\\f[A-Z]|\\//g;s/^(-h, )?(--[a-z-]+).*/\2/p}' "$page")" "$of_help"
    [[ -n $name ]] || continue
    # An operation's options, which some commands name in one sentence.
    own=$(tr '\n' ' ' <"$work/help" | sed -nE 's/.* OPERATION is [^:]*: ([a-z ,-]*)  --.*/\1/p' | tr -d ,)
    if [[ -z $own ]]; then
        [[ $(head -n 1 "$work/help") != *SRC.npy* ]] || operations+=" $of_help"
    else
        others=$own
        same "options of an operation in $page" "$(sed -nE 's/^OPERATION is .*: //p' "$page" | tr -d '\\,')" "$own"
    fi
    same "options of $name that bash completes" "$(complete_words clmove "$name" --)" "$of_help $own"
    while read -r option; do # what takes a value completes with its values, the others with options
        grep -qE "^  (-h, )?$option [^ ]" "$work/help" || continue
        [[ $(complete_words clmove "$name" "$option" --) != *--help* ]] || say "bash offers options as the value of $name $option"
    done <<<"$of_help"
done
common='--device --allow-fallback --verify --verbose --quiet --memory-budget --variant --index-bits --help'
same 'options of an operation' "$others" "$(words "$operations" | uniq | grep -vxF -e "${common// /$'\n'}")"

# ---- completion ----
touch "$work/a.npy" "$work/cases.json"
mkdir "$work/folder"
cd "$work"
given=()
while IFS='|' read -r typed wanted; do
    eval "given=($typed)"
    same "$typed" "$(complete_words "${given[@]}") ." "$wanted ."
done <<'CASES'
clmove ti|tile
clmove help dev|devices
clmove space-to-depth --mo|--mode
clmove space-to-depth --mode ''|blocks_first depth_first
clmove space-to-depth a.npy b.npy --mode = ''|blocks_first depth_first
clmove space-to-depth --mode =|blocks_first depth_first
clmove depth-to-space --mode = d|depth_first
clmove tile --rules o|openvino onnx
clmove tile --repeats ''|
clmove tile --device ''|auto host gpu cpu accelerator
clmove permute --index-bits ''|32 64
clmove permute --variant g|gather
clmove advise tile --from ''|host device
clmove explain p|permute
clmove explain permute --ord|--order
clmove explain permute --start|
clmove bench --start|--start
clmove bench --sweep t|tile
clmove bench --workloads ''|cases.json folder
clmove tile ''|a.npy folder
clmove tile a.npy f|folder
clmove frobnicate ''|
CASES
variants=$(sed -nE 's/^set\(CLMOVE_VARIANTS (.*)\)$/\1/p' "$source/tests/CMakeLists.txt")
for name in tile verify bench explain advise; do
    same "variants that bash completes after $name" "$(complete_words clmove "$name" --variant '')" "$variants"
done
[[ ! -s $work/errors ]] || say "bash says: $(<"$work/errors")"

# ---- the library's page ----
if [[ -n $overview ]]; then
    plain=$(sed 's/\\//g; s/\.BR \([a-z_0-9]*\) ()/\1()/' "$work/clmove.3")
    same 'functions in clmove.3' "$(grep -oE 'clmove_[a-z0-9_]+\(\)' <<<"$plain" | tr -d '()' | sort -u)" \
        "$(cat "$source"/include/clmove/*.h | grep -E '^CLMOVE_API' | grep -oE '\bclmove_[a-z0-9_]+\(' | tr -d '(')"
    statuses=$(sed -nE 's/^ +X\(([A-Z_]+), ".*/CLMOVE_\1/p' "$source/include/clmove/status.h")
    same 'statuses and variables in clmove.3' "$(grep -oE '\bCLMOVE_[A-Z_]+' <<<"$plain" | sort -u)" \
        "$statuses $(grep -rhoE '"CLMOVE_[A-Z_]+"' "$source"/host --include='*.c' | tr -d '"' | sort -u)"
    [[ $plain == *"clmove $("$command" --version | cut -d' ' -f2)\""* && $plain != *@* ]] || say 'clmove.3 is of another version'
fi
((!failed)) && printf 'pages: %d commands\n' "$(wc -w <<<"$commands")"
