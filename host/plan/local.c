/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/local.h"

#include "host/checked.h"
#include "host/plan/local_group.h"
#include "host/plan/local_tile.h"

#include <string.h>

/* One more axis, skewed, is two. */
_Static_assert(CLM_MAX_AXES + 2 + 2 * (CLM_LOCAL_AXES + CLM_LOCAL_SPLITS + 1) <= CLM_MAX_PLAN_AXES, "every form has a plan");

/* Where words of neighbouring work-items lie a multiple of so many banks apart, 16 of them or more wait for one bank; or, where
 * these are stored to, 4 or more. */
enum { FAR_APART = 16, FAR_APART_IN = 4 };

/* Runs that follow each other have so many words between them, at most, where that lets fewer work-items wait for a bank. */
enum { MOST_APART = 4 };

/* How the units of a tile lie in local memory. */
typedef struct layout {
    /* The side in whose order they lie, and the other one. */
    const clm_local_tile_chain *along, *across;
    /* Units that a work-item moves at once on the other side. */
    int64_t moved;
    /* Units to whose multiples all slots are aligned. */
    int64_t word;
    /* Every `group` steps along the innermost axis of the other side, so many slots are left out. */
    int64_t group, skew;
    /* Runs of units below 32 bits that begin anywhere are moved in lines: their slots are side by side, those of a line where
     * they are read, all where they are written. */
    bool is_any;
} layout;

/* Whether a side's runs are moved in lines of 16 bytes whose slots are side by side. */
static bool is_whole(const clm_local_tile *tile, const clm_local_tile_chain *side) {
    const int64_t line = CLM_ACCESS_BYTES / tile->unit_bytes;
    const clm_local_tile_part *inner = side->rank > 0 ? &tile->parts[side->axes[0]] : NULL;
    return line > 1 && inner && inner->axis.src != 0 && inner->extent % line == 0 && clm_local_tile_lines_up(tile, side, line);
}

/* Units of 32 bits, at least one. */
static int64_t units_of_word(const clm_local_tile *tile) {
    return tile->unit_bytes < 4 ? 4 / tile->unit_bytes : 1;
}

/* Whether all units of the runs may have slots side by side: repeats have the same. */
static bool can_be_dense(const clm_local_tile *tile, const clm_local_tile_chain *side) {
    for (int32_t i = 0; i < side->run_rank; i++)
        if (!clm_local_tile_has_slots(tile, side->axes[i]))
            return false;
    return true;
}

/* Whether a side's runs have repeats with slots of their own. */
static bool has_image(const clm_local_tile *tile, const clm_local_tile_chain *side) {
    for (int32_t i = 0; i < side->run_rank; i++)
        if (tile->parts[side->axes[i]].is_imaged)
            return true;
    return false;
}

static clm_local_access find_access(const clm_local_tile *tile, const clm_local_tile_chain *side, int lines) {
    const int64_t line = CLM_ACCESS_BYTES / tile->unit_bytes, group = tile->unit_bytes == 1 ? 8 : line;
    if (lines)
        return (clm_local_access){(uint32_t)lines, line};
    if (group > 1 && clm_local_tile_lines_up(tile, side, group))
        return (clm_local_access){CLM_BY_GROUPS, group};
    return (clm_local_access){CLM_BY_UNITS, units_of_word(tile)};
}

/* The innermost axis of the other side, which may have no slots of its own. */
static int32_t find_across(const layout *slots) {
    return slots->across->rank > 0 ? slots->across->axes[0] : CLM_NO_AXIS;
}

/* Whether the slots of all units of a run are side by side. */
static bool is_dense(const clm_local_tile *tile, const layout *slots) {
    int64_t all = 1;
    for (int32_t i = 0; i < slots->along->run_rank; i++) {
        const int32_t axis = slots->along->axes[i];
        if (!clm_local_tile_has_slots(tile, axis) || tile->parts[axis].slot != all || (slots->skew && axis == find_across(slots)))
            return false;
        all *= tile->parts[axis].extent;
    }
    return true;
}

