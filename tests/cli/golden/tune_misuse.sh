# What clmove tune refuses, and tunings that no command follows.
export CLMOVE_DEVICE=host
try clmove tune now
try clmove tune --seconds 0
try clmove tune --seconds 1s
try clmove tune --seconds
try clmove tune --output ''
try clmove tune --device ''
try clmove tune --variant copy
try clmove tune --json=yes
try clmove tune
try clmove tune --output folder/
printf text >file
try clmove tune --output file/tuning.conf
try clmove tune --output file
export CLMOVE_TUNING=max_dst_rows=2
try clmove tune --dry-run

# tuning TEXT: what says so in the environment.
tuning() {
    echo "CLMOVE_TUNING='$1'"
    CLMOVE_TUNING=$1
    try clmove explain tile --shape 1 --element-bytes 1 --repeats 1
}
tuning max_dst_row=2
tuning max_dst_rows=two
tuning max_dst_rows=65537
tuning max_dst_rows
tuning max_dst_rows=2,max_dst_rows=3
tuning local_size=2
unset CLMOVE_TUNING

# conf TEXT: a file that says so.
conf() {
    printf %b "$1" >tuning.conf
    echo "tuning.conf:"
    cat tuning.conf
    try clmove explain tile --shape 1 --element-bytes 1 --repeats 1
}
export CLMOVE_TUNING_FILE=tuning.conf
try clmove explain tile --shape 1 --element-bytes 1 --repeats 1
conf '[class host]\nthreads = 2\n'
conf '[class hosts]\n'
conf '[class gpu]\nmax_dst_rows = 2\n'
conf '[device another | 1]\nmax_items = 0\n'
conf 'max_dst_rows = 2\n'
printf '[class host]\n\033[2J = 2\n' >tuning.conf
try clmove explain tile --shape 1 --element-bytes 1 --repeats 1
echo "-- no regular file: refused, and not waited for"
mkfifo pipe
for strange in pipe . /dev/zero; do
    (exec 9<>pipe && CLMOVE_TUNING_FILE=$strange && export CLMOVE_TUNING_FILE && try clmove explain tile --shape 1 --element-bytes 1 --repeats 1)
done
rm pipe
conf '[class host]\nmax_dst_rows 2\n'
try clmove tune
npy src.npy "'<f4'" "(1,)" 4
try clmove tile src.npy dst.npy --repeats 1
try clmove bench
try clmove verify
files
