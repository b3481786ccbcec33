/* Measures how fast a device and the host beside it are.
 *
 * All of the host is measured before all of the device, since threads of OpenMP that wait for more keep a core from the threads
 * of an OpenCL CPU device for some milliseconds; and everything twice, so that what disturbs the machine for a moment disturbs
 * half.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/advice.h"
#include "host/api/calibrate_maps.h"
#include "host/api/host_memory.h"
#include "host/plan/cost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_SECONDS 2.0
#define MOST_SECONDS 3600.0
#define ROUNDS 2
#define LEAST_RUNS 2 /* in a round */
#define MOST_RUNS 64
/* Of the seconds for the small sizes and patterns, in equal slots; the large ones take more than their slot. */
#define SLOT_SHARE 0.6
/* Sizes end where one run takes such a share of all seconds. */
#define LARGEST_SHARE 0.03
/* No memory is taken for what such a speed, in bytes a second, would be too slow for. */
#define MOST_SPEED 1e11
/* Memory for so many pieces of the largest size has to be there: source and destination on host and device, which may be one
 * memory, with as much again to stage a run in; and as much left over for others. */
#define HOST_PIECES 8
#define DEVICE_PIECES 4

typedef struct series {
    double values[ROUNDS * MOST_RUNS];
    int count;
} series;

typedef struct bench {
    clmove_device *device;
    double seconds, slot;
    size_t most; /* bytes of each memory */
    unsigned char *host_src, *host_dst;
    clmove_buffer *src, *dst; /* NULL on the host */
    clmove_plan *copies[CLMOVE_CALIBRATION_SIZES], *fills[CLMOVE_CALIBRATION_SIZES];
    clmove_plan *patterns[CLMOVE_PATTERNS][CLMOVE_CALIBRATION_REACHES], *least;
    int known; /* sizes that are measured */
    series curves[CLMOVE_CURVES][CLMOVE_CALIBRATION_SIZES];
    series moves[2][CLMOVE_PATTERNS][CLMOVE_CALIBRATION_REACHES];
    series launch;
} bench;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- one run ---- */

/* The device may not leave it to the host. */
static clmove_status check_device(clmove_plan *plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan_info info;
    TRY(clmove_plan_get_info(plan, &info, error));
    REQUIRE(!atomic_load(&plan->on_host), DEVICE_FAILED, "the host took over: %.400s", info.fallback);
out:
    return status;
}

static clmove_status run_once(const bench *it, clmove_curve curve, clmove_plan *plan, double *seconds, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_times times;
    double start = now();
    switch (curve) {
    case CLMOVE_CURVE_HOST_COPY:
    case CLMOVE_CURVE_HOST_FILL:
        clm_reference_run(&plan->host_movement, &it->device->host, it->host_src, it->host_dst);
        break;
    case CLMOVE_CURVE_UPLOAD:
        TRY(clmove_buffer_write(it->src, 0, it->host_src, plan->dst_bytes, error));
        break;
    case CLMOVE_CURVE_DOWNLOAD:
        TRY(clmove_buffer_read(it->dst, 0, it->host_dst, plan->dst_bytes, error));
        break;
    case CLMOVE_CURVE_DEVICE_RUN:
        TRY(clmove_run(plan, it->host_src, it->most, it->host_dst, it->most, error));
        TRY(check_device(plan, error));
        break;
    default:
        TRY(clmove_measure(plan, it->src, it->dst, &times, error));
        TRY(check_device(plan, error));
        *seconds = times.host_seconds;
        goto out;
    }
    *seconds = now() - start;
out:
    return status;
}

/* Some runs more. Half of the slot warms up: programs are built, caches filled, and threads that are woken often wake faster
 * (POCL on a virtual machine: 25 us the first ten times, 10 after a hundred). */
static clmove_status run_some(const bench *it, clmove_curve curve, clmove_plan *plan, series *to, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    double seconds, start = now();
    if (to->count == 0)
        TRY(run_once(it, curve, plan, &seconds, error));
    while (now() - start < it->slot / 2)
        TRY(run_once(it, curve, plan, &seconds, error));
    start = now();
    for (int i = 0; i < MOST_RUNS && (i < LEAST_RUNS || now() - start < it->slot / 2); i++) {
        TRY(run_once(it, curve, plan, &seconds, error));
        to->values[to->count++] = seconds;
    }
out:
    return status;
}

