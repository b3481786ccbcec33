/* Kernels of two passes, which are kernels of other variants: for each chunk of blocks one that writes to a room, and one that
 * reads from there. All other kernels are of launch.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

#include "host/plan/chunks.h"

#include <stdlib.h>

/* So many rooms are kept. Runs that do not wait for each other have rooms of their own, and what more of them had is released
 * at once: the driver keeps it until their commands are done. */
enum { KEPT_ROOMS = 4 };

/* Memory between the passes. It is used again on a queue that keeps order, or when its last command is done, or has failed. */
typedef struct room {
    clm_memory memory;
    cl_command_queue queue;
    cl_event last;
    struct room *next;
} room;

typedef struct passes_kernel {
    clm_kernel base;
    clm_chunks chunks;
    clm_kernel *parts[2 * CLM_KINDS_OF_CHUNKS];
    /* Of the rooms that are kept. */
    pthread_mutex_t lock;
    room *rooms;
} passes_kernel;

static void free_room(const clm_opencl *opencl, room *freed) {
    if (freed->last)
        opencl->driver->clReleaseEvent(freed->last);
    clm_memory_destroy(&freed->memory);
    free(freed);
}

void clm_kernel_destroy(clm_kernel *made) {
    if (!made->launch_plan.variant->makes_passes) {
        clm_launch_destroy(made);
        return;
    }
    passes_kernel *kernel = (passes_kernel *)made;
    for (int32_t i = 0; i < made->part_count; i++)
        clm_launch_destroy(kernel->parts[i]);
    while (kernel->rooms) {
        room *first = kernel->rooms;
        kernel->rooms = first->next;
        free_room(clm_opencl_of(made->executor), first);
    }
    pthread_mutex_destroy(&kernel->lock);
    free(kernel);
}

/* How many chunks are of a kind. */
static int64_t count_of(const clm_chunks *chunks, int kind) {
    const bool has_last = chunks->blocks[CLM_LAST_CHUNK].rank > 0;
    const int64_t last = has_last ? chunks->count / chunks->axes[chunks->rank - 1].extent : 0;
    return kind == CLM_LAST_CHUNK ? last : chunks->count - last;
}

static clmove_status make_parts(passes_kernel *kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_launch_plan *launch_plan = &kernel->base.launch_plan;
    clm_executor *executor = kernel->base.executor;
    const int kinds = kernel->chunks.blocks[CLM_LAST_CHUNK].rank > 0 ? CLM_KINDS_OF_CHUNKS : 1;
    clm_normal_form forms[CLM_KINDS_OF_CHUNKS][2];
    clm_find_passes(launch_plan, &executor->traits, kernel->chunks.blocks, kinds, forms);
    for (int32_t i = 0; i < 2 * kinds; i++) {
        clm_launch_plan pass;
        TRY(clm_choose_pass(&forms[i / 2][i % 2], &executor->traits, launch_plan->index_bits == 64 ? 64 : 0, i % 2 == 1,
                            launch_plan->stream, &pass, error));
        TRY(clm_launch_create(executor, &pass, &kernel->parts[i], error));
        kernel->base.part_count++;
        kernel->base.launch_plan.launches += count_of(&kernel->chunks, i / 2) * pass.launches;
    }
out:
    return status;
}

clmove_status clm_kernel_create(clm_executor *executor, const clm_launch_plan *launch_plan, clm_kernel **kernel,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (!launch_plan->variant->makes_passes)
        return clm_launch_create(executor, launch_plan, kernel, error);
    passes_kernel *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a kernel");
    pthread_mutex_init(&created->lock, NULL);
    created->base = (clm_kernel){.executor = executor, .launch_plan = *launch_plan, .parts = created->parts};
    created->base.launch_plan.launches = 0; /* until the parts are made */
    clm_find_chunks(launch_plan, launch_plan->chunk_bytes, &created->chunks);
    TRY(make_parts(created, error));
    *kernel = &created->base;
    created = NULL;
out:
    if (created)
        clm_kernel_destroy(&created->base);
    return status;
}

static bool is_free(const clm_opencl *opencl, const room *it, const clm_submission *submission) {
    cl_int state = CL_QUEUED;
    return (it->queue == clm_queue_of(opencl, submission) && !submission->out_of_order) ||
           (opencl->driver->clGetEventInfo(it->last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) ==
                CL_SUCCESS &&
            state <= CL_COMPLETE);
}

