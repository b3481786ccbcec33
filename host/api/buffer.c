/* Buffers: memory of a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/objects.h"

#include <stdlib.h>
#include <string.h>

clmove_status clmove_buffer_create(clmove_device *device, size_t bytes, clmove_buffer **buffer, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_buffer *created = NULL;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a buffer");
    created->bytes = bytes;
    size_t least = bytes ? bytes : 1; /* OpenCL has no empty buffers */
    TRY(clm_budget_take(device, least, "a buffer", error));
    created->taken = least;
    if (device->opencl)
        TRY(clm_opencl_memory_create(device->opencl, least, &created->memory, error));
    else {
        void *memory = NULL;
        REQUIRE(posix_memalign(&memory, 64, least) == 0, OUT_OF_MEMORY, "no memory for a buffer of %zu bytes", bytes);
        created->host = memory;
    }
    clm_device_retain(device);
    created->device = device;
    *buffer = created;
    created = NULL;
out:
    if (created)
        clm_budget_give(device, created->taken);
    free(created);
    return status;
}

void clmove_buffer_destroy(clmove_buffer **buffer) {
    if (!buffer || !*buffer)
        return;
    clm_opencl_memory_destroy((*buffer)->memory);
    free((*buffer)->host);
    clm_budget_give((*buffer)->device, (*buffer)->taken);
    clm_device_release((*buffer)->device);
    free(*buffer);
    *buffer = NULL;
}

clmove_status clm_buffer_check_range(const clmove_buffer *buffer, size_t offset, const void *host, size_t bytes,
                                     clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    REQUIRE(host || bytes == 0, INVALID_ARGUMENT, "the host memory is NULL but bytes is %zu", bytes);
    REQUIRE(offset <= buffer->bytes && bytes <= buffer->bytes - offset, BAD_BUFFER,
            "%zu bytes at offset %zu reach past the end of a buffer of %zu", bytes, offset, buffer->bytes);
out:
    return status;
}

clmove_status clmove_buffer_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_buffer_check_range(buffer, offset, src, bytes, error));
    if (bytes == 0)
        goto out;
    if (buffer->memory)
        TRY(clm_opencl_memory_write(buffer->memory, offset, src, bytes, error));
    else
        memcpy(buffer->host + offset, src, bytes);
out:
    return status;
}

clmove_status clmove_buffer_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_buffer_check_range(buffer, offset, dst, bytes, error));
    if (bytes == 0)
        goto out;
    if (buffer->memory)
        TRY(clm_opencl_memory_read(buffer->memory, offset, dst, bytes, error));
    else
        memcpy(dst, buffer->host + offset, bytes);
out:
    return status;
}
