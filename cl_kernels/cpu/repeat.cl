/* repeat: a run of at most 16 contiguous source units, or on the host of 17 to 512 bytes, stored several times in a row.
 * Compiled for one BLOCK, the units of the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#define PATTERN_BYTES (BLOCK * sizeof(unit_t))
#define PATTERN_LINES (int)((PATTERN_BYTES + LINE - 1) / LINE)
#define PLACE_OF_LINE(j) ((j) + 1 < PATTERN_LINES ? (j)*LINE : (int)PATTERN_BYTES - LINE)
#define ROOM (PATTERN_BYTES > 64 ? 4096 : 2048)

#if defined(HAS_SHUFFLE) && BLOCK * UNIT_BITS <= 1024 /* twice in the longest row */
#define MAKES_LINES
/* Longer rows are made one by one: the table would be long, and what a row costs counts less. */
#define MAX_ROW 256
/* A table goes on after a row's last byte for at least so many lines, so that a loop through it is not short. */
#define LEAST_LINES 8
/* No 16 bytes need more than 16 of the source, as a row is at least as long as its pattern; or, of a longer pattern, as many
 * again, where it begins once more. Such patterns have larger units: half as many lines. */
#if BLOCK * UNIT_BITS <= 128
#define STEPS 1
#else
#define STEPS 2
#endif
#define MOST_LINES (MAX_ROW / STEPS + LEAST_LINES)
#define NO_BYTE 0x80

/* Lines of rows that lie side by side in source and destination, from byte `first` of a row on. A line is made in steps, of four
 * windows each: where these begin, and where in its window each byte is. After `count` lines, which are `rows` rows, it is the
 * same again. */
typedef struct {
    uchar places[MOST_LINES][STEPS][LINE] __attribute__((aligned(LINE)));
    ushort from[MOST_LINES][STEPS][4];
    uint first, count, rows;
    /* The line that begins at each byte of a row, where one does. */
    ushort at[MAX_ROW];
    /* Each line is made of one window. */
    bool is_narrow;
} lines_t;

/* Finds the windows of 16 bytes of a line, `column` 0 to 3. The row begins at byte `before` of the source. */
MOVE_FUNCTION void find_windows(lines_t *lines, uint line, uint column, const ushort *source, uint before) {
    uint end = 0; /* of the window before */
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        uint lowest = USHRT_MAX;
        for (uint i = 0; i < PIECE; i++)
            lowest = min(lowest, source[i] < end ? (uint)USHRT_MAX : (uint)source[i]);
        if (lowest == USHRT_MAX) /* nothing is left */
            lowest = source[0];
        for (uint i = 0; i < PIECE; i++)
            lines->places[line][step][column * PIECE + i] =
                source[i] < end || source[i] - lowest >= PIECE ? NO_BYTE : (uchar)(source[i] - lowest);
        lines->from[line][step][column] = (ushort)(before + lowest);
        end = lowest + PIECE;
    }
}

/* Makes one window of the four, if it has all that a line needs. */
MOVE_FUNCTION bool join_windows(uchar *places, ushort *from) {
    const ushort lowest = min(min(from[0], from[1]), min(from[2], from[3]));
    uint most = 0;
    for (uint i = 0; i < LINE; i++)
        most = max(most, places[i] + (uint)from[i / PIECE] - lowest);
    if (most >= PIECE)
        return false;
    for (uint i = 0; i < LINE; i++)
        places[i] += (uchar)(from[i / PIECE] - lowest);
    from[0] = from[1] = from[2] = from[3] = lowest;
    return true;
}

/* Of rows of so many bytes. */
MOVE_CALLED void find_lines(lines_t *lines, uint row_bytes, uint first) {
    lines->first = first;
    ushort source[MAX_ROW + LINE];
    for (uint i = 0; i < row_bytes + LINE; i++)
        source[i] = (ushort)(i / row_bytes * PATTERN_BYTES + i % row_bytes % PATTERN_BYTES);
    uint count = 0, row = 0, in_row = first;
    do {
        for (uint k = 0; k < 4; k++)
            find_windows(lines, count, k, source + in_row + k * PIECE, row * PATTERN_BYTES);
        lines->at[in_row] = (ushort)count;
        in_row += LINE;
        row += in_row / row_bytes;
        in_row %= row_bytes;
        count++;
    } while (in_row != first || count < LEAST_LINES);
    lines->count = count;
    lines->rows = row;
    lines->is_narrow = STEPS == 1;
    for (uint i = 0; i < count && lines->is_narrow; i++)
        lines->is_narrow = join_windows(lines->places[i][0], lines->from[i][0]);
}

MOVE_FUNCTION line_t make_line(const lines_t *lines, uint i, const global uchar *from, const bool is_narrow) {
    line_t line = 0;
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        uint4 windows[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            windows[k] = *(const global piece_anywhere_t *)(from + lines->from[i][step][is_narrow ? 0 : k]);
        line |= shuffle_line(windows, lines->places[i][step]);
    }
    return line;
}

