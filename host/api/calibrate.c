/* Measures how fast a device and the host beside it are.
 *
 * In rounds, so that what disturbs the machine for a moment disturbs one; figures are medians of all. In a round everything of a
 * size takes turns, since that is how programs use memory: what is done again and again on the same memory finds a part of it in
 * the caches (a kernel of 3.2 ms then takes 2.1, POCL on a Zen 5). The host's part comes before the device's, since threads of
 * OpenMP that wait for more keep a core from the threads of an OpenCL CPU device for some milliseconds.
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
#define LEAST_ROUNDS 3
#define MOST_ROUNDS 64
#define MOST_TURNS 16 /* in a round */
/* Sizes below take turns for a while, of which the first half is not counted: programs are built, caches filled, and threads that
 * are woken often wake faster (POCL on a virtual machine: 25 us the first ten times, 10 after a hundred). Larger ones follow, a
 * few times a round; on the host the first does not count, as its threads may first have to find a processor each. */
#define LARGE (8 << 20)
/* Of the seconds, for all turns of the sizes below in a round. */
#define SLOTS_SHARE 0.1
#define SLOTS 12 /* of a place: 11 sizes, and the launch */
/* Sizes end where one run takes such a share of all seconds. */
#define LARGEST_SHARE 0.03
/* No memory is taken for what such a speed, in bytes a second, would be too slow for. */
#define MOST_SPEED 2e10
/* Memory for so many pieces of the largest size has to be there: source and destination on host and device, which may be one
 * memory, with as much again to stage a run in; and as much left over for others. */
#define HOST_PIECES 8
#define DEVICE_PIECES 4

typedef struct series {
    double values[MOST_ROUNDS * MOST_TURNS];
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

/* One thing that takes turns with others. */
typedef struct turn {
    clmove_curve curve;
    clmove_plan *plan;
    series *to;
} turn;

static clmove_status run_turns(const bench *it, const turn *turns, int count, bool counts, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    double seconds;
    for (int i = 0; i < count; i++) {
        TRY(run_once(it, turns[i].curve, turns[i].plan, &seconds, error));
        if (counts)
            turns[i].to->values[turns[i].to->count++] = seconds;
    }
out:
    return status;
}

/* So many that are not counted, then so many that are. */
static clmove_status take_turns(const bench *it, const turn *turns, int count, int warm, int counted, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int i = 0; i < warm + counted; i++)
        TRY(run_turns(it, turns, count, i >= warm, error));
out:
    return status;
}

static clmove_status take_turns_for_a_while(const bench *it, const turn *turns, int count, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    double start = now();
    do
        TRY(run_turns(it, turns, count, false, error));
    while (now() - start < it->slot / 2);
    for (int i = 0; i < MOST_TURNS && (i == 0 || now() - start < it->slot); i++)
        TRY(run_turns(it, turns, count, true, error));
out:
    return status;
}

