# The examples in the help of permute and move, as they stand there.
export CLMOVE_DEVICE=host
zeros() {
    header 1 "{'descr': '|u1', 'fortran_order': False, 'shape': $2, }" >"$1"
    head -c "$3" /dev/zero >>"$1"
}
zeros image.npy "(1, 3, 224, 224)" 150528
zeros nchw.npy "(1, 3, 224, 224)" 150528
zeros matrix.npy "(30, 40)" 1200
zeros row.npy "(7,)" 7
for command in permute move; do
    clmove help $command | sed -n '1,/^Examples:$/d; s/^  //p' | sed -e ':more' -e '/\\$/{N;s/\\\n *//;b more' -e '}' >examples
    while read -r line; do
        # shellcheck disable=SC2086 # the words of an example have no quotes
        try $line 2>&1 | sed 's/in [0-9.]* s, [0-9.]* GB/in ... s, ... GB/; s/device .*, variant .*/device .../; s/[a-z ]*, in 1 piece.*/.../'
    done <examples
done
for result in nhwc transposed patches table; do
    head -c 128 $result.npy | tail -c +11 | sed 's/ *$//'
done
