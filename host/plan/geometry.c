/* Cutting a launch plan into jobs and work-items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/movement.h"

#define VECTOR_BYTES 64

static int64_t divide_up(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

static int64_t at_least_one(int64_t a) {
    return a < 1 ? 1 : a;
}

/* The nest of `bits` is the span of its axes, in bytes of the destination. */
static void set_bytes_to_visit(clm_movement *movement) {
    int64_t per_byte = 8 / movement->unit_bits, last = movement->dst_offset % per_byte;
    for (int32_t i = movement->lead_rank; i < movement->outer_rank; i++)
        last += (movement->outer[i].extent - 1) * movement->outer[i].dst;
    if (movement->lead_rank > 0)
        last += per_byte - 1; /* a launch may begin at any bit of a byte */
    movement->n = last / per_byte + 1;
    movement->rows = 1;
}

/* Outer axes in the order of the source, so that it is read front to back (where no stride is negative). */
static void order_by_src(clm_movement *movement) {
    for (int32_t i = 1; i < movement->outer_rank; i++) {
        clm_axis axis = movement->outer[i];
        int32_t place = i;
        for (; place > 0 && movement->outer[place - 1].src < axis.src; place--)
            movement->outer[place] = movement->outer[place - 1];
        movement->outer[place] = axis;
    }
}

/* Skipped bytes of the source cost nothing if they are still in the cache when they are read. */
static bool splits_better_in_order(const clm_movement *movement, const clm_tuning *tuning) {
    const clm_axis *innermost = &movement->outer[movement->outer_rank - 1];
    int64_t skipped_over = (innermost->src < 0 ? -innermost->src : innermost->src) * innermost->extent * clm_unit_bytes(movement);
    clm_movement in_order = *movement;
    order_by_src(&in_order);
    return in_order.outer[in_order.outer_rank - 1].extent * movement->m <= tuning->max_streams &&
           skipped_over > tuning->near_bytes;
}

/* Short runs of the source that all go to one long row, or runs shorter than a vector, several of which are joined. */
static bool joins_better_in_order(const clm_movement *movement, const clm_tuning *tuning) {
    int64_t run_bytes = movement->n * clm_unit_bytes(movement);
    return run_bytes < tuning->short_run_bytes &&
           (run_bytes < VECTOR_BYTES || run_bytes * movement->m >= tuning->short_run_bytes / 4);
}

/* Whether a worker takes the outer axes in the order of the source. Else it takes them in the order of the destination. */
static bool reads_better_in_order(const clm_movement *movement, const clm_tuning *tuning) {
    if (movement->m < 2 || movement->outer_rank < 1)
        return false;
    if (movement->m_src == 1 && movement->n_dst == 1)
        return splits_better_in_order(movement, tuning);
    return movement->m_dst == 1 && movement->n_dst == movement->m && movement->n_src == 1 &&
           joins_better_in_order(movement, tuning);
}

/* Bytes of the source, each counted once. */
static uint64_t find_read_bytes(const clm_movement *movement) {
    int64_t bytes = clm_unit_bytes(movement);
    for (int32_t i = 0; i < movement->outer_rank; i++)
        bytes *= movement->outer[i].src ? movement->outer[i].extent : 1;
    return (uint64_t)(bytes * (movement->q_src ? movement->q : 1) * (movement->n_src ? movement->n : 1) *
                      (movement->m_src ? movement->m : 1));
}

void clm_set_geometry(clm_movement *movement, const clm_traits *traits) {
    const clm_tuning *tuning = &traits->tuning;
    bool long_runs = traits->few_long_runs && movement->unit_bits >= 8;
    int64_t step_bytes = movement->m * clm_unit_bytes(movement); /* of one i of the nest */
    if (long_runs && reads_better_in_order(movement, tuning))
        order_by_src(movement);
    movement->q = 1;
    movement->q_src = movement->q_dst = 0;
    if (long_runs && traits->takes_rows && movement->outer_rank > 0 && movement->n * step_bytes <= tuning->segment_bytes) {
        const clm_axis *axis = &movement->outer[--movement->outer_rank];
        movement->q = axis->extent;
        movement->q_src = axis->src;
        movement->q_dst = axis->dst;
    }
    movement->lead_rank = movement->outer_rank > traits->max_outer ? movement->outer_rank - traits->max_outer : 0;
    movement->launches = movement->rows = 1;
    for (int32_t i = 0; i < movement->outer_rank; i++)
        *(i < movement->lead_rank ? &movement->launches : &movement->rows) *= movement->outer[i].extent;
    if (movement->unit_bits < 8)
        set_bytes_to_visit(movement);

    int64_t cut = movement->n;
    if (movement->q > 1) {
        cut = movement->q;
        step_bytes *= movement->n;
    }
    int64_t total_bytes = movement->rows * cut * step_bytes;
    /* The short runs' share of one of the m rows that they write. */
    int64_t segment_step_bytes = traits->few_long_runs ? step_bytes : clm_unit_bytes(movement);
    movement->segment = at_least_one(tuning->segment_bytes / segment_step_bytes);
    if (movement->segment > cut)
        movement->segment = cut;
    movement->segments = divide_up(cut, movement->segment);
    movement->jobs = movement->rows * movement->segments;
    if (traits->few_long_runs) {
        int64_t item_bytes = total_bytes / (traits->workers * tuning->items_per_worker);
        if (item_bytes < tuning->item_min_bytes)
            item_bytes = tuning->item_min_bytes;
        movement->run = at_least_one(item_bytes / (movement->segment * step_bytes));
    } else
        movement->run = divide_up(movement->jobs, tuning->max_items);
    if (movement->run > movement->jobs)
        movement->run = movement->jobs;
    movement->items = divide_up(movement->jobs, movement->run);
    movement->neighbours = !traits->few_long_runs;
    movement->local_size = tuning->local_size == CLM_NO_KEY ? 1 : tuning->local_size;
    uint64_t stream_min_bytes = clm_stream_min_bytes(tuning, traits->cache_bytes);
    movement->stream = stream_min_bytes > 0 && (uint64_t)total_bytes + find_read_bytes(movement) >= stream_min_bytes;
}
