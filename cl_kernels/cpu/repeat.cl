/* repeat: a run of at most 16 contiguous source units, or on the host of 64 to 512 bytes, stored several times in a row.
 * Compiled for one BLOCK, the units of the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#define PATTERN_BYTES (BLOCK * sizeof(unit_t))
#define PATTERN_LINES (int)((PATTERN_BYTES + LINE - 1) / LINE)
#define PLACE_OF_LINE(j) ((j) + 1 < PATTERN_LINES ? (j)*LINE : (int)PATTERN_BYTES - LINE)
#define ROOM (PATTERN_BYTES > 64 ? 4096 : 2048)

#if defined(HAS_SHUFFLE) && BLOCK * UNIT_BITS <= 128 /* a pattern fits in what is shuffled at once */
#define MAKES_PIECES
/* Longer rows are made one by one: the table would be long, and what a row costs counts less. */
#define MAX_ROW 256

/* Rows that lie side by side in source and destination, in pieces that one shuffle makes: where the 16 source bytes begin that
 * have all that a piece needs, and where in them each byte is. After `count` pieces the pieces and the rows begin together again,
 * so that the table can be gone through again and again. */
typedef struct {
    uchar places[(MAX_ROW + DRAIN_BYTES / WIDE) * WIDE] __attribute__((aligned(64)));
    ushort from[MAX_ROW + DRAIN_BYTES / PIECE];
    /* The bytes of a piece; the pieces and rows of a round of at least DRAIN_BYTES. */
    uint bytes, count, rows;
} pieces_t;

/* Returns false if some piece of so many bytes needs more than 16 of the source. Pieces of 16 never do, as a row is at least as
 * long as its pattern. */
MOVE_CALLED bool find_pieces(pieces_t *table, uint row_bytes, uint piece_bytes) {
    uint src = 0, in_pattern = 0, in_row = 0; /* of the byte at hand: its row's first source byte, and places */
    table->bytes = piece_bytes;
    table->count = table->rows = 0;
    do {
        uint first = src + in_pattern, last = 0;
        ushort absolute[WIDE];
        for (uint i = 0; i < piece_bytes; i++) {
            absolute[i] = (ushort)(src + in_pattern);
            first = min(first, src + in_pattern);
            last = max(last, src + in_pattern);
            if (++in_pattern == PATTERN_BYTES)
                in_pattern = 0;
            if (++in_row == row_bytes) {
                in_row = 0;
                src += PATTERN_BYTES;
                table->rows++;
            }
        }
        if (last - first >= PIECE)
            return false;
        for (uint i = 0; i < piece_bytes; i++)
            table->places[table->count * piece_bytes + i] = (uchar)(absolute[i] - first);
        table->from[table->count++] = (ushort)first;
    } while (in_row > 0 || table->count * piece_bytes < DRAIN_BYTES);
    return true;
}

/* Makes the pieces first to end - 1 of a round whose source begins at from. Unrolled, 12 bytes by 8 run at 20 instead of 14 GB/s
 * on 2 cores of an Intel Xeon at 2.8 GHz: a piece is 4 instructions, and a step of the loop was as many. */
#define MAKE_PIECES(name, vector_t, anywhere_t, shuffle)                                                                         \
    MOVE_FUNCTION void name(const pieces_t *table, uint first, uint end, const global uchar *from, uchar *at) {                  \
        const vector_t *places = (const vector_t *)table->places;                                                                \
        _Pragma("unroll 4") for (uint i = first; i < end; i++, at += sizeof(vector_t)) * (anywhere_t *)at =                      \
            shuffle(*(const global piece_anywhere_t *)(from + table->from[i]), places[i]);                                       \
    }
MAKE_PIECES(make_wide_pieces, wide_t, wide_anywhere_t, shuffle_wide)
MAKE_PIECES(make_pieces, uint4, piece_anywhere_t, shuffle_16)

