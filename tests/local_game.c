/* See local_game.h. Written from the contracts in host/plan/launch_plan.h and cl_kernels/move.h, not from the kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "local_game.h"

#include "cl_kernels/move.h"
#include "form_walk.h"
#include "host/checked.h"
#include "random_maps.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RUN = 1 << 17, NOTHING = -1 };

local_seen seen;

/* One side of a tile: where each of its runs begins in memory and in slots, and the slots of a run's units. */
typedef struct side {
    const char *name;
    bool is_src;
    const clm_axis *axes;
    int64_t rank, run, runs, lanes, offset;
    uint32_t mode;
    int64_t at[LOCAL_RUNS], slot[LOCAL_RUNS], unit_slot[MOST_RUN];
} side;

static struct {
    clm_normal_form form;
    clm_launch_plan plan;
    side src, dst;
    form_ends ends;
    int64_t unit_bytes;
    /* Source units; tiles, counted from 1. */
    int64_t slots[LOCAL_BYTES], filled_by[LOCAL_BYTES];
    int64_t tile, written;
} game;

/* A small form's memories: the source holds the number of each of its units, or NOTHING where the form does not read. */
static int32_t source[MOST_PLACES], destination[MOST_PLACES], expected[MOST_PLACES];

#define CHECK(condition, ...)                                                                                                    \
    do {                                                                                                                         \
        if (!(condition))                                                                                                        \
            fail_with(#condition, __VA_ARGS__);                                                                                  \
    } while (0)

static void fail_with(const char *condition, const char *what, int64_t got) {
    char text[4096];
    const clm_launch_plan *p = &game.plan;
    clm_form_text(&game.form, text, sizeof text);
    for (int32_t i = 0; i < p->outer_rank + p->m_rank + p->n_rank; i++)
        fprintf(stderr, "%s[%" PRId64 ":%" PRId64 ":%" PRId64 "]", i == p->outer_rank ? "\n" : "", p->outer[i].extent,
                p->outer[i].src, p->outer[i].dst);
    fail_msg("%s\n%s: %s, %" PRId64 "; n %" PRId64 "/%" PRId64 ", m %" PRId64 "/%" PRId64 ", cuts %" PRId64 ", runs %" PRId64
             "x%" PRId64 " and %" PRId64 "x%" PRId64 ", constant %u, %u-bit indices",
             text, what, condition, got, p->n, p->segment, p->m, p->band, p->cuts, p->src_runs, p->src_run, p->dst_runs,
             p->dst_run, p->constant, p->index_bits);
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Where a unit of a tile is, counted along the tile's axes of one side. */
static void find_unit(const side *it, int64_t unit, int64_t *at, int64_t *slot) {
    *at = *slot = 0;
    for (int64_t i = it->rank - 1; i >= 0; i--) {
        const clm_axis *axis = &it->axes[i];
        *at += unit % axis->extent * (it->is_src ? axis->src : axis->dst);
        *slot += unit % axis->extent * (it->is_src ? axis->dst : axis->src);
        unit /= axis->extent;
    }
    CHECK(unit == 0, "past the tile", unit);
}

/* A run is the product of the innermost axes, contiguous in memory; the other axes count runs. */
static void fill_side(side *it) {
    int64_t inside = 1, units = 1, at, highest_run = 0, highest = 0;
    for (int64_t i = it->rank - 1; i >= 0; i--) {
        units *= it->axes[i].extent;
        inside = units <= it->run ? units : inside;
    }
    CHECK(it->runs >= 1 && it->runs <= LOCAL_RUNS, it->name, it->runs);
    CHECK(it->run >= 1 && it->run <= MOST_RUN && it->run == inside, it->name, it->run);
    CHECK(it->run * it->runs == units, it->name, units);
    for (int64_t i = 0; i < it->run; i++) {
        find_unit(it, i, &at, &it->unit_slot[i]);
        CHECK(at == i, it->name, at);
        highest = it->unit_slot[i] > highest ? it->unit_slot[i] : highest;
    }
    for (int64_t i = 0; i < it->runs; i++) {
        find_unit(it, i * it->run, &it->at[i], &it->slot[i]);
        highest_run = it->slot[i] > highest_run ? it->slot[i] : highest_run;
    }
    CHECK(highest + highest_run < smaller(LOCAL_BYTES / game.unit_bytes, 65536), it->name, highest + highest_run);
    CHECK(INT64_C(1) << it->lanes <= game.plan.local_size, it->name, it->lanes);
}

/* What is left of a run in a tile that has fewer steps along n, or along m. */
static int64_t less_of_run(const side *it, int shift, int64_t all, int64_t part) {
    const int64_t bit = it->is_src ? LOCAL_CUTS_SRC_RUN : LOCAL_CUTS_DST_RUN;
    return game.plan.cuts >> shift & bit ? it->run / part * (all % part) : 0;
}

/* Every run of every tile begins at a multiple of an access and ends at one, but where the mode is for any; accesses of 16 bytes
 * find their units side by side. */
static void check_accesses(const side *it) {
    enum { UNITS, GROUPS, LINES, ANY };
    const clm_launch_plan *plan = &game.plan;
    const int64_t line = 16 / game.unit_bytes, units = it->mode == GROUPS && game.unit_bytes == 1 ? 8 : line;
    const int64_t in_part = game.unit_bytes < 4 ? 4 / game.unit_bytes : 1;
    const bool is_dense = plan->cuts & (it->is_src ? LOCAL_DENSE_SRC : LOCAL_DENSE_DST);
    for (int64_t i = 0; i < it->run && is_dense; i++)
        CHECK(it->unit_slot[i] == i, it->name, i);
    if (plan->cuts & (it->is_src ? LOCAL_EVEN_SRC : LOCAL_EVEN_DST)) {
        const clm_axis *inner = &it->axes[it->rank - 1];
        const int64_t step = it->is_src ? inner->dst : inner->src, group = inner->extent,
                      word = game.unit_bytes < 4 ? in_part : 1;
        int64_t skew = 0;
        if (plan->cuts & (it->is_src ? LOCAL_SKEWED_SRC : LOCAL_SKEWED_DST)) {
            CHECK(it->rank > 1 && (it->mode != UNITS || word == 1 || group == word), it->name, group);
            skew = (it->is_src ? inner[-1].dst : inner[-1].src) - group * step;
        }
        for (int64_t i = 0; i < it->run; i++)
            CHECK(it->unit_slot[i] == i * step + i / group * skew, it->name, i);
    }
    if (it->mode == UNITS)
        return;
    CHECK(it->mode <= (game.unit_bytes < 4 ? ANY : LINES) && units > 1, it->name, it->mode);
    CHECK(it->mode != ANY || it->is_src || is_dense, it->name, it->mode);
    if (it->mode != ANY) {
        CHECK(it->offset % units == 0, it->name, it->offset);
        CHECK(it->run % units == 0, it->name, units);
        CHECK(less_of_run(it, LOCAL_N_CUTS, plan->n, plan->segment) % units == 0, it->name, units);
        CHECK(less_of_run(it, LOCAL_M_CUTS, plan->m, plan->band) % units == 0, it->name, units);
        for (int32_t i = 0; i < plan->outer_rank; i++)
            CHECK(plan->outer[i].extent == 1 || (it->is_src ? plan->outer[i].src : plan->outer[i].dst) % units == 0, it->name, i);
    }
    for (int64_t i = 0; i < it->runs; i++) {
        CHECK(it->mode == ANY || it->at[i] % units == 0, it->name, it->at[i]);
        CHECK(it->mode == GROUPS || it->slot[i] % in_part == 0, it->name, it->slot[i]);
    }
    for (int64_t i = 0; i < it->run && it->mode >= LINES; i++) {
        const int64_t first = it->unit_slot[i / line * line];
        CHECK(it->unit_slot[i] == first + i % line && first % in_part == 0, it->name, it->unit_slot[i]);
    }
}

/* Of lines that are read from anywhere, whole words of 32 bits are put into slots, so what fills them up may be no other unit's.
 */
static void fill_up(int64_t run, int64_t units) {
    const int64_t in_part = game.unit_bytes < 4 ? 4 / game.unit_bytes : 1;
    for (int64_t unit = units; unit % in_part != 0 && game.src.mode == 3; unit++) {
        const int64_t slot = game.src.slot[run] + game.src.unit_slot[units - 1] + unit - (units - 1);
        CHECK(slot < LOCAL_BYTES / game.unit_bytes && game.filled_by[slot] != game.tile, "a slot beside a run", slot);
        game.filled_by[slot] = -game.tile; /* what nobody may read */
    }
}

static void check_launch(int32_t max_outer, int64_t most_local_size) {
    const clm_launch_plan *plan = &game.plan;
    const int64_t size = plan->local_size, groups = plan->items / size, inside = plan->outer_rank - plan->lead_rank;
    const clm_axis *along_n = &plan->outer[plan->outer_rank - 1], *along_m = along_n - 1;
    int64_t rows = 1, led = 0; /* led: source units that the leading axes go on */
    CHECK(inside >= 2, "outer axes", inside);
    CHECK(inside + plan->n_rank + plan->m_rank <= max_outer, "axes", inside);
    CHECK(plan->outer_rank + plan->n_rank + plan->m_rank <= CLM_MAX_PLAN_AXES, "axes", plan->outer_rank);
    CHECK(size >= 1 && size <= most_local_size && (size & (size - 1)) == 0, "local_size", size);
    for (int32_t i = plan->lead_rank; i < plan->outer_rank; i++)
        rows *= plan->outer[i].extent;
    for (int32_t i = 0; i < plan->lead_rank; i++)
        led += plan->outer[i].src < 0 ? 0 : (plan->outer[i].extent - 1) * plan->outer[i].src;
    CHECK(plan->jobs == rows, "jobs", plan->jobs);
    CHECK(clm_last_src(plan) + led == game.ends.last_src, "the last source unit", clm_last_src(plan));
    CHECK(along_n->extent == clm_divide_up(plan->n, plan->segment), "tiles along n", along_n->extent);
    CHECK(along_m->extent == clm_divide_up(plan->m, plan->band), "tiles along m", along_m->extent);
    const int64_t places = plan->launches * plan->rows / along_n->extent / along_m->extent * plan->n * plan->m;
    CHECK(places * (plan->dst_run * plan->dst_runs / plan->segment / plan->band) == clm_form_units(&game.form), "units", places);
    CHECK(groups * size == plan->items && groups * plan->item_jobs >= plan->jobs && groups <= plan->jobs, "items", plan->items);
}

form_ends find_ends(const clm_normal_form *form) {
    form_ends ends = {form->src_offset, form->src_offset, form->dst_offset};
    for (int32_t i = 0; i < form->rank; i++) {
        const clm_axis *axis = &form->axes[i];
        *(axis->src < 0 ? &ends.first_src : &ends.last_src) += (axis->extent - 1) * axis->src;
        ends.last_dst += (axis->extent - 1) * axis->dst;
    }
    return ends;
}

void begin_game(const clm_normal_form *form, const clm_launch_plan *given, int32_t max_outer, int64_t most_local_size) {
    game.form = *form;
    game.plan = *given;
    game.ends = find_ends(form);
    check_launch(max_outer, most_local_size);
    const clm_launch_plan *plan = &game.plan;
    game.unit_bytes = clm_unit_bytes(plan);
    side *src = &game.src, *dst = &game.dst;
    src->name = "source";
    dst->name = "destination";
    src->is_src = true;
    src->axes = plan->outer + plan->outer_rank;
    dst->axes = src->axes + plan->m_rank;
    src->rank = plan->m_rank;
    dst->rank = plan->n_rank;
    src->run = plan->src_run;
    dst->run = plan->dst_run;
    src->runs = plan->src_runs;
    dst->runs = plan->dst_runs;
    src->lanes = plan->src_lanes;
    dst->lanes = plan->dst_lanes;
    src->offset = plan->src_offset;
    dst->offset = plan->dst_offset;
    src->mode = plan->constant % 4;
    dst->mode = plan->constant / 4;
    fill_side(src);
    fill_side(dst);
    check_accesses(src);
    check_accesses(dst);
}

/* Leaves `steps` of `all` along n, or along m. */
static void leave(int shift, int64_t all, int64_t steps, int64_t units[2], int64_t runs[2]) {
    const int64_t cuts = game.plan.cuts >> shift;
    int64_t *const less[] = {&units[0], &runs[0], &units[1], &runs[1]};
    static const int bits[] = {LOCAL_CUTS_SRC_RUN, LOCAL_CUTS_SRC_RUNS, LOCAL_CUTS_DST_RUN, LOCAL_CUTS_DST_RUNS};
    for (int i = 0; i < 4 && steps < all; i++)
        if (cuts & bits[i]) {
            CHECK(*less[i] % all == 0, "a smaller tile", *less[i]);
            *less[i] = *less[i] / all * steps;
        }
}

/* The source unit of a destination unit, NOTHING if the form does not write it. Destination strides nest. */
static int64_t source_of(int64_t dst) {
    const clm_normal_form *form = &game.form;
    int64_t src = form->src_offset;
    dst -= form->dst_offset;
    for (int32_t i = 0; i < form->rank && dst >= 0; i++) {
        const int64_t step = smaller(dst / form->axes[i].dst, form->axes[i].extent - 1);
        dst -= step * form->axes[i].dst;
        src += step * form->axes[i].src;
    }
    return dst == 0 ? src : NOTHING;
}

/* One job: steps along the outer axes, those of the two innermost being the tile's place along m and n. */
static void play_tile(const int64_t *steps, bool is_small) {
    const clm_launch_plan *plan = &game.plan;
    const int64_t step_n = steps[plan->outer_rank - 1], step_m = steps[plan->outer_rank - 2];
    const int64_t n = smaller(plan->segment, plan->n - step_n * plan->segment),
                  m = smaller(plan->band, plan->m - step_m * plan->band);
    int64_t from = plan->src_offset, to = plan->dst_offset, units[] = {plan->src_run, plan->dst_run},
            runs[] = {plan->src_runs, plan->dst_runs};
    CHECK(n > 0 && m > 0, "an empty tile", step_n);
    for (int32_t i = 0; i < plan->outer_rank; i++) {
        from += steps[i] * plan->outer[i].src;
        to += steps[i] * plan->outer[i].dst;
    }
    leave(LOCAL_N_CUTS, plan->segment, n, units, runs);
    leave(LOCAL_M_CUTS, plan->band, m, units, runs);
    seen.tiles++;
    seen.less_of_n += n < plan->segment;
    seen.less_of_m += m < plan->band;
    seen.less_of_both += n < plan->segment && m < plan->band;
    game.tile++;
    for (int64_t run = 0; run < runs[0]; run++)
        for (int64_t unit = 0; unit < units[0]; unit++) {
            const int64_t src = from + game.src.at[run] + unit, slot = game.src.slot[run] + game.src.unit_slot[unit];
            CHECK(src >= game.ends.first_src && src <= game.ends.last_src, "read outside", src);
            CHECK(!is_small || source[src] == src, "read between", src);
            CHECK(game.filled_by[slot] != game.tile && game.filled_by[slot] != -game.tile, "a slot of two units", slot);
            game.filled_by[slot] = game.tile;
            game.slots[slot] = src;
            if (unit + 1 == units[0])
                fill_up(run, units[0]);
        }
    for (int64_t run = 0; run < runs[1]; run++)
        for (int64_t unit = 0; unit < units[1]; unit++) {
            const int64_t dst = to + game.dst.at[run] + unit, slot = game.dst.slot[run] + game.dst.unit_slot[unit];
            CHECK(game.filled_by[slot] == game.tile, "a slot that was not filled", slot);
            CHECK(dst >= game.form.dst_offset && dst <= game.ends.last_dst, "written outside", dst);
            if (is_small)
                destination[dst] = (int32_t)game.slots[slot];
            else
                CHECK(game.slots[slot] == source_of(dst), "a wrong unit", dst);
            game.written++;
        }
}

void play_all(void) {
    const clm_normal_form *form = &game.form;
    int64_t extents[CLM_MAX_PLAN_AXES], steps[CLM_MAX_PLAN_AXES] = {0};
    form_walk at = form_walk_start(form);
    const size_t places = (size_t)game.ends.last_dst + 1;
    memset(source, NOTHING, ((size_t)game.ends.last_src + 1) * sizeof *source);
    memset(destination, NOTHING, places * sizeof *destination);
    memset(expected, NOTHING, places * sizeof *expected);
    do
        source[at.src] = expected[at.dst] = (int32_t)at.src;
    while (form_walk_next(&at));
    for (int32_t i = 0; i < game.plan.outer_rank; i++)
        extents[i] = game.plan.outer[i].extent;
    game.written = 0;
    do
        play_tile(steps, true);
    while (next_index(game.plan.outer_rank, extents, steps));
    CHECK(game.written == clm_form_units(form), "units written", game.written);
    for (size_t i = 0; i < places; i++)
        CHECK(destination[i] == expected[i], "a wrong unit", (int64_t)i);
}

void play_some(int more) {
    int64_t steps[CLM_MAX_PLAN_AXES];
    for (int tile = 0; tile < 2 + more; tile++) {
        for (int32_t i = 0; i < game.plan.outer_rank; i++) {
            const int64_t last = game.plan.outer[i].extent - 1;
            steps[i] = tile == 0 ? 0 : tile == 1 ? last : pick(3) ? pick(last + 1) : last;
        }
        play_tile(steps, false);
    }
}
