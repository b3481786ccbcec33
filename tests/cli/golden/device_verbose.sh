# What --verbose, verify and devices say, with what depends on the machine masked.
mask() {
    sed 's/device .*, done by .*/device ..., done by .../; s/in [0-9.]* s, [0-9.]* GB/in ... s, ... GB/
         s/ [a-z ]*, in 1 piece of at most \([0-9]*\) bytes, [0-9]* bytes of staging; at most [0-9]* KiB/ ..., in 1 piece of at most \1 bytes, ... bytes of staging; at most ... KiB/
         s/ on .* (.*):/ on ... (...):/; s/[1-9][0-9]* kernels* run, [0-9]* runs*/... kernels run, ... runs/
         s/0 kernels run, [1-9][0-9]* runs*/... kernels run, ... runs/'
}
npy src.npy "'>f4'" "(1, 3, 4, 4)" 192
try clmove space-to-depth src.npy dst.npy --block-size 2 --mode blocks_first --verbose | mask
try clmove tile src.npy dst.npy --repeats 2 --verbose --verify | mask
try clmove tile src.npy dst.npy --repeats 0 --verbose --verify | sed 's/device .* (.*)/device .../'
try clmove verify --cases 50 --seed 3 | mask
try clmove verify --case 7 --seed 3 | mask
try clmove verify --cases 20 --variant nosuch
try clmove verify --cases 1 --variant copy | mask
echo "-- the device is in both lists"
clmove devices | awk -v type="$CLMOVE_DEVICE" '$2 == type' | grep -c . | sed 's/[1-9][0-9]*/found/'
clmove devices --json | grep -c "\"type\": \"$CLMOVE_DEVICE\"" | sed 's/[1-9][0-9]*/found/'
