#!/usr/bin/env python3
"""The command reads the dtypes that NumPy reads, with NumPy's widths, and refuses the others: dtypes.py CLMOVE

SPDX-License-Identifier: Apache-2.0
"""
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings

import numpy
from numpy.lib import format as npy

CLMOVE = os.path.abspath(sys.argv[1])
ELEMENTS = 3

# In quotes as numpy.dtype takes them.
CODES = """
    ? b B c h H i I l L q Q p P e f d g F D G m M S U V a O
    b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 S3 a3 U2 V5 M8 m8 O8
    <b1 |b1 >b1 =b1 <i1 |u1 <i2 >i4 =i8 |i4 <u2 >u8 <f2 >f4 =f8 |f8 <c8 >c16 <S3 |S3 >U1 <U2 |U2 |V7 >V7 |? >? <? <e >e <f >d |g <l
    f16 c32 f12 c24 f10 f1 f3 f6 f32 <f3 <f0 f0 i0 i3 <i3 i5 i16 u3 u16 c1 c2 c4 c6 c64 b0 b2 b8 <b4 ?1 |?1 h2 l4 l8 q8 e2 g16 p8 c1 d8
    S0 U0 V0 S1 S+3 U007 f04 <f+4 f4x <f4[ns] f S-1 V-3
    float32 float64 float16 float float_ half single double longdouble int8 int16 int32 int64 uint8 uint16 uint32 uint64 int uint
    intp uintp intc uintc short ushort byte ubyte long ulong longlong ulonglong bool bool_ complex complex64 complex128 csingle cdouble
    clongdouble str bytes str_ bytes_ void object object_ datetime64 timedelta64 datetime64[ns] timedelta64[25us] <datetime64[D]
    Float32 FLOAT32 float31 float128 float80 float96 complex32 int128 int_ <float32 >int32 |bool string number generic floating
    boolean char character
    M8[ns] <M8[ns] >M8[us] |M8[s] =m8[D] m8[Y] M8[M] M8[W] M8[h] M8[m] M8[ms] M8[ps] M8[fs] M8[as] M8[generic] m8[25us] m8[0s] M8[1generic]
    M8[us/5] M8[us/7] m8[W/7] m8[W/8] m8[D/7] m8[Y/12] m8[s/60] m8[s/2] m8[as/2] m8[generic/2] m8[+5s] m8[2147483647s] m8[2147483648s]
    m8[-1s] M8[foo] <M8[foo] M8[] M8[ M8] M8[ns <M8[ns]] M8[5] M8[N] M8[NS] M8[B] M8[us]x M8x M4 m16 M8[us/] M8[/5] M8[us/5/5] M[s]
    M8[\N{GREEK SMALL LETTER MU}s] m8[\N{MICRO SIGN}s]
    < > | = << <> <<f4 <|f4 T |T16 z x1 4f f4; f-4 n4
""".split()

# As they stand in a header.
TEXTS = r"""
'f 4'
' f4'
'f4 '
''
'M8[ 5s]'
u'<f4'
r'<f4'
b'<f4'
'\x3cf4'
'\x3'
('<f4', 3)
('<f4', (3,))
('<f4', (3))
('<f4', ())
('<f4', 1)
('<f4', [3])
('<f4', -1)
('<f4', (2, -1))
('<f4', (2, 0))
('<f4', 0)
('<f4',)
('<f4', 'x')
('<f4', True)
('<f4', 3.0)
('<f4', None)
('S', 3)
('U', (3))
('V', 3)
('S', (3,))
('S', (3, 2))
('S', ())
('S', 0)
('S3', 2)
('<f3', 2)
(('<f4', (2,)), 3)
([('x', '<f4')], 3)
([('x', '<f4')], (2, 2))
['<f4']
[]
()
{}
None
3
[('x', '<f4')]
[['x', '<f4']]
[('x', '<f4'), ('y', '?')]
[('x', '<f3')]
[('x', '<M8[foo]')]
[('x', '<f4'), ('x', '<f4')]
[('x', '<f4'), ('y', 'u1'), ('x', 'u1')]
[('x', '<f4'), ('X', '<f4')]
[('x', '<f4'), ('\x78', '<f4')]
[('x', '<f4'), ('\170', '<f4')]
[('x', '<f4'), ('\u0078', '<f4')]
[('\n', '<f4'), ('\x0a', '<f4')]
[('\\', '<f4'), (r'\\', '<f4')]
[(r'\\', '<f4'), (r'\\\\', '<f4')]
[('\q', '<f4'), ('\\q', '<f4')]
[(('x', 'y'), '<f4'), ('x', '<f4')]
[(('t', 'x'), '<f4'), (('t', 'y'), '<f4')]
[(('x', 'x'), '<f4')]
[(('t', 'x'), '<f4'), (('s', 'y'), 'S2')]
[(('', 'x'), '<f4')]
[(('t', ''), 'V3')]
[(('t', ''), 'V3'), (('t', ''), 'V3')]
[(['t', 'x'], '<f4')]
[(1, '<f4')]
[(b'x', '<f4')]
[('', '<f4')]
[('', '<f4'), ('', '<f4')]
[('', '<f4'), ('f0', '<f4')]
[('', '|V3'), ('', '|V3'), ('a', 'u1')]
[('', '|V3')]
[('', 'V'), ('y', 'u1')]
[('', '<f4'), ('a', '|V3'), ('', 'V1', (2,))]
[('', ('V1', 2)), ('a', 'u1'), ('', ('V1', 2))]
[('', [('a', 'u1')])]
[('', [('a', 'u1')]), ('', [('a', 'u1')])]
[('x', [('x', 'u1')]), ('y', [('x', 'u1')])]
[('x', [('z', 'u1'), ('z', 'u1')])]
[('x', '<f4', (2, 3))]
[('x', '<f4', 2)]
[('x', '<f4', ())]
[('x', '<f4', [2])]
[('x', '<f4', (2, 0))]
[('x', '<f4', 2,)]
[('x', '<f4', 2, 3)]
[('x', '<f4', True)]
[('x',)]
[('x')]
[('x', 'S')]
[('x', 'S', 3)]
[('x', 'V'), ('y', 'u1')]
[('x', 'S', (3,))]
[('x', ('<f4', (2,)), 3)]
[('x', []), ('y', 'u1')]
[('x', 'O')]
('O', 2)
[('x', '<f4', (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))]
[('x', '<f4', (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))]
[('x', '<f4', (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))]
(('x', '<f4'), ('y', '<f4'))
{'names': ['x'], 'formats': ['<f4']}
[('\N{BULLET}', '<f4')]
[('\xe4', '<f4'), ('ä', '<f4')]
[(' ', '<f4')]
[('x', 'f4,f4')]
""".strip().splitlines()

