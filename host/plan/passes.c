/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/passes.h"
#include "host/plan/gaps.h"
#include "host/plan/periods.h"
#include "host/plan/shuffle.h"
#include "host/plan/windows.h"

#include "host/checked.h"

#include <string.h>

/* The bytes of a cache line. */
#define LINE 64

/* A block has so many axes, of which any order may be the one between the passes. Fewer may be those of a source with gaps. */
enum { LEAST_AXES = 3, LEAST_WITH_GAPS = 2, MOST_AXES = 5 };

/* Less is not worth the search for an order, of which there are as many as the factorial of the axes: 120 take 0.1 ms. */
static const int64_t least_bytes[MOST_AXES + 1] = {[2] = 65536, [3] = 65536, [4] = 131072, [5] = 524288};

/* A block is at most so small a part of all, as workers share the blocks, or has at most LEAST_BLOCK bytes. Where there is none
 * so small, there are fewer and larger ones. */
enum { MANY_BLOCKS = 64, LEAST_BLOCK = 16384 };

/* Starting both passes takes about 0.2 us, in which less than this is moved. */
enum { LEAST_AT_ONCE = 4096 };

/* Two launches take POCL about 40 us, in which 128 KiB are moved. */
#define LEAST_IN_LAUNCHES (512 * 1024)

/* The source of a block spans less, so that no product of its search overflows. */
#define MOST_SPAN (INT64_C(1) << 30)

/* A block has pieces of so many bytes side by side on either side, at least, unless it is one piece; and more than enough gains
 * nothing. */
enum { LEAST_PIECE = 256, ENOUGH_PIECE = 2048 };

/* Where the source has gaps: so many bytes that lie near each other suffice, and of rows of the destination that come from afar a
 * block takes about so many. Every other column of a matrix, turned, GB/s unit by unit and in two passes, 2 cores of an AMD EPYC
 * (family 25, model 1), where a copy writes 18: host, units of 1, 2, 4 and 8 bytes 0.3 and 4.1, 0.6 and 4.7, 1.1 and 4.9, 2.0
 * and 5.6; POCL 0.3 and 2.5, 0.6 and 3.7, 1.0 and 2.9, 1.8 and 3.6. Parts of rows of 128 to 1024 bytes made as much, but every
 * other channel in parts of 128 a third. */
enum { LEAST_NEAR = 64, PART_OF_ROW = 512 };

