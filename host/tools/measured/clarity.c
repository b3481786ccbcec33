/* See clarity.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/measured/clarity.h"

#include "host/tools/measured/statistics.h"

#include <math.h>
#include <stdlib.h>

/* Of the standard errors of one map: a loss beyond is no noise. */
#define ERRORS_OF_A_MAP 2

#define WAITED_WHEN_QUIET 0.05

/* What is not a number is larger than all: nothing is clear by it. */
static double larger(double a, double b) {
    return isnan(a) || isnan(b) ? INFINITY : a > b ? a : b;
}

/* While a share of the time passes without a processor, figures may be off by that share of the rest. Threads that wake each
 * other wait a little on a quiet machine too. */
static double noise_of_waiting(double waited) {
    double by_others = waited - WAITED_WHEN_QUIET;
    return by_others <= 0 ? 0 : by_others < 0.99 ? by_others / (1 - by_others) : 99;
}

clarity_gain clarity_judge_value(const clarity_sample *samples, int count, double waited) {
    clarity_gain found = {.worst = -1};
    double logs = 0, squares = 0, twins = 0;
    bool harms = false;
    for (int i = 0; i < count; i++) {
        /* how far the speed may be trusted: what repeating showed, or what the present value made against itself */
        double error = larger(samples[i].error, fabs(log(samples[i].twin)));
        logs += log(samples[i].speed);
        twins += log(samples[i].twin);
        squares += error * error;
        harms |= samples[i].speed * (1 + ERRORS_OF_A_MAP * error) < 1 - CLARITY_MATTERS;
        if (found.worst < 0 || samples[i].speed < samples[found.worst].speed)
            found.worst = i;
    }
    if (count == 0)
        return found;
    found.gain = exp(logs / count) - 1;
    found.noise = larger(larger(sqrt(squares), fabs(twins)) / count, noise_of_waiting(waited));
    found.verdict = !(found.gain > CLARITY_MATTERS)                ? CLARITY_NO_GAIN
                    : harms                                        ? CLARITY_HARMS
                    : !(found.gain > CLARITY_ERRORS * found.noise) ? CLARITY_UNCLEAR
                                                                   : CLARITY_BETTER;
    return found;
}

double clarity_find_apart(const double *a, const double *b, int count) {
    bench_series apart = {0};
    bench_summary found;
    bool is_known = count > 0;
    for (int i = 0; i < count && is_known; i++)
        is_known = bench_series_add(&apart, fabs(log(a[i] / b[i])));
    is_known = is_known && bench_series_summarise(&apart, &found);
    free(apart.values);
    return is_known ? found.median : INFINITY;
}

static bool is_quiet(clarity_repeat one) {
    return one.noise < CLARITY_MOST_NOISE && one.waited < CLARITY_MOST_WAITED;
}

bool clarity_is_settled(clarity_repeat first, clarity_repeat second, double apart) {
    return is_quiet(first) && is_quiet(second) && apart < CLARITY_MOST_APART;
}
