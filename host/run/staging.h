/* The pipelines of a device: kept between runs, within a bound, and given up for what needs the memory more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_STAGING_H
#define CLMOVE_HOST_RUN_STAGING_H

#include "host/run/pipeline.h"

#include <pthread.h>

#define CLM_KEPT_PIPELINES 4

/* What a device keeps. */
typedef struct clm_staging {
    pthread_mutex_t lock;
    int32_t count;
    clm_pipeline *kept[CLM_KEPT_PIPELINES]; /* the one put back last is the last */
} clm_staging;

void clm_staging_open(clm_staging *staging);

/* Gives up all pipelines that are not in use; the device is otherwise done. */
void clm_staging_close(clmove_device *device);

/* A pipeline of at least a shape, whose memory has been taken from the budget: one that is kept, or a new one. */
clmove_status clm_staging_take(clmove_device *device, const clm_pipeline_shape *shape, clm_pipeline **pipeline,
                               clmove_error *error);

/* Puts a pipeline back in which nothing is under way. */
void clm_staging_put(clmove_device *device, clm_pipeline *pipeline);

/* Destroys one that failed or was left in the middle, after waiting. NULL is accepted. */
void clm_staging_drop(clmove_device *device, clm_pipeline *pipeline);

/* Gives up the pipelines that are kept, and their memory back to the budget. Whether there were any. Thread-safe. */
bool clm_staging_trim(clmove_device *device);

/* Bytes that a pipeline may take: what is left of the budget, and what is kept. */
uint64_t clm_staging_left(clmove_device *device);

#endif
