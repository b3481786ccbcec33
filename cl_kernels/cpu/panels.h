/* Panels of LANES by SIDE units, which transpose.cl reads from the source in pieces of 16 bytes or a line, transposes in
 * registers, and stores as vectors of SIDE rows of the destination; and what is asked for ahead of them. rooms.h uses them, too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_PANELS_H
#define CLMOVE_PANELS_H

/* Units of a piece: at most a line, and no more rows than there are registers for. */
#define SIDE (LANES < 16 ? LANES : 16)

#define PARTS (LINE / (SIDE * (int)sizeof(unit_t))) /* pieces of a line */

#if UNIT_BITS > 64
MOVE_FUNCTION void load_panel(lanes_t *v, const global unit_t *from, const sindex_t *column) {
#pragma unroll
    for (int k = 0; k < SIDE; k++)
        v[k] = LOAD_LANES(from + column[k]);
    split_lanes(v, SIDE);
}
#else
#define LOAD_PIECE(from, column, i) (*(const global piece_t *)((from) + (column)[i]))

#define COLUMN_PIECE(i) LOAD_PIECE(from, column, i)

#if UNIT_BITS >= 32
/* A register's part of each vector at a time: a processor with 16 registers of 32 bytes has no room for 16 vectors. With AVX-512
 * as well, where splitting two whole vectors of 4 or 8 bytes is two instructions: POCL 3.1 compiles for a processor that prefers
 * vectors of 32 bytes, and takes four. f32 by 17 and 28 on 2 cores of an Intel Xeon (model 207) 1.1 to 1.3 times as fast in
 * pieces. */
MOVE_FUNCTION void load_panel(lanes_t *v, const global unit_t *from, const sindex_t *column) {
#pragma unroll
    for (int first = 0; first < SIDE; first += PIECE_UNITS, v += PIECE_UNITS, from += PIECE_UNITS)
#pragma unroll
        for (int part = 0; part < LINE / REGISTER_BYTES; part++) {
            register_t w[PIECE_UNITS];
#pragma unroll
            for (int k = 0; k < PIECE_UNITS; k++)
                w[k] = REGISTER_OF(COLUMN_PIECE, k + part * (REGISTER_BYTES / PIECE) * PIECE_UNITS, PIECE_UNITS);
            unpack_registers(w);
#pragma unroll
            for (int k = 0; k < PIECE_UNITS; k++)
                ((register_t *)&v[k])[part] = w[k];
        }
}
#else
/* Of narrow units a register's columns at a time, which go to SIDE rows: a function of its own, so that there is less to compile.
 * A whole panel would load all its pieces for few columns: bytes by blocks of 17 make rows of 17. */
#define PART_COLUMNS (REGISTER_BYTES / (int)sizeof(unit_t))
typedef register_t register_anywhere_t __attribute__((aligned(1)));
MOVE_CALLED void transpose_part(const global unit_t *from, const sindex_t *column, uchar *const *at, size_t offset) {
#pragma nounroll
    for (int first = 0; first < SIDE; first += PIECE_UNITS, from += PIECE_UNITS) {
        register_t w[PIECE_UNITS];
#pragma unroll
        for (int k = 0; k < PIECE_UNITS; k++)
            w[k] = REGISTER_OF(COLUMN_PIECE, k, PIECE_UNITS);
        unpack_registers(w);
#pragma unroll
        for (int k = 0; k < PIECE_UNITS; k++)
            *(register_anywhere_t *)(at[first + k] + offset) = w[k];
    }
}
#endif
#endif

/* What is asked for is read so many lines later, or so many of each column; host/native/transpose.inc has the figures. */
#define LINES_BETWEEN 256
#define COLUMN_LINES 8

/* In rows of the tile, at most all of them. */
MOVE_FUNCTION index_t rows_ahead(const tile_t *tile) {
    const index_t lines = min((index_t)COLUMN_LINES, 1 + LINES_BETWEEN / tile->columns);
    return min(lines, (tile->rows + LANES - 1) / LANES) * LANES;
}

/* Where row `row` of the tile begins in its first column; or, where the tile has no such row, in what is read after it; NULL: not
 * known. */
MOVE_FUNCTION const global unit_t *row_ahead(const move_args *args, const tile_t *tile, const global unit_t *src,
                                             const global unit_t *next, index_t row) {
    const bool is_whole = tile->is_last && tile->first_column == 0;
    if (row >= tile->rows && next)
        return next + (tile->first_row + row - tile->rows);
    return row < tile->rows || (is_whole && tile->first_row + row < args->m) ? src + (tile->first_row + row) : NULL;
}

