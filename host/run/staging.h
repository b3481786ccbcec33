/* The pipelines of a device. They are kept between runs, up to a bound, and freed when memory is short.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_STAGING_H
#define CLMOVE_HOST_RUN_STAGING_H

#include "host/device/device.h"
#include "host/run/pipeline.h"

/* Gives a device its staging, which the device closes. The staging is the first keeper that is asked when memory is short. */
clmove_status clm_staging_open(clmove_device *device, clmove_error *error);

/* Takes a kept pipeline of at least a shape, or makes a new one. Its memory counts in the budget. */
clmove_status clm_staging_take(clmove_device *device, const clm_pipeline_shape *shape, clm_pipeline **pipeline,
                               clmove_error *error);

/* Returns a pipeline without work under way. */
void clm_staging_put(clmove_device *device, clm_pipeline *pipeline);

/* Waits for a pipeline that failed or was cancelled, and destroys it. NULL is accepted. */
void clm_staging_drop(clmove_device *device, clm_pipeline *pipeline);

/* The bytes that a pipeline may take: those left in the budget, and those of kept pipelines. */
uint64_t clm_staging_left(clmove_device *device);

#endif
