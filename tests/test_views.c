/* Sources that are seen through views: which variants move them, and how these are cut.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/gaps.h"
#include "host/plan/launch_plan.h"
#include "host/plan/windows.h"
#include "support.h"
#include "two_cores.h"

#include <string.h>

/* A host of two cores that looks up 64 bytes at once, and 16; and POCL, and without lookups. */
enum { HOST, HOST_16, POCL, NO_LOOKUPS, PLACES };

static clm_traits traits_of(int place) {
    clm_traits traits = traits_of_two_cores(1 << 20, place == NO_LOOKUPS ? 0 : place == HOST_16 ? 16 : 64);
    traits.items_make_tables = place == POCL;
    traits.part_squares = traits.has_images = traits.has_passes = place != POCL;
    traits.tuning.strips = 4;
    return traits;
}

typedef struct view {
    uint32_t bits;
    int32_t rank;
    int64_t dims[5], strides[5];
} view;

static clm_normal_form form_of(const view *it) {
    int64_t first = 0;
    clmove_map map;
    for (int32_t i = 0; i < it->rank; i++)
        first += it->strides[i] < 0 ? (1 - it->dims[i]) * it->strides[i] : 0;
    assert_int_equal(clmove_map_init(&map, it->bits, it->rank, it->dims, NULL), CLMOVE_OK);
    assert_int_equal(clmove_map_view_src(&map, it->strides, first, NULL), CLMOVE_OK);
    return normal_form_of(&map);
}

static clm_launch_plan plan_view(const view *it, int place) {
    const clm_traits traits = traits_of(place);
    const clm_normal_form form = form_of(it);
    clm_launch_plan launch_plan;
    assert_int_equal(clm_choose(&form, &traits, NULL, 0, &launch_plan, NULL), CLMOVE_OK);
    return launch_plan;
}

static void views_have_variants(void **state) {
    (void)state;
    static const struct {
        view seen;
        const char *wanted[PLACES];
    } rows[] = {
        /* backwards, every other unit, RGB of RGBA, every fifth */
        {{8, 2, {9000, 3000}, {3000, -1}}, {"shuffle", "shuffle", "shuffle", "gather"}},
        {{64, 2, {40, 30000}, {60000, 2}}, {"shuffle", "shuffle", "shuffle", "gather"}},
        {{8, 2, {9000000, 3}, {3, -1}}, {"shuffle", "shuffle", "shuffle", "gather"}},
        {{8, 2, {9000000, 3}, {4, 1}}, {"shuffle", "shuffle", "shuffle", "transpose_runs"}},
        {{32, 1, {9000000}, {5}}, {"gather", "gather", "gather", "gather"}},
        /* one channel of 5 to 17 of small units, and of rows */
        {{8, 1, {9000000}, {5}}, {"shuffle", "shuffle", "shuffle", "gather"}},
        {{8, 2, {9000, 1000}, {-16000, -16}}, {"shuffle", "shuffle", "shuffle", "gather"}},
        {{8, 1, {9000000}, {17}}, {"gather", "gather", "gather", "gather"}},
        {{16, 1, {9000000}, {8}}, {"shuffle", "shuffle", "shuffle", "gather"}},
        {{16, 1, {9000000}, {16}}, {"gather", "shuffle", "gather", "gather"}},
        /* to planes: all of a pixel, in either order, and some of it */
        {{8, 2, {3, 9000000}, {-1, 3}}, {"deinterleave", "deinterleave", "deinterleave", "deinterleave"}},
        {{8, 2, {3, 9000000}, {1, 4}}, {"deinterleave", "deinterleave", "deinterleave", "deinterleave"}},
        {{8, 2, {3, 9000000}, {2, 6}}, {"shuffle", "shuffle", "shuffle", "gather"}},
        {{32, 2, {3, 9000000}, {1, 4}}, {"deinterleave", "deinterleave", "deinterleave", "deinterleave"}},
        /* turned */
        {{8, 2, {4000, 3000}, {-1, 4000}}, {"transpose", "transpose", "transpose", "transpose"}},
        {{32, 2, {4000, 3000}, {-1, -4000}}, {"transpose", "transpose", "transpose", "transpose"}},
        {{8, 3, {4000, 3000, 3}, {-3, 12000, 1}}, {"transpose_runs", "transpose_runs", "transpose_runs", "transpose_runs"}},
        /* every other column turned, of a prime number of rows, of units of 16 bytes; mirrored planes to pixels; some rows and
           columns */
        {{8, 2, {2048, 8192}, {2, 4096}}, {"two_passes", "two_passes", "gather", "two_passes"}},
        {{64, 2, {2099, 4099}, {2, 4200}}, {"gather", "gather", "gather", "gather"}},
        {{128, 2, {2048, 8192}, {4, 8192}}, {"gather", "gather", "gather", "gather"}},
        {{16, 3, {9000, 512, 3}, {512, -1, 9000 * 512}}, {"two_passes", "two_passes", "gather", "two_passes"}},
        {{64, 3, {9000, 512, 3}, {1024, 2, 9000 * 1024}}, {"gather", "gather", "gather", "gather"}},
        /* windows of one row, patches, and patches of rows far apart */
        {{8, 2, {9000000, 8}, {1, 1}}, {"shuffle", "shuffle", "shuffle", "interleave"}},
        {{8, 4, {1800, 1800, 3, 3}, {1802, 1, 1802, 1}}, {"shuffle", "shuffle", "shuffle", "two_passes"}},
        {{32, 4, {900, 900, 3, 3}, {902, 1, 902, 1}}, {"shuffle", "shuffle", "interleave", "two_passes"}},
        {{32, 4, {900, 900, 7, 7}, {906, 1, 906, 1}}, {"gather", "gather", "interleave", "gather"}},
        {{8, 4, {200, 20000, 3, 3}, {20002, 1, 20002, 1}}, {"two_passes", "two_passes", "interleave", "two_passes"}},
        {{64, 4, {200, 20000, 3, 3}, {20002, 1, 20002, 1}}, {"interleave", "interleave", "interleave", "interleave"}},
        {{32, 5, {4, 300, 300, 5, 15}, {1000000, 3000, 6, 3000, 1}}, {"gather", "gather", "rows", "gather"}},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int place = 0; place < PLACES; place++) {
            const char *const got = plan_view(&rows[i].seen, place).variant->name;
            if (strcmp(got, rows[i].wanted[place]) != 0)
                print_error("row %zu, place %d: %s, not %s\n", i, place, got, rows[i].wanted[place]), wrong++;
        }
    assert_int_equal(wrong, 0);
}

