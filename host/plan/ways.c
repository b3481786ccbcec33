/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/ways.h"

#include "host/checked.h"

/* The bytes of a cache line. */
#define LINE 64

/* The ways past the cache, as the key `strips` has them. */
enum { ROW_BY_ROW = 1, STRIPS_OF_FEW_ROWS, STRIPS_AND_ROOMS, WIDE_STRIPS };

/* A core of an AMD EPYC (model 17) has half of a copy's speed where it reads a while and then writes a while, or reads on in one
 * place for some KiB alone. Strips were 1.2 to 2 times as fast with AVX-512, without, and on POCL 3.1
 * (doc/results/2026-11-23-avx2.md). Where rows share channels of memory, strips make 0.35 to 0.45 of a copy on AMD's Zen 3, of
 * few rows less than of all, and rooms 0.7 to 0.8. Zen 4 takes rooms, too: TTC 1.2 and 1.1 times as fast as row by row, and 1.13
 * and 1.08 times as in few rows (doc/results/2026-11-26-zen4.md). So do others, which were not measured, as pieces of 256 bytes
 * and more are right wherever channels alternate so. Intel's processors spread the lines over the channels by a hash, so that
 * strips have all rows and take two lines: the 57 shapes of TTC on a Xeon (480 MiB of cache) are 1.15 (host) and 1.19 times
 * (POCL) as fast as row by row, and 1.10 and 1.12 times with rooms (doc/results/2026-11-26-xeon.md). Zen 5 mostly takes two lines
 * as well; see way_of_map. */
static bool is_zen_5(void) {
#if defined __x86_64__ || defined __i386__
    return __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512vp2intersect");
#else
    return false;
#endif
}

static int best_way(void) {
#if defined __x86_64__ || defined __i386__
    if (__builtin_cpu_is("intel"))
        return WIDE_STRIPS;
#endif
    return is_zen_5() ? WIDE_STRIPS : STRIPS_AND_ROOMS;
}

static int way_of(const clm_tuning *tuning) {
    return tuning->strips == 0 ? best_way() : (int)tuning->strips;
}

bool clm_wants_strips(const clm_tuning *tuning) {
    return way_of(tuning) != ROW_BY_ROW;
}

bool clm_wants_wide_strips(const clm_tuning *tuning) {
    return way_of(tuning) == WIDE_STRIPS;
}

/* Rows of the destination that lie a multiple of SAME_CHANNELS apart have their lines in the same few channels of memory. So few
 * rows are written at a time that a row's next line follows soon. 2 cores of an AMD EPYC (family 26, model 2), 40 to 100 MB,
 * share of the limit with all rows and with these, host and POCL: f32 [4096,4000] 0.45, 0.75 and 0.46, 0.94; f16 [4096,4896]
 * 0.63, 0.95 and 0.46, 0.87; f64 [1024,4608] 0.83, 0.93 and 0.45, 0.76. Rows of other lengths lose: f32 [1040,11552] 0.97, 0.77.
 */
#define SAME_CHANNELS 512
#define FEW_ROWS 32
/* Or nearly a multiple: rows that are not a whole number of lines share them with all but a few of those beside them. One core of
 * a Zen 3, GB/s of f32 [R,4144] by 1,0 in strips and in rooms, R 4099 (12 bytes more than a multiple) 10, 18; 4105 13, 17; 4111
 * (60) 15, 17; 4121 15, 16; 4137 17, 17. */
#define NEAR_CHANNELS 48

/* Columns that lie a multiple of this apart have their lines in the same sets of the caches, and want longer pieces of each. */
#define SAME_SETS(unit_bytes) ((unit_bytes) == 4 ? 16384 : 4096)

/* Of rows of at most so many bytes that follow each other, 64 have their lines near: f32 [128,257,512] by 1,2,0 with 32 and 64
 * 0.55, 0.72. */
#define NEAR_ROW 1024

/* Whether `count` rows side by side in the source share channels, at most so many bytes off. axis: their innermost one. f32
 * [200,200,200,3] reversed has only threes that do: 0.89 with all rows, 0.62 with few. */
static bool share_channels(const clm_axis *axis, int32_t rank, int64_t count, int64_t unit_bytes, int64_t most_off) {
    for (int64_t rows = 1; rank > 0 && rows < count; rank--, axis--) {
        const int64_t off = axis->dst * unit_bytes % SAME_CHANNELS;
        if (off > most_off && off < SAME_CHANNELS - most_off)
            return false;
        rows *= axis->extent;
    }
    return true;
}

