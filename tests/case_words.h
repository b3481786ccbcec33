/* Words to write a test_case (cases.h) with: {"two by three", 32, DIMS(4, 5), STEPS(TILE(2, 3), PERMUTE(1, 0))}
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_CASE_WORDS_H
#define CLMOVE_TESTS_CASE_WORDS_H

#include "cases.h"

/* clang-format off */
#define LIST(...) {(int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), {__VA_ARGS__}}
#define NO_LIST   {0, {0}}

#define DIMS(...)            .dims = LIST(__VA_ARGS__)
#define NO_DIMS              .dims = NO_LIST
#define STEPS(...)           .steps = {__VA_ARGS__}
#define SRC_VIEW(first, ...) .src = {true, first, {__VA_ARGS__}}
#define DST_VIEW(first, ...) .dst = {true, first, {__VA_ARGS__}}

#define TILE(...)         {.op = CASE_TILE, .args = LIST(__VA_ARGS__)}
#define TILE_BY_NOTHING   {.op = CASE_TILE, .args = NO_LIST}
#define TILE_AXIS(...)    {.op = CASE_TILE_AXIS, .args = LIST(__VA_ARGS__)}
#define S2D_BLOCKS(block) {.op = CASE_SPACE_TO_DEPTH, .mode = CLMOVE_BLOCKS_FIRST, .args = LIST(block)}
#define S2D_DEPTH(block)  {.op = CASE_SPACE_TO_DEPTH, .mode = CLMOVE_DEPTH_FIRST, .args = LIST(block)}
#define D2S_BLOCKS(block) {.op = CASE_DEPTH_TO_SPACE, .mode = CLMOVE_BLOCKS_FIRST, .args = LIST(block)}
#define D2S_DEPTH(block)  {.op = CASE_DEPTH_TO_SPACE, .mode = CLMOVE_DEPTH_FIRST, .args = LIST(block)}
#define PERMUTE(...)      {.op = CASE_PERMUTE, .args = LIST(__VA_ARGS__)}
#define RESHAPE(...)      {.op = CASE_RESHAPE, .args = LIST(__VA_ARGS__)}
#define RESHAPE_TO_SCALAR {.op = CASE_RESHAPE, .args = NO_LIST}
#define EXPAND(...)       {.op = CASE_EXPAND, .args = LIST(__VA_ARGS__)}
/* clang-format on */

/* Widths by the names of their types. */
enum { U8 = 8, F16 = 16, RGB = 24, F32 = 32, F64 = 64, C128 = 128 };

/* clang-format off */
/* One row for each width: three below a byte, the powers of two, and bytes that are none. */
#define EACH_WIDTH(name, ...) \
    {name ", 1 bit", 1, __VA_ARGS__}, {name ", 2 bits", 2, __VA_ARGS__}, {name ", 4 bits", 4, __VA_ARGS__}, \
    {name ", 1 byte", 8, __VA_ARGS__}, {name ", 2 bytes", 16, __VA_ARGS__}, {name ", 3 bytes", 24, __VA_ARGS__}, \
    {name ", 4 bytes", 32, __VA_ARGS__}, {name ", 5 bytes", 40, __VA_ARGS__}, {name ", 8 bytes", 64, __VA_ARGS__}, \
    {name ", 12 bytes", 96, __VA_ARGS__}, {name ", 16 bytes", 128, __VA_ARGS__}, {name ", 24 bytes", 192, __VA_ARGS__}, \
    {name ", 48 bytes", 384, __VA_ARGS__}

/* The widths of named types, for cases where each costs time. */
#define MAIN_WIDTHS(name, ...) \
    {name ", u8", U8, __VA_ARGS__}, {name ", f16", F16, __VA_ARGS__}, {name ", rgb", RGB, __VA_ARGS__}, \
    {name ", f32", F32, __VA_ARGS__}, {name ", f64", F64, __VA_ARGS__}, {name ", c128", C128, __VA_ARGS__}

/* Those below a byte, and from a place within one. */
#define SUB_BYTE(name, ...) {name ", 1 bit", 1, __VA_ARGS__}, {name ", 2 bits", 2, __VA_ARGS__}, {name ", 4 bits", 4, __VA_ARGS__}
#define EACH_PHASE(name, length) \
    SUB_BYTE(name " from 1 to 0", DIMS(length), SRC_VIEW(1, 1)), SUB_BYTE(name " from 0 to 3", DIMS(length), DST_VIEW(3, 1)), \
    SUB_BYTE(name " from 2 to 5", DIMS(length), SRC_VIEW(2, 1), DST_VIEW(5, 1)), \
    SUB_BYTE(name " from 5 to 5", DIMS(length), SRC_VIEW(5, 1), DST_VIEW(5, 1)), \
    SUB_BYTE(name " from 7 to 4", DIMS(length), SRC_VIEW(7, 1), DST_VIEW(4, 1)), \
    SUB_BYTE(name " from 6 to 7", DIMS(length), SRC_VIEW(6, 1), DST_VIEW(7, 1))
/* clang-format on */

#endif
