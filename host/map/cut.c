/* SPDX-License-Identifier: Apache-2.0 */
#include "host/map/cut.h"

#include "host/checked.h"

#include <inttypes.h>
#include <string.h>

/* Longer runs are no faster: a run of this length covers several pages, and its start takes a small part of its time. */
#define LONG_RUN_BYTES 65536

/* ---- the sizes of a box of steps ---- */

static int64_t stride_of(const clm_axis *axis, bool src) {
    return imaxabs(src ? axis->src : axis->dst);
}

/* Bytes from the first to the last that is read or written. Units below a byte may begin and end inside a byte. */
static int64_t measure_spread(const clm_normal_form *form, const int64_t *steps, bool src) {
    int64_t last = 0;
    for (int32_t i = 0; i < form->rank; i++)
        last += (steps[i] - 1) * stride_of(&form->axes[i], src);
    return clm_form_bytes(form, last + 1) + (form->unit_bits < 8 && last > 0);
}

static int64_t count_units(const clm_normal_form *form, const int64_t *steps, bool src) {
    int64_t units = 1;
    for (int32_t i = 0; i < form->rank; i++)
        units *= !src || form->axes[i].src ? steps[i] : 1;
    return units;
}

static clm_cut_sizes measure(const clm_normal_form *form, const int64_t *steps) {
    return (clm_cut_sizes){
        .src_spread = measure_spread(form, steps, true),
        .dst_spread = measure_spread(form, steps, false),
        .src = clm_form_bytes(form, count_units(form, steps, true)),
        .dst = clm_form_bytes(form, count_units(form, steps, false)),
    };
}

/* The largest ratio of a size to its limit; at most 1 if the sizes are within all limits. */
static double find_excess(const clm_cut_limits *limits, clm_cut_sizes sizes) {
    const double ratios[] = {
        limits->src_spread ? (double)sizes.src_spread / (double)limits->src_spread : 0,
        limits->dst_spread ? (double)sizes.dst_spread / (double)limits->dst_spread : 0,
        limits->src ? (double)sizes.src / (double)limits->src : 0,
        limits->dst ? (double)sizes.dst / (double)limits->dst : 0,
        limits->both ? ((double)sizes.src + (double)sizes.dst) / (double)limits->both : 0,
    };
    double worst = 0;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        worst = ratios[i] > worst ? ratios[i] : worst;
    return worst;
}

/* Contiguous units in one memory: the axes from the smallest stride on, while each begins where the run so far ends. */
static int64_t measure_run(const clm_normal_form *form, const int64_t *steps, bool src) {
    int64_t run = 1;
    for (bool grown = true; grown;) {
        grown = false;
        for (int32_t i = 0; i < form->rank && !grown; i++)
            if (steps[i] > 1 && stride_of(&form->axes[i], src) == run) {
                run *= steps[i];
                grown = true;
            }
    }
    return run;
}

static int64_t measure_runs(const clm_normal_form *form, const int64_t *steps) {
    int64_t src = measure_run(form, steps, true), dst = measure_run(form, steps, false);
    return clm_form_bytes(form, src < dst ? src : dst);
}

int64_t clm_form_run_bytes(const clm_normal_form *form) {
    int64_t steps[CLM_MAX_AXES];
    for (int32_t i = 0; i < form->rank; i++)
        steps[i] = form->axes[i].extent;
    return measure_runs(form, steps);
}

/* ---- where to cut ---- */

/* A possible cut and its quality. */
typedef struct candidate {
    int64_t steps[CLM_MAX_AXES];
    int64_t run_bytes, pieces;
    /* How many axes were cut. */
    int32_t axes;
    double excess;
} candidate;

