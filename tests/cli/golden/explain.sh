# Plans in words, for the host, with no OpenCL.
export OCL_ICD_VENDORS=/nonexistent
# How the work is cut depends on the number of threads.
tell() { try "$@" | sed 's/[0-9]* items of [0-9]* jobs of [0-9]* of \([nq]\)/... items of ... jobs of ... of \1/'; }
tell clmove explain tile --shape 16,3 --element-bytes 1 --repeats 1,8
tell clmove explain tile --shape 4,5 --element-bytes 4 --tiles 3 --axis 0
tell clmove explain tile --shape '' --element-bytes 4 --repeats ''
tell clmove explain space-to-depth --shape 1,3,224,224 --element-bytes 4 --block-size 2 --mode blocks_first
tell clmove explain space-to-depth --shape 1,3,8,8 --element-bytes 3 --block-size 2 --mode depth_first
tell clmove explain depth-to-space --shape 1,16,8,8 --element-bits 4 --block-size 4 --mode depth_first
tell clmove explain depth-to-space --shape 0,16,8,8 --element-bits 8 --block-size 4 --rules onnx
tell clmove explain permute --shape 8,64,56,56 --element-bytes 4 --order 0,2,3,1
tell clmove explain move --shape 1,3,224,224 --element-bytes 1 --reshape 1,3,14,16,14,16 --permute 0,2,4,3,5,1 --reshape 1,196,-1
tell clmove explain move --shape 1,3,224,224 --element-bytes 4 --space-to-depth 2:blocks_first --depth-to-space 2:blocks_first
echo "-- refused"
try clmove explain tile --shape -1 --element-bytes 4 --repeats 1
try clmove explain tile --shape 4 --element-bits 3 --repeats 1
try clmove explain tile --shape 4 --element-bytes 1 --repeats 1 --variant nosuch
try clmove explain space-to-depth --shape 1,1,3,4 --element-bytes 4 --block-size 2 --mode blocks_first
try clmove explain permute --shape 4,5 --element-bytes 4 --order 0
try clmove explain move --shape 4,5 --element-bytes 4 --permute 1,0 --reshape 2,10
