/* A buffer of each kind in turn, with noise in it, for what all kinds have to do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_API_SUBJECT_H
#define CLMOVE_TESTS_API_SUBJECT_H

#include "test_api.h"

#define BYTES 8192 /* of each: enough for alignments and odd places */

typedef enum kind { DEVICE, PINNED, ZERO_COPY, STAGED, POOLED, KINDS } kind;

typedef struct subject {
    kind which;
    clmove_device *on;
    clmove_buffer *buffer;
    clmove_pool *pool;
    /* The memory, and what is wrapped in it. */
    unsigned char *memory, *wrapped;
    /* What the buffer holds. */
    unsigned char expected[BYTES];
} subject;

/* On a device of its own. */
subject subject_begin(kind which, uint32_t seed);

/* Fails unless the buffer holds what is expected, read in both ways. */
void subject_check(subject *it);

/* Destroys all; fails unless nothing of the budget is used any more. */
void subject_end(subject *it);

#endif
