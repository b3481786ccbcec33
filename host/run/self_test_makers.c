/* See self_test_makers.h. The lengths follow the kernel files. They treat some rows differently: those shorter than a vector, as
 * long as a few, longer than a write-combining buffer, or adjacent. A form here has rows of each kind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/self_test_makers.h"

#include "cl_kernels/bit_words.h"

#include "cl_kernels/bit_runs.h"
#include "cl_kernels/move.h"

#include <string.h>

typedef struct maker {
    /* The units of a group, those of them that are moved, and the bytes of a unit. */
    int64_t block, rows, bytes;
    /* Units of a vector. */
    int64_t lanes;
    uint32_t unit_bits;
    /* Its usual ways. */
    uint32_t usual;
    /* The block is a case of the bit patterns. */
    bool one_case;
    /* The last one takes all that are too many. */
    test_form *forms;
    size_t count;
} maker;

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Units that make at least so many bytes. */
static int64_t units_of(const maker *to, int64_t bytes) {
    return (bytes + to->bytes - 1) / to->bytes;
}

/* Axes outermost first; backwards ones are made to begin at their end. */
static clm_normal_form *add(maker *to, const char *variant, int64_t cut, uint32_t ways, const clm_axis *axes, size_t rank) {
    test_form *it = &to->forms[to->count < CLM_TEST_FORMS ? to->count : CLM_TEST_FORMS];
    to->count++;
    *it = (test_form){.variant = variant, .cut = cut, .ways = ways ? ways : to->usual};
    it->form.unit_bits = to->unit_bits;
    it->form.rank = (int32_t)rank;
    memcpy(it->form.axes, axes, rank * sizeof *axes);
    for (size_t i = 0; i < rank; i++)
        if (axes[i].src < 0)
            it->form.src_offset -= (axes[i].extent - 1) * axes[i].src;
    return &it->form;
}

#define ADD(to, variant, cut, ways, ...)                                                                                         \
    add(to, variant, cut, ways, (const clm_axis[]){__VA_ARGS__}, sizeof((const clm_axis[]){__VA_ARGS__}) / sizeof(clm_axis))

static void add_copies(maker *to) {
    const int64_t part = units_of(to, 200), long_part = units_of(to, 700);
    const int64_t tiny = units_of(to, 17), row = units_of(to, 37), line = units_of(to, 128), long_row = units_of(to, 330);
    ADD(to, "copy", -part, USUAL, {5 * part + 1, 1, 1});
    ADD(to, "copy", -long_part, USUAL, {2 * long_part + long_part / 2 + 1, 1, 1});
    ADD(to, "rows", 3, USUAL, {3, 5 * row, 7 * tiny}, {7, 2 * tiny, tiny}, {tiny, 1, 1});
    ADD(to, "rows", 5, USUAL, {3, 0, 11 * row}, {11, row + 1, row}, {row, 1, 1}); /* each read three times */
    ADD(to, "rows", 2, USUAL, {5, -long_row, long_row + 1}, {long_row, 1, 1});
    ADD(to, "rows", 4, USUAL, {9, line + 3, 2 * line}, {line, 1, 1});
    ADD(to, "rows", -units_of(to, 100), USUAL, {3, line + long_row, long_row + 2}, {long_row, 1, 1});
}

/* The axes of patterns repeated n times, in rows. A pattern of one unit has no axis of its own. */
static void add_repeat(maker *to, int64_t cut, clm_axis rows, int64_t n) {
    const clm_axis axes[] = {rows, {n, 0, to->block}, {to->block, 1, 1}};
    add(to, "repeat", cut, USUAL, axes, to->block > 1 ? 3 : 2);
}

