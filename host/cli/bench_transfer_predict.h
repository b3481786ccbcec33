/* What a workload's ways are predicted to take, and which calibration that goes by.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLI_BENCH_TRANSFER_PREDICT_H
#define CLMOVE_CLI_BENCH_TRANSFER_PREDICT_H

#include "bench_transfer_measure.h"

#include <clmove/advice.h>

/* How fast a machine is may change within a minute (one that shares its memory with others: 45 or 110 GB/s), so each workload
 * stands between two brief calibrations, and goes by their mean. Nothing of the workload itself is in them. Starts as {0}. */
typedef struct transfer_calibration {
    double seconds;            /* of each; 0: workloads go by what the device has anyway */
    clmove_calibration before; /* the next workload */
} transfer_calibration;

/* Before the first workload; nothing when seconds is 0. */
clmove_status transfer_calibration_start(transfer_calibration *it, const executor *device, clmove_error *error);

/* After each workload. From now on the device goes by the mean of the two around it. */
clmove_status transfer_calibration_follow(transfer_calibration *it, const executor *device, clmove_error *error);

/* Fills in what is predicted of a workload that was measured, by the device's calibration. */
clmove_status transfer_predict(const executor *device, const bench_case *one, transfer_result *result, clmove_error *error);

#endif
