/* The host executor at one level of instructions: test_levels LEVEL [EVERY]. Every case, or each EVERY-th, by every variant that
 * fits, with ordinary stores and with those past the cache, at odd addresses between forbidden pages; then what only levels have:
 * blocks and patterns of every size about their boundaries. part_of_cases (support.h) says from outside which. Skipped where this
 * processor does not have the level.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "expect.h"
#include "form_walk.h"
#include "host/native/level.h"
#include "host/native/native.h"
#include "host/plan/launch_plan.h"
#include "support.h"
#include "view_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "CLMOVE_HOST_ISA"

static const char *level_name;
static clm_executor *host;
static test_part taken;
static size_t met;

/* ---- one launch plan ---- */

/* A thread that has no memory for its scratch takes the stack, or moves unit by unit what would need too much of it. */
static void run_without_scratch(const clm_launch_plan *launch_plan, const void *src, void *dst) {
    const clm_level *level;
    clm_tables tables;
    assert_int_equal(clm_choose_level(&level, NULL), CLMOVE_OK);
    assert_int_equal(clm_tables_create(launch_plan, &host->traits, level->vector, level->window, &tables, NULL), CLMOVE_OK);
    for (int64_t item = 0; item < launch_plan->items; item++)
        level->run_item(launch_plan, &tables, item, src, dst, NULL);
    clm_tables_destroy(&tables);
}

static void check_plan(const test_case *it, const clm_launch_plan *launch_plan, expectation *expected, bool at_end) {
    cornered src = cornered_create(expected->src_bytes, at_end, 1), dst = cornered_create(expected->dst_bytes, at_end, 2);
    uint8_t *wanted = malloc(expected->dst_bytes + 1);
    char what[96];
    assert_non_null(wanted);
    if (!expected->dense)
        expect_compute(it, src.data, expected);
    memcpy(wanted, dst.data, dst.bytes);
    expect_store(it, expected, wanted);
    cornered_protect(&src);
    clm_kernel *kernel;
    assert_int_equal(host->calls->kernel_create(host, launch_plan, &kernel, NULL), CLMOVE_OK);
    host->calls->run(kernel, NULL, src.data, dst.data);
    host->calls->kernel_destroy(kernel);
    snprintf(what, sizeof what, "%s%s%s", launch_plan->variant->name, launch_plan->stream ? ", past the cache" : "",
             launch_plan->in_rooms         ? ", in rooms"
             : launch_plan->in_wide_strips ? ", in wide strips"
             : launch_plan->in_strips      ? ", in strips"
                                           : "");
    check_bytes(dst.data, wanted, dst.bytes, what);
    if (launch_plan->variant->makes_passes) {
        memset(dst.data, 0x5a, dst.bytes);
        memset(wanted, 0x5a, dst.bytes);
        expect_store(it, expected, wanted);
        run_without_scratch(launch_plan, src.data, dst.data);
        check_bytes(dst.data, wanted, dst.bytes, "two_passes without scratch memory");
    }
    cornered_destroy(&src);
    cornered_destroy(&dst);
    free(wanted);
}

static void check_case(const test_case *it) {
    expectation expected;
    clmove_map map;
    clm_normal_form form;
    if (met++ % taken.every != taken.first)
        return;
    expect_shapes(it, &expected);
    case_to_map(it, &map);
    form = normal_form_of(&map);
    /* In the cache, and past it: tiles in panels, in strips, by way of rooms, and in wide strips. */
    for (int strips = 0; strips < 5 && expected.elements > 0; strips++) {
        const bool stream = strips > 0;
        clm_traits traits = host->traits;
        clm_tuned tuned;
        clm_launch_plan launch_plan;
        clm_tuned_start(&tuned, CLM_CLASS_HOST, 0);
        traits.tuning = tuned.values;
        traits.tuning.strips = strips;
        host->traits.tuning = traits.tuning;   /* of the passes of two_passes */
        traits.cache_bytes = (uint64_t)stream; /* of one byte, or unknown */
        for (const clm_variant *variant = clm_variants; variant->name; variant++)
            if (clm_choose(&form, &traits, variant->name, 0, &launch_plan, NULL) == CLMOVE_OK)
                check_plan(it, &launch_plan, &expected, stream);
    }
    expect_destroy(&expected);
}