static int compare(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double find_median(series *it) {
    qsort(it->values, (size_t)it->count, sizeof *it->values, compare);
    double median = (it->values[(it->count - 1) / 2] + it->values[it->count / 2]) / 2;
    return median > 1e-9 ? median : 1e-9; /* a clock may count longer steps */
}

/* ---- one round ---- */

/* Curves of one place, size by size; the first round finds out how many sizes there is time for. */
static clmove_status measure_curves(bench *it, clmove_curve first, clmove_curve last, bool finds_known, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int size = 0; size < it->known; size++) {
        double longest = 0;
        for (int curve = (int)first; curve <= (int)last; curve++) {
            bool is_fill = curve == CLMOVE_CURVE_HOST_FILL || curve == CLMOVE_CURVE_DEVICE_FILL;
            series *to = &it->curves[curve][size];
            TRY(run_some(it, (clmove_curve)curve, is_fill ? it->fills[size] : it->copies[size], to, error));
            double seconds = to->values[to->count - 1];
            longest = seconds > longest ? seconds : longest;
        }
        if (finds_known && longest > it->seconds * LARGEST_SHARE)
            it->known = size + 1;
    }
out:
    return status;
}

static clmove_status measure_patterns(bench *it, clmove_place place, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_curve curve = place == CLMOVE_AT_HOST ? CLMOVE_CURVE_HOST_COPY : CLMOVE_CURVE_DEVICE_COPY;
    for (int pattern = CLMOVE_PATTERN_COPY + 1; pattern < CLMOVE_PATTERNS; pattern++)
        for (int reach = 0; reach < CLMOVE_CALIBRATION_REACHES; reach++) {
            series *to = it->moves[place][pattern], *nearer = reach > 0 ? &to[reach - 1] : NULL;
            if (!nearer || (nearer->count > 0 && nearer->values[nearer->count - 1] < it->seconds * LARGEST_SHARE))
                TRY(run_some(it, curve, it->patterns[pattern][reach], &to[reach], error));
        }
out:
    return status;
}

static clmove_status measure(bench *it, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const struct timespec rest = {.tv_nsec = 10000000};
    for (int round = 0; round < ROUNDS; round++) {
        TRY(measure_curves(it, CLMOVE_CURVE_HOST_COPY, CLMOVE_CURVE_HOST_FILL, round == 0, error));
        TRY(measure_patterns(it, CLMOVE_AT_HOST, error));
        if (!it->device->opencl)
            continue;
        nanosleep(&rest, NULL);
        TRY(run_some(it, CLMOVE_CURVE_DEVICE_COPY, it->least, &it->launch, error));
        TRY(measure_curves(it, CLMOVE_CURVE_UPLOAD, CLMOVE_CURVE_DEVICE_RUN, round == 0, error));
        TRY(measure_patterns(it, CLMOVE_AT_DEVICE, error));
    }
out:
    return status;
}

/* ---- before and after ---- */

static void fill_noise(unsigned char *memory, size_t bytes, uint64_t state) {
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(memory + at, &state, 8);
    }
}

static size_t find_most(const clmove_device *device, double seconds) {
    const clmove_device_info *info = &device->info;
    uint64_t room = clm_host_memory_left("") / HOST_PIECES, left = clm_budget_left(device) / DEVICE_PIECES;
    if (device->opencl && info->max_alloc_bytes > 0 && room > info->max_alloc_bytes)
        room = info->max_alloc_bytes;
    if (device->opencl && room > left)
        room = left;
    if ((double)room > seconds * LARGEST_SHARE * MOST_SPEED)
        room = (uint64_t)(seconds * LARGEST_SHARE * MOST_SPEED);
    int last = CLMOVE_CALIBRATION_SIZES - 1;
    while (last > 0 && (uint64_t)clm_calibration_bytes(last) > room)
        last--;
    return (size_t)clm_calibration_bytes(last);
}

static clmove_status make_plan(bench *it, const clmove_map *map, clmove_plan **plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clmove_plan_create(it->device, map, NULL, plan, error));
    if (it->device->opencl)
        TRY(check_device(*plan, error));
    (*plan)->runs_on_host = false; /* auto may think so, and this is to find out */
out:
    return status;
}

static clmove_status make_plans(bench *it, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_map map;
    for (int size = 0; size < it->known; size++) {
        TRY(clm_calibrate_copy_map(&map, clm_calibration_bytes(size), error));
        TRY(make_plan(it, &map, &it->copies[size], error));
        TRY(clm_calibrate_fill_map(&map, clm_calibration_bytes(size), error));
        TRY(make_plan(it, &map, &it->fills[size], error));
    }
    TRY(clm_calibrate_copy_map(&map, 64, error));
    TRY(make_plan(it, &map, &it->least, error));
    for (int pattern = CLMOVE_PATTERN_COPY + 1; pattern < CLMOVE_PATTERNS; pattern++)
        for (int reach = 0; reach < CLMOVE_CALIBRATION_REACHES; reach++) {
            int64_t bytes = clm_reach_bytes(reach);
            TRY(clm_calibrate_pattern_map(&map, (clmove_pattern)pattern, bytes < (int64_t)it->most ? bytes : (int64_t)it->most,
                                          error));
            TRY(make_plan(it, &map, &it->patterns[pattern][reach], error));
        }
out:
    return status;
}

