/* transpose_runs: runs of at most 320 bytes, contiguous on both sides; beside them axes along which the destination is
 * contiguous, the columns, of at least 64 bytes or in rows that follow each other; for runs of more than 16 bytes also axes
 * along which the source is contiguous, forwards or backwards, the rows. A job is a tile. Its rows, several at once, are put
 * together from the runs of each column in turn, and written as lines. A run is moved as one chunk, which may reach past its
 * end, as the next one overwrites that; or, if it has more than 16 bytes, as several. Runs of a line or more are not put
 * together: lines are written from them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Rows that are put together at once, unless they are joined. */
#define ROWS 16
/* Bytes between rows that are put together, which have the columns up to the end of a line, and a chunk. */
#define PITCH (TILE_RUN_COLUMNS + LINE + TILE_DIRECT_RUN + 16)

typedef ushort chunk_2_t __attribute__((may_alias, aligned(1)));
typedef uint chunk_4_t __attribute__((may_alias, aligned(1)));
typedef ulong chunk_8_t __attribute__((may_alias, aligned(1)));
#define MOVE(chunk_t, at) *(chunk_t *)(to + (at)) = *(const global chunk_t *)(from + (at))

/* `count` columns of `rows` rows. */
#define MOVE_COLUMNS(name, chunk_t)                                                                                              \
    MOVE_CALLED void name(uchar *into, size_t pitch, const global uchar *src, const sindex_t *column, index_t count, uint bytes, \
                          uint rows) {                                                                                           \
        for (index_t i = 0; i < count; i++, into += bytes) {                                                                     \
            const global uchar *from = src + (long)column[i] * (long)sizeof(unit_t);                                             \
            uchar *to = into;                                                                                                    \
            for (uint b = 0; b < rows * bytes; b += LINE)                                                                        \
                prefetch_line(from + rows * bytes + LINE + b);                                                                   \
            if (rows == ROWS)                                                                                                    \
                _Pragma("unroll") for (uint k = 0; k < ROWS; k++, to += pitch, from += bytes) MOVE(chunk_t, 0);                  \
            else                                                                                                                 \
                for (uint k = 0; k < rows; k++, to += pitch, from += bytes)                                                      \
                    MOVE(chunk_t, 0);                                                                                            \
        }                                                                                                                        \
    }
MOVE_COLUMNS(move_columns_4, chunk_4_t)
MOVE_COLUMNS(move_columns_8, chunk_8_t)
MOVE_COLUMNS(move_columns_16, piece_anywhere_t)

/* Runs of more than 16 bytes, as so many pieces; the last one overlaps the one before. What the next rows have of the columns is
 * asked for. */
#define MOVE_COLUMNS_IN_PIECES(name, pieces)                                                                                     \
    MOVE_CALLED void name(uchar *into, size_t pitch, const global uchar *src, const sindex_t *column, index_t count, uint bytes, \
                          uint rows) {                                                                                           \
        const uint all = rows * bytes;                                                                                           \
        for (index_t i = 0; i < count; i++, into += bytes) {                                                                     \
            const global uchar *from = src + (long)column[i] * (long)sizeof(unit_t);                                             \
            uchar *to = into;                                                                                                    \
            for (uint b = 0; b < all; b += LINE)                                                                                 \
                prefetch_line(from + all + b);                                                                                   \
            for (uint k = 0; k < rows; k++, to += pitch, from += bytes) {                                                        \
                _Pragma("unroll") for (uint p = 0; p + 1 < pieces; p++) MOVE(piece_anywhere_t, p *PIECE);                        \
                MOVE(piece_anywhere_t, bytes - PIECE);                                                                           \
            }                                                                                                                    \
        }                                                                                                                        \
    }
MOVE_COLUMNS_IN_PIECES(move_columns_32, 2)
MOVE_COLUMNS_IN_PIECES(move_columns_48, 3)
MOVE_COLUMNS_IN_PIECES(move_columns_64, 4)