static void judge(const clm_normal_form *form, const clm_cut_limits *limits, candidate *it) {
    int64_t run_bytes = measure_runs(form, it->steps);
    it->run_bytes = run_bytes > LONG_RUN_BYTES ? LONG_RUN_BYTES : run_bytes;
    it->pieces = 1;
    it->axes = 0;
    for (int32_t i = 0; i < form->rank; i++) {
        it->pieces *= clm_divide_up(form->axes[i].extent, it->steps[i]);
        it->axes += it->steps[i] < form->axes[i].extent;
    }
    it->excess = find_excess(limits, measure(form, it->steps));
}

/* Compares two cuts within the limits. b is along the axis further out, which is preferred even with some more pieces. */
static bool is_better(const candidate *a, const candidate *b) {
    if (a->run_bytes != b->run_bytes)
        return a->run_bytes > b->run_bytes;
    return a->axes == b->axes ? a->pieces + a->pieces / 4 < b->pieces : a->axes < b->axes;
}

/* Compares two cuts that are not within the limits, to choose the one to cut further. */
static bool is_better_start(const candidate *a, const candidate *b) {
    return a->run_bytes != b->run_bytes ? a->run_bytes > b->run_bytes : a->excess < b->excess;
}

/* Takes as many steps of one axis as the limits allow, at most `most`, then makes the pieces equal. False: one step is too much.
 */
static bool fit(const clm_normal_form *form, const clm_cut_limits *limits, candidate *it, int32_t axis, int64_t most) {
    int64_t extent = form->axes[axis].extent, fewest = 1;
    it->steps[axis] = 1;
    if (find_excess(limits, measure(form, it->steps)) > 1)
        return false;
    while (fewest < most) {
        int64_t middle = most - (most - fewest) / 2;
        it->steps[axis] = middle;
        if (find_excess(limits, measure(form, it->steps)) > 1)
            most = middle - 1;
        else
            fewest = middle;
    }
    it->steps[axis] = clm_divide_up(extent, clm_divide_up(extent, fewest));
    return true;
}

/* Tries a cut along one axis, after 0, 1, 2, ... others are cut into single steps, and keeps the best of all. */
static candidate search(const clm_normal_form *form, const clm_cut_limits *limits) {
    candidate now = {0}, best, start = {0};
    bool found = false, can_go_on = true;
    for (int32_t i = 0; i < form->rank; i++)
        now.steps[i] = form->axes[i].extent;
    judge(form, limits, &now);
    if (now.excess <= 1)
        return now;
    best = now;
    while (can_go_on) {
        can_go_on = false;
        for (int32_t i = 0; i < form->rank; i++) {
            candidate next = now;
            if (now.steps[i] == 1)
                continue;
            if (fit(form, limits, &next, i, now.steps[i])) {
                judge(form, limits, &next);
                if (!found || is_better(&next, &best))
                    best = next;
                found = true;
            }
            next.steps[i] = 1;
            judge(form, limits, &next);
            if (next.excess < now.excess && (!can_go_on || is_better_start(&next, &start))) {
                start = next;
                can_go_on = true;
            }
        }
        /* Cutting further can only shorten the runs. */
        can_go_on = can_go_on && start.excess > 1 && (!found || start.run_bytes > best.run_bytes);
        if (can_go_on)
            now = start;
    }
    for (int32_t i = 0; i < form->rank; i++)
        if (found) /* an axis that was cut earlier may be cut less now */
            fit(form, limits, &best, i, form->axes[i].extent);
        else /* one unit is above a limit, and is always allowed */
            best.steps[i] = 1;
    judge(form, limits, &best);
    return best;
}

/* Begins a cut by steps, without its order. */
static void begin(const clm_normal_form *form, const int64_t *steps, int64_t pieces, clm_cut *cut) {
    memset(cut, 0, sizeof *cut);
    cut->form = *form;
    memcpy(cut->steps, steps, (size_t)form->rank * sizeof *cut->steps);
    cut->pieces = pieces;
    cut->src_pieces = 1;
    cut->run_bytes = measure_runs(form, cut->steps);
    cut->sizes = measure(form, cut->steps);
}

