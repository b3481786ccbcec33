/* Which variant serves what, and that the case table and CTest know all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "form_walk.h"
#include "host/native/native.h"
#include "host/plan/launch_plan.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct choice {
    const char *name_of_case, *variant;
} choice;

static const choice choices[] = {
    {"identity of 93 x 144, 4 bytes", "copy"},
    {"identity of rank 0, 3 bytes", "copy"},
    {"tile by all ones", "copy"},
    {"s2d then d2s, 4 bytes", "copy"},
    {"tile a vector by 144", "period"},
    {"tile one element by a megabyte", "repeat"},
    {"tile one element of 48 bytes by many", "period"},
    {"tile a period of 63 bytes", "period"},
    {"tile a period of 3 KiB in one run", "period"},
    {"tile periods of 96 places", "period"},
    {"tile last axis of 1, 4 bytes", "repeat"},
    {"tile rows of 3, 1 byte", "repeat"},
    {"tile 0.2 MB of rows of 3, f32", "repeat"},
    {"tile 0.2 MB of rows of 5, f32", "repeat"},
    {"tile a batch, f32", "rows"},
    {"tile 2d, larger, u8", "repeat"},
    {"tile long rows, u8", "rows"},
    {"concatenation, 0.4 MB", "rows"},
    {"window partition", "transpose_runs"},
    {"matrices of 3 x 3, u8", "shuffle"},
    {"matrices of 5 x 7, f32", "shuffle"},
    {"matrices of 37 x 33, u8", "transpose"},
    {"s2d depth 7 of 28 x 28, f16", "shuffle"},
    {"d2s blocks 7 of 2 x 2, f64", "shuffle"},
    {"s2d blocks 7 of 14 x 14, u8", "two_passes"},
    {"s2d blocks 7 of 28 x 28, u8", "two_passes"},
    {"s2d blocks 7 of 14 x 14, in parts of its channels, u8", "two_passes"},
    {"s2d blocks 2 of 14 x 14, in parts of its channels, f16", "two_passes"},
    {"s2d blocks 2 of 14 x 14, f32", "two_passes"},
    {"patches of 16, RGB of u8", "two_passes"},
    {"patches of 16, RGB of f16", "two_passes"},
    {"d2s depth 10 of rows of 3, u8", "two_passes"},
    {"d2s blocks 14 of 16 x 16, f16", "two_passes"},
    {"pairs to columns from afar, u8", "interleave"},
    {"s2d depth 2, 0.2 MB, u8", "deinterleave"},
    {"s2d blocks 14, u8", "deinterleave"},
    {"s2d blocks 3, larger, f16", "deinterleave"},
    {"s2d depth 8, f32", "deinterleave"},
    {"s2d depth 32, f32", "transpose"},
    {"d2s depth 17, f32", "transpose"},
    {"permute rank 9 of 3, backwards, f32", "transpose"},
    {"pictures turned, RGB of u8", "transpose_runs"},
    {"pictures turned, RGB of f16", "transpose_runs"},
    {"pictures turned, 16 channels of f32", "transpose_runs"},
    {"s2d blocks 16 of 224 x 224, u8", "transpose"},
    {"pictures turned, runs of 320 bytes", "transpose_runs"},
    {"pictures turned, runs of 324 bytes", "rows"},
    {"runs of 99 bytes, columns backwards", "transpose_runs"},
    {"two pictures side by side, RGB of u8", "transpose_runs"},
    {"NHWC to NCHW, u8", "deinterleave"},
    {"d2s depth 2, 0.2 MB, u8", "interleave"},
    {"d2s depth 4, larger, f32", "interleave"},
    {"NCHW to NHWC, u8", "interleave"},
    {"columns flipped", "gather"},
    {"slice to slice", "gather"},
    {"d2s blocks 2, 1 bit", "bits"},
    {"tile 3 bits by many", "bits"},
    {"empty source", "none"},
    {"repeat of 0", "none"},
};

static const test_case *find_case(const char *name) {
    for (size_t i = 0; i < test_case_count; i++)
        if (strcmp(test_cases[i].name, name) == 0)
            return &test_cases[i];
    fail_msg("there is no case \"%s\"", name);
    return NULL;
}

static clmove_plan_info info_of(clmove_device *device, const test_case *it, const char *variant) {
    clmove_plan_params params = {.struct_size = sizeof params, .variant = variant};
    clmove_plan *plan = NULL;
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_map map;
    clmove_error error;
    case_to_map(it, &map);
    clmove_status status = clmove_plan_create(device, &map, &params, &plan, &error);
    if (status == CLMOVE_UNSUPPORTED && variant)
        return info;
    ASSERT_OK(status, &error);
    ASSERT_OK(clmove_plan_get_info(plan, &info, &error), &error);
    clmove_plan_destroy(&plan);
    return info;
}

/* Whether the host looks bytes up in whole lines: others shuffle less, or only if asked to. */
static bool looks_up(void) {
    clm_executor *host;
    assert_int_equal(clm_native_open(0, &host, NULL), CLMOVE_OK);
    const bool does = host->traits.shuffle_window == 64;
    host->calls->close(host);
    return does;
}