/* Whether a side's runs are even, as LOCAL_EVEN_SRC says, and if so, the units after which they are skewed, or 0. Wider units
 * gain nothing from it: kernels that knew it had 12 registers more, and shares of 0.67 for 0.74 on small tensors. */
static bool is_even(const clm_local_tile *tile, const clm_local_tile_chain *side, const layout *slots, int64_t *skewed_after) {
    int64_t next = 0, inner = 0;
    int32_t count = 0;
    *skewed_after = 0;
    for (int32_t i = 0; i < side->run_rank && tile->unit_bytes < 4; i++) {
        const clm_local_tile_part *part = &tile->parts[side->axes[i]];
        const bool is_two = slots->skew && side->axes[i] == find_across(slots);
        const int64_t extents[] = {is_two ? slots->group : part->extent, part->extent / slots->group},
                      places[] = {part->slot, part->slot * slots->group + slots->skew};
        if (!clm_local_tile_has_slots(tile, side->axes[i]))
            return false;
        for (int k = 0; k < (is_two ? 2 : 1); k++, count++) {
            if (count == 0)
                inner = extents[k];
            else if (places[k] != next && count == 1)
                *skewed_after = inner;
            else if (places[k] != next)
                return false;
            next = places[k] * extents[k];
        }
    }
    return count > 0;
}

/* The same where narrow units are moved, so many at once, which are skewed after all of them or not at all. */
static bool has_even_words(const clm_local_tile *tile, const clm_local_tile_chain *side, const layout *slots, int64_t units) {
    int64_t skewed_after;
    return is_even(tile, side, slots, &skewed_after) && (skewed_after == 0 || (slots->skew && skewed_after == units));
}

/* Whether the units of the runs of the side across are found without divisions. */
static bool has_table(const clm_local_tile *tile, const layout *slots, bool is_dense) {
    return has_even_words(tile, slots->across, slots, slots->moved) ||
           clm_local_tile_run(tile, slots->across) <= (is_dense ? 2 : 1) * LOCAL_UNITS;
}

/* The axis along which runs of a side follow each other, or no axis. */
static int32_t find_next_runs(const clm_local_tile *tile, const clm_local_tile_chain *side) {
    int32_t order[CLM_LOCAL_AXES + CLM_LOCAL_SPLITS];
    return clm_local_tile_order(tile, side, order) > side->run_rank ? order[side->run_rank] : CLM_NO_AXIS;
}

/* Gives each axis its slots. Neighbouring work-items move along the innermost axis of the other side, so there they are made to
 * meet slots an odd number of words apart. Returns the bytes of all slots. */
static int64_t give_slots(clm_local_tile *tile, layout *slots, bool has_gaps, int64_t words_apart) {
    int32_t order[CLM_LOCAL_AXES + CLM_LOCAL_SPLITS];
    const int32_t rank = clm_local_tile_order(tile, slots->along, order), next = find_next_runs(tile, slots->across);
    const int64_t bank = units_of_word(tile), line = CLM_ACCESS_BYTES / tile->unit_bytes;
    int64_t all = 1;
    slots->skew = 0;
    for (int32_t i = 0; i < rank; i++) {
        clm_local_tile_part *part = &tile->parts[order[i]];
        int64_t skews = 0;
        if (!clm_local_tile_has_slots(tile, order[i])) /* repeats are in the same slots */
            continue;
        const bool is_of_run = i < slots->along->run_rank, is_after_line = slots->along->is_src && all % line == 0,
                   has_gap = !(is_of_run && slots->is_any) || (is_after_line && part->extent % slots->group != 0);
        if (slots->is_any && !is_of_run)
            all = clm_divide_up(all, slots->word) * slots->word;
        part->slot = all;
        if (has_gaps && !is_of_run && order[i] == next)
            part->slot += words_apart * bank;
        if (i > 0 && has_gaps && order[i] == find_across(slots)) {
            if (has_gap) {
                part->slot = clm_divide_up(all, slots->word) * slots->word;
                const bool is_far = tile->unit_bytes < 4 && part->extent % slots->group != 0 ? part->slot >= 4 * slots->word
                                                                                             : part->slot >= 8 * slots->word;
                if (is_far && part->slot / slots->word % 2 == 0)
                    part->slot += slots->word;
            }
            if (part->extent % slots->group == 0 && part->slot * slots->moved / bank % 2 == 0 &&
                (has_gap || (slots->along->is_src && part->slot * slots->group % line == 0))) {
                slots->skew = bank;
                skews = part->extent / slots->group;
            }
        }
        all = part->slot * part->extent + skews * slots->skew;
    }
    return all * tile->unit_bytes;
}

