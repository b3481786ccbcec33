# The help of the command and of each subcommand.
try clmove --version
try clmove --help
for command in tile space-to-depth depth-to-space permute move explain devices verify bench tune calibrate advise; do
    try clmove $command --help
done
try clmove tile -h >short
"$CLMOVE" tile --help >long
[ "$(tail -n +2 short)" = "$(cat long)" ] && echo "-h is --help"
"$CLMOVE" help tile | cmp - long && echo "and so is help tile"
"$CLMOVE" help >short
"$CLMOVE" --help | cmp - short && echo "help alone is --help"
echo "\$ clmove --help >/dev/full"
"$CLMOVE" --help >/dev/full
echo "exit status $?"
