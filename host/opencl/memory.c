/* Device memory: making it, and the commands that move it about.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The first piece of a fill that OpenCL does not do, which is written and then copied on: large enough that what remains are few
 * commands. */
#define FILL_BLOCK ((size_t)1 << 16)

static bool is_shortage(cl_int code) {
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
}

clmove_status clm_buffer_object_create(clm_opencl *opencl, cl_mem_flags flags, size_t bytes, void *host, cl_mem *mem,
                                       clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_int code;
    *mem = opencl->driver->clCreateBuffer(opencl->context, flags, bytes, host, &code);
    if (!*mem && is_shortage(code) && clm_opencl_let_go(opencl))
        *mem = opencl->driver->clCreateBuffer(opencl->context, flags, bytes, host, &code);
    if (!*mem)
        status = clm_raise_opencl(error, code, "clCreateBuffer");
    return status;
}

/* Some drivers, POCL among them, take more than they said and fail, or abort, when the memory is used. */
static clmove_status check_size(const clm_opencl *opencl, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(bytes <= opencl->info.max_alloc_bytes || opencl->info.max_alloc_bytes == 0, OUT_OF_MEMORY,
            "%zu bytes in one buffer: %s allows %" PRIu64, bytes, opencl->info.name, opencl->info.max_alloc_bytes);
out:
    return status;
}

/* Where a device works on the host's memory, its driver may take that with the first command that uses a buffer, and POCL (3.1)
 * aborts if there is none then: where addresses run out, as in a process of 32 bits, or below a limit. Asked for memory that the
 * host can reach, drivers take it at once, or say that there is none. Not on GPUs: there it may be slower memory. */
static cl_mem_flags taken_at_once(const clm_opencl *opencl) {
    return clm_is_cpu_like(opencl) && opencl->sharing.shares ? CL_MEM_ALLOC_HOST_PTR : 0;
}

static clmove_status create(clm_opencl *opencl, cl_mem_flags flags, size_t bytes, clm_opencl_memory **memory,
                            clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl_memory *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a buffer");
    TRY(check_size(opencl, bytes, error));
    created->opencl = opencl;
    created->bytes = bytes;
    TRY(clm_buffer_object_create(opencl, CL_MEM_READ_WRITE | taken_at_once(opencl) | flags, bytes, NULL, &created->mem, error));
    *memory = created;
    created = NULL;
out:
    free(created);
    return status;
}

clmove_status clm_opencl_memory_create(clm_opencl *opencl, size_t bytes, clm_opencl_memory **memory, clmove_error *error) {
    return create(opencl, 0, bytes, memory, error);
}

clmove_status clm_opencl_memory_create_pinned(clm_opencl *opencl, size_t bytes, clm_opencl_memory **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl_memory *created = NULL;
    TRY(create(opencl, CL_MEM_ALLOC_HOST_PTR, bytes, &created, error));
    TRY(clm_opencl_memory_stand(created, NULL, error));
    *memory = created;
    created = NULL;
out:
    clm_opencl_memory_destroy(created);
    return status;
}

clmove_status clm_opencl_memory_wrap(clm_opencl *opencl, void *host, size_t bytes, clm_opencl_memory **memory,
                                     clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_range range = {.first = host, .bytes = bytes, .writes = true};
    clm_window *window = NULL;
    clm_opencl_memory *created = NULL;
    TRY(check_size(opencl, bytes, error));
    TRY(clm_window_open(opencl, &range, false, &window, error));
    if (window) {
        created = malloc(sizeof *created);
        REQUIRE(created, OUT_OF_MEMORY, "no memory for a buffer");
        *created = clm_window_memory(window);
        created->window = window;
        window = NULL;
    }
    *memory = created;
out:
    clm_window_close(window);
    return status;
}

size_t clm_opencl_memory_begin(const clm_opencl_memory *memory) {
    return memory->svm ? (size_t)(uintptr_t)memory->svm : (size_t)(uintptr_t)memory->host | memory->offset;
}