static void add_repeats(maker *to) {
    const int64_t block = to->block, pattern = block * to->bytes;
    const int64_t n = (pattern > 64 ? 2300 : 1100) / pattern + 2; /* more than a buffer takes at once */
    /* Rows side by side: as many as a table of lines is made for, and some more. */
    const int64_t times = 3 * pattern <= 256 ? 3 : 2, row = times * pattern;
    const int64_t least = larger(128 * (8 + times * block), 1536) / row + 1, rows = row <= 256 ? 3 * least / 2 + 40 : 5;
    add_repeat(to, rows - rows / 3, (clm_axis){rows, block, times * block}, times);
    add_repeat(to, 2, (clm_axis){3, block + 1, n * block + 2}, n);
    add_repeat(to, -(n / 3 + 1), (clm_axis){2, -block, n * block}, n);
    add_repeat(to, 3, (clm_axis){7, block + 2, 2 * block + 1}, 2);
}

/* Blocks of pieces of so many bytes that are stored so many times. A block takes what fits, so that what repeats it, or follows
 * it at once, is long. */
static void add_periods(maker *to) {
    static const struct { int64_t bytes, times; } of[] = {{1, 9}, {3, 5}, {16, 6}, {20, 4}, {61, 2}, {100, 2}, {200, 1}};
    const int64_t most = PERIOD_BYTES / to->bytes;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const int64_t unit = units_of(to, of[i].bytes), times = of[i].times, piece = unit * times;
        const int64_t sources = i == 0 ? 2 : 1, repeats = most / (7 * piece) + 2, side_by_side = most / (5 * piece);
        const clm_axis many = {times, 0, unit}, one = {unit, 1, 1};
        if (i % 3 == 0)
            ADD(to, "period", 4, STREAM_ANYWHERE | CACHED_ANYWHERE, {sources, 11, repeats * 7 * piece + 1},
                {repeats, 0, 7 * piece}, {7, unit, piece}, many, one);
        ADD(to, "period", 5, USUAL, {13, -3, 2 * 3 * piece + 1}, {2, 0, 3 * piece}, {3, unit + 2, piece}, many, one);
        if (i % 3 == 1)
            ADD(to, "period", 2, STREAM_ANYWHERE | CACHED_ANYWHERE, {3, 3, 2 * side_by_side * piece},
                {2, 0, side_by_side * piece}, {side_by_side, unit, piece}, many, one);
        else if (i % 3 == 2)
            ADD(to, "period", 2, USUAL, {3, 3, 5 * piece + 2}, {5, 0, piece}, many, one);
    }
    ADD(to, "period", 1, STREAM_ANYWHERE, {2, 0, most}, {2, 0, most / 2}, {most / 2, 1, 1});
    const int64_t part = units_of(to, 61); /* repeated in places that are apart */
    ADD(to, "period", 2, STREAM_ANYWHERE | CACHED_ANYWHERE, {2, 1, 3 * (6 * part + 1)}, {3, 0, 6 * part + 1}, {2, 0, 3 * part},
        {3, part + 2, part}, {part, 1, 1});
}

/* Blocks of few steps, and of many; apart, backwards, of few bytes, made together, and of more than one part. */
static void add_shuffles(maker *to) {
    const int64_t wide = units_of(to, 200), long_part = units_of(to, 1300);
    ADD(to, "shuffle", 67, USUAL, {131, 12, 12}, {4, 1, 3}, {3, 4, 1});
    ADD(to, "shuffle", 5, USUAL, {11, 70, 35}, {5, 2, 7}, {7, 10, 1});
    ADD(to, "shuffle", 6, USUAL, {13, 72, 64}, {8, 1, 8}, {8, 9, 1}); /* blocks of whole lines */
    ADD(to, "shuffle", 7, USUAL, {9, -105, 105}, {3, 35, 35}, {7, -1, 5}, {5, 7, 1});
    ADD(to, "shuffle", 3, USUAL, {3, 2, 6}, {2, 1, 3}, {3, 0, 1});
    ADD(to, "shuffle", 2, USUAL, {3, 7 * wide + 1, 7 * wide + 2}, {wide, 1, 7}, {7, wide, 1});
    /* one axis, parts of it with what is left over, and planes in turn */
    ADD(to, "shuffle", 3, USUAL, {7, 35, 17}, {17, -2, 1});
    ADD(to, "shuffle", 2 * long_part / 3, USUAL, {2, 3 * long_part + 1, long_part + 3}, {long_part, -1, 1});
    ADD(to, "shuffle", 2 * long_part / 3, USUAL, {2, -1, long_part + 1}, {long_part, 3, 1});
}