/* Runs of at most 16 bytes, no byte beyond which is read or written. */
MOVE_CALLED void move_columns_exactly(uchar *into, size_t pitch, const global uchar *src, const sindex_t *column, index_t count,
                                      uint bytes, uint rows) {
    for (index_t i = 0; i < count; i++, into += bytes)
        for (uint k = 0; k < rows; k++) {
            const global uchar *from = src + (long)column[i] * (long)sizeof(unit_t) + k * bytes;
            uchar *to = into + k * pitch;
            if (bytes >= 8) {
                MOVE(chunk_8_t, 0);
                MOVE(chunk_8_t, bytes - 8);
            } else if (bytes >= 4) {
                MOVE(chunk_4_t, 0);
                MOVE(chunk_4_t, bytes - 4);
            } else {
                MOVE(chunk_2_t, 0);
                to[bytes - 1] = from[bytes - 1];
            }
        }
}

/* readable: the bytes that may be read from the last run on. over: a line may be written past each row. */
MOVE_CALLED void move_columns(const packing_t *packing, uchar *into, size_t pitch, const global uchar *src,
                              const sindex_t *column, index_t count, uint bytes, uint rows, size_t readable, bool over) {
    const uint chunk = bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16;
    const index_t whole = readable < chunk ? 0 : over ? count : count - 1;
    if (bytes > 16) {
        if (bytes <= 32)
            move_columns_32(into, pitch, src, column, count, bytes, rows);
        else if (bytes <= 48)
            move_columns_48(into, pitch, src, column, count, bytes, rows);
        else
            move_columns_64(into, pitch, src, column, count, bytes, rows);
        return;
    }
    const uint packed = move_packed(packing, into, pitch, src, column, count, bytes, rows, readable, over);
    into += packed * pitch;
    src += packed * bytes;
    rows -= packed;
    if (rows == 0)
        return;
    if (chunk == 4)
        move_columns_4(into, pitch, src, column, whole, bytes, rows);
    else if (chunk == 8)
        move_columns_8(into, pitch, src, column, whole, bytes, rows);
    else
        move_columns_16(into, pitch, src, column, whole, bytes, rows);
    move_columns_exactly(into + whole * bytes, pitch, src, column + whole, count - whole, bytes, rows);
}

MOVE_CALLED void copy_part(global uchar *to, const global uchar *from, size_t bytes) {
    size_t done = 0;
    for (; done + 8 <= bytes; done += 8)
        *(global chunk_8_t *)(to + done) = *(const global chunk_8_t *)(from + done);
    for (; done < bytes; done++)
        to[done] = from[done];
}

/* Writes the lines that begin within the `bytes` bytes at `to`; of the first part of a row also what is before them. `there`
 * bytes are there: to the end of the last line, or of the row. */
MOVE_CALLED void put_row(global uchar *to, const uchar *from, size_t bytes, size_t there, bool is_first, bool stream) {
    const size_t to_line = (0 - (size_t)to) & (LINE - 1);
    size_t done = min(to_line, there);
    if (is_first)
        copy_part(to, (const global uchar *)(size_t)from, done); /* on a processor there is one address space */
    if (stream)
        for (; done < bytes && done + LINE <= there; done += LINE)
            STORE_STREAM(load_line((const global uchar *)(size_t)(from + done)), (global line_t *)(to + done));
    else
        for (; done < bytes && done + LINE <= there; done += LINE)
            STORE_CACHED(load_line((const global uchar *)(size_t)(from + done)), (global line_t *)(to + done));
    if (done < bytes)
        copy_part(to + done, (const global uchar *)(size_t)(from + done), there - done);
}

/* Columns of `count` rows from `first` on that are put together: up to the end of the line in which those of the tile end. */
MOVE_FUNCTION index_t find_columns(const tile_t *tile, const global uchar *into, index_t first, index_t count, uint bytes,
                                   index_t left) {
    size_t together = tile->columns * bytes;
    for (index_t i = first; i < first + count; i++)
        together |= (size_t)(into + (long)tile->row_dst[i] * (long)sizeof(unit_t));
    return tile->is_joined || (together & (LINE - 1)) == 0 ? tile->columns
                                                           : min(left, tile->columns + (LINE - 1 + bytes - 1) / bytes);
}

/* ---- runs of a line or more ---- */

/* So many columns further on are asked for. */
#define RUN_AHEAD 2

/* Rows of a tile that are written at the same time. */
typedef struct {
    uint count;
    global uchar *to[TILE_DIRECT_ROWS];
    /* Bytes of the run at hand that belong to a line that began before. */
    uint done[TILE_DIRECT_ROWS];
    /* What ends with the last column of the matrix goes on with the first one of the next row. */
    bool goes_on[TILE_DIRECT_ROWS];
} row_group;

