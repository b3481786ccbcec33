/* In which order the rows of a launch plan are done.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/order.h"

#include "host/checked.h"
#include "host/plan/shuffle.h"

#include <string.h>

/* The bytes of a cache line, and of a vector of the kernels. */
#define LINE 64
#define VECTOR_BYTES 64

/* Whether rows of the destination are so short that they are written one after the other, however much of the source is skipped:
 * in the order of the source each row would end within a line, and the next begin in another. Feature maps of u8, f16 and f32 in
 * blocks of 2 to 4, rows of 4 to 450 bytes, speed in the order of the destination beside that of the source: POCL 12 to 1.2 (0.8
 * for rows of whole lines, but not by 2), host 7 to 1.2, with AVX2 6 to 1.1. With AVX-512 the host makes 0.95 of it, by 2 from
 * 200 bytes on, else from 64 bytes on (2 cores of an Intel Xeon, model 207). */
static bool is_split_in_short_rows(const clm_launch_plan *launch_plan, const clm_traits *traits) {
    const int64_t row_bytes = launch_plan->n * clm_unit_bytes(launch_plan);
    const bool is_wide = traits->shuffle_window == CLM_MOST_WINDOW && !traits->items_make_tables; /* the host with AVX-512 */
    if (launch_plan->m == 2)
        return row_bytes < (is_wide ? 192 : 512);
    return row_bytes < (is_wide ? LINE : 320) && row_bytes % LINE != 0;
}

/* Whether deinterleaving is faster in the order of the source. Bytes of the source that are skipped cost nothing if they are
 * still in the cache when they are read. */
static bool splits_better_in_order(const clm_launch_plan *launch_plan, const clm_traits *traits) {
    const clm_tuning *tuning = &traits->tuning;
    const clm_axis *innermost = &launch_plan->outer[launch_plan->outer_rank - 1];
    int64_t skipped_over = clm_distance(innermost->src) * innermost->extent * clm_unit_bytes(launch_plan);
    clm_launch_plan in_order = *launch_plan;
    clm_axes_order(in_order.outer, in_order.outer_rank, true);
    return in_order.outer[in_order.outer_rank - 1].extent * launch_plan->m <= tuning->max_dst_rows &&
           skipped_over > tuning->near_bytes && !is_split_in_short_rows(launch_plan, traits);
}

/* Whether interleaving is faster in the order of the source: with short runs that make a long row, or runs shorter than a vector.
 * But half a vector and more, in a row of the destination of LEAST_JOINED_ROW bytes and more, is faster in the order of the
 * destination, whose lines are then written whole. 60 maps of images to space by 2 to 5, rows of 32 to 56 bytes, on 2 cores of an
 * Intel Xeon (model 167), in the order of the source and of the destination: by 3 to 5 0.43 and 0.60 of the limit on POCL, 0.38
 * and 0.49 on the host; by 2, whose rows are too short, 0.47 and 0.39 on POCL. Rows of 16 to 28 bytes, by 3 to 16: 0.42 and
 * 0.37. */
#define LEAST_JOINED_ROW 120
static bool joins_better_in_order(const clm_launch_plan *launch_plan, const clm_tuning *tuning) {
    int64_t run_bytes = launch_plan->n * clm_unit_bytes(launch_plan);
    const bool is_short = run_bytes < VECTOR_BYTES / 2 || run_bytes * launch_plan->m < LEAST_JOINED_ROW;
    return run_bytes < tuning->short_run_bytes &&
           ((run_bytes < VECTOR_BYTES && is_short) || run_bytes * launch_plan->m >= tuning->short_run_bytes / 4);
}

bool clm_reads_better_in_order(const clm_launch_plan *launch_plan, const clm_traits *traits) {
    if (launch_plan->m < 2 || launch_plan->outer_rank < 1)
        return false;
    if (launch_plan->m_src == 1 && launch_plan->n_dst == 1)
        return splits_better_in_order(launch_plan, traits);
    return launch_plan->m_dst == 1 && launch_plan->n_dst == launch_plan->m && launch_plan->n_src == 1 &&
           joins_better_in_order(launch_plan, &traits->tuning);
}

