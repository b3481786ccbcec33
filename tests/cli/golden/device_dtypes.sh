# Every dtype is kept as it is written, byte order included, and moved as so many bytes.
answer() { # DICTIONARY BYTES [VERSION]
    header "${3:-1}" "$1" >src.npy
    count "$2" >>src.npy
    try clmove tile src.npy dst.npy --repeats 2,1 --verify
    show dst.npy
}
for dtype in '<f4' '>f4' '|u1' '|b1' '<f2' '<c16' '|S3' '<U2' '>U1' '<M8[ns]' '<m8' '>M8[25us]' '|V2' '<f16' '=i4' 'i2'; do
    size=$(echo "$dtype" | sed 's/\[.*//; s/[^0-9]//g')
    case $dtype in *U*) size=$((size * 4)) ;; esac
    answer "{'descr': '$dtype', 'fortran_order': False, 'shape': (1, 2), }" $((size * 2))
done
echo "-- without a width, and by name"
answer "{'descr': '?', 'fortran_order': False, 'shape': (1, 2), }" 2
answer "{'descr': '<e', 'fortran_order': False, 'shape': (1, 2), }" 4
answer "{'descr': 'float32', 'fortran_order': False, 'shape': (1, 2), }" 8
echo "-- records"
answer "{'descr': [('x', '<f4'), ('y', '|u1')], 'fortran_order': False, 'shape': (1, 2), }" 10
answer "{'descr': [('x', '<u2', (2,)), ('', '|V1'), (('title', 'y'), [('z', '>i2', 2)])], 'fortran_order': False, 'shape': (1, 2), }" 18
answer "{'descr': [('x', '<u2', (3,))], 'fortran_order': False, 'shape': (1, 1), }" 6
echo "-- Python's literal syntax: keys in any order, either quotes, white space, Python 2"
answer "{\"shape\":(1L,2L),\"fortran_order\":False,\"descr\":\"<i2\"}" 4
answer "  { 'fortran_order' : False , 'descr' : u'<i2' , 'shape' : ( 1 , 2 , ) , } " 4
answer "{'descr': [('it\\'s', '<i2')], 'fortran_order': False, 'shape': (1, 2), }" 4
echo "-- versions 2.0 and 3.0"
answer "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }" 4 2
answer "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }" 4 3
answer "{'descr': [('$(printf '\303\244')', '<i2')], 'fortran_order': False, 'shape': (1, 2), }" 4 3
answer "{'descr': [('$(printf '\344')', '<i2')], 'fortran_order': False, 'shape': (1, 2), }" 4 1
name=$(printf '%70000s' '' | tr ' ' x)
answer "{'descr': [('$name', '<i2')], 'fortran_order': False, 'shape': (1, 2), }" 4 2 | sed 's/xxx*/x.../g'