static void add_deinterleaves(maker *to) {
    const int64_t block = to->block, lanes = to->lanes, rows = to->rows, far = 15; /* with a gap of which groups are not read */
    const int64_t less = larger(lanes - 1, block), more = larger(lanes + 3, block), few = larger(lanes / 2 + 1, block);
    const int64_t two = larger(2 * lanes, block + (block % lanes ? lanes - block % lanes : 0)),
                  some = larger(3 * lanes + 5, block);
    const int64_t tall = larger(11 * lanes + 7, block), taller = larger(units_of(to, 2048) + lanes / 2 + 1, block);
    const int64_t joined = block <= 4 ? tall : some, times = 1024 / (more * to->bytes) + 2;
    /* rows that follow each other, shorter and longer than a vector, those that are gathered, and more than are joined at once */
    ADD(to, "deinterleave", 4, USUAL, {2, 7 * less * block + 5, block * (7 * less + 1) + 3}, {rows, 1, 7 * less + 1},
        {7, less * block, less}, {less, block, 1});
    ADD(to, "deinterleave", times, USUAL, {rows, 1, times * more + 1}, {times, more * block, more}, {more, block, 1});
    ADD(to, "deinterleave", 3, USUAL, {rows, 1, 3 * joined + 1}, {3, (joined + 1) * block, joined}, {joined, block, 1});
    ADD(to, "deinterleave", 2, USUAL, {rows, -1, 5 * few + 1}, {5, few * block + 1, few}, {few, block, 1}); /* backwards */
    /* rows that lie apart */
    ADD(to, "deinterleave", 2, USUAL, {3, some * block, block * (some + 1)}, {rows, 1, some + 1}, {some, block, 1});
    ADD(to, "deinterleave", 3, USUAL, {5, -less * block, block * (less + 1)}, {rows, 1, less + 1}, {less, block, 1});
    ADD(to, "deinterleave", 3, USUAL, {4, two * block, block * (two + lanes)}, {rows, 1, two + lanes}, {two, block, 1});
    /* long rows, and rows in parts */
    if (block <= 4)
        ADD(to, "deinterleave", 2, USUAL, {3, tall * block, block * (tall + 1)}, {rows, 1, tall + 1}, {tall, block, 1});
    else
        ADD(to, "deinterleave", 1, STREAM_ANYWHERE | CACHED_ANYWHERE, {rows, 1, taller + 1}, {taller, block, 1});
    ADD(to, "deinterleave", -(2 * lanes + 1), USUAL, {rows, 1, 5 * lanes + 4}, {5 * lanes + 3, block, 1});
    /* groups that do not follow each other in the source */
    if (rows == block)
        ADD(to, "deinterleave", 2, USUAL, {3, more * (block + far), block * (more + 2)}, {rows, 1, more + 2},
            {more, block + far, 1});
}

