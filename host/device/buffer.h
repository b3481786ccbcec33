/* The struct of a buffer's handle.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_DEVICE_BUFFER_H
#define CLMOVE_HOST_DEVICE_BUFFER_H

#include "host/device/device.h"

#include <string.h>

/* A piece that is mapped. */
typedef struct clm_mapping {
    void *memory;
    size_t offset, bytes;
    clmove_access access;
    struct clm_mapping *next;
} clm_mapping;

/* The place of a buffer in its pool. */
typedef struct clm_pool_place {
    int32_t size_class;
    /* Counts what was put into the pool */
    uint64_t put_at;
    clmove_buffer *older, *newer;
} clm_pool_place;

struct clmove_buffer {
    clmove_device *device;
    size_t bytes;
    /* Of the device's first executor */
    clm_memory memory;
    /* The caller's memory, of a wrapped buffer */
    unsigned char *wrapped;
    clmove_memory kind;
    bool zero_copy;
    /* From the budget */
    size_t taken;
    /* Of the mappings, and of whether pinned memory is mapped */
    pthread_mutex_t lock;
    clm_mapping *mappings;
    /* Gets it by give_back when it is destroyed; NULL: none */
    clmove_pool *pool;
    void (*give_back)(clmove_pool *pool, clmove_buffer *buffer);
    clm_pool_place place;
};

/* What a clmove_view has: one of the first three, or no memory. */
typedef struct clm_view {
    clmove_buffer *buffer;
    /* cl_mem, of OpenCL */
    void *object;
    /* Shared virtual memory */
    void *svm;
    /* Bytes from its first byte on */
    size_t offset;
} clm_view;
_Static_assert(sizeof(clm_view) <= sizeof(clmove_view), "a view has too little room");

static inline clmove_view clm_view_store(clm_view it) {
    clmove_view view = {{0}};
    memcpy(&view, &it, sizeof it);
    return view;
}
static inline clm_view clm_view_load(const clmove_view *view) {
    clm_view it;
    memcpy(&it, view, sizeof it);
    return it;
}

/* Makes a buffer of so many bytes on memory of `capacity` bytes, which is not wrapped. what: as for clm_budget_take. Raises
 * INVALID_ARGUMENT for NULL. */
clmove_status clm_buffer_create(clmove_device *device, clmove_memory kind, size_t bytes, size_t capacity, const char *what,
                                clmove_buffer **buffer, clmove_error *error);

/* Makes a buffer without memory. */
clmove_status clm_buffer_create_bare(clmove_device *device, clmove_memory kind, size_t bytes, clmove_buffer **buffer,
                                     clmove_error *error);

/* Unmaps all ranges of a buffer that is destroyed. What the host wrote there is lost. */
void clm_buffer_unmap_all(clmove_buffer *buffer);

/* Destroys a buffer, past its pool. NULL is accepted. */
void clm_buffer_free(clmove_buffer *buffer);

/* Whether a buffer is a copy of the caller's memory. */
static inline bool clm_is_staged(const clmove_buffer *buffer) {
    return buffer->kind == CLMOVE_MEMORY_WRAPPED && !buffer->zero_copy;
}

static inline void clm_buffer_lock(const clmove_buffer *buffer) {
    pthread_mutex_lock(&((clmove_buffer *)buffer)->lock);
}
static inline void clm_buffer_unlock(const clmove_buffer *buffer) {
    pthread_mutex_unlock(&((clmove_buffer *)buffer)->lock);
}

/* The functions of the buffer's executor. */
static inline const clm_executor_calls *clm_buffer_calls(const clmove_buffer *buffer) {
    return clm_device_executor(buffer->device)->calls;
}

/* Whether the executor mapped a piece. */
static inline bool clm_is_mapped_by_executor(const clmove_buffer *buffer, const clm_mapping *mapping) {
    return mapping->bytes > 0 && !clm_is_staged(buffer) && buffer->kind != CLMOVE_MEMORY_PINNED;
}

/* Maps pinned memory for the host again. submission: as for map. The lock is the caller's. */
clmove_status clm_buffer_map_pinned(clmove_buffer *buffer, const clm_submission *submission, clmove_error *error);

/* Raises BAD_BUFFER when two pieces of buffers of one device share memory. Neither is empty. */
clmove_status clm_buffers_check_apart(const clmove_buffer *src, size_t src_offset, size_t src_bytes, const clmove_buffer *dst,
                                      size_t dst_offset, size_t dst_bytes, clmove_error *error);

/* Raises INVALID_ARGUMENT for NULL, and BAD_BUFFER for a range past the end. */
clmove_status clm_buffer_check_range(const clmove_buffer *buffer, size_t offset, size_t bytes, clmove_error *error);

/* Makes a buffer ready for a command that uses its memory: checks what is mapped, and unmaps pinned memory. submission: the
 * command's, or NULL. */
clmove_status clm_buffer_use(const clmove_buffer *buffer, clmove_access access, const clm_submission *submission,
                             clmove_error *error);

/* Writes or reads a buffer, as access says: clmove_buffer_write and clmove_buffer_read without a submission, else their relatives
 * of clmove/enqueue.h. span: NULL, or where to put the event. It is not written if no command was needed. */
clmove_status clm_buffer_transfer(clmove_buffer *buffer, clmove_access access, size_t offset, void *host, size_t bytes,
                                  const clm_submission *submission, clm_span *span, clmove_error *error);

/* clmove_buffer_map and clmove_buffer_unmap. submission NULL: the call waits until the range is mapped. Else it has an event, and
 * the range is mapped when the event is complete. */
clmove_status clm_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes,
                             const clm_submission *submission, void **memory, clmove_error *error);
clmove_status clm_buffer_unmap(clmove_buffer *buffer, void *memory, const clm_submission *submission, clmove_error *error);

#endif
