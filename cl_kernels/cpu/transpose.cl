/* transpose: axes along which the destination is contiguous, the columns, of at least 64 bytes or in rows that follow each
 * other; axes along which the source is contiguous, forwards or backwards, the rows, of at least 16 units or 64 bytes,
 * whichever is less; on neither side blocks side by side that deinterleave or interleave moves faster: of up to 16 units, or
 * up to 3 to 15 where squares of them are faster. On the host, where the innermost of several axes of columns has less than 32
 * bytes, and it or the next comes from afar, 32 bytes of columns and any rows will do, and source blocks of any size. Not if
 * short columns end within lines, one axis continues both, and the rows fill no square: those are split, or on the host become
 * columns. A job is a tile. Panels of LANES by SIDE units are read from the source in pieces, transposed in registers, and
 * stored as vectors of SIDE rows of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Of a write-combining buffer. */
#define ROOMS (SIDE * TILE_MOST_JOINED + 2 * LINE)

/* Through the cache, SIDE rows at a time. The last rows of the matrix are read with some before them, which are written to
 * nowhere. */
MOVE_SELDOM void transpose_rows(const move_args *args, const tile_t *tile, ask_t *ask, const global unit_t *src,
                                global unit_t *dst, uchar *nowhere) {
    const long rows = (long)tile->rows, below = (long)(args->m - tile->first_row) - SIDE; /* where the last square begins */
    for (long row = 0; row < rows; row += SIDE) {
        const long first = min(row, below);
        uchar *to[SIDE] ON_LINES;
        for (long k = first; k < first + SIDE; k++) /* on a processor there is one address space */
            to[k - first] = k < row || k >= rows ? nowhere : (uchar *)(size_t)(dst + tile->row_dst[k]);
        ask_on(ask, (index_t)(min(rows - row, (long)SIDE) * (long)tile->columns * (long)sizeof(unit_t)));
        transpose_columns(src + ((long)tile->first_row + first), tile->column_src, tile->columns, to, STORE_LINES, false, NULL,
                          0);
    }
}

/* Rows that follow each other in the destination are put together in one write-combining buffer, SIDE of them at a time. The last
 * rows of the matrix are read with some before them, which are written to nowhere. */
MOVE_SELDOM void transpose_joined(const move_args *args, const tile_t *tile, ask_t *ask, const global unit_t *src,
                                  const global unit_t *next, global unit_t *into, wc_buffer_t *wc_buffer, uchar *rooms,
                                  uchar *nowhere) {
    const uint row_bytes = (uint)(tile->columns * sizeof(unit_t));
    const index_t lead = rows_ahead(tile);
    index_t in_run = tile->first_row % tile->run;
    for (index_t i = 0, kept; i < tile->rows; i += kept) {
        const index_t row = tile->first_row + i, first = min(row, args->m - SIDE), skip = row - first;
        if (in_run == 0) { /* where this run ends, and the next one begins, in the middle of a line */
            prefetch_line(into + tile->row_dst[i] + tile->run * tile->columns);
            prefetch_line(into + tile->row_dst[min(i + tile->run, tile->rows - 1)]);
        }
        kept = min(min(tile->rows - i, SIDE - skip), tile->run - in_run);
        in_run = in_run + kept == tile->run ? 0 : in_run + kept;
        wc_buffer_seek(wc_buffer, rooms, ROOMS - LINE, (global uchar *)(into + tile->row_dst[i]), (uint)kept * row_bytes,
                       args->stream);
        uchar *const at = rooms + wc_buffer->end;
        uchar *to[SIDE] ON_LINES;
        wc_buffer->end += (uint)kept * row_bytes;
        for (uint k = 0; k < SIDE; k++)
            to[k] = k < skip || k >= skip + kept ? nowhere : at + (k - skip) * row_bytes;
        transpose_columns(src + first, tile->column_src, tile->columns, to, STORE_LINES, true,
                          args->stream ? row_ahead(args, tile, src, next, i + lead) : NULL, (int)(row / SIDE % PARTS));
        ask_on(ask, (uint)kept * row_bytes);
        if (wc_buffer->end - wc_buffer->done >= 2 * DRAIN_BYTES) /* bytes by 20: 20 GB/s instead of 22 if they leave at once */
            wc_buffer_drain(wc_buffer, rooms, args->stream);
    }
}