/* Where a unit lies: one of a run, or the first of one, counted along axes of the side across. */
static int64_t find_place(const clm_local_tile *tile, const layout *slots, const int32_t *axes, int32_t count, int64_t unit) {
    int64_t place = 0;
    for (int32_t i = 0; i < count && unit > 0; i++) {
        const clm_local_tile_part *part = &tile->parts[axes[i]];
        const int64_t step = i + 1 < count ? unit % part->extent : unit;
        if (clm_local_tile_has_slots(tile, axes[i]))
            place += step * part->slot + (axes[i] == find_across(slots) ? step / slots->group * slots->skew : 0);
        unit /= part->extent;
    }
    return place;
}

/* How many words of one bank neighbouring work-items of a sub-group meet at once on the side across. */
static int64_t count_waits(const clm_local_tile *tile, const layout *slots) {
    enum { ITEMS = 32, BANKS = 32 };
    int32_t order[CLM_LOCAL_AXES + CLM_LOCAL_SPLITS];
    const int32_t rank = clm_local_tile_order(tile, slots->across, order), of_run = slots->across->run_rank;
    const int64_t run = clm_local_tile_run(tile, slots->across);
    int64_t lanes = 1, words[ITEMS], most = 0;
    while (lanes < run / slots->moved && lanes < (slots->moved == units_of_word(tile) ? CLM_SECTOR_BYTES / 4 : ITEMS))
        lanes *= 2;
    for (int64_t item = 0; item < ITEMS; item++) {
        const int64_t place = find_place(tile, slots, order, of_run, item % lanes * slots->moved) +
                              find_place(tile, slots, order + of_run, rank - of_run, item / lanes);
        int64_t same = 1;
        words[item] = place / units_of_word(tile);
        for (int64_t i = 0; i < item && same > 0; i++)
            same = words[i] == words[item] ? 0 : same + (words[i] % BANKS == words[item] % BANKS);
        most = same > most ? same : most;
    }
    return most;
}

static void set_layout(clm_local_tile *tile, int reads, int writes, const clm_local_access *other, layout *slots) {
    const bool is_narrow = tile->unit_bytes < 4;
    *slots = (layout){.along = writes ? &tile->dst : &tile->src,
                      .across = writes ? &tile->src : &tile->dst,
                      .moved = other->by == CLM_BY_GROUPS || is_narrow ? other->units : 1,
                      .word = reads || writes ? units_of_word(tile) : 1,
                      .group = other->by == CLM_BY_GROUPS || is_narrow ? other->units : 8,
                      .is_any = reads == CLM_BY_ANY_LINES || writes == CLM_BY_ANY_LINES};
    int64_t best = -1, least = 0;
    for (int64_t apart = 0; apart < (is_narrow ? MOST_APART : 1) && (best < 0 || least > 1); apart++) {
        /* With gaps within the runs along, there is less room for a table of those across. */
        if (give_slots(tile, slots, true, apart) > LOCAL_BYTES ||
            (slots->is_any && !is_dense(tile, slots) && !has_table(tile, slots, false)))
            break;
        const int64_t waits = is_narrow ? count_waits(tile, slots) : 0;
        if (best < 0 || waits < least) {
            best = apart;
            least = waits;
        }
    }
    give_slots(tile, slots, best >= 0, best >= 0 ? best : 0);
}

