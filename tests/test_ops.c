/* The rules of Tile, SpaceToDepth and DepthToSpace, without a device: shapes, statuses, sentences, and that a failure leaves the
 * map as it was.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_ops.h"

/* ---- Tile ---- */

/* The examples of the OpenVINO specification, and of its own shape inference. */
static void tile_promotes_as_openvino(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(2, 3, 4));
    GIVES(clmove_map_tile(&map, LIST(1, 2, 3), OPENVINO, error), 2, 6, 12);
    map = map_of(LIST(2, 3, 4));
    GIVES(clmove_map_tile(&map, LIST(5, 1, 2, 3), OPENVINO, error), 5, 2, 6, 12);
    map = map_of(LIST(5, 2, 3, 4));
    GIVES(clmove_map_tile(&map, LIST(1, 2, 3), OPENVINO, error), 5, 2, 6, 12);
    map = map_of(LIST(2, 3));
    GIVES(clmove_map_tile(&map, LIST(2, 2, 2), OPENVINO, error), 2, 4, 6);
    map = map_of(LIST(4, 2, 3));
    GIVES(clmove_map_tile(&map, LIST(2, 2), OPENVINO, error), 4, 4, 6);
    map = map_of(LIST(4, 2, 3));
    GIVES(clmove_map_tile(&map, 0, NULL, OPENVINO, error), 4, 2, 3);
    map = map_of(0, NULL);
    GIVES(clmove_map_tile(&map, LIST(7), OPENVINO, error), 7);
    map = map_of(LIST(3, 7, 4, 2, 4));
    GIVES(clmove_map_tile(&map, LIST(-1, -2, 1, -1, -1), OPENVINO, error), 0, 0, 4, 0, 0);
    map = map_of(LIST(1, 2));
    GIVES(clmove_map_tile(&map, LIST(0, 0), OPENVINO, error), 0, 0);
    map = map_of(LIST(3, 4));
    GIVES(clmove_map_tile(&map, LIST(INT64_MIN, 1), OPENVINO, error), 0, 4);
}

static void tile_is_strict_as_onnx(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(2, 2));
    GIVES(clmove_map_tile(&map, LIST(2, 2), ONNX, error), 4, 4);
    map = map_of(LIST(2, 3));
    GIVES(clmove_map_tile(&map, LIST(0, 2), ONNX, error), 0, 6);
    map = map_of(LIST(2, 3, 4));
    REFUSES(CLMOVE_BAD_SHAPE, "2 repeats", clmove_map_tile(&map, LIST(2, 2), ONNX, error));
    REFUSES(CLMOVE_BAD_SHAPE, "4 repeats", clmove_map_tile(&map, LIST(2, 2, 2, 2), ONNX, error));
    REFUSES(CLMOVE_BAD_SHAPE, "rank 3", clmove_map_tile(&map, 0, NULL, ONNX, error));
    REFUSES(CLMOVE_BAD_SHAPE, "repeat 1 is -1", clmove_map_tile(&map, LIST(1, -1, 2), ONNX, error));
    map = map_of(0, NULL);
    ASSERT_OK(clmove_map_tile(&map, 0, NULL, ONNX, error), error);
    assert_int_equal(clmove_map_rank(&map), 0);
}

