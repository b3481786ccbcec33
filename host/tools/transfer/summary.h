/* What all workloads between host and device say together, for people and for programs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_SUMMARY_H
#define CLMOVE_HOST_TOOLS_TRANSFER_SUMMARY_H

#include "host/tools/transfer/tally.h"

/* calibration: who said how fast the device is. On false a sentence has been printed. */
bool transfer_summary_json(const transfer_tally *tally, clmove_calibration_origin calibration, bool is_sweep);
void transfer_summary_print(const transfer_tally *tally, clmove_calibration_origin calibration, bool is_sweep);

#endif
