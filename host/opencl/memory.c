/* Device memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

#include <inttypes.h>
#include <stdlib.h>

clmove_status clm_opencl_memory_create(clm_opencl *opencl, size_t bytes, clm_opencl_memory **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_int code;
    clm_opencl_memory *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a buffer");
    /* Some drivers, POCL among them, take more than they said and fail, or abort, when the memory is used. */
    REQUIRE(bytes <= opencl->info.max_alloc_bytes || opencl->info.max_alloc_bytes == 0, OUT_OF_MEMORY,
            "%zu bytes in one buffer: %s allows %" PRIu64, bytes, opencl->info.name, opencl->info.max_alloc_bytes);
    created->opencl = opencl;
    created->bytes = bytes;
    created->mem = opencl->driver->clCreateBuffer(opencl->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!created->mem) {
        status = clm_raise_opencl(error, code, "clCreateBuffer");
        goto out;
    }
    *memory = created;
    created = NULL;
out:
    free(created);
    return status;
}

size_t clm_opencl_memory_begin(const clm_opencl_memory *memory) {
    return memory->svm ? (size_t)(uintptr_t)memory->svm : memory->offset;
}

void clm_opencl_memory_destroy(clm_opencl_memory *memory) {
    if (!memory)
        return;
    memory->opencl->driver->clReleaseMemObject(memory->mem);
    free(memory);
}

clmove_status clm_opencl_memory_write(clm_opencl_memory *memory, size_t offset, const void *src, size_t bytes,
                                      clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    CL_TRY(memory->opencl->driver, clEnqueueWriteBuffer, memory->opencl->queue, memory->mem, CL_TRUE, memory->offset + offset,
           bytes, src, 0, NULL, NULL);
out:
    return status;
}

clmove_status clm_opencl_memory_read(clm_opencl_memory *memory, size_t offset, void *dst, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    CL_TRY(memory->opencl->driver, clEnqueueReadBuffer, memory->opencl->queue, memory->mem, CL_TRUE, memory->offset + offset,
           bytes, dst, 0, NULL, NULL);
out:
    return status;
}