/* Whether strips ask for columns from front to back: see is_in_order in host/native/strips.inc, which has shorter ones, too. */
#define LEAST_IN_ORDER 256
#define MOST_IN_ORDER 2048
static bool are_in_order(const clm_launch_plan *launch_plan) {
    const int64_t bytes = launch_plan->m * clm_unit_bytes(launch_plan);
    return launch_plan->outer[launch_plan->outer_rank + launch_plan->n_rank - 1].src == launch_plan->m &&
           bytes >= LEAST_IN_ORDER && bytes <= MOST_IN_ORDER;
}

/* The way of a map whose rows go along `inner_row`. Zen 5 has strips of one line where columns are in order, and for bytes,
 * unless rows share channels. 2 cores of an AMD EPYC (family 26, model 2), GB/s of one line, of few rows where these share
 * channels, and of two lines, host and POCL. In order: f32 [59,2320,384] by 0,2,1 83, 62 and 55, 42. Bytes: blocks of 16 67, 55
 * and 43, 49; matrices whose rows share channels 37, 55 and 40, 59. Wider units: 33 maps whose rows share channels, two
 * lines 1.24 and 1.27 times as fast (f16 [16384,5000] 30, 81); TTC 1.08 times (doc/results/2026-11-26-zen5.md). */
static int way_of_map(const clm_tuning *tuning, const clm_launch_plan *launch_plan, const clm_axis *inner_row) {
    const int64_t unit_bytes = clm_unit_bytes(launch_plan);
    if (tuning->strips == 0 && is_zen_5() &&
        (are_in_order(launch_plan) ||
         (unit_bytes == 1 && !share_channels(inner_row, launch_plan->m_rank, FEW_ROWS, unit_bytes, 0))))
        return STRIPS_OF_FEW_ROWS;
    return way_of(tuning);
}

/* At most so many rows of a tile of strips whose rows share channels. Squares of bytes have 16 bytes of each line, so that they
 * need all rows. */
static int64_t few_rows(const clm_launch_plan *launch_plan, int64_t rows) {
    const int64_t unit_bytes = clm_unit_bytes(launch_plan);
    const clm_axis *column = &launch_plan->outer[launch_plan->outer_rank + launch_plan->n_rank - 1];
    const clm_axis *row = column + launch_plan->m_rank;
    const bool is_crowded = column->src != 0 && column->src * unit_bytes % SAME_SETS(unit_bytes) == 0;
    const bool are_near = row->dst == launch_plan->n && row->dst * unit_bytes <= NEAR_ROW;
    const int64_t few = unit_bytes > 4 ? 128 : is_crowded || are_near ? 2 * FEW_ROWS : FEW_ROWS;
    const bool wants_all = unit_bytes == 1 || (unit_bytes == 2 && is_crowded);
    return wants_all || rows < few || !share_channels(row, launch_plan->m_rank, few, unit_bytes, 0) ? rows : few;
}

bool clm_tiles_line_up(const clm_launch_plan *launch_plan) {
    const int32_t first_row = launch_plan->outer_rank + launch_plan->n_rank;
    for (int32_t i = 0; i < first_row + launch_plan->m_rank; i++)
        if ((i < launch_plan->outer_rank || i >= first_row) &&
            launch_plan->outer[i].dst * clm_unit_bytes(launch_plan) % LINE != 0)
            return false;
    return true;
}

int64_t clm_choose_way(clm_launch_plan *launch_plan, const clm_tuning *tuning, int64_t rows) {
    const clm_axis *inner_row = &launch_plan->outer[launch_plan->outer_rank + launch_plan->n_rank + launch_plan->m_rank - 1];
    const int64_t unit_bytes = clm_unit_bytes(launch_plan);
    const int way = way_of_map(tuning, launch_plan, inner_row);
    launch_plan->in_wide_strips = way == WIDE_STRIPS;
    const bool is_matrix = launch_plan->n_rank == 1 && launch_plan->m_rank == 1;
    const int64_t most_off = is_matrix && unit_bytes > 1 && !are_in_order(launch_plan) ? NEAR_CHANNELS : 0;
    launch_plan->in_rooms =
        way == STRIPS_AND_ROOMS && share_channels(inner_row, launch_plan->m_rank, FEW_ROWS, unit_bytes, most_off);
    return way == STRIPS_OF_FEW_ROWS ? few_rows(launch_plan, rows) : rows;
}
