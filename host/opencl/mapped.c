/* Device memory in the host's hands, for as long as the host does what a kernel could not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

/* What is mapped now; NULL: nothing. */
typedef struct mapping {
    const clm_opencl_memory *memory;
    void *at;
} mapping;

static clmove_status map(const clm_opencl_memory *memory, const clm_order *order, cl_map_flags flags, mapping *made,
                         clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = memory->opencl->driver;
    cl_int code;
    *made = (mapping){.memory = memory};
    if (memory->svm) {
        CL_TRY(driver, clEnqueueSVMMap, order->queue, CL_TRUE, flags, memory->svm, memory->bytes, order->waits, order->wait_list,
               NULL);
        made->at = memory->svm;
        goto out;
    }
    made->at = driver->clEnqueueMapBuffer(order->queue, memory->mem, CL_TRUE, flags, memory->offset, memory->bytes, order->waits,
                                          order->wait_list, NULL, &code);
    if (!made->at)
        status = clm_raise_opencl(error, code, "clEnqueueMapBuffer");
out:
    return status;
}

/* after: NULL, or what to wait for. */
static clmove_status unmap(mapping *made, cl_command_queue queue, const cl_event *after, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = made->memory->opencl->driver;
    void *at = made->at;
    made->at = NULL;
    if (made->memory->svm)
        CL_TRY(driver, clEnqueueSVMUnmap, queue, at, after ? 1 : 0, after, event);
    else
        CL_TRY(driver, clEnqueueUnmapMemObject, queue, made->memory->mem, at, after ? 1 : 0, after, event);
out:
    return status;
}

clmove_status clm_opencl_with_mapped(const clm_opencl_memory *src, const clm_opencl_memory *dst, const clm_order *order,
                                     void (*move)(void *user, const void *src, void *dst), void *user, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = src->opencl;
    const clm_order own = {.queue = opencl->queue};
    const clm_order *used = order ? order : &own;
    mapping from = {.memory = src}, to = {.memory = dst};
    cl_event src_unmapped = NULL;
    TRY(map(src, used, CL_MAP_READ, &from, error));
    TRY(map(dst, used, CL_MAP_READ | CL_MAP_WRITE, &to, error));
    move(user, from.at, to.at);
    TRY(unmap(&from, used->queue, NULL, used->out_of_order ? &src_unmapped : NULL, error));
    TRY(unmap(&to, used->queue, src_unmapped ? &src_unmapped : NULL, used->event, error));
    if (!order)
        CL_TRY(opencl->driver, clFlush, opencl->queue);
out:
    if (from.at)
        unmap(&from, used->queue, NULL, NULL, NULL);
    if (to.at)
        unmap(&to, used->queue, NULL, NULL, NULL);
    if (src_unmapped)
        opencl->driver->clReleaseEvent(src_unmapped);
    return status;
}
