/* Series of measurements.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_STATISTICS_H
#define CLMOVE_HOST_TOOLS_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}; free values. */
typedef struct bench_series {
    double *values;
    size_t count, capacity;
} bench_series;

/* False: out of memory, and the series is as it was. */
bool bench_series_add(bench_series *series, double value);

typedef struct bench_summary {
    double min, median, p95;
    double noise; /* the standard error of the median, as a share of it: how far the median may be trusted */
} bench_summary;

/* False: out of memory. The series has at least one value. */
bool bench_series_summarise(const bench_series *series, bench_summary *summary);

#endif
