/* Sizes are awkward on purpose. A regression is appended at the end of its section with a comment that names the bug.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cases.h"

enum { U8 = 8, F16 = 16, RGB = 24, F32 = 32, F64 = 64, C128 = 128 };

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

const test_case test_cases[] = {
    /* ---- identity, and shapes of nothing and of one ---- */
    EACH_WIDTH("identity of 1", DIMS(1)),
    EACH_WIDTH("identity of 7", DIMS(7)),
    EACH_WIDTH("identity of 93 x 144", DIMS(93, 144)),
    EACH_WIDTH("identity of rank 0", NO_DIMS),
    EACH_WIDTH("tile of rank 0", NO_DIMS, STEPS(TILE(7))),
    {"tile of rank 0 by nothing", F32, NO_DIMS, STEPS(TILE_BY_NOTHING)},
    {"tile of rank 0 to rank 3", U8, NO_DIMS, STEPS(TILE(3, 1, 5))},
    {"expand of rank 0", F16, NO_DIMS, STEPS(EXPAND(7, 93))},
    {"reshape of rank 0 to rank 9", F32, NO_DIMS, STEPS(RESHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1))},
    {"reshape of ones to rank 0", F32, DIMS(1, 1, 1), STEPS(RESHAPE_TO_SCALAR)},
    {"one element of rank 9", F32, DIMS(1, 1, 1, 1, 1, 1, 1, 1, 1), STEPS(TILE(1, 1, 1, 1, 1, 1, 1, 1, 1))},
    {"empty source", F32, DIMS(3, 0, 5), STEPS(TILE(2, 3, 4))},
    {"empty source of rank 1", U8, DIMS(0)},
    {"empty source of 1 bit", 1, DIMS(0, 9)},
    {"empty batch to depth", F32, DIMS(0, 3, 8, 8), STEPS(S2D_BLOCKS(2))},
    {"empty channels to depth", F32, DIMS(2, 0, 8, 8), STEPS(S2D_DEPTH(2))},
    {"empty space to depth", F32, DIMS(2, 3, 0, 8), STEPS(S2D_BLOCKS(4))},
    {"empty depth to space", F32, DIMS(2, 0, 3, 8), STEPS(D2S_DEPTH(4))},
    {"empty reshape", F32, DIMS(2, 0, 3), STEPS(RESHAPE(0, 7))},
    {"empty permute", F32, DIMS(2, 0, 3), STEPS(PERMUTE(1, 2, 0))},
    {"empty expand", F32, DIMS(1, 7), STEPS(EXPAND(0, 7))},
    {"empty views", F32, DIMS(2, 0, 3), SRC_VIEW(9, -5, 1, 3), DST_VIEW(7, 20, 20, 1)},
    {"repeat of 0", F32, DIMS(4, 5), STEPS(TILE(2, 0))},
    {"repeats of 0", U8, DIMS(4, 5, 6), STEPS(TILE(0, 0, 0))},
    {"negative repeat counts as 0", F32, DIMS(3, 7, 4), STEPS(TILE(-1, 2, 1))},
    {"repeat of 0 in front", RGB, DIMS(7), STEPS(TILE(0, 3))},

    /* ---- tile ---- */
    EACH_WIDTH("tile 5 x 7 by 3 x 4", DIMS(5, 7), STEPS(TILE(3, 4))),
    EACH_WIDTH("tile rows of 93 by 7 x 1", DIMS(3, 93), STEPS(TILE(7, 1))),
    EACH_WIDTH("tile last axis of 1", DIMS(93, 1), STEPS(TILE(1, 9))),
    EACH_WIDTH("tile rows of 3", DIMS(50, 3), STEPS(TILE(1, 8))),
    EACH_WIDTH("tile rows of 7 by 11", DIMS(13, 7), STEPS(TILE(1, 11))),
    EACH_WIDTH("tile rows of 2 by 2", DIMS(129, 2), STEPS(TILE(1, 2))),
    EACH_WIDTH("tile all of rank 4", DIMS(2, 3, 5, 7), STEPS(TILE(3, 2, 3, 2))),
    EACH_WIDTH("tile the middle", DIMS(7, 1, 33), STEPS(TILE(1, 8, 1))),
    MAIN_WIDTHS("tile 0.2 MB of rows of 3", DIMS(8191, 3), STEPS(TILE(1, 8))),
    MAIN_WIDTHS("tile 0.2 MB of rows of 5", DIMS(1777, 5), STEPS(TILE(1, 21))),
    MAIN_WIDTHS("tile 0.2 MB, last axis of 1", DIMS(6007, 1), STEPS(TILE(1, 32))),
    MAIN_WIDTHS("tile a batch", DIMS(1, 3, 61, 64), STEPS(TILE(17, 1, 1, 1))),
    MAIN_WIDTHS("tile a batch of odd images", DIMS(1, 3, 61, 63), STEPS(TILE(17, 1, 1, 1))),
    MAIN_WIDTHS("tile the middle, larger", DIMS(16, 1, 32, 64), STEPS(TILE(1, 8, 1, 1))),
    MAIN_WIDTHS("tile 2d, larger", DIMS(128, 128), STEPS(TILE(4, 4))),
    MAIN_WIDTHS("tile long rows", DIMS(3, 9001), STEPS(TILE(2, 3))),
    {"tile 1 x 7 by 1 x 1000", U8, DIMS(1, 7), STEPS(TILE(1, 1000))},
    {"tile odd bytes", U8, DIMS(31, 17, 5), STEPS(TILE(7, 9, 11))},
    {"tile all axes of rank 6", F32, DIMS(4, 3, 2, 5, 4, 8), STEPS(TILE(2, 3, 2, 3, 2, 2))},
    {"tile all axes of rank 6, bytes", U8, DIMS(2, 3, 2, 5, 3, 7), STEPS(TILE(2, 3, 2, 3, 2, 3))},
    {"tile all axes of rank 9", F16, DIMS(2, 1, 2, 3, 1, 2, 1, 3, 2), STEPS(TILE(1, 2, 2, 1, 3, 1, 2, 2, 3))},
    {"tile every axis of rank 10", U8, DIMS(2, 2, 2, 2, 2, 2, 2, 2, 2, 2), STEPS(TILE(2, 2, 2, 2, 2, 2, 2, 2, 2, 2))},
    {"tile by longer repeats", F32, DIMS(2, 3, 4), STEPS(TILE(5, 1, 2, 3))},
    {"tile by shorter repeats", F32, DIMS(5, 2, 3, 4), STEPS(TILE(1, 2, 3))},
    {"tile by all ones", F32, DIMS(7, 93), STEPS(TILE(1, 1))},
    {"tile by nothing", F32, DIMS(7, 93), STEPS(TILE_BY_NOTHING)},
    {"tile axis 1", F32, DIMS(3, 7, 5), STEPS(TILE_AXIS(4, 1))},
    {"tile axis -1", U8, DIMS(3, 7, 5), STEPS(TILE_AXIS(9, -1))},
    {"tile a vector by 144", F32, DIMS(93), STEPS(TILE(144))},
    {"tile one element by a megabyte", U8, DIMS(1), STEPS(TILE(1048573))},
    {"tile one element of 3 bytes by many", RGB, DIMS(1), STEPS(TILE(300007))},
    {"tile one element of 48 bytes by many", 384, DIMS(1), STEPS(TILE(20011))},
    {"tile a bit by many", 1, DIMS(1), STEPS(TILE(999983))},
    {"tile 3 bits by many", 1, DIMS(3), STEPS(TILE(100003))},
    {"tile 100003 by 3", 4, DIMS(100003), STEPS(TILE(3))},

    /* ---- space to depth ---- */
    EACH_WIDTH("s2d blocks 2", DIMS(2, 3, 6, 14), STEPS(S2D_BLOCKS(2))),
    EACH_WIDTH("s2d depth 2", DIMS(2, 3, 6, 14), STEPS(S2D_DEPTH(2))),
    EACH_WIDTH("s2d depth 3", DIMS(1, 2, 9, 15), STEPS(S2D_DEPTH(3))),
    EACH_WIDTH("s2d blocks 4, wide", DIMS(1, 2, 8, 144), STEPS(S2D_BLOCKS(4))),
    EACH_WIDTH("s2d depth 2, 1d", DIMS(3, 5, 186), STEPS(S2D_DEPTH(2))),
    MAIN_WIDTHS("s2d blocks 2, 0.2 MB", DIMS(2, 3, 128, 256), STEPS(S2D_BLOCKS(2))),
    MAIN_WIDTHS("s2d depth 2, 0.2 MB", DIMS(2, 3, 128, 256), STEPS(S2D_DEPTH(2))),
    MAIN_WIDTHS("s2d depth 2, odd rows", DIMS(2, 3, 126, 250), STEPS(S2D_DEPTH(2))),
    MAIN_WIDTHS("s2d blocks 3, larger", DIMS(2, 2, 129, 255), STEPS(S2D_BLOCKS(3))),
    MAIN_WIDTHS("s2d depth 4, larger", DIMS(1, 4, 128, 128), STEPS(S2D_DEPTH(4))),
    MAIN_WIDTHS("s2d blocks 4, larger", DIMS(1, 4, 128, 136), STEPS(S2D_BLOCKS(4))),
    MAIN_WIDTHS("s2d blocks 5", DIMS(1, 3, 35, 155), STEPS(S2D_BLOCKS(5))),
    MAIN_WIDTHS("s2d depth 7", DIMS(2, 3, 49, 91), STEPS(S2D_DEPTH(7))),
    MAIN_WIDTHS("s2d depth 8", DIMS(1, 3, 64, 144), STEPS(S2D_DEPTH(8))),
    MAIN_WIDTHS("s2d blocks 14", DIMS(1, 3, 56, 126), STEPS(S2D_BLOCKS(14))),
    MAIN_WIDTHS("s2d blocks 16", DIMS(2, 3, 64, 112), STEPS(S2D_BLOCKS(16))),
    MAIN_WIDTHS("s2d depth 32", DIMS(1, 2, 64, 96), STEPS(S2D_DEPTH(32))),
    MAIN_WIDTHS("s2d blocks 2, 3d", DIMS(1, 3, 16, 32, 36), STEPS(S2D_BLOCKS(2))),
    MAIN_WIDTHS("s2d depth 4, 1d", DIMS(4, 8, 2048), STEPS(S2D_DEPTH(4))),
    MAIN_WIDTHS("s2d blocks 4, 1d", DIMS(4, 8, 2044), STEPS(S2D_BLOCKS(4))),
    {"s2d depth 32, wide", U8, DIMS(1, 1, 64, 1312), STEPS(S2D_DEPTH(32))},
    {"s2d depth 18, wide", F32, DIMS(1, 2, 36, 666), STEPS(S2D_DEPTH(18))},
    {"s2d blocks 17", U8, DIMS(1, 3, 34, 578), STEPS(S2D_BLOCKS(17))},
    {"s2d blocks 1", F32, DIMS(2, 3, 7, 5), STEPS(S2D_BLOCKS(1))},
    {"s2d depth, block is the width", F32, DIMS(2, 3, 7, 7), STEPS(S2D_DEPTH(7))},
    {"s2d blocks, block is the width", U8, DIMS(2, 3, 93, 93), STEPS(S2D_BLOCKS(93))},
    {"s2d blocks 2 of 4d", U8, DIMS(1, 2, 4, 6, 2, 10), STEPS(S2D_BLOCKS(2))},
    {"s2d depth 3 of 4d", F16, DIMS(2, 2, 3, 6, 3, 9), STEPS(S2D_DEPTH(3))},
    {"s2d depth 2 of 7d", U8, DIMS(1, 3, 2, 2, 4, 2, 2, 4, 2), STEPS(S2D_DEPTH(2))},
    {"s2d of one column of blocks", F32, DIMS(1, 1, 144, 2), STEPS(S2D_DEPTH(2))},
    {"s2d of one row of blocks", U8, DIMS(1, 1, 2, 4098), STEPS(S2D_BLOCKS(2))},
    {"s2d focus", U8, DIMS(1, 3, 160, 160), STEPS(S2D_BLOCKS(2))},
    {"s2d many channels", F16, DIMS(1, 93, 14, 30), STEPS(S2D_BLOCKS(2))},
    {"s2d megabyte", U8, DIMS(1, 1, 1024, 1022), STEPS(S2D_DEPTH(2))},
    {"s2d megabyte of bits", 1, DIMS(1, 3, 1024, 1022), STEPS(S2D_DEPTH(2))},

    /* ---- depth to space ---- */
    EACH_WIDTH("d2s blocks 2", DIMS(1, 12, 7, 9), STEPS(D2S_BLOCKS(2))),
    EACH_WIDTH("d2s depth 2", DIMS(1, 12, 7, 9), STEPS(D2S_DEPTH(2))),
    EACH_WIDTH("d2s blocks 3", DIMS(2, 18, 5, 7), STEPS(D2S_BLOCKS(3))),
    EACH_WIDTH("d2s depth 4, wide", DIMS(1, 16, 3, 93), STEPS(D2S_DEPTH(4))),
    EACH_WIDTH("d2s depth 2, 1d", DIMS(3, 10, 93), STEPS(D2S_DEPTH(2))),
    MAIN_WIDTHS("d2s blocks 2, 0.2 MB", DIMS(2, 12, 64, 128), STEPS(D2S_BLOCKS(2))),
    MAIN_WIDTHS("d2s depth 2, 0.2 MB", DIMS(2, 12, 64, 128), STEPS(D2S_DEPTH(2))),
    MAIN_WIDTHS("d2s depth 2, odd rows", DIMS(2, 12, 61, 125), STEPS(D2S_DEPTH(2))),
    MAIN_WIDTHS("d2s blocks 3, larger", DIMS(2, 18, 43, 85), STEPS(D2S_BLOCKS(3))),
    MAIN_WIDTHS("d2s depth 4, larger", DIMS(1, 48, 32, 64), STEPS(D2S_DEPTH(4))),
    MAIN_WIDTHS("d2s depth 5", DIMS(1, 75, 7, 31), STEPS(D2S_DEPTH(5))),
    MAIN_WIDTHS("d2s blocks 7", DIMS(1, 98, 9, 13), STEPS(D2S_BLOCKS(7))),
    MAIN_WIDTHS("d2s depth 8", DIMS(1, 192, 8, 18), STEPS(D2S_DEPTH(8))),
    MAIN_WIDTHS("d2s blocks 14", DIMS(1, 392, 4, 9), STEPS(D2S_BLOCKS(14))),
    MAIN_WIDTHS("d2s depth 16", DIMS(1, 512, 4, 7), STEPS(D2S_DEPTH(16))),
    MAIN_WIDTHS("d2s blocks 2, 3d", DIMS(1, 24, 8, 16, 18), STEPS(D2S_BLOCKS(2))),
    MAIN_WIDTHS("d2s depth 4, 1d", DIMS(4, 32, 512), STEPS(D2S_DEPTH(4))),
    {"d2s depth 1", F32, DIMS(2, 3, 7, 5), STEPS(D2S_DEPTH(1))},
    {"d2s depth 2 of 4d", U8, DIMS(1, 32, 3, 1, 2, 5), STEPS(D2S_DEPTH(2))},
    {"d2s blocks 2 of one column", F32, DIMS(1, 4, 144, 1), STEPS(D2S_BLOCKS(2))},
    {"d2s depth 93 of one element", U8, DIMS(1, 8649, 1, 1), STEPS(D2S_DEPTH(93))},
    {"d2s megabyte", U8, DIMS(1, 16, 256, 254), STEPS(D2S_DEPTH(4))},
    {"d2s megabyte of nibbles", 4, DIMS(1, 8, 512, 509), STEPS(D2S_DEPTH(2))},

    /* ---- permute, reshape, expand ---- */
    EACH_WIDTH("transpose 33 x 65", DIMS(33, 65), STEPS(PERMUTE(1, 0))),
    EACH_WIDTH("permute 2 0 1", DIMS(7, 5, 3), STEPS(PERMUTE(2, 0, 1))),
    EACH_WIDTH("permute 1 0 2", DIMS(7, 5, 93), STEPS(PERMUTE(1, 0, 2))),
    EACH_WIDTH("expand the ends", DIMS(1, 7, 1), STEPS(EXPAND(3, 7, 5))),
    MAIN_WIDTHS("transpose, larger", DIMS(257, 321), STEPS(PERMUTE(1, 0))),
    MAIN_WIDTHS("NHWC to NCHW", DIMS(2, 61, 63, 3), STEPS(PERMUTE(0, 3, 1, 2))),
    MAIN_WIDTHS("NCHW to NHWC", DIMS(2, 3, 61, 63), STEPS(PERMUTE(0, 2, 3, 1))),
    MAIN_WIDTHS("NCHW of 16 to NHWC", DIMS(2, 16, 31, 33), STEPS(PERMUTE(0, 2, 3, 1))),
    MAIN_WIDTHS("NHWC of 4 to NCHW", DIMS(2, 64, 61, 4), STEPS(PERMUTE(0, 3, 1, 2))),
    {"permute to itself", F32, DIMS(7, 5, 3), STEPS(PERMUTE(0, 1, 2))},
    {"permute rank 6 backwards", F16, DIMS(3, 5, 2, 7, 4, 6), STEPS(PERMUTE(5, 4, 3, 2, 1, 0))},
    {"permute rank 9", U8, DIMS(2, 3, 1, 2, 3, 2, 1, 3, 2), STEPS(PERMUTE(8, 0, 7, 1, 6, 2, 5, 3, 4))},
    {"permute heads", F32, DIMS(2, 49, 4, 16), STEPS(PERMUTE(0, 2, 1, 3))},
    {"reshape", F32, DIMS(6, 35), STEPS(RESHAPE(5, -1, 7))},
    {"expand a row", F32, DIMS(1, 144), STEPS(EXPAND(93, 144))},
    {"expand a column", F32, DIMS(93, 1), STEPS(EXPAND(93, 144))},
    {"expand to a higher rank", U8, DIMS(7, 1), STEPS(EXPAND(2, 3, 7, 5))},
    /* More axes than one launch takes. */
    {"reverse 20 dimensions of 2", U8, DIMS(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), STEPS(PERMUTE(19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))},
    {"reverse 20 dimensions of 2, 4 bits", 4, DIMS(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), STEPS(PERMUTE(19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))},
    {"expand alternate axes", F16, DIMS(1, 7, 1, 9, 1), STEPS(EXPAND(3, 7, 5, 9, 2))},

    /* ---- chains ---- */
    EACH_WIDTH("tile then s2d", DIMS(1, 2, 6, 10), STEPS(TILE(2, 3, 1, 1), S2D_BLOCKS(2))),
    EACH_WIDTH("s2d then d2s", DIMS(2, 3, 6, 14), STEPS(S2D_DEPTH(2), D2S_DEPTH(2))),
    {"tile space then s2d", F32, DIMS(1, 2, 6, 10), STEPS(TILE(1, 1, 3, 5), S2D_DEPTH(2))},
    {"s2d then tile", U8, DIMS(1, 2, 6, 10), STEPS(S2D_BLOCKS(2), TILE(2, 1, 3, 1))},
    {"s2d then tile the last", F32, DIMS(1, 2, 6, 10), STEPS(S2D_BLOCKS(2), TILE(1, 1, 1, 4))},
    {"d2s then s2d", F32, DIMS(1, 36, 5, 7), STEPS(D2S_BLOCKS(3), S2D_BLOCKS(3))},
    {"d2s blocks then s2d depth", F16, DIMS(1, 36, 5, 7), STEPS(D2S_BLOCKS(3), S2D_DEPTH(3))},
    {"s2d twice", U8, DIMS(1, 3, 64, 96), STEPS(S2D_BLOCKS(2), S2D_DEPTH(2))},
    {"s2d NHWC", F32, DIMS(2, 6, 10, 8), STEPS(PERMUTE(0, 3, 1, 2), S2D_BLOCKS(2), PERMUTE(0, 2, 3, 1))},
    {"s2d NHWC bytes", U8, DIMS(2, 64, 98, 3), STEPS(PERMUTE(0, 3, 1, 2), S2D_BLOCKS(2), PERMUTE(0, 2, 3, 1))},
    {"reshape permute reshape", F32, DIMS(6, 35), STEPS(RESHAPE(2, 3, 5, 7), PERMUTE(1, 0, 3, 2), RESHAPE(6, 35))},
    {"channel shuffle", U8, DIMS(2, 12, 14, 14), STEPS(RESHAPE(2, 3, 4, 196), PERMUTE(0, 2, 1, 3), RESHAPE(2, 12, 14, 14))},
    {"patches", F16, DIMS(1, 3, 56, 56), STEPS(RESHAPE(1, 3, 4, 14, 4, 14), PERMUTE(0, 2, 4, 1, 3, 5), RESHAPE(1, 16, -1))},
    {"window partition", F32, DIMS(2, 14, 14, 8), STEPS(RESHAPE(2, 2, 7, 2, 7, 8), PERMUTE(0, 1, 3, 2, 4, 5), RESHAPE(8, 49, 8))},
    {"nearest upsampling", U8, DIMS(2, 7, 9), STEPS(RESHAPE(2, 7, 1, 9, 1), EXPAND(2, 7, 2, 9, 2), RESHAPE(2, 14, 18))},
    {"nearest upsampling by 3, larger", F16, DIMS(2, 93, 77), STEPS(RESHAPE(2, 93, 1, 77, 1), EXPAND(2, 93, 3, 77, 3), RESHAPE(2, 279, 231))},
    {"expand then permute", F32, DIMS(1, 7, 9), STEPS(EXPAND(5, 7, 9), PERMUTE(2, 1, 0))},
    {"permute then tile", RGB, DIMS(7, 9), STEPS(PERMUTE(1, 0), TILE(2, 3))},
    {"tile twice", F32, DIMS(3, 5), STEPS(TILE(2, 2), TILE(3, 1))},
    {"tile, permute, tile", U8, DIMS(3, 5, 7), STEPS(TILE(2, 1, 2), PERMUTE(2, 0, 1), TILE(1, 3, 2))},

    /* ---- words of units below a byte ---- */
    EACH_PHASE("1 unit", 1),
    EACH_PHASE("15 units", 15),
    EACH_PHASE("63 units", 63),
    EACH_PHASE("64 units", 64),
    EACH_PHASE("65 units", 65),
    EACH_PHASE("257 units", 257),
    EACH_PHASE("1001 units", 1001),
    SUB_BYTE("rows of 63 with gaps", DIMS(9, 63), SRC_VIEW(3, 71, 1), DST_VIEW(5, 66, 1)),
    SUB_BYTE("rows of 64 with gaps", DIMS(9, 64), SRC_VIEW(3, 71, 1), DST_VIEW(5, 66, 1)),
    SUB_BYTE("rows of 65 with gaps", DIMS(9, 65), SRC_VIEW(3, 71, 1), DST_VIEW(5, 66, 1)),
    SUB_BYTE("rows of rows with gaps", DIMS(5, 3, 7), SRC_VIEW(1, 31, 9, 1), DST_VIEW(2, 97, 9, 1)),
    SUB_BYTE("every 2nd of 63", DIMS(5, 63), SRC_VIEW(1, 131, 2)),
    SUB_BYTE("every 3rd of 64", DIMS(5, 64), SRC_VIEW(0, 197, 3)),
    SUB_BYTE("every 5th of 65", DIMS(5, 65), SRC_VIEW(7, 331, 5)),
    SUB_BYTE("every 8th of 33", DIMS(5, 33), SRC_VIEW(7, 265, 8)),
    SUB_BYTE("every 31st of 9", DIMS(7, 9), SRC_VIEW(7, 290, 31)),
    SUB_BYTE("every 32nd of 9", DIMS(7, 9), SRC_VIEW(7, 290, 32)),
    SUB_BYTE("every 33rd of 65", DIMS(3, 65), SRC_VIEW(7, 2200, 33)),
    SUB_BYTE("backwards from the first word", DIMS(3, 65), SRC_VIEW(64, 65, -1)),
    SUB_BYTE("every 3rd backwards", DIMS(3, 129), SRC_VIEW(387, 391, -3)),
    SUB_BYTE("one unit, 63 times", DIMS(9, 1), STEPS(TILE(1, 63))),
    SUB_BYTE("one unit, 65 times", DIMS(9, 1), STEPS(TILE(1, 65))),
    SUB_BYTE("one unit, 257 times", DIMS(9, 1), STEPS(TILE(1, 257))),
    SUB_BYTE("one unit, 5 times", DIMS(131, 1), STEPS(TILE(1, 5))),
    SUB_BYTE("weave 3 rows of 65", DIMS(2, 3, 65), STEPS(PERMUTE(0, 2, 1))),
    SUB_BYTE("weave 5 rows of 63", DIMS(2, 5, 63), STEPS(PERMUTE(0, 2, 1))),
    SUB_BYTE("weave 7 rows of 64", DIMS(2, 7, 64), STEPS(PERMUTE(0, 2, 1))),
    SUB_BYTE("weave 8 rows of 4001", DIMS(2, 8, 4001), STEPS(PERMUTE(0, 2, 1))),
    SUB_BYTE("weave rows to a place in a byte", DIMS(3, 333), STEPS(PERMUTE(1, 0)), DST_VIEW(5, 3, 1)),
    SUB_BYTE("transpose 9 x 65", DIMS(9, 65), STEPS(PERMUTE(1, 0))),
    SUB_BYTE("transpose 63 x 64", DIMS(63, 64), STEPS(PERMUTE(1, 0))),
    SUB_BYTE("transpose 64 x 5", DIMS(64, 5), STEPS(PERMUTE(1, 0))),
    SUB_BYTE("transpose 511 x 67", DIMS(511, 67), STEPS(PERMUTE(1, 0))),
    SUB_BYTE("transpose 513 x 131", DIMS(513, 131), STEPS(PERMUTE(1, 0))),
    SUB_BYTE("transpose 1027 x 70", DIMS(1027, 70), STEPS(PERMUTE(1, 0))),
    SUB_BYTE("transpose 1029 x 70 with gaps", DIMS(1029, 70), STEPS(PERMUTE(1, 0)), DST_VIEW(3, 1031, 1)),
    SUB_BYTE("transpose 1029 x 70 upside down", DIMS(1029, 70), SRC_VIEW(1028 * 71, -71, 1), STEPS(PERMUTE(1, 0))),
    SUB_BYTE("transpose every 9th", DIMS(300, 9), SRC_VIEW(0, 9, 1), STEPS(PERMUTE(1, 0))),
    SUB_BYTE("transpose 3001 x 1003", DIMS(3001, 1003), STEPS(PERMUTE(1, 0))),

    /* ---- views ---- */
    EACH_WIDTH("flipped", DIMS(9, 13), SRC_VIEW(116, -13, -1)),
    EACH_WIDTH("every second element", DIMS(5, 31), SRC_VIEW(3, 70, 2)),
    EACH_WIDTH("stores with gaps", DIMS(5, 31), DST_VIEW(1, 41, 1)),
    EACH_WIDTH("stores apart", DIMS(5, 31), DST_VIEW(2, 97, 3)),
    {"rows flipped", F32, DIMS(93, 144), SRC_VIEW(13248, -144, 1)},
    {"columns flipped", F32, DIMS(93, 144), SRC_VIEW(143, 144, -1)},
    {"columns flipped, bytes", U8, DIMS(61, 1001), SRC_VIEW(1000, 1001, -1)},
    {"broadcast view", F32, DIMS(7, 9, 11), SRC_VIEW(5, 0, 1, 0)},
    {"all strides zero", F16, DIMS(7, 93), SRC_VIEW(11, 0, 0)},
    {"transposed view", F32, DIMS(65, 33), SRC_VIEW(0, 1, 65)},
    {"slice of rows", F32, DIMS(20, 61), SRC_VIEW(7 * 100 + 13, 100, 1)},
    {"slice of bytes", U8, DIMS(20, 61), SRC_VIEW(7 * 100 + 13, 100, 1)},
    {"overlapping windows", F32, DIMS(90, 4), SRC_VIEW(0, 1, 1)},
    {"overlapping windows, bytes", U8, DIMS(3000, 16), SRC_VIEW(1, 3, 1)},
    {"diagonal", F64, DIMS(93), SRC_VIEW(0, 94)},
    {"view of a scalar", F32, NO_DIMS, SRC_VIEW(7, 0), DST_VIEW(5, 0)},
    {"view of ones", F32, DIMS(1, 1), SRC_VIEW(3, -100, 5), DST_VIEW(2, 0, 0)},
    MAIN_WIDTHS("3 of 4 channels to planes", DIMS(31, 67, 3), SRC_VIEW(1, 268, 4, 1), STEPS(PERMUTE(2, 0, 1))),
    MAIN_WIDTHS("4 of 5 channels to planes", DIMS(31, 67, 4), SRC_VIEW(0, 335, 5, 1), STEPS(PERMUTE(2, 0, 1))),
    MAIN_WIDTHS("planes to 4 of 5 channels", DIMS(4, 31, 67), STEPS(PERMUTE(1, 2, 0)), DST_VIEW(1, 335, 5, 1)),
    MAIN_WIDTHS("planes to 3 of 4 channels", DIMS(3, 31, 67), STEPS(PERMUTE(1, 2, 0)), DST_VIEW(0, 268, 4, 1)),
    MAIN_WIDTHS("planes, interleaved apart", DIMS(2, 31, 67), STEPS(PERMUTE(1, 2, 0)), DST_VIEW(2, 500, 7, 3)),
    {"slice then s2d", F32, DIMS(1, 3, 12, 20), SRC_VIEW(7, 5000, 1200, 40, 1), STEPS(S2D_DEPTH(2))},
    {"flip then s2d", U8, DIMS(1, 3, 12, 34), SRC_VIEW(33, 1224, 408, 34, -1), STEPS(S2D_BLOCKS(2))},
    {"slice then tile", RGB, DIMS(9, 5), SRC_VIEW(4, 17, 2), STEPS(TILE(3, 4))},
    {"NHWC view then s2d", U8, DIMS(1, 3, 64, 96), SRC_VIEW(0, 0, 1, 288, 3), STEPS(S2D_DEPTH(2))},
    {"concatenation: left half", F32, DIMS(93, 7), DST_VIEW(0, 20, 1)},
    {"concatenation: right half", F32, DIMS(93, 13), DST_VIEW(7, 20, 1)},
    {"concatenation, 0.4 MB", F32, DIMS(100, 1001), DST_VIEW(7, 2005, 1)},
    {"concatenation, bytes", U8, DIMS(331, 1001), DST_VIEW(3, 2005, 1)},
    {"stores flipped", F32, DIMS(5, 7), DST_VIEW(34, -7, -1)},
    {"stores transposed", F32, DIMS(33, 65), DST_VIEW(0, 1, 33)},
    {"s2d into a strided view", F32, DIMS(1, 2, 8, 12), STEPS(S2D_BLOCKS(2)), DST_VIEW(11, 1000, 50, 9, 1)},
    {"d2s into a strided view", F32, DIMS(1, 8, 8, 12), STEPS(D2S_DEPTH(2)), DST_VIEW(11, 5000, 1000, 30, 1)},
    {"tile into a strided view", U8, DIMS(9, 5), STEPS(TILE(2, 7)), DST_VIEW(5, 93, 2)},
    {"tile short rows into a strided view", U8, DIMS(301, 3), STEPS(TILE(1, 8)), DST_VIEW(5, 29, 1)},
    {"slice to slice", F32, DIMS(31, 33), SRC_VIEW(77, 100, 2), DST_VIEW(33, 144, 3)},
    {"slice to slice, 2 bytes", F16, DIMS(310, 331), SRC_VIEW(77, 1000, 1), DST_VIEW(33, 344, 1)},
    {"slice to slice, 16 bytes", C128, DIMS(31, 33), SRC_VIEW(3, 40, 1), DST_VIEW(1, 35, 1)},
};

