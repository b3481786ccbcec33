/* The time, for measuring how long something takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_CLOCK_H
#define CLMOVE_HOST_CLOCK_H

#include <time.h>

/* Seconds since some point in the past. */
static inline double clm_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