/* The accesses of a tile that lies in the order of a side that is moved in lines, as `reads` or `writes` says. */
static void lay_out_along(clm_local_tile *tile, int reads, int writes, clm_local_access *read, clm_local_access *written,
                          layout *slots) {
    const bool is_narrow = tile->unit_bytes < 4;
    const int64_t line = CLM_ACCESS_BYTES / tile->unit_bytes;
    const bool lines_up = clm_local_tile_lines_up(tile, writes ? &tile->dst : &tile->src, line);
    *read = writes == CLM_BY_ANY_LINES && !lines_up ? (clm_local_access){CLM_BY_UNITS, units_of_word(tile)}
                                                    : find_access(tile, &tile->src, reads);
    *written = find_access(tile, &tile->dst, writes);
    clm_local_access *other = writes ? read : written;
    set_layout(tile, reads, writes, other, slots);
    const clm_local_tile_part *across = find_across(slots) == CLM_NO_AXIS ? NULL : &tile->parts[find_across(slots)];
    if (is_narrow && other->by == CLM_BY_GROUPS && across && across->slot > 0 && !slots->skew &&
        has_table(tile, slots, is_dense(tile, slots)) &&
        across->slot * other->units / units_of_word(tile) % (writes ? FAR_APART_IN : FAR_APART) == 0) {
        *other = (clm_local_access){CLM_BY_UNITS, units_of_word(tile)};
        set_layout(tile, reads, writes, other, slots);
    }
    if (slots->is_any && lines_up)
        *(writes ? written : read) = (clm_local_access){CLM_BY_LINES, line};
}

/* Whether neighbouring work-items meet slots of which four or more are in one bank. */
static bool is_far(const clm_local_tile *tile, const layout *slots) {
    return find_across(slots) != CLM_NO_AXIS && tile->parts[find_across(slots)].slot % 4 == 0;
}

/* Finds how the tile is read and written, and lays it out in the order of a side that is moved in lines. Narrow units are moved
 * in lines on one side, of which the better one is that which makes the other one's runs even. */
static void lay_out(clm_local_tile *tile, clm_local_access *read, clm_local_access *written, layout *slots) {
    const bool is_narrow = tile->unit_bytes < 4, has_src_table = clm_local_tile_run(tile, &tile->src) <= 2 * LOCAL_UNITS,
               can_be_dst = is_narrow && can_be_dense(tile, &tile->dst),
               prefers_dst = can_be_dst && has_src_table && clm_local_tile_run(tile, &tile->dst) > 2 * LOCAL_UNITS;
    const int64_t line = CLM_ACCESS_BYTES / tile->unit_bytes;
    const int whole_src = is_whole(tile, &tile->src) ? CLM_BY_LINES : is_narrow ? CLM_BY_ANY_LINES : 0;
    const int whole_dst = is_whole(tile, &tile->dst) ? CLM_BY_LINES : is_narrow ? CLM_BY_ANY_LINES : 0;
    if (can_be_dst && has_image(tile, &tile->dst)) {
        lay_out_along(tile, 0, whole_dst, read, written, slots);
        return;
    }
    if (is_narrow) {
        lay_out_along(tile, whole_src, 0, read, written, slots);
        if (has_even_words(tile, slots->across, slots, slots->moved))
            return;
        if (can_be_dst) {
            lay_out_along(tile, 0, whole_dst, read, written, slots);
            if (has_even_words(tile, slots->across, slots, slots->moved))
                return;
        }
    }
    if (!is_narrow && line > 1 && !whole_src && !whole_dst) {
        if (can_be_dense(tile, &tile->src) && clm_local_tile_lines_up(tile, &tile->src, line)) {
            lay_out_along(tile, CLM_BY_ANY_LINES, 0, read, written, slots);
            if (is_dense(tile, slots) && !is_far(tile, slots) && has_table(tile, slots, true))
                return;
        }
        if (can_be_dense(tile, &tile->dst) && clm_local_tile_lines_up(tile, &tile->dst, line)) {
            lay_out_along(tile, 0, CLM_BY_ANY_LINES, read, written, slots);
            if (is_dense(tile, slots) && !is_far(tile, slots) && has_table(tile, slots, true))
                return;
        }
    }
    const bool is_src = whole_src == CLM_BY_LINES ? !prefers_dst : !(whole_dst == CLM_BY_LINES || prefers_dst);
    lay_out_along(tile, is_src ? whole_src : 0, is_src ? 0 : whole_dst, read, written, slots);
}