/* Takes a room that is free, or makes one: a run never waits for another that the caller does not know of. */
static clmove_status take_room(passes_kernel *kernel, const clm_submission *submission, room **taken, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(kernel->base.executor);
    room *made = NULL;
    pthread_mutex_lock(&kernel->lock);
    room **place = &kernel->rooms;
    while (*place && !is_free(opencl, *place, submission))
        place = &(*place)->next;
    *taken = *place;
    if (*place)
        *place = (*place)->next;
    pthread_mutex_unlock(&kernel->lock);
    if (*taken)
        return status;
    made = calloc(1, sizeof *made);
    REQUIRE(made, OUT_OF_MEMORY, "no memory for a room");
    TRY(clm_memory_create(kernel->base.executor, CLM_MEMORY_DEVICE, (size_t)kernel->chunks.bytes, &made->memory, error));
    *taken = made;
    made = NULL;
out:
    free(made);
    return status;
}

/* last: the last command that uses the room, which takes it over. */
static void put_room(passes_kernel *kernel, room *put, const clm_submission *submission, cl_event last) {
    const clm_opencl *opencl = clm_opencl_of(kernel->base.executor);
    int32_t kept = 0;
    if (put->last)
        opencl->driver->clReleaseEvent(put->last);
    put->queue = clm_queue_of(opencl, submission);
    put->last = last;
    pthread_mutex_lock(&kernel->lock);
    for (const room *it = kernel->rooms; it; it = it->next)
        kept++;
    if (kept < KEPT_ROOMS) {
        put->next = kernel->rooms;
        kernel->rooms = put;
    }
    pthread_mutex_unlock(&kernel->lock);
    if (kept >= KEPT_ROOMS)
        free_room(opencl, put);
}

/* Launches the passes of all chunks. made: the events of the first and the last launch, where they are wanted. */
static clmove_status launch_all(passes_kernel *kernel, const clm_memory *src, const clm_memory *dst, const clm_memory *between,
                                const clm_submission *submission, bool wants_first, clm_span *made, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(kernel->base.executor);
    const clm_launch_plan *launch_plan = &kernel->base.launch_plan;
    const int64_t unit_bytes = clm_unit_bytes(launch_plan), passes = 2 * kernel->chunks.count;
    for (int64_t i = 0; i < passes; i++) {
        int64_t src_units, dst_units;
        const int kind = clm_find_chunk(&kernel->chunks, i / 2, &src_units, &dst_units), pass = (int)(i % 2);
        clm_memory from = pass == 0 ? *src : *between, to = pass == 0 ? *between : *dst;
        if (pass == 0)
            from.offset += (size_t)((launch_plan->src_offset + src_units) * unit_bytes);
        else
            to.offset += (size_t)((launch_plan->dst_offset + dst_units) * unit_bytes);
        void *previous = made->last, *event = NULL;
        clm_submission on = {.queue = submission->queue, .out_of_order = submission->out_of_order};
        if (i == 0) {
            on.waits = submission->waits;
            on.wait_list = submission->wait_list;
        } else if (submission->out_of_order) {
            on.waits = 1;
            on.wait_list = &previous;
        }
        if (submission->out_of_order || (i == 0 && wants_first) || i + 1 == passes)
            on.event = &event;
        TRY(clm_launch_submit(kernel->parts[2 * kind + pass], &from, &to, &on, NULL, error));
        if (i == 0)
            made->first = event;
        else if (previous && previous != made->first)
            opencl->driver->clReleaseEvent(previous);
        made->last = event;
    }
out:
    return status;
}

static clmove_status submit_passes(passes_kernel *kernel, const clm_memory *src, const clm_memory *dst,
                                   const clm_submission *submission, clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(kernel->base.executor);
    room *taken = NULL;
    clm_span made = {0};
    TRY(take_room(kernel, submission, &taken, error));
    TRY(launch_all(kernel, src, dst, &taken->memory, submission, span != NULL, &made, error));
    CL_TRY(opencl->driver, clRetainEvent, made.last);
    put_room(kernel, taken, submission, made.last);
    taken = NULL;
    if (span) {
        *span = made;
        made = (clm_span){0};
    } else if (submission->event) {
        *submission->event = made.last;
        made = (clm_span){.first = made.first == made.last ? NULL : made.first};
    }
out:
    if (taken)
        free_room(opencl, taken);
    clm_span_release(kernel->base.executor, &made);
    return status;
}

clmove_status clm_kernel_submit(clm_kernel *kernel, const clm_memory *src, const clm_memory *dst,
                                const clm_submission *submission, clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_opencl *opencl = clm_opencl_of(kernel->executor);
    if (!kernel->launch_plan.variant->makes_passes)
        return clm_launch_submit(kernel, src, dst, submission, span, error);
    TRY(submit_passes((passes_kernel *)kernel, src, dst, submission ? submission : &(clm_submission){0}, span, error));
    if (!submission)
        CL_TRY(opencl->driver, clFlush, opencl->queue);
out:
    return status;
}
