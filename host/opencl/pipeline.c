/* SPDX-License-Identifier: Apache-2.0 */
#include "host/opencl/pipeline.h"

#include "host/opencl/objects.h"

#include <stdlib.h>

enum { UPLOAD, MOVE, DOWNLOAD, STAGES };

/* One side of one slot. */
typedef struct slot {
    clm_opencl_memory device;
    cl_mem pinned;         /* of discrete devices */
    void *memory;          /* mapped; where memory is shared, only between fill and send, or collect and let_go */
    cl_event done;         /* a source's was sent, a destination's was fetched */
    cl_event free;         /* where memory is shared: a destination was unmapped */
    clm_opencl_span moved; /* of a destination, where times are wanted: its launches */
} slot;

struct clm_pipeline {
    clm_opencl *opencl;
    clm_pipeline_shape shape;
    bool shared;
    cl_command_queue queues[STAGES]; /* in-order; one and the same where there is one slot */
    slot src[CLM_MAX_SLOTS], dst[CLM_MAX_SLOTS];
    clm_pipeline_times times;
};

size_t clm_pipeline_bytes(const clm_opencl *opencl, const clm_pipeline_shape *shape) {
    return (shape->src_bytes + shape->dst_bytes) * (size_t)shape->slots * (opencl->sharing.shares ? 1 : 2);
}

clm_pipeline_shape clm_pipeline_get_shape(const clm_pipeline *pipeline) {
    return pipeline->shape;
}

/* ---- making and unmaking ---- */

static clmove_status create_memory(clm_opencl *opencl, cl_mem_flags flags, size_t bytes, cl_mem *mem, clmove_error *error) {
    return clm_buffer_object_create(opencl, CL_MEM_READ_WRITE | flags, bytes, NULL, mem, error);
}

static clmove_status map(const clm_pipeline *pipeline, int stage, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t bytes,
                         const cl_event *after, cl_event *event, void **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_int code;
    *memory = pipeline->opencl->driver->clEnqueueMapBuffer(pipeline->queues[stage], mem, blocking, flags, 0, bytes, after ? 1 : 0,
                                                           after, event, &code);
    if (!*memory)
        status = clm_raise_opencl(error, code, "clEnqueueMapBuffer");
    return status;
}

static clmove_status create_slot(clm_pipeline *pipeline, int stage, size_t bytes, slot *made, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl *opencl = pipeline->opencl;
    made->device = (clm_opencl_memory){.opencl = opencl, .bytes = bytes};
    TRY(create_memory(opencl, pipeline->shared ? CL_MEM_ALLOC_HOST_PTR : 0, bytes, &made->device.mem, error));
    if (pipeline->shared)
        goto out;
    TRY(create_memory(opencl, CL_MEM_ALLOC_HOST_PTR, bytes, &made->pinned, error));
    TRY(map(pipeline, stage, made->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, bytes, NULL, NULL, &made->memory, error));
out:
    return status;
}

static void release_event(const clm_driver *driver, cl_event *event) {
    if (*event)
        driver->clReleaseEvent(*event);
    *event = NULL;
}

/* Everything is done. */
static void destroy_slot(clm_pipeline *pipeline, int stage, slot *made) {
    const clm_driver *driver = pipeline->opencl->driver;
    if (made->memory)
        driver->clEnqueueUnmapMemObject(pipeline->queues[stage], pipeline->shared ? made->device.mem : made->pinned, made->memory,
                                        0, NULL, NULL);
    release_event(driver, &made->done);
    release_event(driver, &made->free);
    if (made->moved.first)
        clm_opencl_span_end(pipeline->opencl, &made->moved, &(double){0}, NULL);
    if (made->pinned)
        driver->clReleaseMemObject(made->pinned);
    if (made->device.mem)
        driver->clReleaseMemObject(made->device.mem);
}

