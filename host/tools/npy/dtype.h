/* One string of a .npy header's dtype, as numpy.dtype reads it: a code such as '<f4', '?' or '<M8[ns]', or a name such as
 * 'float32'.
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
    uint32_t bytes; /* at most NPY_MOST_BYTES */
    uint32_t unit;  /* of 'S', 'U' and 'V' without a size, which may come beside them: the bytes of one; else 0 */
    bool is_void, is_subarray;
} npy_dtype;

/* Takes the string. False: literal_fail was told why. */
bool npy_dtype_read(literal *text, npy_dtype *type);

/* Tells literal_fail that elements have more than NPY_MOST_BYTES. Returns false. */
bool npy_dtype_too_large(literal *text);

#endif