/* Stores lines i to end - 1 of the table. Two functions, because of what STORE_CACHED says. */
#define STORE_LINES(name, STORE, vector_t)                                                                                       \
    MOVE_CALLED void name(const lines_t *lines, uint i, uint end, const global uchar *from, global uchar *to) {                  \
        if (lines->is_narrow)                                                                                                    \
            _Pragma("unroll 4") for (; i < end; i++, to += LINE) STORE(make_line(lines, i, from, true), (global vector_t *)to);  \
        else                                                                                                                     \
            _Pragma("unroll 4") for (; i < end; i++, to += LINE) STORE(make_line(lines, i, from, false), (global vector_t *)to); \
    }
STORE_LINES(stream_lines, STORE_STREAM, line_t)
STORE_LINES(cache_lines, STORE_CACHED, line_anywhere_t)

/* Shorter jobs, and those that have no table while few bytes are left, are made row by row: what a job costs counts more. */
#define LEAST_JOB 1536
#define LEAST_LEFT (2 * LINE * (LEAST_LINES + row_bytes / apart))

/* As many of q rows as can be made without reading past `readable` bytes of the source. Returns how many; none of short jobs, and
 * none where another table than that of the first ones would be needed. So many `jobs` are left. Lines that are made in registers
 * need not be loaded from where they were just stored, behind all stores on their way to memory. 134 MB on 2 cores of an Intel
 * Xeon (model 167): 4 bytes by 32 0.73 and 1.01 of the limit. */
MOVE_CALLED index_t repeat_in_lines(lines_t *lines, wc_buffer_t *wc_buffer, uchar *room, const global uchar *from,
                                    global uchar *to, uint row_bytes, index_t q, size_t readable, index_t jobs, bool stream) {
    /* Rows that a last line may reach into, and bytes that a window may. */
    const size_t behind = (LINE / row_bytes + 1) * PATTERN_BYTES + PIECE,
                 most = (readable - min(readable, behind)) / PATTERN_BYTES;
    const index_t rows = (index_t)min((size_t)q, most);
    /* A row begins at any multiple of `apart` from the beginning of a line. */
    const uint before = stream ? (uint)(0 - (size_t)to) & (LINE - 1) : 0, apart = min(row_bytes & (0 - row_bytes), (uint)LINE);
    const size_t bytes = (size_t)rows * row_bytes;
    if (bytes < LEAST_JOB || (lines->count == 0 ? bytes * jobs < LEAST_LEFT : lines->first != before % apart))
        return 0;
    if (lines->count == 0)
        find_lines(lines, row_bytes, before % apart);
    wc_buffer_seek(wc_buffer, room, ROOM + LINE, to, before, stream);
    for (uint i = 0, in_row = 0, in_pattern = 0, row = 0; i < before; i++) {
        room[wc_buffer->end++] = from[row + in_pattern];
        in_pattern = in_pattern + 1 < PATTERN_BYTES ? in_pattern + 1 : 0;
        if (++in_row == row_bytes) {
            in_row = in_pattern = 0;
            row += PATTERN_BYTES;
        }
    }
    wc_buffer_finish(wc_buffer, room, stream);
    /* Which line of the table comes next, and the source of the table's first. */
    uint line = lines->at[before % row_bytes];
    from += (long)(before / row_bytes * PATTERN_BYTES) - (long)((lines->first + line * LINE) / row_bytes * PATTERN_BYTES);
    to += before;
    for (size_t left = (bytes - before) / LINE; left > 0;) {
        const uint some = (uint)min(left, (size_t)(lines->count - line));
        if (stream)
            stream_lines(lines, line, line + some, from, to);
        else
            cache_lines(lines, line, line + some, from, to);
        to += some * LINE;
        left -= some;
        line += some;
        if (line == lines->count) {
            line = 0;
            from += lines->rows * PATTERN_BYTES;
        }
    }
    wc_buffer_start(wc_buffer, to);
    *(line_anywhere_t *)(room + wc_buffer->end) = make_line(lines, line, from, false);
    wc_buffer->end += (uint)((bytes - before) % LINE);
    return rows;
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
#ifdef MAKES_LINES
    lines_t lines;
    lines.count = 0;
    const bool in_lines =
        args.q_src == BLOCK && args.q_dst == args.n_dst * (sindex_t)args.n && args.n <= MAX_ROW / PATTERN_BYTES && args.q > 1;
#endif
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        index_t row = 0;
#ifdef MAKES_LINES
        if (in_lines) {
            row = repeat_in_lines(
                &lines, &wc_buffer, room, (const global uchar *)from, (global uchar *)to, (uint)args.n * PATTERN_BYTES, place.q,
                (size_t)args.src_end * sizeof(unit_t) - (size_t)((const global uchar *)from - src), left, args.stream);
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
            line_t pattern[PATTERN_LINES];
#pragma unroll
            for (int j = 0; j < PATTERN_LINES; j++)
                pattern[j] = *(const global line_anywhere_t *)((const global uchar *)from + PLACE_OF_LINE(j));
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
                        *(line_anywhere_t *)(at + PLACE_OF_LINE(j)) = pattern[j];
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
