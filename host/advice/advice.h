/* The calibration of an open device, and the predictions of plans.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_ADVICE_H
#define CLMOVE_HOST_ADVICE_ADVICE_H

#include "host/advice/cost.h"
#include "host/run/plan.h"

/* Gives a device its calibration, from the user's file or a guess, and its policy for clmove_run. The device closes both. If the
 * file is malformed, the fault is logged and the device uses a guess. */
clmove_status clm_advice_open(clmove_device *device, clmove_error *error);

/* Sets a calibration that was checked. Thread-safe. */
void clm_device_put_calibration(clmove_device *device, const clm_calibration *calibration);

#endif
