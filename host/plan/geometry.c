/* How a movement is cut into jobs and work-items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/movement.h"

/* CPU-like devices: a job is long enough to forget its start, and there are enough items that the last one does not wait long.
 * POCL 3.1 takes about 0.3 us to hand a work-group to a thread, the time in which a core moves 6 KB. */
#define LONG_SEGMENT_BYTES 65536
#define LONG_ITEM_MIN_BYTES 32768
#define ITEMS_PER_WORKER 16

/* GPU-like devices: neighbouring items store neighbouring 16-byte pieces; beyond this many items each takes more jobs. The limit
 * also keeps the NDRange under 2^31, past which drivers hand out wrong ids. */
#define SHORT_SEGMENT_BYTES 16
#define MAX_ITEMS (INT64_C(1) << 22)

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
        last += per_byte - 1; /* leading axes may start a launch anywhere in a byte */
    movement->n = last / per_byte + 1;
    movement->rows = 1;
}

void clm_set_geometry(clm_movement *movement, const clm_traits *traits) {
    movement->lead_rank = movement->outer_rank > traits->max_outer ? movement->outer_rank - traits->max_outer : 0;
    movement->launches = movement->rows = 1;
    for (int32_t i = 0; i < movement->outer_rank; i++)
        *(i < movement->lead_rank ? &movement->launches : &movement->rows) *= movement->outer[i].extent;
    if (movement->unit_bits < 8)
        set_bytes_to_visit(movement);

    int64_t step_bytes = movement->m * clm_unit_bytes(movement); /* of one i of the nest */
    int64_t total_bytes = movement->rows * movement->n * step_bytes;
    int64_t segment_bytes = traits->few_long_runs ? LONG_SEGMENT_BYTES : SHORT_SEGMENT_BYTES * movement->m;
    movement->segment = at_least_one(segment_bytes / step_bytes);
    if (movement->segment > movement->n)
        movement->segment = movement->n;
    movement->segments = divide_up(movement->n, movement->segment);
    movement->jobs = movement->rows * movement->segments;
    if (traits->few_long_runs) {
        int64_t item_bytes = total_bytes / ((int64_t)traits->workers * ITEMS_PER_WORKER);
        if (item_bytes < LONG_ITEM_MIN_BYTES)
            item_bytes = LONG_ITEM_MIN_BYTES;
        movement->run = at_least_one(item_bytes / (movement->segment * step_bytes));
    } else
        movement->run = divide_up(movement->jobs, MAX_ITEMS);
    if (movement->run > movement->jobs)
        movement->run = movement->jobs;
    movement->items = divide_up(movement->jobs, movement->run);
    movement->neighbours = !traits->few_long_runs;
    movement->stream = traits->cache_bytes > 0 && (uint64_t)total_bytes > traits->cache_bytes;
}
