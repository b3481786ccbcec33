# Files that are no .npy files, or lie: exit status 1, one sentence, and a DST that exists survives.
echo "an old result" >dst.npy
cp dst.npy old
attempt() { try clmove tile bad.npy dst.npy --repeats 1; }
# dictionary TEXT [VERSION]: a header with this text, and 64 bytes of data
dictionary() {
    printf '# %.100s\n' "$1" | tr '\033\376\377' '???'
    header "${2:-1}" "$1" >bad.npy
    count 64 >>bad.npy
    attempt
}

echo "-- not there, not a file"
try clmove tile missing.npy dst.npy --repeats 1
mkdir directory
try clmove tile directory dst.npy --repeats 1
try clmove tile /dev/null dst.npy --repeats 1

echo "-- foreign and cut short"
: >bad.npy && attempt
printf 'GIF89a and so on, long enough' >bad.npy && attempt
printf 'PK\003\004 and so on, long enough' >bad.npy && attempt
printf '\223NUM' >bad.npy && attempt
printf '\223NUMPY\001\000' >bad.npy && attempt
printf '\223NUMPY\004\000\166\000{}                    ' >bad.npy && attempt
printf '\223NUMPY\001\001\166\000{}                    ' >bad.npy && attempt
printf '\223NUMPY\001\000\377\377{}                    ' >bad.npy && attempt
printf '\223NUMPY\002\000\377\377\377\177{}            ' >bad.npy && attempt
printf '\223NUMPY\003\000\377\377\377\377{}            ' >bad.npy && attempt
printf '\223NUMPY\001\000\000\000{}                    ' >bad.npy && attempt
npy bad.npy "'<f4'" "(4, 4)" 63 && attempt
npy bad.npy "'<f4'" "(4, 4)" 0 && attempt

echo "-- headers that are no dictionary"
dictionary ""
printf '\223NUMPY\001\000\006\000{    \000' >bad.npy && attempt
dictionary "descr"
dictionary "{'descr'}"
dictionary "{'descr': '<f4"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4)"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4)} and more"
dictionary "{'descr': '<f4' 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '<f4', 'fortran_order': 0, 'shape': (4, 4)}"
dictionary "{'descr': '<f4', 'shape': (4, 4)}"
dictionary "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), 'colour': 'red'}"
dictionary "{'descr': [('$(printf '\377\376')', '<f4')], 'fortran_order': False, 'shape': (4, 4)}" 3

echo "-- shapes"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': 16}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (16)}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (4 4)}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (4, -4)}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4.0)}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (4, None)}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 99999999999999999999)}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}"
dictionary "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)}"
dictionary "{'descr': '<f4', 'fortran_order': True, 'shape': (1000000000, 1000000000)}"
dictionary "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)}"

echo "-- dtypes"
dictionary "{'descr': '|O', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': [('x', '<f4'), ('y', [('z', '|O8')])], 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '|S0', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '|V0', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': [], 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': ('<f4', (2, 0)), 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': ('<f4', (2, -1)), 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '', 'fortran_order': False, 'shape': (4, 4)}"
for dtype in '<f3' '<c4' '<M8[foo]' '<M8[us/7]' 'f4,i4' '<float32' 'Float32'; do
    dictionary "{'descr': '$dtype', 'fortran_order': False, 'shape': (4, 4)}"
done
dictionary "{'descr': '$(printf '<f\033')', 'fortran_order': False, 'shape': (4, 4)}" # shown as in every other message
dictionary "{'descr': $(printf '\033'), 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': b'<f4', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': [('x', '<f4'), ('y', '<f4'), ('x', '<f4')], 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': [('x', '<f4'), (('\\x78', 'y'), '<f4')], 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': [('\\x7', '<f4')], 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '|T16', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '<f4[ns]', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '<M8[ns', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '|V536870912', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': '|V99999999999999999999999', 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': ('|V1000000', (1000, 1000)), 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': [('x', '|V300000000'), ('y', '|V300000000')], 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': [('x')], 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': {'names': ['x'], 'formats': ['<f4']}, 'fortran_order': False, 'shape': (4, 4)}"
dictionary "{'descr': $(printf '%40s' '' | sed "s/ /[('x', /g"), 'fortran_order': False, 'shape': (4, 4)}"

unchanged dst.npy old
files