/* Puts the tile's axes behind the outer ones, from the outside in: from the source to slots, or from slots to the destination.
 * The axis whose groups are skewed is two. */
static int32_t put_axes(const clm_local_tile *tile, const clm_local_tile_chain *side, const layout *slots, clm_axis *axes) {
    const int64_t group = slots->group, skew = slots->skew;
    int32_t order[CLM_LOCAL_AXES + CLM_LOCAL_SPLITS], count = 0;
    for (int32_t i = clm_local_tile_order(tile, side, order); i-- > 0;) {
        const clm_local_tile_part *part = &tile->parts[order[i]];
        const int64_t stride = clm_local_tile_stride(tile, order[i], side->is_src);
        clm_axis inside = {part->extent, stride, part->slot},
                 outside = {part->extent / group, stride * group, part->slot * group + skew};
        if (!side->is_src) {
            inside = (clm_axis){part->extent, part->slot, stride};
            outside = (clm_axis){part->extent / group, part->slot * group + skew, stride * group};
        }
        if (skew && order[i] == find_across(slots)) {
            axes[count++] = outside;
            inside.extent = group;
        }
        axes[count++] = inside;
    }
    return count;
}

/* What there is less of in a tile that has fewer steps along an axis. */
static int64_t find_cuts(const clm_local_tile *tile, int32_t axis) {
    if (axis == CLM_NO_AXIS)
        return 0;
    const int64_t read = clm_local_tile_is_of_run(&tile->src, axis) ? LOCAL_CUTS_SRC_RUN : LOCAL_CUTS_SRC_RUNS;
    const int64_t written = clm_local_tile_is_of_run(&tile->dst, axis) ? LOCAL_CUTS_DST_RUN : LOCAL_CUTS_DST_RUNS;
    return (clm_local_tile_has_slots(tile, axis) ? read : 0) | written;
}

/* What the launch says of a side's runs. */
static int64_t find_even(const clm_local_tile *tile, const clm_local_tile_chain *side, const layout *slots,
                         clm_local_access moved) {
    int64_t skewed_after;
    if (moved.by == CLM_BY_UNITS && tile->unit_bytes < 4 && !has_even_words(tile, side, slots, units_of_word(tile)))
        return 0;
    if (!is_even(tile, side, slots, &skewed_after) ||
        (skewed_after % moved.units != 0 && clm_local_tile_run(tile, side) <= LOCAL_UNITS)) /* a table is quicker */
        return 0;
    return side->is_src ? LOCAL_EVEN_SRC | (skewed_after > 0 ? LOCAL_SKEWED_SRC : 0)
                        : LOCAL_EVEN_DST | (skewed_after > 0 ? LOCAL_SKEWED_DST : 0);
}

bool clm_fits_local(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    if (form->unit_bits < 8 || form->rank < 1)
        return false;
    launch_plan->n = launch_plan->m = 1;
    launch_plan->n_src = launch_plan->n_dst = launch_plan->m_src = launch_plan->m_dst = 0;
    launch_plan->outer_rank = form->rank;
    memcpy(launch_plan->outer, form->axes, (size_t)form->rank * sizeof *form->axes);
    return true;
}

