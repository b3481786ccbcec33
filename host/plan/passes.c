/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/passes.h"
#include "host/plan/periods.h"

#include "host/checked.h"

#include <string.h>

/* The bytes of a cache line. */
#define LINE 64

/* A block has so many axes, of which any order may be the one between the passes. */
enum { LEAST_AXES = 3, MOST_AXES = 5 };

/* Less is not worth the search for an order, of which there are as many as the factorial of the axes: 120 take 0.1 ms. */
static const int64_t least_bytes[MOST_AXES + 1] = {[3] = 65536, [4] = 131072, [5] = 524288};

/* So many blocks or more are wanted, as workers share them, but none of fewer bytes if there are such. */
enum { MANY_BLOCKS = 64, LEAST_BLOCK = 16384 };

/* The source of a block spans less, so that places in it are found with 32 bits. */
#define MOST_SPAN (INT64_C(1) << 30)

/* The source of a block is read in pieces of so many bytes, at least, unless it is in one. */
#define LEAST_PIECE 256

/* Units that the axes read side by side, from one on. */
static int64_t find_piece(const clm_axis *axes, int32_t rank) {
    int64_t units = 1;
    for (bool grows = true; grows;) {
        grows = false;
        for (int32_t i = 0; i < rank && !grows; i++)
            if (axes[i].src == units && axes[i].extent > 1) {
                units *= axes[i].extent;
                grows = true;
            }
    }
    return units;
}

/* The largest part of a number of steps that is at most so much, if it is found soon; else 0. All parts are equal. */
static int64_t find_part(int64_t steps, int64_t most) {
    enum { TRIES = 100 };
    const int64_t fewest = most > 0 ? clm_divide_up(steps, most) : steps;
    for (int64_t parts = fewest; parts < fewest + TRIES && parts < steps; parts++)
        if (steps % parts == 0)
            return steps / parts;
    return 0;
}

/* Cuts an axis in two, of which the inner one has a part of it. */
static void cut_axis(clm_normal_form *form, int32_t place, int64_t part) {
    clm_axis *axis = &form->axes[place];
    memmove(axis + 1, axis, (size_t)(form->rank - place) * sizeof *axis);
    form->rank++;
    axis[0] = (clm_axis){axis->extent / part, axis->src * part, axis->dst * part};
    axis[1].extent = part;
}

/* Whether axes from `place` on read their source in one piece, or in long ones. */
static bool has_pieces(const clm_normal_form *form, int32_t place, int64_t units) {
    const int64_t piece = find_piece(&form->axes[place], form->rank - place);
    return piece == units || piece * (form->unit_bits / 8) >= LEAST_PIECE;
}

/* Finds a block of at most so many units, of which the outermost axis may be a part of one that is cut. Returns its units; 0:
 * there is none. */
static int64_t find_block(clm_normal_form *form, int64_t most, int32_t *first) {
    const int64_t unit_bytes = form->unit_bits / 8;
    int64_t units = 1, span = 0, found = 0;
    for (int32_t i = 1; i <= form->rank && i <= MOST_AXES; i++) {
        const int32_t place = form->rank - i;
        clm_axis *axis = &form->axes[place];
        const int64_t part = find_part(axis->extent, most / units);
        if (axis->dst != units || axis->src <= 0 || part == 0 || axis->src > (MOST_SPAN - span) / part / unit_bytes)
            break;
        const int64_t whole = axis->extent;
        axis->extent = part;
        if (i >= LEAST_AXES && has_pieces(form, place, units * part)) {
            *first = place;
            found = units * part;
        }
        axis->extent = whole;
        if (part < whole) {
            if (found == units * part && form->rank < CLM_MAX_AXES) {
                cut_axis(form, place, part);
                ++*first;
            } else if (found == units * part)
                found = 0;
            break;
        }
        span += axis->src * part * unit_bytes;
        units *= part;
    }
    return found;
}