static void add_interleaves(maker *to) {
    const int64_t block = to->block, lanes = to->lanes, few = lanes > 18 ? 18 : lanes - 1;
    const int64_t less = lanes - 1, more = lanes + 3, some = 3 * lanes + 5, two = 2 * lanes;
    const int64_t together = 8192 / (less * block * to->bytes) + 3, tall = units_of(to, 8192) / block + lanes / 2 + 1;
    const int64_t apart = some * block + 1 + ((some * block + 1) * to->bytes % LINE_BYTES == 0); /* no whole lines */
    /* rows shorter than a vector that follow each other in the source: the destination's order is another; more than are joined
     * at once */
    ADD(to, "interleave", 8, USUAL, {8, few, 3 * few * block}, {3, 8 * few * block, few * block}, {few, 1, block},
        {block, 8 * few, 1});
    ADD(to, "interleave", together, USUAL, {together, less, less * block + 1}, {less, 1, block}, {block, together * less, 1});
    ADD(to, "interleave", 2, USUAL, {3, 5 * less + 1, 5 * less * block}, {5, less, less * block}, {less, 1, block},
        {block, 20 * less, 1});
    /* short rows that do not, and longer ones */
    ADD(to, "interleave", 4, USUAL, {7, -(less + 2), less * block}, {less, 1, block}, {block, 8 * less + 20, 1});
    ADD(to, "interleave", 3, USUAL, {4, more + 2, more * block}, {more, 1, block}, {block, 5 * more, 1});
    ADD(to, "interleave", 2, USUAL, {3, some, some * block + 1}, {some, 1, block}, {block, -(3 * some + 1), 1});
    ADD(to, "interleave", 3, USUAL, {5, some, apart}, {some, 1, block}, {block, 5 * some + 1, 1});
    ADD(to, "interleave", 3, USUAL, {4, two, two * block}, {two, 1, block}, {block, 4 * two, 1});
    ADD(to, "interleave", 1, STREAM_ANYWHERE | CACHED_ANYWHERE, {2, tall, tall * block}, {tall, 1, block}, {block, 2 * tall, 1});
    ADD(to, "interleave", -(2 * lanes + 1), USUAL, {5 * lanes + 1, 1, block}, {block, 5 * lanes + 3, 1});
    /* groups that do not follow each other in the destination */
    ADD(to, "interleave", 2, USUAL, {3, more, more * (block + 2)}, {more, 1, block + 2}, {block, 3 * more, 1});
}

static void add_transposes(maker *to) {
    const int64_t lanes = to->lanes, side = lanes < 16 ? lanes : 16, rows = 2 * side + side / 2 + 1;
    const int64_t columns = 5 * lanes / 2 + 19, whole = larger(5 * lanes, 20), few = 17 + (17 * to->bytes % LINE_BYTES == 0);
    const int64_t cut = -(side * lanes / rows + 1); /* as many jobs as can be */
    /* rows that end within lines */
    ADD(to, "transpose", cut, USUAL, {rows, 1, columns + 3}, {columns, rows + 2, 1});
    ADD(to, "transpose", cut, USUAL, {rows, -1, columns + 3}, {columns, -(rows + 2), 1});
    ADD(to, "transpose", cut, USUAL, {3, 5, (rows + 1) * (columns + 1)}, {rows, 1, columns + 1}, {columns, -(rows + 7), 1});
    /* whole lines, where the destination begins at one */
    ADD(to, "transpose", cut, USUAL, {rows, 1, whole}, {whole, rows + 4, 1});
    /* short rows, one after the other */
    ADD(to, "transpose", cut, USUAL, {13 * side + 1, 1, few}, {few, 13 * side + 2, 1});
    ADD(to, "transpose", cut, USUAL, {7, 5, 5 * few + 3}, {5, 1, few}, {few, 37, 1});
    /* several axes each */
    ADD(to, "transpose", cut, USUAL, {7, 6, 6 * 104}, {6, 1, 104}, {11, 43 * 9 + 1, 9}, {9, 43, 1});
}

/* Runs of each number of chunks. */
static void add_runs(maker *to) {
    static const int64_t runs[] = {2, 3, 5, 7, 13, 37, 97};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const int64_t run = runs[i], bytes = run * to->bytes, line = (LINE_BYTES + bytes - 1) / bytes;
        const int64_t wide = (9 - 4 * (int64_t)(i % 2)) * line + 3, few = LINE_BYTES / bytes + 3;
        if (bytes > TILE_MOST_RUN)
            break;
        /* rows that end within lines, of two axes in turn */
        if (i % 3 == 0)
            ADD(to, "transpose_runs", -1, USUAL, {21, run, wide * run + 1}, {wide, 23 * run, run}, {run, 1, 1});
        else
            ADD(to, "transpose_runs", -1, USUAL, {3, 7 * run, 7 * (wide * run + 1)}, {7, run, wide * run + 1},
                {wide, -(23 * run + 1), run}, {run, 1, 1});
        /* rows that follow each other, of several axes; and no rows */
        if (i % 2 == 0)
            ADD(to, "transpose_runs", -1, USUAL, {3, 23 * run, 23 * few * run + 5}, {23, run, few * run},
                {few, 71 * run + 1, run}, {run, 1, 1});
        else if (bytes <= 16)
            ADD(to, "transpose_runs", -1, USUAL, {3, 1, wide * run + 2}, {wide, run + 2, run}, {run, 1, 1});
    }
}

