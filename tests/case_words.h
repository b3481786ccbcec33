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

#endif
