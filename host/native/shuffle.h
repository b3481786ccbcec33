/* The table of a launch plan that shuffles: for each vector of the destination some steps, each of which looks bytes up in one or
 * more windows of the source.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_SHUFFLE_H
#define CLMOVE_HOST_NATIVE_SHUFFLE_H

#include "host/plan/shuffle.h"

/* What a lookup says where a byte is not in the window. */
#define CLM_NO_BYTE 0x80

/* Bytes that are made before their lines are written. */
#define CLM_SHUFFLED_AT_ONCE 1024

/* A table. */
typedef struct clm_shuffle {
    clm_shuffled of;
    /* Bytes of a vector and of each of its windows. There is a window for each so many bytes of the vector, or one of all. */
    int32_t vector, window;
    /* The vectors of the blocks; the last may be shorter. None if the source of the blocks is shorter than a window. */
    int32_t vectors;
    /* Vectors are made in parts of CLM_SHUFFLED_AT_ONCE bytes, and within a part those of few steps first. Vector i of the table
     * is vector order[i] of the part, and has so many steps. */
    int32_t *steps, *order;
    /* The windows of each step: their places; and, if it is one, which bytes of the vector it has, a bit each. */
    int32_t *places;
    uint64_t *masks;
    /* A vector for each step: which byte of its window each byte is. */
    unsigned char *lookups;
} clm_shuffle;

/* Makes a table for vectors of so many bytes, and windows of 16 bytes or, where that takes less, of window bytes. NULL: there is
 * no memory. */
clm_shuffle *clm_shuffle_create(const clm_launch_plan *launch_plan, int32_t vector, int32_t window);

/* Accepts NULL. */
void clm_shuffle_destroy(clm_shuffle *shuffle);

#endif
