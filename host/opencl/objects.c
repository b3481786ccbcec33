/* Making queues and buffers, keeping queues for later, and waiting for a queue.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- buffers ---- */

clmove_status clm_buffer_object_create(clm_opencl *opencl, cl_mem_flags flags, size_t bytes, void *host, cl_mem *mem,
                                       clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_int code;
    *mem = opencl->driver->clCreateBuffer(opencl->context, flags, bytes, host, &code);
    bool is_short = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
    if (!*mem && is_short && clm_opencl_reclaim(opencl))
        *mem = opencl->driver->clCreateBuffer(opencl->context, flags, bytes, host, &code);
    if (!*mem)
        status = clm_raise_opencl(error, code, "clCreateBuffer");
    return status;
}

/* Some drivers, POCL among them, accept larger sizes than they report, and fail or abort when the memory is used. */
clmove_status clm_memory_check_size(const clm_opencl *opencl, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(bytes <= opencl->base.info.max_alloc_bytes || opencl->base.info.max_alloc_bytes == 0, OUT_OF_MEMORY,
            "%zu bytes in one buffer: %s allows %" PRIu64, bytes, opencl->base.info.name, opencl->base.info.max_alloc_bytes);
out:
    return status;
}

/* ---- queues ---- */

clmove_status clm_queue_make(clm_executor *executor, void **queue, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(executor);
    cl_int code;
    *queue = opencl->driver->clCreateCommandQueue(opencl->context, opencl->device,
                                                  executor->profiles ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    if (!*queue)
        status = clm_raise_opencl(error, code, "clCreateCommandQueue");
    return status;
}

clmove_status clm_spare_take(pthread_mutex_t *lock, clm_spare **list, clm_spare **taken, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    pthread_mutex_lock(lock);
    clm_spare *first = *list;
    if (first)
        *list = first->next;
    pthread_mutex_unlock(lock);
    if (!first)
        first = calloc(1, sizeof *first);
    REQUIRE(first, OUT_OF_MEMORY, "no memory for a kernel or a queue");
    *taken = first;
out:
    return status;
}

void clm_spare_put(pthread_mutex_t *lock, clm_spare **list, clm_spare *spare) {
    if (!spare)
        return;
    pthread_mutex_lock(lock);
    spare->next = *list;
    *list = spare;
    pthread_mutex_unlock(lock);
}

clmove_status clm_queue_take(clm_opencl *opencl, clm_spare **taken, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_spare_take(&opencl->lock, &opencl->queues, taken, error));
    if (!(*taken)->object)
        TRY(clm_queue_make(&opencl->base, &(*taken)->object, error));
out:
    return status;
}

clmove_status clm_opencl_finish(clm_executor *executor, void *queue, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(executor);
    const cl_command_queue used = queue ? queue : opencl->queue;
    cl_event done = NULL;
    if (opencl->finish_is_early) {
        CL_TRY(opencl->driver, clEnqueueMarkerWithWaitList, used, 0, NULL, &done);
        CL_TRY(opencl->driver, clWaitForEvents, 1, &done);
    } else
        CL_TRY(opencl->driver, clFinish, used);
out:
    if (done)
        opencl->driver->clReleaseEvent(done);
    return status;
}
