/* The conformance vectors: reading them from JSON, and their values as elements.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_VECTORS_H
#define CLMOVE_TESTS_VECTORS_H

#include "cases.h"

#include <jansson.h>

/* One vector: a case of one step, and what it must give. The strings belong to the JSON. */
typedef struct vector {
    const char *op, *name, *type;
    test_case moved;
    /* What the project says when it refuses; NULL when it does not. */
    const char *error;
    /* Whether this library's arguments can express it: repeats of type float or of rank 2 they cannot. */
    bool expressible;
    case_list out_dims;
    /* NULL in cases about shapes. */
    const json_t *in, *out;
} vector;

/* Reads a vector. False, with a reason, when the JSON holds anything that is not understood. */
bool vector_read(const json_t *json, vector *it, const char **reason);

/* Stores numbers as elements of a type, rounded to it (to nearest even for floats, towards zero for integers). False when a value
 * or the type is not understood. */
bool vector_store(const json_t *values, const char *type, uint8_t *memory);

/* Bits of an element of a type, 0 for an unknown one. */
uint32_t vector_type_bits(const char *type);

#endif
