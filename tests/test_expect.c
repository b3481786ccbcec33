/* The checkers checked: the oracle on results written by hand, the noise, the fences, the packing of bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "expect.h"
#include "support.h"
#include "tests/oracle/chain.h"
#include "tests/oracle/oracle.h"

#include <string.h>

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static const uint8_t counted[24] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};

static void tile_by_hand(void **state) {
    (void)state;
    static const uint8_t expected[] = {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3};
    uint8_t got[sizeof expected] = {0};
    assert_true(oracle_tile(8, 2, DIMS(2, 2), 2, DIMS(2, 3), counted, got));
    assert_memory_equal(got, expected, sizeof expected);
    memset(got, 0, sizeof got);
    assert_true(oracle_tile(8, 1, DIMS(2), 2, DIMS(3, 2), counted, got));
    assert_memory_equal(got, ((const uint8_t[]){0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}), 13);
    memset(got, 9, sizeof got);
    assert_true(oracle_tile(8, 2, DIMS(2, 2), 1, DIMS(-1), counted, got));
    assert_int_equal(got[0], 9);
    assert_true(oracle_expand(8, 2, DIMS(2, 1), 3, DIMS(2, 1, 2), counted, got));
    assert_memory_equal(got, ((const uint8_t[]){0, 0, 1, 1, 0, 0, 1, 1, 9}), 9);
}

/* [1, 2, 2, 4] with block 2: the specification's formulas, by hand. */
static void blocks_by_hand(void **state) {
    (void)state;
    static const uint8_t blocks_first[] = {0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15};
    static const uint8_t depth_first[] = {0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15};
    uint8_t got[16], back[16];
    assert_true(oracle_space_to_depth(8, 4, DIMS(1, 2, 2, 4), 2, CLMOVE_BLOCKS_FIRST, counted, got));
    assert_memory_equal(got, blocks_first, sizeof got);
    assert_true(oracle_depth_to_space(8, 4, DIMS(1, 8, 1, 2), 2, CLMOVE_BLOCKS_FIRST, got, back));
    assert_memory_equal(back, counted, sizeof back);
    assert_true(oracle_space_to_depth(8, 4, DIMS(1, 2, 2, 4), 2, CLMOVE_DEPTH_FIRST, counted, got));
    assert_memory_equal(got, depth_first, sizeof got);
    assert_true(oracle_depth_to_space(8, 4, DIMS(1, 8, 1, 2), 2, CLMOVE_DEPTH_FIRST, got, back));
    assert_memory_equal(back, counted, sizeof back);
}

static void permute_by_hand(void **state) {
    (void)state;
    uint8_t got[24];
    assert_true(oracle_permute(8, 3, DIMS(2, 3, 4), (const int32_t[]){2, 0, 1}, counted, got));
    assert_memory_equal(got, ((const uint8_t[]){0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21}), 12);
    assert_true(oracle_permute(32, 2, DIMS(2, 3), (const int32_t[]){1, 0}, counted, got));
    assert_memory_equal(got, ((const uint8_t[]){0, 1, 2, 3, 12, 13, 14, 15, 4, 5, 6, 7}), 12);
}

/* [2, 6] as [2, 3, 2], its last dimension first, as [2, 6] again, each row twice, and empty: what NumPy's reshape, transpose and
 * tile give. */
static void chain_by_hand(void **state) {
    (void)state;
    static const oracle_step steps[] = {
        {.what = ORACLE_RESHAPE, .count = 3, .values = {2, -1, 2}}, {.what = ORACLE_PERMUTE, .count = 3, .values = {2, 0, 1}},
        {.what = ORACLE_RESHAPE, .count = 2, .values = {2, 6}},     {.what = ORACLE_TILE, .count = 1, .values = {2}},
        {.what = ORACLE_TILE_AXIS, .count = 2, .values = {0, -2}},
    };
    static const uint8_t halves[] = {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11};
    const oracle_shape shape = {2, {2, 6}};
    oracle_shape after = shape;
    uint8_t got[24];
    memset(got, 99, sizeof got);
    assert_true(oracle_chain(8, &shape, 3, steps, counted, got));
    assert_memory_equal(got, halves, sizeof halves);
    assert_int_equal(got[sizeof halves], 99);
    assert_true(oracle_chain(8, &shape, 4, steps, counted, got));
    assert_memory_equal(got, halves, 6);
    assert_memory_equal(got + 6, halves, 6);
    assert_memory_equal(got + 12, halves + 6, 6);
    assert_memory_equal(got + 18, halves + 6, 6);
    for (int i = 0; i < 4; i++)
        after = oracle_shape_after(&after, &steps[i]);
    assert_int_equal(after.rank, 2);
    assert_int_equal(after.dims[0], 2);
    assert_int_equal(after.dims[1], 12);
    after = oracle_shape_after(&after, &steps[4]);
    assert_int_equal(oracle_elements(&after), 0);
    memset(got, 99, sizeof got);
    assert_true(oracle_chain(8, &shape, 0, NULL, counted, got));
    assert_memory_equal(got, counted, 12);
    assert_int_equal(got[12], 99);
}

