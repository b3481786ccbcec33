/* What a calibration runs: the maps of all sizes and patterns, their plans, and memory for the largest of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_CALIBRATE_BENCH_H
#define CLMOVE_HOST_ADVICE_CALIBRATE_BENCH_H

#include "host/advice/measured.h"

/* Starts as {0}. */
typedef struct clm_bench {
    clmove_device *device;
    /* The most seconds that one run may take. */
    double longest;
    /* Seconds for which a small size is measured in a round. */
    double slot;
    /* The bytes of each memory below. */
    size_t most;
    /* The sizes of curves that there is memory for. */
    int sizes;
    unsigned char *host_src, *host_dst;
    /* NULL: the device is the host. */
    clmove_buffer *src, *dst;
    clmove_plan *copies[CLM_CALIBRATION_SIZES], *fills[CLM_CALIBRATION_SIZES];
    clmove_plan *moves[CLM_MOVES][CLM_CALIBRATION_WORKING_SETS], *least;
    clm_measured measured;
} clm_bench;

/* Makes the plans and the memory for all runs that take at most it->longest, which the caller sets. clm_bench_close must follow,
 * also on failure. */
clmove_status clm_bench_open(clm_bench *it, clmove_device *device, clmove_error *error);

void clm_bench_close(clm_bench *it);

/* Raises DEVICE_FAILED if a plan fell back to the host. */
clmove_status clm_bench_check(clmove_plan *plan, clmove_error *error);

/* A map of a clm_pattern or of CLM_MOVE_FILL, which repeats 64 bytes. It reads and writes about `bytes` bytes in all, and neither
 * side is larger. bytes is at least CLM_CALIBRATION_LEAST, of copy and fill 128 and a multiple of it. */
clmove_status clm_bench_map(clmove_map *map, int move, int64_t bytes, clmove_error *error);

#endif
