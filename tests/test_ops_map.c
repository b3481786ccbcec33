/* The rules of maps, of permutations, reshapes and views, without a device: shapes, statuses, sentences, and that a failure
 * leaves the map as it was.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_ops.h"

clmove_error failure, *error = &failure;

clmove_map map_of(int64_t rank, const int64_t *dims) {
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, rank, dims, error), error);
    return map;
}

void assert_dims(const clmove_map *map, int64_t rank, const int64_t *dims) {
    assert_int_equal(clmove_map_rank(map), rank);
    for (int64_t i = 0; i < rank; i++)
        assert_int_equal(clmove_map_dims(map)[i], dims[i]);
}

/* ---- init ---- */

static void init_takes_widths_and_ranks(void **state) {
    (void)state;
    static const uint32_t good[] = {1, 2, 4, 8, 16, 24, 32, 40, 64, 96, 128, 192, 384, 8000};
    static const uint32_t bad[] = {0, 3, 5, 6, 7, 9, 12, 20, 33, 4294967295U};
    clmove_map map = map_of(LIST(2, 3));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ASSERT_OK(clmove_map_init(&map, good[i], LIST(2, 3), error), error);
        assert_int_equal(clmove_map_src_bytes(&map), bytes_of(good[i], 6));
        assert_int_equal(clmove_map_dst_bytes(&map), bytes_of(good[i], 6));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSES(CLMOVE_INVALID_ARGUMENT, "bits", clmove_map_init(&map, bad[i], LIST(2, 3), error));
    int64_t ones[CLMOVE_MAX_RANK + 1];
    for (int i = 0; i <= CLMOVE_MAX_RANK; i++)
        ones[i] = 1;
    ASSERT_OK(clmove_map_init(&map, 8, CLMOVE_MAX_RANK, ones, error), error);
    ASSERT_OK(clmove_map_init(&map, 8, 0, NULL, error), error);
    assert_int_equal(clmove_map_dst_bytes(&map), 1);
    REFUSES(CLMOVE_BAD_SHAPE, "rank 33", clmove_map_init(&map, 8, CLMOVE_MAX_RANK + 1, ones, error));
    REFUSES(CLMOVE_BAD_SHAPE, "rank -1", clmove_map_init(&map, 8, -1, ones, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "dims", clmove_map_init(&map, 8, 2, NULL, error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 1 is -3", clmove_map_init(&map, 8, LIST(2, -3), error));
    assert_int_equal(clmove_map_init(NULL, 8, LIST(1), NULL), CLMOVE_INVALID_ARGUMENT);
    assert_int_equal(clmove_map_src_bytes(NULL), 0);
    assert_int_equal(clmove_map_dst_bytes(NULL), 0);
}

static void init_checks_products(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(1));
    REFUSES(CLMOVE_OVERFLOW, "dimension 2", clmove_map_init(&map, 8, LIST(2097152, 2097152, 2097152), error));
    REFUSES(CLMOVE_OVERFLOW, "dimension 0", clmove_map_init(&map, 16, LIST(INT64_MAX), error));
    REFUSES(CLMOVE_OVERFLOW, "dimension 1", clmove_map_init(&map, 32, LIST(3, INT64_MAX / 8), error));
    ASSERT_OK(clmove_map_init(&map, 8, LIST(INT64_MAX), error), error);
    ASSERT_OK(clmove_map_init(&map, 1, LIST(INT64_MAX), error), error);
    ASSERT_OK(clmove_map_init(&map, 8, LIST(INT64_MAX, INT64_MAX, 0), error), error);
    assert_int_equal(clmove_map_dst_bytes(&map), 0);
}

static void maps_are_values_that_tell_their_shape(void **state) {
    (void)state;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 24, LIST(5, 7), error), error);
    clmove_map copy = map;
    GIVES(clmove_map_tile(&map, LIST(2, 1, 1), OPENVINO, error), 2, 5, 7);
    assert_dims(&copy, LIST(5, 7));
    assert_int_equal(clmove_map_element_bits(&map), 24);
    assert_int_equal(clmove_map_element_bits(NULL), 0);
    assert_int_equal(clmove_map_rank(NULL), 0);
    assert_null(clmove_map_dims(NULL));
}

