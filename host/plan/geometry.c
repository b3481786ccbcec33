/* Cutting a launch plan into jobs and work-items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/launch_plan.h"
#include "host/plan/local.h"
#include "host/plan/tiles.h"

#include "cl_kernels/bit_words.h"
#include "host/checked.h"

#include "cl_kernels/bit_runs.h"

#include <string.h>

#define VECTOR_BYTES 64

static int64_t at_least_one(int64_t a) {
    return a < 1 ? 1 : a;
}

/* `bits` visits all bytes of the destination from the first to the last that its axes reach. */
static void set_bytes_to_visit(clm_launch_plan *launch_plan) {
    int64_t per_byte = 8 / launch_plan->unit_bits, last = launch_plan->dst_offset % per_byte;
    for (int32_t i = launch_plan->lead_rank; i < launch_plan->outer_rank; i++)
        last += (launch_plan->outer[i].extent - 1) * launch_plan->outer[i].dst;
    if (launch_plan->lead_rank > 0)
        last += per_byte - 1; /* a launch may begin at any bit of a byte */
    launch_plan->n = last / per_byte + 1;
    launch_plan->rows = 1;
}

/* Whether deinterleaving is faster in the order of the source. Bytes of the source that are skipped cost nothing if they are
 * still in the cache when they are read. */
static bool splits_better_in_order(const clm_launch_plan *launch_plan, const clm_tuning *tuning) {
    const clm_axis *innermost = &launch_plan->outer[launch_plan->outer_rank - 1];
    int64_t skipped_over =
        (innermost->src < 0 ? -innermost->src : innermost->src) * innermost->extent * clm_unit_bytes(launch_plan);
    clm_launch_plan in_order = *launch_plan;
    clm_axes_order(in_order.outer, in_order.outer_rank, true);
    return in_order.outer[in_order.outer_rank - 1].extent * launch_plan->m <= tuning->max_dst_rows &&
           skipped_over > tuning->near_bytes;
}

/* Whether interleaving is faster in the order of the source: with short runs that make a long row, or runs shorter than a vector.
 */
static bool joins_better_in_order(const clm_launch_plan *launch_plan, const clm_tuning *tuning) {
    int64_t run_bytes = launch_plan->n * clm_unit_bytes(launch_plan);
    return run_bytes < tuning->short_run_bytes &&
           (run_bytes < VECTOR_BYTES || run_bytes * launch_plan->m >= tuning->short_run_bytes / 4);
}

