/* Cutting a launch plan into jobs and work-items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/chunks.h"
#include "host/plan/local.h"
#include "host/plan/order.h"
#include "host/plan/shuffle.h"
#include "host/plan/tiles.h"

#include "cl_kernels/bit_words.h"
#include "host/checked.h"

#include "cl_kernels/bit_runs.h"

#include <string.h>

/* A table takes a kernel as long as using it so many times: 20 us where a block has 3 KiB (POCL 3.1, AMD EPYC of family 26). */
#define TABLE_USES 160
#define ITEMS_WITH_TABLES 8

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

/* So many units of a row, or less, so that the next ones begin with a line where the row does: such parts go past the cache line
 * by line. Pictures to planes of 3, 5 and 6 channels, 50 MB on 2 cores of an Intel Xeon (model 207), share of the limit in parts
 * of any length and so: host 0.75 and 0.91, POCL 0.73 and 0.92. */
#define LINE 64
static int64_t to_whole_lines(int64_t units, int64_t unit_bytes) {
    const int64_t line = unit_bytes < LINE ? LINE / unit_bytes : 1;
    return units > line ? units / line * line : units;
}

/* A job is done by a work-group. A group does several if there are more jobs than groups in a launch. */
static void set_groups(clm_launch_plan *launch_plan, const clm_traits *traits) {
    launch_plan->segments = 1;
    launch_plan->jobs = launch_plan->rows;
    launch_plan->item_jobs = clm_divide_up(launch_plan->jobs, at_least_one(traits->tuning.max_items / launch_plan->local_size));
    launch_plan->items = clm_divide_up(launch_plan->jobs, launch_plan->item_jobs) * launch_plan->local_size;
    launch_plan->neighbours = true;
}

void clm_set_geometry(clm_launch_plan *launch_plan, const clm_traits *traits, int32_t max_outer) {
    const clm_tuning *tuning = &traits->tuning;
    bool long_runs = traits->few_long_runs && launch_plan->unit_bits >= 8;
    int64_t step_bytes = launch_plan->m * launch_plan->run_units * clm_unit_bytes(launch_plan); /* of one i of the nest */
    if (long_runs && clm_reads_better_in_order(launch_plan, traits))
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
    if (launch_plan->q > 1 && clm_has_short_rows_apart(launch_plan))
        clm_read_on_in_source(launch_plan);
    launch_plan->chunk_bytes =
        launch_plan->variant->makes_passes ? clm_chunk_bytes(tuning, traits->cache_bytes, traits->workers) : 0;
    const int32_t most_outer =
        launch_plan->chunk_bytes > 0 ? launch_plan->outer_rank : max_outer - launch_plan->n_rank - launch_plan->m_rank;
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
    else if (long_runs && launch_plan->q == 1 && launch_plan->variant->source == CLM_DEINTERLEAVE)
        launch_plan->segment = to_whole_lines(launch_plan->segment, clm_unit_bytes(launch_plan));
    if (launch_plan->variant->source == CLM_SHUFFLE_BYTES ||
        launch_plan->variant->makes_passes) /* so that no last segment has few blocks */
        launch_plan->segment = clm_divide_up(cut, clm_divide_up(cut, launch_plan->segment));
    if (launch_plan->variant->source == CLM_SHUFFLE_BYTES)
        launch_plan->segment = clm_shuffled_segment(launch_plan, launch_plan->segment);
    launch_plan->segments = clm_divide_up(cut, launch_plan->segment);
    const uint64_t cache_bytes =
        launch_plan->variant->makes_tiles ? clm_own_caches(traits->cache_bytes, traits->workers) : traits->cache_bytes;
    const uint64_t stream_min_bytes = clm_stream_min_bytes(tuning, cache_bytes);
    launch_plan->stream = stream_min_bytes > 0 && (uint64_t)total_bytes + find_read_bytes(launch_plan) >= stream_min_bytes;
    launch_plan->turn_rank = 0;
    if (launch_plan->variant->source == CLM_SHUFFLE_BYTES && launch_plan->n == 1 && launch_plan->q > 1 &&
        clm_distance(launch_plan->q_src) <= CLM_PICKED_SPREAD)
        clm_take_planes_in_turn(launch_plan);
    int64_t item_bytes = traits->few_long_runs ? total_bytes / (traits->workers * tuning->items_per_worker) : 0;
    if (launch_plan->variant->source == CLM_DEINTERLEAVE && launch_plan->stream && launch_plan->q > 1 && long_runs)
        clm_split_in_turn(launch_plan, item_bytes < tuning->item_min_bytes ? tuning->item_min_bytes : item_bytes);
    const clm_shuffled shuffled =
        launch_plan->variant->source == CLM_SHUFFLE_BYTES ? clm_find_shuffled(launch_plan) : (clm_shuffled){0};
    launch_plan->blocks_together = shuffled.blocks;
    launch_plan->window = clm_find_window(launch_plan, traits);
    int64_t job_bytes = launch_plan->segment * step_bytes;
    if (launch_plan->variant->makes_tiles) {
        clm_cut_tiles(launch_plan, traits, tuning);
        job_bytes = launch_plan->segment * launch_plan->band * launch_plan->run_units * clm_unit_bytes(launch_plan);
    }
    launch_plan->jobs = launch_plan->rows * launch_plan->segments;
    if (traits->few_long_runs) {
        if (shuffled.blocks > 0 && traits->items_make_tables) {
            const int64_t least = TABLE_USES * (int64_t)shuffled.bytes;
            item_bytes = total_bytes / (traits->workers * ITEMS_WITH_TABLES);
            item_bytes = item_bytes > least ? item_bytes : least;
        }
        if (item_bytes < tuning->item_min_bytes)
            item_bytes = tuning->item_min_bytes;
        launch_plan->item_jobs = at_least_one(item_bytes / job_bytes);
    } else
        launch_plan->item_jobs = clm_divide_up(launch_plan->jobs, tuning->max_items);
    if (launch_plan->item_jobs > launch_plan->jobs)
        launch_plan->item_jobs = launch_plan->jobs;
    launch_plan->items = clm_divide_up(launch_plan->jobs, launch_plan->item_jobs);
    launch_plan->neighbours = !traits->few_long_runs;
    launch_plan->frame_part = launch_plan->frame_ahead = launch_plan->frame_rank = 0;
    if (traits->takes_rows && launch_plan->unit_bits >= 8 && !makes_blocks)
        clm_find_frames(launch_plan);
    launch_plan->local_size = tuning->local_size == CLM_NO_KEY ? 1 : tuning->local_size;
    launch_plan->constant = launch_plan->variant->m_is_constant                ? (uint32_t)clm_group_units(launch_plan)
                            : launch_plan->unit_bits < 8 && traits->takes_rows ? find_bits_case(launch_plan)
                                                                               : 1;
    if (launch_plan->chunk_bytes > 0) {
        clm_chunks chunks;
        clm_find_chunks(launch_plan, launch_plan->chunk_bytes, &chunks);
        launch_plan->launches = 2 * chunks.count;
    }
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
