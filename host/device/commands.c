/* Commands on buffers: mapping them for the host, writing, reading, filling and copying them.
 *
 * Pinned memory that is mapped is reached without a command. Then the buffer's lock is held meanwhile, so that no other thread
 * gives it to the device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/device/buffer.h"
#include "host/repeat.h"

#include <stdlib.h>
#include <string.h>

/* ---- mapping ---- */

/* The memory of an empty piece: an address of its own, so that unmapping finds it. */
static unsigned char nothing[1];

/* Raises BAD_BUFFER if a command or a copy by the host may not access the buffer, since ranges are mapped. Reading is allowed if
 * all of them are mapped for reading; other accesses are not. The lock is held. */
static clmove_status check_mapped(const clmove_buffer *buffer, clmove_access access, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool is_pinned = buffer->kind == CLMOVE_MEMORY_PINNED; /* which is mapped whole, for writing */
    for (const clm_mapping *it = buffer->mappings; it; it = it->next)
        REQUIRE(it->bytes == 0 || ((access | it->access) == CLMOVE_ACCESS_READ && !is_pinned), BAD_BUFFER,
                "the buffer to be %s is mapped: %zu of its %zu bytes from %zu on, which must be unmapped first",
                access == CLMOVE_ACCESS_READ ? "read" : "written", it->bytes, buffer->bytes, it->offset);
out:
    return status;
}

/* Unmaps pinned memory for the device. If the queue is out of order, this waits until it is unmapped. */
static clmove_status unmap_pinned(clmove_buffer *buffer, const clm_submission *submission, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executor = clm_device_executor(buffer->device);
    void *done = NULL, *mapped = buffer->memory.mapped;
    bool wait = submission && submission->out_of_order;
    const clm_submission before = {.queue = submission ? submission->queue : NULL, .event = wait ? &done : NULL};
    TRY(executor->calls->unmap(&buffer->memory, mapped, &before, error));
    buffer->memory.mapped = NULL;
    if (wait)
        TRY(executor->calls->event_wait(executor, done, error));
out:
    if (done)
        executor->calls->event_release(executor, done);
    return status;
}

clmove_status clm_buffer_use(const clmove_buffer *buffer, clmove_access access, const clm_submission *submission,
                             clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_buffer_lock(buffer);
    TRY(check_mapped(buffer, access, error));
    if (buffer->kind == CLMOVE_MEMORY_PINNED && buffer->memory.mapped)
        TRY(unmap_pinned((clmove_buffer *)buffer, submission, error));
out:
    clm_buffer_unlock(buffer);
    return status;
}

/* Whether a piece may be mapped at the same time as the mapped ones. */
static clmove_status check_beside(const clmove_buffer *buffer, const clm_mapping *wanted, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (const clm_mapping *it = buffer->mappings; it; it = it->next) {
        bool apart = !it->bytes || !wanted->bytes || it->offset + it->bytes <= wanted->offset ||
                     wanted->offset + wanted->bytes <= it->offset;
        REQUIRE(apart || (it->access | wanted->access) == CLMOVE_ACCESS_READ, BAD_BUFFER,
                "%zu bytes from %zu on are mapped already, and %zu from %zu on share some: only reading goes together", it->bytes,
                it->offset, wanted->bytes, wanted->offset);
    }
out:
    return status;
}

/* Completes a submission for which no command was needed. */
static clmove_status mark(const clmove_buffer *buffer, const clm_submission *submission, clmove_error *error) {
    clm_executor *executor = clm_device_executor(buffer->device);
    return submission ? executor->calls->marker(executor, submission, error) : CLMOVE_OK;
}

/* Makes the memory of a piece ready for the host. */
static clmove_status get_memory(clmove_buffer *buffer, clm_mapping *wanted, const clm_submission *submission,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_executor_calls *calls = clm_buffer_calls(buffer);
    if (wanted->bytes == 0) {
        wanted->memory = nothing;
        TRY(mark(buffer, submission, error));
    } else if (clm_is_staged(buffer)) {
        wanted->memory = buffer->wrapped + wanted->offset;
        if (wanted->access & CLMOVE_ACCESS_READ)
            TRY(calls->read(&buffer->memory, wanted->offset, wanted->memory, wanted->bytes, submission, NULL, error));
        else
            TRY(mark(buffer, submission, error));
    } else if (buffer->kind == CLMOVE_MEMORY_PINNED) {
        TRY(buffer->memory.mapped ? mark(buffer, submission, error) : clm_buffer_map_pinned(buffer, submission, error));
        wanted->memory = buffer->memory.mapped + wanted->offset;
    } else
        TRY(calls->map(&buffer->memory, wanted->access, wanted->offset, wanted->bytes, submission, &wanted->memory, error));
out:
    return status;
}