/* Into depth as one mode has it and back as the other does; and bits after the last element, which keep their value. */
static void chain_of_blocks_by_hand(void **state) {
    (void)state;
    static const oracle_step steps[] = {
        {.what = ORACLE_SPACE_TO_DEPTH, .mode = CLMOVE_DEPTH_FIRST, .count = 1, .values = {2}},
        {.what = ORACLE_DEPTH_TO_SPACE, .mode = CLMOVE_BLOCKS_FIRST, .count = 1, .values = {2}},
        {.what = ORACLE_EXPAND, .count = 3, .values = {2, 2, 3}},
    };
    const oracle_shape square = {4, {1, 2, 2, 2}}, row = {3, {1, 2, 3}};
    const oracle_shape deep = oracle_shape_after(&square, &steps[0]), back = oracle_shape_after(&deep, &steps[1]);
    uint8_t got[4] = {0, 0xff};
    assert_memory_equal(deep.dims, DIMS(1, 8, 1, 1), 4 * sizeof(int64_t));
    assert_memory_equal(back.dims, square.dims, 4 * sizeof(int64_t));
    assert_true(oracle_chain(1, &row, 1, &steps[2], (const uint8_t[]){0xb4}, got)); /* 101101, twice */
    assert_int_equal(got[0], 0xb6);
    assert_int_equal(got[1], 0xdf);
    assert_true(oracle_chain(4, &square, 2, steps, (const uint8_t[]){0x10, 0x32, 0x54, 0x76}, got));
    assert_memory_equal(got, ((const uint8_t[]){0x20, 0x64, 0x31, 0x75}), 4);
}

/* 1 bit is packed most significant first, 2 and 4 bits least significant first; other bits keep their value. */
static void bits_by_hand(void **state) {
    (void)state;
    uint8_t got[2] = {0xff, 0xff};
    assert_true(oracle_tile(1, 1, DIMS(3), 1, DIMS(3), (const uint8_t[]){0x40}, got)); /* 010 010 010 */
    assert_int_equal(got[0], 0x49);
    assert_int_equal(got[1], 0x7f);
    got[0] = got[1] = 0;
    assert_true(oracle_permute(4, 2, DIMS(1, 3), (const int32_t[]){1, 0}, (const uint8_t[]){0x21, 0x43}, got));
    assert_int_equal(got[0], 0x21);
    assert_int_equal(got[1], 0x03);
    assert_true(oracle_permute(2, 2, DIMS(2, 2), (const int32_t[]){1, 0}, (const uint8_t[]){0xe4}, got)); /* 0 1 2 3 -> 0 2 1 3 */
    assert_int_equal(got[0], 0xd8);
    copy_element(2, (const uint8_t[]){0xe4}, 3, got, 0);
    assert_int_equal(got[0], 0xdb);
    copy_element(1, (const uint8_t[]){0x80}, 0, got, 2);
    assert_int_equal(got[0], 0xfb);
}

static void views_by_hand(void **state) {
    (void)state;
    static const test_case it = {.element_bits = 8,
                                 .dims = {2, {2, 3}},
                                 .src = {true, 5, {-3, -1}},
                                 .steps = {{.op = CASE_PERMUTE, .args = {2, {1, 0}}}},
                                 .dst = {true, 1, {4, 2}}};
    expectation expected;
    uint8_t got[14];
    memset(got, 99, sizeof got);
    expect_compute(&it, counted, &expected);
    assert_int_equal(expected.src_bytes, 6);
    assert_int_equal(expected.dst_bytes, 12);
    assert_memory_equal(expected.dense, ((const uint8_t[]){5, 2, 4, 1, 3, 0}), 6);
    expect_store(&it, &expected, got);
    assert_memory_equal(got, ((const uint8_t[]){99, 5, 99, 2, 99, 4, 99, 1, 99, 3, 99, 0, 99, 99}), sizeof got);
    expect_destroy(&expected);
}

/* No 64 bytes of noise look like another 64 bytes of it, of the same seed or of others. */
static void noise_has_no_repetition(void **state) {
    (void)state;
    static uint8_t noise[3][4096];
    for (uint32_t seed = 0; seed < 3; seed++)
        fill_noise(noise[seed], sizeof noise[seed], seed);
    for (size_t seed = 0; seed < 3; seed++)
        for (size_t i = 0; i < 4096; i += 64)
            for (size_t k = 0; k + 64 <= 4096; k++)
                if ((seed != 0 || k != i) && memcmp(&noise[0][i], &noise[seed][k], 64) == 0)
                    fail_msg("byte %zu of seed 0 repeats at byte %zu of seed %zu", i, k, seed);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_by_hand),  cmocka_unit_test(blocks_by_hand),          cmocka_unit_test(permute_by_hand),
        cmocka_unit_test(chain_by_hand), cmocka_unit_test(chain_of_blocks_by_hand), cmocka_unit_test(bits_by_hand),
        cmocka_unit_test(views_by_hand), cmocka_unit_test(noise_has_no_repetition),
    };
    return cmocka_run_group_tests_name("checkers", tests, NULL, NULL);
}
