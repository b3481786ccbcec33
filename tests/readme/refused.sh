#!/usr/bin/env bash
# Documentation that run.sh and links.py have to refuse: examples that nobody runs, that fail or say something else, links that lead
# nowhere, names that nothing has. Each fault is one line of a copy that is otherwise fine.
#
# usage: refused.sh SOURCE_DIR COMMAND LIBRARY_DIR WORK_DIR
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source=$1 command=$2 library=$3 work=$4
rm -rf "$work"
mkdir -p "$work/doc"
ln -s "$source"/{CMakeLists.txt,CMakePresets.json,pyproject.toml,python,include,host,scripts,tests,cl_kernels,CONTRIBUTING.md,LICENSE} "$work"
cp -r "$source/README.md" "$source/doc" "$work"
examples() { "$source/tests/readme/run.sh" "$work/doc/page.md" "$work" "$command" "$library" "$work/run"; }
links() { "$source/tests/readme/links.py" "$work"; }

# page: from stdin, with ''' for fences; README.md links to it.
page() { sed "s/'''/\`\`\`/" >"$work/doc/page.md"; }
printf '\n[page](doc/page.md)\n' >>"$work/README.md"
refuse() { # BY WHAT TEXT: the page on stdin is refused with a sentence that has TEXT
    local said
    page
    if said=$("$1" 2>&1); then
        printf '%s does not refuse %s\n' "$1" "$2"
        exit 1
    fi
    [[ $said == *"$3"* ]] || { printf '%s refuses %s with: %s\n' "$1" "$2" "$said"; exit 1; }
}

good="'''sh
clmove --version
'''
'''c
#include <stdio.h>
int main(void) { return puts(\"1\\n2\\n3\") < 0; }
'''

'''text output
1
...
3
'''

'''c host/examples/one_shot.c
#include <clmove/clmove.h>
'''
'''sh checkout
scripts/test.sh --asan    # a comment
cmake --preset release && cmake --build --preset release
'''
'''text
no command
'''
[here](../README.md#operators)"
page <<<"$good"
examples >/dev/null
links >/dev/null

refuse examples 'a program that prints something else' 'the program before it says: 1' <<<"${good/$'\n3\n'/$'\n4\n'}"
refuse examples 'a program that does not compile' 'does not compile' <<<"${good/puts/putz}"
refuse examples 'a program that fails' 'ended with status 1' <<<"${good/< 0/> 0}"
refuse examples 'a program whose output is not shown' 'without "text output"' <<<"${good/text output/text}"
refuse examples 'output of no program' 'output of no program' <<<"${good/$'\n\n\'\'\'text output'/$'\nwords\n\n\'\'\'text output'}"
refuse examples 'a command that fails' 'ended with status 2' <<<"${good/--version/--no-such-option}"
refuse examples 'a line that is not in the file' 'not in host/examples/one_shot.c' <<<"${good/<clmove\/clmove.h>/<clmove\/other.h>}"
refuse examples 'an option that a script does not have' 'no option --other' <<<"${good/--asan/--other}"
refuse examples 'a preset that there is not' 'no preset other' <<<"${good/--preset release &&/--preset other &&}"
refuse examples 'a block in another language' 'a block "python"' <<<"${good/\'\'\'sh$'\n'/\'\'\'python$'\n'}"
refuse examples 'a block that is named by nothing' 'a block ""' <<<"${good/\'\'\'text$'\n'/\'\'\'$'\n'}"
refuse examples 'commands in a text' 'commands in a block' <<<"${good/no command/clmove devices}"
refuse examples 'an indented block' 'an indented block' <<<"$good"$'\n\n    clmove devices'
refuse examples 'a page without examples' 'there is no example' <<<'words'
refuse links 'a link to no file' 'there is no ../OTHER.md' <<<'[x](../OTHER.md)'
refuse links 'a link to no heading' 'has no heading #other' <<<'[x](../README.md#other)'
refuse links 'a link out of the repository' 'there is no ../../x' <<<'[x](../../x)'
none=nothing # so that the names do not stand here
refuse links 'a function that there is not' "nothing is called clmove_map_$none" <<<"clmove_map_$none"
refuse links 'a variable that there is not' "nothing is called CLMOVE_${none^^}" <<<"CLMOVE_${none^^}"
refuse links 'an option that there is not' "nothing is called --$none-of-it" <<<"--$none-of-it"
page <<<"$good"
sed -i 's/clmove_buffer_fill/clmove_buffer_copy/' "$work/doc/api-guide.md"
said=$(links) && { echo 'links.py does not miss clmove_buffer_fill'; exit 1; }
[[ $said == *'clmove_buffer_fill is public'* ]]
rm "$work/README.md" && sed '$d' "$source/README.md" >"$work/README.md" # without the link to the page
said=$(links) && { echo 'links.py does not see that no link leads to a page'; exit 1; }
[[ $said == *'doc/page.md: no link leads here'* ]]
echo 'every fault was refused'
