# Destinations that cannot be written, and what becomes of those that exist.
npy src.npy "'|u1'" "(2, 3)" 6
npy large.npy "'|u1'" "(1000,)" 1000
attempt() { try clmove tile src.npy "$1" --repeats 2,1; }
mkdir directory
ln -s nowhere dangling
mkfifo pipe
attempt nowhere/dst.npy
attempt src.npy/dst.npy
attempt directory
attempt newdirectory/
attempt -
attempt dangling
attempt pipe
attempt /dev/full
attempt /dev/null
attempt /dev/stdout | cat
attempt /proc/dst.npy | sed 's/written: .*/written: .../'
attempt "$(printf '%300s' '' | tr ' ' x)"
files

echo "-- a file system that is full"
echo "an old result" >dst.npy
cp dst.npy old
echo "\$ ulimit -f 1; clmove tile large.npy dst.npy --repeats 4"
answer=$(ulimit -f 1 && clmove tile large.npy dst.npy --repeats 4 2>&1)
echo "exit status $?: $answer"
unchanged dst.npy old

echo "-- permissions: the umask's for a new file, those of the file that is replaced"
attempt dst.npy
stat -c %a dst.npy
chmod 640 dst.npy
attempt dst.npy
stat -c %a dst.npy
rm -f dst.npy
(umask 077 && attempt dst.npy)
stat -c %a dst.npy

echo "-- the file that a link names is replaced, not the link"
ln -s dst.npy link
try clmove tile src.npy link --repeats 1,2
[ -L link ] && show dst.npy

echo "-- a folder's own name, and from elsewhere"
try clmove tile src.npy directory/dst.npy --repeats 1,1
(cd directory && try clmove tile dst.npy ../up.npy --repeats 1,1)
cmp src.npy up.npy
files
