/* The objects of the host executor, private to its files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_OBJECTS_H
#define CLMOVE_HOST_NATIVE_OBJECTS_H

#include "host/native/level.h"
#include "host/native/native.h"
#include "host/native/queue.h"

typedef struct clm_native {
    clm_executor base;
    uint32_t threads;
    const clm_level *level;
    /* The default queue. */
    clm_queue *queue;
} clm_native;

static inline clm_native *clm_native_of(clm_executor *executor) {
    return (clm_native *)executor;
}

static inline clm_queue *clm_native_queue(clm_executor *executor, const clm_submission *submission) {
    return submission && submission->queue ? submission->queue : clm_native_of(executor)->queue;
}

/* The first byte of memory. */
static inline unsigned char *clm_native_first(const clm_memory *memory) {
    return memory->host + memory->offset;
}

/* What a command holds so that memory stays. */
static inline clm_held *clm_native_hold(const clm_memory *memory) {
    return memory->object;
}

/* The functions of the executor's table that are about memory. */
CLM_CALL(memory_create) clm_native_create;
CLM_CALL(memory_wrap) clm_native_wrap;
CLM_CALL(memory_borrow) clm_native_borrow;
CLM_CALL(memory_part) clm_native_part;
CLM_CALL(memory_destroy) clm_native_destroy;
CLM_CALL(write) clm_native_write;
CLM_CALL(read) clm_native_read;
CLM_CALL(copy) clm_native_copy;
CLM_CALL(fill) clm_native_fill;
CLM_CALL(marker) clm_native_mark;
CLM_CALL(map) clm_native_map;
CLM_CALL(unmap) clm_native_unmap;

#endif
