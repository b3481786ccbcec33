/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/periods.h"

#include "cl_kernels/move.h"

#include <string.h>

/* Runs from here on are long enough to be copied one by one. */
#define LONG_RUN_BYTES 4096
/* Blocks that do not repeat are not worth making of rows from here on, if so many bytes of them are side by side. */
#define ROW_BYTES 256
#define ROWS_BYTES 2048

clm_pieces clm_find_pieces(const clm_axis *axes, int32_t n_rank, int64_t unit_bytes) {
    const clm_axis inner = axes[n_rank - 1];
    clm_pieces found = {.pattern = inner.extent, .times = 1, .pieces = 1, .piece_rank = n_rank - 1};
    if (inner.src == 0) {
        found.pattern = 1;
        found.times = inner.extent;
    } else if (n_rank > 1 && axes[n_rank - 2].src == 0) {
        found.times = axes[n_rank - 2].extent;
        found.piece_rank--;
    }
    for (int32_t i = 0; i < found.piece_rank; i++) {
        if (axes[i].src == 0 && PERIOD_IS_PART(axes[i].dst * unit_bytes, axes[i].extent))
            found.part_rank = i + 1;
        found.pieces *= axes[i].extent;
    }
    return found;
}

void clm_take_block(const clm_normal_form *form, int32_t first, int64_t units, clm_launch_plan *launch_plan) {
    launch_plan->outer_rank = first;
    launch_plan->n_rank = form->rank - first;
    launch_plan->m_rank = 0;
    memcpy(launch_plan->outer, form->axes, (size_t)form->rank * sizeof *form->axes);
    launch_plan->n = units;
    launch_plan->m = 1;
    launch_plan->n_src = launch_plan->n_dst = launch_plan->m_src = launch_plan->m_dst = 0;
}

/* A block of so many bytes or more is stored at every place where it repeats, however far apart, before the next is made. A
 * shorter one is stored in order, since its first and last lines are its neighbours' as well. Tiles of 25 MB on 2 cores of an AMD
 * EPYC (model 17), GB/s: f16 [3,13,2,13] by 774,2,1,8 host 35, 51, POCL 23, 39; u8 [224,3,13,5,5] by 5,2,1,2,5 40, 53 and 24, 41.
 */
#define APART_BYTES 4096

/* Makes innermost the outer axes along which a block repeats. */
static void repeat_innermost(clm_launch_plan *launch_plan) {
    clm_axis repeated[CLM_MAX_AXES];
    int32_t kept = 0, count = 0;
    for (int32_t i = 0; i < launch_plan->outer_rank; i++) {
        const clm_axis axis = launch_plan->outer[i];
        if (axis.src == 0)
            repeated[count++] = axis;
        else
            launch_plan->outer[kept++] = axis;
    }
    memcpy(&launch_plan->outer[kept], repeated, (size_t)count * sizeof *repeated);
}

bool clm_fits_period(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    const int64_t unit_bytes = form->unit_bits / 8;
    int32_t first = form->rank;
    int64_t units = 1;
    if (form->unit_bits < 8 || form->rank < 2 || form->axes[form->rank - 1].src < 0 || form->axes[form->rank - 1].src > 1)
        return false;
    for (; first > 0; first--) {
        const clm_axis *axis = &form->axes[first - 1];
        if (axis->dst != units || axis->extent > PERIOD_BYTES / (units * unit_bytes) ||
            (first < form->rank && clm_find_pieces(axis, form->rank - first + 1, unit_bytes).pieces > PERIOD_PIECES))
            break;
        units *= axis->extent;
    }
    const int32_t taken = form->rank - first;
    if (taken == 0)
        return false;
    const clm_axis *axes = &form->axes[first];
    const clm_pieces found = clm_find_pieces(axes, taken, unit_bytes);
    const int64_t row_bytes = found.pattern * found.times * unit_bytes;
    const bool has_long_rows =
        row_bytes >= ROW_BYTES && found.piece_rank > 0 && axes[found.piece_rank - 1].extent * row_bytes >= ROWS_BYTES;
    bool repeats = false; /* more than a pattern in a row */
    for (int32_t i = 0; i < found.piece_rank && !has_long_rows; i++)
        repeats = repeats || axes[i].src == 0;
    if (first > 0 && axes[-1].src == 0 && axes[-1].dst == units)
        repeats = repeats || taken > 1 || found.pattern * unit_bytes < LONG_RUN_BYTES;
    if (!repeats)
        return false;
    clm_take_block(form, first, units, launch_plan);
    if (units * unit_bytes >= APART_BYTES)
        repeat_innermost(launch_plan);
    return true;
}

/* f16 [64,5208,6,6] of [5208,3,16,2], rows of 12 bytes: 17 GB/s, and 51 in transpose (2 cores of an
 * AMD EPYC, family 26, model 2). */
bool clm_period_is_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    enum { LINE = 64, ROW = 16 };
    const clm_axis *axes = &launch_plan->outer[launch_plan->outer_rank];
    const int64_t unit_bytes = form->unit_bits / 8;
    const clm_pieces found = clm_find_pieces(axes, launch_plan->n_rank, unit_bytes);
    (void)traits;
    if (found.piece_rank == 0 || found.pattern * found.times * unit_bytes >= ROW)
        return false;
    return clm_distance(axes[found.piece_rank - 1].src) * unit_bytes >= LINE;
}
