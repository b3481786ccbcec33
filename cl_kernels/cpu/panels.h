/* Panels of LANES by SIDE units, which transpose.cl reads as pieces of SIDE units of the source, transposes in registers, and
 * stores as vectors of SIDE rows of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_PANELS_H
#define CLMOVE_PANELS_H

/* Units of a piece: at most a line, and no more rows than there are registers for. */
#define SIDE (LANES < 16 ? LANES : 16)

#define PARTS (LINE / (SIDE * (int)sizeof(unit_t))) /* pieces of a line */

#if UNIT_BITS >= 32
MOVE_FUNCTION void load_panel(lanes_t *v, const global unit_t *from, const sindex_t *column) {
#pragma unroll
    for (int k = 0; k < SIDE; k++)
        v[k] = LOAD_LANES(from + column[k]);
    split_lanes(v, SIDE);
}
#else
#define LOAD_PIECE(from, column, i) (*(const global piece_t *)((from) + (column)[i]))

MOVE_FUNCTION void load_panel(lanes_t *v, const global unit_t *from, const sindex_t *column) {
#pragma unroll
    for (int first = 0; first < SIDE; first += PIECE_UNITS, v += PIECE_UNITS, from += PIECE_UNITS) {
#pragma unroll
        for (int k = 0; k < PIECE_UNITS; k++)
            v[k] = (lanes_t)(LOAD_PIECE(from, column, k), LOAD_PIECE(from, column, k + PIECE_UNITS),
                             LOAD_PIECE(from, column, k + 2 * PIECE_UNITS), LOAD_PIECE(from, column, k + 3 * PIECE_UNITS));
        unpack_pieces(v);
    }
}

/* Half as many columns, as halves of vectors. A whole panel would load all its pieces for them: bytes by blocks of 17 make rows
 * of 17 columns. */
#define HALF (LANES / 2)
typedef value_t half_t __attribute__((ext_vector_type(HALF)));
typedef half_t half_anywhere_t __attribute__((aligned(1)));
#define UNPACK_HALF(a, b, at) __builtin_shufflevector(a, b, PAIRS(at, HALF), PAIRS((at) + PIECE_UNITS, HALF))
UNPACK_PIECES(unpack_half, half_t, UNPACK_HALF)

MOVE_CALLED void transpose_half(const global unit_t *from, const sindex_t *column, uchar *const *at) {
#pragma unroll
    for (int first = 0; first < SIDE; first += PIECE_UNITS, from += PIECE_UNITS) {
        half_t v[PIECE_UNITS];
#pragma unroll
        for (int k = 0; k < PIECE_UNITS; k++)
            v[k] = (half_t)(LOAD_PIECE(from, column, k), LOAD_PIECE(from, column, k + PIECE_UNITS));
        unpack_half(v);
#pragma unroll
        for (int k = 0; k < PIECE_UNITS; k++)
            *(half_anywhere_t *)at[first + k] = v[k];
    }
}
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
MOVE_FUNCTION void prefetch_columns(const global unit_t *ahead, const sindex_t *column, int count, int part) {
    if (ahead)
        for (int k = part; k < count; k += PARTS)
            prefetch_line_far(ahead + column[k]);
}

/* `panels` times LANES columns to as many lines of each row, past the cache or through it. */
MOVE_CALLED void transpose_panels(const global unit_t *from, const sindex_t *column, index_t panels, uchar *const *at,
                                  size_t offset, bool stream, const global unit_t *ahead, int part) {
    for (; panels > 0; panels--, column += LANES, offset += LINE) {
        lanes_t v[SIDE];
        prefetch_columns(ahead, column, LANES, part);
        load_panel(v, from, column);
        if (stream) {
#pragma unroll
            for (int k = 0; k < SIDE; k++)
                STORE_STREAM(v[k], (lanes_t *)(at[k] + offset));
        } else {
#pragma unroll
            for (int k = 0; k < SIDE; k++)
                STORE_CACHED(v[k], (lanes_anywhere_t *)(at[k] + offset));
        }
    }
}

/* `count` columns. What is no whole panel at the end overlaps the panel before; or, where there is none, goes unit by unit unless
 * stores may reach past their ends. */
MOVE_CALLED void transpose_columns(const global unit_t *from, const sindex_t *column, index_t count, uchar *const *at,
                                   bool stream, bool over, const global unit_t *ahead, int part) {
    transpose_panels(from, column, count / LANES, at, 0, stream, ahead, part);
    if (count % LANES == 0)
        return;
    prefetch_columns(ahead, column + count / LANES * LANES, (int)(count % LANES), part);
    if (count >= LANES)
        transpose_panels(from, column + (count - LANES), 1, at, (count - LANES) * sizeof(unit_t), false, NULL, 0);
#ifdef HALF
    else if (over && count <= HALF)
        transpose_half(from, column, at);
#endif
    else if (over)
        transpose_panels(from, column, 1, at, 0, false, NULL, 0);
    else
        for (index_t i = 0; i < count; i++)
            for (int k = 0; k < SIDE; k++)
                ((unit_t *)at[k])[i] = from[column[i] + k];
}

#endif
