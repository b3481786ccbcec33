/* Many small matrices that are transposed: which are looked up, in which windows, and of which rows are split or copied.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/launch_plan.h"
#include "support.h"
#include "two_cores.h"

#include <string.h>

/* A cache of 1 MiB, or one that all fits in. */
static clm_traits traits_of(int32_t window, bool streams) {
    clm_traits traits = traits_of_two_cores(streams ? 1 << 20 : INT64_C(1) << 40, window);
    traits.tuning.strips = 1;
    return traits;
}

/* Matrices that are transposed, and what they take: streamed with windows of 64 bytes and of 16, and in the cache. */
typedef struct matrix {
    uint32_t bits;
    /* Of the source. */
    int64_t rows, columns;
    const char *wanted[3];
} matrix;

static void expect_variants(const matrix *cases, size_t count, int64_t bytes, bool has_passes) {
    for (const matrix *it = cases; it < cases + count; it++)
        for (int way = 0; way < 3; way++) {
            const int64_t order[] = {0, 2, 1}, sides[] = {bytes / (it->rows * it->columns * it->bits / 8), it->rows, it->columns};
            clm_traits traits = traits_of(way == 1 ? 16 : 64, way < 2);
            clmove_map map;
            traits.has_passes = has_passes;
            assert_int_equal(clmove_map_init(&map, it->bits, 3, sides, NULL), CLMOVE_OK);
            assert_int_equal(clmove_map_permute(&map, 3, order, NULL), CLMOVE_OK);
            const clm_launch_plan launch_plan = launch_plan_of(&map, &traits, NULL);
            if (strcmp(launch_plan.variant->name, it->wanted[way]) != 0)
                fail_msg("matrices of %lld x %lld, %u bits, way %d: %s, not %s", (long long)it->rows, (long long)it->columns,
                         it->bits, way, launch_plan.variant->name, it->wanted[way]);
        }
}

/* Rows that end within lines are looked up, unless they are long, or a line takes many steps. */
static void matrices_have_variants(void **state) {
    (void)state;
    static const matrix cases[] = {{8, 101, 2, {"shuffle", "shuffle", "deinterleave"}},
                                   {8, 201, 5, {"shuffle", "shuffle", "deinterleave"}},
                                   {8, 256, 5, {"deinterleave", "deinterleave", "deinterleave"}},
                                   {16, 51, 8, {"shuffle", "shuffle", "deinterleave"}},
                                   {16, 501, 5, {"shuffle", "deinterleave", "deinterleave"}},
                                   {8, 1401, 5, {"deinterleave", "deinterleave", "deinterleave"}},
                                   {32, 25, 5, {"shuffle", "shuffle", "deinterleave"}},
                                   {32, 251, 8, {"deinterleave", "deinterleave", "deinterleave"}},
                                   {32, 751, 2, {"shuffle", "deinterleave", "shuffle"}},
                                   {64, 49, 3, {"shuffle", "shuffle", "deinterleave"}},
                                   {64, 175, 3, {"shuffle", "shuffle", "deinterleave"}},
                                   {64, 32, 3, {"deinterleave", "deinterleave", "deinterleave"}},
                                   {8, 4090, 2, {"shuffle", "deinterleave", "shuffle"}}};
    expect_variants(cases, sizeof cases / sizeof *cases, INT64_C(40) << 20, false);
}

/* Large groups of small units, split among short rows that end within lines, are moved in two passes by who has them. */
static void large_groups_take_two_passes(void **state) {
    (void)state;
    static const matrix cases[] = {{8, 150, 13, {"two_passes", "two_passes", "deinterleave"}},
                                   {16, 98, 13, {"two_passes", "two_passes", "deinterleave"}},
                                   {8, 49, 13, {"two_passes", "two_passes", "deinterleave"}},
                                   {8, 33, 10, {"shuffle", "two_passes", "shuffle"}},
                                   {16, 300, 13, {"deinterleave", "deinterleave", "deinterleave"}},
                                   {32, 75, 13, {"shuffle", "shuffle", "deinterleave"}},
                                   {8, 128, 13, {"deinterleave", "deinterleave", "deinterleave"}}};
    expect_variants(cases, sizeof cases / sizeof *cases, INT64_C(20) << 20, true);
}

/* Rows that follow each other in the destination are as good as longer ones. Rows of 40 bytes of wide units are read unit by
 * unit. */
static void rows_that_follow_are_one_run(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int64_t sides[4], block;
        const char *variant;
        bool streams;
    } cases[] = {{64, {4000, 8, 50, 50}, 2, "deinterleave", true},   {64, {4000, 8, 10, 50}, 2, "shuffle", true},
                 {64, {4000, 8, 35, 35}, 7, "gather", true},         {64, {400, 300, 35, 35}, 7, "gather", true},
                 {64, {100, 30, 140, 140}, 7, "deinterleave", true}, {64, {40, 3, 35, 35}, 7, "gather", false},
                 {64, {10, 3, 40, 70}, 2, "deinterleave", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clm_traits traits = traits_of(64, cases[i].streams);
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, cases[i].bits, 4, cases[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_space_to_depth(&map, cases[i].block, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, NULL),
                         CLMOVE_OK);
        const clm_launch_plan launch_plan = launch_plan_of(&map, &traits, NULL);
        assert_string_equal(launch_plan.variant->name, cases[i].variant);
    }
}