/* ---- strips: one or two lines' columns of a tile, all the way down its rows; host/native/strips.inc has the reasons ---- */

/* Whether all rows of the tile begin at lines. */
MOVE_CALLED bool rows_line_up(const tile_t *tile, const global unit_t *dst) {
    size_t all = 0;
    for (index_t i = 0; i < tile->rows; i++)
        all |= (size_t)(dst + tile->row_dst[i]);
    return (all & (LINE - 1)) == 0;
}

/* The bytes that a row of the last strip may have, and one of a room where rows begin anywhere. */
#define STRIP_BYTES ((WIDE_STRIP_COLUMNS + LANES) * (long)sizeof(unit_t))

/* A tile whose rows begin at lines. What is less than a line at the end of rows is moved with the strip before. The last rows of
 * the matrix are read with some before them, by way of the rooms: a non-temporal store to where nothing is kept costs as much as
 * any. */
MOVE_SELDOM void transpose_strips(const move_args *args, const tile_t *tile, ask_t *ask, const global unit_t *src,
                                  const global unit_t *next, global unit_t *dst, uchar *rooms) {
    const global unit_t *start = src + tile->first_row, *const then = next ? next + tile->first_row : NULL;
    const long below = (long)(args->m - tile->first_row), rows = (long)tile->rows, blocks = (rows + SIDE - 1) / SIDE;
    const bool is_wide = args->stream == MOVE_STREAMS_IN_WIDE_STRIPS;
    const long columns = (long)tile->columns, width = is_wide ? WIDE_STRIP_COLUMNS : STRIP_COLUMNS;
    for (long done = 0, count; done < columns; done += count) {
        const sindex_t *column = tile->column_src + done;
        count = columns - done < width + LANES ? columns - done : width;
        for (long block = 0; block < blocks; block++) {
            const long row = block * SIDE, first = min(row, below - SIDE);
            const bool is_whole = first == row && row + SIDE <= rows;
            uchar *to[SIDE] ON_LINES;
            for (long k = 0; k < SIDE; k++)
                to[k] = is_whole ? (uchar *)(size_t)(dst + tile->row_dst[row + k] + done) : rooms + k * STRIP_BYTES;
            prefetch_strip(tile, ask, start, then, rows_in_order(args), block, blocks, done, width,
                           is_wide && sizeof(unit_t) <= MOST_GROUPED);
            const int how = !is_whole ? STORE_LINES : is_wide && count == width ? STREAM_PAIRS : STREAM_LINES;
            transpose_columns(start + first, column, (index_t)count, to, how, false, NULL, 0);
            if (!is_whole) {
                const room_t room = {rooms, STRIP_BYTES, first, SIDE, done, count, TILE_ROWS};
                write_room(args, tile, &room, NULL, row - first, min((long)SIDE, rows - first), count * (long)sizeof(unit_t),
                           dst);
            }
        }
    }
}

/* Whether rows follow each other in the destination, and the tile has them whole. */
MOVE_FUNCTION bool is_in_one(const move_args *args, const tile_t *tile) {
    return tile->are_in_one && tile->columns == args->n;
}

/* Between rows that carry lines, which transpose_carried explains, and of scratch rows elsewhere. */
#define CARRIED_BYTES (4 * LINE)

/* A line for each of SIDE rows, CARRIED_BYTES apart; and, unless that is NULL, once more to `again`, so many bytes apart. */
MOVE_CALLED void carry_lines(const global unit_t *from, const sindex_t *column, uchar *into, uchar *again, long apart) {
    uchar *to[SIDE] ON_LINES;
#pragma nounroll
    for (int k = 0; k < SIDE; k++)
        to[k] = into + k * CARRIED_BYTES;
    transpose_panels(from, column, 1, to, 0, STORE_LINES, NULL, 0);
    if (again)
#pragma nounroll
        for (int k = 0; k < SIDE; k++)
            *(lanes_t *)(again + k * apart) = *(const lanes_t *)to[k];
}

