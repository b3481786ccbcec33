/* Mapping buffers for the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/mapping.h"

#include "host/api/objects.h"

#include <stdlib.h>

/* What an empty piece is: its own address, so that it is told from all others when it is unmapped. */
static unsigned char nothing[1];

clmove_status clm_buffer_check_mapped(const clmove_buffer *buffer, clmove_access access, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool is_pinned = buffer->kind == CLMOVE_MEMORY_PINNED; /* which is mapped whole, for writing */
    for (const clm_mapping *it = buffer->mappings.first; it; it = it->next)
        REQUIRE(it->bytes == 0 || ((access | it->access) == CLMOVE_ACCESS_READ && !is_pinned), BAD_BUFFER,
                "the buffer to be %s is mapped: %zu of its %zu bytes from %zu on, which must be unmapped first",
                access == CLMOVE_ACCESS_READ ? "read" : "written", it->bytes, buffer->bytes, it->offset);
out:
    return status;
}

clmove_status clm_buffer_use(const clmove_buffer *buffer, clmove_access access, const clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    pthread_mutex_t *lock = &((clmove_buffer *)buffer)->mappings.lock;
    pthread_mutex_lock(lock);
    TRY(clm_buffer_check_mapped(buffer, access, error));
    if (buffer->memory)
        TRY(clm_opencl_memory_yield(buffer->memory, order, error));
out:
    pthread_mutex_unlock(lock);
    return status;
}

/* Whether a piece may be mapped beside those that are. */
static clmove_status check_beside(const clmove_buffer *buffer, const clm_mapping *wanted, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (const clm_mapping *it = buffer->mappings.first; it; it = it->next) {
        bool apart = !it->bytes || !wanted->bytes || it->offset + it->bytes <= wanted->offset ||
                     wanted->offset + wanted->bytes <= it->offset;
        REQUIRE(apart || (it->access | wanted->access) == CLMOVE_ACCESS_READ, BAD_BUFFER,
                "%zu bytes from %zu on are mapped already, and %zu from %zu on share some: only reading goes together", it->bytes,
                it->offset, wanted->bytes, wanted->offset);
    }
out:
    return status;
}

/* What is left of an order when nothing had to be enqueued for it. */
static clmove_status mark(const clmove_buffer *buffer, const clm_order *order, clmove_error *error) {
    return order ? clm_opencl_marker(buffer->device->opencl, order, error) : CLMOVE_OK;
}

/* The memory of a piece, ready for the host. */
static clmove_status get_memory(clmove_buffer *buffer, clm_mapping *wanted, const clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl_memory *memory = buffer->memory;
    bool staged_read = clm_is_staged(buffer) && wanted->access & CLMOVE_ACCESS_READ;
    bool stands = memory && clm_opencl_memory_standing(memory);
    if (wanted->bytes == 0) {
        wanted->memory = nothing;
        TRY(mark(buffer, order, error));
    } else if (buffer->host)
        wanted->memory = buffer->host + wanted->offset;
    else if (clm_is_staged(buffer)) {
        wanted->memory = buffer->wrapped + wanted->offset;
        if (staged_read && order)
            TRY(clm_opencl_memory_enqueue_read(memory, wanted->offset, wanted->memory, wanted->bytes, order, error));
        else if (staged_read)
            TRY(clm_opencl_memory_read(memory, wanted->offset, wanted->memory, wanted->bytes, NULL, error));
        else
            TRY(mark(buffer, order, error));
    } else if (buffer->kind == CLMOVE_MEMORY_PINNED) {
        TRY(stands ? mark(buffer, order, error) : clm_opencl_memory_stand(memory, order, error));
        wanted->memory = clm_opencl_memory_standing(memory) + wanted->offset;
    } else
        TRY(clm_opencl_memory_map(memory, wanted->access, wanted->offset, wanted->bytes, order, &wanted->memory, error));
out:
    return status;
}

