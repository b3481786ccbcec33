# Fortran order, rank 0, empty tensors, pipes, data after the array, and a result in its source's place.
echo "-- Fortran order"
npy src.npy "'|u1'" "(2, 3)" 6 True
try clmove tile src.npy dst.npy --repeats 1,2 --verify
show dst.npy
npy src.npy "'<u2'" "(1, 2, 2, 2)" 16 True
try clmove space-to-depth src.npy dst.npy --block-size 2 --mode depth_first --verify
show dst.npy
npy src.npy "'|u1'" "(0, 3)" 0 True
try clmove tile src.npy dst.npy --repeats 1,2 --verify
show dst.npy
echo "-- rank 0"
npy src.npy "'<u4'" "()" 4
try clmove tile src.npy dst.npy --repeats '' --verify
show dst.npy
try clmove tile src.npy dst.npy --repeats '' --rules onnx --verify
try clmove tile src.npy dst.npy --repeats 2,1 --verify
show dst.npy
echo "-- empty"
npy src.npy "'<u4'" "(2, 0, 4611686018427387904)" 0
try clmove tile src.npy dst.npy --repeats 2,1,1 --verify
show dst.npy
npy src.npy "'<u4'" "(0, 4, 2, 2)" 0
try clmove space-to-depth src.npy dst.npy --block-size 2 --mode blocks_first --verify
show dst.npy
try clmove depth-to-space src.npy dst.npy --block-size 2 --mode blocks_first --verify
show dst.npy
echo "-- more data than the array has"
npy src.npy "'|u1'" "(2, 2)" 7
try clmove tile src.npy dst.npy --repeats 1,1 --verify
show dst.npy
echo "-- through a pipe"
npy src.npy "'|u1'" "(2, 2)" 4
head -c 1000 src.npy | try clmove tile - dst.npy --repeats 1,2 --verify
show dst.npy
try clmove tile - dst.npy --repeats 2,1 --verify <src.npy
show dst.npy
mkfifo pipe
cat src.npy >pipe &
try clmove tile pipe dst.npy --repeats 1,1 --verify
wait
cmp src.npy dst.npy
head -c 130 src.npy | try clmove tile - dst.npy --repeats 1,1
yes | try clmove tile - dst.npy --repeats 1,1
cmp src.npy dst.npy
echo "-- in place"
try clmove tile src.npy src.npy --repeats 1,2 --verify
show src.npy
try clmove tile src.npy ./src.npy --repeats 2,1 --verify
show src.npy
files