/* Rows of at most so many bytes are read faster if the next one follows in the source. */
#define SHORT_ROW 4096
/* Rows that follow each other in the destination may lie anywhere once they have so many bytes together. */
#define LONG_RUN 1024
/* The number of places of the source that are read in turn. Fewer make the runs of the destination short. More than MOST_PLACES
 * are taken only if the number has no smaller divisor. */
enum { FEWEST_PLACES = 16, MOST_PLACES = 64, TOO_MANY_PLACES = 160 };

/* The outer axis, of the first `count`, whose stride in the source is `units`; -1: none. */
static int32_t find_next_in_source(const clm_launch_plan *launch_plan, int32_t count, int64_t units) {
    for (int32_t i = count - 1; i >= 0; i--)
        if (launch_plan->outer[i].src == units)
            return i;
    return -1;
}

bool clm_has_short_rows_apart(const clm_launch_plan *launch_plan) {
    const int64_t row_bytes = launch_plan->n * clm_unit_bytes(launch_plan);
    return launch_plan->m == 1 && launch_plan->n_src == 1 && launch_plan->n_dst == 1 && launch_plan->q_dst == launch_plan->n &&
           launch_plan->q_src != launch_plan->n && launch_plan->q_src != 0 && row_bytes <= SHORT_ROW &&
           row_bytes * launch_plan->q >= LONG_RUN;
}

/* A divisor of the number that is a good number of places. The number itself if it is small, or if there is no such divisor. */
static int64_t find_divisor(int64_t number) {
    for (int64_t d = MOST_PLACES; d >= FEWEST_PLACES && number > MOST_PLACES; d--)
        if (number % d == 0)
            return d;
    for (int64_t d = MOST_PLACES; d <= TOO_MANY_PLACES && number > MOST_PLACES; d++)
        if (number % d == 0)
            return d;
    return number;
}

/* Moves an outer axis to a later place. */
static void move_axis(clm_launch_plan *launch_plan, int32_t from, int32_t to) {
    const clm_axis axis = launch_plan->outer[from];
    memmove(&launch_plan->outer[from], &launch_plan->outer[from + 1], (size_t)(to - from) * sizeof axis);
    launch_plan->outer[to] = axis;
}

/* Whether what is read again along an axis, the next one in the source, is still in the cache. 2 cores of an Intel Xeon (model
 * 167), host, in the order of the destination and of the source: 115 matrices of 70 x 65 runs of 40 bytes 0.94 and 0.59 of the
 * limit, of 150 x 3 runs of 20 bytes 0.83 and 0.40. */
static bool is_read_again_soon(const clm_launch_plan *launch_plan, int32_t next) {
    const clm_axis *axis = &launch_plan->outer[next];
    const int64_t unit_bytes = clm_unit_bytes(launch_plan);
    int64_t span = launch_plan->q * clm_distance(launch_plan->q_src);
    for (int32_t i = next; i < launch_plan->outer_rank; i++)
        span += (launch_plan->outer[i].extent - 1) * clm_distance(launch_plan->outer[i].src);
    return axis->dst * axis->extent * unit_bytes <= CLM_NEAR_MATRIX && span * unit_bytes <= CLM_NEAR_SPAN;
}

/* Host, 2 cores of a virtual Intel Xeon: TTC's 15 x 15 x 32 x 15 x 32 x 16 f32 in the order 4,1,0,3,2,5 has rows of 64 bytes in
 * runs of 2 KiB. It reaches 0.30 of the limit in the order of the destination, and 0.91 in this one. 96 x 75 x 96 x 80 in the
 * order 2,1,0,3 reaches 0.56 and 0.84. */
void clm_read_on_in_source(clm_launch_plan *launch_plan) {
    int64_t units = launch_plan->n;
    int32_t place = launch_plan->outer_rank, next = find_next_in_source(launch_plan, place, units);
    if (next >= 0 && is_read_again_soon(launch_plan, next))
        return;
    while (units * clm_unit_bytes(launch_plan) < SHORT_ROW && (next = find_next_in_source(launch_plan, place, units)) >= 0) {
        move_axis(launch_plan, next, --place);
        units *= launch_plan->outer[place].extent;
    }
    if (place == launch_plan->outer_rank)
        return;
    const int64_t few = find_divisor(launch_plan->q);
    if (few == launch_plan->q)
        return;
    launch_plan->outer[launch_plan->outer_rank++] =
        (clm_axis){launch_plan->q / few, launch_plan->q_src * few, launch_plan->q_dst * few};
    launch_plan->q = few;
    for (int32_t i = launch_plan->outer_rank - 1; i > place; i--)
        move_axis(launch_plan, i - 1, i);
}