/* Asks for a line of each PARTS-th column from `part` on, of so many, which is read soon. */
MOVE_CALLED void prefetch_columns(const global unit_t *ahead, const sindex_t *column, int count, int part) {
    for (int k = part; k < count; k += PARTS)
        prefetch_line_far(ahead + column[k]);
}

/* Fewer than 16 places at once are slower: f64 on 2 cores of an Intel Xeon (480 MiB of cache), POCL 3.1, GB/s of 8 columns 35, of
 * 16 43. Wide ones have two lines: f32 32 and 36, f16 29 and 33; bytes 25 and 24. */
#define STRIP_COLUMNS (LANES < 16 ? 16 : LANES)
#define WIDE_STRIP_COLUMNS (LANES < 8 ? 16 : 2 * LANES)
/* ---- what strips ask for; host/native/strips.inc and wide_strips.inc have the reasons ---- */

#define LINES_AHEAD 3

/* Columns of so many bytes, side by side in the source, are asked for from front to back. */
#define LEAST_IN_ORDER 192
#define MOST_IN_ORDER 2048

/* Of wide strips, units of at most so many bytes have groups: so many lines of a column that are asked for together. */
#define MOST_GROUPED 4
#define GROUP_LINES 4

/* All rows, where columns may be asked for in order; else 0. */
MOVE_FUNCTION long rows_in_order(const move_args *args) {
    return args->stream == MOVE_STREAMS_IN_WIDE_STRIPS ? 0 : (long)args->m;
}

/* Asks for what block `block` of a strip's blocks has to ask for, in this strip, in one behind it, or in the next tile, if that
 * has the same columns: of each PARTS-th column, from column `first` of the tile on, a line that is needed a few lines later; or,
 * in order, its share of the strip behind; or, in groups, its share of the columns' next group of lines. from: the tile's rows
 * from where the strip begins; next: those of the next tile, or NULL. m: of rows_in_order. width: columns of a strip. */
MOVE_CALLED void prefetch_strip(const tile_t *tile, ask_t *ask, const global unit_t *from, const global unit_t *next, long m,
                                long block, long blocks, long first, long width, bool in_groups) {
    const long lines = (blocks + PARTS - 1) / PARTS, bytes = m * (long)sizeof(unit_t);
    const long groups = (lines + GROUP_LINES - 1) / GROUP_LINES, group_lines = (lines + groups - 1) / groups;
    ask_on(ask, (index_t)(width * SIDE * (long)sizeof(unit_t)));
    const bool in_order = bytes >= LEAST_IN_ORDER && bytes <= MOST_IN_ORDER && blocks * SIDE >= m &&
                          (long)tile->column_src[first + width - 1] - (long)tile->column_src[first] == (width - 1) * m;
    long line = in_order    ? lines
                : in_groups ? min(lines, (block / (group_lines * PARTS) + 1) * group_lines)
                            : block / PARTS + LINES_AHEAD;
    for (; line >= lines; line -= lines)
        first += width;
    if (first >= (long)tile->columns && next) {
        first -= ((long)tile->columns + width - 1) / width * width;
        from = next;
    } else if (first >= (long)tile->columns && tile->is_last)
        return;
    if (first < 0 || first > (long)tile->columns + BEHIND - width)
        return;
    const sindex_t *column = tile->column_src + first;
    if (in_order) {
        const long all = m * (width / LANES); /* LANES columns have m lines */
        for (long k = all * block / blocks; k < all * (block + 1) / blocks; k++)
            prefetch_line_far(from + column[0] + k * LANES);
    } else if (in_groups) {
        const long step = block % (group_lines * PARTS), steps = min(group_lines * PARTS, blocks - (block - step));
        const long end = min(line + group_lines, lines), apart = (long)column[1] - (long)column[0];
        const long of_line = apart > 0 && apart < LANES ? LANES / apart : 1; /* columns */
        for (long k = width * step / steps; k < width * (step + 1) / steps; k += of_line)
            for (long i = line; i < end; i++)
                prefetch_line_far(from + column[k] + i * LANES);
    } else
        for (long k = block % PARTS; k < width; k += PARTS)
            prefetch_line(from + column[k] + line * LANES);
}

/* ---- transposing ---- */

/* How lines are stored: through the cache; so, and each whole before that of the next row, into which it may reach; past the
 * cache; or past it and two of a row right after each other. */
enum { STORE_LINES, STORE_IN_TURN, STREAM_LINES, STREAM_PAIRS };

