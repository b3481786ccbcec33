/* How launch plans are cut and ordered: tiles, strips, frames, and rows that follow each other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/launch_plan.h"
#include "support.h"
#include "two_cores.h"

#include <string.h>

/* The launch plan of a map on two cores with so many bytes of cache, and bytes that are looked up at once. */
static void plan_map(const clmove_map *map, uint64_t cache_bytes, int64_t strips, int32_t window, clm_launch_plan *launch_plan) {
    clm_traits traits = traits_of_two_cores(cache_bytes, window);
    traits.part_squares = true;
    traits.tuning.strips = strips;
    *launch_plan = launch_plan_of(map, &traits, NULL);
}

static void plan_case(const char *name_of_case, uint64_t cache_bytes, int64_t strips, clm_launch_plan *launch_plan) {
    clmove_map map;
    case_to_map(case_find(name_of_case), &map);
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
    } rows[] = {{"s2d blocks 8, rows in turn", 1, 1}, /* deinterleave */
                {"s2d blocks 8, rows in turn", 2, 1},
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

/* Rows that are split are in turn if those between them in the source are more than a frame. A segment is what a work-item does,
 * or more where jobs were larger. */
static void split_rows_are_in_turn(void **state) {
    (void)state;
    static const struct {
        int64_t images, channels, side, block;
        int32_t turn_rank;
        int64_t segment;
    } rows[] = {
        {1, 16, 1248, 8, 1, 78}, {1, 3, 2892, 12, 1, 22}, {64, 3, 224, 8, 0, 84}, {1, 1, 640, 8, 1, 80}, {1, 16, 1248, 2, 0, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t shape[] = {rows[i].images, rows[i].channels, rows[i].side, rows[i].side};
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, 8, 4, shape, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_space_to_depth(&map, rows[i].block, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_OPENVINO, NULL),
                         CLMOVE_OK);
        clm_launch_plan launch_plan;
        plan_map(&map, 1, 1, 0, &launch_plan);
        assert_string_equal(launch_plan.variant->name, "deinterleave");
        if (launch_plan.turn_rank != rows[i].turn_rank || launch_plan.segment != rows[i].segment)
            fail_msg("row %zu: %d in turn, %lld at once", i, launch_plan.turn_rank, (long long)launch_plan.segment);
    }
}

/* Nor are rows that are read again and again; and a segment has a row at least, however little a work-item does. */
static void split_rows_are_not_cut_to_nothing(void **state) {
    (void)state;
    static const struct {
        int64_t dims[5], strides[5];
        int32_t turn_rank;
    } rows[] = {{{1, 8, 5, 50, 200}, {1, 1, 1600, 0, 8}, 0}, {{8, 8, 2, 300, 40}, {320, 1, 768000, 2560, 8}, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_traits traits = traits_of_two_cores(1, 0);
        clmove_map map;
        traits.tuning.items_per_worker = 1 << 30;
        traits.tuning.item_min_bytes = 1;
        assert_int_equal(clmove_map_init(&map, 8, 5, rows[i].dims, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_view_src(&map, rows[i].strides, 0, NULL), CLMOVE_OK);
        const clm_launch_plan launch_plan = launch_plan_of(&map, &traits, "deinterleave");
        if (!launch_plan.stream || launch_plan.turn_rank != rows[i].turn_rank || launch_plan.segment < 1)
            fail_msg("row %zu: %d in turn, %lld at once", i, launch_plan.turn_rank, (long long)launch_plan.segment);
    }
}

/* Rows of more than 1 KiB that follow each other and end within lines are not cut, if a tile has at most a fourth of a worker's
 * share; rows of more columns than a tile has are. */
static void whole_rows_are_not_cut(void **state) {
    (void)state;
    static const struct {
        const char *name_of_case;
        int64_t columns;
    } rows[] = {{"s2d depth 8, whole rows", 243},
                {"s2d depth 17, whole rows", 261},
                {"matrices of 300 x 130, f32, whole rows", 300},
                {"nine matrices of 130 x 600, whole rows", 130},
                {"s2d blocks 8, rows in turn", 81}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_launch_plan launch_plan;
        plan_case(rows[i].name_of_case, 1, 2, &launch_plan);
        assert_true(launch_plan.stream);
        if (launch_plan.segment != rows[i].columns)
            fail_msg("%s: tiles of %lld columns", rows[i].name_of_case, (long long)launch_plan.segment);
    }
}

/* Rows that are read on in the source keep a divisor of their number, but not where a line is read again soon. */
static void short_rows_are_read_on(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        int64_t sides[4], q;
    } rows[] = {{32, {96, 3, 22, 16}, 48},
                {32, {298, 2, 12, 17}, 149},
                {8, {67, 3, 60, 33}, 67},
                {32, {96, 3, 5, 16}, 96},
                {32, {298, 2, 3, 17}, 298}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t order[] = {2, 1, 0, 3};
        const clm_traits traits = traits_of_two_cores(1, 64);
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, rows[i].bits, 4, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_permute(&map, 4, order, NULL), CLMOVE_OK);
        const clm_launch_plan launch_plan = launch_plan_of(&map, &traits, "rows");
        if (launch_plan.q != rows[i].q)
            fail_msg("row %zu: %lld rows in turn", i, (long long)launch_plan.q);
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

/* Parts of planes of pixels begin with lines, so that they go past the cache line by line. */
static void parts_of_planes_begin_with_lines(void **state) {
    (void)state;
    int cut = 0;
    for (uint32_t bits = 8; bits <= 128; bits *= 2)
        for (int64_t channels = 2; channels <= 16; channels++) {
            static const int64_t order[] = {0, 2, 1};
            const int64_t sides[] = {2, 1080 * 1920, channels};
            clm_launch_plan launch_plan;
            clmove_map map;
            assert_int_equal(clmove_map_init(&map, bits, 3, sides, NULL), CLMOVE_OK);
            assert_int_equal(clmove_map_permute(&map, 3, order, NULL), CLMOVE_OK);
            plan_map(&map, 1, 1, 64, &launch_plan);
            if (strcmp(launch_plan.variant->name, "deinterleave") != 0)
                continue;
            assert_int_equal(launch_plan.q, 1);
            assert_true(launch_plan.segments > 1);
            assert_int_equal(launch_plan.segment * bits / 8 % 64, 0);
            cut++;
        }
    assert_true(cut >= 5 * 9); /* of 75: large groups of large units are transposed */
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
                {32, {4099, 4000}, 3, 1008, true},  /* nearly a multiple of 512 bytes */
                {32, {4083, 4000}, 3, 1008, false}, {64, {1025, 4928}, 3, 496, true},
                {16, {4073, 4896}, 3, 1632, true},  {16, {4071, 4896}, 3, 1632, false},
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

/* A long block is made once, and stored wherever it repeats: the axes along which it does are innermost. A short one is stored in
 * order, as its first and last lines are others' as well. */
static void blocks_that_repeat_are_made_once(void **state) {
    (void)state;
    static const struct {
        int64_t sides[4], repeats[4], q, outer;
    } rows[] = {{{700, 13, 5, 10}, {5, 5, 5, 2}, 5, 700}, {{700, 13, 5, 2}, {5, 1, 2, 5}, 9100, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clm_launch_plan launch_plan;
        clmove_map map;
        assert_int_equal(clmove_map_init(&map, 8, 4, rows[i].sides, NULL), CLMOVE_OK);
        assert_int_equal(clmove_map_tile(&map, 4, rows[i].repeats, CLMOVE_RULES_OPENVINO, NULL), CLMOVE_OK);
        plan_map(&map, 32 << 20, 0, 0, &launch_plan);
        assert_string_equal(launch_plan.variant->name, "period");
        assert_int_equal(launch_plan.q, rows[i].q);
        assert_int_equal(launch_plan.outer[0].extent, rows[i].outer);
        assert_int_equal(launch_plan.q_src == 0, rows[i].q == 5);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_planes_begin_with_lines),
        cmocka_unit_test(what_is_transposed_leaves_the_shared_cache_alone),
        cmocka_unit_test(short_rows_are_in_turn),
        cmocka_unit_test(split_rows_are_in_turn),
        cmocka_unit_test(split_rows_are_not_cut_to_nothing),
        cmocka_unit_test(whole_rows_are_not_cut),
        cmocka_unit_test(short_rows_are_read_on),
        cmocka_unit_test(short_rows_are_split_one_after_the_other),
        cmocka_unit_test(rows_of_small_images_are_frames),
        cmocka_unit_test(short_columns_take_the_axis),
        cmocka_unit_test(rows_that_share_channels_are_few),
        cmocka_unit_test(rows_that_share_channels_go_in_rooms),
        cmocka_unit_test(wide_strips_have_all_rows),
        cmocka_unit_test(blocks_that_repeat_are_made_once),
        cmocka_unit_test(short_columns_from_afar_are_transposed),
    };
    return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