/* Of rows `first` to `end` - 1 of a room, the pair of lines that begin in the room: write_room, where the rows begin before it
 * and go on behind it. */
MOVE_CALLED void write_pairs(const tile_t *tile, const room_t *room, long first, long end, global unit_t *dst) {
    const uchar *from = room->bytes + first * STRIP_BYTES;
    for (long k = first; k < end; k++, from += STRIP_BYTES) {
        uchar *const to = (uchar *)(size_t)(dst + tile->row_dst[room->row + k] + room->column);
        const long phase = bytes_to_line((size_t)to);
        const lanes_t v = *(const lanes_anywhere_t *)(from + phase), w = *(const lanes_anywhere_t *)(from + phase + LINE);
        STORE_STREAM(v, (lanes_t *)(to + phase));
        STORE_STREAM(w, (lanes_t *)(to + phase + LINE));
    }
}

/* Short columns of wider units are not worth it: those carry lines (see below). */
#if UNIT_BITS == 8
#define LEAST_OVERLAPPED 0
#else
#define LEAST_OVERLAPPED 512
#endif
#define OVERLAP_ROOM (SIDE * STRIP_BYTES)
#define OVERLAP_HEADS (2 * OVERLAP_ROOM + SIDE * CARRIED_BYTES)
#define OVERLAP_ROOMS (OVERLAP_HEADS + 2 * SIDE * LINE)

/* A tile of wide strips whose rows begin anywhere. A strip reads a line's columns more than it writes, which the next one reads
 * again: so nothing is carried from strip to strip, and strips go all the way down the rows. A block of rows is made in a room,
 * and written after the next one was read, because loads wait for stores that they overlap. 2 cores of an Intel Xeon (model 207),
 * POCL 3.1, GB/s of lines that 128 rows carry, and so: u8 [1081,1921] 16, 21; f16 [1080,1920] 20, 32; f32 23, 37; f64 [4099,4111]
 * 27, 39. */
MOVE_SELDOM void transpose_overlapped(const move_args *args, const tile_t *tile, ask_t *ask, const global unit_t *src,
                                      const global unit_t *next, global unit_t *dst, uchar *rooms) {
    const global unit_t *start = src + tile->first_row, *const then = next ? next + tile->first_row : NULL;
    const long below = (long)(args->m - tile->first_row), rows = (long)tile->rows, blocks = (rows + SIDE - 1) / SIDE;
    const long columns = (long)tile->columns, left = (long)(args->n - tile->first_column);
    const bool in_one = is_in_one(args, tile);
    for (long done = 0; done < columns; done += WIDE_STRIP_COLUMNS) {
        const long behind = done + WIDE_STRIP_COLUMNS;
        const long count = min((long)WIDE_STRIP_COLUMNS, (columns - done + LANES - 1) / LANES * LANES) + LANES;
        const bool ends = behind + LANES > left, begins = done == 0 && tile->first_column == 0;
        const bool is_simple = WIDE_STRIP_COLUMNS == 2 * LANES && !begins && !ends && behind <= columns;
        room_t room = {.rows = 0}; /* what is written next, from its row `begin` on; none is before the first block */
        const uchar *heads = NULL;
        long begin = 0, end = 0;
        for (long block = 0; block <= blocks; block++) {
            const room_t made = room;
            const uchar *const made_heads = heads;
            const long made_begin = begin, made_end = end;
            if (block < blocks) {
                const long row = block * SIDE, first = min(row, below - SIDE);
                room = (room_t){rooms + block % 2 * OVERLAP_ROOM, STRIP_BYTES, first, rows - first, done, count,
                                in_one ? 1 - first : TILE_ROWS};
                begin = row - first;
                end = min((long)SIDE, rows - first);
                uchar *to[SIDE] ON_LINES;
                for (long k = 0; k < SIDE; k++)
                    to[k] = room.bytes + k * STRIP_BYTES;
                prefetch_strip(tile, ask, start, then, rows_in_order(args), block, blocks, done + LANES, WIDE_STRIP_COLUMNS,
                               sizeof(unit_t) <= MOST_GROUPED);
                transpose_columns(start + first, tile->column_src + done, (index_t)count, to, STORE_LINES, false, NULL, 0);
                if (ends && in_one) {
                    const long first_head = min(row + 1, below - SIDE);
                    uchar *const lines = rooms + OVERLAP_HEADS + block % 2 * (SIDE * LINE);
                    carry_lines(start + first_head, tile->column_src, rooms + 2 * OVERLAP_ROOM, lines, LINE);
                    heads = lines + (first - first_head) * LINE;
                }
            }
            if (block == 0)
                continue;
            if (is_simple)
                write_pairs(tile, &made, made_begin, made_end, dst);
            else
                write_room(args, tile, &made, made_heads, made_begin, made_end, WIDE_STRIP_COLUMNS * (long)sizeof(unit_t), dst);
        }
    }
}

