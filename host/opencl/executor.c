/* The table of the OpenCL executor, its events, and its end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

#include <stdlib.h>

static void queue_destroy(clm_executor *executor, void *queue) {
    clm_opencl_of(executor)->driver->clReleaseCommandQueue(queue);
}

static clmove_status flush(clm_executor *executor, void *queue, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(executor);
    CL_TRY(opencl->driver, clFlush, queue ? queue : opencl->queue);
out:
    return status;
}

static clmove_status event_wait(clm_executor *executor, void *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const cl_event waited = event;
    CL_TRY(clm_opencl_of(executor)->driver, clWaitForEvents, 1, &waited);
out:
    return status;
}

static clmove_status event_is_complete(clm_executor *executor, void *event, bool *complete, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_int state = CL_QUEUED;
    CL_TRY(clm_opencl_of(executor)->driver, clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (state < 0)
        status = clm_raise_opencl(error, state, "the work of an event");
    else
        *complete = state == CL_COMPLETE;
out:
    return status;
}

static void event_release(clm_executor *executor, void *event) {
    clm_opencl_of(executor)->driver->clReleaseEvent(event);
}

static clmove_status span_seconds(clm_executor *executor, const clm_span *span, double *seconds, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = clm_opencl_of(executor)->driver;
    cl_ulong start = 0, end = 0;
    *seconds = -1;
    if (executor->profiles && span->first) {
        CL_TRY(driver, clGetEventProfilingInfo, span->first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
        CL_TRY(driver, clGetEventProfilingInfo, span->last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        *seconds = end > start ? (double)(end - start) * 1e-9 : 0;
    }
out:
    return status;
}

static clmove_status marker(clm_executor *executor, const clm_submission *submission, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(executor);
    if (clm_event_of(submission))
        CL_TRY(opencl->driver, clEnqueueMarkerWithWaitList, clm_queue_of(opencl, submission), submission->waits,
               clm_wait_list_of(submission), clm_event_of(submission));
out:
    return status;
}

static void count_programs(clm_executor *executor, int64_t *built, int64_t *loaded) {
    *built = (int64_t)atomic_load(&clm_opencl_of(executor)->programs_built);
    *loaded = (int64_t)atomic_load(&clm_opencl_of(executor)->programs_loaded);
}

void clm_opencl_close(clm_executor *executor) {
    clm_opencl *opencl = clm_opencl_of(executor);
    const clm_driver *driver = opencl->driver;
    if (opencl->queue && opencl->queue != opencl->given) {
        clm_opencl_finish(executor, opencl->queue, NULL);
        driver->clReleaseCommandQueue(opencl->queue);
    }
    if (opencl->given)
        driver->clReleaseCommandQueue(opencl->given);
    clm_programs_release(opencl);
    while (opencl->queues) {
        clm_spare *spare = opencl->queues;
        opencl->queues = spare->next;
        if (spare->object) {
            clm_opencl_finish(executor, spare->object, NULL);
            driver->clReleaseCommandQueue(spare->object);
        }
        free(spare);
    }
    free(opencl->probe_memory);
    if (opencl->context)
        driver->clReleaseContext(opencl->context);
    if (opencl->device_is_callers)
        driver->clReleaseDevice(opencl->device);
    pthread_cond_destroy(&opencl->settled);
    pthread_mutex_destroy(&opencl->lock);
    free(opencl);
}

const clm_executor_calls clm_opencl_calls = {
    .kind = CLMOVE_EXECUTOR_OPENCL,
    .close = clm_opencl_close,
    .queue_borrow = clm_foreign_queue,
    .queue_create = clm_queue_make,
    .queue_destroy = queue_destroy,
    .flush = flush,
    .finish = clm_opencl_finish,
    .event_wait = event_wait,
    .event_is_complete = event_is_complete,
    .event_release = event_release,
    .span_seconds = span_seconds,
    .marker = marker,
    .kernel_create = clm_kernel_create,
    .kernel_destroy = clm_kernel_destroy,
    .submit = clm_kernel_submit,
    .try = clm_launch_try,
    .verdict = clm_launch_verdict,
    .judge = clm_launch_judge,
    .count_programs = count_programs,
    .memory_create = clm_memory_create,
    .memory_wrap = clm_window_wrap,
    .memory_borrow = clm_foreign_memory,
    .memory_part = clm_window_part,
    .memory_destroy = clm_memory_destroy,
    .write = clm_memory_write,
    .read = clm_memory_read,
    .fill = clm_memory_fill,
    .copy = clm_memory_copy,
    .map = clm_mapped_map,
    .unmap = clm_mapped_unmap,
    .check_apart = clm_memory_check_apart,
    .lend = clm_mapped_lend,
};
