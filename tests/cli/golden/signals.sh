# A run that is stopped leaves nothing behind, and DST as it was.
npy src.npy "'|u1'" "(16, 16)" 256
echo "an old result" >dst.npy
cp dst.npy old
# stop SIGNAL: sent when the file to be is there, which has no name yet. A run that ends before it comes is tried again.
stop() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        cp old dst.npy
        "$CLMOVE" tile src.npy dst.npy --repeats 1024,512 --verify &
        while kill -0 $! 2>/dev/null && ! find /proc/$!/fd -lname "$PWD/* (deleted)" -o -lname '*/.clmove-*' 2>/dev/null | grep -q .; do sleep 0.01; done
        kill -"$1" $! 2>/dev/null
        wait $! 2>/dev/null
        status=$?
        [ $status -eq 0 ] || break
    done
    echo "stopped by $1: exit status $status"
}
stop TERM
stop HUP
stop KILL
unchanged dst.npy old
clmove tile src.npy other.npy --repeats 1 && rm other.npy # where files have names from the start, this removes the stale one
files