/* Of which 32 bits would be a right one. */
static void counts_have_64_bits(void **state) {
    (void)state;
    const int64_t many = (1LL << 32) + 2, *numbers = NUMBERS(1, 0);
    clmove_map map = map_of(LIST(2, 3));
    REFUSES(CLMOVE_BAD_SHAPE, "4294967298", clmove_map_init(&map, 32, many, numbers, error));
    REFUSES(CLMOVE_BAD_SHAPE, "4294967298", clmove_map_tile(&map, many, numbers, OPENVINO, error));
    REFUSES(CLMOVE_BAD_SHAPE, "4294967298", clmove_map_tile(&map, many, numbers, ONNX, error));
    REFUSES(CLMOVE_BAD_SHAPE, "4294967298", clmove_map_permute(&map, many, numbers, error));
    REFUSES(CLMOVE_BAD_SHAPE, "4294967297", clmove_map_permute(&map, LIST(1LL << 32 | 1, 0), error));
    REFUSES(CLMOVE_BAD_SHAPE, "4294967298", clmove_map_reshape(&map, many, NUMBERS(3, 2), error));
    REFUSES(CLMOVE_BAD_SHAPE, "4294967298", clmove_map_expand(&map, many, NUMBERS(2, 3), OPENVINO, error));
}

/* ---- permute, reshape, expand ---- */

