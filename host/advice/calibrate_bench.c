/* See calibrate_bench.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/calibrate_bench.h"

#include "host/advice/advice.h"

#include <stdlib.h>
#include <string.h>

/* Memory is taken for runs that are short enough at this speed, in bytes a second. */
#define MOST_SPEED 1.5e10
/* Memory must suffice for so many pieces of the largest size: source and destination on host and device, which may be one memory;
 * as much again for staging; and as much for other programs. */
#define HOST_PIECES 8
#define DEVICE_PIECES 4

/* ---- maps ---- */

/* The bytes that a fill repeats, and of the smallest copy. */
enum { LINE = 64 };

/* The destination's dims, and how far apart the elements of each are in the source. */
static clmove_status make_map(clmove_map *map, uint32_t bits, int64_t rank, const int64_t *dims, const int64_t *strides,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clmove_map_init(map, bits, rank, dims, error));
    TRY(clmove_map_view_src(map, strides, 0, error));
out:
    return status;
}

/* How many steps of `each` bytes fit. */
static int64_t steps(int64_t bytes, int64_t each) {
    return bytes < each ? 1 : bytes / each;
}

/* How many columns of `each` bytes fit in a step, in whole blocks, up to a limit. */
static int64_t columns(int64_t bytes, int64_t each, int64_t block, int64_t most) {
    int64_t fit = bytes / each / block * block;
    return fit < block ? block : fit < most ? fit : most;
}

clmove_status clm_bench_map(clmove_map *map, int move, int64_t bytes, clmove_error *error) {
    int64_t wide, high, plane;
    switch (move) {
    case CLM_MOVE_FILL:
        return make_map(map, LINE * 8, 1, (int64_t[]){bytes / LINE}, (int64_t[]){0}, error);
    case CLM_PATTERN_COPY:
        return make_map(map, 8, 1, (int64_t[]){bytes / 2}, (int64_t[]){1}, error);
    case CLM_PATTERN_PERIOD: /* 15 bytes, 4 times, of which 7 are stored 3 times */
        return make_map(map, 8, 5, (int64_t[]){steps(bytes, 105 + 1260), 3, 7, 4, 15}, (int64_t[]){105, 0, 15, 0, 1}, error);
    case CLM_PATTERN_REPEAT: /* 12 bytes, 8 times */
        return make_map(map, 32, 3, (int64_t[]){steps(bytes, 12 + 96), 8, 3}, (int64_t[]){3, 0, 1}, error);
    case CLM_PATTERN_SHUFFLE: /* matrices of 5 x 7 */
        return make_map(map, 32, 3, (int64_t[]){steps(bytes, 2 * 35 * 4), 7, 5}, (int64_t[]){35, 1, 7}, error);
    case CLM_PATTERN_ROWS: /* 1000 bytes, 4 times */
        return make_map(map, 32, 3, (int64_t[]){steps(bytes, 5000), 4, 250}, (int64_t[]){250, 0, 1}, error);
    case CLM_PATTERN_TRANSPOSE_RUNS: /* a matrix of 3 bytes */
        wide = columns(bytes, 2 * 64 * 3, 64, 1024);
        high = steps(bytes, 2 * 3 * wide);
        return make_map(map, 8, 3, (int64_t[]){wide, high, 3}, (int64_t[]){3, 3 * wide, 1}, error);
    case CLM_PATTERN_LOCAL:
    case CLM_PATTERN_TRANSPOSE: /* a matrix */
        wide = columns(bytes, 2 * 64 * 4, 64, 1024);
        return make_map(map, 32, 2, (int64_t[]){wide, steps(bytes, 2 * 4 * wide)}, (int64_t[]){1, wide}, error);
    case CLM_PATTERN_DEINTERLEAVE: /* 3 channels, of which each block of 2 x 2 becomes 4 */
        wide = columns(bytes, 2 * 3 * 2 * 4, 2, 512);
        high = 2 * steps(bytes, 2 * 3 * 2 * 4 * wide);
        return make_map(map, 32, 5, (int64_t[]){3, 2, 2, high / 2, wide / 2}, (int64_t[]){high * wide, wide, 1, 2 * wide, 2},
                        error);
    case CLM_PATTERN_DEINTERLEAVE_WIDE: /* images of 384 x 384 in patches of 12 x 12, or a part of one; those of 16 are transposed
                                         */
        wide = columns(bytes, 2 * 3 * 12 * 4, 12, 384);
        high = 12 * steps(bytes, 2 * 3 * 12 * 4 * wide);
        return make_map(map, 32, 5, (int64_t[]){12, 12, 3, high / 12, wide / 12},
                        (int64_t[]){wide, 1, high * wide, 12 * wide, 12}, error);
    case CLM_PATTERN_INTERLEAVE: /* 12 channels, of which 4 become a block of 2 x 2 */
        wide = columns(bytes, 2 * 12 * 4, 1, 256);
        high = steps(bytes, 2 * 12 * 4 * wide);
        plane = high * wide;
        return make_map(map, 32, 5, (int64_t[]){3, high, 2, wide, 2}, (int64_t[]){plane, wide, 6 * plane, 1, 3 * plane}, error);
    case CLM_PATTERN_BITS: /* 101 bits, 3 times */
        return make_map(map, 1, 3, (int64_t[]){steps(bytes * 8, 404), 3, 101}, (int64_t[]){101, 0, 1}, error);
    default: /* gather: every fifth unit of rows of 155 */
        return make_map(map, 32, 2, (int64_t[]){steps(bytes, (155 + 31) * 4), 31}, (int64_t[]){155, 5}, error);
    }
}