/* Few units turned round, many times: the innermost axes are shorter than a line. Wider units that are turned in 3 x 4 x 3 have
 * gaps between their slots, which would share banks otherwise. Strides of 9 or 36 are those of one long run. */
static void add_small_blocks(maker *to, int64_t reads, int64_t writes) {
    const int64_t squares = 3 * (4096 / to->bytes / 9 / 8 * 8); /* three tiles */
    for (int64_t i = 1; i < 5 && to->bytes < 4; i++)
        ADD(to, "local", 1, USUAL, {i, 16 * squares, 16 * squares},
            {squares / i / 32 * 32, reads ? 9 : 9 + i, writes ? 9 : 9 + i}, {3, 1, 3}, {3, 3, 1});
    const int64_t tile = 4096 / to->bytes / 36;
    for (int64_t i = 1; i < 6 && to->bytes >= 4; i++) {
        const int64_t src = reads ? 36 : 37 + 2 * i, dst = writes ? 36 : 37 + 2 * i;
        ADD(to, "local", 1, USUAL, {i % 5 * tile + 2 * i + 1, src, dst}, {3, 1, 12}, {4, 3, 3}, {3, 12, 1});
    }
}

/* Long runs of the destination that are joined from short ones of the source, wherever either begins. */
static void add_long_joined(maker *to) {
    static const int64_t rows[] = {25, 5, 3, 7}, wide[] = {97, 331, 401, 397};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ADD(to, "local", 1, USUAL, {rows[i], 17 * (wide[i] + 3), 17 * wide[i]}, {wide[i], 1, 17}, {17, wide[i] + 3, 1});
}

/* Tiles that are read and written as the program is compiled for (cl_kernels/gpu/local_tiles.cl). There are more than one along
 * each cut axis, and smaller ones at the ends. Alignment is in the strides. */
static void add_locals(maker *to) {
    const int64_t any = 3, reads = to->block % 4 == any ? 0 : to->block % 4, writes = to->block / 4;
    if (writes == any) {
        add_long_joined(to);
        return;
    }
    const int64_t src_pad = reads ? 16 : 1, dst_pad = writes ? 16 : 1;
    const int64_t side = to->bytes == 1 ? 128 : to->bytes == 2 ? 96 : to->bytes == 4 ? 64 : to->bytes == 8 ? 32 : 24;
    if (reads != 2 && writes != 2 && to->block > 0 && to->block != any) {
        add_small_blocks(to, reads, writes);
        return;
    }
    if (reads < 2 && writes == 2 && to->bytes <= 2) { /* words of the source go to slots a few units apart */
        const int64_t pad = reads ? 16 : 1, odd = reads && to->bytes == 2 ? 16 : 3; /* 16: slots are skewed */
        for (int64_t i = 0; i < 3; i++) {
            const int64_t few = odd == 3 ? odd + 2 * i : odd, wide = side + 16 * (3 + 2 * i);
            ADD(to, "local", 1, USUAL, {5, wide + 3 * pad, few * wide + 16}, {wide, 1, few}, {few, 6 * wide + 16 * pad + pad, 1});
        }
        ADD(to, "local", 1, USUAL, {2, 0, 18 * odd * side}, {17, -side - pad, odd * side}, {side, 1, odd}, {odd, 20 * side, 1});
        return;
    }
    if (reads == 1) { /* the source's innermost axis is shorter than a line */
        for (int64_t i = 3; i < 8; i += 2) {
            const int64_t wide = 2 * side + 16 * i;
            ADD(to, "local", 1, USUAL, {5, i * wide + 16, wide + 32}, {i, 1, 6 * wide + 160}, {wide, i, 1});
        }
        const int64_t wide = side + 16;
        ADD(to, "local", 1, USUAL, {2, 0, 54 * wide}, {17, -3 * wide - 16, wide}, {3, 1, 18 * wide}, {wide, 3, 1});
        return;
    }
    const int64_t rows = side + (src_pad > 1 ? 16 : 13), columns = side + (dst_pad > 1 ? 32 : 21);
    const int64_t src = (rows + src_pad + 15) / 16 * 16 + src_pad % 16, dst = (columns + dst_pad + 15) / 16 * 16 + dst_pad % 16;
    ADD(to, "local", 1, USUAL, {rows, 1, dst}, {columns, src, 1});
    ADD(to, "local", 1, USUAL, {rows + side / 4, 1, dst + 48}, {columns + (dst_pad > 1 ? 16 : 10), src + 64, 1});
    ADD(to, "local", 1, USUAL, {2, 0, rows * dst + 16}, {rows, 1, dst}, {columns, src, 1});
    ADD(to, "local", 1, USUAL, {17, -16 * side, side / 4 * dst}, {side / 4, 1, dst},
        {side / 4, src, 1}); /* an odd number of tiles */
}