/* In narrow strips, and where columns are short, rows that begin anywhere carry what the last three strips made of them: u8
 * [17183,2929] on 2 cores of an AMD EPYC (family 25, model 17, AVX-512), POCL 3.1, 20 GB/s through write-combining buffers, 29
 * so; [481,641,20] to NCHW 18 and 30 (both with two strips and 256 rows). Strips have three places in turn, and what is at the
 * first place lies behind the last one once more, so that rows can be read across all borders. The line with which a row begins
 * has a place of its own. */
#define CARRIED_ROWS 128
#define CARRIED_ROOMS ((CARRIED_ROWS + 2 * SIDE) * (CARRIED_BYTES + LINE))

/* No multiple of 4 KiB: what lies above and below on the stack would have the same places in their pages, and loads wait for
 * stores to such a place. f64 in blocks of 8 on 2 cores of an AMD EPYC (Zen 3), POCL 3.1: 0.26 of the limit with a multiple, 0.57
 * with 2 KiB more. */
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define ALL_ROOMS (LARGER(LARGER(CARRIED_ROOMS, OVERLAP_ROOMS), LARGER(ROOMS, 2 * ROOM_BYTES)) / 4096 * 4096 + 4096 + 2048)

/* A line for each of `rows` rows: of what each carries, from `place` on, to its place, `offset` bytes on. */
MOVE_CALLED void write_lines(const uchar *const *carried, uchar *const *to, long rows, long place, long offset) {
    for (long k = 0; k < rows; k++) {
        const lanes_t v = *(const lanes_anywhere_t *)(carried[k] + place);
        STORE_STREAM(v, (lanes_t *)(to[k] + offset));
    }
}

/* `rows` rows of a tile from `row` on, at most CARRIED_ROWS. A line is written two strips after the one in which it begins,
 * because loads wait for stores that they overlap. Where all rows follow each other, and the tile has them whole, the line in
 * which one ends and the next begins is written whole. 14 patches on 2 cores of an Intel Xeon (model 207), POCL 3.1: 1.07 times
 * as fast as when lines were written one strip and 16 rows later, and in parts; with tiles of whole rows 1.24 times. */
