/* How many bytes an element of a .npy dtype has. Only the width is read, since moving needs no types.
 *
 * Not read are NumPy's lists in a string ('f4,i4', '3f4'), which it never writes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_NPY_DTYPE_H
#define CLMOVE_HOST_TOOLS_NPY_DTYPE_H

#include "host/tools/npy/literal.h"

enum { NPY_MOST_BYTES = UINT32_MAX / 8 };

typedef struct npy_dtype {
    /* At most NPY_MOST_BYTES. */
    uint32_t bytes;
    /* For 'S', 'U' and 'V' without a size, which may come beside them: the bytes of one. Else 0. */
    uint32_t unit;
    bool is_void, is_subarray;
} npy_dtype;

/* Takes the value of 'descr': a string, a list of fields, or a (descr, shape) pair. *bytes is at least 1 and at most
 * NPY_MOST_BYTES, so that it can be counted in bits by a uint32_t. Here and below: false: literal_fail was told why. */
bool npy_descr_bytes(literal *text, uint32_t *bytes);

/* Takes one string, as numpy.dtype reads it: a code such as '<f4', '?' or '<M8[ns]', or a name such as 'float32'. */
bool npy_dtype_read(literal *text, npy_dtype *type);

/* Tells literal_fail that elements have more than NPY_MOST_BYTES. Returns false. */
bool npy_dtype_too_large(literal *text);

#endif