/* Moves a run: the lines that begin in it from byte `done` on, the last one with the start of the next run, which begins `apart`
 * bytes behind this one. Returns how many bytes of the next run are done. */
MOVE_FUNCTION uint stream_run(global uchar *to, const global uchar *from, uint done, uint bytes, long apart,
                              const global uchar *begin, const global uchar *end) {
    for (; done + LINE <= bytes; done += LINE)
        STORE_STREAM(load_line(from + done), (global line_t *)(to + done));
    if (done < bytes) {
        stream_seam(to + done, from + done, bytes - done, apart, begin, end);
        done += LINE;
    }
    return done - bytes;
}

/* Column by column. from: the first of these rows. The last column of the matrix has nothing behind it, or the next row. */
MOVE_CALLED void stream_group(const tile_t *tile, row_group *rows, const global uchar *from, uint bytes,
                              const global uchar *begin, const global uchar *end) {
    for (index_t c = 0; c < tile->columns; c++) {
        const bool is_last = tile->is_last && c + 1 == tile->columns;
        const long at = (long)tile->column_src[c] * (long)sizeof(unit_t),
                   next = (long)tile->column_src[is_last ? 0 : c + 1] * (long)sizeof(unit_t);
        const long apart = next - at - (is_last ? 0 : (long)bytes); /* the next row is one run further on */
        const global uchar *ahead = from + (long)tile->column_src[c + RUN_AHEAD] * (long)sizeof(unit_t);
        for (uint b = 0; b < rows->count * bytes; b += LINE)
            prefetch_line(ahead + b);
        for (uint k = 0; k < rows->count; k++) {
            const global uchar *run = from + at + k * bytes;
            global uchar *to = rows->to[k] + (size_t)c * bytes;
            if (!is_last || rows->goes_on[k])
                rows->done[k] = stream_run(to, run, rows->done[k], bytes, apart, begin, end);
            else {
                const uint lines = (bytes - rows->done[k]) / LINE * LINE, rest = rows->done[k] + lines;
                for (uint b = rows->done[k]; b < rest; b += LINE)
                    STORE_STREAM(load_line(run + b), (global line_t *)(to + b));
                copy_part(to + rest, run + rest, bytes - rest);
            }
        }
    }
}

/* Asks for the lines in which rows of the matrix begin and end: those of the tile from `row` on, at most `count`. A store to a
 * part of a line waits until it has come, and all stores behind it wait as well. */
MOVE_CALLED void ask_for_row_ends(const tile_t *tile, const global uchar *into, uint bytes, index_t row, index_t count) {
    for (const index_t end = min(tile->rows, row + count); row < end; row++) {
        const global uchar *to = into + (long)tile->row_dst[row] * (long)sizeof(unit_t);
        if (tile->first_column == 0)
            prefetch_line(to);
        if (tile->is_last)
            prefetch_line(to + tile->columns * bytes);
    }
}

MOVE_CALLED void stream_rows_of_tile(const move_args *args, const tile_t *tile, const global uchar *src, const global uchar *from,
                                     global uchar *into, uint bytes) {
    row_group rows;
    for (index_t i = 0; i < tile->rows; i += rows.count) {
        const index_t first_row = tile->first_row + i;
        const global uchar *row = from + (size_t)first_row * bytes;
        rows.count = (uint)min(tile->rows - i, (index_t)TILE_DIRECT_ROWS);
        ask_for_row_ends(tile, into, bytes, i == 0 ? 0 : i + TILE_DIRECT_ROWS, i == 0 ? 2 * TILE_DIRECT_ROWS : TILE_DIRECT_ROWS);
        for (uint k = 0; k < rows.count; k++) {
            const index_t in_run = (first_row + k) % tile->run;
            rows.to[k] = into + (long)tile->row_dst[i + k] * (long)sizeof(unit_t);
            rows.done[k] = (uint)((0 - (size_t)rows.to[k]) & (LINE - 1));
            rows.goes_on[k] = tile->is_joined && in_run + 1 < tile->run;
            if (tile->first_column == 0 && !(tile->is_joined && in_run > 0)) /* no run before writes the end of this line */
                copy_part(rows.to[k], row + (long)tile->column_src[0] * (long)sizeof(unit_t) + k * bytes, rows.done[k]);
        }
        stream_group(tile, &rows, row, bytes, src, src + args->src_end * sizeof(unit_t));
    }
}