/* Bytes that a tile writes of each row, at least, where rows are in turn. Images [3,448,448] of f32, a line of each image row to
 * 16 places, on 2 cores of an AMD EPYC (model 17), share of the limit without turns and with 512, 1024 and 2048 bytes: host 0.42,
 * 0.58, 0.55, 0.49; POCL 0.43, 0.62, 0.56, 0.49. Reading alone, in the order of the source, was 1.4 times as fast as image row by
 * image row. */
#define TURN_BYTES 512

int64_t clm_take_turns(clm_launch_plan *launch_plan) {
    const clm_axis *column = &launch_plan->outer[launch_plan->outer_rank + launch_plan->n_rank - 1];
    const int64_t unit_bytes = clm_unit_bytes(launch_plan), row_bytes = column->extent * unit_bytes;
    const int64_t fewest = clm_divide_up(TURN_BYTES, row_bytes);
    int64_t units = launch_plan->m * column->extent, rows = fewest;
    int32_t next;
    if (column->src != launch_plan->m)
        return 0;
    while (units * unit_bytes < SHORT_ROW &&
           (next = find_next_in_source(launch_plan, launch_plan->outer_rank - launch_plan->turn_rank, units)) >=
               launch_plan->lead_rank) {
        const int32_t place = launch_plan->outer_rank - ++launch_plan->turn_rank;
        move_axis(launch_plan, next, place);
        units *= launch_plan->outer[place].extent;
    }
    while (rows < 2 * fewest && rows * row_bytes % LINE != 0)
        rows++;
    return launch_plan->turn_rank == 0 ? 0 : (rows < 2 * fewest ? rows : fewest) * column->extent;
}

/* What planes in turn read again stays in the first-level cache. Pixels of 4 bytes to 3 planes on 2 cores of an Intel Xeon (model
 * 167), bytes of a plane at once 4096, 8192, 16384, 65536, GB/s: host 18.1, 18.6, 17.3, 17.4; POCL 14.7, 16.0, 15.6, 15.6.
 * Mirrored pixels of 3 bytes to planes 22, 22, 20, 20; 17, 19, 19, 19. */
#define TURN_SOURCE 32768

void clm_take_planes_in_turn(clm_launch_plan *launch_plan) {
    const int64_t apart = clm_distance(launch_plan->q_src);
    for (int32_t i = launch_plan->lead_rank; i < launch_plan->outer_rank; i++) {
        const clm_axis *axis = &launch_plan->outer[i];
        if (axis->src == 0 || clm_distance(axis->src) * axis->extent > apart)
            continue;
        move_axis(launch_plan, i, launch_plan->outer_rank - 1);
        launch_plan->turn_rank = 1;
        const int64_t most = clm_divide_up(TURN_SOURCE, apart * clm_unit_bytes(launch_plan));
        const int64_t count = clm_divide_up(launch_plan->q, launch_plan->segment < most ? launch_plan->segment : most);
        launch_plan->segment = clm_shuffled_segment(launch_plan, clm_divide_up(launch_plan->q, count));
        launch_plan->segments = clm_divide_up(launch_plan->q, launch_plan->segment);
        return;
    }
}

/* Bytes of a frame, at most: two fit in the second-level cache. And bytes from what is read to what is asked for, at least. */
#define MOST_FRAME (256 * 1024)
#define LEAST_AHEAD (16 * 1024)

/* Rows in turn span at most so many bytes of the source. Images by 6 to 14, rows of 108 to 836 bytes, 25 MB on 2 cores of an
 * Intel Xeon (model 207), host: in spans of 512, 1024 and 2048 KiB 1.06, 1.13 and 1.12 times as fast as not in turn. */
#define MOST_SPAN (1 << 20)

