/* SPDX-License-Identifier: Apache-2.0 */
#include "host/run/staging.h"

#include <stdlib.h>
#include <string.h>

/* The most that is kept: enough for two threads with 3 slots of 32 MiB each, on both sides of a link. More is freed at once. */
#define KEEP_BYTES ((size_t)384 << 20)

enum { KEPT_PIPELINES = 4 };

typedef struct staging {
    clmove_device *device;
    /* The device's budget keeps it. */
    clm_keeper keeper;
    /* Of what follows. */
    pthread_mutex_t lock;
    int32_t count;
    /* The one that was put back last is the last. */
    clm_pipeline *kept[KEPT_PIPELINES];
} staging;

static size_t bytes_of(const clm_pipeline *pipeline) {
    return clm_pipeline_bytes(pipeline->executor, &pipeline->shape);
}

static size_t kept_bytes(const staging *it) {
    size_t bytes = 0;
    for (int32_t i = 0; i < it->count; i++)
        bytes += bytes_of(it->kept[i]);
    return bytes;
}

void clm_staging_drop(clmove_device *device, clm_pipeline *pipeline) {
    if (!pipeline)
        return;
    size_t bytes = bytes_of(pipeline);
    clm_pipeline_destroy(pipeline);
    clm_budget_give(&device->budget, bytes);
}

static bool holds(const clm_pipeline *pipeline, const clm_pipeline_shape *shape) {
    const clm_pipeline_shape *has = &pipeline->shape;
    return has->slots == shape->slots && has->src_bytes >= shape->src_bytes && has->dst_bytes >= shape->dst_bytes;
}

/* Takes out the pipeline put back last that is large enough; shape NULL: the one put back first. NULL: there is none. */
static clm_pipeline *take_out(staging *it, const clm_pipeline_shape *shape) {
    clm_pipeline *taken = NULL;
    pthread_mutex_lock(&it->lock);
    int32_t place = it->count - 1;
    while (shape ? place >= 0 && !holds(it->kept[place], shape) : place > 0)
        place--;
    if (place >= 0) {
        taken = it->kept[place];
        it->count--;
        memmove(&it->kept[place], &it->kept[place + 1], (size_t)(it->count - place) * sizeof *it->kept);
    }
    pthread_mutex_unlock(&it->lock);
    return taken;
}

/* Of the keeper. */
static bool give_up(void *user) {
    staging *it = user;
    bool any = false;
    for (clm_pipeline *taken; (taken = take_out(it, NULL)); any = true)
        clm_staging_drop(it->device, taken);
    return any;
}

static void close_staging(void *of) {
    staging *it = of;
    clm_budget_remove(&it->device->budget, &it->keeper);
    give_up(it);
    pthread_mutex_destroy(&it->lock);
    free(it);
}

clmove_status clm_staging_open(clmove_device *device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    staging *it = calloc(1, sizeof *it);
    REQUIRE(it, OUT_OF_MEMORY, "no memory for a device");
    it->device = device;
    it->keeper = (clm_keeper){.give_up = give_up, .user = it};
    pthread_mutex_init(&it->lock, NULL);
    clm_budget_add(&device->budget, &it->keeper);
    device->staging = (clm_attachment){.of = it, .close = close_staging};
out:
    return status;
}

uint64_t clm_staging_left(clmove_device *device) {
    staging *it = device->staging.of;
    pthread_mutex_lock(&it->lock);
    uint64_t bytes = clm_budget_left(&device->budget) + kept_bytes(it);
    pthread_mutex_unlock(&it->lock);
    return bytes < PTRDIFF_MAX ? bytes : PTRDIFF_MAX; /* the most that a process of 32 bits can have */
}

/* Small slots are rounded up to a power of two, so that a later, slightly larger tensor can use them. */
static size_t round_up(size_t bytes) {
    size_t rounded = 4096;
    if (bytes > (size_t)1 << 20)
        return bytes;
    while (rounded < bytes)
        rounded *= 2;
    return rounded;
}

clmove_status clm_staging_take(clmove_device *device, const clm_pipeline_shape *shape, clm_pipeline **pipeline,
                               clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    staging *it = device->staging.of;
    clm_executor *executor = clm_device_executor(device);
    uint64_t limit = executor->info.max_alloc_bytes ? executor->info.max_alloc_bytes : SIZE_MAX;
    clm_pipeline_shape wanted = {round_up(shape->src_bytes), round_up(shape->dst_bytes), shape->slots};
    *pipeline = take_out(it, shape);
    if (*pipeline)
        goto out;
    if (wanted.src_bytes > limit || wanted.dst_bytes > limit ||
        clm_pipeline_bytes(executor, &wanted) > clm_budget_left(&device->budget))
        wanted = *shape;
    size_t bytes = clm_pipeline_bytes(executor, &wanted);
    TRY(clm_budget_take(&device->budget, bytes, "staging for a run", error));
    status = clm_pipeline_create(executor, &wanted, pipeline, error);
    if (status != CLMOVE_OK)
        clm_budget_give(&device->budget, bytes);
out:
    return status;
}

void clm_staging_put(clmove_device *device, clm_pipeline *pipeline) {
    staging *it = device->staging.of;
    size_t bytes = bytes_of(pipeline);
    bool is_kept = false;
    if (bytes > KEEP_BYTES) {
        clm_staging_drop(device, pipeline);
        return;
    }
    while (!is_kept) {
        pthread_mutex_lock(&it->lock);
        is_kept = it->count < KEPT_PIPELINES && kept_bytes(it) + bytes <= KEEP_BYTES;
        if (is_kept)
            it->kept[it->count++] = pipeline;
        pthread_mutex_unlock(&it->lock);
        if (!is_kept)
            clm_staging_drop(device, take_out(it, NULL));
    }
}
