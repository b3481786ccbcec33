#!/usr/bin/env bash
# Checks who includes whom (see CONTRIBUTING.md), that only the operators know operators, and that the oracle stands alone.
# Prints each offence as FILE:LINE: sentence. Exit status 0 clean, 1 offences, or a folder it guards has nothing to look at.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

standard='<(assert|errno|float|inttypes|limits|stdalign|stdarg|stdbool|stddef|stdint|stdio|stdlib|string)\.h>'
root_headers='"host/[a-z_]+\.h"' # host/error.h, host/checked.h: for everyone in the library
public='["<]clmove/(clmove|buffer|tuning|advice)\.h[">]'
public_cl='["<]clmove/opencl\.h[">]'
any_system='<[a-z0-9_/]+\.h>'
cl='<CL/[a-z_]+\.h>'
kernel='"cl_kernels/[a-z_]+\.h"'
embedded='"((cpu|gpu)/)?[a-z_]+\.(cl|h)\.inc"' # a kernel's text, made by scripts/embed.cmake
own='"[a-z0-9_]+\.(h|inc)"' # a neighbour in the same folder

# folder (longest first) | what its files may include
rules=$(
    cat <<EOF
include/clmove/opencl.h|$public|$cl|$standard
include|$public|$standard
host/map|$public|$root_headers|"host/map/[a-z0-9_]+\.h"|$standard
host/plan|$public|$root_headers|"host/(map|plan)/[a-z0-9_]+\.h"|$kernel|$standard
host/opencl|$public|$public_cl|$root_headers|"host/(map|plan|opencl)/[a-z0-9_]+\.h"|$kernel|$embedded|$cl|$any_system
host/reference|$public|$root_headers|"host/(map|plan|reference)/[a-z0-9_]+\.(h|inc)"|$kernel|$any_system
host/api/interop.c|$public|$public_cl|$root_headers|"host/(map|plan|opencl|reference|api)/[a-z0-9_]+\.h"|$standard
host/api|$public|$root_headers|"host/(map|plan|opencl|reference|api)/[a-z0-9_]+\.h"|$any_system
host/cli|$public|"host/cli/[a-z0-9_]+\.h"|$own|$any_system
host/examples|$public|$public_cl|$own|$cl|$any_system
cl_kernels|$kernel|$own|$standard
EOF
)

mapfile -t files < <(find include host cl_kernels -type f \( -name '*.h' -o -name '*.c' -o -name '*.cl' -o -name '*.inc' \) | sort)
offences=0
offend() {
    printf '%s\n' "$1"
    offences=$((offences + 1))
}

declare -A looked=()
for file in "${files[@]}"; do
    folder='' allowed=''
    while IFS='|' read -r prefix patterns; do
        if [[ $file == "$prefix" || $file == "$prefix"/* ]]; then
            folder=$prefix allowed=$patterns
            break
        fi
    done <<<"$rules"
    if [[ -z $folder && $file =~ ^host/[a-z_]+\.[ch]$ ]]; then
        folder=host allowed="$public|$root_headers|$standard"
    fi
    if [[ -z $folder ]]; then
        offend "$file:1: no rule says what this folder may include"
        continue
    fi
    looked[$folder]=1
    while IFS=: read -r line text; do
        [[ -n $line ]] || continue
        included=$text
        [[ $text =~ include[[:space:]]*([\"\<][^\"\>]*[\"\>]) ]] && included=${BASH_REMATCH[1]}
        # CL headers are system headers by their form, and have a rule of their own.
        if [[ $included =~ ^($allowed)$ ]] && [[ ! $included =~ ^\<CL/ || $allowed == *"$cl"* ]] &&
            [[ ! $included =~ clmove/opencl\.h || $allowed == *"$public_cl"* ]]; then
            continue
        fi
        offend "$file:$line: $folder may not include $included"
    done < <(grep -nE '^[ \t]*#[ \t]*include' "$file")
done
for folder in include host/map host/plan host/opencl host/reference host/api host/cli cl_kernels; do
    [[ -n ${looked[$folder]:-} ]] || offend "$folder: no file to check"
done

# <CL/...> elsewhere: only where a test stands between the library and OpenCL.
while IFS= read -r hit; do
    offend "$hit: only host/opencl, host/examples, tests/layer, tests/opencl, tests/gpusim, tests/implementations and clmove/opencl.h see OpenCL's headers"
done < <(grep -rnoE '^[ \t]*#[ \t]*include[ \t]*<CL/[^>]*>' tests --include='*.[ch]' 2>/dev/null |
    grep -vE '^tests/(layer|opencl|gpusim|implementations)[/_.a-z]*:' || true)

# Kernels, plans and executors speak of memory patterns. Comments may say "tiled"; code may not say tile.
for file in "${files[@]}"; do
    [[ $file =~ ^(cl_kernels|host/plan|host/opencl|host/reference)/ ]] || continue
    while IFS= read -r hit; do
        offend "$file:$hit: an operator's name outside of the operators"
    done < <(awk '
        {
            code = ""
            rest = $0
            while (rest != "") {
                if (inside) {
                    end = index(rest, "*/")
                    if (!end) break
                    rest = substr(rest, end + 2)
                    inside = 0
                    continue
                }
                block = index(rest, "/*")
                line = index(rest, "//")
                if (line && (!block || line < block)) { code = code substr(rest, 1, line - 1); break }
                if (!block) { code = code rest; break }
                code = code substr(rest, 1, block - 1) " "
                rest = substr(rest, block + 2)
                inside = 1
            }
            if (tolower($0) ~ /(space|depth)_?to_?(depth|space)/ || code ~ /(^|[^A-Za-z0-9])tiles?([^A-Za-z0-9]|$)/) print NR
        }' "$file")
done

# The oracle shares no code with what it judges.
mapfile -t oracles < <(find host/cli tests -name 'oracle*.[ch]')
((${#oracles[@]})) || offend "host/cli, tests: no oracle to check"
while IFS= read -r hit; do
    offend "$hit: the oracle may not use the library"
done < <(grep -noE 'clmove_(map|plan|run)[a-z_]*|"host/(map|plan|opencl|reference|api)/[^"]*"|"host/[a-z_]+\.h"' /dev/null "${oracles[@]}" || true)

if ((offences)); then
    printf 'check_includes: %d offences in %d files\n' "$offences" "${#files[@]}"
    exit 1
fi
printf 'check_includes: %d files, clean\n' "${#files[@]}"
