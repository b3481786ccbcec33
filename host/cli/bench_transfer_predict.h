/* What a workload's ways are predicted to take.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLI_BENCH_TRANSFER_PREDICT_H
#define CLMOVE_CLI_BENCH_TRANSFER_PREDICT_H

#include "bench_transfer_measure.h"

/* Fills in what is predicted of a workload that was measured, by the device's calibration. */
clmove_status transfer_predict(const executor *device, const bench_case *one, transfer_result *result, clmove_error *error);

#endif