/* What is read backwards along an axis of the other side is written backwards instead. */
static void axes_are_turned(void **state) {
    (void)state;
    static const view turned = {32, 2, {4000, 3000}, {-1, 4000}}, planes = {8, 2, {3, 9000}, {-1, 3}};
    const clm_launch_plan of_turned = plan_view(&turned, HOST), of_planes = plan_view(&planes, HOST);
    const clm_axis *row = &of_turned.outer[of_turned.outer_rank + of_turned.n_rank];
    assert_int_equal(of_turned.src_offset, 0);
    assert_int_equal(of_turned.dst_offset, 3999 * 3000);
    assert_int_equal(row->src, 1);
    assert_int_equal(row->dst, -3000);
    assert_int_equal(of_planes.src_offset, 0);
    assert_int_equal(of_planes.dst_offset, 2 * 9000);
    assert_int_equal(of_planes.m_src, 1);
    assert_int_equal(of_planes.m_dst, -9000);
}

/* Parts of a long row end where lines do, and are about equal; planes that read the same lines are in turn. */
static void segments_end_with_lines(void **state) {
    (void)state;
    static const struct {
        view seen;
        int64_t segment;
        int32_t turn_rank;
    } rows[] = {{{8, 1, {9000001}, {-1}}, 65536, 0},       {{16, 1, {9000001}, {2}}, 32768, 0},
                {{8, 2, {9000001, 3}, {3, -1}}, 21888, 0}, {{8, 2, {3, 8649}, {2, 6}}, 4608, 1},
                {{8, 2, {3, 9000001}, {-2, 6}}, 5632, 1},  {{8, 2, {2, 9000001}, {2, 4}}, 8192, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clm_launch_plan launch_plan = plan_view(&rows[i].seen, HOST);
        const int64_t last = launch_plan.q - (launch_plan.segments - 1) * launch_plan.segment;
        assert_string_equal(launch_plan.variant->name, "shuffle");
        if (launch_plan.segment != rows[i].segment || launch_plan.turn_rank != rows[i].turn_rank)
            fail_msg("row %zu: %lld, %d", i, (long long)launch_plan.segment, launch_plan.turn_rank);
        assert_true(last > 0 && last <= launch_plan.segment);
        assert_int_equal(launch_plan.segment * launch_plan.n * rows[i].seen.bits / 8 % 64, 0);
    }
}

/* Gaps within lines, and the units of all axes that lie near each other. */
static void sources_have_gaps(void **state) {
    (void)state;
    static const struct {
        view seen;
        bool has_gaps;
        int64_t near;
    } rows[] = {{{8, 2, {300, 500}, {1, 300}}, false, 150000}, /* all of it, turned */
                {{8, 2, {300, 500}, {1, 310}}, false, 150000}, /* and cropped */
                {{8, 2, {300, 500}, {2, 900}}, true, 150000},   {{8, 2, {300, 500}, {2, 9000}}, true, 300},
                {{64, 2, {300, 500}, {7, 9000}}, true, 300},    {{64, 2, {300, 500}, {8, 90000}}, false, 1},
                {{8, 2, {300, 500}, {-1, 300}}, true, 150000},  {{8, 3, {3, 20, 90}, {99999, 400, 4}}, true, 1800},
                {{8, 3, {68, 4, 17}, {20, 1, 1}}, false, 4624}, /* windows, of all of their rows */
                {{8, 2, {300, 500}, {1, -300}}, false, 150000}};
    static const view far_apart = {8, 2, {2, 2}, {INT64_C(1) << 60, INT64_C(1) << 61}};
    const clm_normal_form far_form = form_of(&far_apart);
    assert_false(clm_has_gaps(&far_form));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clm_normal_form form = form_of(&rows[i].seen);
        if (clm_has_gaps(&form) != rows[i].has_gaps)
            fail_msg("row %zu", i);
        assert_int_equal(clm_count_near(form.axes, form.rank, form.unit_bits / 8), rows[i].near);
    }
}

