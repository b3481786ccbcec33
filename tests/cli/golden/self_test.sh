# A driver whose compiler is wrong: what the self-test finds is said, and is not used. PLANT is the layer that plants it.
# POCL says how many warnings its compiler had.
mask() { sed '/^$/d; /^[0-9]* warnings* generated/d; s/clmove: \(note: the host takes over: \)*[^:]*, driver [^,]*, moves/clmove: \1... moves/; s/self-test: .*, with \([36][24]\)-bit indices, .*/self-test: ... with \1-bit indices .../'; }
npy src.npy "'|u1'" "(2, 3)" 6
export OPENCL_LAYERS="$PLANT" CLMOVE_TEST_PLANT='INDEX_BITS == 32'
try clmove tile src.npy dst.npy --repeats 1,2 --device cpu --verify | mask
show dst.npy
try clmove tile src.npy dst.npy --repeats 1,2 --device cpu --verbose 2>&1 | grep -c 'done by opencl'
export CLMOVE_TEST_PLANT=true
try clmove tile src.npy dst.npy --repeats 1,2 --device cpu --allow-fallback --verify | mask
show dst.npy
try clmove tile src.npy none.npy --repeats 1,2 --device cpu | mask
files
