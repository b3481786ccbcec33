# Plans in words, for the host, with no OpenCL: four lines each, and the details of some.
# Whether blocks are shuffled depends on the processor.
export CLMOVE_HOST_ISA=baseline
export OCL_ICD_VENDORS=/nonexistent CLMOVE_TUNING=stream_min_bytes=33554432
# How the work is cut, and how long it takes, depends on the machine.
tell() {
    try "$@" | sed 's/[0-9]* items\{0,1\} of [0-9]* jobs\{0,1\} of [0-9]* of \([nq]\)/... items of ... jobs of ... of \1/
        s/[0-9]* work-items\{0,1\} by host/... work-items by host/
        s/\(About\|At least\) [0-9.]* [mnu]\{0,1\}s, \(at most \)\{0,1\}[0-9.]* GB/\1 ... us, \2... GB/'
}
echo "-- copy, repeat, period, rows, deinterleave, interleave, gather, bits, an empty map"
tell clmove explain tile --shape '' --element-bytes 4 --repeats '' --verbose
tell clmove explain tile --shape 16,3 --element-bytes 1 --repeats 1,8 --verbose
tell clmove explain tile --shape 5,1 --element-bytes 2 --repeats 1,9
tell clmove explain tile --shape 4,5 --element-bytes 4 --tiles 3 --axis 0 --verbose
tell clmove explain tile --shape 2,93,7 --element-bytes 8 --repeats 1,2,3
tell clmove explain tile --shape 7,2,3,2 --element-bytes 8 --repeats 1168,2,8,2 --verbose
tell clmove explain tile --shape 2,3,7 --element-bytes 1 --repeats 1,2,3 --variant gather
tell clmove explain space-to-depth --shape 1,8,8,4 --element-bytes 8 --block-size 2 --mode depth_first
tell clmove explain permute --shape 64,32,24 --element-bytes 4 --order 1,0,2
tell clmove explain permute --shape 64,32,5 --element-bytes 4 --order 1,0,2
tell clmove explain space-to-depth --shape 1,3,224,224 --element-bytes 4 --block-size 2 --mode blocks_first --verbose
tell clmove explain depth-to-space --shape 1,12,112,112 --element-bytes 4 --block-size 2 --mode blocks_first
tell clmove explain space-to-depth --shape 1,3,224,224 --element-bytes 4 --block-size 2 --mode blocks_first --variant gather
tell clmove explain space-to-depth --shape 1,3,8,8 --element-bytes 3 --block-size 2 --mode depth_first --verbose
tell clmove explain depth-to-space --shape 1,16,8,8 --element-bits 4 --block-size 4 --mode depth_first --verbose
tell clmove explain depth-to-space --shape 0,16,8,8 --element-bits 8 --block-size 4 --rules onnx --verbose
tell clmove explain permute --shape 8,64,56,56 --element-bytes 4 --order 0,2,3,1 --verbose
tell clmove explain permute --shape 9,11,70,60 --element-bytes 4 --order 3,2,0,1 --verbose
tell clmove explain permute --shape 96,3,5,16 --element-bytes 4 --order 2,1,0,3 --verbose
tell clmove explain move --shape 1,3,224,224 --element-bytes 1 --reshape 1,3,14,16,14,16 --permute 0,2,4,3,5,1 --reshape 1,196,-1 --verbose
tell clmove explain move --shape 1,3,224,224 --element-bytes 4 --space-to-depth 2:blocks_first --depth-to-space 2:blocks_first
echo "-- refused"
try clmove explain tile --shape -1 --element-bytes 4 --repeats 1
try clmove explain tile --shape 4 --element-bits 3 --repeats 1
try clmove explain tile --shape 4 --element-bytes 1 --repeats 1 --variant nosuch
try clmove explain space-to-depth --shape 1,1,3,4 --element-bytes 4 --block-size 2 --mode blocks_first
try clmove explain permute --shape 4,5 --element-bytes 4 --order 0
try clmove explain move --shape 4,5 --element-bytes 4 --permute 1,0 --reshape 2,10
