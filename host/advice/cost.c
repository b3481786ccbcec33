/* See cost.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/cost.h"

#include <string.h>

/* Wide blocks take 1.5 times as long (16 rows of 96 bytes each, POCL and host on a Zen 5): each row is shorter than two vectors
 * and has an end of its own. */
#define WIDE_BLOCK 9

void clm_work_from_form(clm_work *work, const clm_normal_form *form, const clm_launch_plan *launch_plan) {
    *work = (clm_work){.pattern = CLM_PATTERN_GATHER, .launches = launch_plan->launches};
    for (int pattern = 0; pattern < CLM_PATTERNS; pattern++)
        if (strcmp(launch_plan->variant->name, clm_pattern_names[pattern]) == 0)
            work->pattern = (clm_pattern)pattern;
    if (work->pattern == CLM_PATTERN_DEINTERLEAVE && launch_plan->m >= WIDE_BLOCK)
        work->pattern = CLM_PATTERN_DEINTERLEAVE_WIDE;
    if (launch_plan->variant->makes_passes) /* which calibrations have no pattern for: blocks of 9 to 16 are about as slow */
        work->pattern = CLM_PATTERN_DEINTERLEAVE_WIDE;
    if (clm_gathers_short_rows(launch_plan)) /* as that is faster than what it was passed over for */
        work->pattern = CLM_PATTERN_DEINTERLEAVE;
    if (clm_gathers_runs(launch_plan))
        work->pattern = CLM_PATTERN_ROWS;
    work->read_bytes = clm_read_bytes(form);
    work->written_bytes = clm_written_bytes(form);
}

/* ---- seconds ---- */

/* A straight line between two sizes, which double, is as exact as one in logarithms, and needs no libm. Larger sizes have the
 * speed of the last one. */
double clm_cost_of(const clm_calibration *calibration, clm_curve curve, int64_t bytes) {
    const double *seconds = calibration->curves[curve];
    const int last = CLM_CALIBRATION_SIZES - 1;
    int below = 0;
    if (bytes <= 0)
        return 0;
    if (bytes <= clm_calibration_bytes(0))
        return seconds[0];
    if (bytes >= clm_calibration_bytes(last))
        return seconds[last] * ((double)bytes / (double)clm_calibration_bytes(last));
    while (bytes >= clm_calibration_bytes(below + 1))
        below++;
    double size = (double)clm_calibration_bytes(below);
    return seconds[below] + (seconds[below + 1] - seconds[below]) * (((double)bytes - size) / size);
}

double clm_cost_start(const clm_calibration *calibration, clmove_place place) {
    return place == CLMOVE_AT_HOST ? 0 : calibration->launch;
}

/* Seconds of `part` of the bytes, at the speed of the curve for all bytes, without the launch. */
static double cost_of_part(const clm_calibration *calibration, clm_curve curve, int64_t bytes, int64_t part, double start) {
    double all = clm_cost_of(calibration, curve, bytes), grows = all - start;
    if (grows < all / 64) /* noise: even the smallest part takes some time */
        grows = all / 64;
    return grows * ((double)part / (double)bytes);
}

/* Seconds of copy and fill for the bytes of the work, without launches. Slowdowns are relative to it. */
static double cost_of_bytes(const clm_calibration *calibration, clmove_place place, const clm_work *work) {
    bool on_host = place == CLMOVE_AT_HOST;
    double start = clm_cost_start(calibration, place);
    int64_t all = work->read_bytes + work->written_bytes;
    return cost_of_part(calibration, on_host ? CLM_CURVE_HOST_COPY : CLM_CURVE_DEVICE_COPY, (all + 1) / 2, work->read_bytes,
                        start) +
           cost_of_part(calibration, on_host ? CLM_CURVE_HOST_FILL : CLM_CURVE_DEVICE_FILL, all,
                        work->written_bytes - work->read_bytes, start);
}

/* The same for each byte, for another working set with the same shares of both. */
static double find_rate(const clm_calibration *calibration, clmove_place place, const clm_work *work, int64_t bytes) {
    double all = (double)(work->read_bytes + work->written_bytes);
    clm_work scaled = {.read_bytes = (int64_t)((double)bytes * ((double)work->read_bytes / all))};
    scaled.written_bytes = bytes - scaled.read_bytes;
    return cost_of_bytes(calibration, place, &scaled) / (double)bytes;
}

