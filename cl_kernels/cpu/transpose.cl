/* transpose: destination contiguous along some axes, the columns, source along others, the rows: at least 16 rows or 64 bytes of
 * them, columns of at least 64 bytes or rows that follow each other in the destination, and neither in groups that lie side by
 * side of at most 16 units, or 15 of 1 or 2 bytes in the source. A job is a tile. Panels of LANES by SIDE units are read as
 * pieces of SIDE units of the source, transposed in registers, and stored as vectors of SIDE rows of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

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
#endif

/* `panels` times LANES columns to as many lines of each row. Two functions, because of what STORE_CACHED says. */
#define TRANSPOSE_PANELS(name, STORE, vector_t)                                                                                  \
    static __attribute__((noinline)) void name(const global unit_t *from, const sindex_t *column, index_t panels,                \
                                               uchar *const *at, size_t offset) {                                                \
        for (; panels > 0; panels--, column += LANES, offset += LINE) {                                                          \
            lanes_t v[SIDE];                                                                                                     \
            load_panel(v, from, column);                                                                                         \
            _Pragma("unroll") for (int k = 0; k < SIDE; k++) STORE(v[k], (vector_t *)(at[k] + offset));                          \
        }                                                                                                                        \
    }
TRANSPOSE_PANELS(transpose_stream, STORE_STREAM, lanes_t)
TRANSPOSE_PANELS(transpose_cached, STORE_CACHED, lanes_anywhere_t)

/* `count` columns. What is no whole panel at the end overlaps the panel before; or, where there is none, goes unit by unit unless
 * stores may reach past their ends. */
static __attribute__((noinline)) void transpose_columns(const global unit_t *from, const sindex_t *column, index_t count,
                                                        uchar *const *at, bool stream, bool over) {
    if (stream)
        transpose_stream(from, column, count / LANES, at, 0);
    else
        transpose_cached(from, column, count / LANES, at, 0);
    if (count % LANES == 0)
        return;
    if (count >= LANES)
        transpose_cached(from, column + (count - LANES), 1, at, (count - LANES) * sizeof(unit_t));
    else if (over)
        transpose_cached(from, column, 1, at, 0);
    else
        for (index_t i = 0; i < count; i++)
            for (int k = 0; k < SIDE; k++)
                ((unit_t *)at[k])[i] = from[column[i] + k];
}

/* Columns that may be read behind those of a tile: up to the end of a line, and to the end of a vector. */
#define BEHIND (2 * LINE)

typedef struct {
    index_t first_column, columns, first_row, rows;
    bool is_joined; /* rows are put together before they are written */
    bool is_last;   /* it has the last columns of the matrix */
    /* Places of columns in the source and of rows in the destination. Columns that do not exist are the last that does. */
    sindex_t column_src[TILE_COLUMNS + BEHIND], row_dst[TILE_ROWS];
} tile_t;

/* The places of steps first to first + count - 1 of the product of `rank` axes of outer. */
static __attribute__((noinline)) void find_places(const move_args *args, index_t axis, index_t rank, bool in_src, index_t first,
                                                  index_t count, sindex_t *places) {
    index_t index[MOVE_OUTER];
    sindex_t stride[MOVE_OUTER], place = 0;
    for (index_t i = rank; i-- > 0;) {
        const index_t rest = divide(first, &args->outer[axis + i].by);
        stride[i] = in_src ? args->outer[axis + i].src : args->outer[axis + i].dst;
        index[i] = first - rest * args->outer[axis + i].extent;
        place += (sindex_t)index[i] * stride[i];
        first = rest;
    }
    const index_t inner = rank - 1;
    for (index_t done = 0; done < count;) {
        const index_t part = min(args->outer[axis + inner].extent - index[inner], count - done);
        for (index_t k = 0; k < part; k++)
            places[done + k] = place + (sindex_t)k * stride[inner];
        done += part;
        place -= (sindex_t)index[inner] * stride[inner];
        index[inner] = 0;
        for (index_t i = inner; i-- > 0;) {
            if (index[i] + 1 < args->outer[axis + i].extent) {
                index[i]++;
                place += stride[i];
                break;
            }
            place -= (sindex_t)index[i] * stride[i];
            index[i] = 0;
        }
    }
}

/* Finds tile number `segment` of a row of the outer axes. What stays as it was since the tile before is not found again. */
static __attribute__((noinline)) void find_tile(const move_args *args, index_t segment, tile_t *tile) {
    const index_t across = (args->n + args->segment - 1) / args->segment;
    const index_t first_column = segment % across * args->segment, first_row = segment / across * args->band;
    if (tile->columns == 0 || tile->first_column != first_column) {
        tile->first_column = first_column;
        tile->columns = min(args->segment, args->n - first_column);
        tile->is_last = first_column + tile->columns == args->n;
        const index_t there = min(args->n - first_column, tile->columns + BEHIND);
        find_places(args, args->outer_rank, args->n_rank, true, first_column, there, tile->column_src);
        for (index_t i = there; i < tile->columns + BEHIND; i++)
            tile->column_src[i] = tile->column_src[there - 1];
    }
    if (tile->rows == 0 || tile->first_row != first_row) {
        tile->first_row = first_row;
        tile->rows = min(args->band, args->m - first_row);
        find_places(args, args->outer_rank + args->n_rank, args->m_rank, false, first_row, tile->rows, tile->row_dst);
    }
}

/* Of write-combining buffers: what one takes at once, and all of them. */
#define ROOM 512
#define PITCH (ROOM + LINE + OVERRUN)
#define ROOMS (SIDE * TILE_MOST_JOINED + 2 * LINE)

