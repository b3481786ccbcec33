/* Measures the speed of a device and of the host.
 *
 * It measures in rounds, and figures are medians over the rounds: a short disturbance affects one round. In a round all runs of
 * one size take turns, as in programs. Repeated runs on the same memory would find a part of it in the caches (a kernel of 3.2 ms
 * then takes 2.1, POCL on a Zen 5). The host is measured before the device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/advice.h"
#include "host/advice/calibrate_bench.h"
#include "host/clock.h"

#include <stdlib.h>

#define DEFAULT_SECONDS 2.0
#define MOST_SECONDS 3600.0
#define LEAST_ROUNDS 3
#define MOST_ROUNDS 64
#define MOST_TURNS 16 /* in a round */
/* Smaller sizes take turns for a time. Its first half is not counted: programs are built, caches are filled, and threads wake
 * faster after many times (POCL on a virtual machine: 25 us the first ten times, 10 after a hundred). Larger sizes follow, a few
 * times a round. On the host the first of these does not count, since its threads may wait for a processor. */
#define LARGE (8 << 20)
/* Of the seconds, for all turns of the sizes below in a round. */
#define SLOTS_SHARE 0.1
#define SLOTS 12 /* of a place: 11 sizes, and the launch */
/* Sizes of a curve end where one run takes such a share of all seconds. */
#define LARGEST_SHARE 0.05
/* But of a link with a long delay (PoCL-R: 47 ms for 4 KiB) small sizes do not show the speed. So of the sizes up to 1 MiB each
 * fourth is measured, unless the one before took so many times longer than that. */
#define FEW_SIZES 4
#define MOST_OF_FEW 8 /* 1 MiB */
#define LONGEST_OF_FEW 4

/* ---- runs ---- */

/* A run that takes turns with others. */
typedef struct turn {
    clm_curve curve;
    clmove_plan *plan;
    clm_series *to;
} turn;

static clmove_status run_once(const clm_bench *it, clm_curve curve, clmove_plan *plan, double *seconds, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_times times = {.struct_size = sizeof times};
    clm_kernel *kernel;
    double start = clm_now();
    switch (curve) {
    case CLM_CURVE_HOST_COPY:
    case CLM_CURVE_HOST_FILL:
        TRY(clm_plan_get_kernel(plan, clm_plan_host(plan), 0, &kernel, error));
        kernel->executor->calls->run(kernel, NULL, it->host_src, it->host_dst);
        break;
    case CLM_CURVE_UPLOAD:
        TRY(clmove_buffer_write(it->src, 0, it->host_src, plan->dst_bytes, error));
        break;
    case CLM_CURVE_DOWNLOAD:
        TRY(clmove_buffer_read(it->dst, 0, it->host_dst, plan->dst_bytes, error));
        break;
    case CLM_CURVE_DEVICE_RUN:
        TRY(clmove_run(plan, it->host_src, it->most, it->host_dst, it->most, error));
        TRY(clm_bench_check(plan, error));
        break;
    default:
        TRY(clmove_measure(plan, clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), &times, error));
        TRY(clm_bench_check(plan, error));
        *seconds = times.host_seconds;
        goto out;
    }
    *seconds = clm_now() - start;
out:
    return status;
}

/* First so many runs of each that are not counted, then so many that are. */
static clmove_status take_turns(const clm_bench *it, const turn *turns, int count, int warm, int counted, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int i = 0; i < (warm + counted) * count; i++) {
        const turn *next = &turns[i % count];
        double seconds;
        TRY(run_once(it, next->curve, next->plan, &seconds, error));
        if (i >= warm * count)
            clm_series_add(next->to, seconds);
    }
out:
    return status;
}

static clmove_status take_turns_for_a_while(const clm_bench *it, const turn *turns, int count, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    double start = clm_now();
    do
        TRY(take_turns(it, turns, count, 1, 0, error));
    while (clm_now() - start < it->slot / 2);
    for (int i = 0; i < MOST_TURNS && (i == 0 || clm_now() - start < it->slot); i++)
        TRY(take_turns(it, turns, count, 0, 1, error));
out:
    return status;
}

/* ---- one round ---- */

/* Whether there is time for a run that takes `times` as long as the measured one. */
static bool has_time(const clm_bench *it, const clm_series *measured, double times) {
    return measured->count > 0 && clm_quantile(measured->values, measured->count, 0) * times <= it->longest;
}

static bool is_one_of_few(const clm_bench *it, const clm_series *to, int size) {
    return size % FEW_SIZES == 0 && size <= MOST_OF_FEW && has_time(it, to - FEW_SIZES, 1.0 / LONGEST_OF_FEW);
}