MOVE_SELDOM void transpose_carried(const move_args *args, const tile_t *tile, ask_t *ask, long row, long rows,
                                   const global unit_t *src, const global unit_t *next, global unit_t *dst, uchar *rooms) {
    const global unit_t *start = src + tile->first_row + row, *const then = next ? next + tile->first_row + row : NULL;
    const long below = (long)(args->m - tile->first_row) - row, blocks = (rows + SIDE - 1) / SIDE;
    const long needed =
        min((long)(args->n - tile->first_column), (long)tile->columns + LANES); /* the last line may begin within a unit */
    const long strips = (needed + LANES - 1) / LANES;
    uchar *const carried = rooms + SIDE * CARRIED_BYTES,
                 *const heads = carried + (CARRIED_ROWS + SIDE) * CARRIED_BYTES + SIDE * LINE, *to[CARRIED_ROWS] ON_LINES;
    const uchar *lines[CARRIED_ROWS] ON_LINES;
    const bool in_one = is_in_one(args, tile);
    long whole = strips; /* whole lines that all rows have */
    for (long k = 0; k < rows; k++) {
        uchar *const at = (uchar *)(size_t)(dst + tile->row_dst[row + k]); /* on a processor there is one address space */
        const long phase = bytes_to_line((size_t)at);
        lines[k] = carried + k * CARRIED_BYTES + phase;
        to[k] = at + phase;
        whole = min(whole, (end_of_row(args, tile, at) - phase) / LINE);
    }
    for (long strip = 0; strip < strips + 2; strip++) {
        const long line = strip - 2, place = strip % 3 * LINE, line_place = (strip + 1) % 3 * LINE;
        const bool is_simple = line < whole && (line > 0 || tile->first_column > 0);
        const room_t ends = {carried + line_place, CARRIED_BYTES, row, rows, line * LANES, LANES, in_one ? 1 : TILE_ROWS};
        for (long block = 0; block < blocks; block++) {
            const long done = block * SIDE, end = min(rows, done + SIDE);
            if (strip < strips) {
                const long first = min(done, below - SIDE);
                prefetch_strip(tile, ask, start, then, rows_in_order(args), block, blocks, strip * LANES, LANES, false);
                uchar *const into = carried + first * CARRIED_BYTES + place;
                uchar *const again = strip == 0 ? heads + first * LINE : place == 0 ? into + 3 * LINE : NULL;
                carry_lines(start + first, tile->column_src + strip * LANES, into, again, strip == 0 ? LINE : CARRIED_BYTES);
            }
            if (is_simple && line >= 0)
                write_lines(lines + done, to + done, end - done, line_place, line * LINE);
            else if (line >= 0)
                write_room(args, tile, &ends, in_one ? heads : NULL, done, end, LINE, dst);
        }
    }
}

MOVE_SELDOM void move_jobs(MOVE_PARAMETERS) {
    uchar rooms[ALL_ROOMS] __attribute__((aligned(LINE)));
    uchar nowhere[TILE_COLUMNS * sizeof(unit_t) + LINE] __attribute__((aligned(LINE)));
    tile_t tile;
    start_tile(&args, &tile);
    wc_buffer_t wc_buffer; /* of joined rows */
    wc_buffer_start(&wc_buffer, dst);
    FOR_EACH_JOB(&args, job) {
        const move_place place = find_job(&args, job);
        find_tile(&args, place.segment, &tile);
        const global unit_t *next = NULL; /* of the same columns and rows */
        if (left > 1) {
            const move_place then = find_job(&args, job + 1);
            next = then.segment == place.segment ? (const global unit_t *)src + then.src : NULL;
        }
        ask_t ask = find_ask(&args, job, &place, src);
        const size_t row_bytes = tile.columns * sizeof(unit_t);
        const bool whole_lines = row_bytes % LINE == 0 || (tile.is_last && row_bytes > LINE);
        const global unit_t *const tile_src = (const global unit_t *)src + place.src;
        global unit_t *const into = (global unit_t *)dst + place.dst + tile.first_column;
        if (tile.is_joined)
            transpose_joined(&args, &tile, &ask, tile_src, next, into, &wc_buffer, rooms, nowhere);
        else if (!args.stream)
            transpose_rows(&args, &tile, &ask, tile_src, into, nowhere);
        else {
            const bool line_up = whole_lines && rows_line_up(&tile, into);
            if (args.stream == MOVE_STREAMS_IN_ROOMS && (line_up || sizeof(unit_t) > 1))
                transpose_in_rooms(&args, &tile, &ask, tile_src, next, into, rooms, nowhere, line_up);
            else if (line_up)
                transpose_strips(&args, &tile, &ask, tile_src, next, into, rooms);
            else if (args.stream == MOVE_STREAMS_IN_WIDE_STRIPS && args.m * sizeof(unit_t) >= LEAST_OVERLAPPED)
                transpose_overlapped(&args, &tile, &ask, tile_src, next, into, rooms);
            else
                for (long i = 0; i < (long)tile.rows; i += CARRIED_ROWS)
                    transpose_carried(&args, &tile, &ask, i, min((long)tile.rows - i, (long)CARRIED_ROWS), tile_src, next, into,
                                      rooms);
        }
    }
    wc_buffer_finish(&wc_buffer, rooms, args.stream);
}

kernel void transpose(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}
