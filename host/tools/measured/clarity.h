/* Whether what was measured is clear enough to be kept: no clock, no device, no file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MEASURED_CLARITY_H
#define CLMOVE_HOST_TOOLS_MEASURED_CLARITY_H

#include <stdbool.h>

#define CLARITY_MATTERS 0.03 /* what counts as a gain, and as a loss */
#define CLARITY_ERRORS 3     /* a gain is clear when it is larger than so many times the noise */

/* A calibration is clear up to these. */
#define CLARITY_MOST_NOISE 0.2
#define CLARITY_MOST_WAITED 0.2
#define CLARITY_MOST_APART 0.2

/* A value of a tuning key beside the present one, on one map. */
typedef struct clarity_sample {
    /* The speed over that of the present value. */
    double speed;
    /* The standard error of the speed, as a share of it. */
    double error;
    /* The speed of the present value over its own, measured as the other was: 1 without noise. */
    double twin;
} clarity_sample;

typedef enum clarity_verdict {
    CLARITY_NO_GAIN,
    /* Slower on a map, by more than the noise may explain. */
    CLARITY_HARMS,
    /* Faster, by no more than the noise may explain. */
    CLARITY_UNCLEAR,
    CLARITY_BETTER,
} clarity_verdict;

typedef struct clarity_gain {
    /* The geometric mean of the speeds, less 1. */
    double gain;
    /* How far the gain may be trusted. */
    double noise;
    /* The sample with the least speed; -1: there is none. */
    int worst;
    clarity_verdict verdict;
} clarity_gain;

/* Judges a value by its samples, one a map. waited: the share of their time for which the process's threads were ready and had no
 * processor. That is noise even where all samples agree: other programs may take one processor all the time, and a value that
 * uses one processor then seems better than it is. */
clarity_gain clarity_judge_value(const clarity_sample *samples, int count, double waited);

/* How two measurements of the same figures differ, of which each pair is above 0: the median of |log(a / b)|. Infinite without
 * figures. */
double clarity_find_apart(const double *a, const double *b, int count);

/* One calibration. */
typedef struct clarity_repeat {
    /* clmove_calibration_info.noise. */
    double noise;
    /* As above. */
    double waited;
} clarity_repeat;

/* Whether two calibrations of the same device, so far apart, are clear: the machine was quiet both times, and they agree. */
bool clarity_is_settled(clarity_repeat first, clarity_repeat second, double apart);

#endif