/* Whether the driver knows of a piece that is mapped. */
static bool is_mapped_by_driver(const clmove_buffer *buffer, const clm_mapping *mapping) {
    return buffer->memory && mapping->bytes > 0 && !clm_is_staged(buffer) && buffer->kind != CLMOVE_MEMORY_PINNED;
}

clmove_status clm_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes, const clm_order *order,
                             void **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_mapping *mapping = NULL;
    REQUIRE(memory, INVALID_ARGUMENT, "memory is NULL");
    REQUIRE(access == CLMOVE_ACCESS_READ || access == CLMOVE_ACCESS_WRITE || access == CLMOVE_ACCESS_READ_WRITE, INVALID_ARGUMENT,
            "access is %d, it must be CLMOVE_ACCESS_READ, CLMOVE_ACCESS_WRITE or CLMOVE_ACCESS_READ_WRITE", (int)access);
    TRY(clm_buffer_check_range(buffer, offset, bytes, error));
    mapping = malloc(sizeof *mapping);
    REQUIRE(mapping, OUT_OF_MEMORY, "no memory to note what is mapped");
    *mapping = (clm_mapping){.offset = offset, .bytes = bytes, .access = access};
    pthread_mutex_lock(&buffer->mappings.lock);
    status = check_beside(buffer, mapping, error);
    if (status == CLMOVE_OK)
        status = get_memory(buffer, mapping, order, error);
    if (status == CLMOVE_OK) {
        mapping->next = buffer->mappings.first;
        buffer->mappings.first = mapping;
        *memory = mapping->memory;
        mapping = NULL;
    }
    pthread_mutex_unlock(&buffer->mappings.lock);
out:
    free(mapping);
    return status;
}

/* Gives a piece back to the device. */
static clmove_status give_back(clmove_buffer *buffer, const clm_mapping *mapping, const clm_order *order, clmove_error *error) {
    bool staged_write = clm_is_staged(buffer) && mapping->bytes > 0 && mapping->access & CLMOVE_ACCESS_WRITE;
    if (staged_write && order)
        return clm_opencl_memory_enqueue_write(buffer->memory, mapping->offset, mapping->memory, mapping->bytes, order, error);
    if (staged_write)
        return clm_opencl_memory_write(buffer->memory, mapping->offset, mapping->memory, mapping->bytes, NULL, error);
    if (is_mapped_by_driver(buffer, mapping))
        return clm_opencl_memory_unmap(buffer->memory, mapping->memory, order, error);
    return mark(buffer, order, error);
}

clmove_status clm_buffer_unmap(clmove_buffer *buffer, void *memory, const clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    pthread_mutex_lock(&buffer->mappings.lock);
    clm_mapping **at = &buffer->mappings.first;
    while (*at && (*at)->memory != memory)
        at = &(*at)->next;
    clm_mapping *mapping = *at;
    if (!mapping)
        status = clm_raise(error, CLMOVE_BAD_BUFFER, 0, "%p is no address that mapping this buffer gave", memory);
    else
        status = give_back(buffer, mapping, order, error);
    if (status == CLMOVE_OK) {
        *at = mapping->next;
        free(mapping);
    }
    pthread_mutex_unlock(&buffer->mappings.lock);
out:
    return status;
}

void clm_buffer_unmap_all(clmove_buffer *buffer) {
    while (buffer->mappings.first) {
        clm_mapping *mapping = buffer->mappings.first;
        buffer->mappings.first = mapping->next;
        if (is_mapped_by_driver(buffer, mapping))
            clm_opencl_memory_unmap(buffer->memory, mapping->memory, NULL, NULL);
        free(mapping);
    }
}

clmove_status clmove_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes, void **memory,
                                clmove_error *error) {
    return clm_buffer_map(buffer, access, offset, bytes, NULL, memory, error);
}

clmove_status clmove_buffer_unmap(clmove_buffer *buffer, void *memory, clmove_error *error) {
    return clm_buffer_unmap(buffer, memory, NULL, error);
}