static void windows_overlap(void **state) {
    (void)state;
    static const struct {
        view seen;
        int64_t bytes;
    } rows[] = {{{16, 2, {100, 5}, {1, 1}}, 10},  {{16, 2, {100, 5}, {4, 1}}, 10},    {{16, 2, {100, 5}, {5, 1}}, 0},
                {{16, 2, {100, 5}, {-4, 1}}, 10}, {{16, 2, {100, 5}, {-5, 1}}, 0},    {{16, 2, {100, 5}, {1, -1}}, 0},
                {{16, 2, {100, 5}, {0, 1}}, 0},   {{8, 3, {9, 9, 4}, {40, 2, 1}}, 4}, {{1, 2, {100, 5}, {1, 1}}, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const clm_normal_form form = form_of(&rows[i].seen);
        if (clm_window_bytes(&form) != rows[i].bytes)
            fail_msg("row %zu: %lld", i, (long long)clm_window_bytes(&form));
    }
}

/* Short vectors have 32 bytes. Past the cache longer runs are put together as lines, if they are repeated a few times only. */
static void runs_are_repeated(void **state) {
    (void)state;
    static const struct {
        int64_t runs, times, bytes;
        bool is_short;
        const char *wanted;
    } rows[] = {{3000, 2, 33, true, "repeat"},     {9000000, 2, 33, true, "transpose_runs"},
                {9000000, 2, 33, false, "repeat"}, {9000000, 7, 33, true, "transpose_runs"},
                {9000000, 8, 33, true, "repeat"},  {9000000, 4, 61, true, "repeat"},
                {9000000, 2, 32, true, "repeat"},  {9000000, 2, 65, true, "repeat"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const view seen = {8, 3, {rows[i].runs, rows[i].times, rows[i].bytes}, {rows[i].bytes, 0, 1}};
        const clm_normal_form form = form_of(&seen);
        clm_traits traits = traits_of(HOST_16);
        clm_launch_plan launch_plan;
        traits.has_short_vectors = rows[i].is_short;
        assert_int_equal(clm_choose(&form, &traits, NULL, 0, &launch_plan, NULL), CLMOVE_OK);
        if (strcmp(launch_plan.variant->name, rows[i].wanted) != 0)
            fail_msg("row %zu: %s", i, launch_plan.variant->name);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_have_variants), cmocka_unit_test(axes_are_turned),   cmocka_unit_test(segments_end_with_lines),
        cmocka_unit_test(windows_overlap),     cmocka_unit_test(sources_have_gaps), cmocka_unit_test(runs_are_repeated),
    };
    return cmocka_run_group_tests_name("views", tests, NULL, NULL);
}
