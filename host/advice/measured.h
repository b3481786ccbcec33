/* What a calibration's rounds measured, and the figures that it comes to: no clock, no device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_MEASURED_H
#define CLMOVE_HOST_ADVICE_MEASURED_H

#include "host/advice/cost.h"

enum { CLM_SERIES_CAPACITY = 1024 };

/* Seconds that the same took, again and again. */
typedef struct clm_series {
    double values[CLM_SERIES_CAPACITY];
    int count;
} clm_series;

/* What is moved to compare patterns: each of them, and a fill. */
enum { CLM_MOVE_FILL = CLM_PATTERNS, CLM_MOVES };

/* Starts as {0}. */
typedef struct clm_measured {
    bool is_host; /* nothing is of OpenCL */
    clm_series launch;
    clm_series curves[CLM_CURVES][CLM_CALIBRATION_SIZES]; /* the least size, and as many more as there was time for */
    /* At each clmove_place. All of a reach were done in turn, as often: value i of each followed value i of the one before. Those
     * that there was no time for have no values. */
    clm_series moves[2][CLM_MOVES][CLM_CALIBRATION_REACHES];
    clm_work works[CLM_MOVES][CLM_CALIBRATION_REACHES]; /* what was moved, at both places */
} clm_measured;

/* What is beyond capacity is left away. */
void clm_series_add(clm_series *series, double seconds);

/* Of at least one value, at most CLM_SERIES_CAPACITY. share: 0 for the least, 0.5 for the median, 1 for the largest. */
double clm_quantile(const double *values, int count, double share);

/* What is disturbed for a moment does not show; what is disturbed for longer shows in the noise. */
void clm_measured_summarise(const clm_measured *measured, clm_calibration *calibration);

#endif
