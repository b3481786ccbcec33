# A device that is not there is an error, and --allow-fallback makes it a note.
mask() { sed 's/: there \(are\|is\) .*/: there .../'; }
npy src.npy "'|u1'" "(2, 3)" 6
echo "an old result" >dst.npy
cp dst.npy old
try clmove tile src.npy dst.npy --repeats 1,2 --device nosuch | mask
try clmove tile src.npy dst.npy --repeats 1,2 --device 4096 | mask
try clmove tile src.npy dst.npy --repeats 1,2 --device ''
try clmove explain tile --shape 4 --element-bytes 1 --repeats 1 --device nosuch | mask
try clmove verify --device nosuch | mask
unchanged dst.npy old
try clmove tile src.npy dst.npy --repeats 1,2 --device nosuch --allow-fallback | mask
show dst.npy
files