static int compare(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double find_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double not_zero(double seconds) {
    return seconds > 1e-9 ? seconds : 1e-9; /* a clock may count longer steps */
}

/* On the host the lower quartile: each thread wants a processor, and where two of them share one for a while the run takes some
 * milliseconds more. Few runs may have many such among them, and a program that moves for longer has few. */
static double find_seconds(series *it, clmove_place place) {
    if (place == CLMOVE_AT_DEVICE)
        return not_zero(find_median(it->values, it->count));
    qsort(it->values, (size_t)it->count, sizeof *it->values, compare);
    return not_zero(it->values[it->count / 4]);
}

/* ---- one round ---- */

/* Curves of one place, size by size; the first round finds out how many sizes there is time for. */
static clmove_status measure_curves(bench *it, clmove_place place, bool finds_known, clmove_error *error) {
    static const clmove_curve of_host[] = {CLMOVE_CURVE_HOST_COPY, CLMOVE_CURVE_HOST_FILL};
    static const clmove_curve of_device[] = {CLMOVE_CURVE_UPLOAD, CLMOVE_CURVE_DEVICE_COPY, CLMOVE_CURVE_DOWNLOAD,
                                             CLMOVE_CURVE_DEVICE_FILL, CLMOVE_CURVE_DEVICE_RUN};
    clmove_status status = CLMOVE_OK;
    const clmove_curve *curves = place == CLMOVE_AT_HOST ? of_host : of_device;
    int count = place == CLMOVE_AT_HOST ? 2 : 5;
    for (int size = 0; size < it->known; size++) {
        turn turns[CLMOVE_CURVES];
        double longest = 0;
        for (int i = 0; i < count; i++) {
            bool is_fill = curves[i] == CLMOVE_CURVE_HOST_FILL || curves[i] == CLMOVE_CURVE_DEVICE_FILL;
            turns[i] = (turn){curves[i], is_fill ? it->fills[size] : it->copies[size], &it->curves[curves[i]][size]};
        }
        if (clm_calibration_bytes(size) < LARGE)
            TRY(take_turns_for_a_while(it, turns, count, error));
        else if (place == CLMOVE_AT_HOST)
            TRY(take_turns(it, turns, count, 1, 2, error));
        else /* programs are built before the first counts */
            TRY(take_turns(it, turns, count, turns->to->count == 0, 1, error));
        for (int i = 0; i < count; i++) {
            double seconds = turns[i].to->values[turns[i].to->count - 1];
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
    for (int reach = 0; reach < CLMOVE_CALIBRATION_REACHES; reach++) {
        double growth = reach > 0 ? (double)clm_reach_bytes(reach) / (double)clm_reach_bytes(reach - 1) : 1;
        turn turns[CLMOVE_PATTERNS];
        int count = 0;
        for (int pattern = CLMOVE_PATTERN_COPY + 1; pattern < CLMOVE_PATTERNS; pattern++) {
            series *to = it->moves[place][pattern], *nearer = reach > 0 ? &to[reach - 1] : NULL;
            if (!nearer || (nearer->count > 0 && nearer->values[nearer->count - 1] * growth < it->seconds * LARGEST_SHARE))
                turns[count++] = (turn){curve, it->patterns[pattern][reach], &to[reach]};
        }
        if (count > 0)
            TRY(take_turns(it, turns, count, place == CLMOVE_AT_HOST || turns->to->count == 0, 2, error));
    }
out:
    return status;
}

static clmove_status measure(bench *it, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const struct timespec rest = {.tv_nsec = 10000000};
    const turn launch = {CLMOVE_CURVE_DEVICE_COPY, it->least, &it->launch};
    double start = now();
    for (int round = 0; round < MOST_ROUNDS && (round < LEAST_ROUNDS || now() - start < it->seconds); round++) {
        TRY(measure_curves(it, CLMOVE_AT_HOST, round == 0, error));
        TRY(measure_patterns(it, CLMOVE_AT_HOST, error));
        if (!it->device->opencl)
            continue;
        nanosleep(&rest, NULL);
        TRY(take_turns_for_a_while(it, &launch, 1, error));
        TRY(measure_curves(it, CLMOVE_AT_DEVICE, round == 0, error));
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
    it->slot = it->seconds * SLOTS_SHARE / (2 * SLOTS);
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

/* There is time for few runs of the large sizes, and what delays two of three shows. The speeds of neighbours are alike, so each
 * takes the median of its own and theirs; where speeds only rise or only fall, that is its own. */
static void calm_curve(double seconds[CLMOVE_CALIBRATION_SIZES], int known) {
    double calm[CLMOVE_CALIBRATION_SIZES];
    for (int size = 0; size < known; size++) {
        double near[3];
        int count = 0;
        for (int i = size - 1; i <= size + 1; i++)
            if (i >= 0 && i < known)
                near[count++] = seconds[i] / (double)clm_calibration_bytes(i);
        bool is_inside = count == 3 && clm_calibration_bytes(size) >= LARGE;
        calm[size] = is_inside ? find_median(near, count) * (double)clm_calibration_bytes(size) : seconds[size];
    }
    memcpy(seconds, calm, (size_t)known * sizeof *calm);
}

/* *slowdown is left alone where there was no time to measure. */
static void find_slowdown(const clmove_calibration *found, clmove_place place, const clmove_plan *plan, series *measured,
                          double *slowdown) {
    clm_work work;
    double start = clm_cost_start(found, place);
    if (measured->count == 0)
        return;
    clm_plan_get_work(plan, &work);
    *slowdown = (find_seconds(measured, place) - start) / (clm_cost_base(found, place, &work) - start);
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
            found->curves[curve][size] =
                find_seconds(&it->curves[curve][size], curve <= CLMOVE_CURVE_HOST_FILL ? CLMOVE_AT_HOST : CLMOVE_AT_DEVICE);
    for (int curve = 0; curve < CLMOVE_CURVES; curve++)
        calm_curve(found->curves[curve], it->known);
    clm_calibration_extend(found, it->known);
    if (!is_host)
        found->launch = find_seconds(&it->launch, CLMOVE_AT_DEVICE);
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
