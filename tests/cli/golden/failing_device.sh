# A device that is there and fails: an error for one asked for by name, a note when the host may take over. POCL builds no kernel
# where it cannot keep it.
export POCL_CACHE_DIR=/dev/full
mask() { sed '/^$/d; s/[a-z_]*\.cl does not build on .*/... does not build on .../'; }
npy src.npy "'|u1'" "(2, 3)" 6
echo "an old result" >dst.npy
cp dst.npy old
try clmove tile src.npy dst.npy --repeats 1,2 --device cpu | mask
unchanged dst.npy old
files
try clmove tile src.npy dst.npy --repeats 1,2 --device cpu --allow-fallback --verify | mask
show dst.npy
try clmove verify --device cpu --case 1 | tail -n 2 | sed 's/^\(seed 1 on\).*: 0 cases/\1 ...: 0 cases/'
# The command that reproduces a failure is one for a shell, whatever the device's name has.
name=$(clmove devices --json | sed -n 's/.*"name": "\(.*\)",*$/\1/p' | head -n 1)
reproduce() { sed -n 's/.*reproduce it with: //p'; }
told=$(clmove verify --device "$name" --case 1 2>&1 | reproduce)
again=$( (eval "$told") 2>&1 | reproduce)
[ -n "$told" ] && [ "$told" = "$again" ] && echo "it reproduces"
