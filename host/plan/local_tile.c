/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/local_tile.h"

#include "cl_kernels/move.h"
#include "host/checked.h"

#include <string.h>

/* The bytes of the source in a tile, at most, and how many times that the destination may have where the map repeats. Where there
 * are few bytes, tiles are smaller, so that all compute units have some. */
enum { MOST_BYTES = 16384, FEWEST_BYTES = 4096, MORE_IN_DST = 4, TILES_PER_WORKER = 4 };
/* The bytes that runs are made to have first, and those that are enough for the work-items of a sub-group. */
enum { SHORT_RUN = 64, BALANCED_RUN = 128, GOOD_RUN = 240, LONG_RUN = 1024 };
/* Repeats in a tile that are not side by side, at most. */
enum { MOST_REPEATS = 8 };
/* Of runs with the repeats that have slots of their own, where there is a choice. */
enum { IMAGE_BYTES = 1024 };
/* A settled run has at least GOOD_RUN bytes, or is all of a chain. */
_Static_assert(MORE_IN_DST *MOST_BYTES / GOOD_RUN <= LOCAL_RUNS, "settled runs are in the kernel's table");

typedef clm_local_tile tile;
typedef clm_local_tile_chain chain;
typedef clm_local_tile_part part;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t clm_local_tile_stride(const tile *it, int32_t axis, bool is_src) {
    return is_src ? it->parts[axis].axis.src : it->parts[axis].axis.dst;
}

bool clm_local_tile_has_slots(const tile *it, int32_t axis) {
    return it->parts[axis].axis.src != 0 || it->parts[axis].is_imaged;
}

/* Among the first `rank` axes of a chain. */
static bool is_among(const chain *along, int32_t rank, int32_t axis) {
    for (int32_t i = 0; i < rank; i++)
        if (along->axes[i] == axis)
            return true;
    return false;
}

static bool has(const chain *along, int32_t axis) {
    return is_among(along, along->rank, axis);
}

bool clm_local_tile_is_of_run(const chain *along, int32_t axis) {
    return is_among(along, along->run_rank, axis);
}

/* The units of the first `rank` axes of a chain. */
static int64_t units_of(const tile *it, const chain *along, int32_t rank) {
    int64_t units = 1;
    for (int32_t i = 0; i < rank; i++)
        units *= it->parts[along->axes[i]].extent;
    return units;
}

/* Of a whole chain, which is a run until runs are settled. */
static int64_t run_of(const tile *it, const chain *along) {
    return units_of(it, along, along->rank);
}

int64_t clm_local_tile_run(const tile *it, const chain *along) {
    return units_of(it, along, along->run_rank);
}

static int64_t runs_of(const tile *it, const chain *along) {
    return (along->is_src ? it->src_units : it->dst_units) / run_of(it, along);
}

static bool is_cut(const tile *it, int32_t axis) {
    return it->parts[axis].is_taken && it->parts[axis].extent < it->parts[axis].axis.extent;
}

bool clm_local_tile_is_end(const tile *it, int32_t axis) {
    return is_cut(it, axis) && (has(&it->src, axis) || has(&it->dst, axis));
}

static int32_t find_last(const chain *along) {
    return along->rank > 0 ? along->axes[along->rank - 1] : CLM_NO_AXIS;
}

/* Whether there are tiles with fewer steps along an axis. */
static bool can_be_less(const tile *it, int32_t axis) {
    return clm_local_tile_is_end(it, axis) && it->parts[axis].axis.extent % it->parts[axis].extent != 0;
}

int32_t clm_local_tile_find_end(const tile *it, const chain *along) {
    const int32_t last = find_last(along);
    return last != CLM_NO_AXIS && is_cut(it, last) ? last : CLM_NO_AXIS;
}

/* The axis that goes on where the chain ends, if its last one is whole. */
static int32_t find_next(const tile *it, const chain *along) {
    const int64_t run = run_of(it, along);
    if (along->rank == it->most_taken || clm_local_tile_find_end(it, along) != CLM_NO_AXIS)
        return CLM_NO_AXIS;
    for (int32_t i = it->rank - 1; i >= 0; i--)
        if (clm_local_tile_stride(it, i, along->is_src) == run && !has(along, i))
            return i;
    return CLM_NO_AXIS;
}

static void set_extent(tile *it, int32_t axis, int64_t extent) {
    part *p = &it->parts[axis];
    it->dst_units = it->dst_units / p->extent * extent;
    if (clm_local_tile_has_slots(it, axis))
        it->src_units = it->src_units / p->extent * extent;
    p->extent = extent;
}