/* Whether a worker takes the outer axes in the order of the source. Else it takes them in the order of the destination. */
static bool reads_better_in_order(const clm_launch_plan *launch_plan, const clm_tuning *tuning) {
    if (launch_plan->m < 2 || launch_plan->outer_rank < 1)
        return false;
    if (launch_plan->m_src == 1 && launch_plan->n_dst == 1)
        return splits_better_in_order(launch_plan, tuning);
    return launch_plan->m_dst == 1 && launch_plan->n_dst == launch_plan->m && launch_plan->n_src == 1 &&
           joins_better_in_order(launch_plan, tuning);
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

static bool has_short_rows_apart(const clm_launch_plan *launch_plan) {
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

/* Makes innermost the outer axes along which the rows of q continue in the source. q keeps as many rows as are read well in turn.
 * The order of the destination would write it front to back, but come back to each place of the source for each row. Host, 2
 * cores of a virtual Intel Xeon: TTC's 15 x 15 x 32 x 15 x 32 x 16 f32 in the order 4,1,0,3,2,5 has rows of 64 bytes in runs of 2
 * KiB. It reaches 0.30 of the limit in the order of the destination, and 0.91 in this one. 96 x 75 x 96 x 80 in the order 2,1,0,3
 * reaches 0.56 and 0.84. */
static void read_on_in_source(clm_launch_plan *launch_plan) {
    int64_t units = launch_plan->n;
    int32_t place = launch_plan->outer_rank, next;
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

/* Bytes of the source, each counted once. */
static uint64_t find_read_bytes(const clm_launch_plan *launch_plan) {
    int64_t bytes = launch_plan->run_units * clm_unit_bytes(launch_plan);
    for (int32_t i = 0; i < launch_plan->outer_rank + launch_plan->n_rank + launch_plan->m_rank; i++)
        bytes *= launch_plan->outer[i].src ? launch_plan->outer[i].extent : 1;
    return (uint64_t)(bytes * (launch_plan->q_src ? launch_plan->q : 1) * (launch_plan->n_src ? launch_plan->n : 1) *
                      (launch_plan->m_src ? launch_plan->m : 1));
}

/* The kernel finds its task in the same way. */
static uint32_t find_bits_case(const clm_launch_plan *launch_plan) {
    const int64_t unit = launch_plan->unit_bits;
    bits_task task = {.unit = (int)unit, .rank = launch_plan->outer_rank - launch_plan->lead_rank};
    for (int32_t i = 0; i < task.rank; i++) {
        const clm_axis *axis = &launch_plan->outer[launch_plan->lead_rank + i];
        task.axes[i] = (bits_axis){.extent = axis->extent, .src = axis->src * unit, .dst = axis->dst * unit};
    }
    bits_start_task(&task, launch_plan->msb_first);
    return BITS_CASE(task.run, task.block, (uint32_t)launch_plan->msb_first);
}

/* The largest power of two. */
static int64_t find_group_size(const clm_tuning *tuning) {
    int64_t size = 1;
    while (2 * size <= tuning->local_size)
        size *= 2;
    return size;
}

/* A job is done by a work-group. A group does several if there are more jobs than groups in a launch. */
static void set_groups(clm_launch_plan *launch_plan, const clm_traits *traits) {
    launch_plan->segments = 1;
    launch_plan->jobs = launch_plan->rows;
    launch_plan->run = clm_divide_up(launch_plan->jobs, at_least_one(traits->tuning.max_items / launch_plan->local_size));
    launch_plan->items = clm_divide_up(launch_plan->jobs, launch_plan->run) * launch_plan->local_size;
    launch_plan->neighbours = true;
}

void clm_set_geometry(clm_launch_plan *launch_plan, const clm_traits *traits, int32_t max_outer) {
    const clm_tuning *tuning = &traits->tuning;
    bool long_runs = traits->few_long_runs && launch_plan->unit_bits >= 8;
    int64_t step_bytes = launch_plan->m * launch_plan->run_units * clm_unit_bytes(launch_plan); /* of one i of the nest */
    if (long_runs && reads_better_in_order(launch_plan, tuning))
        clm_axes_order(launch_plan->outer, launch_plan->outer_rank, true); /* so that it is read front to back */
    if (launch_plan->variant->is_local)
        clm_cut_local(launch_plan, find_group_size(tuning), traits->workers, max_outer);
    launch_plan->q = 1;
    launch_plan->q_src = launch_plan->q_dst = 0;
    const bool makes_blocks = launch_plan->variant->makes_blocks;
    if (long_runs && traits->takes_rows && !launch_plan->variant->makes_tiles && launch_plan->outer_rank > 0 &&
        (makes_blocks || launch_plan->n * step_bytes <= tuning->segment_bytes)) {
        const clm_axis *axis = &launch_plan->outer[--launch_plan->outer_rank];
        launch_plan->q = axis->extent;
        launch_plan->q_src = axis->src;
        launch_plan->q_dst = axis->dst;
        memmove(&launch_plan->outer[launch_plan->outer_rank], axis + 1, (size_t)launch_plan->n_rank * sizeof *axis);
    }
    if (launch_plan->q > 1 && has_short_rows_apart(launch_plan))
        read_on_in_source(launch_plan);
    const int32_t most_outer = max_outer - launch_plan->n_rank - launch_plan->m_rank;
    launch_plan->lead_rank = launch_plan->outer_rank > most_outer ? launch_plan->outer_rank - most_outer : 0;
    launch_plan->launches = launch_plan->rows = 1;
    for (int32_t i = 0; i < launch_plan->outer_rank; i++)
        *(i < launch_plan->lead_rank ? &launch_plan->launches : &launch_plan->rows) *= launch_plan->outer[i].extent;
    if (launch_plan->unit_bits < 8)
        set_bytes_to_visit(launch_plan);

    if (launch_plan->variant->is_local) {
        set_groups(launch_plan, traits);
        return;
    }
    int64_t cut = launch_plan->n;
    if (launch_plan->q > 1) {
        cut = launch_plan->q;
        step_bytes *= launch_plan->n;
    }
    int64_t total_bytes = launch_plan->rows * cut * step_bytes;
    /* The short runs' share of one of the m rows that they write. */
    int64_t segment_step_bytes = traits->few_long_runs ? step_bytes : clm_unit_bytes(launch_plan);
    launch_plan->segment = at_least_one(tuning->segment_bytes / segment_step_bytes);
    if (launch_plan->segment > cut || (makes_blocks && launch_plan->q == 1)) /* a block is never cut */
        launch_plan->segment = cut;
    launch_plan->segments = clm_divide_up(cut, launch_plan->segment);
    launch_plan->in_strips = clm_wants_strips(tuning);
    int64_t job_bytes = launch_plan->segment * step_bytes;
    if (launch_plan->variant->makes_tiles) {
        clm_cut_tiles(launch_plan, traits, tuning);
        job_bytes = launch_plan->segment * launch_plan->band * launch_plan->run_units * clm_unit_bytes(launch_plan);
    }
    launch_plan->jobs = launch_plan->rows * launch_plan->segments;
    if (traits->few_long_runs) {
        int64_t item_bytes = total_bytes / (traits->workers * tuning->items_per_worker);
        if (item_bytes < tuning->item_min_bytes)
            item_bytes = tuning->item_min_bytes;
        launch_plan->run = at_least_one(item_bytes / job_bytes);
    } else
        launch_plan->run = clm_divide_up(launch_plan->jobs, tuning->max_items);
    if (launch_plan->run > launch_plan->jobs)
        launch_plan->run = launch_plan->jobs;
    launch_plan->items = clm_divide_up(launch_plan->jobs, launch_plan->run);
    launch_plan->neighbours = !traits->few_long_runs;
    launch_plan->local_size = tuning->local_size == CLM_NO_KEY ? 1 : tuning->local_size;
    uint64_t stream_min_bytes = clm_stream_min_bytes(tuning, traits->cache_bytes);
    launch_plan->stream = stream_min_bytes > 0 && (uint64_t)total_bytes + find_read_bytes(launch_plan) >= stream_min_bytes;
    launch_plan->constant = launch_plan->variant->m_is_constant                ? (uint32_t)launch_plan->m
                            : launch_plan->unit_bits < 8 && traits->takes_rows ? find_bits_case(launch_plan)
                                                                               : 1;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void clm_fit_groups(clm_launch_plan *launch_plan, int64_t most) {
    if (launch_plan->local_size <= most)
        return;
    if (!launch_plan->variant->is_local) {
        launch_plan->local_size = most;
        return;
    }
    const int64_t groups = launch_plan->items / launch_plan->local_size;
    int64_t shift = 0;
    while (INT64_C(2) << shift <= most)
        shift++;
    launch_plan->local_size = INT64_C(1) << shift;
    launch_plan->items = groups * launch_plan->local_size;
    launch_plan->src_lanes = smaller(launch_plan->src_lanes, shift);
    launch_plan->dst_lanes = smaller(launch_plan->dst_lanes, shift);
}
