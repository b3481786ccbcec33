/* Tiles by way of two rooms: a line of each of many columns becomes many of each row. For transpose.cl; host/native/rooms.inc has
 * the reasons and figures.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_ROOMS_H
#define CLMOVE_ROOMS_H

/* Where columns are crowded, what a room has of a row, in bytes, and how many rows. */
#define NARROW_ROW_BYTES (sizeof(unit_t) == 1 ? 256 : 512)
#define NARROW_ROWS (sizeof(unit_t) == 1 ? 112 : 64)
/* And elsewhere: of each column a line. A line of bytes would be 64 rows. */
#define ROOM_ROW_BYTES (sizeof(unit_t) == 1 ? NARROW_ROW_BYTES : 1024)
#define ROOM_ROWS (sizeof(unit_t) == 1 ? NARROW_ROWS : (long)LANES)
/* Narrow ones fit to the byte, with a line behind each row. */
#define ROOM_BYTES 36864
/* Columns so far apart have their lines in the same sets of the first-level cache. */
#define SAME_SET (sizeof(unit_t) == 1 ? 2048 : 4096)

/* What a room has of a tile. */
typedef struct {
    uchar *bytes;
    /* Of its rows, in bytes: a line more than they have, as those that begin anywhere are read up to a line behind. So rows do
     * not lie in the same sets, either. */
    long pitch;
    long row, rows, column, columns;
    /* This row of the room and those behind it are begun with the rows before, as they follow each other; TILE_ROWS: none is. */
    long begun;
} room_t;

MOVE_FUNCTION long bytes_to_line(size_t at) {
    return (long)((0 - at) & (LINE - 1));
}

/* Bytes from `to`, where a row of the tile begins, to the end of what the tile writes of it: the last line that begins in it, or
 * the row's end. */
MOVE_FUNCTION long end_of_row(const move_args *args, const tile_t *tile, const uchar *to) {
    const size_t row_bytes = tile->columns * sizeof(unit_t), left = (args->n - tile->first_column) * sizeof(unit_t);
    return min((long)left, (long)row_bytes + bytes_to_line((size_t)to + row_bytes));
}

/* Bytes that a room writes of a row: up to the first line that begins in the next room. */
MOVE_FUNCTION long bytes_of_row(const tile_t *tile, const room_t *room) {
    const bool is_last = room->column + room->columns == (long)tile->columns;
    return room->columns * (long)sizeof(unit_t) + (is_last ? LINE : 0);
}

/* Writes rows `first` to `end` - 1 of a room, at most `most` bytes of each: from the first line on that begins in the room; and
 * what is before the first line of the row. heads: where rows follow each other, a line of each row of the room, with which it
 * begins; or NULL. With heads the line in which a row ends is written with what the next row of the room has of it. */
MOVE_CALLED void write_room(const move_args *args, const tile_t *tile, const room_t *room, const uchar *heads, long first,
                            long end, long most, global unit_t *dst) {
    const long offset = room->column * (long)sizeof(unit_t);
    for (long k = first; k < end; k++) {
        uchar *const to = (uchar *)(size_t)(dst + tile->row_dst[room->row + k]); /* on a processor there is one address space */
        const long phase = bytes_to_line((size_t)to), row_end = end_of_row(args, tile, to);
        const uchar *from = room->bytes + k * room->pitch + phase;
        uchar *at = to + offset + phase;
        long left = min(most, row_end - offset - phase);
        if (offset == 0 && tile->first_column == 0 && k < room->begun)
            write_bytes(from - phase, to, min(phase, row_end));
        for (; left >= LINE; from += LINE, at += LINE, left -= LINE) {
            const lanes_t v = *(const lanes_anywhere_t *)from;
            STORE_STREAM(v, (lanes_t *)at);
        }
        if (left > 0 && heads && k + 1 < room->rows) {
            const line_t line = *(const line_anywhere_t *)from, next = *(const line_anywhere_t *)(heads + (k + 1) * LINE - left);
            STORE_STREAM(seam_line(line, next, (uint)left), (line_t *)at);
        } else
            write_bytes(from, at, left);
    }
}

/* Asks for the lines of the destination of which a room writes a part: an ordinary store that waits for its line keeps the
 * non-temporal ones behind it waiting. */
MOVE_SELDOM void prefetch_ends(const tile_t *tile, const room_t *room, global unit_t *dst) {
    const bool begins = room->column == 0 && tile->first_column == 0;
    const bool ends = tile->is_last && room->column + room->columns == (long)tile->columns;
    for (long k = 0; k < room->rows && (begins || ends); k++) {
        const global unit_t *to = dst + tile->row_dst[room->row + k];
        if (begins)
            prefetch_line(to);
        if (ends)
            prefetch_line(to + tile->columns - 1);
    }
}

