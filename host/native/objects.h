/* What stands behind the host executor, for its own files alone.
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
    clm_queue *queue; /* the default one */
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
clmove_status clm_native_create(clm_executor *executor, clm_memory_kind kind, size_t bytes, clm_memory *memory,
                                clmove_error *error);
clmove_status clm_native_wrap(clm_executor *executor, const clm_range *range, bool in_parts, clm_memory *memory, bool *is_free,
                              clmove_error *error);
clmove_status clm_native_borrow(clm_executor *executor, const clm_memory *given, clm_use use, const char *role,
                                clm_memory *memory, clmove_error *error);
clmove_status clm_native_part(const clm_memory *wrapped, size_t first, size_t bytes, clm_memory *made, clmove_error *error);
void clm_native_destroy(clm_memory *memory);
clmove_status clm_native_write(clm_memory *memory, size_t offset, const void *src, size_t bytes, const clm_submission *submission,
                               clm_span *span, clmove_error *error);
clmove_status clm_native_read(const clm_memory *memory, size_t offset, void *dst, size_t bytes, const clm_submission *submission,
                              clm_span *span, clmove_error *error);
clmove_status clm_native_copy(const clm_memory *src, size_t src_offset, clm_memory *dst, size_t dst_offset, size_t bytes,
                              clmove_error *error);
clmove_status clm_native_fill(clm_memory *memory, size_t offset, size_t bytes, const void *given, size_t pattern_bytes,
                              clmove_error *error);
clmove_status clm_native_mark(clm_executor *executor, const clm_submission *submission, clmove_error *error);
clmove_status clm_native_map(const clm_memory *memory, clmove_access access, size_t offset, size_t bytes,
                             const clm_submission *submission, void **mapped, clmove_error *error);
clmove_status clm_native_unmap(const clm_memory *memory, void *mapped, const clm_submission *submission, clmove_error *error);

#endif
