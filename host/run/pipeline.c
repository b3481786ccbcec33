/* SPDX-License-Identifier: Apache-2.0 */
#include "host/run/pipeline.h"

#include <stdlib.h>

size_t clm_pipeline_bytes(const clm_executor *executor, const clm_pipeline_shape *shape) {
    return (shape->src_bytes + shape->dst_bytes) * (size_t)shape->slots * (executor->sharing.shares ? 1 : 2);
}

/* ---- making and destroying ---- */

static clmove_status create_slot(clm_pipeline *pipeline, int stage, size_t bytes, clm_slot *made, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executor = pipeline->executor;
    const clm_submission blocking = {.queue = pipeline->queues[stage]};
    clm_memory_kind kind = pipeline->shared ? CLM_MEMORY_PINNED : CLM_MEMORY_DEVICE;
    TRY(executor->calls->memory_create(executor, kind, bytes, &made->device, error));
    if (pipeline->shared)
        goto out;
    TRY(executor->calls->memory_create(executor, CLM_MEMORY_PINNED, bytes, &made->pinned, error));
    TRY(executor->calls->map(&made->pinned, CLMOVE_ACCESS_READ_WRITE, 0, bytes, &blocking, &made->memory, error));
out:
    return status;
}

static void release_event(const clm_pipeline *pipeline, void **event) {
    if (*event)
        pipeline->executor->calls->event_release(pipeline->executor, *event);
    *event = NULL;
}

/* Everything is done. */
static void destroy_slot(clm_pipeline *pipeline, int stage, clm_slot *made) {
    const clm_executor_calls *calls = pipeline->executor->calls;
    const clm_submission unmapping = {.queue = pipeline->queues[stage]};
    if (made->memory)
        calls->unmap(pipeline->shared ? &made->device : &made->pinned, made->memory, &unmapping, NULL);
    release_event(pipeline, &made->done);
    release_event(pipeline, &made->free);
    clm_span_release(pipeline->executor, &made->moved);
    calls->memory_destroy(&made->pinned);
    calls->memory_destroy(&made->device);
}

static void finish(const clm_pipeline *pipeline) {
    for (int i = 0; i < CLM_STAGES; i++)
        if (pipeline->queues[i] && (i == 0 || pipeline->queues[i] != pipeline->queues[i - 1]))
            pipeline->executor->calls->finish(pipeline->executor, pipeline->queues[i], NULL);
}

void clm_pipeline_destroy(clm_pipeline *pipeline) {
    if (!pipeline)
        return;
    finish(pipeline);
    for (int32_t i = 0; i < CLM_MAX_SLOTS; i++) {
        destroy_slot(pipeline, CLM_UPLOAD, &pipeline->src[i]);
        destroy_slot(pipeline, CLM_DOWNLOAD, &pipeline->dst[i]);
    }
    finish(pipeline);
    for (int i = CLM_STAGES - 1; i >= 0; i--)
        if (pipeline->queues[i] && (i == 0 || pipeline->queues[i] != pipeline->queues[0]))
            pipeline->executor->calls->queue_destroy(pipeline->executor, pipeline->queues[i]);
    free(pipeline);
}

clmove_status clm_pipeline_create(clm_executor *executor, const clm_pipeline_shape *shape, clm_pipeline **pipeline,
                                  clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_pipeline *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a pipeline");
    created->executor = executor;
    created->shape = *shape;
    created->shared = executor->sharing.shares;
    for (int i = 0; i < CLM_STAGES; i++)
        if (i == 0 || shape->slots > 1)
            TRY(executor->calls->queue_create(executor, &created->queues[i], error));
        else
            created->queues[i] = created->queues[0];
    for (int32_t i = 0; i < shape->slots; i++) {
        TRY(create_slot(created, CLM_UPLOAD, shape->src_bytes, &created->src[i], error));
        TRY(create_slot(created, CLM_DOWNLOAD, shape->dst_bytes, &created->dst[i], error));
    }
    *pipeline = created;
    created = NULL;
out:
    clm_pipeline_destroy(created);
    return status;
}

/* ---- the steps of a piece ---- */

/* Adds the time of commands that are done. */
static clmove_status add_time(clm_pipeline *pipeline, int stage, const clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    double seconds = 0;
    if (pipeline->executor->profiles)
        TRY(pipeline->executor->calls->span_seconds(pipeline->executor, span, &seconds, error));
    pipeline->seconds[stage] += seconds;
out:
    return status;
}

/* Counts the time of a source's upload that is done, and releases its event. */
static clmove_status forget_upload(clm_pipeline *pipeline, clm_slot *src, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (src->done)
        status = add_time(pipeline, CLM_UPLOAD, &(clm_span){src->done, src->done}, error);
    release_event(pipeline, &src->done);
    return status;
}

