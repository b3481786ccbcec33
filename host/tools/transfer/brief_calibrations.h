/* Brief calibrations around and between the parts that a workload is measured in.
 *
 * The speed of a machine may change within a second: one that shares its memory with others had 45 or 110 GB/s. So each workload
 * is measured in parts, with a brief calibration before, between and after them. Their median predicts the workload; no
 * measurement of the workload enters it. On false, here and below, *error says why.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_BRIEF_CALIBRATIONS_H
#define CLMOVE_HOST_TOOLS_TRANSFER_BRIEF_CALIBRATIONS_H

#include "host/tools/common/chosen_device.h"
#include "host/tools/transfer/figures.h"

#define TRANSFER_PARTS 2 /* of the time in which a workload is measured */

/* Starts as {.seconds}. */
typedef struct transfer_calibration {
    /* The seconds of each. 0: there are none, and predictions use the calibration that the device has. */
    double seconds;
    figures found[TRANSFER_PARTS + 1];
    int count;
} transfer_calibration;

/* Calibrates before the first part of a workload, or takes the last calibration of the workload before. */
bool transfer_calibration_start(transfer_calibration *it, const chosen_device *device, clmove_error *error);

/* Calibrates after a part. */
bool transfer_calibration_take(transfer_calibration *it, const chosen_device *device, clmove_error *error);

/* Gives the device the median of the calibrations. A workload that was ended early has fewer. */
bool transfer_calibration_settle(const transfer_calibration *it, const chosen_device *device, clmove_error *error);

#endif
