/* A chain of operators computed from its definition: each step by the oracle, on the whole result of the step before.
 *
 * Shapes and elements are those of oracle.h. Every step must be legal for the shape that it meets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_ORACLE_CHAIN_H
#define CLMOVE_TESTS_ORACLE_CHAIN_H

#include <clmove/clmove.h>

typedef enum oracle_operator {
    /* Values: repeats. */
    ORACLE_TILE,
    /* Values: tiles, axis. */
    ORACLE_TILE_AXIS,
    /* Values: the block size. */
    ORACLE_SPACE_TO_DEPTH,
    /* Values: the block size. */
    ORACLE_DEPTH_TO_SPACE,
    /* Values: the order. */
    ORACLE_PERMUTE,
    /* Values: the new shape, of which one entry may be -1. */
    ORACLE_RESHAPE,
    /* Values: the shape to broadcast to. */
    ORACLE_EXPAND,
} oracle_operator;

typedef struct oracle_step {
    oracle_operator what;
    /* For the two operators with a block size. */
    clmove_mode mode;
    int32_t count;
    /* As said above each operator. */
    int64_t values[CLMOVE_MAX_RANK];
} oracle_step;

typedef struct oracle_shape {
    int32_t rank;
    int64_t dims[CLMOVE_MAX_RANK];
} oracle_shape;

/* The number of elements, and the bytes that they take, rounded up. */
int64_t oracle_elements(const oracle_shape *shape);
int64_t oracle_bytes(uint32_t element_bits, const oracle_shape *shape);

/* The shape of a step's result. */
oracle_shape oracle_shape_after(const oracle_shape *before, const oracle_step *step);

/* Computes count steps, the results between them in arrays of its own. No step copies. False: out of memory. */
bool oracle_chain(uint32_t element_bits, const oracle_shape *shape, int32_t count, const oracle_step *steps, const void *src,
                  void *dst);

#endif