/* The steps of an axis that there is room for. */
static int64_t find_most(const tile *it, int32_t axis) {
    const part *p = &it->parts[axis];
    int64_t most = least(p->axis.extent, MORE_IN_DST * it->most_units / (it->dst_units / p->extent));
    if (clm_local_tile_has_slots(it, axis))
        most = least(most, it->most_units / (it->src_units / p->extent));
    if (clm_local_tile_has_slots(it, axis) && !has(&it->src, axis))
        most = least(most, LOCAL_RUNS / (runs_of(it, &it->src) / p->extent));
    if (!has(&it->dst, axis))
        most = least(most, LOCAL_RUNS / (runs_of(it, &it->dst) / p->extent));
    return most;
}

/* Makes an axis longer in the tile, to `goal` if there is room. */
static void lengthen(tile *it, int32_t axis, int64_t goal) {
    const int64_t most = least(goal, find_most(it, axis));
    if (most > it->parts[axis].extent)
        set_extent(it, axis, most);
}

static bool take(tile *it, int32_t axis) {
    if (!it->parts[axis].is_taken && it->taken == it->most_taken)
        return false;
    it->taken += !it->parts[axis].is_taken;
    it->parts[axis].is_taken = true;
    return true;
}

/* Makes the runs of one side longer, to `goal` units if there is room. An axis that only one of the sides cuts is whole on the
 * other, so an axis that is cut ends both chains. */
static void grow(tile *it, chain *along, int64_t goal) {
    while (!along->is_done && run_of(it, along) < goal) {
        int32_t last = clm_local_tile_find_end(it, along);
        if (last == CLM_NO_AXIS) {
            last = find_next(it, along);
            if (last == CLM_NO_AXIS || !take(it, last)) {
                along->is_done = true;
                return;
            }
            along->axes[along->rank++] = last;
        }
        int64_t steps = clm_divide_up(goal, run_of(it, along) / it->parts[last].extent);
        if (2 * it->parts[last].axis.extent <= (it->unit_bytes < 4 ? 4 : 3) * steps) /* rather than in two short parts */
            steps = it->parts[last].axis.extent;
        lengthen(it, last, steps);
        if (is_cut(it, last))
            return;
    }
}

/* A chain goes on along axes that the other one has taken. */
static void close_chain(const tile *it, chain *along) {
    int32_t next;
    while ((next = find_next(it, along)) != CLM_NO_AXIS && it->parts[next].is_taken)
        along->axes[along->rank++] = next;
}

/* The largest divisor of an axis up to `most`. */
static int64_t find_divisor(const tile *it, int32_t axis, int64_t most) {
    while (most > 1 && it->parts[axis].axis.extent % most != 0)
        most--;
    return most;
}

/* Makes two axes of one: `inside` steps, and as many times that as there are. Returns the inner one. What is in the tile is so
 * many steps times a number, or one step. */
static int32_t split(tile *it, int32_t axis, int64_t inside) {
    part *outer = &it->parts[axis];
    const int32_t inner = it->rank++;
    it->splits++;
    it->parts[inner] = *outer;
    it->parts[inner].axis.extent = inside;
    it->parts[inner].extent = least(inside, outer->extent);
    outer->axis = (clm_axis){outer->axis.extent / inside, outer->axis.src * inside, outer->axis.dst * inside};
    outer->extent = clm_divide_up(outer->extent, inside);
    chain *const sides[] = {&it->src, &it->dst};
    for (int i = 0; i < 2; i++)
        for (int32_t k = 0; k < sides[i]->rank; k++)
            if (sides[i]->axes[k] == axis) {
                memmove(&sides[i]->axes[k + 1], &sides[i]->axes[k], (size_t)(sides[i]->rank++ - k) * sizeof axis);
                sides[i]->axes[k] = inner;
                sides[i]->run_rank += k < sides[i]->run_rank;
                break;
            }
    return inner;
}

/* The axis that goes on in the destination after a run of so many units. */
static int32_t find_after(const tile *it, int64_t run) {
    for (int32_t i = it->rank - 1; i >= 0; i--)
        if (it->parts[i].axis.dst == run)
            return i;
    return CLM_NO_AXIS;
}

/* Whether all runs of so many units that the destination has begin at multiples of `units`. */
static bool runs_line_up(const tile *it, int64_t run, int64_t units) {
    bool does = it->dst.offset % units == 0 && run % units == 0;
    for (int32_t i = 0; i < it->rank; i++)
        does &= it->parts[i].axis.dst < run || it->parts[i].axis.dst % units == 0;
    return does;
}

