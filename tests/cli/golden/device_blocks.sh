# SpaceToDepth and DepthToSpace on a device, and back again.
npy src.npy "'<u2'" "(1, 2, 2, 4)" 32
there_and_back() {
    try clmove space-to-depth src.npy deep.npy --block-size 2 "$@" --verify
    show deep.npy
    try clmove depth-to-space deep.npy back.npy --block-size 2 "$@" --verify
    cmp src.npy back.npy
}
there_and_back --mode blocks_first
there_and_back --mode depth_first
there_and_back --rules onnx
try clmove space-to-depth src.npy deep.npy --mode depth_first --verify
cmp src.npy deep.npy
echo "-- one and three spatial dimensions"
npy line.npy "'|u1'" "(1, 2, 6)" 12
try clmove space-to-depth line.npy deep.npy --block-size 3 --mode blocks_first --verify
show deep.npy
npy cube.npy "'|u1'" "(1, 1, 2, 2, 4)" 16
try clmove space-to-depth cube.npy deep.npy --block-size 2 --mode depth_first --verify
show deep.npy
files
