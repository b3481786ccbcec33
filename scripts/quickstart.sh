#!/usr/bin/env bash
# From a fresh clone to tensors moved on an OpenCL device: installs what is missing, builds, and moves two real .npy files with
# POCL, each result checked by the command itself and by NumPy. A second run takes seconds. The last line is
# `quickstart: OK - ...` or `quickstart: FAILED - ...`, the exit status 0 or 1.
name='quickstart'
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

printf 'clmove quickstart\n'
install_packages "${build_packages[@]}" "${run_packages[@]}"
build release
use_kernel_cache ''
find_python
files=build/quickstart
mkdir -p "$files"

"$python" - "$files" <<'EOF' || fail "NumPy could not write the two source files"
import sys
import numpy as np

noise = np.random.default_rng(1)
y, x = np.mgrid[0:1080, 0:1920]
picture = np.stack([x // 8, y // 5, (x + y) // 12]) % 256 + noise.integers(-9, 10, (3, 1080, 1920))
np.save(sys.argv[1] + "/features.npy", noise.standard_normal((4, 3, 512, 512), dtype=np.float32))
np.save(sys.argv[1] + "/picture.npy", picture.clip(0, 255).astype(np.uint8)[np.newaxis])
EOF

# each FUNCTION: calls it with each command that is shown.
each() {
    local clmove=build/release/clmove
    local -a options=(--device cpu --verify --verbose)
    "$1" $clmove tile $files/features.npy $files/tiled.npy --repeats 1,1,2,2 "${options[@]}"
    "$1" $clmove space-to-depth $files/features.npy $files/deep_features.npy --block-size 2 --mode blocks_first "${options[@]}"
    "$1" $clmove space-to-depth $files/picture.npy $files/deep_picture.npy --block-size 2 --mode depth_first "${options[@]}"
}
# POCL compiles a kernel when it is first used, and keeps it: that is done before times are shown.
warm() {
    "$@" >"$files/log" 2>&1 || {
        cat "$files/log"
        fail "clmove $2 ended with an error (see above)"
    }
}
show() {
    printf '\n$ %s\n' "$*"
    "$@" 2>&1 | sed 's/^clmove: /  /' || fail "clmove $2 ended with an error (see above)"
}
started=$SECONDS
each warm
printf '  kernels    ready in %d s\n' $((SECONDS - started))
each show

printf '\nThe same with NumPy\n'
"$python" - "$files" <<'EOF' || fail "NumPy says that bytes differ (see above)"
import sys
import numpy as np


def space_to_depth(a, order):
    n, c, h, w = a.shape
    return a.reshape(n, c, h // 2, 2, w // 2, 2).transpose(order).reshape(n, c * 4, h // 2, w // 2)


def load(name):
    return np.load(f"{sys.argv[1]}/{name}.npy")


features, picture = load("features"), load("picture")
expected = {
    "tiled": np.tile(features, (1, 1, 2, 2)),
    "deep_features": space_to_depth(features, (0, 3, 5, 1, 2, 4)),
    "deep_picture": space_to_depth(picture, (0, 1, 3, 5, 2, 4)),
}
same = True
for name, want in expected.items():
    got = load(name)
    equal = got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes()
    same = same and equal
    print(f"  {name + '.npy':<18} {got.dtype.name} {got.shape}: {'same' if equal else 'NOT the same'} {want.nbytes} bytes")
sys.exit(not same)
EOF

printf '\n'
succeed "3 tensors moved by OpenCL and verified, byte for byte, in $SECONDS s (they lie in $files)"
