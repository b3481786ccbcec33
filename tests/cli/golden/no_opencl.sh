# Without any OpenCL: auto is the host, and a device asked for by name is an error unless the host may take over.
mkdir empty
export OCL_ICD_VENDORS="$PWD/empty"
# Which words a loader, or its absence, is told with depends on the machine.
tell() { try "$@" | sed 's/there is no OpenCL .*/there is no OpenCL .../'; }
npy src.npy "'|u1'" "(2, 3)" 6
tell clmove tile src.npy dst.npy --repeats 1,2
show dst.npy
tell clmove tile src.npy dst.npy --repeats 1,2 --device auto
tell clmove tile src.npy dst.npy --repeats 1,2 --device host
rm dst.npy
tell clmove tile src.npy dst.npy --repeats 1,2 --device cpu
tell clmove tile src.npy dst.npy --repeats 1,2 --device gpu
tell clmove tile src.npy dst.npy --repeats 1,2 --device 0
tell clmove tile src.npy dst.npy --repeats 1,2 --device nosuch
(export CLMOVE_DEVICE=cpu && tell clmove tile src.npy dst.npy --repeats 1,2)
tell clmove verify --device cpu
files
tell clmove tile src.npy dst.npy --repeats 1,2 --device cpu --allow-fallback
show dst.npy
tell clmove devices | sed 's/^\(host *host *\).*/\1.../'
tell clmove devices --json | grep -v '"\(compute_units\|name\|.*_bytes\)"'
tell clmove verify --cases 20 | sed 's/on .* (host)/on ... (host)/'
tell clmove tile src.npy dst.npy --repeats 1,2 --verbose | sed 's/device .* (host)/device ... (host)/; s/in [0-9.]* s, [0-9.]* GB/in ... s, ... GB/; s/at most [0-9]* KiB/at most ... KiB/'
echo "-- the list goes to one stream, and the reason to the other; each platform has its own"
OCL_ICD_VENDORS='' CLMOVE_OPENCL_LIBRARY=./none.so clmove devices >list 2>reason
grep -c host list
cat reason
rm list reason
echo "-- the reason names what to install"
clmove devices 2>&1 >list | grep -c 'Debian has'
rm list
