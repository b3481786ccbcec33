/* The measurements of a calibration, and the figures computed from them. No clock, no device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_MEASURED_H
#define CLMOVE_HOST_ADVICE_MEASURED_H

#include "host/advice/cost.h"

enum { CLM_SERIES_CAPACITY = 1024 };

/* The seconds of repeated runs of the same work. */
typedef struct clm_series {
    double values[CLM_SERIES_CAPACITY];
    int count;
} clm_series;

/* The work that is measured to compare patterns: each pattern, and a fill. */
enum { CLM_MOVE_FILL = CLM_PATTERNS, CLM_MOVES };

/* All measurements. Starts as {0}. */
typedef struct clm_measured {
    /* Empty, as all series of OpenCL, if the device is the host. */
    clm_series launch;
    /* The least size, and as many larger ones as the time sufficed for. */
    clm_series curves[CLM_CURVES][CLM_CALIBRATION_SIZES];
    /* By clmove_place. All series of one working set were measured in turn, so that they have equally many values: value i of
     * each followed value i of the one before. A series is empty if the time did not suffice. */
    clm_series moves[2][CLM_MOVES][CLM_CALIBRATION_WORKING_SETS];
    /* The work of each series, at both places. */
    clm_work works[CLM_MOVES][CLM_CALIBRATION_WORKING_SETS];
} clm_measured;

/* Adds a value. Beyond CLM_SERIES_CAPACITY it is dropped. */
void clm_series_add(clm_series *series, double seconds);

/* A quantile of 1 to CLM_SERIES_CAPACITY values. share: 0 for the least, 0.5 for the median, 1 for the largest. */
double clm_quantile(const double *values, int count, double share);

/* Computes a calibration. The figures are quantiles, so that a few slow runs do not change them; many slow runs increase the
 * noise. */
void clm_measured_summarise(const clm_measured *measured, clm_calibration *calibration);

#endif