/* Measures the curves of one place, size by size. The first round finds the size at which one run takes too long. */
static clmove_status measure_curves(clm_bench *it, clmove_place place, bool is_first, clmove_error *error) {
    static const clm_curve curves[2][5] = {
        {CLM_CURVE_HOST_COPY, CLM_CURVE_HOST_FILL},
        {CLM_CURVE_UPLOAD, CLM_CURVE_DEVICE_COPY, CLM_CURVE_DOWNLOAD, CLM_CURVE_DEVICE_FILL, CLM_CURVE_DEVICE_RUN}};
    clmove_status status = CLMOVE_OK;
    for (int size = 0; size < it->sizes; size++) {
        turn turns[CLM_CURVES];
        int count = 0;
        for (int i = 0; i < (place == CLMOVE_AT_HOST ? 2 : 5); i++) {
            clm_curve curve = curves[place][i];
            clm_series *to = &it->measured.curves[curve][size];
            bool is_fill = curve == CLM_CURVE_HOST_FILL || curve == CLM_CURVE_DEVICE_FILL;
            bool is_in = is_first ? size == 0 || has_time(it, to - 1, 1) || is_one_of_few(it, to, size) : to->count > 0;
            if (is_in)
                turns[count++] = (turn){curve, is_fill ? it->fills[size] : it->copies[size], to};
        }
        if (count == 0)
            continue;
        if (clm_calibration_bytes(size) < LARGE)
            TRY(take_turns_for_a_while(it, turns, count, error));
        else /* programs are built before the first counted run */
            TRY(take_turns(it, turns, count, place == CLMOVE_AT_HOST || is_first, place == CLMOVE_AT_HOST ? 2 : 1, error));
    }
out:
    return status;
}

/* The size of the curve that the copy of the first working set has. */
static const clm_series *find_nearest(const clm_bench *it, clm_curve curve) {
    int size = 0;
    while (2 * clm_calibration_bytes(size) < clm_working_set_bytes(0))
        size++;
    return &it->measured.curves[curve][size];
}

/* Measures all patterns of a working set in turn, with copy and fill for comparison. A pattern is left out of the next working
 * set if there is no time for it; all are left out if there is none for a copy. Earlier rounds measured the same ones. */
static clmove_status measure_patterns(clm_bench *it, clmove_place place, bool is_first, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_curve curve = place == CLMOVE_AT_HOST ? CLM_CURVE_HOST_COPY : CLM_CURVE_DEVICE_COPY;
    for (int set = 0; set < CLM_CALIBRATION_WORKING_SETS; set++) {
        double growth = set > 0 ? (double)clm_working_set_bytes(set) / (double)clm_working_set_bytes(set - 1) : 1;
        turn turns[CLM_MOVES];
        int count = 0;
        for (int move = 0; move < CLM_MOVES; move++) {
            clm_series *to = it->measured.moves[place][move];
            const clm_series *nearer = set > 0 ? &to[set - 1] : find_nearest(it, curve);
            bool is_in = is_first ? has_time(it, nearer, growth) : to[set].count > 0;
            if (is_in)
                turns[count++] = (turn){curve, it->moves[move][set], &to[set]};
        }
        bool is_compared = count > 2 && turns[0].to == &it->measured.moves[place][CLM_PATTERN_COPY][set] &&
                           turns[count - 1].to == &it->measured.moves[place][CLM_MOVE_FILL][set];
        if (is_compared)
            TRY(take_turns(it, turns, count, place == CLMOVE_AT_HOST || is_first, set == 0 ? 4 : 2, error));
    }
out:
    return status;
}

static clmove_status measure(clm_bench *it, double seconds, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const struct timespec rest = {.tv_nsec = 10000000};
    const turn launch = {CLM_CURVE_DEVICE_COPY, it->least, &it->measured.launch};
    double start = clm_now();
    for (int round = 0; round < MOST_ROUNDS && (round < LEAST_ROUNDS || clm_now() - start < seconds); round++) {
        TRY(measure_curves(it, CLMOVE_AT_HOST, round == 0, error));
        TRY(measure_patterns(it, CLMOVE_AT_HOST, round == 0, error));
        if (clm_device_is_host(it->device))
            continue;
        nanosleep(&rest, NULL);
        TRY(take_turns_for_a_while(it, &launch, 1, error));
        TRY(measure_curves(it, CLMOVE_AT_DEVICE, round == 0, error));
        TRY(measure_patterns(it, CLMOVE_AT_DEVICE, round == 0, error));
    }
out:
    return status;
}

clmove_status clmove_device_calibrate(clmove_device *device, double seconds, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_bench *it = NULL;
    clm_calibration found;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_check_one(device, "calibration of its own", error));
    REQUIRE(seconds >= 0 && seconds <= MOST_SECONDS, INVALID_ARGUMENT, "seconds is %g, it must be from 0 to %g", seconds,
            MOST_SECONDS);
    it = calloc(1, sizeof *it);
    REQUIRE(it, OUT_OF_MEMORY, "no memory to calibrate with");
    seconds = seconds > 0 ? seconds : DEFAULT_SECONDS;
    it->longest = seconds * LARGEST_SHARE;
    it->slot = seconds * SLOTS_SHARE / (2 * SLOTS);
    TRY(clm_bench_open(it, device, error));
    TRY(measure(it, seconds, error));
    clm_measured_summarise(&it->measured, &found);
    clm_device_put_calibration(device, &found);
out:
    if (it)
        clm_bench_close(it);
    free(it);
    return status;
}