static void add_gathers(maker *to) {
    const int64_t n = units_of(to, 1100) + 17, of_five = units_of(to, 1100) / 5 + 3;
    ADD(to, "gather", 2, USUAL, {3, 2 * n, n}, {n, 3, 1});
    ADD(to, "gather", -23, USUAL, {3, 1, n + 1}, {n, -2, 1});
    ADD(to, "gather", 2, USUAL, {3, of_five, 5 * of_five}, {of_five, 7, 5}, {5, 2, 1});
    ADD(to, "gather", 3, USUAL, {5, 3, 9 * 16}, {9, 1, 16}, {16, -4, 1});
    ADD(to, "gather", 2, USUAL, {3, 11, 9 * 9}, {9, 2, 9}, {5, 3, 1});
    ADD(to, "gather", 5, USUAL, {11, -5, 75}, {37, 5, 2});
}

/* Forms of each case. What is picked has at most 32 bits from a unit to the next, and what comes from afar more, whatever the
 * unit. */
static const struct {
    /* The run and the block of the case. */
    int run, block;
    clm_axis axes[2];
} bits_forms[] = {
    {BITS_COPY, BITS_NO_BLOCK, {{5, 211, 203}, {197, 1, 1}}},
    {BITS_COPY, BITS_NO_BLOCK, {{2, 1731, 1723}, {1723, 1, 1}}}, /* at length */
    {BITS_COPY, BITS_NO_BLOCK, {{41, 7, 5}, {5, 1, 1}}},
    {BITS_COPY, BITS_NO_BLOCK, {{30, -40, 64}, {64, 1, 1}}},
    {BITS_COPY, BITS_NO_BLOCK, {{190, 75, 7}, {3, 1, 2}}}, /* units that lie apart */
    {BITS_FILL, BITS_NO_BLOCK, {{7, 1, 61}, {59, 0, 1}}},
    {BITS_FILL, BITS_NO_BLOCK, {{2, 3, 1723}, {1723, 0, 1}}},
    {BITS_FILL, BITS_NO_BLOCK, {{90, -2, 9}, {9, 0, 1}}},
    {BITS_FILL, BITS_NO_BLOCK, {{17, 1, 64}, {64, 0, 1}}},
    {BITS_PICK, BITS_NO_BLOCK, {{5, 7, 150}, {150, 3, 1}}},
    {BITS_PICK, BITS_NO_BLOCK, {{7, 200, 151}, {150, -3, 1}}},
    {BITS_PICK, BITS_NO_BLOCK, {{101, 31, 9}, {7, 2, 1}}},
    {BITS_PICK, BITS_NO_BLOCK, {{3, -100, 290}, {290, 8, 1}}},
    {BITS_PICK, BITS_TRANSPOSE, {{70, 1, 23}, {20, 3, 1}}},
    {BITS_PICK, BITS_TRANSPOSE, {{73, 1, 21}, {20, -3, 1}}},
    {BITS_PICK, BITS_TRANSPOSE, {{33, 1, 600}, {587, 2, 1}}}, /* more than a panel */
    {BITS_PICK, BITS_TRANSPOSE, {{131, 1, 9}, {9, 8, 1}}},
    {BITS_FAR, BITS_NO_BLOCK, {{14, 5, 90}, {90, 41, 1}}},
    {BITS_FAR, BITS_NO_BLOCK, {{5, -90, 101}, {100, -41, 1}}},
    {BITS_FAR, BITS_NO_BLOCK, {{3, 1, 411}, {397, 33, 1}}}, /* too few rows to transpose */
    {BITS_FAR, BITS_NO_BLOCK, {{97, 75, 7}, {7, 50, 1}}},
    {BITS_FAR, BITS_TRANSPOSE, {{70, 1, 21}, {20, 75, 1}}},
    {BITS_FAR, BITS_TRANSPOSE, {{6, 1, 400}, {391, -41, 1}}},
    {BITS_FAR, BITS_TRANSPOSE, {{33, 1, 600}, {587, 45, 1}}},
    {BITS_FAR, BITS_TRANSPOSE, {{131, 1, 9}, {9, 140, 1}}},
    {BITS_FAR, BITS_WEAVE, {{170, 1, 5}, {5, 175, 1}}},
    {BITS_FAR, BITS_WEAVE, {{85, 1, 8}, {8, -3, 1}}},
    {BITS_FAR, BITS_WEAVE, {{531, 1, 2}, {2, 0, 1}}},
    {BITS_FAR, BITS_WEAVE, {{1000, 1, 7}, {7, 7, 1}}},
};