static clmove_status open_bench(bench *it, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    it->most = find_most(it->device, it->seconds);
    while (it->known < CLMOVE_CALIBRATION_SIZES && (size_t)clm_calibration_bytes(it->known) <= it->most)
        it->known++;
    it->slot =
        it->seconds * SLOT_SHARE / (ROUNDS * (CLMOVE_CURVES * it->known + 2 * CLMOVE_PATTERNS * CLMOVE_CALIBRATION_REACHES));
    it->host_src = malloc(it->most);
    it->host_dst = malloc(it->most);
    REQUIRE(it->host_src && it->host_dst, OUT_OF_MEMORY, "no memory to calibrate with, twice %zu bytes", it->most);
    fill_noise(it->host_src, it->most, 0x9e3779b97f4a7c15);
    fill_noise(it->host_dst, it->most, 0xbf58476d1ce4e5b9);
    if (it->device->opencl) {
        TRY(clmove_buffer_create(it->device, it->most, &it->src, error));
        TRY(clmove_buffer_create(it->device, it->most, &it->dst, error));
        TRY(clmove_buffer_write(it->src, 0, it->host_src, it->most, error));
        TRY(clmove_buffer_write(it->dst, 0, it->host_dst, it->most, error));
    }
    TRY(make_plans(it, error));
out:
    return status;
}

static void close_bench(bench *it) {
    for (int size = 0; size < CLMOVE_CALIBRATION_SIZES; size++) {
        clmove_plan_destroy(&it->copies[size]);
        clmove_plan_destroy(&it->fills[size]);
    }
    for (int pattern = 0; pattern < CLMOVE_PATTERNS; pattern++)
        for (int reach = 0; reach < CLMOVE_CALIBRATION_REACHES; reach++)
            clmove_plan_destroy(&it->patterns[pattern][reach]);
    clmove_plan_destroy(&it->least);
    clmove_buffer_destroy(&it->src);
    clmove_buffer_destroy(&it->dst);
    free(it->host_src);
    free(it->host_dst);
}

/* *slowdown is left alone where there was no time to measure. */
static void find_slowdown(const clmove_calibration *found, clmove_place place, const clmove_plan *plan, series *measured,
                          double *slowdown) {
    clm_work work;
    double start = clm_cost_start(found, place);
    if (measured->count == 0)
        return;
    clm_plan_get_work(plan, &work);
    *slowdown = (find_median(measured) - start) / (clm_cost_base(found, place, &work) - start);
    *slowdown = *slowdown > 0.25 ? *slowdown : 0.25; /* noise */
}

static void find_slowdowns(bench *it, clmove_calibration *found, clmove_place place) {
    for (int pattern = CLMOVE_PATTERN_COPY + 1; pattern < CLMOVE_PATTERNS; pattern++) {
        double slowdown = 1;
        for (int reach = 0; reach < CLMOVE_CALIBRATION_REACHES; reach++) {
            find_slowdown(found, place, it->patterns[pattern][reach], &it->moves[place][pattern][reach], &slowdown);
            found->slowdown[place][pattern][reach] = slowdown;
        }
    }
}

static void summarise(bench *it, clmove_calibration *found) {
    bool is_host = !it->device->opencl;
    *found = (clmove_calibration){.origin = CLMOVE_CALIBRATION_MEASURED};
    for (int curve = 0; curve < CLMOVE_CURVES; curve++)
        for (int size = 0; size < it->known && it->curves[curve][size].count > 0; size++)
            found->curves[curve][size] = find_median(&it->curves[curve][size]);
    clm_calibration_extend(found, it->known);
    if (!is_host)
        found->launch = find_median(&it->launch);
    for (int place = 0; place < 2; place++)
        for (int reach = 0; reach < CLMOVE_CALIBRATION_REACHES; reach++)
            found->slowdown[place][CLMOVE_PATTERN_COPY][reach] = place == CLMOVE_AT_HOST || !is_host ? 1 : 0;
    find_slowdowns(it, found, CLMOVE_AT_HOST);
    if (!is_host)
        find_slowdowns(it, found, CLMOVE_AT_DEVICE);
}

clmove_status clmove_device_calibrate(clmove_device *device, double seconds, clmove_calibration *calibration,
                                      clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bench *it = NULL;
    clmove_calibration found;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(seconds >= 0 && seconds <= MOST_SECONDS, INVALID_ARGUMENT, "seconds is %g, it must be from 0 to %g", seconds,
            MOST_SECONDS);
    it = calloc(1, sizeof *it);
    REQUIRE(it, OUT_OF_MEMORY, "no memory to calibrate with");
    it->device = device;
    it->seconds = seconds > 0 ? seconds : DEFAULT_SECONDS;
    TRY(open_bench(it, error));
    TRY(measure(it, error));
    summarise(it, &found);
    TRY(clm_calibration_check(&found, !device->opencl, error));
    clm_device_put_calibration(device, &found);
    if (calibration)
        *calibration = found;
out:
    if (it)
        close_bench(it);
    free(it);
    return status;
}