static void cases_have_variants(void **state) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (!looks_up() && (strcmp(choices[i].variant, "shuffle") == 0 || strcmp(choices[i].variant, "two_passes") == 0))
            continue;
        clmove_plan_info info = info_of(*state, find_case(choices[i].name_of_case), NULL);
        if (strcmp(info.variant, choices[i].variant) != 0)
            fail_msg("\"%s\" is served by %s, not by %s", choices[i].name_of_case, info.variant, choices[i].variant);
    }
}

/* Every variant is somebody's first choice, more often than once, and can be forced on somebody. */
static void variants_have_cases(void **state) {
    for (const clm_variant *row = clm_variants; row->name; row++) {
        if (row->is_local) /* which the host has not; suite.gpu_like and suite.gpusim have it */
            continue;
        int first = 0, forced = 0;
        for (size_t i = 0; i < test_case_count; i++) {
            first += strcmp(info_of(*state, &test_cases[i], NULL).variant, row->name) == 0;
            const char *got = info_of(*state, &test_cases[i], row->name).variant;
            forced += got && strcmp(got, row->name) == 0;
        }
        printf("variants: %s is chosen for %d cases, fits %d\n", row->name, first, forced);
        assert_true((first >= 5 || (!looks_up() && strcmp(row->name, "shuffle") == 0)) && forced >= 5 && forced >= first);
    }
}

static void case_names_are_unique(void **state) {
    (void)state;
    for (size_t i = 0; i < test_case_count; i++)
        assert_ptr_equal(find_case(test_cases[i].name), &test_cases[i]);
}

/* The launch plan of a map on two cores with so many bytes of cache, and bytes that are looked up at once. */
static void plan_map(const clmove_map *map, uint64_t cache_bytes, int64_t strips, int32_t window, clm_launch_plan *launch_plan) {
    clm_traits traits = {.few_long_runs = true,
                         .takes_rows = true,
                         .part_squares = true,
                         .any_alignment = true,
                         .workers = 2,
                         .max_outer = CLM_MAX_AXES,
                         .max_outer_narrow = CLM_MAX_AXES,
                         .cache_bytes = cache_bytes,
                         .shuffle_window = window};
    clm_tuned tuned;
    clm_tuned_start(&tuned, CLM_CLASS_HOST, 0);
    traits.tuning = tuned.values;
    traits.tuning.strips = strips;
    const clm_normal_form form = normal_form_of(map);
    assert_int_equal(clm_choose(&form, &traits, NULL, 0, launch_plan, NULL), CLMOVE_OK);
}

static void plan_case(const char *name_of_case, uint64_t cache_bytes, int64_t strips, clm_launch_plan *launch_plan) {
    clmove_map map;
    case_to_map(find_case(name_of_case), &map);
    plan_map(&map, cache_bytes, strips, 0, launch_plan);
}

/* Two cores have 2.5 MiB of cache of their own, of which 5/4 are read and written before what is transposed goes past it. What is
 * stored in order stays in the cache that they share. */