/* Of the program's case, or where a program does all cases, two of each with either order of bits. */
static void add_bits(maker *to) {
    int run = -1, block = -1, of_case = 0;
    for (size_t i = 0; i < sizeof bits_forms / sizeof *bits_forms; i++) {
        of_case = bits_forms[i].run == run && bits_forms[i].block == block ? of_case + 1 : 0;
        run = bits_forms[i].run;
        block = bits_forms[i].block;
        const bool msb_first = to->one_case ? to->block % 2 : (of_case + (to->unit_bits == 1)) % 2;
        if (to->one_case ? BITS_CASE(run, block, msb_first) != to->block : of_case >= 2)
            continue;
        clm_normal_form *form = add(to, "bits", -37, CACHED_AT_LINE | CACHED_ANYWHERE, bits_forms[i].axes, 2);
        form->src_offset += 5;
        form->dst_offset = 3;
        form->msb_first = msb_first;
    }
}

size_t clm_test_forms_make(const clm_launch_plan *tested, const clm_traits *traits, test_form forms[CLM_TEST_FORMS + 1]) {
    static void (*const add[])(maker *) = {[CLM_COPY_ROWS] = add_copies,
                                           [CLM_REPEAT] = add_repeats,
                                           [CLM_PERIOD] = add_periods,
                                           [CLM_SHUFFLE_BYTES] = add_shuffles,
                                           [CLM_TRANSPOSE] = add_transposes,
                                           [CLM_DEINTERLEAVE] = add_deinterleaves,
                                           [CLM_INTERLEAVE] = add_interleaves,
                                           [CLM_TRANSPOSE_RUNS] = add_runs,
                                           [CLM_LOCAL_TILES] = add_locals,
                                           [CLM_GATHER] = add_gathers,
                                           [CLM_BITS] = add_bits};
    const int64_t bytes = tested->unit_bits < 8 ? 1 : tested->unit_bits / 8;
    maker to = {.block = tested->constant,
                .rows = clm_has_gaps_in_groups(tested) ? tested->m : tested->constant,
                .bytes = bytes,
                .unit_bits = tested->unit_bits,
                .forms = forms};
    to.one_case = traits->takes_rows && tested->unit_bits < 8;
    to.lanes = traits->takes_rows ? LINE_BYTES / bytes : bytes <= 4 ? 16 : bytes == 8 ? 8 : 4;
    to.usual = traits->takes_rows ? CACHED_ANYWHERE | STREAM_AT_LINE | STREAM_ANYWHERE : CACHED_AT_LINE | CACHED_ANYWHERE;
    add[tested->variant->source](&to);
    return to.count;
}
