/* The operators' rules, without a device: shapes, statuses, sentences, and that a failure leaves the map as it was.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "support.h"

#include <string.h>

#define OPENVINO CLMOVE_RULES_OPENVINO
#define ONNX CLMOVE_RULES_ONNX
#define BLOCKS CLMOVE_BLOCKS_FIRST
#define DEPTH CLMOVE_DEPTH_FIRST

/* A list of numbers as a count and an array. */
#define LIST(...)                                                                                                                \
    (int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) {                                     \
        __VA_ARGS__                                                                                                              \
    }
#define NUMBERS(...) ((const int64_t[]){__VA_ARGS__})

/* Where the call under test puts its error. */
static clmove_error failure, *error = &failure;

static clmove_map map_of(int64_t rank, const int64_t *dims) {
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, rank, dims, error), error);
    return map;
}

static void assert_dims(const clmove_map *map, int64_t rank, const int64_t *dims) {
    assert_int_equal(clmove_map_rank(map), rank);
    for (int64_t i = 0; i < rank; i++)
        assert_int_equal(clmove_map_dims(map)[i], dims[i]);
}

/* call transforms `map`: it must succeed and give these dims. */
#define GIVES(call, ...)                                                                                                         \
    do {                                                                                                                         \
        ASSERT_OK(call, error);                                                                                                  \
        assert_dims(&map, LIST(__VA_ARGS__));                                                                                    \
    } while (0)

/* call transforms `map`: it must fail with this status, mention the piece and change nothing. It must fail alike without an error
 * to fill. */
#define REFUSES(wanted, piece, call)                                                                                             \
    do {                                                                                                                         \
        clmove_map before = map;                                                                                                 \
        ASSERT_FAILS(wanted, call, error);                                                                                       \
        assert_mentions(error->text, piece);                                                                                     \
        assert_int_equal(error->device_code, 0);                                                                                 \
        assert_memory_equal(&map, &before, sizeof map);                                                                          \
        error = NULL;                                                                                                            \
        assert_int_equal(call, wanted);                                                                                          \
        error = &failure;                                                                                                        \
    } while (0)

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

/* ---- Tile ---- */

/* The examples of the OpenVINO specification, and of its own shape inference. */
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
    REFUSES(CLMOVE_BAD_SHAPE, "dimension 1 is 7, not a multiple of divisor 4",
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

/* ---- permute, reshape, expand ---- */

static void permute_is_checked(void **state) {
    (void)state;
    clmove_map map = map_of(LIST(2, 3, 4));
    GIVES(clmove_map_permute(&map, LIST(2, 0, 1), error), 4, 2, 3);
    REFUSES(CLMOVE_BAD_SHAPE, "2 entries", clmove_map_permute(&map, LIST(0, 1), error));
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

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_takes_widths_and_ranks),
        cmocka_unit_test(init_checks_products),
        cmocka_unit_test(maps_are_values_that_tell_their_shape),
        cmocka_unit_test(counts_have_64_bits),
        cmocka_unit_test(tile_promotes_as_openvino),
        cmocka_unit_test(tile_is_strict_as_onnx),
        cmocka_unit_test(tile_refuses),
        cmocka_unit_test(tile_axis_counts_from_both_ends),
        cmocka_unit_test(blocks_have_shapes),
        cmocka_unit_test(blocks_are_checked),
        cmocka_unit_test(blocks_overflow_by_name),
        cmocka_unit_test(blocks_of_onnx_are_rank_4),
        cmocka_unit_test(blocks_reach_the_largest_rank),
        cmocka_unit_test(permute_is_checked),
        cmocka_unit_test(reshape_is_checked),
        cmocka_unit_test(reshape_cuts_where_it_can),
        cmocka_unit_test(expand_follows_both_rules),
        cmocka_unit_test(source_views_come_first),
        cmocka_unit_test(destination_views_come_last),
        cmocka_unit_test(maps_describe_the_unrunnable),
    };
    return cmocka_run_group_tests_name("ops", tests, NULL, NULL);
}
