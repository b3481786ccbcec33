/* SPDX-License-Identifier: Apache-2.0 */
#include "host/opencl/in_place.h"

clmove_status clm_in_place_begin(clm_opencl *opencl, const clm_range *src, const clm_range *dst, bool in_parts, clm_in_place *run,
                                 bool *begun, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_in_place made = {.opencl = opencl, .in_parts = in_parts};
    TRY(clm_window_open(opencl, src, in_parts, &made.src, error));
    if (made.src)
        TRY(clm_window_open(opencl, dst, in_parts, &made.dst, error));
    *begun = made.dst != NULL;
    if (*begun) {
        *run = made;
        made = (clm_in_place){0};
    }
out:
    clm_in_place_end(&made);
    return status;
}

void clm_in_place_end(clm_in_place *run) {
    clm_window_close(run->src);
    clm_window_close(run->dst);
    *run = (clm_in_place){0};
}

static void release(const clm_driver *driver, clm_launched *launched) {
    if (launched->src)
        driver->clReleaseMemObject(launched->src);
    if (launched->dst)
        driver->clReleaseMemObject(launched->dst);
    if (launched->done)
        driver->clReleaseEvent(launched->done);
}

/* Where a piece lies in buffers: the run's, or its own. */
static clmove_status find_memory(const clm_in_place *run, const clm_part *part, clm_launched *launched, clm_opencl_memory *src,
                                 clm_opencl_memory *dst, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (run->in_parts) {
        TRY(clm_window_part(run->src, part->src_first, part->src_bytes, src, error));
        launched->src = src->mem;
        TRY(clm_window_part(run->dst, part->dst_first, part->dst_bytes, dst, error));
        launched->dst = dst->mem;
    } else {
        *src = clm_window_memory(run->src);
        *dst = clm_window_memory(run->dst);
        src->offset = part->src_first;
        dst->offset = part->dst_first;
    }
out:
    return status;
}

/* Mapping is what makes the bytes of a buffer the host's. They stay as they are when it ends, since no kernel of this run writes
 * them again. *done: the event of the end. */
static clmove_status make_the_hosts(const clm_in_place *run, const clm_opencl_memory *dst, cl_event *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = run->opencl->driver;
    cl_command_queue queue = run->opencl->queue;
    size_t offset = run->in_parts ? dst->offset : 0;
    cl_int code;
    void *mapped = driver->clEnqueueMapBuffer(queue, dst->mem, CL_FALSE, CL_MAP_READ, offset, dst->bytes, 0, NULL, NULL, &code);
    if (!mapped) {
        status = clm_raise_opencl(error, code, "clEnqueueMapBuffer");
        goto out;
    }
    CL_TRY(driver, clEnqueueUnmapMemObject, queue, dst->mem, mapped, 0, NULL, done);
out:
    return status;
}

clmove_status clm_in_place_launch(const clm_in_place *run, clm_opencl_kernel *kernel, const clm_part *part,
                                  clm_launched *launched, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = run->opencl;
    const clm_driver *driver = opencl->driver;
    clm_opencl_memory src, dst;
    clm_launched started = {0};
    cl_event done = NULL;
    bool is_out = false, maps = part->is_last || run->in_parts, profiles = opencl->profiles;
    const clm_order order = {.queue = opencl->queue, .event = maps || profiles ? NULL : &done};
    TRY(find_memory(run, part, &started, &src, &dst, error));
    is_out = true; /* a failure may come after the first of several launches */
    TRY(clm_opencl_enqueue(kernel, &src, &dst, &order, profiles ? &started.span : NULL, error));
    if (maps)
        TRY(make_the_hosts(run, &dst, &done, error));
    CL_TRY(driver, clFlush, opencl->queue);
    started.done = done;
    done = NULL;
    *launched = started;
    started = (clm_launched){0};
out:
    if (status != CLMOVE_OK && is_out)
        clm_queue_finish(opencl, opencl->queue, NULL);
    if (started.span.first)
        clm_opencl_span_end(opencl, &started.span, &(double){0}, NULL);
    if (done)
        driver->clReleaseEvent(done);
    release(driver, &started);
    return status;
}

clmove_status clm_in_place_leave(const clm_in_place *run, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl_memory dst = clm_window_memory(run->dst);
    if (run->in_parts) /* each has been */
        goto out;
    TRY(make_the_hosts(run, &dst, NULL, error));
    TRY(clm_queue_finish(run->opencl, run->opencl->queue, error));
out:
    return status;
}

clmove_status clm_in_place_wait(const clm_in_place *run, clm_launched *launched, double *seconds, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = run->opencl->driver;
    const cl_event done = launched->done ? launched->done : launched->span.last;
    *seconds = -1;
    if (!done)
        return status;
    CL_TRY(driver, clWaitForEvents, 1, &done);
    if (launched->span.first)
        TRY(clm_opencl_span_end(run->opencl, &launched->span, seconds, error));
out:
    if (status != CLMOVE_OK)
        clm_queue_finish(run->opencl, run->opencl->queue, NULL);
    if (launched->span.first)
        clm_opencl_span_end(run->opencl, &launched->span, &(double){0}, NULL);
    release(driver, launched);
    *launched = (clm_launched){0};
    return status;
}
