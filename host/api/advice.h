/* What a device goes by when it predicts: set, and asked by plans.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_API_ADVICE_H
#define CLMOVE_HOST_API_ADVICE_H

#include "host/api/objects.h"
#include "host/plan/cost.h"

/* Goes by a calibration that was checked. */
void clm_device_put_calibration(clmove_device *device, const clm_calibration *calibration);

/* Fills the calibration of a device whose info is known: from the user's file, or a guess. What is wrong with the file is logged,
 * and no reason to keep the device closed: it can be measured again. */
void clm_device_find_calibration(clmove_device *device);

/* Decides, on a device that auto found, whether the host executor does clmove_run. */
void clm_plan_choose_run(clmove_plan *plan);

/* The plan's work, for the model. The plan is not empty. */
void clm_plan_get_work(const clmove_plan *plan, clm_work *work);

#endif
