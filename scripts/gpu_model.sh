#!/usr/bin/env bash
# What a GPU's memory system would see of the kernels, on a simulated GPU; no GPU is needed. tests/gpusim/README.md says what the
# figures mean.
set -euo pipefail
if (($# < 2)); then
    printf '%s\n' 'usage: scripts/gpu_model.sh BUILD_DIR WORKLOADS.json... [--json FILE] [--bounds FILE] [--mib 16] [--only NAME] [--warps 32,64,16] [--jobs N]' \
        '  BUILD_DIR  of the dev preset, say: build/dev. The workloads are those of clmove bench; tests/gpusim has more.' >&2
    exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
built=$1/tests/gpusim
shift
if [[ ! -e $built/libgpusim.so ]]; then
    printf 'gpu_model: %s/libgpusim.so is missing: build the tests there, with a clang that knows NVPTX\n' "$built" >&2
    exit 2
fi
exec python3 "$here/tests/gpusim/model.py" --built "$(cd "$built" && pwd)" "$@"