/* Repeats within a short run of bytes or halves have slots of their own, so that the run's words are side by side, and need no
 * table. Where the run is whole words of 8 bytes or more, and short enough for a table, that is quicker. */
static void take_images(tile *it) {
    int64_t run = 1;
    int32_t first = CLM_NO_AXIS;
    for (int32_t i; it->unit_bytes < 4 && run * it->unit_bytes < GOOD_RUN && (i = find_after(it, run)) != CLM_NO_AXIS;) {
        const int64_t most = IMAGE_BYTES / (run * it->unit_bytes), extent = it->parts[i].axis.extent;
        if (it->parts[i].axis.src == 0 && run == 1)
            first = i;
        else if (it->parts[i].axis.src == 0) {
            if (extent <= most && runs_line_up(it, run * extent, 8))
                return;
            const int64_t inside = extent > most ? find_divisor(it, i, most) : extent;
            if (inside < extent && inside * run * it->unit_bytes >= GOOD_RUN && it->splits < it->most_splits)
                i = split(it, i, inside);
            it->parts[i].is_imaged = true;
            if (first != CLM_NO_AXIS)
                it->parts[first].is_imaged = true;
        }
        run *= it->parts[i].axis.extent;
    }
}

/* Repeats that are not side by side in the destination are stored from the same slots, several to a tile. */
static void take_repeats(tile *it) {
    int64_t repeats = 1;
    for (int32_t i = it->rank - 1; i >= 0 && it->taken < it->most_taken / 3; i--) {
        const int64_t divisor = clm_local_tile_has_slots(it, i) ? 1 : find_divisor(it, i, MOST_REPEATS / repeats);
        if (divisor < 2 || !take(it, i))
            continue;
        set_extent(it, i, divisor);
        repeats *= divisor;
    }
}

/* Fills what room there is with parts of axes that are in no chain, so that runs stay short, and are found once for many. */
static void fill(tile *it) {
    for (int32_t i = it->rank - 1; i >= 0; i--) {
        if (it->parts[i].is_taken || it->parts[i].axis.src == 0 || i == find_next(it, &it->src) || i == find_next(it, &it->dst))
            continue;
        const int64_t divisor = find_divisor(it, i, find_most(it, i));
        if (divisor > 1 && take(it, i))
            set_extent(it, i, divisor);
    }
}

/* As equal parts as can be, of whole sectors on either side. */
static void cut_evenly(tile *it, int32_t axis) {
    const int64_t before = it->parts[axis].extent, all = it->parts[axis].axis.extent;
    const chain *const sides[] = {&it->src, &it->dst};
    int64_t step = 1;
    for (int i = 0; i < 2; i++)
        if (has(sides[i], axis)) {
            int64_t whole = 1;
            while (whole < CLM_SECTOR_BYTES && run_of(it, sides[i]) / before * it->unit_bytes * whole % CLM_SECTOR_BYTES != 0)
                whole *= 2;
            step = whole > step ? whole : step;
        }
    const int64_t even = clm_divide_up(clm_divide_up(all, clm_divide_up(all, before)), step) * step;
    set_extent(it, axis, even <= before ? even : before >= step ? before / step * step : before);
}

bool clm_local_tile_lines_up(const tile *it, const chain *along, int64_t units) {
    bool does = along->offset % units == 0 && clm_local_tile_run(it, along) % units == 0;
    for (int32_t i = 0; i < it->rank; i++) {
        const part *p = &it->parts[i];
        const int64_t stride = clm_local_tile_stride(it, i, along->is_src);
        if (!clm_local_tile_is_of_run(along, i))
            does &= stride % units == 0;
        else if (is_cut(it, i))
            does &= p->extent * stride % units == 0 && p->axis.extent % p->extent * stride % units == 0;
    }
    return does;
}

/* The steps along an axis that make a run long enough, all of them if no part of them does. */
static int64_t find_inside(const tile *it, const part *p, int64_t run_bytes, int64_t access) {
    for (int64_t inside = 2; inside < p->extent && it->splits < it->most_splits; inside++)
        if (p->extent % inside == 0 && p->axis.extent % inside == 0 && run_bytes * inside >= GOOD_RUN &&
            run_bytes * inside % access == 0)
            return inside;
    return p->extent;
}

/* What is found once for each unit of a run and for each run is the least if neither is long. A run ends where it is long enough,
 * unless an axis that is cut would count runs together with another one that is. */
