/* SPDX-License-Identifier: Apache-2.0 */
#include "host/opencl/in_place.h"

#include "host/opencl/objects.h"

#define PAGE 4096
#define LINE 64

bool clm_opencl_reaches(const clm_opencl *opencl, const void *memory, size_t bytes) {
    if (clm_is_cpu_like(opencl))
        return true;
    return opencl->info.host_unified && (uintptr_t)memory % PAGE == 0 && bytes % LINE == 0;
}

/* A buffer over a window. A GPU's begins at a page and ends with a line, both inside of the caller's memory. */
static clmove_status open_window(clm_opencl *opencl, const clm_window *window, cl_mem_flags flags, clm_opencl_memory *memory,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    size_t before = clm_is_cpu_like(opencl) ? 0 : window->first % PAGE;
    size_t after = clm_is_cpu_like(opencl) ? 0 : (LINE - (before + window->bytes) % LINE) % LINE;
    /* OpenCL takes no pointer to const; CL_MEM_READ_ONLY keeps kernels from writing. */
    char *start = (char *)(uintptr_t)window->memory + window->first - before;
    *memory = (clm_opencl_memory){.opencl = opencl, .offset = before, .bytes = window->bytes};
    TRY(clm_buffer_object_create(opencl, flags | CL_MEM_USE_HOST_PTR, before + window->bytes + after, start, &memory->mem,
                                 error));
out:
    return status;
}

static void release(const clm_driver *driver, clm_opencl_flight *flight) {
    if (flight->src)
        driver->clReleaseMemObject(flight->src);
    if (flight->dst)
        driver->clReleaseMemObject(flight->dst);
    if (flight->done)
        driver->clReleaseEvent(flight->done);
}

clmove_status clm_opencl_take_off(clm_opencl_kernel *kernel, const clm_window *src, const clm_window *dst,
                                  clm_opencl_flight *flight, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl *opencl = clm_opencl_of(kernel);
    const clm_driver *driver = opencl->driver;
    const clm_order order = {.queue = opencl->queue};
    clm_opencl_memory from = {0}, to = {0};
    clm_opencl_flight started = {0};
    cl_event done = NULL;
    bool launched = false;
    cl_int code;
    TRY(open_window(opencl, src, CL_MEM_READ_ONLY, &from, error));
    started.src = from.mem;
    TRY(open_window(opencl, dst, CL_MEM_READ_WRITE, &to, error));
    started.dst = to.mem;
    launched = true; /* a failure may come after the first of several launches */
    TRY(clm_opencl_enqueue(kernel, &from, &to, &order, opencl->profiles ? &started.span : NULL, error));
    /* Mapping is what makes the bytes the host's. They stay as they are when it ends, since no kernel writes them again. */
    void *mapped =
        driver->clEnqueueMapBuffer(opencl->queue, to.mem, CL_FALSE, CL_MAP_READ, to.offset, to.bytes, 0, NULL, NULL, &code);
    if (!mapped) {
        status = clm_raise_opencl(error, code, "clEnqueueMapBuffer");
        goto out;
    }
    CL_TRY(driver, clEnqueueUnmapMemObject, opencl->queue, to.mem, mapped, 0, NULL, &done);
    started.done = done;
    CL_TRY(driver, clFlush, opencl->queue);
    *flight = started;
    started = (clm_opencl_flight){0};
out:
    if (status != CLMOVE_OK && launched)
        driver->clFinish(opencl->queue);
    if (started.span.first)
        clm_opencl_span_end(opencl, &started.span, &(double){0}, NULL);
    release(driver, &started);
    return status;
}

clmove_status clm_opencl_land(clm_opencl *opencl, clm_opencl_flight *flight, double *seconds, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = opencl->driver;
    cl_event done = flight->done;
    *seconds = -1;
    if (!done)
        return status;
    CL_TRY(driver, clWaitForEvents, 1, &done);
    if (flight->span.first)
        TRY(clm_opencl_span_end(opencl, &flight->span, seconds, error));
out:
    if (status != CLMOVE_OK)
        driver->clFinish(opencl->queue);
    if (flight->span.first)
        clm_opencl_span_end(opencl, &flight->span, &(double){0}, NULL);
    release(driver, flight);
    *flight = (clm_opencl_flight){0};
    return status;
}