void clm_split_in_turn(clm_launch_plan *launch_plan, int64_t item_bytes) {
    const int64_t apart = clm_distance(launch_plan->q_src), unit_bytes = clm_unit_bytes(launch_plan);
    if (apart == 0)
        return;
    const int64_t in_span = (item_bytes < MOST_SPAN ? item_bytes : MOST_SPAN) / (apart * unit_bytes);
    const int64_t most = in_span > launch_plan->segment ? in_span : launch_plan->segment;
    for (int32_t i = launch_plan->lead_rank; i < launch_plan->outer_rank; i++) {
        const clm_axis *axis = &launch_plan->outer[i];
        if (axis->src == 0 || clm_distance(axis->src) * axis->extent > apart)
            continue;
        if (i + 1 == launch_plan->outer_rank && launch_plan->q * apart * unit_bytes <= MOST_FRAME)
            return;
        move_axis(launch_plan, i, launch_plan->outer_rank - 1);
        launch_plan->turn_rank = 1;
        launch_plan->segment = clm_divide_up(launch_plan->q, clm_divide_up(launch_plan->q, most));
        launch_plan->segments = clm_divide_up(launch_plan->q, launch_plan->segment);
        return;
    }
}

/* The units of the source that axes and runs of so many units cover without a gap; 0: there are gaps, or the first axis is the
 * outermost of them in the source. */
static int64_t find_frame(const clm_axis *axes, int32_t count, int64_t run_units) {
    int64_t units = run_units, steps = 1;
    bool is_apart = false;
    for (int32_t i = 0; i < count; i++)
        steps *= axes[i].extent;
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < count; k++)
            if (axes[k].extent > 1 && axes[k].src == units) {
                is_apart = k > 0;
                units *= axes[k].extent;
            }
    return is_apart && units == steps * run_units ? units : 0;
}

/* A processor does not foresee short rows that are apart, and a prefetch of the next row comes too late. 40 MB on 2 cores of an
 * AMD EPYC (family 26, model 2), host, share of the limit without and with frames. Images [3,224,224] in blocks, u8 by 4 0.50,
 * 0.98; by 7 0.57, 0.90; by 8 0.50, 0.75; by 16 0.50, 0.74; f16 by 2 0.54, 0.90; f32 by 32 0.44, 0.61. Tiles that are a frame
 * each: u8 [64,28,28] to NHWC 0.60, 0.90; [14,14,256] to NCHW 0.74, 0.89. A core waits for so many prefetches beside those of
 * strips. TTC with frames and without, GB/s: a core of an Intel Xeon (480 MiB of cache) 34 13, 21; 23 11, 18; 2 cores of the EPYC
 * 24 34, 53; 49 53, 85; 51 50, 81. */
void clm_find_frames(clm_launch_plan *launch_plan) {
    const int32_t tile_rank = launch_plan->n_rank + launch_plan->m_rank;
    const bool has_outer = launch_plan->outer_rank > launch_plan->lead_rank;
    const bool has_strips = launch_plan->in_strips && launch_plan->run_units == 1;
    clm_axis axes[CLM_MAX_PLAN_AXES];
    int32_t count = 1;
    if (!launch_plan->stream || launch_plan->turn_rank > 0)
        return;
    for (; count <= tile_rank; count++)
        axes[count] = launch_plan->outer[launch_plan->outer_rank + count - 1];
    if (tile_rank == 0) {
        axes[count++] = (clm_axis){launch_plan->q, launch_plan->q_src, 0};
        axes[count++] = (clm_axis){launch_plan->n, launch_plan->n_src, 0};
        axes[count++] = (clm_axis){launch_plan->m, launch_plan->m_src, 0};
    }
    for (int32_t rank = has_outer; rank >= 0 && (rank > 0 || (tile_rank > 0 && !has_strips)); rank--) {
        axes[0] = rank > 0 ? launch_plan->outer[launch_plan->outer_rank - 1] : (clm_axis){1, 0, 0};
        const int64_t units = find_frame(axes, count, launch_plan->run_units), bytes = units * clm_unit_bytes(launch_plan);
        if (bytes == 0 || bytes > MOST_FRAME)
            continue;
        launch_plan->frame_part = clm_divide_up(units, axes[0].extent * launch_plan->segments);
        launch_plan->frame_ahead = clm_divide_up(LEAST_AHEAD, bytes) * units;
        launch_plan->frame_rank = rank;
        break;
    }
}
