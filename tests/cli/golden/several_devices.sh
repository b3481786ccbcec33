# A list of devices does one run. Who takes pieces differs, and names of devices do.
mask() { sed -e 's/device .* (several)/device ... (several)/' -e 's/list (.*)/list (...)/' -e 's/over all of them (.*)/over all of them (...)/' -e 's/the device .* is twice/the device ... is twice/'; }
npy src.npy "'|u1'" "(2, 3)" 6
try clmove tile src.npy dst.npy --repeats 1,2 --device 0,host --verify
show dst.npy
try clmove tile src.npy dst.npy --repeats 1,2 --device 'host, 0' --verify --verbose 2>&1 | grep 'device ' | mask
export CLMOVE_DEVICE=0,host
try clmove explain tile --shape 2,3 --element-bytes 1 --repeats 1,2 --device 0,host | sed 's/, variant .*//; /^several/d'
try clmove explain tile --shape 2,3 --element-bytes 1 --repeats 1,2 --device 0,host --verbose | sed -n 's/^\(several  \).*\(, each.*\)/\1...\2/p'
try clmove permute src.npy dst.npy --order 1,0 --verify
show dst.npy
unset CLMOVE_DEVICE
echo "-- what is no list"
try clmove tile src.npy dst.npy --repeats 1,2 --device 0,,host
try clmove tile src.npy dst.npy --repeats 1,2 --device host,
try clmove tile src.npy dst.npy --repeats 1,2 --device host,auto
try clmove tile src.npy dst.npy --repeats 1,2 --device host,0,host | mask
echo "-- commands about one device"
try clmove verify --device 0,host --cases 5
try clmove bench --device 0,host --only focus
try clmove calibrate --device 0,host --dry-run --seconds 0.01 | mask
try clmove tune --device 0,host --dry-run | mask
try clmove advise tile --shape 2,3 --element-bytes 1 --repeats 1,2 --device 0,host | mask
echo "-- a list of what there is"
try clmove tile src.npy dst.npy --repeats 1,2 --device nosuch,0,host --allow-fallback --verify | sed 's/: there \(are\|is\) .*/: there .../'
files
