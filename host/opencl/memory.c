/* Device memory: making it, and copying and filling it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/checked.h"
#include "host/opencl/objects.h"
#include "host/pages.h"
#include "host/repeat.h"

#include <stdlib.h>
#include <string.h>

/* The first piece of a fill that OpenCL cannot do. It is written and then copied; it is large enough that few copies remain. */
#define FILL_BLOCK ((size_t)1 << 16)

/* A driver of a device that works on the host's memory may allocate it in the first command that uses a buffer. If there is none
 * then, as in a process of 32 bits or below a limit, POCL 3.1 aborts. Memory that the host can access is allocated at once, or
 * refused. GPUs do not use it, since it may be slower. */
static cl_mem_flags taken_at_once(const clm_opencl *opencl) {
    return opencl->base.info.type == CLMOVE_DEVICE_CPU && opencl->base.sharing.shares ? CL_MEM_ALLOC_HOST_PTR : 0;
}

/* Memory that the host shares is the driver's own allocation, and mapping tells where it is: by a queue of clmove's, since the
 * caller's may wait for the caller. What fails changes nothing. */
static void ask_for_huge_pages(const clm_memory *memory) {
    clm_opencl *opencl = clm_opencl_of(memory->executor);
    clm_spare *queue = NULL;
    void *mapped;
    if (memory->bytes < CLM_HUGE_LEAST)
        return;
    if (clm_queue_take(opencl, &queue, NULL) == CLMOVE_OK) {
        const clm_submission own = {.queue = queue->object};
        if (clm_mapped_map(memory, CLMOVE_ACCESS_WRITE, 0, memory->bytes, &own, &mapped, NULL) == CLMOVE_OK) {
            clm_ask_for_huge_pages(mapped, memory->bytes);
            if (clm_mapped_unmap(memory, mapped, &own, NULL) == CLMOVE_OK)
                (void)clm_opencl_finish(memory->executor, queue->object, NULL);
        }
    }
    clm_spare_put(&opencl->lock, &opencl->queues, queue);
}

clmove_status clm_memory_create(clm_executor *executor, clm_memory_kind kind, size_t bytes, clm_memory *memory,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl *opencl = clm_opencl_of(executor);
    cl_mem_flags flags = kind == CLM_MEMORY_PINNED ? CL_MEM_ALLOC_HOST_PTR : taken_at_once(opencl);
    cl_mem mem;
    TRY(clm_memory_check_size(opencl, bytes, error));
    TRY(clm_buffer_object_create(opencl, CL_MEM_READ_WRITE | flags, bytes, NULL, &mem, error));
    *memory = (clm_memory){.executor = executor, .object = mem, .bytes = bytes};
    if (taken_at_once(opencl))
        ask_for_huge_pages(memory);
out:
    return status;
}

void clm_memory_destroy(clm_memory *memory) {
    if (!memory->executor)
        return;
    const clm_opencl *opencl = clm_opencl_of(memory->executor);
    if (memory->window)
        clm_window_close(memory->window);
    else if (memory->object)
        opencl->driver->clReleaseMemObject(memory->object);
    *memory = (clm_memory){0};
}

/* Where to put the event of a command: for the span, for the submission, or nowhere (NULL). */
static cl_event *event_of(const clm_submission *submission, clm_span *span, cl_event *event) {
    return span ? event : clm_event_of(submission);
}

clmove_status clm_memory_write(clm_memory *memory, size_t offset, const void *src, size_t bytes, const clm_submission *submission,
                               clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(memory->executor);
    cl_event event = NULL;
    CL_TRY_WITH_ROOM(opencl, clEnqueueWriteBuffer, clm_queue_of(opencl, submission), memory->object,
                     submission ? CL_FALSE : CL_TRUE, memory->offset + offset, bytes, src, clm_waits_of(submission),
                     clm_wait_list_of(submission), event_of(submission, span, &event));
    if (span)
        *span = (clm_span){event, event};
out:
    return status;
}

clmove_status clm_memory_read(const clm_memory *memory, size_t offset, void *dst, size_t bytes, const clm_submission *submission,
                              clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(memory->executor);
    cl_event event = NULL;
    CL_TRY(opencl->driver, clEnqueueReadBuffer, clm_queue_of(opencl, submission), memory->object, submission ? CL_FALSE : CL_TRUE,
           memory->offset + offset, bytes, dst, clm_waits_of(submission), clm_wait_list_of(submission),
           event_of(submission, span, &event));
    if (span)
        *span = (clm_span){event, event};
out:
    return status;
}

