/* See statistics.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/measured/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double bench_gbps(int64_t bytes, double seconds) {
    return (double)bytes / seconds / 1e9;
}

/* As nvbench: at least so many runs, and so long; then it ends when all medians are known to this share of themselves. */
#define ENOUGH_RUNS 10
#define ENOUGH_SECONDS 0.3
#define ENOUGH_NOISE 0.005

/* Long before that memory would count. */
#define MOST_RUNS 200000

bool bench_series_add(bench_series *series, double value) {
    if (series->count == series->capacity) {
        size_t capacity = series->capacity ? 2 * series->capacity : 64;
        double *grown = realloc(series->values, capacity * sizeof *grown);
        if (!grown)
            return false;
        series->values = grown;
        series->capacity = capacity;
    }
    series->values[series->count++] = value;
    return true;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

bool bench_series_summarise(const bench_series *series, bench_summary *summary) {
    size_t count = series->count;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, series->values, count * sizeof *sorted);
    double middle = median(sorted, count);
    *summary = (bench_summary){.min = sorted[0], .median = middle, .p95 = sorted[(count * 95 + 99) / 100 - 1]};
    /* From the median distance to the median, which single runs that were disturbed do not change. For normal noise 1.4826 times
     * that is the standard deviation, and the median's standard error is 1.2533 times the mean's. */
    for (size_t i = 0; i < count; i++)
        sorted[i] = fabs(sorted[i] - middle);
    if (middle > 0)
        summary->noise = 1.2533 * 1.4826 * median(sorted, count) / sqrt((double)count) / middle;
    free(sorted);
    return true;
}

static bool has_room(bool done, clmove_error *error) {
    if (!done)
        *error = (clmove_error){.status = CLMOVE_OUT_OF_MEMORY, .text = "there is no memory for its measurements"};
    return done;
}

bool bench_record(bench_series *series, double value, clmove_error *error) {
    return has_room(bench_series_add(series, value), error);
}

bool bench_summarise(const bench_series *series, bench_summary *summary, clmove_error *error) {
    return has_room(bench_series_summarise(series, summary), error);
}

static bool is_quiet(const bench_rounds *rounds, bool *quiet, clmove_error *error) {
    *quiet = true;
    for (size_t i = 0; i < rounds->count && *quiet; i++) {
        bench_summary summary;
        if (!bench_summarise(rounds->series[i], &summary, error))
            return false;
        *quiet = summary.noise < ENOUGH_NOISE;
    }
    return true;
}

bool bench_rounds_run(const bench_rounds *rounds, double seconds, const volatile sig_atomic_t *stop, clmove_error *error) {
    bool done = true, quiet = false;
    size_t next = ENOUGH_RUNS;
    double start = bench_now();
    while (done && !quiet && !*stop && rounds->series[0]->count < MOST_RUNS) {
        double elapsed = bench_now() - start;
        size_t count = rounds->series[0]->count;
        if (count >= BENCH_LEAST && elapsed >= seconds)
            break;
        if (count >= next && elapsed >= ENOUGH_SECONDS) { /* sorting costs more than small runs: not each time */
            done = is_quiet(rounds, &quiet, error);
            next = count + count / 8 + 1;
        } else
            done = rounds->once(rounds->user, error);
    }
    return done;
}
