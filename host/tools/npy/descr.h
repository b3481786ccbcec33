/* How many bytes an element of a .npy dtype has. What they mean is of no interest: moving needs widths, not types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_NPY_DESCR_H
#define CLMOVE_HOST_TOOLS_NPY_DESCR_H

#include "host/tools/npy/literal.h"

/* Takes the value of 'descr': a code such as '<f4', a list of fields, or a (descr, shape) pair. *bytes is at least 1 and small
 * enough that it can be counted in bits by a uint32_t. */
bool npy_descr_bytes(literal *text, uint32_t *bytes);

#endif
