/* Device memory in the host's hands.
 *
 * The pointer is the driver's, whatever memory it may alias: what was written through it reaches the device when it is unmapped.
 * Pinned memory is mapped when it is made and until a command uses it, so that a pointer to it is a fast place to transfer from
 * and to: on NVIDIA's devices about twice as fast as any other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

/* Waits until it is mapped, unless event is where to put the event of that. */
static clmove_status map_piece(const clm_opencl_memory *memory, cl_map_flags flags, size_t offset, size_t bytes,
                               const clm_order *order, cl_event *event, void **at, clmove_error *error) {
    cl_int code = CL_SUCCESS;
    void *mapped =
        memory->opencl->driver->clEnqueueMapBuffer(order->queue, memory->mem, event ? CL_FALSE : CL_TRUE, flags,
                                                   memory->offset + offset, bytes, order->waits, order->wait_list, event, &code);
    if (!mapped)
        return clm_raise_opencl(error, code, "clEnqueueMapBuffer");
    *at = mapped;
    return CLMOVE_OK;
}

clmove_status clm_opencl_memory_map(clm_opencl_memory *memory, clmove_access access, size_t offset, size_t bytes,
                                    const clm_order *order, void **mapped, clmove_error *error) {
    const clm_order own = {.queue = memory->opencl->queue};
    cl_map_flags flags = access == CLMOVE_ACCESS_READ    ? CL_MAP_READ
                         : access == CLMOVE_ACCESS_WRITE ? CL_MAP_WRITE_INVALIDATE_REGION
                                                         : CL_MAP_READ | CL_MAP_WRITE;
    return map_piece(memory, flags, offset, bytes, order ? order : &own, order ? order->event : NULL, mapped, error);
}

clmove_status clm_opencl_memory_unmap(clm_opencl_memory *memory, void *mapped, const clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_order own = {.queue = memory->opencl->queue};
    const clm_order *used = order ? order : &own;
    CL_TRY(memory->opencl->driver, clEnqueueUnmapMemObject, used->queue, memory->mem, mapped, used->waits, used->wait_list,
           used->event);
out:
    return status;
}

/* ---- pinned memory ---- */

unsigned char *clm_opencl_memory_standing(const clm_opencl_memory *memory) {
    return memory->standing;
}

clmove_status clm_opencl_memory_stand(clm_opencl_memory *memory, const clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_order own = {.queue = memory->opencl->queue};
    void *mapped = NULL;
    TRY(map_piece(memory, CL_MAP_READ | CL_MAP_WRITE, 0, memory->bytes, order ? order : &own, order ? order->event : NULL,
                  &mapped, error));
    memory->standing = mapped;
out:
    return status;
}

clmove_status clm_opencl_memory_yield(clm_opencl_memory *memory, const clm_order *order, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = memory->opencl->driver;
    bool wait = order && order->out_of_order;
    cl_event done = NULL;
    if (!memory->standing)
        goto out;
    CL_TRY(driver, clEnqueueUnmapMemObject, order ? order->queue : memory->opencl->queue, memory->mem, memory->standing, 0, NULL,
           wait ? &done : NULL);
    memory->standing = NULL;
    if (wait)
        CL_TRY(driver, clWaitForEvents, 1, &done);
out:
    if (done)
        driver->clReleaseEvent(done);
    return status;
}

/* ---- what a kernel could not do ---- */

/* What is mapped now; NULL: nothing. */
typedef struct mapping {
    const clm_opencl_memory *memory;
    void *at;
} mapping;

/* Shared virtual memory is mapped and unmapped with an event, wanted or not: POCL 6.0 leaves out either where nobody asks for
 * one, and an unmapping of what it left out so returns CL_SUCCESS and no event. */
static clmove_status map(const clm_opencl_memory *memory, const clm_order *order, cl_map_flags flags, mapping *made,
                         clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = memory->opencl->driver;
    *made = (mapping){.memory = memory};
    cl_event mapped = NULL;
    if (memory->svm) {
        CL_TRY(driver, clEnqueueSVMMap, order->queue, CL_TRUE, flags, memory->svm, memory->bytes, order->waits, order->wait_list,
               &mapped);
        driver->clReleaseEvent(mapped);
        made->at = memory->svm;
        goto out;
    }
    TRY(map_piece(memory, flags, 0, memory->bytes, order, NULL, &made->at, error));
out:
    return status;
}

/* after: NULL, or what to wait for. */
static clmove_status unmap(mapping *made, cl_command_queue queue, const cl_event *after, cl_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = made->memory->opencl->driver;
    void *at = made->at;
    made->at = NULL;
    cl_event unmapped = NULL;
    if (made->memory->svm) {
        CL_TRY(driver, clEnqueueSVMUnmap, queue, at, after ? 1 : 0, after, &unmapped);
        if (event)
            *event = unmapped;
        else
            driver->clReleaseEvent(unmapped);
    } else
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