static void tile_refuses(void **state) {
    (void)state;
    int64_t many[CLMOVE_MAX_RANK + 1];
    for (int i = 0; i <= CLMOVE_MAX_RANK; i++)
        many[i] = 1;
    clmove_map map = map_of(LIST(2, 3));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "repeats", clmove_map_tile(&map, 2, NULL, OPENVINO, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "-1", clmove_map_tile(&map, -1, many, OPENVINO, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "rules", clmove_map_tile(&map, LIST(1, 1), (clmove_rules)7, error));
    REFUSES(CLMOVE_BAD_SHAPE, "33", clmove_map_tile(&map, CLMOVE_MAX_RANK + 1, many, OPENVINO, error));
    REFUSES(CLMOVE_OVERFLOW, "dimension 1", clmove_map_tile(&map, LIST(1, INT64_MAX / 2), OPENVINO, error));
    REFUSES(CLMOVE_OVERFLOW, "dimension 1", clmove_map_tile(&map, LIST(1 << 30, 1LL << 32), OPENVINO, error));
    GIVES(clmove_map_tile(&map, CLMOVE_MAX_RANK - 2, many, OPENVINO, error), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
          1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3);
    assert_int_equal(clmove_map_tile(NULL, LIST(1), OPENVINO, NULL), CLMOVE_INVALID_ARGUMENT);
}

static void tile_axis_counts_from_both_ends(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(2, 3, 4));
    GIVES(clmove_map_tile_axis(&map, 5, 1, error), 2, 15, 4);
    GIVES(clmove_map_tile_axis(&map, 2, -1, error), 2, 15, 8);
    GIVES(clmove_map_tile_axis(&map, 3, -3, error), 6, 15, 8);
    REFUSES(CLMOVE_BAD_SHAPE, "axis 3", clmove_map_tile_axis(&map, 2, 3, error));
    REFUSES(CLMOVE_BAD_SHAPE, "axis -4", clmove_map_tile_axis(&map, 2, -4, error));
    REFUSES(CLMOVE_BAD_SHAPE, "axis", clmove_map_tile_axis(&map, 2, INT64_MIN, error));
    REFUSES(CLMOVE_BAD_SHAPE, "tiles is -2", clmove_map_tile_axis(&map, -2, 0, error));
    REFUSES(CLMOVE_OVERFLOW, "dimension 1", clmove_map_tile_axis(&map, INT64_MAX, 1, error));
    GIVES(clmove_map_tile_axis(&map, 0, 0, error), 0, 15, 8);
    map = map_of(0, NULL);
    REFUSES(CLMOVE_BAD_SHAPE, "axis 0", clmove_map_tile_axis(&map, 2, 0, error));
    assert_int_equal(clmove_map_tile_axis(NULL, 1, 0, NULL), CLMOVE_INVALID_ARGUMENT);
}

/* ---- SpaceToDepth, DepthToSpace ---- */

static void blocks_have_shapes(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(5, 7, 4, 6)); /* the example of the specification */
    GIVES(clmove_map_space_to_depth(&map, 2, BLOCKS, OPENVINO, error), 5, 28, 2, 3);
    GIVES(clmove_map_depth_to_space(&map, 2, BLOCKS, OPENVINO, error), 5, 7, 4, 6);
    map = map_of(LIST(1, 12, 4, 1080, 1616));
    GIVES(clmove_map_space_to_depth(&map, 2, DEPTH, OPENVINO, error), 1, 96, 2, 540, 808);
    map = map_of(LIST(1, 16, 3, 1080, 1616));
    GIVES(clmove_map_depth_to_space(&map, 2, DEPTH, OPENVINO, error), 1, 2, 6, 2160, 3232);
    map = map_of(LIST(3, 2, 9));
    GIVES(clmove_map_space_to_depth(&map, 9, DEPTH, OPENVINO, error), 3, 18, 1);
    map = map_of(LIST(3, 2, 9, 7));
    GIVES(clmove_map_space_to_depth(&map, 1, DEPTH, OPENVINO, error), 3, 2, 9, 7);
    GIVES(clmove_map_depth_to_space(&map, 1, BLOCKS, OPENVINO, error), 3, 2, 9, 7);
    map = map_of(LIST(0, 2, 4, 6));
    GIVES(clmove_map_space_to_depth(&map, 2, DEPTH, OPENVINO, error), 0, 8, 2, 3);
    map = map_of(LIST(1, 0, 0, 0));
    GIVES(clmove_map_space_to_depth(&map, INT64_MAX, BLOCKS, OPENVINO, error), 1, 0, 0, 0);
}

