/* The pipelines of a device: kept between runs, within a bound, and given up for what needs the memory more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_STAGING_H
#define CLMOVE_HOST_RUN_STAGING_H

#include "host/device/device.h"
#include "host/run/pipeline.h"

/* Gives a device its staging, which it closes. It is the first that is asked where memory is short. */
clmove_status clm_staging_open(clmove_device *device, clmove_error *error);

/* A pipeline of at least a shape, whose memory has been taken from the budget: one that is kept, or a new one. */
clmove_status clm_staging_take(clmove_device *device, const clm_pipeline_shape *shape, clm_pipeline **pipeline,
                               clmove_error *error);

/* Puts a pipeline back in which nothing is under way. */
void clm_staging_put(clmove_device *device, clm_pipeline *pipeline);

/* Destroys one that failed or was left in the middle, after waiting. NULL is accepted. */
void clm_staging_drop(clmove_device *device, clm_pipeline *pipeline);

/* Bytes that a pipeline may take: what is left of the budget, and what is kept. */
uint64_t clm_staging_left(clmove_device *device);

#endif