void clm_cut_make(const clm_normal_form *form, const clm_cut_limits *limits, clm_cut *cut) {
    candidate chosen = search(form, limits);
    begin(form, chosen.steps, chosen.pieces, cut);
    for (int pass = 0; pass < 2; pass++) /* the last axes have source stride 0 */
        for (int32_t i = 0; i < form->rank; i++) {
            if (cut->steps[i] == form->axes[i].extent || (form->axes[i].src == 0) != (pass == 1))
                continue;
            cut->order[cut->cut_rank++] = i;
            if (pass == 0)
                cut->src_pieces *= clm_divide_up(form->axes[i].extent, cut->steps[i]);
        }
}

/* Whether pieces that begin at steps of the first axes have no byte of the destination in common. The strides nest; of units
 * below a byte, each piece has to begin in a byte of its own. */
static bool are_apart(const clm_normal_form *form, int32_t axes) {
    const int64_t per_byte = form->unit_bits < 8 ? 8 / form->unit_bits : 1;
    bool apart = form->dst_offset % per_byte == 0;
    for (int32_t i = 0; i < axes; i++)
        apart = apart && form->axes[i].dst % per_byte == 0;
    return apart;
}

void clm_cut_outer(const clm_normal_form *form, int64_t pieces, clm_cut *cut) {
    int64_t steps[CLM_MAX_AXES], made = 1;
    int32_t axes = 0;
    for (int32_t i = 0; i < form->rank; i++)
        steps[i] = form->axes[i].extent;
    while (axes < form->rank && made < pieces && are_apart(form, axes + 1)) {
        int64_t extent = form->axes[axes].extent, parts = clm_divide_up(pieces, made), step = extent / parts;
        steps[axes] = step > 1 ? step : 1;
        made *= clm_divide_up(extent, steps[axes]);
        axes++;
    }
    begin(form, steps, made, cut);
    cut->src_pieces = made;
    cut->cut_rank = axes;
    for (int32_t i = 0; i < axes; i++)
        cut->order[i] = i;
}

/* ---- pieces ---- */

/* The first step of a piece along each axis, and its steps. */
typedef struct box {
    int64_t starts[CLM_MAX_AXES], extents[CLM_MAX_AXES];
} box;

static void find_box(const clm_cut *cut, int64_t piece, box *found) {
    for (int32_t i = 0; i < cut->form.rank; i++) {
        found->starts[i] = 0;
        found->extents[i] = cut->form.axes[i].extent;
    }
    for (int32_t i = cut->cut_rank - 1; i >= 0; i--) {
        int32_t axis = cut->order[i];
        int64_t extent = cut->form.axes[axis].extent, step = cut->steps[axis], parts = clm_divide_up(extent, step);
        int64_t start = piece % parts * step;
        piece /= parts;
        found->starts[axis] = start;
        found->extents[axis] = extent - start < step ? extent - start : step;
    }
}

/* The bytes of one memory from the first to the last that a form reads or writes. Its offset then counts from the first. */
static void take_window(clm_normal_form *form, bool src, int64_t *first, int64_t *bytes) {
    int64_t *offset = src ? &form->src_offset : &form->dst_offset, low = *offset, high = low;
    for (int32_t i = 0; i < form->rank; i++) {
        int64_t spread = (form->axes[i].extent - 1) * (src ? form->axes[i].src : form->axes[i].dst);
        *(spread < 0 ? &low : &high) += spread;
    }
    int64_t per_byte = form->unit_bits < 8 ? 8 / form->unit_bits : 1;
    int64_t start = low / per_byte * per_byte; /* in a byte of its own */
    *first = clm_form_bytes(form, start);
    *bytes = clm_form_bytes(form, high + 1 - start);
    *offset -= start;
}

int64_t clm_cut_neighbours(const clm_cut *cut, int64_t piece, int64_t most) {
    if (cut->cut_rank == 0)
        return 1;
    const int32_t last = cut->order[cut->cut_rank - 1];
    int64_t parts = clm_divide_up(cut->form.axes[last].extent, cut->steps[last]), left = parts - piece % parts;
    return left < most ? left : most;
}