static void permute_is_checked(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(2, 3, 4));
    GIVES(clmove_map_permute(&map, LIST(2, 0, 1), error), 4, 2, 3);
    REFUSES(CLMOVE_BAD_SHAPE, "length 2", clmove_map_permute(&map, LIST(0, 1), error));
    REFUSES(CLMOVE_BAD_SHAPE, "order 1 is 3", clmove_map_permute(&map, LIST(0, 3, 1), error));
    REFUSES(CLMOVE_BAD_SHAPE, "order 0 is -1", clmove_map_permute(&map, LIST(-1, 0, 1), error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 1 stands twice", clmove_map_permute(&map, LIST(1, 0, 1), error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "order", clmove_map_permute(&map, 3, NULL, error));
    clmove_map scalar = map_of(0, NULL);
    assert_int_equal(clmove_map_permute(&scalar, 0, NULL, NULL), CLMOVE_OK);
    assert_int_equal(clmove_map_permute(NULL, 0, NULL, NULL), CLMOVE_INVALID_ARGUMENT);
}

static void reshape_is_checked(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(6, 35));
    GIVES(clmove_map_reshape(&map, LIST(5, -1, 7), error), 5, 6, 7);
    GIVES(clmove_map_reshape(&map, LIST(-1), error), 210);
    GIVES(clmove_map_reshape(&map, LIST(1, 210, 1, 1), error), 1, 210, 1, 1);
    REFUSES(CLMOVE_BAD_SHAPE, "211", clmove_map_reshape(&map, LIST(211), error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 1", clmove_map_reshape(&map, LIST(4, -1), error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimensions 0 and 2", clmove_map_reshape(&map, LIST(-1, 210, -1), error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 0", clmove_map_reshape(&map, LIST(-2, 105), error));
    REFUSES(CLMOVE_BAD_SHAPE, "elements", clmove_map_reshape(&map, LIST(210, 0), error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 1", clmove_map_reshape(&map, LIST(0, -1), error));
    REFUSES(CLMOVE_BAD_SHAPE, "rank 33", clmove_map_reshape(&map, CLMOVE_MAX_RANK + 1, NUMBERS(1), error));
    REFUSES(CLMOVE_BAD_SHAPE, "rank -1", clmove_map_reshape(&map, -1, NUMBERS(1), error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "dims", clmove_map_reshape(&map, 1, NULL, error));
    REFUSES(CLMOVE_OVERFLOW, "dimension 1", clmove_map_reshape(&map, LIST(1LL << 40, 1LL << 40), error));
    assert_int_equal(clmove_map_reshape(NULL, LIST(1), NULL), CLMOVE_INVALID_ARGUMENT);
}

/* What no single map can express is refused, and what only looks so is not. */
static void reshape_cuts_where_it_can(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(4, 6));
    ASSERT_OK(clmove_map_permute(&map, LIST(1, 0), error), error);
    REFUSES(CLMOVE_UNSUPPORTED, "run the map up to here", clmove_map_reshape(&map, LIST(4, 6), error));
    GIVES(clmove_map_reshape(&map, LIST(3, 2, 2, 2), error), 3, 2, 2, 2);
    GIVES(clmove_map_reshape(&map, LIST(24), error), 24);
    GIVES(clmove_map_reshape(&map, LIST(3, 8), error), 3, 8);

    map = map_of(LIST(3));
    ASSERT_OK(clmove_map_tile(&map, LIST(2), OPENVINO, error), error);
    REFUSES(CLMOVE_UNSUPPORTED, "dimension 1", clmove_map_reshape(&map, LIST(3, 2), error));
    GIVES(clmove_map_reshape(&map, LIST(2, 3), error), 2, 3);

    map = map_of(LIST(1, 1, 3, 4));
    ASSERT_OK(clmove_map_tile(&map, LIST(1, 1, 2, 1), OPENVINO, error), error);
    REFUSES(CLMOVE_UNSUPPORTED, "dimension 2", clmove_map_space_to_depth(&map, 2, BLOCKS, OPENVINO, error));
    GIVES(clmove_map_space_to_depth(&map, 1, BLOCKS, OPENVINO, error), 1, 1, 6, 4);

    map = map_of(LIST(1, 3, 1, 1)); /* depth 3 repeated 4 times: no axis ends at 4 */
    ASSERT_OK(clmove_map_tile(&map, LIST(1, 4, 1, 1), OPENVINO, error), error);
    REFUSES(CLMOVE_UNSUPPORTED, "dimension 1", clmove_map_depth_to_space(&map, 2, DEPTH, OPENVINO, error));
    GIVES(clmove_map_depth_to_space(&map, 2, BLOCKS, OPENVINO, error), 1, 3, 2, 2);

    map = map_of(LIST(6, 35)); /* permuted there and back again */
    ASSERT_OK(clmove_map_permute(&map, LIST(1, 0), error), error);
    ASSERT_OK(clmove_map_permute(&map, LIST(1, 0), error), error);
    GIVES(clmove_map_reshape(&map, LIST(10, 21), error), 10, 21);
}

static void expand_follows_both_rules(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(1, 7, 1));
    GIVES(clmove_map_expand(&map, LIST(2, 3, 7, 5), OPENVINO, error), 2, 3, 7, 5);
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 2 is 7 and cannot be broadcast to 6",
            clmove_map_expand(&map, LIST(2, 3, 6, 5), OPENVINO, error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 2 is 7", clmove_map_expand(&map, LIST(2, 3, 6, 5), ONNX, error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 1 is 3", clmove_map_expand(&map, LIST(2, 1, 7, 5), OPENVINO, error));
    REFUSES(CLMOVE_BAD_SHAPE, "rank 2", clmove_map_expand(&map, LIST(7, 5), OPENVINO, error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 3 is 5", clmove_map_expand(&map, LIST(2, 3, 7, 0), OPENVINO, error));
    GIVES(clmove_map_expand(&map, LIST(7, 5), ONNX, error), 2, 3, 7, 5);
    GIVES(clmove_map_expand(&map, LIST(2, 1, 7, 1), ONNX, error), 2, 3, 7, 5);
    GIVES(clmove_map_expand(&map, 0, NULL, ONNX, error), 2, 3, 7, 5);
    map = map_of(LIST(1, 7));
    GIVES(clmove_map_expand(&map, LIST(0, 7), OPENVINO, error), 0, 7);
    map = map_of(LIST(1, 7));
    REFUSES(CLMOVE_BAD_SHAPE, "-1", clmove_map_expand(&map, LIST(-1, 7), OPENVINO, error));
    REFUSES(CLMOVE_OVERFLOW, "dimension 0", clmove_map_expand(&map, LIST(INT64_MAX / 2, 7), OPENVINO, error));
    REFUSES(CLMOVE_BAD_SHAPE, "rank 33", clmove_map_expand(&map, CLMOVE_MAX_RANK + 1, NUMBERS(1), ONNX, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "dims", clmove_map_expand(&map, 2, NULL, ONNX, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "rules", clmove_map_expand(&map, LIST(2, 7), (clmove_rules)-1, error));
    assert_int_equal(clmove_map_expand(NULL, LIST(1), ONNX, NULL), CLMOVE_INVALID_ARGUMENT);
}

/* ---- views ---- */

static void source_views_come_first(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(5, 7));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "-34", clmove_map_view_src(&map, NUMBERS(-7, -1), 0, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "strides", clmove_map_view_src(&map, NULL, 0, error));
    REFUSES(CLMOVE_OVERFLOW, "source", clmove_map_view_src(&map, NUMBERS(INT64_MAX, 1), 0, error));
    REFUSES(CLMOVE_OVERFLOW, "source", clmove_map_view_src(&map, NUMBERS(1, INT64_MIN), 0, error));
    REFUSES(CLMOVE_OVERFLOW, "source", clmove_map_view_src(&map, NUMBERS(1, 1), INT64_MAX, error));
    ASSERT_OK(clmove_map_view_src(&map, NUMBERS(-7, -1), 34, error), error);
    assert_int_equal(clmove_map_src_bytes(&map), 35 * 4);
    REFUSES(CLMOVE_INVALID_ARGUMENT, "right after", clmove_map_view_src(&map, NUMBERS(-7, -1), 34, error));
    map = map_of(LIST(5, 7));
    ASSERT_OK(clmove_map_tile(&map, LIST(2), OPENVINO, error), error);
    REFUSES(CLMOVE_INVALID_ARGUMENT, "right after", clmove_map_view_src(&map, NUMBERS(14, 1), 0, error));
    /* Operators that leave the elements where they were count too: the strides would be for another rank. */
    map = map_of(LIST(6));
    ASSERT_OK(clmove_map_tile(&map, LIST(1, 1, 1), OPENVINO, error), error);
    REFUSES(CLMOVE_INVALID_ARGUMENT, "right after", clmove_map_view_src(&map, NUMBERS(1, 1, 1), 0, error));
    map = map_of(LIST(2, 3));
    ASSERT_OK(clmove_map_reshape(&map, LIST(3, 2), error), error);
    REFUSES(CLMOVE_INVALID_ARGUMENT, "right after", clmove_map_view_src(&map, NUMBERS(3, 1), 0, error));
    map = map_of(LIST(5, 7));
    ASSERT_OK(clmove_map_view_src(&map, NUMBERS(0, 0), 3, error), error);
    assert_int_equal(clmove_map_src_bytes(&map), 4 * 4);
    assert_int_equal(clmove_map_view_src(NULL, NUMBERS(1), 0, NULL), CLMOVE_INVALID_ARGUMENT);
}

static void destination_views_come_last(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(5, 7));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 0", clmove_map_view_dst(&map, NUMBERS(6, 1), 0, error));
    REFUSES(CLMOVE_BAD_SHAPE, "stride 0", clmove_map_view_dst(&map, NUMBERS(7, 0), 0, error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension", clmove_map_view_dst(&map, NUMBERS(3, 5), 0, error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension", clmove_map_view_dst(&map, NUMBERS(1, 1), 0, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "-28", clmove_map_view_dst(&map, NUMBERS(-7, 1), 0, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "strides", clmove_map_view_dst(&map, NULL, 0, error));
    REFUSES(CLMOVE_OVERFLOW, "destination", clmove_map_view_dst(&map, NUMBERS(INT64_MAX, 1), 0, error));
    ASSERT_OK(clmove_map_view_dst(&map, NUMBERS(-9, 1), 36, error), error);
    assert_int_equal(clmove_map_dst_bytes(&map), 43 * 4);
    REFUSES(CLMOVE_INVALID_ARGUMENT, "view", clmove_map_tile(&map, LIST(2), OPENVINO, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "view", clmove_map_tile_axis(&map, 2, 0, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "view", clmove_map_permute(&map, LIST(1, 0), error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "view", clmove_map_reshape(&map, LIST(35), error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "view", clmove_map_expand(&map, LIST(1, 5, 7), OPENVINO, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "view", clmove_map_view_dst(&map, NUMBERS(-9, 1), 36, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "view", clmove_map_view_src(&map, NUMBERS(7, 1), 0, error));
    map = map_of(LIST(1, 3, 4, 4));
    ASSERT_OK(clmove_map_view_dst(&map, NUMBERS(0, 16, 4, 1), 2, error), error);
    REFUSES(CLMOVE_INVALID_ARGUMENT, "view", clmove_map_space_to_depth(&map, 2, BLOCKS, OPENVINO, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "view", clmove_map_depth_to_space(&map, 1, BLOCKS, OPENVINO, error));
    assert_int_equal(clmove_map_view_dst(NULL, NUMBERS(1), 0, NULL), CLMOVE_INVALID_ARGUMENT);
}

/* Described, never run: sizes that no machine has, composed without overflow. */
static void maps_describe_the_unrunnable(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(1, 1, 1LL << 30, 1LL << 28));
    GIVES(clmove_map_space_to_depth(&map, 1LL << 14, DEPTH, OPENVINO, error), 1, 1LL << 28, 1LL << 16, 1LL << 14);
    assert_int_equal(clmove_map_dst_bytes(&map), 1LL << 60);
    GIVES(clmove_map_tile(&map, LIST(4, 1, 1, 1), OPENVINO, error), 4, 1LL << 28, 1LL << 16, 1LL << 14);
    REFUSES(CLMOVE_OVERFLOW, "dimension 0", clmove_map_tile(&map, LIST(1LL << 62, 1, 1, 1), OPENVINO, error));
    REFUSES(CLMOVE_OVERFLOW, "dimension", clmove_map_tile(&map, LIST(2, 1, 1, 1), OPENVINO, error));
}

int map_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_takes_widths_and_ranks),
        cmocka_unit_test(init_checks_products),
        cmocka_unit_test(maps_are_values_that_tell_their_shape),
        cmocka_unit_test(counts_have_64_bits),
        cmocka_unit_test(permute_is_checked),
        cmocka_unit_test(reshape_is_checked),
        cmocka_unit_test(reshape_cuts_where_it_can),
        cmocka_unit_test(expand_follows_both_rules),
        cmocka_unit_test(source_views_come_first),
        cmocka_unit_test(destination_views_come_last),
        cmocka_unit_test(maps_describe_the_unrunnable),
    };
    return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