static void what_is_transposed_leaves_the_shared_cache_alone(void **state) {
    (void)state;
    static const struct {
        int64_t sides[3], order[3];
        uint64_t cache_mib;
        const char *variant;
        bool stream;
    } rows[] = {{{1, 600, 600}, {0, 2, 1}, 32, "transpose", false},      {{1, 700, 700}, {0, 2, 1}, 32, "transpose", true},
                {{600, 50, 12}, {1, 0, 2}, 32, "transpose_runs", false}, {{600, 70, 12}, {1, 0, 2}, 32, "transpose_runs", true},
                {{700, 2, 350}, {1, 0, 2}, 32, "rows", false},           {{700, 350, 2}, {0, 2, 1}, 32, "deinterleave", false},
                {{1, 500, 500}, {0, 2, 1}, 1, "transpose", true},        {{1, 380, 380}, {0, 2, 1}, 1, "transpose", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_launch_plan launch_plan;
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, 32, 3, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_permute(&map, 3, rows[i].order, NULL), CLMOVE_OK);
        plan_map(&map, rows[i].cache_mib << 20, 1, 0, &launch_plan);
        assert_string_equal(launch_plan.variant->name, rows[i].variant);
        assert_int_equal(launch_plan.stream, rows[i].stream);
    }
}

/* Short rows of an image that one tile has columns of, past the cache: the same columns of the rows below come next. */
static void short_rows_are_in_turn(void **state) {
    (void)state;
    static const struct {
        const char *name_of_case;
        int64_t strips;
        int32_t turn_rank;
    } rows[] = {{"s2d depth 8, rows in turn", 1, 0},
                {"s2d depth 8, rows in turn", 2, 1},
                {"s2d blocks 17, rows in turn", 1, 0},
                {"s2d blocks 17, rows in turn", 2, 1},
                {"s2d blocks 33, long rows", 2, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_launch_plan launch_plan;
        plan_case(rows[i].name_of_case, 1, rows[i].strips, &launch_plan);
        assert_int_equal(launch_plan.turn_rank, rows[i].turn_rank);
        assert_true(launch_plan.stream && (rows[i].turn_rank == 0 || launch_plan.segments > 1));
    }
}

/* Feature maps in blocks: short rows follow each other in the destination, however much of the source they skip; long ones, and
 * such of whole lines, are read on in the source. */
static void short_rows_are_split_one_after_the_other(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int64_t sides[4], block;
        int32_t window;
        bool in_turn;
    } rows[] = {
        {8, {64, 1024, 28, 28}, 2, 64, true},   {16, {32, 384, 28, 28}, 2, 16, true},  {32, {8, 512, 56, 56}, 2, 64, true},
        {32, {4, 64, 224, 224}, 2, 64, false},  {32, {4, 64, 224, 224}, 2, 16, true},  {8, {4, 93, 42, 384}, 3, 16, false},
        {8, {4, 93, 42, 336}, 3, 16, true},     {8, {4, 93, 42, 336}, 3, 64, false},   {8, {8, 212, 42, 168}, 3, 64, true},
        {32, {1, 3, 1024, 1024}, 2, 64, false}, {32, {1, 3, 1024, 1024}, 2, 16, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_launch_plan launch_plan;
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, rows[i].bits, 4, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_space_to_depth(&map, rows[i].block, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_OPENVINO, NULL),
                         CLMOVE_OK);
        plan_map(&map, 1, 1, rows[i].window, &launch_plan);
        assert_string_equal(launch_plan.variant->name, "deinterleave");
        if ((launch_plan.q_dst == launch_plan.n) != rows[i].in_turn)
            fail_msg("row %zu", i);
    }
}

/* Short rows that together are a contiguous part of the source, of images that are read in blocks and past the cache. The next
 * image is asked for, or one that is 16 KiB further on. */
