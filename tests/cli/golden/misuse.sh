# A command line that cannot be right: exit status 2, one sentence, and nothing is read or written.
npy src.npy "'<f4'" "(1, 4, 2, 2)" 64
try clmove
try clmove frobnicate
try clmove --frobnicate
for command in s2d Space2Depth space_to_depth pixel-unshuffle pixel_shuffle depth2space repeat Tile tlie devcies --verison premute transpose moveaxis chain reshape expand broadcast; do
    try clmove $command
done
echo "-- control characters, bytes that are not UTF-8, and what turns text around"
clmove "$(printf 'a\033[31m\177\302\233\342\200\256\377\n\t\303\244.')" 2>&1
clmove tile "$(printf 'a\033]0;title\007.npy')" dst.npy --repeats 2 2>&1
clmove tile src.npy "$(printf 'a\233/b')" --repeats 2 2>&1
clmove verify --seed "$(printf '\r1')" 2>&1
clmove tile src.npy dst.npy --device "$(printf '\033[2J')" --repeats 2 2>&1 | sed 's/": .*/": .../'
echo "--"
try clmove tile
try clmove tile src.npy
try clmove tile src.npy dst.npy
try clmove tile src.npy dst.npy extra.npy --repeats 1
try clmove tile src.npy '' --repeats 1
try clmove tile '' dst.npy --repeats 1
try clmove tile src.npy dst.npy --repeats
try clmove tile src.npy dst.npy --repeats 1,,2
try clmove tile src.npy dst.npy --repeats 1,2,
try clmove tile src.npy dst.npy --repeats ,
try clmove tile src.npy dst.npy --repeats '1, 2'
try clmove tile src.npy dst.npy --repeats 1x
try clmove tile src.npy dst.npy --repeats 0x10
try clmove tile src.npy dst.npy --repeats +1
try clmove tile src.npy dst.npy --repeats 9223372036854775808
try clmove tile src.npy dst.npy --repeats 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
try clmove tile src.npy dst.npy --tiles 2
try clmove tile src.npy dst.npy --axis 2
try clmove tile src.npy dst.npy --tiles 2 --axis 1 --repeats 2
try clmove tile src.npy dst.npy --tiles 2 --axis 1 --rules openvino
try clmove tile src.npy dst.npy --tiles two --axis 1
try clmove tile src.npy dst.npy --repeats 2 --rules tensorflow
try clmove tile src.npy dst.npy --repeats 2 --mode blocks_first
try clmove tile src.npy dst.npy --repeats 2 --frobnicate
try clmove tile src.npy dst.npy --repeats 2 --verify=yes
try clmove tile src.npy dst.npy --repeats 2 --ver
try clmove tile src.npy dst.npy --repeats 2 -x
try clmove tile src.npy dst.npy --repeats 2 --index-bits 16
try clmove space-to-depth src.npy dst.npy --block-size 2
try clmove space-to-depth src.npy dst.npy --block-size 2 --mode sideways
for mode in DCR crd pixel_shuffle blocks depth block_first depth-first depthfirst; do
    try clmove space-to-depth src.npy dst.npy --block-size 2 --mode $mode
done
try clmove space-to-depth src.npy dst.npy --blocksize 2 --mode blocks_first
try clmove space-to-depth src.npy dst.npy --block_size=2 --mode blocks_first
try clmove tile src.npy dst.npy --repeat 2 --reapets 2
try clmove tile src.npy dst.npy --repeats 2 --rules onxx
try clmove space-to-depth src.npy dst.npy --block-size 0 --mode blocks_first
try clmove space-to-depth src.npy dst.npy --block-size -2 --mode blocks_first
try clmove space-to-depth src.npy dst.npy --block-size 2.0 --mode blocks_first
try clmove space-to-depth src.npy dst.npy --block-size '' --mode blocks_first
try clmove space-to-depth src.npy dst.npy --block-size 99999999999999999999 --mode blocks_first
try clmove space-to-depth src.npy dst.npy --rules onnx
try clmove depth-to-space src.npy dst.npy --block-size 2 --repeats 2 --mode blocks_first
try clmove permute src.npy dst.npy
try clmove permute src.npy dst.npy --order 0,1,2,4
try clmove permute src.npy dst.npy --order 0,1,1,2
try clmove permute src.npy dst.npy --order 0,1,2,-1
try clmove permute src.npy dst.npy --order 0,1,2,4294967299
try clmove permute src.npy dst.npy --order 0,2,3
try clmove permute src.npy dst.npy --order 3,2,1,0 --rules onnx
try clmove permute src.npy dst.npy --order 3,2,1,0 --repeats 2
try clmove tile src.npy dst.npy --order 0
try clmove tile src.npy dst.npy --tile 2
try clmove move src.npy dst.npy
try clmove move src.npy
try clmove move src.npy dst.npy --order 3,2,1,0
try clmove move src.npy dst.npy --repeats 2
try clmove move src.npy dst.npy --block-size 2 --mode blocks_first
try clmove move src.npy dst.npy --permute 3,2,1,3
try clmove move src.npy dst.npy --reshape 1,x
try clmove move src.npy dst.npy --tile 2, --permute 1,0
try clmove move src.npy dst.npy --space-to-depth 2
try clmove move src.npy dst.npy --depth-to-space 2:
try clmove move src.npy dst.npy --depth-to-space 2:CRD
try clmove move src.npy dst.npy --depth-to-space :depth_first
try clmove move src.npy dst.npy --depth-to-space 0:depth_first
try clmove move src.npy dst.npy --depth-to-space 99999999999999999999:depth_first
try clmove move src.npy dst.npy --permut 3,2,1,0 --reshap 8,-1 --squeeze 1
try clmove move src.npy dst.npy --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --tile 1 --reshape 16
try clmove help frobnicate
try clmove help tile move
try clmove explain
try clmove explain --shape 1
try clmove explain reshape --shape 1
try clmove explain d2s --shape 1
try clmove explain transpose --shape 1
try clmove explain permute --shape 2,2 --element-bytes 1
try clmove explain move --shape 2,2 --element-bytes 1
try clmove explain tile --repeats 1
try clmove explain tile --repeats 1 --shape 1
try clmove explain tile --repeats 1 --shape 1 --element-bytes 0
try clmove explain tile --repeats 1 --shape 1 --element-bytes 4294967296
try clmove explain tile --repeats 1 --shape 1 --element-bytes 1 --element-bits 8
try clmove explain tile --repeats 1 --shape 1 --element-bytes 1 more
try clmove explain tile --shape 1 --element-bytes 1
try clmove devices 0
try clmove devices --xml
try clmove verify 0
try clmove verify --cases 0
try clmove verify --cases -1
try clmove verify --seed -1
for bytes in 0 -1 plenty 1k 1t 1P 1.5G 18446744073709551616 99999999999999G ''; do
    try clmove verify --memory-budget "$bytes"
done
for bytes in 18446744073709551615G 17179869184G 17592186044416M 18014398509481984K 16777216T 99999999999999999999M; do
    try clmove verify --memory-budget "$bytes"
done
try clmove verify --seed 18446744073709551616
try clmove verify --cases -99999999999999999999
files
