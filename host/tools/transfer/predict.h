/* What a workload's ways are predicted to take.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_PREDICT_H
#define CLMOVE_HOST_TOOLS_TRANSFER_PREDICT_H

#include "host/tools/transfer/measure.h"

/* Fills in what is predicted of a workload that was measured, by the device's calibration. */
clmove_status transfer_predict(const executor *device, const bench_case *one, transfer_result *result, clmove_error *error);

#endif
