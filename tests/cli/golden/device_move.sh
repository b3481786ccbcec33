# Permutations and moves of several steps on a device, and back again.
npy src.npy "'<u2'" "(1, 2, 4, 4)" 64
npy line.npy "'|u1'" "(12,)" 12
npy turned.npy "'|u1'" "(3, 4)" 12 True
try clmove permute src.npy dst.npy --order 0,2,3,1 --verify
show dst.npy
try clmove permute dst.npy back.npy --order 0,3,1,2 --verify
cmp src.npy back.npy
try clmove permute turned.npy dst.npy --order 1,0 --verify
show dst.npy
echo "-- steps in the order given: these two are not the same"
try clmove move line.npy dst.npy --reshape 3,4 --permute 1,0 --verify
show dst.npy
try clmove move line.npy dst.npy --permute 0 --reshape 4,-1 --verify
show dst.npy
echo "-- the same as one command after the other"
try clmove move src.npy once.npy --tile 1,2,2,1 --space-to-depth 2:depth_first --permute 0,2,3,1 --reshape 1,8,16 --expand 2,8,16 --verify
clmove tile src.npy 1.npy --repeats 1,2,2,1
clmove space-to-depth 1.npy 2.npy --block-size 2 --mode depth_first
clmove permute 2.npy 3.npy --order 0,2,3,1
clmove tile 3.npy 4.npy --repeats 2,1,1,1
clmove move 4.npy often.npy --reshape 2,8,16
cmp once.npy often.npy
echo "-- and back"
try clmove move once.npy back.npy --reshape 2,4,2,16 --permute 0,3,1,2 --depth-to-space 2:depth_first --verify
clmove tile 1.npy twice.npy --repeats 2,1,1,1
cmp back.npy twice.npy
echo "-- rules for all steps: the mode that ONNX has, and expand both ways"
try clmove move 1.npy dst.npy --space-to-depth 2 --expand 3,1,1,1,1 --rules onnx --verify
clmove move 1.npy same.npy --space-to-depth 2:blocks_first --expand 3,1,16,4,2
cmp dst.npy same.npy
echo "-- rank 0, nothing, and a source that counts the other way"
npy scalar.npy "'<i4'" "()" 4
try clmove move scalar.npy dst.npy --reshape 1,1 --tile 1,2 --reshape 2 --verify
show dst.npy
try clmove permute scalar.npy dst.npy --order '' --verify
cmp scalar.npy dst.npy
npy empty.npy "'<i4'" "(0, 3)" 0
try clmove move empty.npy dst.npy --permute 1,0 --reshape 6,0 --verify
show dst.npy
try clmove move turned.npy dst.npy --permute 1,0 --reshape 12 --verify
show dst.npy
rm [1-4].npy
files
