/* What was measured of ways between host and device, for people and for programs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_REPORT_H
#define CLMOVE_HOST_TOOLS_TRANSFER_REPORT_H

#include "host/tools/common/table.h"
#include "host/tools/transfer/tally.h"

#include <clmove/advice.h>

/* Starts as {.as_json, .is_cold, .is_sweep}; closed by transfer_report_end. */
typedef struct transfer_report {
    bool as_json, is_cold, is_sweep;
    clmove_device_info device;
    clmove_calibration_origin calibration; /* who says how fast it is */
    /* private: */
    transfer_tally tally;
    bench_lines repeats;
} transfer_report;

/* Each prints at once. On false a sentence has been printed, and there is no use in going on. */
bool transfer_report_add(transfer_report *it, const bench_case *one, const transfer_result *result, const char *repeat);
bool transfer_report_end(transfer_report *it);

#endif
