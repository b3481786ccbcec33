/* What a device goes by when it predicts: set, and asked by plans.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_ADVICE_H
#define CLMOVE_HOST_ADVICE_ADVICE_H

#include "host/advice/cost.h"
#include "host/run/plan.h"

/* Gives a device its calibration, from the user's file or a guess, and its policy; the device closes them. What is wrong with the
 * file is logged, and no reason to keep the device closed: it can be measured again. */
clmove_status clm_advice_open(clmove_device *device, clmove_error *error);

/* Goes by a calibration that was checked. */
void clm_device_put_calibration(clmove_device *device, const clm_calibration *calibration);

/* The plan's work, for the model. The plan is not empty. */
void clm_plan_get_work(const clmove_plan *plan, clm_work *work);

#endif