static void every_case_moves(void **state) {
    (void)state;
    for (size_t i = 0; i < test_case_count; i++)
        check_case(&test_cases[i]);
}

static void every_view_moves(void **state) {
    (void)state;
    size_t count;
    const test_case *cases = view_cases(&count);
    for (size_t i = 0; i < count; i++)
        check_case(&cases[i]);
}

/* ---- blocks and patterns ---- */

static const uint32_t widths[] = {8, 16, 32, 64, 128, 24, 96};

static void every_block_is_parted_and_woven(void **state) {
    (void)state;
    for (int64_t block = 2; block <= 18; block++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int64_t across = 1; across <= 131; across = across < 4 ? across + 1 : across * 2 - 1) {
                const bool deep = (block + across) % 2;
                const test_case part = {.name = "part",
                                        .element_bits = widths[w],
                                        .dims = {4, {1, 2, 3 * block, across * block}},
                                        .steps = {{.op = CASE_SPACE_TO_DEPTH,
                                                   .mode = deep ? CLMOVE_DEPTH_FIRST : CLMOVE_BLOCKS_FIRST,
                                                   .args = {1, {block}}}}};
                const test_case weave = {.name = "weave",
                                         .element_bits = widths[w],
                                         .dims = {4, {1, block * block, 3, across}},
                                         .steps = {{.op = CASE_DEPTH_TO_SPACE,
                                                    .mode = deep ? CLMOVE_DEPTH_FIRST : CLMOVE_BLOCKS_FIRST,
                                                    .args = {1, {block}}}}};
                check_case(&part);
                check_case(&weave);
            }
}

static void every_pattern_is_repeated(void **state) {
    (void)state;
    static const int64_t times[] = {2, 3, 5, 8, 31, 90, 1100};
    for (int64_t pattern = 1; pattern <= 70; pattern++)
        for (size_t t = 0; t < sizeof times / sizeof *times; t++) {
            const test_case repeated = {.name = "repeat",
                                        .element_bits = 8,
                                        .dims = {2, {37, pattern}},
                                        .steps = {{.op = CASE_TILE, .args = {2, {1, times[t]}}}}};
            check_case(&repeated);
        }
}

/* ---- choosing ---- */

static void levels_are_chosen_by_name(void **state) {
    (void)state;
    clm_executor *other;
    clmove_error error = {0};
    assert_string_equal(clm_native_level(host), level_name);
    setenv(VARIABLE, "mmx", 1);
    assert_int_equal(clm_native_open(0, &other, &error), CLMOVE_INVALID_ARGUMENT);
    assert_mentions(error.text, VARIABLE " is \"mmx\"");
    assert_mentions(error.text, "baseline");
    setenv(VARIABLE, "", 1);
    assert_int_equal(clm_native_open(0, &other, &error), CLMOVE_OK);
    other->calls->close(other);
    setenv(VARIABLE, level_name, 1);
}

int main(int count, char **arguments) {
    clmove_error error = {0};
    const size_t every = count == 3 ? (size_t)strtoull(arguments[2], NULL, 10) : 1;
    if (count < 2 || count > 3 || every == 0) {
        fprintf(stderr, "usage: test_levels LEVEL [EVERY]\n");
        return 2;
    }
    taken = part_of_cases(every);
    level_name = arguments[1];
    setenv(VARIABLE, level_name, 1);
    if (clm_native_open(3, &host, &error) != CLMOVE_OK) {
        printf("test_levels: skipped: %s\n", error.text);
        return strcmp(level_name, "baseline") == 0 ? EXIT_FAILURE : EXIT_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_chosen_by_name), cmocka_unit_test(every_case_moves),
        cmocka_unit_test(every_view_moves),          cmocka_unit_test(every_block_is_parted_and_woven),
        cmocka_unit_test(every_pattern_is_repeated),
    };
    int failed = cmocka_run_group_tests_name(level_name, tests, NULL, NULL);
    host->calls->close(host);
    return failed;
}