/* As many of q rows as whole rounds can make without reading past the last. Returns how many. */
MOVE_CALLED uint repeat_in_pieces(const pieces_t *table, wc_buffer_t *wc_buffer, uchar *room, const global uchar *from,
                                  global uchar *to, uint q, bool stream) {
    const uint round_src = table->rows * PATTERN_BYTES, src_bytes = q * PATTERN_BYTES, together = ROOM / 2 / table->bytes;
    uint src = 0, done = 0;
    for (; src + round_src + PIECE <= src_bytes; src += round_src, done += table->rows)
        for (uint first = 0; first < table->count; first += together) {
            uint end = min(table->count, first + together), bytes = (end - first) * table->bytes;
            wc_buffer_seek(wc_buffer, room, ROOM + LINE, to, bytes, stream);
            if (table->bytes == WIDE)
                make_wide_pieces(table, first, end, from + src, room + wc_buffer->end);
            else
                make_pieces(table, first, end, from + src, room + wc_buffer->end);
            wc_buffer->end += bytes;
            to += bytes;
            if (wc_buffer->end - wc_buffer->done >= DRAIN_BYTES)
                wc_buffer_drain(wc_buffer, room, stream);
        }
    return done;
}
#endif

/* Units that one store advances: whole patterns only, so that every store begins with the pattern's first unit. What it reaches
 * past the end is overwritten by what comes next, or never leaves the write-combining buffer. */
#if LANES >= BLOCK
#define STEP (LANES / BLOCK * BLOCK)
#endif

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
    uchar room[ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
    wc_buffer_t wc_buffer;
    wc_buffer_start(&wc_buffer, dst);
    const index_t most = ROOM / 2 / PATTERN_BYTES; /* patterns that the write-combining buffer takes at once */
#ifdef MAKES_PIECES
    pieces_t table;
    table.count = 0;
    const bool in_pieces =
        args.q_src == BLOCK && args.q_dst == args.n_dst * (sindex_t)args.n && args.n <= MAX_ROW / PATTERN_BYTES && args.q > 1;
#endif
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        index_t row = 0;
#ifdef MAKES_PIECES
        if (in_pieces) {
            if (table.count == 0 && !find_pieces(&table, (uint)args.n * PATTERN_BYTES, WIDE))
                find_pieces(&table, (uint)args.n * PATTERN_BYTES, PIECE);
            row = repeat_in_pieces(&table, &wc_buffer, room, (const global uchar *)from, (global uchar *)to, (uint)place.q,
                                   args.stream);
            from += (sindex_t)row * args.q_src;
            to += (sindex_t)row * args.q_dst;
        }
#endif
        for (; row < place.q; row++, from += args.q_src, to += args.q_dst) {
#ifdef STEP
            value_t values[LANES] __attribute__((aligned(LINE)));
#pragma unroll
            for (int i = 0; i < LANES; i++)
                values[i] = from[i % BLOCK];
            lanes_t vector = *(const lanes_t *)values;
#else /* longer than a line; the last line overlaps the one before */
            line_t lines[PATTERN_LINES];
#pragma unroll
            for (int j = 0; j < PATTERN_LINES; j++)
                lines[j] = *(const global line_anywhere_t *)((const global uchar *)from + PLACE_OF_LINE(j));
#endif
            for (index_t done = 0; done < place.n;) {
                uint count = (uint)min(place.n - done, most), bytes = count * (uint)PATTERN_BYTES;
                wc_buffer_seek(&wc_buffer, room, ROOM + LINE, (global uchar *)(to + done * BLOCK), bytes, args.stream);
#ifdef STEP
                uchar *at = room + wc_buffer.end;
                for (uint i = 0; i < bytes; i += STEP * sizeof(unit_t))
                    *(lanes_anywhere_t *)(at + i) = vector;
#else
                uchar *at = room + wc_buffer.end;
                for (uint i = 0; i < count; i++, at += PATTERN_BYTES)
#pragma unroll
                    for (int j = 0; j < PATTERN_LINES; j++)
                        *(line_anywhere_t *)(at + PLACE_OF_LINE(j)) = lines[j];
#endif
                wc_buffer.end += bytes;
                if (wc_buffer.end - wc_buffer.done >= DRAIN_BYTES)
                    wc_buffer_drain(&wc_buffer, room, args.stream);
                done += count;
            }
        }
    }
    wc_buffer_finish(&wc_buffer, room, args.stream);
}

kernel void repeat(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}