static void blocks_are_checked(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(1, 3, 8, 7));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 3 is 7, not a multiple of block size 4",
            clmove_map_space_to_depth(&map, 4, DEPTH, OPENVINO, error));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 2 is 8, not a multiple of block size 7",
            clmove_map_space_to_depth(&map, 7, BLOCKS, OPENVINO, error));
    REFUSES(CLMOVE_BAD_SHAPE, "block size is 0", clmove_map_space_to_depth(&map, 0, BLOCKS, OPENVINO, error));
    REFUSES(CLMOVE_BAD_SHAPE, "block size is -2", clmove_map_depth_to_space(&map, -2, BLOCKS, OPENVINO, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "mode", clmove_map_space_to_depth(&map, 1, (clmove_mode)9, OPENVINO, error));
    REFUSES(CLMOVE_INVALID_ARGUMENT, "rules", clmove_map_depth_to_space(&map, 1, BLOCKS, (clmove_rules)9, error));
    map = map_of(LIST(1, 7, 4, 4));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 1 is 7, not a multiple of 4 (block size 2^2)",
            clmove_map_depth_to_space(&map, 2, DEPTH, OPENVINO, error));
    map = map_of(LIST(1, 8));
    REFUSES(CLMOVE_BAD_SHAPE, "rank 2", clmove_map_space_to_depth(&map, 2, DEPTH, OPENVINO, error));
    REFUSES(CLMOVE_BAD_SHAPE, "rank 2", clmove_map_depth_to_space(&map, 2, DEPTH, OPENVINO, error));
    assert_int_equal(clmove_map_space_to_depth(NULL, 1, BLOCKS, OPENVINO, NULL), CLMOVE_INVALID_ARGUMENT);
    assert_int_equal(clmove_map_depth_to_space(NULL, 1, BLOCKS, OPENVINO, NULL), CLMOVE_INVALID_ARGUMENT);
}

static void blocks_overflow_by_name(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(0, 2, 0, 0, 0, 0));
    REFUSES(CLMOVE_OVERFLOW, "dimension 1", clmove_map_space_to_depth(&map, 1LL << 20, BLOCKS, OPENVINO, error));
    map = map_of(LIST(0, 16, INT64_MAX / 2, 1));
    REFUSES(CLMOVE_OVERFLOW, "dimension 2", clmove_map_depth_to_space(&map, 4, BLOCKS, OPENVINO, error));
    map = map_of(LIST(1, 16, 3, 3));
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 1 is 16", clmove_map_depth_to_space(&map, 1LL << 40, BLOCKS, OPENVINO, error));
}

static void blocks_of_onnx_are_rank_4(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(1, 2, 4, 6));
    REFUSES(CLMOVE_BAD_SHAPE, "blocks_first", clmove_map_space_to_depth(&map, 2, DEPTH, ONNX, error));
    GIVES(clmove_map_space_to_depth(&map, 2, BLOCKS, ONNX, error), 1, 8, 2, 3);
    GIVES(clmove_map_depth_to_space(&map, 2, DEPTH, ONNX, error), 1, 2, 4, 6);
    map = map_of(LIST(1, 8, 2));
    REFUSES(CLMOVE_BAD_SHAPE, "rank 3", clmove_map_space_to_depth(&map, 2, BLOCKS, ONNX, error));
    map = map_of(LIST(1, 8, 2, 2, 2));
    REFUSES(CLMOVE_BAD_SHAPE, "rank 5", clmove_map_space_to_depth(&map, 2, BLOCKS, ONNX, error));
    REFUSES(CLMOVE_BAD_SHAPE, "rank 5", clmove_map_depth_to_space(&map, 2, BLOCKS, ONNX, error));
}

static void blocks_reach_the_largest_rank(void **state) {
    (void)state;
    int64_t dims[CLMOVE_MAX_RANK];
    for (int i = 0; i < CLMOVE_MAX_RANK; i++)
        dims[i] = 2;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 8, CLMOVE_MAX_RANK, dims, error), error);
    ASSERT_OK(clmove_map_space_to_depth(&map, 2, BLOCKS, OPENVINO, error), error);
    assert_int_equal(clmove_map_dims(&map)[1], 1LL << 31);
    ASSERT_OK(clmove_map_depth_to_space(&map, 2, BLOCKS, OPENVINO, error), error);
    assert_dims(&map, CLMOVE_MAX_RANK, dims);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_promotes_as_openvino),
        cmocka_unit_test(tile_is_strict_as_onnx),
        cmocka_unit_test(tile_refuses),
        cmocka_unit_test(tile_axis_counts_from_both_ends),
        cmocka_unit_test(blocks_have_shapes),
        cmocka_unit_test(blocks_are_checked),
        cmocka_unit_test(blocks_overflow_by_name),
        cmocka_unit_test(blocks_of_onnx_are_rank_4),
        cmocka_unit_test(blocks_reach_the_largest_rank),
    };
    return cmocka_run_group_tests_name("ops", tests, NULL, NULL) + map_tests();
}
