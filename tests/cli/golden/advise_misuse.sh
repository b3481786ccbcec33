# What clmove calibrate and clmove advise refuse, and what they say without a measurement.
export CLMOVE_DEVICE=host
try clmove calibrate now
try clmove calibrate --seconds 0
try clmove calibrate --seconds 3601
try clmove calibrate --seconds
try clmove calibrate --device ''
try clmove calibrate --variant copy
try clmove calibrate --json=yes
try clmove calibrate
printf text >file
export CLMOVE_CALIBRATION_FILE=file/calibration.conf
try clmove calibrate
export CLMOVE_CALIBRATION_FILE=folder/
try clmove calibrate
try clmove advise
try clmove advise copy
try clmove advise tile
try clmove advise tile --shape 2 --element-bytes 4 --element-bits 32 --repeats 2
try clmove advise tile --shape 2 --element-bytes 4 --repeats 2 --from gpu
try clmove advise tile --shape 2 --element-bytes 4 --repeats 2 --to ''
try clmove advise tile --shape 2 --element-bytes 4 --repeats 2 --block-size 2
try clmove advise tile --shape 2 --element-bytes 4 --repeats 2 more
try clmove advise space-to-depth --shape 1,1,3,3 --element-bytes 4 --block-size 2 --mode depth_first
try clmove advise permute --shape 2,3 --element-bytes 4
try clmove advise permute --shape 2,3 --element-bytes 4 --order 0
try clmove advise move --shape 2,3 --element-bytes 4 --permute 1,0 --reshape 2,3
export CLMOVE_CALIBRATION_FILE=file
try clmove advise tile --shape 1024,1024 --element-bytes 4 --repeats 2,2 --from host
try clmove advise tile --shape 0 --element-bytes 4 --repeats 2 --from host --to host
printf '[device host]\nhost_copy = 1\n' >file
try clmove explain tile --shape 2 --element-bytes 4 --repeats 2
files