static void rows_of_small_images_are_frames(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int64_t sides[4], block;
        const char *variant;
        int64_t part, ahead;
        int32_t rank;
    } rows[] = {{8, {64, 3, 224, 224}, 8, "deinterleave", 224 * 28, 224 * 224, 1},
                {8, {64, 3, 224, 224}, 16, "transpose", 224 * 14, 224 * 224, 1},
                {32, {16, 3, 224, 224}, 8, "deinterleave", 224 * 28, 224 * 224, 1},
                {8, {4000, 3, 32, 32}, 4, "deinterleave", 32 * 8, 16 * 32 * 32, 1},
                {32, {16, 3, 320, 320}, 8, "deinterleave", 0, 0, 0}, /* of 400 KiB */
                {8, {1, 1, 4000, 4000}, 8, "deinterleave", 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_launch_plan launch_plan;
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, rows[i].bits, 4, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_space_to_depth(&map, rows[i].block, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, NULL),
                         CLMOVE_OK);
        plan_map(&map, 1 << 20, 1, 0, &launch_plan);
        assert_string_equal(launch_plan.variant->name, rows[i].variant);
        assert_true(launch_plan.stream);
        assert_int_equal(launch_plan.frame_part, rows[i].part);
        assert_int_equal(launch_plan.frame_ahead, rows[i].ahead);
        assert_int_equal(launch_plan.frame_rank, rows[i].rank);
    }
    clm_launch_plan launch_plan;
    clmove_map map;
    static const int64_t sides[] = {512, 64, 784}, order[] = {0, 2, 1};
    assert_int_equal(clmove_map_init(&map, 8, 3, sides, NULL), CLMOVE_OK);
    assert_int_equal(clmove_map_permute(&map, 3, order, NULL), CLMOVE_OK);
    plan_map(&map, 1 << 20, 1, 0, &launch_plan);
    assert_string_equal(launch_plan.variant->name, "transpose");
    assert_int_equal(launch_plan.frame_rank, 0);
    assert_int_equal(launch_plan.frame_part * launch_plan.segments, 64 * 784);
    assert_int_equal(launch_plan.frame_ahead, 64 * 784);
    plan_map(&map, 1 << 20, 4, 0, &launch_plan); /* wide strips ask for what is next by themselves */
    assert_string_equal(launch_plan.variant->name, "transpose");
    assert_int_equal(launch_plan.frame_part, 0);
}

/* An axis that continues columns of less than four lines and rows is the columns'; of longer columns, the shorter one's. */
static void short_columns_take_the_axis(void **state) {
    (void)state;
    clm_launch_plan launch_plan;
    plan_case("permute, an axis behind columns and rows", 1, 2, &launch_plan);
    assert_int_equal(launch_plan.n, 37 * 41);
    assert_int_equal(launch_plan.m, 23);
    plan_case("permute, long columns", 1, 2, &launch_plan);
    assert_int_equal(launch_plan.n, 128);
    assert_int_equal(launch_plan.m, 28 * 12);
}

/* Rows of the destination that lie a multiple of 512 bytes apart are few at a time, if tiles are moved in strips past the cache.
 */
static void rows_that_share_channels_are_few(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int64_t sides[3], strips, band;
    } rows[] = {{32, {1, 4096, 4000}, 2, 32},   {32, {1, 4096, 4000}, 1, 1008}, /* in panels */
                {32, {1, 4112, 4000}, 2, 1008},                                 /* of 16448 bytes */
                {32, {1, 4096, 4096}, 2, 64},                                   /* columns share sets of the caches */
                {32, {16, 256, 3136}, 2, 64},                                   /* rows follow each other */
                {16, {1, 4096, 4896}, 2, 32},   {16, {1, 4096, 4096}, 2, 2048}, /* columns share sets */
                {64, {1, 4096, 1232}, 2, 128},  {8, {1, 4096, 9777}, 2, 1968}}; /* squares of bytes need all rows */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const int64_t order[] = {0, 2, 1};
        clm_launch_plan launch_plan;
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, rows[i].bits, 3, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_permute(&map, 3, order, NULL), CLMOVE_OK);
        plan_map(&map, 1 << 20, rows[i].strips, 0, &launch_plan);
        assert_true(launch_plan.stream);
        assert_int_equal(launch_plan.band, rows[i].band);
    }
    static const int64_t sides[] = {200, 200, 200, 3}, order[] = {3, 2, 1, 0}; /* only threes of rows lie so */
    clm_launch_plan launch_plan;
    clmove_map map;
    assert_int_equal(clmove_map_init(&map, 32, 4, sides, NULL), CLMOVE_OK);
    assert_int_equal(clmove_map_permute(&map, 4, order, NULL), CLMOVE_OK);
    plan_map(&map, 1 << 20, 2, 0, &launch_plan);
    assert_in_range(launch_plan.band, 500, 1024);
}

/* Or, if that is asked for, they go by way of rooms, and all at once. */
static void rows_that_share_channels_go_in_rooms(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int64_t sides[2], strips, band;
        bool in_rooms;
    } rows[] = {{32, {4096, 4000}, 3, 1008, true},  {32, {4096, 4000}, 2, 32, false},
                {32, {4112, 4000}, 3, 1008, false}, /* of 16448 bytes */
                {16, {4096, 4896}, 3, 1632, true},  {64, {4096, 1232}, 3, 416, true},
                {8, {4096, 9777}, 3, 1968, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const int64_t order[] = {1, 0};
        clm_launch_plan launch_plan;
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, rows[i].bits, 2, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_permute(&map, 2, order, NULL), CLMOVE_OK);
        plan_map(&map, 1 << 20, rows[i].strips, 0, &launch_plan);
        assert_int_equal(launch_plan.in_rooms, rows[i].in_rooms);
        assert_int_equal(launch_plan.band, rows[i].band);
    }
}

