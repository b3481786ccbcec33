/* See cost.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/cost.h"

#include <inttypes.h>
#include <string.h>

static const char *const curve_names[CLMOVE_CURVES] = {
#define CURVE_NAME(name, key) key,
    CLMOVE_CURVE_LIST(CURVE_NAME)
#undef CURVE_NAME
};

static const char *const pattern_names[CLMOVE_PATTERNS] = {
#define PATTERN_NAME(name, key) key,
    CLMOVE_PATTERN_LIST(PATTERN_NAME)
#undef PATTERN_NAME
};

const char *clm_curve_name(clmove_curve curve) {
    return curve_names[curve];
}

const char *clm_pattern_name(clmove_pattern pattern) {
    return pattern_names[pattern];
}

int64_t clm_calibration_bytes(int size) {
    return (int64_t)CLMOVE_CALIBRATION_LEAST << size;
}

int64_t clm_reach_bytes(int reach) {
    return reach == 0 ? INT64_C(8) << 20 : INT64_C(128) << 20;
}

void clm_work_from_form(clm_work *work, const clm_normal_form *form, const clm_variant *variant) {
    int64_t read_units = 1;
    *work = (clm_work){.pattern = CLMOVE_PATTERN_GATHER, .launches = 1};
    for (int pattern = 0; pattern < CLMOVE_PATTERNS; pattern++)
        if (strcmp(variant->name, pattern_names[pattern]) == 0)
            work->pattern = (clmove_pattern)pattern;
    for (int32_t i = 0; i < form->rank; i++)
        read_units *= form->axes[i].src ? form->axes[i].extent : 1;
    work->read_bytes = form->unit_bits >= 8 ? read_units * (form->unit_bits / 8) : (read_units - 1) / (8 / form->unit_bits) + 1;
    work->written_bytes = clm_written_bytes(form);
}

/* ---- seconds ---- */

/* Sizes double, so a straight line between two of them is as good as one in logarithms, and needs no libm. Past the last one at
 * its speed. */
