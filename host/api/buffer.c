/* Buffers: memory of a device, of three kinds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/objects.h"
#include "host/params.h"

#include <stdlib.h>

/* What a page is to everybody; host memory for transfers begins at one. */
#define PAGE 4096

clmove_status clm_buffer_create_bare(clmove_device *device, clmove_memory kind, size_t bytes, clmove_buffer **buffer,
                                     clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_buffer *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a buffer");
    pthread_mutex_init(&created->mappings.lock, NULL);
    clm_device_retain(device);
    created->device = device;
    created->kind = kind;
    created->bytes = bytes;
    *buffer = created;
out:
    return status;
}

/* Takes the memory of a buffer from the budget. */
static clmove_status take(clmove_buffer *buffer, size_t bytes, const char *what, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_budget_take(buffer->device, bytes, what, error));
    buffer->taken = bytes;
out:
    return status;
}

static clmove_status allocate_on_host(clmove_buffer *buffer, size_t alignment, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    void *memory = NULL;
    REQUIRE(posix_memalign(&memory, alignment, bytes) == 0 ||
                (clm_pools_trim(buffer->device) && posix_memalign(&memory, alignment, bytes) == 0),
            OUT_OF_MEMORY, "no memory for a buffer of %zu bytes", bytes);
    buffer->host = memory;
out:
    return status;
}

clmove_status clm_buffer_create(clmove_device *device, size_t bytes, size_t capacity, const char *what, clmove_buffer **buffer,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_buffer *created = NULL;
    size_t least = capacity ? capacity : 1; /* OpenCL has no empty buffers */
    TRY(clm_buffer_create_bare(device, CLMOVE_MEMORY_DEVICE, bytes, &created, error));
    TRY(take(created, least, what, error));
    if (device->opencl)
        TRY(clm_opencl_memory_create(device->opencl, least, &created->memory, error));
    else
        TRY(allocate_on_host(created, 64, least, error));
    *buffer = created;
    created = NULL;
out:
    clm_buffer_free(created);
    return status;
}

clmove_status clmove_buffer_create(clmove_device *device, size_t bytes, clmove_buffer **buffer, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    TRY(clm_buffer_create(device, bytes, bytes, "a buffer", buffer, error));
out:
    return status;
}

clmove_status clmove_buffer_create_pinned(clmove_device *device, size_t bytes, clmove_buffer **buffer, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_buffer *created = NULL;
    size_t least = bytes ? bytes : 1;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    TRY(clm_buffer_create_bare(device, CLMOVE_MEMORY_PINNED, bytes, &created, error));
    TRY(take(created, least, "a pinned buffer", error));
    if (device->opencl)
        TRY(clm_opencl_memory_create_pinned(device->opencl, least, &created->memory, error));
    else
        TRY(allocate_on_host(created, PAGE, least, error));
    *buffer = created;
    created = NULL;
out:
    clm_buffer_free(created);
    return status;
}

clmove_status clmove_buffer_wrap(clmove_device *device, void *memory, size_t bytes, clmove_buffer **buffer, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_buffer *created = NULL;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    REQUIRE(memory || bytes == 0, INVALID_ARGUMENT, "memory is NULL but bytes is %zu", bytes);
    TRY(clm_buffer_create_bare(device, CLMOVE_MEMORY_WRAPPED, bytes, &created, error));
    const clm_sharing sharing = clm_device_sharing(device);
    bool may_share = clm_is_shareable(&sharing, memory, bytes);
    created->wrapped = memory;
    if (!device->opencl)
        created->host = memory;
    else if (may_share)
        TRY(clm_opencl_memory_wrap(device->opencl, memory, bytes, &created->memory, error));
    created->zero_copy = may_share && (!device->opencl || created->memory);
    if (device->opencl && !created->memory) {
        size_t least = bytes ? bytes : 1;
        TRY(take(created, least, "a copy of the memory that is wrapped", error));
        TRY(clm_opencl_memory_create(device->opencl, least, &created->memory, error));
        if (bytes)
            TRY(clm_opencl_memory_write(created->memory, 0, memory, bytes, NULL, error));
    }
    *buffer = created;
    created = NULL;
out:
    clm_buffer_free(created);
    return status;
}

void clm_buffer_free(clmove_buffer *buffer) {
    if (!buffer)
        return;
    clm_buffer_unmap_all(buffer);
    clm_opencl_memory_destroy(buffer->memory);
    if (buffer->kind != CLMOVE_MEMORY_WRAPPED)
        free(buffer->host);
    clm_budget_give(buffer->device, buffer->taken);
    pthread_mutex_destroy(&buffer->mappings.lock);
    clm_device_release(buffer->device);
    free(buffer);
}

void clmove_buffer_destroy(clmove_buffer **buffer) {
    if (!buffer || !*buffer)
        return;
    if ((*buffer)->pool)
        clm_pool_put((*buffer)->pool, *buffer);
    else
        clm_buffer_free(*buffer);
    *buffer = NULL;
}

clmove_status clmove_buffer_get_info(const clmove_buffer *buffer, clmove_buffer_info *info, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_buffer_info, zero_copy);
    clmove_status status = CLMOVE_OK;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    TRY(clm_output_check(output, info, "info", error));
    const clmove_buffer_info now = {.bytes = buffer->bytes, .memory = buffer->kind, .zero_copy = buffer->zero_copy};
    clm_output_fill(output, info, &now);
out:
    return status;
}

static bool share(uintptr_t first, size_t first_bytes, uintptr_t second, size_t second_bytes) {
    return first < second ? second - first < first_bytes : first - second < second_bytes;
}

clmove_status clm_wrapped_check_apart(const clmove_buffer *src, size_t src_offset, size_t src_bytes, const clmove_buffer *dst,
                                      size_t dst_offset, size_t dst_bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (src->wrapped && dst->wrapped)
        REQUIRE(!share((uintptr_t)src->wrapped + src_offset, src_bytes, (uintptr_t)dst->wrapped + dst_offset, dst_bytes),
                BAD_BUFFER, "source and destination overlap: %zu and %zu bytes of the same host memory", src_bytes, dst_bytes);
out:
    return status;
}

clmove_status clm_buffers_check_apart(const clmove_buffer *src, size_t src_offset, size_t src_bytes, const clmove_buffer *dst,
                                      size_t dst_offset, size_t dst_bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_wrapped_check_apart(src, src_offset, src_bytes, dst, dst_offset, dst_bytes, error));
    if (src->memory)
        TRY(clm_memory_check_apart(src->memory, src_offset, src_bytes, dst->memory, dst_offset, dst_bytes, error));
    else
        REQUIRE(!share((uintptr_t)src->host + src_offset, src_bytes, (uintptr_t)dst->host + dst_offset, dst_bytes), BAD_BUFFER,
                "source and destination overlap: %zu bytes from %zu on, and %zu from %zu on", src_bytes, src_offset, dst_bytes,
                dst_offset);
out:
    return status;
}

clmove_status clm_buffer_check_range(const clmove_buffer *buffer, size_t offset, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    REQUIRE(offset <= buffer->bytes && bytes <= buffer->bytes - offset, BAD_BUFFER,
            "%zu bytes at offset %zu reach past the end of a buffer of %zu", bytes, offset, buffer->bytes);
out:
    return status;
}
