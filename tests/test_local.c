/* The variant local on thousands of random forms, without a device (local_game.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "form_walk.h"
#include "local_game.h"

#include "cl_kernels/move.h"
#include "host/map/map.h"
#include "random_maps.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SMALL_FORMS = 6000, LARGE_FORMS = 3000, MOST_RANK = 62, OF_EACH_MODE = 50, OF_LONG_RUNS = 20, OF_GAPS = 5 };

static int64_t pick_extent(int64_t most) {
    static const int64_t extents[] = {2,   2,   3,   3,   4,    5,    7,    8,    8,     11,    13,    16,     16,  17,
                                      24,  31,  32,  33,  48,   63,   64,   67,   96,    97,    100,   127,    128, 160,
                                      251, 256, 509, 512, 1009, 1024, 2048, 4099, 10007, 65536, 99991, 1000003};
    for (;;) {
        const int64_t extent = extents[pick(sizeof extents / sizeof *extents)];
        if (extent <= most)
            return extent;
        if (most < 2)
            return 1;
    }
}

/* Strides that nest in a random order, with gaps, backwards and repeats, whose multiples are those of `even`. */
static void pick_form(int64_t most_units, int32_t rank, int64_t even, clm_normal_form *form) {
    int32_t order[CLM_MAX_AXES];
    int64_t span = pick(12) ? 1 : 2 + pick(3);
    const bool has_gaps = pick(3) == 0;
    *form = (clm_normal_form){.unit_bits = 8U << pick(5), .dst_offset = pick(3) ? 0 : pick(9) * even, .rank = rank};
    for (int32_t i = 0; i < rank; i++)
        order[i] = i;
    for (int32_t i = rank - 1; i > 0; i--) { /* extents are drawn in a random order, too, as the first ones may take all */
        const int32_t with = (int32_t)pick(i + 1), kept = order[i];
        order[i] = order[with];
        order[with] = kept;
    }
    for (int32_t i = 0; i < rank; i++) {
        const int64_t extent = pick_extent(most_units >> (pick(4) ? rank - 1 - i : 0)); /* mostly so that each axis has some */
        form->axes[order[rank - 1 - i]].extent = extent;
        most_units /= extent;
    }
    for (int32_t i = rank - 1; i >= 0; i--) {
        form->axes[i].dst = span;
        span = span * form->axes[i].extent + (has_gaps && pick(2) ? pick(7) : 0);
        span = (span + even - 1) / even * even;
    }
    span = pick(12) ? 1 : 2 + pick(3);
    form->src_offset = pick(3) ? 0 : pick(9) * even;
    const bool has_repeats = pick(3) == 0, has_backwards = pick(3) == 0;
    for (int32_t i = 0; i < rank; i++) {
        clm_axis *axis = &form->axes[order[i]];
        if (has_repeats && pick(3) == 0)
            continue;
        axis->src = has_backwards && pick(3) == 0 ? -span : span;
        form->src_offset -= axis->src < 0 ? axis->src * (axis->extent - 1) : 0;
        seen.backwards += axis->src < 0;
        span = pick(30) ? span * axis->extent : span * (1 + pick(axis->extent)); /* seldom, steps overlap */
        span += has_gaps && pick(2) ? pick(7) : 0;
        span = (span + even - 1) / even * even;
    }
    clm_form_normalise(form);
    if (form->unit_bits > 8 && pick(6) == 0)
        clm_form_narrow(form, form->unit_bits >> (1 + pick(form->unit_bits > 16 ? 2 : 1)));
}

static void pick_map(clm_normal_form *form) {
    do {
        clmove_map map;
        random_map(&map);
        *form = normal_form_of(&map);
    } while (form->unit_bits < 8 || clm_form_is_empty(form));
}

