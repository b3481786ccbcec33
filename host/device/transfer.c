/* Writing, reading, filling and copying buffers.
 *
 * Pinned memory that is mapped is reached without a command. Then the buffer's lock is held meanwhile, so that no other thread
 * gives it to the device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/device/mapping.h"
#include "host/repeat.h"

#include <string.h>

/* The bytes of a buffer, if the host can access them without a command; else NULL. The lock is the caller's. */
static unsigned char *host_bytes(const clmove_buffer *buffer) {
    return buffer->memory.mapped ? buffer->memory.mapped + buffer->memory.offset : NULL;
}

/* Finds the bytes of a buffer, if the host can access them without a command, after checking what is mapped. The buffer is then
 * locked. If the host cannot, *on_host is NULL and the buffer is not locked. */
static clmove_status enter(const clmove_buffer *buffer, clmove_access access, unsigned char **on_host, clmove_error *error) {
    clm_buffer_lock(buffer);
    clmove_status status = clm_buffer_check_mapped(buffer, access, error);
    *on_host = status == CLMOVE_OK ? host_bytes(buffer) : NULL;
    if (!*on_host)
        clm_buffer_unlock(buffer);
    return status;
}

clmove_status clm_buffer_transfer(clmove_buffer *buffer, clmove_access access, size_t offset, void *host, size_t bytes,
                                  const clm_submission *submission, clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const bool writes = access == CLMOVE_ACCESS_WRITE;
    unsigned char *on_host = NULL;
    TRY(clm_buffer_check_range(buffer, offset, bytes, error));
    REQUIRE(host || bytes == 0, INVALID_ARGUMENT, "%s is NULL but bytes is %zu", writes ? "src" : "dst", bytes);
    if (submission)
        TRY(clm_buffer_use(buffer, access, submission, error));
    else if (bytes > 0)
        TRY(enter(buffer, access, &on_host, error));
    if (on_host) {
        memcpy(writes ? on_host + offset : host, writes ? host : on_host + offset, bytes);
        clm_buffer_unlock(buffer);
    } else if (bytes == 0)
        TRY(clm_buffer_mark(buffer, submission, error));
    else if (writes)
        TRY(clm_buffer_calls(buffer)->write(&buffer->memory, offset, host, bytes, submission, span, error));
    else
        TRY(clm_buffer_calls(buffer)->read(&buffer->memory, offset, host, bytes, submission, span, error));
out:
    return status;
}

clmove_status clmove_buffer_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes, clmove_error *error) {
    return clm_buffer_transfer(buffer, CLMOVE_ACCESS_WRITE, offset, (void *)src, bytes, NULL, NULL, error);
}

clmove_status clmove_buffer_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_error *error) {
    return clm_buffer_transfer(buffer, CLMOVE_ACCESS_READ, offset, dst, bytes, NULL, NULL, error);
}

clmove_status clmove_buffer_fill(clmove_buffer *buffer, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    unsigned char *on_host = NULL;
    TRY(clm_buffer_check_range(buffer, offset, bytes, error));
    REQUIRE(pattern, INVALID_ARGUMENT, "pattern is NULL");
    REQUIRE(pattern_bytes > 0, INVALID_ARGUMENT, "pattern_bytes is 0, a pattern has at least one byte");
    REQUIRE(bytes % pattern_bytes == 0, INVALID_ARGUMENT, "bytes is %zu, not a multiple of the pattern's %zu bytes", bytes,
            pattern_bytes);
    if (bytes == 0)
        goto out;
    TRY(enter(buffer, CLMOVE_ACCESS_WRITE, &on_host, error));
    if (on_host) {
        clm_repeat(on_host + offset, bytes, pattern, pattern_bytes);
        clm_buffer_unlock(buffer);
    } else
        TRY(clm_buffer_calls(buffer)->fill(&buffer->memory, offset, bytes, pattern, pattern_bytes, error));
out:
    return status;
}

/* All threads lock two buffers in the order of their addresses. */
static void lock_both(const clmove_buffer *a, const clmove_buffer *b) {
    const clmove_buffer *first = (uintptr_t)a < (uintptr_t)b ? a : b, *second = first == a ? b : a;
    clm_buffer_lock(first);
    if (second != first)
        clm_buffer_lock(second);
}

static void unlock_both(const clmove_buffer *a, const clmove_buffer *b) {
    clm_buffer_unlock(a);
    if (b != a)
        clm_buffer_unlock(b);
}

/* Both are locked. A transfer is fast if one side is mapped pinned memory. */
static clmove_status copy(const clmove_buffer *src, size_t src_offset, clmove_buffer *dst, size_t dst_offset, size_t bytes,
                          clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_buffer_check_mapped(src, CLMOVE_ACCESS_READ, error));
    TRY(clm_buffer_check_mapped(dst, CLMOVE_ACCESS_WRITE, error));
    const unsigned char *from = host_bytes(src);
    unsigned char *to = host_bytes(dst);
    if (from && to)
        memcpy(to + dst_offset, from + src_offset, bytes);
    else if (from)
        TRY(clm_buffer_calls(dst)->write(&dst->memory, dst_offset, from + src_offset, bytes, NULL, NULL, error));
    else if (to)
        TRY(clm_buffer_calls(src)->read(&src->memory, src_offset, to + dst_offset, bytes, NULL, NULL, error));
    else
        TRY(clm_buffer_calls(src)->copy(&src->memory, src_offset, &dst->memory, dst_offset, bytes, error));
out:
    return status;
}

clmove_status clmove_buffer_copy(const clmove_buffer *src, size_t src_offset, clmove_buffer *dst, size_t dst_offset, size_t bytes,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(src, INVALID_ARGUMENT, "src is NULL");
    REQUIRE(dst, INVALID_ARGUMENT, "dst is NULL");
    REQUIRE(src->device == dst->device, BAD_BUFFER, "source and destination are buffers of different devices");
    TRY(clm_buffer_check_range(src, src_offset, bytes, error));
    TRY(clm_buffer_check_range(dst, dst_offset, bytes, error));
    if (bytes == 0)
        goto out;
    TRY(clm_buffers_check_apart(src, src_offset, bytes, dst, dst_offset, bytes, error));
    lock_both(src, dst);
    status = copy(src, src_offset, dst, dst_offset, bytes, error);
    unlock_both(src, dst);
out:
    return status;
}