static void settle_run(tile *it, chain *along) {
    const int32_t end = clm_local_tile_find_end(it, along);
    int64_t bytes = it->unit_bytes;
    along->run_rank = along->rank;
    const int64_t access =
        clm_local_tile_lines_up(it, along, CLM_ACCESS_BYTES / it->unit_bytes) ? CLM_ACCESS_BYTES : it->unit_bytes;
    for (int32_t i = 0; i < it->rank && end != CLM_NO_AXIS && can_be_less(it, end); i++)
        if (i != end && can_be_less(it, i) && clm_local_tile_stride(it, i, along->is_src) != 0)
            return;
    for (int32_t i = 0; i < along->rank && (bytes < GOOD_RUN || bytes % access != 0); i++) {
        if (bytes >= GOOD_RUN && !clm_local_tile_has_slots(it, along->axes[i])) { /* else it would need a table */
            along->run_rank = i;
            return;
        }
        const part *p = &it->parts[along->axes[i]];
        const int64_t inside = find_inside(it, p, bytes, access);
        if (inside < p->extent)
            split(it, along->axes[i], inside);
        bytes *= it->parts[along->axes[i]].extent;
        along->run_rank = bytes >= GOOD_RUN && bytes % access == 0 ? i + 1 : along->rank;
    }
}

void clm_local_tile_start(tile *it, const clm_axis *axes, int32_t rank, int64_t unit_bytes, uint32_t workers, int32_t max_outer) {
    const bool has_room = max_outer >= 2 * (CLM_LOCAL_AXES + CLM_LOCAL_SPLITS + 1) + 8; /* each axis is listed twice */
    int64_t even = unit_bytes;
    *it = (tile){.rank = rank, .unit_bytes = unit_bytes, .src_units = 1, .dst_units = 1, .src.is_src = true};
    it->most_taken = has_room ? CLM_LOCAL_AXES : CLM_LOCAL_AXES / 2;
    it->most_splits = has_room ? CLM_LOCAL_SPLITS : CLM_LOCAL_SPLITS / 2;
    for (int32_t i = 0; i < rank; i++) {
        it->parts[i] = (part){.axis = axes[i], .extent = 1};
        even *= axes[i].extent;
    }
    even /= TILES_PER_WORKER * (int64_t)workers;
    it->most_units = (even < FEWEST_BYTES ? FEWEST_BYTES : least(even, MOST_BYTES)) / unit_bytes;
}

void clm_local_tile_choose(tile *it) {
    take_images(it);
    take_repeats(it);
    int64_t balanced = BALANCED_RUN;
    while (balanced * balanced < it->most_units * it->unit_bytes * it->unit_bytes)
        balanced *= 2;
    for (int64_t goal = SHORT_RUN; goal <= balanced; goal *= 2) {
        grow(it, &it->dst, clm_divide_up(goal, it->unit_bytes));
        grow(it, &it->src, clm_divide_up(goal, it->unit_bytes));
    }
    /* Rows that both sides have: what lies within sectors at their ends is stored by itself. */
    if (it->unit_bytes < CLM_ACCESS_BYTES && it->src.rank > 0 && it->dst.rank > 0 && it->src.axes[0] == it->dst.axes[0]) {
        grow(it, &it->dst, clm_divide_up(LONG_RUN, it->unit_bytes));
        grow(it, &it->src, clm_divide_up(LONG_RUN, it->unit_bytes));
    }
    fill(it);
    grow(it, &it->dst, MORE_IN_DST * it->most_units);
    grow(it, &it->src, it->most_units);
    for (int32_t i = 0; i < it->rank; i++)
        if (clm_local_tile_is_end(it, i))
            cut_evenly(it, i);
    close_chain(it, &it->src);
    close_chain(it, &it->dst);
    settle_run(it, &it->dst);
    settle_run(it, &it->src);
}

int32_t clm_local_tile_order(const tile *it, const chain *along, int32_t *order) {
    const int32_t inside = along->run_rank;
    int32_t rank = inside;
    memcpy(order, along->axes, (size_t)rank * sizeof *order);
    for (int32_t i = it->rank - 1; i >= 0; i--) {
        const int64_t stride = clm_local_tile_stride(it, i, along->is_src);
        if (!it->parts[i].is_taken || clm_local_tile_is_of_run(along, i) || (along->is_src && !clm_local_tile_has_slots(it, i)))
            continue;
        int32_t at = rank++;
        for (; at > inside; at--) {
            const int64_t other = clm_local_tile_stride(it, order[at - 1], along->is_src);
            if (!can_be_less(it, order[at - 1]) && (can_be_less(it, i) || clm_distance(other) <= clm_distance(stride)))
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    return rank;
}