/* ---- plans and memory ---- */

clmove_status clm_bench_check(clmove_plan *plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan_info info = {.struct_size = sizeof info};
    TRY(clmove_plan_get_info(plan, &info, error));
    REQUIRE(clm_device_is_host(plan->device) || !clm_plan_is_on_host(plan), DEVICE_FAILED, "the host took over: %.400s",
            info.fallback);
out:
    return status;
}

static void fill_noise(unsigned char *memory, size_t bytes, uint64_t state) {
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(memory + at, &state, 8);
    }
}

/* How many sizes, from the least on, there is memory and time for. */
static int find_sizes(const clmove_device *device, double longest) {
    const clmove_device_info *info = clm_device_info(device);
    uint64_t room = clm_host_memory_left("") / HOST_PIECES, left = clm_budget_left(&device->budget) / DEVICE_PIECES;
    if (!clm_device_is_host(device) && info->max_alloc_bytes > 0 && room > info->max_alloc_bytes)
        room = info->max_alloc_bytes;
    if (!clm_device_is_host(device) && room > left)
        room = left;
    if ((double)room > longest * MOST_SPEED)
        room = (uint64_t)(longest * MOST_SPEED);
    int sizes = CLM_CALIBRATION_SIZES;
    while (sizes > 1 && (uint64_t)clm_calibration_bytes(sizes - 1) > room)
        sizes--;
    return sizes;
}

static clmove_status make_plan(clm_bench *it, int move, int64_t bytes, clmove_plan **plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_map map;
    TRY(clm_bench_map(&map, move, bytes, error));
    TRY(clmove_plan_create(it->device, &map, NULL, plan, error));
    TRY(clm_bench_check(*plan, error));
    (*plan)->host_runs = false; /* auto may think so, and this is to find out */
out:
    return status;
}

static clmove_status make_plans(clm_bench *it, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int size = 0; size < it->sizes; size++) {
        TRY(make_plan(it, CLM_PATTERN_COPY, 2 * clm_calibration_bytes(size), &it->copies[size], error));
        TRY(make_plan(it, CLM_MOVE_FILL, clm_calibration_bytes(size), &it->fills[size], error));
    }
    TRY(make_plan(it, CLM_PATTERN_COPY, 2 * LINE, &it->least, error));
    for (int move = 0; move < CLM_MOVES; move++)
        for (int set = 0; set < CLM_CALIBRATION_WORKING_SETS; set++) {
            int64_t bytes = clm_working_set_bytes(set), most = (int64_t)it->most;
            clmove_plan **plan = &it->moves[move][set];
            TRY(make_plan(it, move, bytes < most ? bytes : most, plan, error));
            clm_work_from_form(&it->measured.works[move][set], &(*plan)->form, &(*plan)->candidates[0].launch_plan);
        }
out:
    return status;
}

clmove_status clm_bench_open(clm_bench *it, clmove_device *device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    it->device = device;
    it->sizes = find_sizes(device, it->longest);
    it->most = (size_t)clm_calibration_bytes(it->sizes - 1);
    it->host_src = malloc(it->most);
    it->host_dst = malloc(it->most);
    REQUIRE(it->host_src && it->host_dst, OUT_OF_MEMORY, "no memory to calibrate with, twice %zu bytes", it->most);
    fill_noise(it->host_src, it->most, 0x9e3779b97f4a7c15);
    fill_noise(it->host_dst, it->most, 0xbf58476d1ce4e5b9);
    if (!clm_device_is_host(device)) {
        TRY(clmove_buffer_create(device, it->most, &it->src, error));
        TRY(clmove_buffer_create(device, it->most, &it->dst, error));
        TRY(clmove_buffer_write(it->src, 0, it->host_src, it->most, error));
        TRY(clmove_buffer_write(it->dst, 0, it->host_dst, it->most, error));
    }
    TRY(make_plans(it, error));
out:
    return status;
}

void clm_bench_close(clm_bench *it) {
    for (int size = 0; size < CLM_CALIBRATION_SIZES; size++) {
        clmove_plan_destroy(&it->copies[size]);
        clmove_plan_destroy(&it->fills[size]);
    }
    for (int move = 0; move < CLM_MOVES; move++)
        for (int set = 0; set < CLM_CALIBRATION_WORKING_SETS; set++)
            clmove_plan_destroy(&it->moves[move][set]);
    clmove_plan_destroy(&it->least);
    clmove_buffer_destroy(&it->src);
    clmove_buffer_destroy(&it->dst);
    free(it->host_src);
    free(it->host_dst);
}