clmove_status clm_pipeline_fill(clm_pipeline *pipeline, int32_t src_slot, void **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_slot *src = &pipeline->src[src_slot];
    const clm_submission blocking = {.queue = pipeline->queues[CLM_UPLOAD]};
    TRY(forget_upload(pipeline, src, error));
    if (pipeline->shared && !src->memory)
        TRY(pipeline->executor->calls->map(&src->device, CLMOVE_ACCESS_WRITE, 0, pipeline->shape.src_bytes, &blocking,
                                           &src->memory, error));
    *memory = src->memory;
out:
    return status;
}

clmove_status clm_pipeline_send(clm_pipeline *pipeline, int32_t src_slot, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_executor_calls *calls = pipeline->executor->calls;
    clm_slot *src = &pipeline->src[src_slot];
    const clm_submission sending = {.queue = pipeline->queues[CLM_UPLOAD], .event = &src->done};
    if (pipeline->shared) {
        void *memory = src->memory;
        src->memory = NULL;
        TRY(calls->unmap(&src->device, memory, &sending, error));
    } else
        TRY(calls->write(&src->device, 0, src->memory, bytes, &sending, NULL, error));
    if (sending.queue != pipeline->queues[CLM_MOVE])
        TRY(calls->flush(pipeline->executor, sending.queue, error));
out:
    return status;
}

/* Submits the download of a destination, or its mapping, after its launches. */
static clmove_status fetch(clm_pipeline *pipeline, clm_slot *dst, size_t bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_executor_calls *calls = pipeline->executor->calls;
    const clm_submission fetching = {
        .queue = pipeline->queues[CLM_DOWNLOAD], .waits = 1, .wait_list = &dst->moved.last, .event = &dst->done};
    if (pipeline->shared)
        TRY(calls->map(&dst->device, CLMOVE_ACCESS_READ, 0, bytes, &fetching, &dst->memory, error));
    else
        TRY(calls->read(&dst->device, 0, dst->memory, bytes, &fetching, NULL, error));
    TRY(calls->flush(pipeline->executor, fetching.queue, error));
out:
    return status;
}

clmove_status clm_pipeline_move(clm_pipeline *pipeline, clm_kernel *kernel, int32_t src_slot, int32_t dst_slot, size_t bytes,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_executor_calls *calls = pipeline->executor->calls;
    clm_slot *src = &pipeline->src[src_slot], *dst = &pipeline->dst[dst_slot];
    void *const waits[] = {src->done, dst->free};
    const clm_submission moving = {.queue = pipeline->queues[CLM_MOVE], .waits = dst->free ? 2 : 1, .wait_list = waits};
    TRY(calls->submit(kernel, &src->device, &dst->device, &moving, &dst->moved, error));
    release_event(pipeline, &dst->free);
    if (moving.queue != pipeline->queues[CLM_DOWNLOAD])
        TRY(calls->flush(pipeline->executor, moving.queue, error));
    TRY(fetch(pipeline, dst, bytes, error));
out:
    return status;
}

clmove_status clm_pipeline_collect(clm_pipeline *pipeline, int32_t dst_slot, const void **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_slot *dst = &pipeline->dst[dst_slot];
    TRY(pipeline->executor->calls->event_wait(pipeline->executor, dst->done, error));
    TRY(add_time(pipeline, CLM_MOVE, &dst->moved, error));
    TRY(add_time(pipeline, CLM_DOWNLOAD, &(clm_span){dst->done, dst->done}, error));
    *memory = dst->memory;
out:
    clm_span_release(pipeline->executor, &dst->moved);
    release_event(pipeline, &dst->done);
    return status;
}

clmove_status clm_pipeline_return(clm_pipeline *pipeline, int32_t dst_slot, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_executor_calls *calls = pipeline->executor->calls;
    clm_slot *dst = &pipeline->dst[dst_slot];
    const clm_submission returning = {.queue = pipeline->queues[CLM_DOWNLOAD], .event = &dst->free};
    if (pipeline->shared) {
        void *memory = dst->memory;
        dst->memory = NULL;
        TRY(calls->unmap(&dst->device, memory, &returning, error));
        TRY(calls->flush(pipeline->executor, returning.queue, error));
    }
out:
    return status;
}

clmove_status clm_pipeline_take_times(clm_pipeline *pipeline, clmove_run_info *info, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    double *const times[CLM_STAGES] = {&info->upload_seconds, &info->move_seconds, &info->download_seconds};
    for (int32_t i = 0; i < pipeline->shape.slots; i++)
        TRY(forget_upload(pipeline, &pipeline->src[i], error));
    for (int i = 0; i < CLM_STAGES; i++) {
        *times[i] = pipeline->executor->profiles ? pipeline->seconds[i] : -1;
        pipeline->seconds[i] = 0;
    }
out:
    return status;
}