#if UNIT_BITS < 32
/* `panels` times LANES columns, an even number in pairs, to as many lines of each row. What leaves past the cache
 * is made in it. */
MOVE_CALLED void transpose_panels(const global unit_t *from, const sindex_t *column, index_t panels, uchar *const *at,
                                  size_t offset, int how, const global unit_t *ahead, int part) {
    lanes_t made[SIDE][2];
    uchar *into[SIDE] ON_LINES;
    for (int k = 0; k < SIDE; k++)
        into[k] = (uchar *)made[k];
    for (; panels > 0; panels--, column += LANES, offset += LINE) {
        const bool is_second = how == STREAM_PAIRS && panels % 2 == 1;
        uchar *const *const to = how == STORE_LINES ? at : into;
        if (ahead)
            prefetch_columns(ahead, column, LANES, part);
        for (int i = 0; i < LANES; i += PART_COLUMNS)
            transpose_part(from, column + i, to, (how == STORE_LINES ? offset : is_second * LINE) + i * sizeof(unit_t));
        if (how == STORE_IN_TURN)
#pragma nounroll
            for (int k = 0; k < SIDE; k++)
                STORE_CACHED(made[k][0], (lanes_anywhere_t *)(at[k] + offset));
        else if (how == STREAM_LINES)
#pragma nounroll
            for (int k = 0; k < SIDE; k++)
                STORE_STREAM(made[k][0], (lanes_t *)(at[k] + offset));
        else if (is_second)
#pragma nounroll
            for (int k = 0; k < SIDE; k++) {
                STORE_STREAM(made[k][0], (lanes_t *)(at[k] + offset - LINE));
                STORE_STREAM(made[k][1], (lanes_t *)(at[k] + offset));
            }
    }
}
#else
/* The same of wider units, which fill registers. */
MOVE_CALLED void transpose_panels(const global unit_t *from, const sindex_t *column, index_t panels, uchar *const *at,
                                  size_t offset, int how, const global unit_t *ahead, int part) {
    for (; panels > 0; panels--, column += LANES, offset += LINE) {
        lanes_t v[SIDE];
        if (ahead)
            prefetch_columns(ahead, column, LANES, part);
        load_panel(v, from, column);
        if (how == STREAM_LINES) {
#pragma unroll
            for (int k = 0; k < SIDE; k++)
                STORE_STREAM(v[k], (lanes_t *)(at[k] + offset));
        } else if (how != STREAM_PAIRS) {
#pragma unroll
            for (int k = 0; k < SIDE; k++)
                STORE_CACHED(v[k], (lanes_anywhere_t *)(at[k] + offset));
        } else {
            lanes_t behind[SIDE];
            load_panel(behind, from, column + LANES);
            panels--, column += LANES, offset += LINE;
#pragma unroll
            for (int k = 0; k < SIDE; k++) {
                STORE_STREAM(v[k], (lanes_t *)(at[k] + offset - LINE));
                STORE_STREAM(behind[k], (lanes_t *)(at[k] + offset));
            }
        }
    }
}
#endif

/* Fewer columns than a panel has. A panel is written, or a part of one: each row overwrites what the one before wrote too much.
 */
MOVE_FUNCTION void transpose_few(const global unit_t *from, const sindex_t *column, index_t count, uchar *const *at) {
#if UNIT_BITS < 32
    if (count <= PART_COLUMNS)
        transpose_part(from, column, at, 0);
    else
#endif
        transpose_panels(from, column, 1, at, 0, STORE_IN_TURN, NULL, 0);
    (void)count;
}

/* `count` columns. What is no whole panel at the end overlaps the panel before; or, where there is none, goes unit by unit unless
 * stores may reach past their ends. */
MOVE_CALLED void transpose_columns(const global unit_t *from, const sindex_t *column, index_t count, uchar *const *at, int how,
                                   bool over, const global unit_t *ahead, int part) {
    transpose_panels(from, column, count / LANES, at, 0, how, ahead, part);
    if (count % LANES == 0)
        return;
    if (ahead)
        prefetch_columns(ahead, column + count / LANES * LANES, (int)(count % LANES), part);
    if (count >= LANES)
        transpose_panels(from, column + (count - LANES), 1, at, (count - LANES) * sizeof(unit_t), STORE_LINES, NULL, 0);
    else if (over)
        transpose_few(from, column, count, at);
    else
        for (index_t i = 0; i < count; i++)
            for (int k = 0; k < SIDE; k++)
                ((unit_t *)at[k])[i] = from[column[i] + k];
}

#endif