double clm_cost_of(const clmove_calibration *calibration, clmove_curve curve, int64_t bytes) {
    const double *seconds = calibration->curves[curve];
    const int last = CLMOVE_CALIBRATION_SIZES - 1;
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

double clm_cost_start(const clmove_calibration *calibration, clmove_place place) {
    return place == CLMOVE_AT_HOST ? 0 : calibration->launch;
}

/* Of `part` of the bytes of a curve, at the speed that it has for all of them; what does not grow left out. */
static double cost_of_part(const clmove_calibration *calibration, clmove_curve curve, int64_t bytes, int64_t part, double start) {
    if (part <= 0)
        return 0;
    double all = clm_cost_of(calibration, curve, bytes), grows = all - start;
    if (grows < all / 64) /* noise: even the smallest part takes some of it */
        grows = all / 64;
    return grows * ((double)part / (double)bytes);
}

double clm_cost_base(const clmove_calibration *calibration, clmove_place place, const clm_work *work) {
    bool on_host = place == CLMOVE_AT_HOST;
    double start = clm_cost_start(calibration, place);
    int64_t all = work->read_bytes + work->written_bytes;
    return start * (double)(on_host ? 1 : work->launches) +
           cost_of_part(calibration, on_host ? CLMOVE_CURVE_HOST_COPY : CLMOVE_CURVE_DEVICE_COPY, (all + 1) / 2, work->read_bytes,
                        start) +
           cost_of_part(calibration, on_host ? CLMOVE_CURVE_HOST_FILL : CLMOVE_CURVE_DEVICE_FILL, all,
                        work->written_bytes - work->read_bytes, start);
}

/* Seconds for each byte that is read or written, at the speed of copy and fill, were there so many of them in the same shares. */
static double find_base_rate(const clmove_calibration *calibration, clmove_place place, const clm_work *work, int64_t bytes) {
    double all = (double)(work->read_bytes + work->written_bytes), start = clm_cost_start(calibration, place);
    clm_work scaled = {.read_bytes = (int64_t)((double)bytes * ((double)work->read_bytes / all)), .launches = 1};
    scaled.written_bytes = bytes - scaled.read_bytes;
    return (clm_cost_base(calibration, place, &scaled) - start) / (double)bytes;
}

/* What is slower than a copy in the cache need not be slower than memory, so between the two reaches a pattern comes nearer to
 * what it is from memory as copy and fill themselves do. Where those have one speed, by the bytes. */
static double find_slowdown(const clmove_calibration *calibration, clmove_place place, const clm_work *work) {
    const double *slowdown = calibration->slowdown[place][work->pattern];
    int64_t bytes = work->read_bytes + work->written_bytes, near = clm_reach_bytes(0), far = clm_reach_bytes(1);
    if (bytes <= near)
        return slowdown[0];
    if (bytes >= far)
        return slowdown[1];
    double rate = find_base_rate(calibration, place, work, bytes), rate_near = find_base_rate(calibration, place, work, near),
           rate_far = find_base_rate(calibration, place, work, far);
    double share = (double)(bytes - near) / (double)(far - near);
    if (rate_far > rate_near * 1.25) {
        share = (rate - rate_near) / (rate_far - rate_near);
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        return (slowdown[0] * rate_near * (1 - share) + slowdown[1] * rate_far * share) / rate;
    }
    return slowdown[0] * (1 - share) + slowdown[1] * share;
}

double clm_cost_move(const clmove_calibration *calibration, clmove_place place, const clm_work *work) {
    double start = clm_cost_start(calibration, place) * (double)(place == CLMOVE_AT_HOST ? 1 : work->launches);
    if (work->written_bytes == 0)
        return 0;
    return start + (clm_cost_base(calibration, place, work) - start) * find_slowdown(calibration, place, work);
}

static double largest(double a, double b, double c) {
    double most = a > b ? a : b;
    return most > c ? most : c;
}

/* The calibration's own clmove_run of a copy says what running adds to moving, or how much of the steps it does at once. */
static double cost_run(const clmove_calibration *calibration, const clm_work *work, double move, double upload, double download,
                       bool in_place) {
    int64_t half = (work->read_bytes + work->written_bytes + 1) / 2;
    double whole = clm_cost_of(calibration, CLMOVE_CURVE_DEVICE_RUN, half);
    double copy = clm_cost_of(calibration, CLMOVE_CURVE_DEVICE_COPY, half);
    if (in_place)
        return move + (whole > copy ? whole - copy : 0);
    double up = clm_cost_of(calibration, CLMOVE_CURVE_UPLOAD, half), down = clm_cost_of(calibration, CLMOVE_CURVE_DOWNLOAD, half);
    double at_once = (up + copy + down - whole) / (up + copy + down - largest(up, copy, down));
    at_once = at_once > 1 ? 1 : at_once; /* below 0: running takes more than its steps */
    double sum = upload + move + download;
    return sum - at_once * (sum - largest(upload, move, download));
}

void clm_cost_predict(const clmove_calibration *calibration, const clm_work *work, bool is_host, bool in_place,
                      clmove_prediction *prediction) {
    *prediction = (clmove_prediction){
        .is_calibrated = calibration->origin != CLMOVE_CALIBRATION_GUESS,
        .in_place = in_place || is_host,
        .read_bytes = work->read_bytes,
        .written_bytes = work->written_bytes,
        .host_seconds = clm_cost_move(calibration, CLMOVE_AT_HOST, work),
    };
    prediction->device_seconds = prediction->run_seconds = prediction->host_seconds;
    if (is_host)
        return;
    prediction->upload_src_seconds = clm_cost_of(calibration, CLMOVE_CURVE_UPLOAD, work->src_bytes);
    prediction->upload_dst_seconds = clm_cost_of(calibration, CLMOVE_CURVE_UPLOAD, work->dst_bytes);
    prediction->download_src_seconds = clm_cost_of(calibration, CLMOVE_CURVE_DOWNLOAD, work->src_bytes);
    prediction->download_dst_seconds = clm_cost_of(calibration, CLMOVE_CURVE_DOWNLOAD, work->dst_bytes);
    prediction->device_seconds = clm_cost_move(calibration, CLMOVE_AT_DEVICE, work);
    prediction->run_seconds = cost_run(calibration, work, prediction->device_seconds, prediction->upload_src_seconds,
                                       prediction->download_dst_seconds, in_place);
}

/* ---- figures ---- */

void clm_calibration_extend(clmove_calibration *calibration, int known) {
    int last = known - 1, before = last > 3 ? last - 3 : 0; /* further apart is less noise */
    for (int curve = 0; curve < CLMOVE_CURVES; curve++) {
        double *seconds = calibration->curves[curve];
        double size = (double)clm_calibration_bytes(last), least = seconds[last] / size / 64; /* noise can make it fall */
        double slope =
            last > 0 ? (seconds[last] - seconds[before]) / (size - (double)clm_calibration_bytes(before)) : seconds[0] / size;
        slope = slope > least ? slope : least;
        for (int i = known; i < CLMOVE_CALIBRATION_SIZES; i++)
            seconds[i] = seconds[last] + slope * ((double)clm_calibration_bytes(i) - size);
    }
}

/* seconds = start + bytes / speed, for every size. */
static void guess_curve(clmove_calibration *calibration, clmove_curve curve, double start, double gbps) {
    for (int i = 0; i < CLMOVE_CALIBRATION_SIZES; i++)
        calibration->curves[curve][i] = start + (double)clm_calibration_bytes(i) / (gbps * 1e9);
}

/* Orders of magnitude. What was measured, with POCL 3.1 on 2 cores (Zen 5): launch 30 us, copies at 20 to 50 GB/s, uploads at 10.
 * Of links: PCIe 3.0 from pageable memory. */
void clm_calibration_guess(clmove_calibration *calibration, clm_guess_class class) {
    static const struct {
        double launch, link_start, link, copy, fill, run_start;
    } rows[] = {
        [CLM_GUESS_CPU] = {30e-6, 5e-6, 10, 20, 25, 10e-6},
        [CLM_GUESS_UNIFIED] = {30e-6, 15e-6, 10, 15, 25, 20e-6},
        [CLM_GUESS_DISCRETE] = {20e-6, 20e-6, 6, 150, 300, 20e-6},
    };
    *calibration = (clmove_calibration){.origin = CLMOVE_CALIBRATION_GUESS};
    for (int place = 0; place < 2; place++)
        for (int pattern = 0; pattern < CLMOVE_PATTERNS; pattern++)
            for (int reach = 0; reach < CLMOVE_CALIBRATION_REACHES; reach++)
                calibration->slowdown[place][pattern][reach] = pattern == CLMOVE_PATTERN_GATHER ? 3
                                                               : pattern == CLMOVE_PATTERN_BITS ? 10
                                                                                                : 1;
    guess_curve(calibration, CLMOVE_CURVE_HOST_COPY, 1e-6, 20);
    guess_curve(calibration, CLMOVE_CURVE_HOST_FILL, 1e-6, 25);
    if (class == CLM_GUESS_HOST)
        return;
    calibration->launch = rows[class].launch;
    guess_curve(calibration, CLMOVE_CURVE_UPLOAD, rows[class].link_start, rows[class].link);
    guess_curve(calibration, CLMOVE_CURVE_DOWNLOAD, rows[class].link_start, rows[class].link);
    guess_curve(calibration, CLMOVE_CURVE_DEVICE_COPY, rows[class].launch, rows[class].copy);
    guess_curve(calibration, CLMOVE_CURVE_DEVICE_FILL, rows[class].launch, rows[class].fill);
    for (int i = 0; i < CLMOVE_CALIBRATION_SIZES; i++) {
        double *run = &calibration->curves[CLMOVE_CURVE_DEVICE_RUN][i];
        *run = calibration->curves[CLMOVE_CURVE_DEVICE_COPY][i] + rows[class].run_start;
        if (class != CLM_GUESS_CPU)
            *run += calibration->curves[CLMOVE_CURVE_UPLOAD][i] + calibration->curves[CLMOVE_CURVE_DOWNLOAD][i];
    }
}

static bool is_figure(double value) {
    return value > 0 && value <= 1e6; /* false for what is not a number */
}

clmove_status clm_calibration_check(const clmove_calibration *calibration, bool is_host, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int curve = 0; curve < CLMOVE_CURVES; curve++)
        for (int i = 0; i < CLMOVE_CALIBRATION_SIZES && (!is_host || curve <= CLMOVE_CURVE_HOST_FILL); i++)
            REQUIRE(is_figure(calibration->curves[curve][i]), INVALID_ARGUMENT,
                    "%s of %" PRId64 " bytes takes %g seconds, it must be above 0 and at most 10^6", curve_names[curve],
                    clm_calibration_bytes(i), calibration->curves[curve][i]);
    for (int place = 0; place < (is_host ? 1 : 2); place++)
        for (int i = 0; i < CLMOVE_PATTERNS * CLMOVE_CALIBRATION_REACHES; i++) {
            double value = calibration->slowdown[place][i / CLMOVE_CALIBRATION_REACHES][i % CLMOVE_CALIBRATION_REACHES];
            REQUIRE(is_figure(value), INVALID_ARGUMENT, "the slowdown of %s on the %s is %g, it must be above 0 and at most 10^6",
                    pattern_names[i / CLMOVE_CALIBRATION_REACHES], place == CLMOVE_AT_HOST ? "host" : "device", value);
        }
    REQUIRE(is_host || is_figure(calibration->launch), INVALID_ARGUMENT,
            "a launch takes %g seconds, it must be above 0 and at most 10^6", calibration->launch);
out:
    return status;
}
