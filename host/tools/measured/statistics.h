/* Series of measurements, and rounds of measuring: until the figures stand still or the time is up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MEASURED_STATISTICS_H
#define CLMOVE_HOST_TOOLS_MEASURED_STATISTICS_H

#include <clmove/clmove.h>

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Seconds since some point in the past. */
double bench_now(void);

/* 10^9 bytes a second. */
double bench_gbps(int64_t bytes, double seconds);

/* Starts as {0}; free values. */
typedef struct bench_series {
    double *values;
    size_t count, capacity;
} bench_series;

/* False: out of memory, and the series is as it was. */
bool bench_series_add(bench_series *series, double value);

typedef struct bench_summary {
    double min, median, p95;
    /* The standard error of the median, as a share of it: how far the median may be trusted. */
    double noise;
} bench_summary;

/* False: out of memory. The series has at least one value. */
bool bench_series_summarise(const bench_series *series, bench_summary *summary);

/* The same for those who pass errors on: on false, here and below, *error says that there is no memory, or what failed. */
bool bench_record(bench_series *series, double value, clmove_error *error);
bool bench_summarise(const bench_series *series, bench_summary *summary, clmove_error *error);

/* Fewer rounds than these are nothing to report. */
enum { BENCH_LEAST = 3 };

/* What is measured in one round, and whose medians are to stand still. */
typedef struct bench_rounds {
    /* Adds a value to each series. */
    bool (*once)(void *user, clmove_error *error);
    void *user;
    const bench_series *const *series;
    /* The number of series. The first of them counts the rounds. */
    size_t count;
} bench_rounds;

/* Measures round after round, for so many seconds at most, until *stop is not 0. When it was stopped there may be fewer than
 * BENCH_LEAST. */
bool bench_rounds_run(const bench_rounds *rounds, double seconds, const volatile sig_atomic_t *stop, clmove_error *error);

#endif
