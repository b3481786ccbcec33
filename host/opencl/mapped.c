/* Mapping device memory for the host. The pointer is the driver's. The device sees what the host wrote through it after
 * unmapping.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

/* Shared virtual memory is always mapped and unmapped with an event, and mapping it always waits. Without an event POCL 6.0 does
 * neither; unmapping then returns CL_SUCCESS and no event. */
clmove_status clm_mapped_map(const clm_memory *memory, clmove_access access, size_t offset, size_t bytes,
                             const clm_submission *submission, void **mapped, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(memory->executor);
    const cl_command_queue queue = clm_queue_of(opencl, submission);
    const cl_map_flags flags = access == CLMOVE_ACCESS_READ    ? CL_MAP_READ
                               : access == CLMOVE_ACCESS_WRITE ? CL_MAP_WRITE_INVALIDATE_REGION
                                                               : CL_MAP_READ | CL_MAP_WRITE;
    cl_event *event = clm_event_of(submission), done;
    cl_int code = CL_SUCCESS;
    clm_window *window;
    if (memory->svm) {
        CL_TRY(opencl->driver, clEnqueueSVMMap, queue, CL_TRUE, flags, memory->svm, bytes, clm_waits_of(submission),
               clm_wait_list_of(submission), &done);
        opencl->driver->clReleaseEvent(done);
        *mapped = memory->svm;
        goto out;
    }
    TRY(clm_window_prepare(memory, bytes, &window, error));
    void *at =
        opencl->driver->clEnqueueMapBuffer(queue, memory->object, event ? CL_FALSE : CL_TRUE, flags, memory->offset + offset,
                                           bytes, clm_waits_of(submission), clm_wait_list_of(submission), event, &code);
    clm_window_note(window, at);
    if (at)
        *mapped = at;
    else
        status = clm_raise_opencl(error, code, "clEnqueueMapBuffer");
out:
    return status;
}

clmove_status clm_mapped_unmap(const clm_memory *memory, void *mapped, const clm_submission *submission, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(memory->executor);
    const cl_command_queue queue = clm_queue_of(opencl, submission);
    cl_event *event = clm_event_of(submission), done;
    if (memory->svm) {
        CL_TRY(opencl->driver, clEnqueueSVMUnmap, queue, mapped, clm_waits_of(submission), clm_wait_list_of(submission), &done);
        if (event)
            *event = done;
        else
            opencl->driver->clReleaseEvent(done);
        goto out;
    }
    CL_TRY(opencl->driver, clEnqueueUnmapMemObject, queue, memory->object, mapped, clm_waits_of(submission),
           clm_wait_list_of(submission), event);
    clm_window_forget(memory, mapped); /* not of what is mapped still because this failed */
out:
    return status;
}

clmove_status clm_mapped_lend(const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                              void (*move)(void *user, const void *src, void *dst), void *user, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(src->executor);
    const clm_submission used = submission ? *submission : (clm_submission){0};
    const clm_submission mapping = {.queue = used.queue, .waits = used.waits, .wait_list = used.wait_list};
    void *from = NULL, *to = NULL; /* NULL: not mapped */
    void *src_done = NULL;         /* an event */
    clm_submission unmapping = {.queue = used.queue, .event = used.out_of_order ? &src_done : NULL};
    TRY(clm_mapped_map(src, CLMOVE_ACCESS_READ, 0, src->bytes, &mapping, &from, error));
    TRY(clm_mapped_map(dst, CLMOVE_ACCESS_READ_WRITE, 0, dst->bytes, &mapping, &to, error));
    move(user, from, to);
    TRY(clm_mapped_unmap(src, from, &unmapping, error));
    from = NULL;
    unmapping = (clm_submission){
        .queue = used.queue, .waits = src_done ? 1 : 0, .wait_list = src_done ? &src_done : NULL, .event = used.event};
    TRY(clm_mapped_unmap(dst, to, &unmapping, error));
    to = NULL;
    if (!submission)
        CL_TRY(opencl->driver, clFlush, opencl->queue);
out:
    if (from)
        clm_mapped_unmap(src, from, &(clm_submission){.queue = used.queue}, NULL);
    if (to)
        clm_mapped_unmap(dst, to, &(clm_submission){.queue = used.queue}, NULL);
    if (src_done)
        opencl->driver->clReleaseEvent(src_done);
    return status;
}
