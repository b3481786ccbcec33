# The help of the command and of each subcommand.
try clmove --version
try clmove --help
for command in tile space-to-depth depth-to-space explain devices verify bench tune calibrate advise; do
    try clmove $command --help
done
try clmove tile -h >short
"$CLMOVE" tile --help >long
[ "$(tail -n +2 short)" = "$(cat long)" ] && echo "-h is --help"
echo "\$ clmove --help >/dev/full"
"$CLMOVE" --help >/dev/full
echo "exit status $?"
