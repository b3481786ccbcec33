/* The blocks of two passes in chunks, each of which a device moves by two launches and a room in its cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_CHUNKS_H
#define CLMOVE_HOST_PLAN_CHUNKS_H

#include "host/plan/passes.h"

/* All chunks have as many blocks, or the last one along an axis has fewer. */
enum { CLM_WHOLE_CHUNK, CLM_LAST_CHUNK, CLM_KINDS_OF_CHUNKS };

typedef struct clm_chunks {
    int64_t count;
    /* The outer axes along which chunks follow each other, from the outside in. */
    int32_t rank;
    clm_axis axes[CLM_MAX_PLAN_AXES];
    /* The blocks of a chunk, and of the last one along the innermost of these axes if that has fewer, else of rank 0. */
    clm_block_set blocks[CLM_KINDS_OF_CHUNKS];
    /* Of the larger one. */
    int64_t bytes;
} clm_chunks;

/* Cuts the blocks of a launch plan into chunks of about so many bytes; of one block, if that has more. */
void clm_find_chunks(const clm_launch_plan *launch_plan, int64_t bytes, clm_chunks *chunks);

/* Where a chunk begins, in units beyond the launch plan's offsets, and its kind. */
int clm_find_chunk(const clm_chunks *chunks, int64_t number, int64_t *src, int64_t *dst);

#endif
