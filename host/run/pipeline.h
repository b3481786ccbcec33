/* Pipelined runs through device memory. A pipeline has pinned host memory, device memory, and a queue each for upload, move and
 * download. Events connect the queues, so that the three overlap.
 *
 * A pipeline has slots for packed sources and slots for packed destinations. For each piece: fill a source slot (unless the slot
 * filled last is used again), send it, move from it to a destination slot, collect that slot. Pieces may be sent before earlier
 * ones are collected. A slot may be used again once all pieces that used it are collected. One thread may use a pipeline at a
 * time.
 *
 *     discrete:  slot memory is pinned, mapped once;    upload = write,  download = read
 *     shared:    slot memory is the device's own;       upload = unmap,  download = map
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_PIPELINE_H
#define CLMOVE_HOST_RUN_PIPELINE_H

#include "host/executor.h"

#define CLM_MAX_SLOTS 3

typedef struct clm_pipeline_shape {
    /* Of a slot, at least 1 */
    size_t src_bytes, dst_bytes;
    /* On each side, 1 to CLM_MAX_SLOTS */
    int32_t slots;
} clm_pipeline_shape;

enum { CLM_UPLOAD, CLM_MOVE, CLM_DOWNLOAD, CLM_STAGES };

/* One side of one slot. */
typedef struct clm_slot {
    clm_memory device;
    /* Of executors that do not share the host's memory */
    clm_memory pinned;
    /* Mapped; where memory is shared, only between fill and send, or collect and return */
    void *memory;
    /* An event: a source's was sent, a destination's was fetched */
    void *done;
    /* Where memory is shared: a destination was unmapped */
    void *free;
    /* Of a destination: its launches */
    clm_span moved;
} clm_slot;

typedef struct clm_pipeline {
    clm_executor *executor;
    clm_pipeline_shape shape;
    bool shared;
    /* In-order; one and the same where there is one slot */
    void *queues[CLM_STAGES];
    clm_slot src[CLM_MAX_SLOTS], dst[CLM_MAX_SLOTS];
    /* Of the stages by the device's clock, over all collected pieces */
    double seconds[CLM_STAGES];
} clm_pipeline;

/* The bytes of host and device memory that a pipeline of a shape takes. */
size_t clm_pipeline_bytes(const clm_executor *executor, const clm_pipeline_shape *shape);

clmove_status clm_pipeline_create(clm_executor *executor, const clm_pipeline_shape *shape, clm_pipeline **pipeline,
                                  clmove_error *error);

/* Waits for what is under way and destroys. NULL is accepted. */
void clm_pipeline_destroy(clm_pipeline *pipeline);

/* The memory of a source slot, to be filled. */
clmove_status clm_pipeline_fill(clm_pipeline *pipeline, int32_t src_slot, void **memory, clmove_error *error);

/* Sends the first bytes of a source slot that was filled to the device. */
clmove_status clm_pipeline_send(clm_pipeline *pipeline, int32_t src_slot, size_t bytes, clmove_error *error);

/* Moves from a source slot that was sent to a destination slot, and downloads the first bytes of that. May return before it is
 * done. */
clmove_status clm_pipeline_move(clm_pipeline *pipeline, clm_kernel *kernel, int32_t src_slot, int32_t dst_slot, size_t bytes,
                                clmove_error *error);

/* Waits for the download of a slot. *memory may be read until the slot is returned. */
clmove_status clm_pipeline_collect(clm_pipeline *pipeline, int32_t dst_slot, const void **memory, clmove_error *error);
clmove_status clm_pipeline_return(clm_pipeline *pipeline, int32_t dst_slot, clmove_error *error);

/* Writes the times of the stages since the last call to `info`. All are negative if the device was opened without profile. All
 * pieces must be collected. */
clmove_status clm_pipeline_take_times(clm_pipeline *pipeline, clmove_run_info *info, clmove_error *error);

#endif