clmove_status clm_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes,
                             const clm_submission *submission, void **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_mapping *mapping = NULL;
    REQUIRE(memory, INVALID_ARGUMENT, "memory is NULL");
    REQUIRE(access == CLMOVE_ACCESS_READ || access == CLMOVE_ACCESS_WRITE || access == CLMOVE_ACCESS_READ_WRITE, INVALID_ARGUMENT,
            "access is %d, it must be CLMOVE_ACCESS_READ, CLMOVE_ACCESS_WRITE or CLMOVE_ACCESS_READ_WRITE", (int)access);
    TRY(clm_buffer_check_range(buffer, offset, bytes, error));
    mapping = malloc(sizeof *mapping);
    REQUIRE(mapping, OUT_OF_MEMORY, "no memory to note what is mapped");
    *mapping = (clm_mapping){.offset = offset, .bytes = bytes, .access = access};
    clm_buffer_lock(buffer);
    status = check_beside(buffer, mapping, error);
    if (status == CLMOVE_OK)
        status = get_memory(buffer, mapping, submission, error);
    if (status == CLMOVE_OK) {
        mapping->next = buffer->mappings;
        buffer->mappings = mapping;
        *memory = mapping->memory;
        mapping = NULL;
    }
    clm_buffer_unlock(buffer);
out:
    free(mapping);
    return status;
}

/* Makes a piece ready for the device. */
static clmove_status give_back(clmove_buffer *buffer, const clm_mapping *mapping, const clm_submission *submission,
                               clmove_error *error) {
    const clm_executor_calls *calls = clm_buffer_calls(buffer);
    if (clm_is_staged(buffer) && mapping->bytes > 0 && mapping->access & CLMOVE_ACCESS_WRITE)
        return calls->write(&buffer->memory, mapping->offset, mapping->memory, mapping->bytes, submission, NULL, error);
    if (clm_is_mapped_by_executor(buffer, mapping))
        return calls->unmap(&buffer->memory, mapping->memory, submission, error);
    return mark(buffer, submission, error);
}

clmove_status clm_buffer_unmap(clmove_buffer *buffer, void *memory, const clm_submission *submission, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    clm_buffer_lock(buffer);
    clm_mapping **at = &buffer->mappings;
    while (*at && (*at)->memory != memory)
        at = &(*at)->next;
    clm_mapping *mapping = *at;
    if (!mapping)
        status = clm_raise(error, CLMOVE_BAD_BUFFER, 0, "%p is no address that mapping this buffer gave", memory);
    else
        status = give_back(buffer, mapping, submission, error);
    if (status == CLMOVE_OK) {
        *at = mapping->next;
        free(mapping);
    }
    clm_buffer_unlock(buffer);
out:
    return status;
}

clmove_status clmove_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes, void **memory,
                                clmove_error *error) {
    return clm_buffer_map(buffer, access, offset, bytes, NULL, memory, error);
}

clmove_status clmove_buffer_unmap(clmove_buffer *buffer, void *memory, clmove_error *error) {
    return clm_buffer_unmap(buffer, memory, NULL, error);
}

/* ---- transfers ---- */

/* Finds the bytes of a buffer, if the host can access them without a command, after checking what is mapped. The buffer is then
 * locked. If the host cannot, *on_host is NULL and the buffer is not locked. */
static clmove_status enter(const clmove_buffer *buffer, clmove_access access, unsigned char **on_host, clmove_error *error) {
    clm_buffer_lock(buffer);
    clmove_status status = check_mapped(buffer, access, error);
    *on_host = status == CLMOVE_OK ? buffer->memory.mapped : NULL;
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
        TRY(mark(buffer, submission, error));
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
    TRY(check_mapped(src, CLMOVE_ACCESS_READ, error));
    TRY(check_mapped(dst, CLMOVE_ACCESS_WRITE, error));
    const unsigned char *from = src->memory.mapped;
    unsigned char *to = dst->memory.mapped;
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
