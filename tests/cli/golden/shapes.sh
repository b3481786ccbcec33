# Shapes that do not go with the operator: exit status 1, the numbers in the sentence, and a DST that exists survives.
npy src.npy "'<f4'" "(1, 4, 6, 5)" 480
npy flat.npy "'<f4'" "(2, 3)" 24
echo "an old result" >dst.npy
cp dst.npy old
try clmove space-to-depth src.npy dst.npy --block-size 2 --mode blocks_first
try clmove space-to-depth src.npy dst.npy --block-size 3 --mode depth_first
try clmove space-to-depth src.npy dst.npy --block-size 9223372036854775807 --mode blocks_first
try clmove space-to-depth src.npy dst.npy --block-size 3037000500 --mode blocks_first
try clmove space-to-depth flat.npy dst.npy --block-size 1 --mode blocks_first
try clmove space-to-depth src.npy dst.npy --block-size 1 --mode depth_first --rules onnx
try clmove depth-to-space src.npy dst.npy --block-size 3 --mode blocks_first
try clmove depth-to-space src.npy dst.npy --block-size 9223372036854775807 --mode blocks_first
try clmove depth-to-space flat.npy dst.npy --block-size 1 --rules onnx
try clmove tile src.npy dst.npy --repeats 1,1,1,9223372036854775807
try clmove tile src.npy dst.npy --repeats 4294967296,4294967296
try clmove tile src.npy dst.npy --repeats 1,1,1,1152921504606846976
try clmove tile src.npy new.npy --repeats 1,1,1,3000000000000000 | sed 's/bytes: .*/bytes: .../'
try clmove tile src.npy dst.npy --repeats 2,2 --rules onnx
try clmove tile src.npy dst.npy --repeats 1,1,1,-1 --rules onnx
try clmove tile src.npy dst.npy --tiles 2 --axis 4
try clmove tile src.npy dst.npy --tiles 2 --axis -5
try clmove tile src.npy dst.npy --tiles -2 --axis 0
try clmove permute src.npy dst.npy --order 1,0
try clmove move src.npy dst.npy --permute 1,0
try clmove move src.npy dst.npy --permute 0,2,3,1 --reshape 7,-1
try clmove move src.npy dst.npy --permute 0,2,3,1 --reshape 1,5,6,5
try clmove move src.npy dst.npy --reshape 2,60 --reshape -1,-1
try clmove move src.npy dst.npy --tile 2 --expand 1,4,12,5
try clmove move src.npy dst.npy --tile 2 --space-to-depth 5:depth_first
try clmove move src.npy dst.npy --depth-to-space 2:depth_first --rules onnx --tile 2
echo "-- what no single map expresses, and what the sentence says to do"
try clmove move src.npy dst.npy --permute 0,2,3,1 --reshape 1,20,6 --tile 2
try clmove move src.npy part.npy --permute 0,2,3,1
try clmove move part.npy whole.npy --reshape 1,20,6 --tile 2
npy turned.npy "'<f4'" "(6, 10)" 240 True
try clmove move turned.npy dst.npy --reshape 15,4
unchanged dst.npy old
files