/* At most SIDE rows, by way of a write-combining buffer for each: so that all lines but the first and the last of the matrix are
 * written whole. A line is written with the tile in which it begins, and the columns behind that for its end. */
static __attribute__((noinline)) void transpose_apart(const move_args *args, const tile_t *tile, const global unit_t *from,
                                                      uchar *const *to, uint skip, uint kept, uchar *rooms, uchar *nowhere) {
    wc_buffer_t wc_buffer[SIDE];
    index_t count = tile->columns;
    bool ends_at_line = true;
    for (uint k = skip; k < skip + kept; k++) {
        wc_buffer_start(&wc_buffer[k], (global uchar *)(size_t)to[k]);
        if (tile->first_column > 0 && wc_buffer[k].begin > 0)
            wc_buffer[k].begin = LINE;
        ends_at_line = ends_at_line && (((size_t)to[k] + count * sizeof(unit_t)) & (LINE - 1)) == 0;
    }
    const index_t left = args->n - tile->first_column;
    if (!tile->is_last && !ends_at_line)
        count = min(left, count + (index_t)((LINE - 1 + sizeof(unit_t) - 1) / sizeof(unit_t)));
    for (index_t done = 0, part; done < count; done += part) {
        uchar *at[SIDE];
        part = min(count - done, (index_t)(ROOM / sizeof(unit_t)));
        for (uint k = 0; k < SIDE; k++) {
            at[k] = nowhere;
            if (k < skip || k >= skip + kept)
                continue;
            wc_buffer_seek(&wc_buffer[k], rooms + k * PITCH, ROOM + LINE, (global uchar *)(size_t)(to[k] + done * sizeof(unit_t)),
                           (uint)(part * sizeof(unit_t)), true);
            at[k] = rooms + k * PITCH + wc_buffer[k].end;
            wc_buffer[k].end += (uint)(part * sizeof(unit_t));
        }
        transpose_columns(from, tile->column_src + done, part, at, false, true);
    }
    for (uint k = skip; k < skip + kept; k++)
        if (count < left) /* what is left is the next tile's */
            wc_buffer_drain(&wc_buffer[k], rooms + k * PITCH, true);
        else
            wc_buffer_finish(&wc_buffer[k], rooms + k * PITCH, true);
}

kernel void transpose(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    uchar rooms[ROOMS] __attribute__((aligned(LINE)));
    uchar nowhere[TILE_COLUMNS * sizeof(unit_t) + LINE] __attribute__((aligned(LINE)));
    tile_t tile;
    const index_t run = args.outer[args.outer_rank + args.n_rank + args.m_rank - 1].extent;
    tile.columns = tile.rows = 0;
    tile.is_joined = args.outer[args.outer_rank + args.n_rank + args.m_rank - 1].dst == (sindex_t)args.n &&
                     TILE_IS_JOINED(args.n * sizeof(unit_t));
    wc_buffer_t wc_buffer; /* of joined rows */
    wc_buffer_start(&wc_buffer, dst);
    FOR_EACH_JOB(&args, job) {
        const move_place place = find_place(&args, job);
        find_tile(&args, job - divide(job, &args.segments) * args.segments.divisor, &tile);
        const size_t row_bytes = tile.columns * sizeof(unit_t);
        const bool whole_lines = row_bytes % LINE == 0 || (tile.is_last && row_bytes > LINE);
        global unit_t *const into = (global unit_t *)dst + place.dst + tile.first_column;
        for (index_t i = 0, kept; i < tile.rows; i += kept) {
            /* The last rows of the matrix are read with some before them, which are written to nowhere. */
            const index_t row = tile.first_row + i, first = min(row, args.m - SIDE);
            const global unit_t *from = (const global unit_t *)src + place.src + first;
            const uint skip = (uint)(row - first);
            uchar *to[SIDE];
            size_t together = 0;
            kept = min(tile.rows - i, (index_t)(SIDE - skip));
            if (tile.is_joined)
                kept = min(kept, run - row % run);
            for (uint k = 0; k < SIDE; k++)
                to[k] = nowhere;
            for (uint k = 0; k < kept; k++) {
                to[skip + k] = (uchar *)(size_t)(into + tile.row_dst[i + k]); /* on a processor there is one address space */
                together |= (size_t)to[skip + k];
            }
            const bool direct = !args.stream || (whole_lines && kept == SIDE && (together & (LINE - 1)) == 0);
            if (args.stream) /* the next line of each column, some of them with each piece of a line */
                for (index_t c = row / SIDE % PARTS; c < tile.columns; c += PARTS)
                    prefetch_line(from + tile.column_src[c] + LANES);
            if (!direct && !tile.is_joined) {
                transpose_apart(&args, &tile, from, to, skip, (uint)kept, rooms, nowhere);
                continue;
            }
            if (!direct) {
                wc_buffer_seek(&wc_buffer, rooms, ROOMS - LINE, (global uchar *)(size_t)to[skip], (uint)(kept * row_bytes), true);
                for (uint k = 0; k < kept; k++)
                    to[skip + k] = rooms + wc_buffer.end + k * row_bytes;
                wc_buffer.end += (uint)(kept * row_bytes);
            }
            transpose_columns(from, tile.column_src, tile.columns, to, args.stream && direct, !direct);
            if (!direct)
                wc_buffer_drain(&wc_buffer, rooms, true);
        }
    }
    wc_buffer_finish(&wc_buffer, rooms, args.stream);
}