/* Units that the axes have side by side, from one on: of the source, or of the destination. */
static int64_t find_piece(const clm_axis *axes, int32_t rank, bool in_src) {
    int64_t units = 1;
    for (bool grows = true; grows;) {
        grows = false;
        for (int32_t i = 0; i < rank && !grows; i++)
            if ((in_src ? axes[i].src : axes[i].dst) == units && axes[i].extent > 1) {
                units *= axes[i].extent;
                grows = true;
            }
    }
    return units;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The largest of few parts of a number of steps that is at most so much; if there is none, the largest of up to SHORT_PART. 0: no
 * part is found. All parts are equal. */
static int64_t find_part(int64_t steps, int64_t most) {
    enum { FEW_PARTS = 64, SHORT_PART = 1024 };
    const int64_t fewest = most > 0 ? clm_divide_up(steps, most) : steps;
    for (int64_t parts = fewest; parts < fewest + FEW_PARTS && parts < steps; parts++)
        if (steps % parts == 0)
            return steps / parts;
    for (int64_t part = smaller(most, SHORT_PART); part > 1; part--)
        if (steps % part == 0)
            return part;
    return 0;
}

/* Axes of a block: the innermost of a form, of which one is a part of what it was. */
typedef struct part_block {
    int32_t rank, cut;
    int64_t part, units, piece;
    /* Of a form whose source has gaps. */
    bool has_gaps;
} part_block;

/* Fills in the units of a block, and how many of them are side by side, or near if there are gaps, on the side where they are
 * fewer.
 */
static void find_pieces(const clm_normal_form *form, part_block *block) {
    clm_axis axes[MOST_AXES];
    memcpy(axes, &form->axes[form->rank - block->rank], (size_t)block->rank * sizeof *axes);
    axes[block->cut].extent = block->part;
    block->units = 1;
    for (int32_t i = 0; i < block->rank; i++)
        block->units *= axes[i].extent;
    const int64_t near =
        block->has_gaps ? clm_count_near(axes, block->rank, form->unit_bits / 8) : find_piece(axes, block->rank, true);
    block->piece = smaller(near, find_piece(axes, block->rank, false));
}

static bool is_better(const part_block *a, const part_block *b, int64_t enough) {
    const int64_t a_piece = smaller(a->piece, enough), b_piece = smaller(b->piece, enough);
    return a_piece > b_piece || (a_piece == b_piece && a->units > b->units);
}

/* The best block of at most so many units; one of 0 axes: there is none. */
static part_block find_block(const clm_normal_form *form, int64_t most, bool has_gaps) {
    const int64_t unit_bytes = form->unit_bits / 8, least_piece = has_gaps ? LEAST_NEAR : LEAST_PIECE;
    const int32_t least_axes = has_gaps ? LEAST_WITH_GAPS : LEAST_AXES;
    part_block best = {0};
    int64_t units = 1, span = 0;
    for (int32_t rank = 1; rank <= form->rank && rank <= MOST_AXES; rank++) {
        const clm_axis *axes = &form->axes[form->rank - rank];
        const int64_t apart = has_gaps ? clm_distance(axes->src) : axes->src;
        if (apart <= 0 || axes->extent > MOST_SPAN / units || apart > (MOST_SPAN - span) / axes->extent / unit_bytes)
            break;
        span += apart * axes->extent * unit_bytes;
        units *= axes->extent;
        for (int32_t cut = 0; rank >= least_axes && cut < rank; cut++) {
            const int64_t extent = axes[cut].extent;
            part_block block = {
                .rank = rank, .cut = cut, .part = find_part(extent, most / (units / extent)), .has_gaps = has_gaps};
            if (block.part < 2)
                continue;
            find_pieces(form, &block);
            if ((block.piece == block.units || block.piece * unit_bytes >= least_piece) &&
                is_better(&block, &best, ENOUGH_PIECE / unit_bytes))
                best = block;
            if (block.part == extent) /* and so nothing is cut */
                break;
        }
    }
    return best;
}

/* Takes the rest of the axis that is cut as the innermost outer axis. */
static void take_block(const clm_normal_form *form, const part_block *block, clm_launch_plan *launch_plan) {
    clm_normal_form cut = *form;
    const int32_t first = form->rank - block->rank;
    clm_axis *axis = &cut.axes[first + block->cut];
    const clm_axis rest = {axis->extent / block->part, axis->src * block->part, axis->dst * block->part};
    axis->extent = block->part;
    if (rest.extent > 1) {
        memmove(&cut.axes[first + 1], &cut.axes[first], (size_t)block->rank * sizeof rest);
        cut.axes[first] = rest;
        cut.rank++;
    }
    clm_take_block(&cut, cut.rank - block->rank, block->units, launch_plan);
}

/* Takes most of a row of the destination that comes from afar as the outermost axis, so that a block has a part of it. */
static void part_row(clm_normal_form *form) {
    clm_axis *inner = &form->axes[form->rank - 1];
    const int64_t unit_bytes = form->unit_bits / 8, part = find_part(inner->extent, PART_OF_ROW / unit_bytes);
    if (clm_distance(inner->src) * unit_bytes < LINE || inner->extent * unit_bytes < 2 * PART_OF_ROW || part < 2)
        return;
    const clm_axis rest = {inner->extent / part, inner->src * part, inner->dst * part};
    inner->extent = part;
    memmove(&form->axes[1], &form->axes[0], (size_t)form->rank++ * sizeof rest);
    form->axes[0] = rest;
}

bool clm_fits_passes(const clm_normal_form *whole, clm_launch_plan *launch_plan) {
    const bool has_gaps = whole->unit_bits >= 8 && clm_has_gaps(whole);
    if (whole->unit_bits < 8 || whole->rank < (has_gaps ? LEAST_WITH_GAPS : LEAST_AXES) || whole->rank + has_gaps >= CLM_MAX_AXES)
        return false;
    clm_normal_form parted = *whole;
    const clm_normal_form *const form = &parted;
    if (has_gaps)
        part_row(&parted);
    const int64_t unit_bytes = form->unit_bits / 8, share = clm_form_units(form) * unit_bytes / MANY_BLOCKS;
    int64_t most = smaller(share < LEAST_BLOCK ? LEAST_BLOCK : share, CLM_MOST_IN_PASSES);
    part_block block = {0};
    for (int tries = 0; tries < 2 && block.rank == 0; tries++, most = CLM_MOST_IN_PASSES)
        block = find_block(form, most / unit_bytes, has_gaps);
    if (block.rank > 0)
        take_block(form, &block, launch_plan);
    return block.rank > 0;
}

/* What a pass costs beside others: a guess, from 600 maps on 2 cores of an Intel Xeon (model 207). Tiles whose
 * columns continue farther on in the source, and not beside, make half as much as others: f16 [1,10200,28,28] to space by 5 0.24
 * of the limit, and 0.38 joined and then put in their places. A copy gains nothing, since the other pass could do without. */
enum {
    AS_RUNS = 90,
    AS_LINES = 110,
    AS_MIXES = 140,
    AS_STEPS = 150,
    AS_COPY = 150,
    AS_FAR_TILES = 150,
    AS_SHORT_RUNS = 150,
    AS_PARTS_OF_LINES = 180,
    AS_UNITS = 800,
    MOST_OF_PASSES = 300,
    MOST_WITH_GAPS = 350
};

/* Whether rows go by steps in the source, or backwards; or by runs that follow each other with gaps. */
static bool goes_by_steps(const clm_normal_form *form) {
    const clm_axis *inner = &form->axes[form->rank - 1];
    const int64_t unit_bits = form->unit_bits;
    if (inner->src != 1)
        return inner->extent * unit_bits >= LINE * 8 && clm_distance(inner->src) * unit_bits < LINE * 8;
    return inner->extent * unit_bits < LINE * 8 && inner[-1].dst == inner->extent &&
           clm_distance(inner[-1].src) * unit_bits < LINE * 8;
}

/* What a form costs in the cache: a guess by its innermost axes. */
static int32_t cost_of(const clm_normal_form *form, bool looks_up) {
    const clm_axis *inner = &form->axes[form->rank - 1];
    const int64_t unit_bytes = form->unit_bits / 8, run = inner->extent * unit_bytes;
    int64_t rows = 0, block = unit_bytes;
    bool is_joined = false, is_far = false;
    if (form->rank <= 1)
        return AS_COPY;
    if (inner->src == 1 && run >= LINE)
        return AS_RUNS;
    for (int32_t i = 0; i < form->rank; i++) {
        is_far |= form->axes[i].dst == inner->extent && form->axes[i].src > inner->src;
        if (form->axes[i].src == 1) {
            rows = form->axes[i].extent * unit_bytes;
            is_joined = form->axes[i].dst == inner->extent;
        }
    }
    const bool is_woven = inner->extent <= 16 && rows >= LINE && is_joined, is_parted = rows <= 16 * unit_bytes && run >= LINE;
    if (inner->src != 1 && rows > 0 && (is_woven || is_parted || (run >= LINE * 3 / 4 && rows >= LINE * 3 / 4))) {
        const int64_t group = is_parted && !is_woven ? rows / unit_bytes : 1;
        if ((run % LINE != 0 && run < 4 * LINE && !is_woven) || (unit_bytes == 16 && (run < 4 * LINE || rows < 4 * LINE)))
            return AS_PARTS_OF_LINES;
        return (group & (group - 1)) != 0 ? AS_MIXES : is_far && !is_woven && !is_parted ? AS_FAR_TILES : AS_LINES;
    }
    if (goes_by_steps(form))
        return AS_STEPS;
    if (inner->src == 1 && run >= LINE / 4)
        return AS_SHORT_RUNS;
    /* Looked up in a block that is its own source: as many steps as this has lines, or each 64 bytes has runs. */
    for (int32_t i = form->rank - 1; i >= 0 && looks_up && unit_bytes < 8; i--) {
        block *= form->axes[i].extent;
        const bool is_run = i == form->rank - 1; /* which is its own source, but no block */
        if (!is_run && form->axes[i].dst * form->axes[i].extent * unit_bytes == block &&
            find_piece(&form->axes[i], form->rank - i, true) * unit_bytes == block && block <= 8192) {
            const int64_t piece = inner->src == 1 ? run : unit_bytes;
            const int64_t lines = (block + LINE - 1) / LINE, runs = LINE / piece, steps = lines < runs ? lines : runs;
            return AS_LINES + 10 * (int32_t)(steps < 60 ? steps : 60);
        }
    }
    return AS_UNITS;
}

/* The forms of the passes over some blocks, not normalised, if the axes of a block are in such an order between them, from the
 * inside out. */
static void set_forms(const clm_launch_plan *launch_plan, const int32_t *order, const clm_block_set *blocks,
                      clm_normal_form forms[2]) {
    const clm_axis *axes = &launch_plan->outer[launch_plan->outer_rank];
    const int32_t rank = blocks->rank + launch_plan->n_rank;
    int64_t units = 1;
    for (int32_t i = 0; i < 2; i++)
        forms[i] = (clm_normal_form){.unit_bits = launch_plan->unit_bits, .rank = rank};
    for (int32_t i = 0; i < rank; i++) {
        const bool is_in_block = i < launch_plan->n_rank;
        const clm_axis *axis = is_in_block ? &axes[order[i]] : &blocks->axes[rank - 1 - i];
        const int32_t place = is_in_block ? blocks->rank + i : rank - 1 - i;
        forms[0].axes[place] = (clm_axis){axis->extent, axis->src, units};
        forms[1].axes[place] = (clm_axis){axis->extent, units, axis->dst};
        units *= axis->extent;
    }
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

/* Finds an order in which both passes cost least, or no more than runs and lines, and returns what they cost. */
static int32_t find_cost(const clm_launch_plan *launch_plan, const clm_traits *traits, int32_t *order) {
    const bool looks_up = traits->shuffle_window > 0 && !traits->items_make_tables;
    int32_t least = INT32_MAX, at[MOST_AXES] = {0};
    for (int32_t i = 0; i < launch_plan->n_rank; i++)
        at[i] = i;
    do {
        clm_normal_form forms[2];
        set_forms(launch_plan, at, &(clm_block_set){.rank = 0}, forms);
        clm_form_normalise(&forms[0]);
        const int32_t first = cost_of(&forms[0], looks_up);
        if (first + AS_RUNS >= least)
            continue;
        clm_form_normalise(&forms[1]);
        const int32_t cost = first + cost_of(&forms[1], looks_up);
        if (cost < least) {
            least = cost;
            memcpy(order, at, sizeof at);
        }
    } while (least > AS_RUNS + AS_LINES && next_order(at, launch_plan->n_rank));
    return least;
}

/* Rows of fewer units, or in launches of fewer bytes, are split slowly, unless a unit has 8 bytes or more. Images by 2, two
 * passes beside deinterleave, share of the limit: u8 in rows of 7 0.35 and 0.16, of 11 0.31 and 0.34; f16 0.43 and 0.35, 0.33 and
 * 0.48; f32 0.47 and 0.45, 0.26 and 0.6; f64 in rows of 4 0.41 and 0.57 (host, 2 cores of an Intel Xeon, model 207). In launches:
 * u8 in rows of 4 0.4 and 0.16, of 9 0.25 and 0.4 (POCL 3.1, same machine). */
enum { SHORT_SPLIT = 8, SHORT_SPLIT_BYTES = 8 };

/* Windows that overlap, of so few units. GB/s in two passes, unit by unit and joined, an Intel Xeon (model 167). Host, 2 cores:
 * bytes by 3 21, 3, 13, by 7 18, 11, 15; f32 by 5 26, 19, 19. One core: bytes by 11 8, 11, -; f64 by 3 10, 16, 16. POCL, 2 cores:
 * bytes by 3 12, 2, 8, by 7 10, 3, 11; f16 by 3 12, 4, 21. */
enum { MOST_WINDOW_UNITS = 7, MOST_WINDOW_BYTES = 24, MOST_WINDOW_IN_LAUNCHES = 7 };

/* Whether the units of a row of the destination come from afar, with gaps between them and their neighbours in the source. Pixels
 * of units of 8 bytes are as fast unit by unit: host 6.0 and POCL 4.9 GB/s of 16, 2 cores of an AMD EPYC (family 25, model 1). */
static bool reads_from_afar(const clm_normal_form *form) {
    const clm_axis *inner = &form->axes[form->rank - 1];
    const int64_t unit_bytes = form->unit_bits / 8;
    const bool are_pixels = unit_bytes >= 8 && inner->extent * unit_bytes <= LINE;
    return clm_has_gaps(form) && clm_distance(inner->src) * unit_bytes >= LINE && !are_pixels;
}

/* Whether the variant that else is taken moves a few units at a time: it splits or joins short runs, or its tiles are put
 * together of short rows and columns. */
static bool is_rival_slow(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    const bool in_launches = launch_plan->chunk_bytes > 0;
    const clm_axis *const block = &launch_plan->outer[launch_plan->outer_rank];
    const int64_t window = clm_window_bytes(form);
    if (window > 0)
        return window <= (in_launches ? MOST_WINDOW_IN_LAUNCHES : MOST_WINDOW_BYTES) &&
               form->unit_bits < (in_launches ? 16 : 64) && window <= MOST_WINDOW_UNITS * form->unit_bits / 8;
    for (const clm_variant *row = launch_plan->variant + 1; row->name; row++) {
        clm_launch_plan other = *launch_plan;
        if (!row->fits(form, &other))
            continue;
        const int64_t unit_bytes = clm_unit_bytes(&other), run = other.n * unit_bytes;
        const clm_axis *column = &other.outer[other.outer_rank + other.n_rank - 1], *inner_row = column + other.m_rank;
        switch (row->source) {
        case CLM_DEINTERLEAVE:
            if (in_launches)
                return unit_bytes < 8 && run < SHORT_SPLIT_BYTES;
            return (unit_bytes < 8 && other.n < SHORT_SPLIT) || clm_splits_slowly(&other, launch_plan->stream);
        case CLM_INTERLEAVE:
            if (in_launches) /* groups side by side: u8 [64,1024,14,14] in blocks of 7 0.33 and 0.11, f32 [64,256,14,14] as fast
                              */
                return run < LINE / 2 && unit_bytes < 4 && other.m_src == other.n;
            return run < (unit_bytes > 1 && traits->shuffle_window < LINE ? LINE / 2 : LINE); /* pieces of 16 bytes are fast */
        case CLM_TRANSPOSE: /* of whole lines, which pieces of a block are not; 16 bytes fill a square. Patches of 16 of u8
                               [64,3,224,224] transposed and in two passes: host 0.62 and 0.42, POCL 0.47 and 0.32 */
            return find_piece(block, launch_plan->n_rank, false) == launch_plan->n && inner_row->extent < 16 &&
                   inner_row->extent * unit_bytes <= LINE / 4 && column->extent * unit_bytes < 2 * LINE &&
                   column->extent * unit_bytes % LINE != 0;
        case CLM_GATHER:
            return reads_from_afar(form);
        default:
            return false;
        }
    }
    return false;
}

/* Half a segment, so that what is left of a shorter one is less than that. */
int64_t clm_blocks_in_passes(const clm_launch_plan *launch_plan) {
    const int64_t half = launch_plan->q > 1 ? (launch_plan->segment + 1) / 2 : 1;
    const int64_t most = CLM_MOST_IN_PASSES / (launch_plan->n * clm_unit_bytes(launch_plan));
    return half < most ? half : most;
}

bool clm_passes_are_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    int32_t order[MOST_AXES];
    const int64_t bytes = clm_form_bytes(form, clm_form_units(form)), blocks = launch_plan->rows * launch_plan->q;
    const int64_t at_once = clm_blocks_in_passes(launch_plan) * launch_plan->n * clm_unit_bytes(launch_plan);
    const bool is_small = launch_plan->chunk_bytes > 0 ? bytes < LEAST_IN_LAUNCHES
                                                       : at_once < LEAST_AT_ONCE || blocks < 2 * (int64_t)traits->workers;
    return is_small || bytes < least_bytes[launch_plan->n_rank] || !is_rival_slow(form, launch_plan, traits) ||
           find_cost(launch_plan, traits, order) > (clm_has_gaps(form) ? MOST_WITH_GAPS : MOST_OF_PASSES);
}

void clm_find_passes(const clm_launch_plan *launch_plan, const clm_traits *traits, const clm_block_set *blocks, int32_t kinds,
                     clm_normal_form (*forms)[2]) {
    int32_t order[MOST_AXES];
    find_cost(launch_plan, traits, order);
    for (int32_t i = 0; i < kinds; i++) {
        set_forms(launch_plan, order, &blocks[i], forms[i]);
        clm_form_normalise(&forms[i][0]);
        clm_form_normalise(&forms[i][1]);
    }
}