/* Interpolates the slowdown between two working sets. A pattern that is slower than a copy in the cache may be as fast as memory,
 * so the interpolation follows the speed of copy and fill between the two. If that speed is the same, it follows the bytes. */
static double find_slowdown(const clm_calibration *calibration, clmove_place place, const clm_work *work) {
    const double *slowdown = calibration->slowdown[place][work->pattern];
    int64_t bytes = work->read_bytes + work->written_bytes;
    int set = 0;
    while (set < CLM_CALIBRATION_WORKING_SETS && bytes > clm_working_set_bytes(set))
        set++;
    if (set == 0 || set == CLM_CALIBRATION_WORKING_SETS)
        return slowdown[set == 0 ? 0 : set - 1];
    int64_t near = clm_working_set_bytes(set - 1), far = clm_working_set_bytes(set);
    double slow_near = slowdown[set - 1], slow_far = slowdown[set];
    double rate = find_rate(calibration, place, work, bytes), rate_near = find_rate(calibration, place, work, near),
           rate_far = find_rate(calibration, place, work, far);
    double share = (double)(bytes - near) / (double)(far - near);
    if (rate_far > rate_near * 1.25) {
        share = (rate - rate_near) / (rate_far - rate_near);
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        return (slow_near * rate_near * (1 - share) + slow_far * rate_far * share) / rate;
    }
    return slow_near * (1 - share) + slow_far * share;
}

double clm_cost_move(const clm_calibration *calibration, clmove_place place, const clm_work *work) {
    if (work->written_bytes == 0)
        return 0;
    return clm_cost_start(calibration, place) * (double)work->launches +
           cost_of_bytes(calibration, place, work) * find_slowdown(calibration, place, work);
}

static double largest(double a, double b, double c) {
    double most = a > b ? a : b;
    return most > c ? most : c;
}

/* clmove_run of a copy was measured. The difference to its steps is the overhead of a run, or the overlap of its steps. */
static double cost_run(const clm_calibration *calibration, const clm_work *work, double move, double upload, double download,
                       bool in_place) {
    int64_t half = (work->read_bytes + work->written_bytes + 1) / 2;
    if (half == 0)
        return 0;
    double whole = clm_cost_of(calibration, CLM_CURVE_DEVICE_RUN, half);
    double copy = clm_cost_of(calibration, CLM_CURVE_DEVICE_COPY, half);
    if (in_place)
        return move + (whole > copy ? whole - copy : 0);
    double up = clm_cost_of(calibration, CLM_CURVE_UPLOAD, half), down = clm_cost_of(calibration, CLM_CURVE_DOWNLOAD, half);
    double at_once = (up + copy + down - whole) / (up + copy + down - largest(up, copy, down));
    at_once = at_once > 1 ? 1 : at_once; /* below 0: a run takes longer than its steps */
    double sum = upload + move + download;
    return sum - at_once * (sum - largest(upload, move, download));
}

void clm_cost_predict(const clm_calibration *calibration, const clm_work *work, const clm_work *here, bool is_host, bool in_place,
                      clmove_prediction *prediction) {
    *prediction = (clmove_prediction){
        .is_calibrated = calibration->origin != CLMOVE_CALIBRATION_GUESS,
        .noise = calibration->noise,
        .in_place = in_place || is_host,
        .read_bytes = work->read_bytes,
        .written_bytes = work->written_bytes,
        .host_seconds = clm_cost_move(calibration, CLMOVE_AT_HOST, here),
    };
    prediction->device_seconds = prediction->run_seconds = prediction->host_seconds;
    if (is_host)
        return;
    prediction->upload_src_seconds = clm_cost_of(calibration, CLM_CURVE_UPLOAD, work->src_bytes);
    prediction->upload_dst_seconds = clm_cost_of(calibration, CLM_CURVE_UPLOAD, work->dst_bytes);
    prediction->download_src_seconds = clm_cost_of(calibration, CLM_CURVE_DOWNLOAD, work->src_bytes);
    prediction->download_dst_seconds = clm_cost_of(calibration, CLM_CURVE_DOWNLOAD, work->dst_bytes);
    prediction->device_seconds = clm_cost_move(calibration, CLMOVE_AT_DEVICE, work);
    prediction->launch_seconds = calibration->launch * (double)work->launches;
    prediction->run_seconds = cost_run(calibration, work, prediction->device_seconds, prediction->upload_src_seconds,
                                       prediction->download_dst_seconds, in_place);
}