/* Where rows begin that come behind those of a room: below it, beside it, or in the next tile; NULL: not known. start: the tile's
 * rows; next: those of the next tile, or NULL. Sets the first of their columns. */
MOVE_FUNCTION const global unit_t *room_ahead(const tile_t *tile, const room_t *room, long most_rows, const global unit_t *start,
                                              const global unit_t *next, long *column) {
    *column = room->column;
    if (room->row + most_rows < (long)tile->rows)
        return start + (room->row + most_rows);
    *column += room->columns;
    if (*column < (long)tile->columns)
        return start;
    *column = 0;
    return next;
}

/* A tile, whose rows may begin anywhere. Rooms follow each other down its rows, and then along its columns. The last rows of the
 * matrix are read with some before them: those above a room are written to nowhere. */
MOVE_SELDOM void transpose_in_rooms(const move_args *args, const tile_t *tile, ask_t *ask, const global unit_t *src,
                                    const global unit_t *next, global unit_t *dst, uchar *rooms, uchar *nowhere, bool line_up) {
    const global unit_t *start = src + tile->first_row, *const then = next ? next + tile->first_row : NULL;
    const long last = (long)(args->m - tile->first_row) - SIDE; /* where the last square begins */
    const bool is_narrow =
        tile->columns > 1 && ((long)tile->column_src[1] - (long)tile->column_src[0]) * (long)sizeof(unit_t) % SAME_SET == 0;
    const long row_bytes = is_narrow ? NARROW_ROW_BYTES : ROOM_ROW_BYTES, most_rows = is_narrow ? NARROW_ROWS : ROOM_ROWS;
    const long most_columns = row_bytes / (long)sizeof(unit_t);
    room_t before = {.rows = 0};
    uint count = 0;
    for (long column = 0; column < (long)tile->columns; column += most_columns)
        for (long row = 0; row < (long)tile->rows; row += most_rows) {
            const room_t now = {.bytes = rooms + count++ % 2 * ROOM_BYTES,
                                .pitch = row_bytes + LINE,
                                .row = row,
                                .rows = min((long)tile->rows - row, most_rows),
                                .column = column,
                                .columns = min((long)tile->columns - column, most_columns),
                                .begun = TILE_ROWS};
            const long wide = now.columns + (line_up ? 0 : LANES), squares = (now.rows + SIDE - 1) / SIDE;
            const long steps = (wide + STRIP_COLUMNS - 1) / STRIP_COLUMNS * squares;
            const long share = (STRIP_COLUMNS + squares - 1) / squares;
            long ahead_first;
            const global unit_t *ahead = room_ahead(tile, &now, most_rows, start, then, &ahead_first);
            const sindex_t *ahead_column = tile->column_src + ahead_first;
            const long known = ahead ? (long)tile->columns + BEHIND - ahead_first : 0;
            /* Of the room before: the rows that are written, and what is due of the next, in parts of which it has `steps`. */
            long written = 0, due = 0;
            if (sizeof(unit_t) > 1 && !line_up) /* bytes line up */
                prefetch_ends(tile, &now, dst);
            for (long left = 0; left < wide; left += STRIP_COLUMNS) {
                const long strip = min(wide - left, (long)STRIP_COLUMNS);
                long asked = left;
                for (long below = row; below < row + now.rows; below += SIDE) {
                    const long first = min(below, last) - row; /* of the room */
                    uchar *to[SIDE] ON_LINES;
                    for (long k = 0; k < SIDE; k++)
                        to[k] = first + k < 0 ? nowhere : now.bytes + (first + k) * now.pitch + left * (long)sizeof(unit_t);
                    const long end = min(min(asked + share, left + strip), known);
                    for (; asked < end; asked++)
                        for (long i = LANES - 1; i < now.rows + LANES - 1; i += LANES) /* the line before was, above */
                            prefetch_line_far(ahead + ahead_column[asked] + i);
                    ask_on(ask, (index_t)(SIDE * strip * (long)sizeof(unit_t)));
                    transpose_columns(start + (row + first), tile->column_src + column + left, (index_t)strip, to, STORE_LINES,
                                      true, NULL, 0);
                    const long begin = written;
                    for (due += before.rows; due >= steps; due -= steps)
                        written++;
                    write_room(args, tile, &before, NULL, begin, written, bytes_of_row(tile, &before), dst);
                }
            }
            before = now;
        }
    write_room(args, tile, &before, NULL, 0, before.rows, bytes_of_row(tile, &before), dst);
}

#endif
