/* What a calibration works with: plans of all sizes and patterns, and memory for the largest of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_CALIBRATE_BENCH_H
#define CLMOVE_HOST_ADVICE_CALIBRATE_BENCH_H

#include "host/advice/measured.h"

/* Starts as {0}. */
typedef struct clm_bench {
    clmove_device *device;
    double longest; /* seconds that one run may take */
    double slot;    /* seconds of taking turns with a small size */
    size_t most;    /* bytes of each memory */
    int sizes;      /* of curves that there is memory for */
    unsigned char *host_src, *host_dst;
    clmove_buffer *src, *dst; /* NULL on the host */
    clmove_plan *copies[CLM_CALIBRATION_SIZES], *fills[CLM_CALIBRATION_SIZES];
    clmove_plan *moves[CLM_MOVES][CLM_CALIBRATION_REACHES], *least;
    clm_measured measured;
} clm_bench;

/* Makes all plans and all memory, none for what would take longer than it->longest, which is set. It is to be closed in any
 * case. */
clmove_status clm_bench_open(clm_bench *it, clmove_device *device, clmove_error *error);

void clm_bench_close(clm_bench *it);

/* Raises DEVICE_FAILED when the device left it to the host. */
clmove_status clm_bench_check(clmove_plan *plan, clmove_error *error);

#endif
