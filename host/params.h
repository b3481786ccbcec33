/* Structs of parameters that callers give: those of older and of newer versions too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PARAMS_H
#define CLMOVE_HOST_PARAMS_H

#include "host/error.h"

#include <stddef.h>

/* Copies a struct that begins with its struct_size into one of this version, of `size` bytes: what an older version lacks is 0,
 * the default, and what a newer one has more must be 0. given NULL: all defaults. Raises INVALID_ARGUMENT, with the struct's
 * name, for a size that is none, and for a field that is not known and not 0. */
clmove_status clm_params_read(const char *name, const void *given, void *known, size_t size, clmove_error *error);

#endif
