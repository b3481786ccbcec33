/* What the parts of test_ops share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_OPS_H
#define CLMOVE_TESTS_OPS_H

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
extern clmove_error failure, *error;

/* A map of 32-bit elements. */
clmove_map map_of(int64_t rank, const int64_t *dims);

void assert_dims(const clmove_map *map, int64_t rank, const int64_t *dims);

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

/* The rules of maps themselves. Returns how many of its tests failed. */
int map_tests(void);

#endif