bool clm_fits_passes(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    if (form->unit_bits < 8 || form->rank < LEAST_AXES)
        return false;
    const int64_t unit_bytes = form->unit_bits / 8, share = clm_form_units(form) * unit_bytes / MANY_BLOCKS;
    int64_t most = share < LEAST_BLOCK ? LEAST_BLOCK : share;
    for (int tries = 0; tries < 2; tries++, most = CLM_MOST_IN_PASSES) {
        clm_normal_form cut = *form;
        int32_t first = 0;
        const int64_t units = find_block(&cut, (most < CLM_MOST_IN_PASSES ? most : CLM_MOST_IN_PASSES) / unit_bytes, &first);
        if (units > 0) {
            clm_take_block(&cut, first, units, launch_plan);
            return true;
        }
    }
    return false;
}

/* What moving costs, in hundredths of a copy. */
enum {
    AS_COPY = 60,
    AS_LINES = 110,
    AS_MIXES = 140,
    AS_SHORT_RUNS = 150,
    AS_PARTS_OF_LINES = 180,
    AS_UNITS = 800,
    MOST_OF_PASSES = 300
};

/* What a form costs in the cache: a guess by its innermost axes. */
static int32_t cost_of(const clm_normal_form *form, bool looks_up) {
    const clm_axis *inner = &form->axes[form->rank - 1];
    const int64_t unit_bytes = form->unit_bits / 8, run = inner->extent * unit_bytes;
    int64_t rows = 0, block = unit_bytes;
    bool is_joined = false;
    if (form->rank <= 1)
        return AS_COPY;
    if (inner->src == 1 && run >= LINE)
        return AS_LINES;
    for (int32_t i = 0; i < form->rank; i++)
        if (form->axes[i].src == 1) {
            rows = form->axes[i].extent * unit_bytes;
            is_joined = form->axes[i].dst == inner->extent;
        }
    const bool is_woven = inner->extent <= 16 && rows >= LINE && is_joined, is_parted = rows <= 16 * unit_bytes && run >= LINE;
    if (inner->src != 1 && rows > 0 && (is_woven || is_parted || (run >= LINE * 3 / 4 && rows >= LINE * 3 / 4))) {
        const int64_t group = is_parted && !is_woven ? rows / unit_bytes : 1;
        if (run % LINE != 0 && run < 4 * LINE && !is_woven)
            return AS_PARTS_OF_LINES;
        return (group & (group - 1)) != 0 ? AS_MIXES : AS_LINES;
    }
    if (inner->src == 1 && run >= LINE / 4)
        return AS_SHORT_RUNS;
    /* Looked up in a block that is its own source: as many steps as this has lines, or each 64 bytes has runs. */
    for (int32_t i = form->rank - 1; i >= 0 && looks_up; i--) {
        block *= form->axes[i].extent;
        if (form->axes[i].dst * form->axes[i].extent * unit_bytes == block &&
            find_piece(&form->axes[i], form->rank - i) * unit_bytes == block && block <= 8192) {
            const int64_t piece = inner->src == 1 ? run : unit_bytes;
            const int64_t lines = (block + LINE - 1) / LINE, runs = LINE / piece, steps = lines < runs ? lines : runs;
            return AS_LINES + 10 * (int32_t)(steps < 60 ? steps : 60);
        }
    }
    return AS_UNITS;
}

/* The forms of the passes, not normalised, if the axes are in such an order between them, from the inside out. blocks: with these
 * outside. */
static void set_forms(const clm_launch_plan *launch_plan, const int32_t *order, int64_t blocks, clm_normal_form forms[2]) {
    const clm_axis *axes = &launch_plan->outer[launch_plan->outer_rank];
    int64_t units = 1;
    for (int32_t i = 0; i < 2; i++)
        forms[i] = (clm_normal_form){.unit_bits = launch_plan->unit_bits, .rank = launch_plan->n_rank + 1};
    for (int32_t i = 0; i < launch_plan->n_rank; i++) {
        const clm_axis *axis = &axes[order[i]];
        forms[0].axes[i + 1] = (clm_axis){axis->extent, axis->src, units};
        forms[1].axes[i + 1] = (clm_axis){axis->extent, units, axis->dst};
        units *= axis->extent;
    }
    forms[0].axes[0] = (clm_axis){blocks, launch_plan->q_src, units};
    forms[1].axes[0] = (clm_axis){blocks, units, launch_plan->q_dst};
}