clmove_status clm_memory_copy(const clm_memory *src, size_t src_offset, clm_memory *dst, size_t dst_offset, size_t bytes,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(dst->executor);
    CL_TRY_WITH_ROOM(opencl, clEnqueueCopyBuffer, opencl->queue, src->object, dst->object, src->offset + src_offset,
                     dst->offset + dst_offset, bytes, 0, NULL, NULL);
    CL_TRY(opencl->driver, clFlush, opencl->queue);
out:
    return status;
}

/* Whether clEnqueueFillBuffer accepts a fill and does it right: Apple's did not (clEsperanto/CLIc issue 213, futhark 1708). */
static bool opencl_fills(const clm_memory *memory, size_t offset, size_t pattern_bytes) {
    bool is_power = (pattern_bytes & (pattern_bytes - 1)) == 0;
    return is_power && pattern_bytes <= 128 && (memory->offset + offset) % pattern_bytes == 0 &&
           strcmp(memory->executor->info.platform, "Apple") != 0;
}

clmove_status clm_memory_fill(clm_memory *memory, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(memory->executor);
    unsigned char *block = NULL;
    if (opencl_fills(memory, offset, pattern_bytes)) {
        CL_TRY_WITH_ROOM(opencl, clEnqueueFillBuffer, opencl->queue, memory->object, pattern, pattern_bytes,
                         memory->offset + offset, bytes, 0, NULL, NULL);
        CL_TRY(opencl->driver, clFlush, opencl->queue);
        goto out;
    }
    size_t filled = pattern_bytes < FILL_BLOCK ? FILL_BLOCK / pattern_bytes * pattern_bytes : pattern_bytes;
    filled = filled < bytes ? filled : bytes;
    block = malloc(filled);
    REQUIRE(block, OUT_OF_MEMORY, "no memory for %zu bytes of pattern", filled);
    clm_repeat(block, filled, pattern, pattern_bytes);
    TRY(clm_memory_write(memory, offset, block, filled, NULL, NULL, error));
    while (filled < bytes) {
        size_t more = filled < bytes - filled ? filled : bytes - filled;
        TRY(clm_memory_copy(memory, offset, memory, offset + filled, more, error));
        filled += more;
    }
out:
    free(block);
    return status;
}

/* The place of memory in the outermost cl_mem, and its address in the process (host), or NULL if that is not known. */
typedef struct place {
    cl_mem root;
    size_t offset;
    const unsigned char *host;
} place;

/* The place of memory from an offset on. */
static clmove_status find_place(const clm_memory *memory, size_t offset, place *found, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = clm_opencl_of(memory->executor)->driver;
    *found = (place){.root = memory->object, .offset = memory->offset + offset};
    if (memory->svm) {
        found->host = (const unsigned char *)memory->svm + offset;
        goto out;
    }
    cl_mem parent = NULL;
    void *host = NULL;
    CL_TRY(driver, clGetMemObjectInfo, memory->object, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    CL_TRY(driver, clGetMemObjectInfo, memory->object, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
    if (host) /* for a sub-buffer it is the address of the sub-buffer */
        found->host = (const unsigned char *)host + memory->offset + offset;
    if (parent) {
        size_t origin = 0;
        CL_TRY(driver, clGetMemObjectInfo, memory->object, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
        found->root = parent;
        found->offset += origin;
    }
out:
    return status;
}

clmove_status clm_memory_check_apart(const clm_memory *src, size_t src_offset, size_t src_bytes, const clm_memory *dst,
                                     size_t dst_offset, size_t dst_bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    place from, to;
    if (src_bytes == 0 || dst_bytes == 0)
        goto out;
    TRY(find_place(src, src_offset, &from, error));
    TRY(find_place(dst, dst_offset, &to, error));
    bool apart = from.offset + src_bytes <= to.offset || to.offset + dst_bytes <= from.offset;
    REQUIRE(!from.root || from.root != to.root || apart, BAD_BUFFER,
            "source and destination overlap: %zu bytes at %zu and %zu bytes at %zu of one cl_mem", src_bytes, from.offset,
            dst_bytes, to.offset);
    REQUIRE(!from.host || !to.host || !clm_overlap(from.host, src_bytes, to.host, dst_bytes), BAD_BUFFER,
            "source and destination overlap: %zu and %zu bytes of the same host memory", src_bytes, dst_bytes);
out:
    return status;
}