void clm_opencl_memory_destroy(clm_opencl_memory *memory) {
    if (!memory)
        return;
    clm_opencl_memory_yield(memory, NULL, NULL);
    if (memory->window) {
        clm_opencl_finish(memory->opencl, NULL);
        clm_window_close(memory->window);
    } else
        memory->opencl->driver->clReleaseMemObject(memory->mem);
    free(memory);
}

static void put_span(clm_opencl_span *span, cl_event event) {
    if (span)
        *span = (clm_opencl_span){event, event};
}

clmove_status clm_opencl_memory_write(clm_opencl_memory *memory, size_t offset, const void *src, size_t bytes,
                                      clm_opencl_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_event event = NULL;
    CL_TRY_WITH_ROOM(memory->opencl, clEnqueueWriteBuffer, memory->opencl->queue, memory->mem, CL_TRUE, memory->offset + offset,
                     bytes, src, 0, NULL, span ? &event : NULL);
    put_span(span, event);
out:
    return status;
}

clmove_status clm_opencl_memory_read(clm_opencl_memory *memory, size_t offset, void *dst, size_t bytes, clm_opencl_span *span,
                                     clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_event event = NULL;
    CL_TRY(memory->opencl->driver, clEnqueueReadBuffer, memory->opencl->queue, memory->mem, CL_TRUE, memory->offset + offset,
           bytes, dst, 0, NULL, span ? &event : NULL);
    put_span(span, event);
out:
    return status;
}

clmove_status clm_opencl_memory_copy(const clm_opencl_memory *src, size_t src_offset, clm_opencl_memory *dst, size_t dst_offset,
                                     size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = dst->opencl;
    CL_TRY_WITH_ROOM(opencl, clEnqueueCopyBuffer, opencl->queue, src->mem, dst->mem, src->offset + src_offset,
                     dst->offset + dst_offset, bytes, 0, NULL, NULL);
    CL_TRY(opencl->driver, clFlush, opencl->queue);
out:
    return status;
}

/* Whether clEnqueueFillBuffer takes a fill, and does it right: Apple's did not (clEsperanto/CLIc issue 213, futhark 1708). */
static bool opencl_fills(const clm_opencl_memory *memory, size_t offset, size_t bytes, size_t pattern_bytes) {
    bool is_power = (pattern_bytes & (pattern_bytes - 1)) == 0;
    return is_power && pattern_bytes <= 128 && (memory->offset + offset) % pattern_bytes == 0 && bytes % pattern_bytes == 0 &&
           strcmp(memory->opencl->info.platform, "Apple") != 0;
}

clmove_status clm_opencl_memory_fill(clm_opencl_memory *memory, size_t offset, size_t bytes, const void *pattern,
                                     size_t pattern_bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = memory->opencl;
    unsigned char *block = NULL;
    if (opencl_fills(memory, offset, bytes, pattern_bytes)) {
        CL_TRY_WITH_ROOM(opencl, clEnqueueFillBuffer, opencl->queue, memory->mem, pattern, pattern_bytes, memory->offset + offset,
                         bytes, 0, NULL, NULL);
        CL_TRY(opencl->driver, clFlush, opencl->queue);
        goto out;
    }
    size_t filled = pattern_bytes < FILL_BLOCK ? FILL_BLOCK / pattern_bytes * pattern_bytes : pattern_bytes;
    filled = filled < bytes ? filled : bytes;
    block = malloc(filled);
    REQUIRE(block, OUT_OF_MEMORY, "no memory for %zu bytes of pattern", filled);
    for (size_t i = 0; i < filled; i += pattern_bytes)
        memcpy(block + i, pattern, pattern_bytes);
    TRY(clm_opencl_memory_write(memory, offset, block, filled, NULL, error));
    while (filled < bytes) {
        size_t more = filled < bytes - filled ? filled : bytes - filled;
        TRY(clm_opencl_memory_copy(memory, offset, memory, offset + filled, more, error));
        filled += more;
    }
out:
    free(block);
    return status;
}