static void exchange(int32_t *a, int32_t *b) {
    const int32_t it = *a;
    *a = *b;
    *b = it;
}

/* The next order of so many numbers; false: the last one was. */
static bool next_order(int32_t *order, int32_t count) {
    int32_t i = count - 2, k = count - 1;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0)
        return false;
    while (order[k] < order[i])
        k--;
    exchange(&order[i], &order[k]);
    for (int32_t a = i + 1, b = count - 1; a < b; a++, b--)
        exchange(&order[a], &order[b]);
    return true;
}

/* Finds an order in which both passes cost least, or no more than lines, and returns what they cost. */
static int32_t find_cost(const clm_launch_plan *launch_plan, const clm_traits *traits, int32_t *order) {
    const bool looks_up = traits->shuffle_window > 0;
    int32_t least = INT32_MAX, at[MOST_AXES] = {0};
    for (int32_t i = 0; i < launch_plan->n_rank; i++)
        at[i] = i;
    do {
        clm_normal_form forms[2];
        set_forms(launch_plan, at, 1, forms);
        clm_form_normalise(&forms[0]);
        const int32_t first = cost_of(&forms[0], looks_up);
        if (first + AS_COPY >= least)
            continue;
        clm_form_normalise(&forms[1]);
        const int32_t cost = first + cost_of(&forms[1], looks_up);
        if (cost < least) {
            least = cost;
            memcpy(order, at, sizeof at);
        }
    } while (least > 2 * AS_LINES && next_order(at, launch_plan->n_rank));
    return least;
}

/* Whether the variant that else is taken moves a few units at a time: it splits or joins short runs, or its tiles are put
 * together of short rows and columns. */
static bool is_rival_slow(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    for (const clm_variant *row = launch_plan->variant + 1; row->name; row++) {
        clm_launch_plan other = *launch_plan;
        if (row->is_local || !row->fits(form, &other))
            continue;
        const int64_t unit_bytes = clm_unit_bytes(&other), run = other.n * unit_bytes;
        const clm_axis *column = &other.outer[other.outer_rank + other.n_rank - 1], *inner_row = column + other.m_rank;
        switch (row->source) {
        case CLM_DEINTERLEAVE:
            return run < LINE / 4;
        case CLM_INTERLEAVE:
            return run < (unit_bytes > 1 && traits->shuffle_window < LINE ? LINE / 2 : LINE); /* pieces of 16 bytes are fast */
        case CLM_TRANSPOSE:
            return inner_row->extent * unit_bytes <= LINE / 4 && column->extent * unit_bytes < 2 * LINE &&
                   column->extent * unit_bytes % LINE != 0;
        default:
            return false;
        }
    }
    return false;
}

bool clm_passes_are_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    int32_t order[MOST_AXES];
    return launch_plan->rows * launch_plan->q < 2 * (int64_t)traits->workers ||
           clm_form_bytes(form, clm_form_units(form)) < least_bytes[launch_plan->n_rank] ||
           !is_rival_slow(form, launch_plan, traits) || find_cost(launch_plan, traits, order) > MOST_OF_PASSES;
}

int64_t clm_blocks_in_passes(const clm_launch_plan *launch_plan) {
    const int64_t half = launch_plan->q > 1 ? (launch_plan->segment + 1) / 2 : 1;
    const int64_t most = CLM_MOST_IN_PASSES / (launch_plan->n * clm_unit_bytes(launch_plan));
    return half < most ? half : most;
}

void clm_find_passes(const clm_launch_plan *launch_plan, const clm_traits *traits, const int64_t *blocks, int32_t kinds,
                     clm_normal_form (*forms)[2]) {
    int32_t order[MOST_AXES];
    find_cost(launch_plan, traits, order);
    for (int32_t i = 0; i < kinds; i++) {
        set_forms(launch_plan, order, blocks[i], forms[i]);
        clm_form_normalise(&forms[i][0]);
        clm_form_normalise(&forms[i][1]);
    }
}