/* Wide strips have all rows, whether they share channels or not, and whether they begin at lines. Groups of 8
 * of f64 are parted where strips are wide, and squares in others. */
static void wide_strips_have_all_rows(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int64_t sides[2], band;
    } rows[] = {{32, {4096, 4000}, 1008},
                {32, {4112, 4000}, 1008},
                {32, {4111, 4000}, 1008},
                {8, {4160, 9777}, 1968},
                {8, {4161, 9777}, 1968}};
    static const int64_t order[] = {1, 0};
    clm_launch_plan launch_plan;
    clmove_map map;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(clmove_map_init(&map, rows[i].bits, 2, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_permute(&map, 2, order, NULL), CLMOVE_OK);
        plan_map(&map, 1 << 20, 4, 0, &launch_plan);
        assert_true(launch_plan.in_strips);
        assert_true(launch_plan.in_wide_strips);
        assert_false(launch_plan.in_rooms);
        assert_int_equal(launch_plan.band, rows[i].band);
    }
    static const int64_t groups[] = {40000, 8};
    static const char *const variants[] = {"deinterleave", "transpose"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(clmove_map_init(&map, 64, 2, groups, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_permute(&map, 2, order, NULL), CLMOVE_OK);
        plan_map(&map, 1 << 20, 4 - i, 0, &launch_plan);
        assert_string_equal(launch_plan.variant->name, variants[i]);
    }
}

/* Short columns from afar are transposed, whatever the rows; those that lie near are not. */
static void short_columns_from_afar_are_transposed(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int64_t sides[4];
        const char *variant;
        int64_t n, m;
    } rows[] = {{16, {6, 4, 1024, 2}, "transpose", 24, 2048},
                {32, {4, 33, 1025, 4}, "transpose", 132, 4100},
                {8, {6, 3, 1024, 5}, "transpose", 6 * 3 * 1024, 5},
                {8, {2, 3, 8, 5}, "interleave", 5, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const int64_t order[] = {3, 2, 1, 0};
        clm_launch_plan launch_plan;
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, rows[i].bits, 4, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_permute(&map, 4, order, NULL), CLMOVE_OK);
        plan_map(&map, 32 << 20, 2, 0, &launch_plan);
        assert_string_equal(launch_plan.variant->name, rows[i].variant);
        assert_int_equal(launch_plan.n, rows[i].n);
        assert_int_equal(launch_plan.m, rows[i].m);
    }
}

/* The list for which CTest registers forced suites. */
static void ctest_knows_them(void **state) {
    (void)state;
    char names[256] = "";
    for (const clm_variant *row = clm_variants; row->name; row++) {
        strncat(names, names[0] ? " " : "", sizeof names - strlen(names) - 1);
        strncat(names, row->name, sizeof names - strlen(names) - 1);
    }
    assert_string_equal(names, CLMOVE_VARIANTS);
}

static int open_host(void **state) {
    setenv("CLMOVE_THREADS", "2", 1); /* which choose two_passes where each has two blocks */
    return (*state = open_device("host")) ? 0 : -1;
}

static int close_host(void **state) {
    clmove_device *device = *state;
    clmove_device_close(&device);
    return 0;
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_have_variants),
        cmocka_unit_test(variants_have_cases),
        cmocka_unit_test(case_names_are_unique),
        cmocka_unit_test(short_rows_are_in_turn),
        cmocka_unit_test(short_rows_are_split_one_after_the_other),
        cmocka_unit_test(rows_of_small_images_are_frames),
        cmocka_unit_test(short_columns_take_the_axis),
        cmocka_unit_test(rows_that_share_channels_are_few),
        cmocka_unit_test(rows_that_share_channels_go_in_rooms),
        cmocka_unit_test(wide_strips_have_all_rows),
        cmocka_unit_test(short_columns_from_afar_are_transposed),
        cmocka_unit_test(ctest_knows_them),
        cmocka_unit_test(what_is_transposed_leaves_the_shared_cache_alone),
    };
    return cmocka_run_group_tests_name("variants", tests, open_host, close_host);
}