/* Runs of a line and more, on the host of half a line, are copied one by one while what they are read from stays in the cache, or
 * where tiles would read lines of few sets of it; shorter ones of small matrices are looked up in whole lines. */
static void runs_have_variants(void **state) {
    (void)state;
    static const struct {
        /* Of the source: bytes of a run, runs of a row, and rows. */
        int64_t run, columns, rows;
        const char *streamed_64, *streamed_16, *cached_64, *on_host;
    } cases[] = {{40, 2, 24, "shuffle", "transpose_runs", "transpose_runs", "shuffle"},
                 {56, 9, 5, "shuffle", "transpose_runs", "shuffle", "shuffle"},
                 {64, 9, 5, "shuffle", "rows", "shuffle", "shuffle"},
                 {31, 33, 64, "transpose_runs", "transpose_runs", "transpose_runs", "transpose_runs"},
                 {33, 33, 64, "transpose_runs", "transpose_runs", "transpose_runs", "rows"},
                 {56, 16, 49, "transpose_runs", "transpose_runs", "transpose_runs", "rows"},
                 {100, 16, 49, "rows", "rows", "transpose_runs", "rows"},
                 {96, 64, 63, "rows", "rows", "rows", "rows"},
                 {104, 63, 64, "transpose_runs", "transpose_runs", "transpose_runs", "transpose_runs"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int way = 0; way < 4; way++) {
            const int64_t order[] = {0, 2, 1, 3}, each = cases[i].run * cases[i].columns * cases[i].rows;
            const bool streams = way != 2;
            const int64_t sides[] = {(INT64_C(1) << (streams ? 25 : 20)) / each, cases[i].rows, cases[i].columns, cases[i].run};
            const char *const wanted[] = {cases[i].streamed_64, cases[i].streamed_16, cases[i].cached_64, cases[i].on_host};
            clm_traits traits = traits_of(way == 1 ? 16 : 64, streams);
            clmove_map map;
            traits.has_images = way == 3;
            assert_int_equal(clmove_map_init(&map, 8, 4, sides, NULL), CLMOVE_OK);
            assert_int_equal(clmove_map_permute(&map, 4, order, NULL), CLMOVE_OK);
            const clm_launch_plan launch_plan = launch_plan_of(&map, &traits, NULL);
            if (strcmp(launch_plan.variant->name, wanted[way]) != 0)
                fail_msg("%lld x %lld runs of %lld bytes, way %d: %s, not %s", (long long)cases[i].rows,
                         (long long)cases[i].columns, (long long)cases[i].run, way, launch_plan.variant->name, wanted[way]);
        }
}

/* Small blocks go on where few of them follow each other, so that enough are made by one table: images of 18 and of 36 units for
 * each channel. */
static void small_blocks_go_on(void **state) {
    (void)state;
    static const struct {
        int64_t sides[4], block, units;
    } cases[] = {{{72817, 4, 3, 6}, 2, 72}, {{18204, 72, 2, 2}, 3, 36}, {{20000, 4, 1, 2}, 2, 4}, {{200, 4, 30, 30}, 2, 3600}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clm_traits traits = traits_of(64, true);
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, 16, 4, cases[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_depth_to_space(&map, cases[i].block, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, NULL),
                         CLMOVE_OK);
        const clm_launch_plan launch_plan = launch_plan_of(&map, &traits, "shuffle");
        if (launch_plan.n != cases[i].units)
            fail_msg("case %zu: blocks of %lld units", i, (long long)launch_plan.n);
    }
}

/* Work-items look bytes up in whole lines, or in pieces where a line would take more steps than a table has room for, or where
 * each piece comes from another place. */
static void windows_are_found(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int32_t rank;
        int64_t sides[6], order[6], window;
    } cases[] = {{8, 3, {20000, 33, 5}, {0, 2, 1}, 64},
                 {16, 6, {1600, 4, 4, 8, 5, 5}, {0, 3, 4, 1, 5, 2}, 64},
                 {16, 6, {1600, 4, 4, 8, 6, 5}, {0, 3, 4, 1, 5, 2}, 16},
                 {64, 3, {9000, 7, 9}, {0, 2, 1}, 16},
                 {128, 3, {4000, 7, 9}, {0, 2, 1}, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int way = 0; way < 3; way++) {
            clm_traits traits = traits_of(way == 1 ? 16 : 64, true);
            clmove_map map;
            traits.items_make_tables = way < 2;
            assert_int_equal(clmove_map_init(&map, cases[i].bits, cases[i].rank, cases[i].sides, NULL), CLMOVE_OK);
            assert_int_equal(clmove_map_permute(&map, cases[i].rank, cases[i].order, NULL), CLMOVE_OK);
            const clm_launch_plan launch_plan = launch_plan_of(&map, &traits, "shuffle");
            if (launch_plan.window != (way == 0 ? cases[i].window : way == 1 ? 16 : 0))
                fail_msg("case %zu, way %d: windows of %lld bytes", i, way, (long long)launch_plan.window);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_have_variants),       cmocka_unit_test(large_groups_take_two_passes),
        cmocka_unit_test(rows_that_follow_are_one_run), cmocka_unit_test(runs_have_variants),
        cmocka_unit_test(small_blocks_go_on),           cmocka_unit_test(windows_are_found)};
    return cmocka_run_group_tests_name("matrices", tests, NULL, NULL);
}