/* Outer axes: what is not in the tile, then the tiles along m and along n. */
static void set_outer(clm_launch_plan *launch_plan, const clm_local_tile *tile, int32_t along_m, int32_t along_n) {
    launch_plan->outer_rank = 0;
    for (int32_t i = 0; i < tile->rank; i++) {
        const clm_local_tile_part *part = &tile->parts[i];
        if (i != along_m && i != along_n && part->extent < part->axis.extent)
            launch_plan->outer[launch_plan->outer_rank++] =
                (clm_axis){part->axis.extent / part->extent, part->axis.src * part->extent, part->axis.dst * part->extent};
    }
    const int32_t cut[] = {along_m, along_n};
    for (int i = 0; i < 2; i++) {
        const clm_local_tile_part whole = {.axis = {.extent = 1}, .extent = 1},
                                  *part = cut[i] == CLM_NO_AXIS ? &whole : &tile->parts[cut[i]];
        launch_plan->outer[launch_plan->outer_rank++] = (clm_axis){clm_divide_up(part->axis.extent, part->extent),
                                                                   part->axis.src * part->extent, part->axis.dst * part->extent};
        *(i ? &launch_plan->n : &launch_plan->m) = part->axis.extent;
        *(i ? &launch_plan->n_src : &launch_plan->m_src) = part->axis.src;
        *(i ? &launch_plan->n_dst : &launch_plan->m_dst) = part->axis.dst;
        *(i ? &launch_plan->segment : &launch_plan->band) = part->extent;
    }
}

void clm_cut_local(clm_launch_plan *launch_plan, int64_t local_size, uint32_t workers, int32_t max_outer) {
    clm_local_tile tile;
    clm_local_access read, written;
    layout slots;
    clm_local_tile_start(&tile, launch_plan->outer, launch_plan->outer_rank, clm_unit_bytes(launch_plan), workers, max_outer);
    tile.src.offset = launch_plan->src_offset;
    tile.dst.offset = launch_plan->dst_offset;
    clm_local_tile_choose(&tile);
    lay_out(&tile, &read, &written, &slots);
    const int32_t along_n = clm_local_tile_find_end(&tile, &tile.dst), src_end = clm_local_tile_find_end(&tile, &tile.src);
    const int32_t along_m = src_end == along_n ? CLM_NO_AXIS : src_end;
    set_outer(launch_plan, &tile, along_m, along_n);
    launch_plan->m_rank = put_axes(&tile, &tile.src, &slots, launch_plan->outer + launch_plan->outer_rank);
    launch_plan->n_rank = put_axes(&tile, &tile.dst, &slots, launch_plan->outer + launch_plan->outer_rank + launch_plan->m_rank);
    launch_plan->cuts = find_cuts(&tile, along_n) << LOCAL_N_CUTS | find_cuts(&tile, along_m) << LOCAL_M_CUTS;
    if (is_dense(&tile, &slots))
        launch_plan->cuts |= slots.along->is_src ? LOCAL_DENSE_SRC : LOCAL_DENSE_DST;
    launch_plan->cuts |= find_even(&tile, &tile.src, &slots, read) | find_even(&tile, &tile.dst, &slots, written);
    launch_plan->src_run = clm_local_tile_run(&tile, &tile.src);
    launch_plan->src_runs = tile.src_units / launch_plan->src_run;
    launch_plan->dst_run = clm_local_tile_run(&tile, &tile.dst);
    launch_plan->dst_runs = tile.dst_units / launch_plan->dst_run;
    launch_plan->local_size = clm_local_group(&tile, local_size, workers);
    launch_plan->src_lanes = clm_local_lanes(launch_plan, &tile, true, &read);
    launch_plan->dst_lanes = clm_local_lanes(launch_plan, &tile, false, &written);
    launch_plan->constant = read.by + 4 * written.by;
}