/* Axes of a tile that the form does not have: an axis is two, of which the outer one may leave slots out at each step. */
static void count_axes(const clm_normal_form *form, const clm_launch_plan *plan) {
    const clm_axis *written = plan->outer + plan->outer_rank + plan->m_rank;
    const int64_t bank = plan->unit_bits < 32 ? 32 / plan->unit_bits : 1;
    for (int32_t i = 0; i + 1 < plan->n_rank; i++) {
        bool is_of_form = false;
        for (int32_t k = 0; k < form->rank; k++)
            is_of_form |= form->axes[k].dst == written[i].dst;
        for (int32_t k = i + 1; k < plan->n_rank && !is_of_form; k++)
            if (written[k].dst * written[k].extent == written[i].dst) {
                const bool is_skewed = written[i].src > bank && written[i].src == written[k].src * written[k].extent + bank;
                *(is_skewed ? &seen.skews : &seen.splits) += 1;
            }
        seen.repeats_in_tile += written[i].src == 0;
    }
    for (int32_t i = 0; i < plan->m_rank; i++)
        seen.images += plan->outer[plan->outer_rank + i].src == 0 && plan->outer[plan->outer_rank + i].dst != 0;
}

static void count(const clm_normal_form *form, const clm_launch_plan *plan) {
    const bool cuts_n = plan->segment < plan->n, cuts_m = plan->band < plan->m;
    const int64_t by_n = plan->cuts >> LOCAL_N_CUTS & 15, by_m = plan->cuts >> LOCAL_M_CUTS & 15;
    const int64_t of_runs = LOCAL_CUTS_SRC_RUNS | LOCAL_CUTS_DST_RUNS;
    seen.modes[plan->constant % 4][plan->constant / 4]++;
    *(cuts_n && cuts_m ? &seen.two_cuts : cuts_n || cuts_m ? &seen.one_cut : &seen.no_cut) += 1;
    seen.shared_cut += by_n == (LOCAL_CUTS_SRC_RUN | LOCAL_CUTS_DST_RUN);
    seen.cut_among_runs += by_n == of_runs || by_m == of_runs;
    seen.long_runs += plan->src_run > LOCAL_UNITS || plan->dst_run > LOCAL_UNITS;
    seen.leading_axes += plan->lead_rank > 0;
    seen.jobs_in_turn += plan->item_jobs > 1;
    seen.many_axes += plan->n_rank >= 6;
    count_axes(form, plan);
}

/* Chooses for a GPU of some kind, and checks the plan. index_bits: 0, 32 or 64. */
static void choose(const clm_normal_form *form, uint32_t index_bits) {
    clm_launch_plan plan;
    static const uint32_t workers[] = {1, 2, 132};
    static const int64_t local_sizes[] = {1, 4, 5, 256, 256}, most_items[] = {1, 4096, 1 << 22};
    clm_tuned tuned;
    clmove_error error;
    clm_tuned_start(&tuned, CLM_CLASS_GPU, 256);
    clm_traits traits = {.workers = workers[pick(3)],
                         .max_outer = 15,
                         .max_outer_narrow = 33,
                         .local_bytes = 32768,
                         .max_local_size = 256,
                         .tuning = tuned.values};
    traits.tuning.local_size = local_sizes[pick(5)];
    traits.tuning.max_items = most_items[pick(3)];
    ASSERT_OK(clm_choose(form, &traits, "local", index_bits, &plan, &error), &error);
    begin_game(form, &plan, plan.index_bits == 32 ? 33 : 15, traits.tuning.local_size);
    count(form, &plan);
}

static void small_forms_are_moved(void **state) {
    (void)state;
    static const int64_t sizes[] = {400, 3000, 9000, 30000, 60000};
    pick_from(1);
    for (int i = 0; i < SMALL_FORMS; i++) {
        clm_normal_form form;
        form_ends ends;
        do {
            if (pick(6) == 0)
                pick_map(&form);
            else
                pick_form(sizes[pick(5)], 1 + (int32_t)(pick(3) ? pick(5) : pick(12)), pick(2) ? 1 : 16, &form);
            ends = find_ends(&form);
        } while (form.rank < 1 || ends.last_src >= MOST_PLACES || ends.last_dst >= MOST_PLACES);
        choose(&form, pick(2) ? 32 : 64);
        play_all();
    }
}

