/* Which groups of units are parted, and which are transposed in squares.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/launch_plan.h"
#include "support.h"
#include "two_cores.h"

#include <string.h>

/* The launch plan of rows of groups, whose units become rows, on two cores. sides: images, planes, groups of a row, units. */
static void plan_groups(uint32_t bits, const int64_t *sides, clm_traits traits, int64_t strips, clmove_map *map,
                        clm_launch_plan *launch_plan) {
    static const int64_t order[] = {1, 3, 0, 2};
    assert_int_equal(clmove_map_init(map, bits, 4, sides, NULL), CLMOVE_OK);
    assert_int_equal(clmove_map_permute(map, 4, order, NULL), CLMOVE_OK);
    traits.tuning.strips = strips;
    *launch_plan = launch_plan_of(map, &traits, NULL);
}

/* Long rows of groups in the source are parted where vectors are short and strips are not wide; where rows follow each other,
 * much longer ones. Groups of 16 of 4 bytes never are. Without strips little is square. What is explained is what was chosen. */
static void short_vectors_part_more(void **state) {
    (void)state;
    static const char parted[] = "deinterleave", squares[] = "transpose";
    static const struct {
        uint32_t bits;
        /* Rows of groups, of which each second one is another image's. */
        int64_t sides[4];
        const char *with_16, *with_64, *in_wide_strips;
    } rows[] = {{8, {40, 2, 181, 16}, parted, squares, parted},   {8, {40, 2, 150, 16}, squares, squares, parted},
                {16, {40, 2, 81, 16}, parted, squares, parted},   {64, {40, 2, 21, 8}, parted, squares, parted},
                {64, {40, 2, 25, 14}, parted, parted, squares},   {64, {40, 2, 25, 15}, squares, parted, squares},
                {32, {40, 2, 400, 16}, squares, squares, parted}, {128, {40, 2, 11, 6}, parted, parted, parted},
                {8, {1, 1, 4200, 16}, parted, squares, parted},   {8, {1, 1, 4000, 16}, squares, squares, parted},
                {64, {1, 1, 8200, 9}, parted, squares, parted},   {64, {1, 1, 8100, 9}, squares, squares, parted},
                {8, {40, 2, 40, 16}, squares, squares, parted},   {8, {40, 2, 39, 16}, squares, squares, squares},
                {32, {40, 2, 32, 16}, squares, squares, parted},  {32, {40, 2, 31, 16}, squares, squares, squares}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_launch_plan launch_plan;
        clmove_map map;
        clm_traits with_16 = traits_of_two_cores(1 << 20, 16), with_64 = traits_of_two_cores(1 << 20, 64);
        with_16.part_squares = with_64.part_squares = true;
        plan_groups(rows[i].bits, rows[i].sides, with_16, 3, &map, &launch_plan);
        assert_string_equal(launch_plan.variant->name, rows[i].with_16);
        char text[8192];
        const clm_normal_form form = normal_form_of(&map);
        clm_map held;
        clm_map_load(&map, &held);
        clm_explain(&held, &form, &launch_plan, "host", false, text, sizeof text);
        if (strstr(text, "wrong bytes"))
            fail_msg("%s", text);
        plan_groups(rows[i].bits, rows[i].sides, with_64, 3, &map, &launch_plan);
        assert_string_equal(launch_plan.variant->name, rows[i].with_64);
        plan_groups(rows[i].bits, rows[i].sides, with_16, 4, &map, &launch_plan);
        assert_string_equal(launch_plan.variant->name, rows[i].in_wide_strips);
        /* 16 units of 1 or 2 bytes are squares, and no others */
        plan_groups(rows[i].bits, rows[i].sides, with_16, 1, &map, &launch_plan);
        assert_string_equal(launch_plan.variant->name, rows[i].bits < 32 ? squares : parted);
    }
}

/* Wide units are parted past the cache and well within it, where vectors have a line and strips are not wide: of some groups also
 * in short rows, but nowhere in short rows that follow each other. They are not where they nearly fill the cache, nor where
 * vectors have less. */
static void wide_units_are_parted(void **state) {
    (void)state;
    static const char parted[] = "deinterleave", squares[] = "transpose";
    static const struct {
        uint32_t bits;
        int64_t sides[4];
        /* On the host and elsewhere, past the cache and within it. */
        const char *expected[2][2];
    } rows[] = {{64, {400, 2, 40, 8}, {{parted, parted}, {parted, parted}}},
                {64, {400, 2, 20, 8}, {{parted, squares}, {squares, parted}}},
                {64, {400, 2, 20, 9}, {{parted, parted}, {squares, parted}}},
                {64, {400, 2, 40, 15}, {{parted, parted}, {parted, parted}}},
                {64, {400, 2, 20, 15}, {{squares, parted}, {squares, parted}}},
                {64, {400, 2, 40, 16}, {{squares, squares}, {squares, squares}}},
                {64, {1, 1, 9000, 12}, {{parted, parted}, {parted, parted}}},
                {64, {1, 200, 50, 12}, {{squares, squares}, {squares, squares}}},
                {128, {900, 2, 10, 4}, {{parted, parted}, {squares, squares}}},
                {128, {900, 2, 10, 5}, {{parted, parted}, {parted, parted}}},
                {128, {400, 2, 20, 12}, {{parted, parted}, {parted, parted}}},
                {128, {400, 2, 20, 13}, {{squares, squares}, {squares, squares}}},
                {32, {400, 2, 40, 16}, {{squares, squares}, {squares, squares}}},
                {8, {400, 2, 96, 16}, {{parted, squares}, {squares, squares}}},
                {8, {400, 2, 95, 16}, {{squares, squares}, {squares, squares}}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t bytes =
            (uint64_t)(2 * rows[i].sides[0] * rows[i].sides[1] * rows[i].sides[2] * rows[i].sides[3]) * (rows[i].bits / 8);
        for (int place = 0; place < 2; place++) {
            const clm_traits traits[] = {traits_of_two_cores(bytes / 2, 64), traits_of_two_cores(4 * bytes, 64),
                                         traits_of_two_cores(bytes, 64), traits_of_two_cores(bytes / 2, 0)};
            for (int k = 0; k < 4; k++) {
                clm_launch_plan launch_plan;
                clmove_map map;
                clm_traits own = traits[k];
                own.part_squares = place == 0;
                plan_groups(rows[i].bits, rows[i].sides, own, 3, &map, &launch_plan);
                const char *expected = k < 2 ? rows[i].expected[place][k] : squares;
                if (strcmp(launch_plan.variant->name, expected) != 0)
                    fail_msg("row %zu, place %d, traits %d: %s instead of %s", i, place, k, launch_plan.variant->name, expected);
            }
        }
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_vectors_part_more),
        cmocka_unit_test(wide_units_are_parted),
    };
    return cmocka_run_group_tests_name("parted", tests, NULL, NULL);
}
