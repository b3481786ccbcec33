/* SPDX-License-Identifier: Apache-2.0 */
#include "host/run/staging.h"

#include "host/device/budget.h"
#include "host/run/objects.h"

/* Enough for two threads that stream through 3 slots of 32 MiB in all, on both sides of a link; more is let go at once. */
#define KEEP_BYTES ((size_t)384 << 20)

void clm_staging_open(clm_staging *staging) {
    pthread_mutex_init(&staging->lock, NULL);
}

static size_t bytes_of(const clmove_device *device, const clm_pipeline *pipeline) {
    const clm_pipeline_shape shape = clm_pipeline_get_shape(pipeline);
    return clm_pipeline_bytes(device->opencl, &shape);
}

static size_t kept_bytes(const clmove_device *device) {
    size_t bytes = 0;
    for (int32_t i = 0; i < device->staging.count; i++)
        bytes += bytes_of(device, device->staging.kept[i]);
    return bytes;
}

void clm_staging_drop(clmove_device *device, clm_pipeline *pipeline) {
    if (!pipeline)
        return;
    size_t bytes = bytes_of(device, pipeline);
    clm_pipeline_destroy(pipeline);
    clm_budget_give(device, bytes);
}

bool clm_staging_trim(clmove_device *device) {
    clm_pipeline *given_up[CLM_KEPT_PIPELINES];
    clm_staging *staging = &device->staging;
    pthread_mutex_lock(&staging->lock);
    int32_t count = staging->count;
    for (int32_t i = 0; i < count; i++)
        given_up[i] = staging->kept[i];
    staging->count = 0;
    pthread_mutex_unlock(&staging->lock);
    for (int32_t i = 0; i < count; i++)
        clm_staging_drop(device, given_up[i]);
    return count > 0;
}

void clm_staging_close(clmove_device *device) {
    clm_staging_trim(device);
    pthread_mutex_destroy(&device->staging.lock);
}

uint64_t clm_staging_left(clmove_device *device) {
    pthread_mutex_lock(&device->staging.lock);
    uint64_t bytes = clm_budget_left(device) + kept_bytes(device);
    pthread_mutex_unlock(&device->staging.lock);
    return bytes < PTRDIFF_MAX ? bytes : PTRDIFF_MAX; /* what a process of 32 bits can have at all */
}

static clm_pipeline *take_out(clm_staging *staging, int32_t place) {
    clm_pipeline *taken = staging->kept[place];
    staging->count--;
    for (int32_t i = place; i < staging->count; i++)
        staging->kept[i] = staging->kept[i + 1];
    return taken;
}

/* The one put back last that will do. */
static clm_pipeline *find_kept(clm_staging *staging, const clm_pipeline_shape *shape) {
    for (int32_t i = staging->count - 1; i >= 0; i--) {
        const clm_pipeline_shape has = clm_pipeline_get_shape(staging->kept[i]);
        if (has.slots == shape->slots && has.src_bytes >= shape->src_bytes && has.dst_bytes >= shape->dst_bytes)
            return take_out(staging, i);
    }
    return NULL;
}

/* Small slots grow to the next power of two, so that the next tensor, a little larger, finds them. */
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
    clm_staging *staging = &device->staging;
    uint64_t limit = device->info.max_alloc_bytes ? device->info.max_alloc_bytes : SIZE_MAX;
    clm_pipeline_shape wanted = {round_up(shape->src_bytes), round_up(shape->dst_bytes), shape->slots};
    pthread_mutex_lock(&staging->lock);
    clm_pipeline *found = find_kept(staging, shape);
    pthread_mutex_unlock(&staging->lock);
    if (found) {
        *pipeline = found;
        return CLMOVE_OK;
    }
    if (wanted.src_bytes > limit || wanted.dst_bytes > limit ||
        clm_pipeline_bytes(device->opencl, &wanted) > clm_budget_left(device))
        wanted = *shape;
    size_t bytes = clm_pipeline_bytes(device->opencl, &wanted);
    TRY(clm_budget_take(device, bytes, "staging for a run", error));
    status = clm_pipeline_create(device->opencl, &wanted, pipeline, error);
    if (status != CLMOVE_OK)
        clm_budget_give(device, bytes);
out:
    return status;
}

void clm_staging_put(clmove_device *device, clm_pipeline *pipeline) {
    clm_staging *staging = &device->staging;
    clm_pipeline *oldest = NULL;
    size_t bytes = bytes_of(device, pipeline);
    if (bytes > KEEP_BYTES) {
        clm_staging_drop(device, pipeline);
        return;
    }
    do {
        clm_staging_drop(device, oldest);
        oldest = NULL;
        pthread_mutex_lock(&staging->lock);
        if (staging->count == CLM_KEPT_PIPELINES || (staging->count > 0 && kept_bytes(device) + bytes > KEEP_BYTES))
            oldest = take_out(staging, 0);
        else
            staging->kept[staging->count++] = pipeline;
        pthread_mutex_unlock(&staging->lock);
    } while (oldest);
}