/* By way of the cache. */
MOVE_CALLED void copy_rows_of_tile(const tile_t *tile, const global uchar *from, global uchar *into, uint bytes) {
    for (index_t i = 0; i < tile->rows; i++)
        for (index_t c = 0; c < tile->columns; c++) {
            const global uchar *run =
                from + (long)tile->column_src[c] * (long)sizeof(unit_t) + (size_t)(tile->first_row + i) * bytes;
            global uchar *to = into + (long)tile->row_dst[i] * (long)sizeof(unit_t) + (size_t)c * bytes;
            for (uint b = 0; b + LINE < bytes; b += LINE)
                *(global line_anywhere_t *)(to + b) = *(const global line_anywhere_t *)(run + b);
            *(global line_anywhere_t *)(to + bytes - LINE) = *(const global line_anywhere_t *)(run + bytes - LINE);
        }
}

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
    uchar room[TILE_RUN_ROOM + 2 * LINE] __attribute__((aligned(LINE)));
    wc_buffer_t wc_buffer; /* of joined rows */
    tile_t tile;
    const uint bytes = (uint)(args.run_units * sizeof(unit_t));
    packing_t packing;
    if (bytes <= MOST_PACKED)
        find_packing(&packing, bytes);
    start_tile(&args, &tile);
    const index_t at_once = tile.is_joined ? (index_t)TILE_ROWS_AT_ONCE(args.n * bytes) : ROWS;
    wc_buffer_start(&wc_buffer, dst);
    FOR_EACH_JOB(&args, job) {
        const move_place place = find_place(&args, job);
        find_tile(&args, place.segment, &tile);
        if (bytes >= TILE_DIRECT_RUN) {
            const global uchar *const base = src + (long)place.src * (long)sizeof(unit_t);
            global uchar *const to = dst + (long)place.dst * (long)sizeof(unit_t) + (size_t)tile.first_column * bytes;
            if (args.stream)
                stream_rows_of_tile(&args, &tile, src, base, to, bytes);
            else
                copy_rows_of_tile(&tile, base, to, bytes);
            continue;
        }
        const index_t columns = tile.columns, left = args.n - tile.first_column;
        sindex_t last = tile.column_src[0]; /* place that is read */
        for (index_t c = 1; c < columns + BEHIND; c++)
            last = max(last, tile.column_src[c]);
        const global uchar *const from = src + (long)place.src * (long)sizeof(unit_t);
        global uchar *const into = dst + (long)place.dst * (long)sizeof(unit_t) + (size_t)tile.first_column * bytes;
        for (index_t i = 0, kept; i < tile.rows; i += kept) {
            const index_t row = tile.first_row + i;
            kept = min(tile.rows - i, at_once);
            if (tile.is_joined)
                kept = min(kept, tile.run - row % tile.run);
            const size_t readable =
                (args.src_end - (size_t)((long)place.src + (long)last)) * sizeof(unit_t) - (size_t)(row + kept - 1) * bytes;
            const index_t there = find_columns(&tile, into, i, kept, bytes, left);
            uchar *at = room;
            size_t pitch = PITCH;
            if (tile.is_joined) {
                pitch = columns * bytes;
                wc_buffer_seek(&wc_buffer, room, sizeof room - LINE, into + (long)tile.row_dst[i] * (long)sizeof(unit_t),
                               (uint)(kept * pitch), args.stream);
                at += wc_buffer.end;
                wc_buffer.end += (uint)(kept * pitch);
            }
            move_columns(&packing, at, pitch, from + (size_t)row * bytes, tile.column_src, there, bytes, (uint)kept, readable,
                         !tile.is_joined);
            if (tile.is_joined)
                wc_buffer_drain(&wc_buffer, room, args.stream);
            else
                for (index_t k = 0; k < kept; k++)
                    put_row(into + (long)tile.row_dst[i + k] * (long)sizeof(unit_t), room + k * PITCH, columns * bytes,
                            there * bytes, tile.first_column == 0, args.stream);
        }
    }
    wc_buffer_finish(&wc_buffer, room, args.stream);
}

kernel void transpose_runs(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}
