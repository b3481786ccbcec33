/* clmove bench --transfer: whether to move a tensor here and upload the result, or to upload it and move it there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_TRANSFER_H
#define CLMOVE_HOST_TOOLS_TRANSFER_TRANSFER_H

#include "host/tools/bench/run.h"

/* How. */
typedef struct bench_transfer_settings {
    bool as_json, is_cold;
    bool calibrates;  /* the device is calibrated beside each workload, although a file says how fast it is */
    const char *more; /* for bench_repeat_text */
} bench_transfer_settings;

/* Measures the cases chosen on an open device, and prints what was found. Returns an exit status. */
int bench_transfer(const bench_choice *choice, const executor *who, const bench_settings *settings,
                   const bench_transfer_settings *transfer);

#endif