void clm_cut_in_place(const clm_cut *cut, int64_t piece, clm_placed_piece *placed) {
    clm_cut_in_place_with(cut, piece, 1, placed);
}

void clm_cut_in_place_with(const clm_cut *cut, int64_t piece, int64_t count, clm_placed_piece *placed) {
    box at;
    clm_normal_form *form = &placed->form;
    find_box(cut, piece, &at);
    if (count > 1) {
        const int32_t last = cut->order[cut->cut_rank - 1];
        const int64_t left = cut->form.axes[last].extent - at.starts[last];
        at.extents[last] = count * cut->steps[last] < left ? count * cut->steps[last] : left;
    }
    *form = cut->form;
    for (int32_t i = 0; i < form->rank; i++) {
        form->axes[i].extent = at.extents[i];
        form->src_offset += at.starts[i] * form->axes[i].src;
        form->dst_offset += at.starts[i] * form->axes[i].dst;
    }
    take_window(form, true, &placed->src_first, &placed->src_bytes);
    take_window(form, false, &placed->dst_first, &placed->dst_bytes);
    clm_form_normalise(form);
}

/* Dense strides of the axes, in the order of their strides in one memory. */
static int64_t lay_out(const clm_cut *cut, const box *at, bool src, int64_t *strides) {
    const clm_axis *axes = cut->form.axes;
    for (int32_t i = 0; i < cut->form.rank; i++) {
        strides[i] = src && axes[i].src == 0 ? 0 : 1;
        for (int32_t j = 0; j < cut->form.rank; j++) {
            const int64_t outer = stride_of(&axes[i], src), inner = stride_of(&axes[j], src);
            if ((inner < outer || (inner == outer && j > i)) && !(src && inner == 0))
                strides[i] *= at->extents[j];
        }
    }
    return clm_form_bytes(&cut->form, count_units(&cut->form, at->extents, src));
}

void clm_cut_packed(const clm_cut *cut, int64_t piece, clm_packed_piece *packed) {
    box at;
    int64_t src_strides[CLM_MAX_AXES], dst_strides[CLM_MAX_AXES];
    const clm_normal_form *form = &cut->form;
    clm_normal_form *pack = &packed->pack, *move = &packed->move, *unpack = &packed->unpack;
    find_box(cut, piece, &at);
    packed->src_bytes = lay_out(cut, &at, true, src_strides);
    packed->dst_bytes = lay_out(cut, &at, false, dst_strides);
    *pack = *move = *unpack = *form;
    pack->dst_offset = move->src_offset = move->dst_offset = unpack->src_offset = 0;
    pack->rank = 0;
    for (int32_t i = 0; i < form->rank; i++) {
        const clm_axis *axis = &form->axes[i];
        if (axis->src != 0)
            pack->axes[pack->rank++] = (clm_axis){.extent = at.extents[i], .src = axis->src, .dst = src_strides[i]};
        move->axes[i] = (clm_axis){.extent = at.extents[i], .src = src_strides[i], .dst = dst_strides[i]};
        unpack->axes[i] = (clm_axis){.extent = at.extents[i], .src = dst_strides[i], .dst = axis->dst};
        pack->src_offset += at.starts[i] * axis->src;
        unpack->dst_offset += at.starts[i] * axis->dst;
    }
    clm_form_normalise(pack);
    clm_form_normalise(move);
    clm_form_normalise(unpack);
}

bool clm_cut_reads_same(const clm_cut *cut, int64_t piece) {
    int64_t repeats = cut->pieces / cut->src_pieces;
    return piece > 0 && piece % repeats != 0;
}

int64_t clm_cut_units(const clm_cut *cut, int64_t piece, bool src) {
    box at;
    find_box(cut, piece, &at);
    return count_units(&cut->form, at.extents, src);
}
