/* Reading structs of the caller's and filling structs for the caller, also those of older and newer versions. Each begins with
 * its struct_size. A field that is added later begins where the struct ended, never in its padding. clmove.h has the contract.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PARAMS_H
#define CLMOVE_HOST_PARAMS_H

#include "host/error.h"

#include <stddef.h>

/* Copies the caller's struct into one of this version, of `size` bytes. Fields that an older version lacks become 0, the default.
 * given NULL: all defaults. Raises INVALID_ARGUMENT, with the struct's name, for an impossible struct_size, and for an unknown
 * field that is not 0. */
clmove_status clm_params_read(const char *name, const void *given, void *known, size_t size, clmove_error *error);

/* A struct to fill: its name, its size in this version, and the end of its last field in the first version of this ABI. */
typedef struct clm_output {
    const char *name;
    size_t size, first;
} clm_output;

/* Initialises a clm_output. last: the last field of the first version. */
#define CLM_OUTPUT(type, last)                                                                                                   \
    { .name = #type, .size = sizeof(type), .first = offsetof(type, last) + sizeof((type *)NULL)->last }

/* Checks that a struct can be filled, before the work whose result it takes. what: its name, for sentences. Raises
 * INVALID_ARGUMENT for NULL, and for an impossible struct_size; 0 is possible. */
clmove_status clm_output_check(clm_output it, const void *given, const char *what, clmove_error *error);

/* Fills a checked struct as far as it has room; a struct_size of 0 has the room of the first version. Its struct_size and the
 * fields that this version does not know stay as they are. known: the struct of this version. */
void clm_output_fill(clm_output it, void *given, const void *known);

/* Checks an array of such structs. what: its name, for sentences. *stride is the struct_size of the first. Raises
 * INVALID_ARGUMENT for a negative capacity, for NULL unless it is 0, for an impossible struct_size, and for a struct_size of 0,
 * which does not determine the place of the second. */
clmove_status clm_outputs_check(clm_output it, const void *given, const char *what, int64_t capacity, size_t *stride,
                                clmove_error *error);

/* Fills one struct of a checked array, and its struct_size. */
void clm_outputs_fill(clm_output it, void *given, size_t stride, size_t index, const void *known);

#endif
