/* Structs that callers give and structs that are filled for them: those of older and of newer versions too. Each begins with its
 * struct_size. A field that is added later stands where the struct ended, never in its padding.
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

/* A struct to fill: its name, its size in this version, and where its last field ended in the first version of this ABI. */
typedef struct clm_output {
    const char *name;
    size_t size, first;
} clm_output;

/* Initialises a clm_output. last: the last field of the first version. */
#define CLM_OUTPUT(type, last)                                                                                                   \
    { .name = #type, .size = sizeof(type), .first = offsetof(type, last) + sizeof((type *)NULL)->last }

/* Checks that a struct can be filled, before the work whose result it takes. Raises INVALID_ARGUMENT for NULL, with what it is,
 * and for a struct_size that is none; 0 is one. */
clmove_status clm_output_check(clm_output it, const void *given, const char *what, clmove_error *error);

/* Fills a struct that was checked as far as it has room; 0 has the room of the first version. Its struct_size and what this
 * version does not know stay as they are. known: of this version. */
void clm_output_fill(clm_output it, void *given, const void *known);

/* Checks an array of such structs: *stride is the struct_size of the first. Raises INVALID_ARGUMENT for one that is none, 0 too,
 * since that does not say where the second is; not for an array of no structs. */
clmove_status clm_outputs_check(clm_output it, const void *given, size_t capacity, size_t *stride, clmove_error *error);

/* Fills one of an array that was checked, its struct_size too. */
void clm_outputs_fill(clm_output it, void *given, size_t stride, size_t index, const void *known);

#endif
