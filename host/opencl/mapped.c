/* Mapping device memory for the host. The pointer is the driver's. The device sees what the host wrote through it after
 * unmapping.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

/* Maps. event: where to put the event; NULL: waits until it is mapped. */
static clmove_status map_piece(const clm_memory *memory, cl_map_flags flags, size_t offset, size_t bytes,
                               const clm_submission *submission, cl_event *event, void **at, clmove_error *error) {
    const clm_opencl *opencl = clm_opencl_of(memory->executor);
    cl_int code = CL_SUCCESS;
    void *mapped = opencl->driver->clEnqueueMapBuffer(clm_queue_of(opencl, submission), memory->object,
                                                      event ? CL_FALSE : CL_TRUE, flags, memory->offset + offset, bytes,
                                                      clm_waits_of(submission), clm_wait_list_of(submission), event, &code);
    if (!mapped)
        return clm_raise_opencl(error, code, "clEnqueueMapBuffer");
    *at = mapped;
    return CLMOVE_OK;
}

clmove_status clm_mapped_map(const clm_memory *memory, clmove_access access, size_t offset, size_t bytes,
                             const clm_submission *submission, void **mapped, clmove_error *error) {
    cl_map_flags flags = access == CLMOVE_ACCESS_READ    ? CL_MAP_READ
                         : access == CLMOVE_ACCESS_WRITE ? CL_MAP_WRITE_INVALIDATE_REGION
                                                         : CL_MAP_READ | CL_MAP_WRITE;
    return map_piece(memory, flags, offset, bytes, submission, submission ? (cl_event *)submission->event : NULL, mapped, error);
}

clmove_status clm_mapped_unmap(const clm_memory *memory, void *mapped, const clm_submission *submission, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(memory->executor);
    CL_TRY(opencl->driver, clEnqueueUnmapMemObject, clm_queue_of(opencl, submission), memory->object, mapped,
           clm_waits_of(submission), clm_wait_list_of(submission), submission ? (cl_event *)submission->event : NULL);
out:
    return status;
}

/* ---- lending memory to the host, for work that a kernel could not do ---- */

/* Shared virtual memory is always mapped and unmapped with an event. Without one POCL 6.0 does neither; unmapping then returns
 * CL_SUCCESS and no event. */
static clmove_status map(const clm_memory *memory, const clm_submission *submission, cl_map_flags flags, void **at,
                         clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(memory->executor);
    cl_event mapped = NULL;
    if (!memory->svm)
        return map_piece(memory, flags, 0, memory->bytes, submission, NULL, at, error);
    CL_TRY(opencl->driver, clEnqueueSVMMap, clm_queue_of(opencl, submission), CL_TRUE, flags, memory->svm, memory->bytes,
           clm_waits_of(submission), clm_wait_list_of(submission), &mapped);
    opencl->driver->clReleaseEvent(mapped);
    *at = memory->svm;
out:
    return status;
}

/* Unmaps *at, which becomes NULL. after: the event to wait for, or NULL. */
static clmove_status unmap(const clm_memory *memory, void **at, cl_command_queue queue, const cl_event *after, cl_event *event,
                           clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = clm_opencl_of(memory->executor)->driver;
    void *mapped = *at;
    *at = NULL;
    cl_event unmapped = NULL;
    if (memory->svm) {
        CL_TRY(driver, clEnqueueSVMUnmap, queue, mapped, after ? 1 : 0, after, &unmapped);
        if (event)
            *event = unmapped;
        else
            driver->clReleaseEvent(unmapped);
    } else
        CL_TRY(driver, clEnqueueUnmapMemObject, queue, memory->object, mapped, after ? 1 : 0, after, event);
out:
    return status;
}

clmove_status clm_mapped_lend(const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                              void (*move)(void *user, const void *src, void *dst), void *user, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(src->executor);
    const cl_command_queue queue = clm_queue_of(opencl, submission);
    bool out_of_order = submission && submission->out_of_order;
    void *from = NULL, *to = NULL; /* NULL: not mapped */
    cl_event src_unmapped = NULL;
    TRY(map(src, submission, CL_MAP_READ, &from, error));
    TRY(map(dst, submission, CL_MAP_READ | CL_MAP_WRITE, &to, error));
    move(user, from, to);
    TRY(unmap(src, &from, queue, NULL, out_of_order ? &src_unmapped : NULL, error));
    TRY(unmap(dst, &to, queue, src_unmapped ? &src_unmapped : NULL, submission ? (cl_event *)submission->event : NULL, error));
    if (!submission)
        CL_TRY(opencl->driver, clFlush, opencl->queue);
out:
    if (from)
        unmap(src, &from, queue, NULL, NULL, NULL);
    if (to)
        unmap(dst, &to, queue, NULL, NULL, NULL);
    if (src_unmapped)
        opencl->driver->clReleaseEvent(src_unmapped);
    return status;
}
