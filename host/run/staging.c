/* SPDX-License-Identifier: Apache-2.0 */
#include "host/run/staging.h"

#include <stdlib.h>

/* The most that is kept: enough for two threads with 3 slots of 32 MiB each, on both sides of a link. More is freed at once. */
#define KEEP_BYTES ((size_t)384 << 20)

enum { KEPT_PIPELINES = 4 };

typedef struct staging {
    clm_executor *executor;
    clm_budget *budget;
    clm_keeper keeper;    /* of the budget */
    pthread_mutex_t lock; /* of what follows */
    int32_t count;
    clm_pipeline *kept[KEPT_PIPELINES]; /* the one put back last is the last */
} staging;

static size_t bytes_of(const staging *it, const clm_pipeline *pipeline) {
    const clm_pipeline_shape shape = clm_pipeline_get_shape(pipeline);
    return clm_pipeline_bytes(it->executor, &shape);
}

static size_t kept_bytes(const staging *it) {
    size_t bytes = 0;
    for (int32_t i = 0; i < it->count; i++)
        bytes += bytes_of(it, it->kept[i]);
    return bytes;
}

static void drop(staging *it, clm_pipeline *pipeline) {
    if (!pipeline)
        return;
    size_t bytes = bytes_of(it, pipeline);
    clm_pipeline_destroy(pipeline);
    clm_budget_give(it->budget, bytes);
}

void clm_staging_drop(clmove_device *device, clm_pipeline *pipeline) {
    drop(device->staging.of, pipeline);
}

/* Of the keeper. */
static bool give_up(void *user) {
    staging *it = user;
    clm_pipeline *given_up[KEPT_PIPELINES];
    pthread_mutex_lock(&it->lock);
    int32_t count = it->count;
    for (int32_t i = 0; i < count; i++)
        given_up[i] = it->kept[i];
    it->count = 0;
    pthread_mutex_unlock(&it->lock);
    for (int32_t i = 0; i < count; i++)
        drop(it, given_up[i]);
    return count > 0;
}

static void close_staging(void *of) {
    staging *it = of;
    clm_budget_remove(it->budget, &it->keeper);
    give_up(it);
    pthread_mutex_destroy(&it->lock);
    free(it);
}

clmove_status clm_staging_open(clmove_device *device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    staging *it = calloc(1, sizeof *it);
    REQUIRE(it, OUT_OF_MEMORY, "no memory for a device");
    it->executor = clm_device_executor(device);
    it->budget = &device->budget;
    it->keeper = (clm_keeper){.give_up = give_up, .user = it};
    pthread_mutex_init(&it->lock, NULL);
    clm_budget_add(it->budget, &it->keeper);
    device->staging = (clm_attachment){.of = it, .close = close_staging};
out:
    return status;
}

uint64_t clm_staging_left(clmove_device *device) {
    staging *it = device->staging.of;
    pthread_mutex_lock(&it->lock);
    uint64_t bytes = clm_budget_left(it->budget) + kept_bytes(it);
    pthread_mutex_unlock(&it->lock);
    return bytes < PTRDIFF_MAX ? bytes : PTRDIFF_MAX; /* the most that a process of 32 bits can have */
}

static clm_pipeline *take_out(staging *it, int32_t place) {
    clm_pipeline *taken = it->kept[place];
    it->count--;
    for (int32_t i = place; i < it->count; i++)
        it->kept[i] = it->kept[i + 1];
    return taken;
}

/* The pipeline returned last that is large enough. */
static clm_pipeline *find_kept(staging *it, const clm_pipeline_shape *shape) {
    for (int32_t i = it->count - 1; i >= 0; i--) {
        const clm_pipeline_shape has = clm_pipeline_get_shape(it->kept[i]);
        if (has.slots == shape->slots && has.src_bytes >= shape->src_bytes && has.dst_bytes >= shape->dst_bytes)
            return take_out(it, i);
    }
    return NULL;
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
    uint64_t limit = clm_device_info(device)->max_alloc_bytes ? clm_device_info(device)->max_alloc_bytes : SIZE_MAX;
    clm_pipeline_shape wanted = {round_up(shape->src_bytes), round_up(shape->dst_bytes), shape->slots};
    pthread_mutex_lock(&it->lock);
    clm_pipeline *found = find_kept(it, shape);
    pthread_mutex_unlock(&it->lock);
    if (found) {
        *pipeline = found;
        return CLMOVE_OK;
    }
    if (wanted.src_bytes > limit || wanted.dst_bytes > limit ||
        clm_pipeline_bytes(it->executor, &wanted) > clm_budget_left(it->budget))
        wanted = *shape;
    size_t bytes = clm_pipeline_bytes(it->executor, &wanted);
    TRY(clm_budget_take(it->budget, bytes, "staging for a run", error));
    status = clm_pipeline_create(it->executor, &wanted, pipeline, error);
    if (status != CLMOVE_OK)
        clm_budget_give(it->budget, bytes);
out:
    return status;
}

void clm_staging_put(clmove_device *device, clm_pipeline *pipeline) {
    staging *it = device->staging.of;
    clm_pipeline *oldest = NULL;
    size_t bytes = bytes_of(it, pipeline);
    if (bytes > KEEP_BYTES) {
        drop(it, pipeline);
        return;
    }
    do {
        drop(it, oldest);
        oldest = NULL;
        pthread_mutex_lock(&it->lock);
        if (it->count == KEPT_PIPELINES || (it->count > 0 && kept_bytes(it) + bytes > KEEP_BYTES))
            oldest = take_out(it, 0);
        else
            it->kept[it->count++] = pipeline;
        pthread_mutex_unlock(&it->lock);
    } while (oldest);
}
