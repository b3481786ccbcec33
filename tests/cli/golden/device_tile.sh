# Tile on a device: both rules, both forms.
npy src.npy "'|u1'" "(2, 3)" 6
answer() {
    try clmove tile "$@" --verify
    show dst.npy
}
answer src.npy dst.npy --repeats 1,1
answer src.npy dst.npy --repeats 2,3
answer src.npy dst.npy --repeats 2,3 --rules onnx
answer src.npy dst.npy --repeats 2
answer src.npy dst.npy --repeats 2,1,2
answer src.npy dst.npy --repeats 2,0
answer src.npy dst.npy --repeats -3,2
answer src.npy dst.npy --repeats ''
answer src.npy dst.npy --tiles 2 --axis 0
answer src.npy dst.npy --tiles 2 --axis -1 --rules onnx
answer src.npy dst.npy --tiles 0 --axis 1
answer src.npy dst.npy --repeats 2,3 --index-bits 64
answer -- src.npy dst.npy --repeats 2 2>&1 | head -n 2
files