static void large_forms_are_cut(void **state) {
    (void)state;
    pick_from(2);
    for (int i = 0; i < LARGE_FORMS; i++) {
        clm_normal_form form;
        do
            pick_form(INT64_C(1) << (20 + pick(25)), 1 + (int32_t)pick(12), pick(2) ? 1 : 16, &form);
        while (form.rank < 1);
        choose(&form, 0);
        play_some(3);
    }
}

/* As many axes as a form can have, in a destination that no memory has. */
static void many_axes_are_cut(void **state) {
    (void)state;
    pick_from(3);
    for (int32_t rank = 13; rank <= MOST_RANK; rank++) {
        const int64_t by = 1 + pick(rank - 1);
        clm_normal_form form = {.unit_bits = 8, .rank = rank};
        for (int32_t i = 0; i < rank; i++)
            form.axes[i] = (clm_axis){2, pick(9) ? INT64_C(1) << i * by % rank : 0, INT64_C(1) << (rank - 1 - i)};
        choose(&form, 0);
        play_some(3);
    }
}

/* Tiles of a unit or a few take their work-groups longer than gather its work-items. */
static void poor_tiles_are_left(void **state) {
    (void)state;
    clm_launch_plan plan;
    const clm_normal_form strided = {.unit_bits = 32, .rank = 1, .axes = {{20011, 2, 2}}};
    clm_tuned tuned;
    clm_tuned_start(&tuned, CLM_CLASS_GPU, 256);
    const clm_traits traits = {.workers = 132,
                               .max_outer = 15,
                               .max_outer_narrow = 33,
                               .max_local_size = 256,
                               .local_bytes = 32768,
                               .tuning = tuned.values};
    assert_int_equal(clm_choose(&strided, &traits, NULL, 0, &plan, NULL), CLMOVE_OK);
    assert_string_equal(plan.variant->name, "gather");
    assert_true(plan.passed_over == UINT32_C(1) << CLM_LOCAL_TILES);
    assert_int_equal(clm_choose(&strided, &traits, "local", 0, &plan, NULL), CLMOVE_OK);
    assert_string_equal(plan.variant->name, "local");
}

static void all_was_seen(void **state) {
    (void)state;
#define SEEN_OFTEN(name, least)                                                                                                  \
    if (seen.name < (least))                                                                                                     \
        fail_msg(#name ": %" PRId64 " times", seen.name);
    SEEN(SEEN_OFTEN)
    /* No plan moves lines on both sides; where units have fewer than 32 bits, one side always has lines, and wider ones
     * have none only where lines would share banks. */
    for (int read = 0; read < 4; read++)
        for (int written = 0; written < 4; written++) {
            const bool has_lines = read >= 2 || written >= 2, is_one = written < 2 || read < (written == 2 ? 2 : 1);
            const int64_t least = !has_lines && read + written > 0 ? OF_GAPS : written == 3 ? OF_LONG_RUNS : OF_EACH_MODE;
            if (is_one && (has_lines || read + written < 3) && seen.modes[read][written] < least)
                fail_msg("read %d, written %d: %" PRId64 " times", read, written, seen.modes[read][written]);
            if (!is_one && seen.modes[read][written] > 0)
                fail_msg("read %d, written %d, which is no way", read, written);
        }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_forms_are_moved), cmocka_unit_test(large_forms_are_cut), cmocka_unit_test(many_axes_are_cut),
        cmocka_unit_test(poor_tiles_are_left),   cmocka_unit_test(all_was_seen),
    };
    return cmocka_run_group_tests_name("local", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
