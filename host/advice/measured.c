/* See measured.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/measured.h"

#include <stdlib.h>
#include <string.h>

#define LARGE (8 << 20) /* there are few runs of it in each round */
#define LEAST_FOR_NOISE (1 << 20)

void clm_series_add(clm_series *series, double seconds) {
    if (series->count < CLM_SERIES_CAPACITY)
        series->values[series->count++] = seconds;
}

static int compare(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

double clm_quantile(const double *values, int count, double share) {
    double sorted[CLM_SERIES_CAPACITY], place = share * (count - 1);
    int below = (int)place;
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return below + 1 < count ? sorted[below] + (sorted[below + 1] - sorted[below]) * (place - below) : sorted[below];
}

/* ---- one figure ---- */

/* On the host it is the lower quartile. A run takes some milliseconds more if two threads share a processor. This happens to many
 * of few runs, but to few runs of a program that runs for long. */
static double find_seconds(const clm_series *it, clmove_place place) {
    double seconds = clm_quantile(it->values, it->count, place == CLMOVE_AT_DEVICE ? 0.5 : 0.25);
    return seconds > 1e-9 ? seconds : 1e-9; /* a clock may count longer steps */
}

static double find_noise(const clm_series *it) {
    double middle = clm_quantile(it->values, it->count, 0.5);
    return (clm_quantile(it->values, it->count, 0.75) - clm_quantile(it->values, it->count, 0.25)) /
           (middle > 1e-9 ? middle : 1e-9);
}

/* ---- curves ---- */

/* There are few runs of the large sizes, and a delay of two of three changes their median. So each size takes the median of its
 * own speed and its neighbours'. If speeds only rise or only fall, that is its own. */
static void smooth_curve(double seconds[CLM_CALIBRATION_SIZES], int known) {
    double smooth[CLM_CALIBRATION_SIZES];
    for (int size = 0; size < known; size++) {
        double near[3];
        int count = 0;
        for (int i = size - 1; i <= size + 1; i++)
            if (i >= 0 && i < known)
                near[count++] = seconds[i] / (double)clm_calibration_bytes(i);
        bool is_inside = count == 3 && clm_calibration_bytes(size) >= LARGE;
        smooth[size] = is_inside ? clm_quantile(near, count, 0.5) * (double)clm_calibration_bytes(size) : seconds[size];
    }
    memcpy(seconds, smooth, (size_t)known * sizeof *smooth);
}

/* Extrapolates the sizes from `known` on. */
static void extend(double seconds[CLM_CALIBRATION_SIZES], int known) {
    int last = known - 1, before = last > 3 ? last - 3 : 0;                              /* sizes further apart have less noise */
    double size = (double)clm_calibration_bytes(last), least = seconds[last] / size / 8; /* it may fall by noise */
    double slope =
        last > 0 ? (seconds[last] - seconds[before]) / (size - (double)clm_calibration_bytes(before)) : seconds[0] / size;
    slope = slope > least ? slope : least;
    for (int i = known; i < CLM_CALIBRATION_SIZES; i++)
        seconds[i] = seconds[last] + slope * ((double)clm_calibration_bytes(i) - size);
}

/* The sizes between two that were measured lie on a straight line. */
static void fill_gaps(const clm_series *measured, double seconds[CLM_CALIBRATION_SIZES], int known) {
    for (int size = 1, before = 0; size < known; size++) {
        if (measured[size].count == 0)
            continue;
        for (int i = before + 1; i < size; i++)
            seconds[i] = seconds[before] + (seconds[size] - seconds[before]) *
                                               (double)(clm_calibration_bytes(i) - clm_calibration_bytes(before)) /
                                               (double)(clm_calibration_bytes(size) - clm_calibration_bytes(before));
        before = size;
    }
}

static void find_curves(const clm_measured *it, clm_calibration *found) {
    for (int curve = 0; curve < CLM_CURVES; curve++) {
        clmove_place place = curve <= CLM_CURVE_HOST_FILL ? CLMOVE_AT_HOST : CLMOVE_AT_DEVICE;
        int known = 0;
        for (int size = 0; size < CLM_CALIBRATION_SIZES; size++)
            if (it->curves[curve][size].count > 0) {
                found->curves[curve][size] = find_seconds(&it->curves[curve][size], place);
                known = size + 1;
            }
        if (known == 0) /* a curve of OpenCL, and the device is the host */
            continue;
        found->measured_sizes[curve] = known;
        fill_gaps(it->curves[curve], found->curves[curve], known);
        smooth_curve(found->curves[curve], known);
        extend(found->curves[curve], known);
    }
}

/* ---- patterns ---- */

/* Compares with copy and fill of the same turn, since a slow machine slows all of them. */
static double find_slowdown(const clm_measured *it, clmove_place place, int pattern, int set, double start) {
    const clm_series *took = &it->moves[place][pattern][set], *copy = &it->moves[place][CLM_PATTERN_COPY][set],
                     *fill = &it->moves[place][CLM_MOVE_FILL][set];
    const clm_work *work = &it->works[pattern][set];
    double copies = (double)work->read_bytes / (double)it->works[CLM_PATTERN_COPY][set].read_bytes,
           fills = (double)(work->written_bytes - work->read_bytes) / (double)it->works[CLM_MOVE_FILL][set].written_bytes,
           slowdowns[CLM_SERIES_CAPACITY];
    for (int i = 0; i < took->count; i++) {
        double base = (copy->values[i] - start) * copies + (fill->values[i] - start) * fills;
        slowdowns[i] = base > 0 ? (took->values[i] - start) / base : 1; /* less than a launch: noise */
    }
    return clm_quantile(slowdowns, took->count, 0.5);
}

static void find_slowdowns(const clm_measured *it, clm_calibration *found, clmove_place place) {
    for (int pattern = 0; pattern < CLM_PATTERNS; pattern++) {
        double slowdown = 1;
        for (int set = 0; set < CLM_CALIBRATION_WORKING_SETS; set++) {
            if (pattern != CLM_PATTERN_COPY && it->moves[place][pattern][set].count > 0)
                slowdown = find_slowdown(it, place, pattern, set, clm_cost_start(found, place));
            slowdown = slowdown > 0.25 ? slowdown : 0.25; /* noise */
            found->slowdown[place][pattern][set] = slowdown;
        }
    }
}

/* ---- all ---- */

static double find_all_noise(const clm_measured *it) {
    double noise[CLM_CURVES * CLM_CALIBRATION_SIZES + 2 * CLM_MOVES * CLM_CALIBRATION_WORKING_SETS];
    const clm_series *moves = &it->moves[0][0][0];
    int count = 0;
    for (int curve = 0; curve < CLM_CURVES; curve++)
        for (int size = 0; size < CLM_CALIBRATION_SIZES; size++)
            if (clm_calibration_bytes(size) >= LEAST_FOR_NOISE && it->curves[curve][size].count > 0)
                noise[count++] = find_noise(&it->curves[curve][size]);
    for (int i = 0; i < 2 * CLM_MOVES * CLM_CALIBRATION_WORKING_SETS; i++)
        if (moves[i].count > 0)
            noise[count++] = find_noise(&moves[i]);
    return count > 0 ? clm_quantile(noise, count, 0.5) : 0;
}

void clm_measured_summarise(const clm_measured *it, clm_calibration *found) {
    *found = (clm_calibration){.origin = CLMOVE_CALIBRATION_MEASURED, .noise = find_all_noise(it)};
    find_curves(it, found);
    find_slowdowns(it, found, CLMOVE_AT_HOST);
    if (it->launch.count > 0) {
        found->launch = find_seconds(&it->launch, CLMOVE_AT_DEVICE);
        find_slowdowns(it, found, CLMOVE_AT_DEVICE);
    }
}
