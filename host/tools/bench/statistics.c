/* See bench_statistics.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