# NumPy reads them; the command says what to write instead.
REFUSED = {
    "'4f'",
    "[('x', 'f4,f4')]",  # lists in strings
    r"[('\N{BULLET}', '<f4')]",  # needs Unicode's table of names
    "'S-1'", "'V-3'",  # NumPy 1 makes types of negative size of them
    "[]", "{}",  # elements without bytes, which have a rule of their own
}
# Those of another version of NumPy.
NEW = numpy.lib.NumpyVersion(numpy.__version__) >= "2.0.0"
OTHERS = {"'a'", "'a3'", "'float_'", "'complex_'", "'bool8'", "'M8[\N{GREEK SMALL LETTER MU}s]'"} if NEW else {"[('x', '<f4', (" + "1, " * 32 + "1))]"}


def make_header(text):
    dictionary = f"{{'descr': {text}, 'fortran_order': False, 'shape': ({ELEMENTS},), }}".encode("latin-1" if text.isascii() or "ä" in text else "utf-8")
    version = 1 if text.isascii() or "ä" in text else 3
    prologue = 10 if version == 1 else 12
    dictionary += b" " * (-(prologue + len(dictionary) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(dictionary).to_bytes(prologue - 8, "little") + dictionary


def width_by_numpy(header):
    """Bytes of an element; None where NumPy refuses the header, or the elements are no plain bytes."""
    file = io.BytesIO(header)
    npy.read_magic(file)
    try:
        read = npy.read_array_header_1_0 if header[6] == 1 else lambda it: npy._read_array_header(it, (3, 0))
        shape, fortran_order, dtype = read(file)
    except Exception:  # whatever NumPy raises: ValueError, TypeError, IndexError, TokenError
        return None
    assert shape == (ELEMENTS,) and not fortran_order
    if dtype.hasobject or dtype.itemsize == 0:
        return None
    try:  # what is no more than a dtype is no file yet
        npy.read_array(io.BytesIO(header + bytes(ELEMENTS * dtype.itemsize)))
    except Exception:
        return None
    return dtype.itemsize


def width_by_command(header, bytes_there, folder):
    """The same, by the sentence of --verbose, which has how many bytes there are in all; and what was said."""
    with open(os.path.join(folder, "src.npy"), "wb") as file:
        file.write(header + bytes(bytes_there))
    done = subprocess.run([CLMOVE, "tile", "src.npy", "dst.npy", "--repeats", "2", "--device", "host", "--verbose"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    said = done.stderr.decode()
    assert done.stdout == b"" and done.returncode in (0, 1), (done, header)
    if done.returncode == 1:
        assert said.startswith("clmove: src.npy: it") and said.count("\n") == 1, said
        return None, said
    width = int(re.search(r"^clmove: src.npy: .*, (\d+) bytes$", said, re.MULTILINE)[1]) // ELEMENTS
    with open(os.path.join(folder, "dst.npy"), "rb") as file:
        result = file.read()
    os.remove(os.path.join(folder, "dst.npy"))
    assert len(result) % 64 == 2 * ELEMENTS * width % 64, (len(result), said)
    if width_by_numpy(header) == width:
        assert width_by_numpy(result.replace(b"(6,)", b"(3,)")) == width, result[:256]  # the dtype is written as it was
    return width, said


def main():
    warnings.simplefilter("ignore")
    wrong = []
    read = refused = 0
    texts = [repr(code) for code in CODES] + TEXTS
    assert len(texts) > 300, len(texts)
    with tempfile.TemporaryDirectory() as folder:
        for text in texts:
            if text in OTHERS:
                continue
            header = make_header(text)
            width = width_by_numpy(header)
            if text in REFUSED or width == 0:
                width = None
            got, said = width_by_command(header, ELEMENTS * (width or 64), folder)
            if got != width:
                wrong.append(f"{text}: NumPy says {width}, clmove {got}: {said}")
            read += width is not None
            refused += width is None
    print(f"{read} dtypes are read as NumPy {numpy.__version__} reads them, and {refused} refused")
    assert not wrong, "\n" + "".join(wrong)
    assert read > 100 and refused > 100


main()