const test_case large_cases[] = {
    {"copy of 80 MB", U8, DIMS(80000003)},
    {"tile a batch to 80 MB", F32, DIMS(1, 3, 512, 511), STEPS(TILE(25, 1, 1, 1))},
    {"tile rows of 3 bytes to 72 MB", U8, DIMS(3000007, 3), STEPS(TILE(1, 8))},
    {"tile one byte to 70 MB", U8, DIMS(7, 1), STEPS(TILE(1, 10000019))},
    {"s2d depth 2 of 69 MB of bytes", U8, DIMS(1, 3, 4800, 4802), STEPS(S2D_DEPTH(2))},
    {"s2d blocks 3 of 68 MB of floats", F32, DIMS(4, 4, 1023, 1041), STEPS(S2D_BLOCKS(3))},
    {"d2s depth 4 of 67 MB of bytes", U8, DIMS(4, 48, 592, 593), STEPS(D2S_DEPTH(4))},
    {"d2s blocks 2 of 69 MB of halves", F16, DIMS(8, 12, 600, 601), STEPS(D2S_BLOCKS(2))},
    {"columns flipped, 68 MB", F32, DIMS(4001, 4253), SRC_VIEW(4252, 4253, -1)},
    {"transpose of 19 MB of bits", 1, DIMS(12001, 12503), STEPS(PERMUTE(1, 0))},
};
/* clang-format on */

const size_t test_case_count = sizeof test_cases / sizeof test_cases[0];
const size_t large_case_count = sizeof large_cases / sizeof large_cases[0];