static void finish(const clm_pipeline *pipeline) {
    for (int i = 0; i < STAGES; i++)
        if (pipeline->queues[i] && (i == 0 || pipeline->queues[i] != pipeline->queues[i - 1]))
            clm_queue_finish(pipeline->opencl, pipeline->queues[i], NULL);
}

void clm_pipeline_destroy(clm_pipeline *pipeline) {
    if (!pipeline)
        return;
    finish(pipeline);
    for (int32_t i = 0; i < CLM_MAX_SLOTS; i++) {
        destroy_slot(pipeline, UPLOAD, &pipeline->src[i]);
        destroy_slot(pipeline, DOWNLOAD, &pipeline->dst[i]);
    }
    finish(pipeline);
    for (int i = STAGES - 1; i >= 0; i--)
        if (pipeline->queues[i] && (i == 0 || pipeline->queues[i] != pipeline->queues[0]))
            pipeline->opencl->driver->clReleaseCommandQueue(pipeline->queues[i]);
    free(pipeline);
}

static clmove_status create_queue(const clm_opencl *opencl, cl_command_queue *queue, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    cl_int code;
    *queue = opencl->driver->clCreateCommandQueue(opencl->context, opencl->device,
                                                  opencl->profiles ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    if (!*queue)
        status = clm_raise_opencl(error, code, "clCreateCommandQueue");
    return status;
}

clmove_status clm_pipeline_create(clm_opencl *opencl, const clm_pipeline_shape *shape, clm_pipeline **pipeline,
                                  clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_pipeline *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a pipeline");
    created->opencl = opencl;
    created->shape = *shape;
    created->shared = opencl->sharing.shares;
    for (int i = 0; i < STAGES; i++)
        if (i == 0 || shape->slots > 1)
            TRY(create_queue(opencl, &created->queues[i], error));
        else
            created->queues[i] = created->queues[0];
    for (int32_t i = 0; i < shape->slots; i++) {
        TRY(create_slot(created, UPLOAD, shape->src_bytes, &created->src[i], error));
        TRY(create_slot(created, DOWNLOAD, shape->dst_bytes, &created->dst[i], error));
    }
    *pipeline = created;
    created = NULL;
out:
    clm_pipeline_destroy(created);
    return status;
}

/* ---- the way of a piece ---- */

/* Adds the time of a command that is done. */
static clmove_status add_time(const clm_pipeline *pipeline, cl_event event, double *seconds, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = pipeline->opencl->driver;
    cl_ulong start = 0, end = 0;
    CL_TRY(driver, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    CL_TRY(driver, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    *seconds += end > start ? (double)(end - start) * 1e-9 : 0;
out:
    return status;
}

/* The time of a source's upload, once it is known to be done, and its event with it. */
static clmove_status forget_upload(clm_pipeline *pipeline, slot *src, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (src->done && pipeline->opencl->profiles)
        TRY(add_time(pipeline, src->done, &pipeline->times.upload_seconds, error));
out:
    release_event(pipeline->opencl->driver, &src->done);
    return status;
}

clmove_status clm_pipeline_fill(clm_pipeline *pipeline, int32_t src_slot, void **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    slot *src = &pipeline->src[src_slot];
    TRY(forget_upload(pipeline, src, error));
    if (pipeline->shared && !src->memory)
        TRY(map(pipeline, UPLOAD, src->device.mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, pipeline->shape.src_bytes, NULL, NULL,
                &src->memory, error));
    *memory = src->memory;
out:
    return status;
}

clmove_status clm_pipeline_send(clm_pipeline *pipeline, int32_t src_slot, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = pipeline->opencl->driver;
    slot *src = &pipeline->src[src_slot];
    cl_command_queue queue = pipeline->queues[UPLOAD];
    if (pipeline->shared) {
        void *memory = src->memory;
        src->memory = NULL;
        CL_TRY(driver, clEnqueueUnmapMemObject, queue, src->device.mem, memory, 0, NULL, &src->done);
    } else
        CL_TRY_WITH_ROOM(pipeline->opencl, clEnqueueWriteBuffer, queue, src->device.mem, CL_FALSE, 0, bytes, src->memory, 0, NULL,
                         &src->done);
    if (queue != pipeline->queues[MOVE])
        CL_TRY(driver, clFlush, queue);
out:
    return status;
}

/* Enqueues what makes a destination's bytes the host's, after its launches. */
static clmove_status fetch(clm_pipeline *pipeline, slot *dst, const cl_event *moved, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = pipeline->opencl->driver;
    cl_command_queue queue = pipeline->queues[DOWNLOAD];
    if (pipeline->shared)
        TRY(map(pipeline, DOWNLOAD, dst->device.mem, CL_FALSE, CL_MAP_READ, bytes, moved, &dst->done, &dst->memory, error));
    else
        CL_TRY(driver, clEnqueueReadBuffer, queue, dst->device.mem, CL_FALSE, 0, bytes, dst->memory, 1, moved, &dst->done);
    CL_TRY(driver, clFlush, queue);
out:
    return status;
}

clmove_status clm_pipeline_move(clm_pipeline *pipeline, clm_opencl_kernel *kernel, int32_t src_slot, int32_t dst_slot,
                                size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = pipeline->opencl->driver;
    slot *src = &pipeline->src[src_slot], *dst = &pipeline->dst[dst_slot];
    const cl_event waits[] = {src->done, dst->free};
    cl_event moved = NULL;
    bool profiles = pipeline->opencl->profiles;
    const clm_order order = {
        .queue = pipeline->queues[MOVE], .waits = dst->free ? 2 : 1, .wait_list = waits, .event = profiles ? NULL : &moved};
    TRY(clm_opencl_enqueue(kernel, &src->device, &dst->device, &order, profiles ? &dst->moved : NULL, error));
    release_event(driver, &dst->free);
    if (pipeline->queues[MOVE] != pipeline->queues[DOWNLOAD])
        CL_TRY(driver, clFlush, pipeline->queues[MOVE]);
    TRY(fetch(pipeline, dst, profiles ? (cl_event *)&dst->moved.last : &moved, bytes, error));
out:
    release_event(driver, &moved);
    return status;
}

clmove_status clm_pipeline_collect(clm_pipeline *pipeline, int32_t dst_slot, const void **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = pipeline->opencl->driver;
    slot *dst = &pipeline->dst[dst_slot];
    double seconds;
    CL_TRY(driver, clWaitForEvents, 1, &dst->done);
    if (pipeline->opencl->profiles) {
        TRY(clm_opencl_span_end(pipeline->opencl, &dst->moved, &seconds, error));
        pipeline->times.move_seconds += seconds;
        TRY(add_time(pipeline, dst->done, &pipeline->times.download_seconds, error));
    }
    *memory = dst->memory;
out:
    release_event(driver, &dst->done);
    return status;
}

clmove_status clm_pipeline_let_go(clm_pipeline *pipeline, int32_t dst_slot, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    slot *dst = &pipeline->dst[dst_slot];
    if (pipeline->shared) {
        void *memory = dst->memory;
        dst->memory = NULL;
        CL_TRY(pipeline->opencl->driver, clEnqueueUnmapMemObject, pipeline->queues[DOWNLOAD], dst->device.mem, memory, 0, NULL,
               &dst->free);
        CL_TRY(pipeline->opencl->driver, clFlush, pipeline->queues[DOWNLOAD]);
    }
out:
    return status;
}

clmove_status clm_pipeline_take_times(clm_pipeline *pipeline, clm_pipeline_times *times, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int32_t i = 0; i < pipeline->shape.slots; i++)
        TRY(forget_upload(pipeline, &pipeline->src[i], error));
    *times = pipeline->opencl->profiles ? pipeline->times : (clm_pipeline_times){-1, -1, -1};
    pipeline->times = (clm_pipeline_times){0};
out:
    return status;
}
