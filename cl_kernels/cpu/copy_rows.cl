/* copy: one run of units, contiguous in source and destination.
 * rows: runs of at least 17 bytes, contiguous in source and destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#define ROOM 2048

/* Bytes; dst begins a line if whole lines are to stream. */
static void copy_bytes(const global uchar *src, global uchar *dst, size_t bytes, bool stream) {
    size_t done = 0;
    if (stream)
        for (; done + LINE <= bytes; done += LINE)
            STORE_STREAM(load_line(src + done), (global line_t *)(dst + done));
    else
        for (; done + LINE <= bytes; done += LINE)
            *(global line_anywhere_t *)(dst + done) = *(const global line_anywhere_t *)(src + done);
    if (done < bytes && bytes >= 16) {
        for (; done + 16 <= bytes; done += 16)
            *(global piece_anywhere_t *)(dst + done) = *(const global piece_anywhere_t *)(src + done);
        done = bytes - 16; /* the last 16 overlap those before */
        *(global piece_anywhere_t *)(dst + done) = *(const global piece_anywhere_t *)(src + done);
        done = bytes;
    }
    for (; done < bytes; done++)
        dst[done] = src[done];
}

/* Bytes, at least 16 and less than a line, that may reach past their end in the write-combining buffer, and in the source if
 * past_end. */
MOVE_FUNCTION void append(uchar *at, const global uchar *src, uint bytes, bool past_end) {
    if (past_end) {
        *(line_anywhere_t *)at = *(const global line_anywhere_t *)src;
        return;
    }
    for (uint done = 0; done + 16 <= bytes; done += 16)
        *(piece_anywhere_t *)(at + done) = *(const global piece_anywhere_t *)(src + done);
    *(piece_anywhere_t *)(at + bytes - 16) = *(const global piece_anywhere_t *)(src + bytes - 16);
}

/* Rows from here on store their whole lines in a loop of their own. In shorter ones such a loop ends at a place that the
 * processor does not foresee: every line may be one in which a row ends, and no branch depends on it. */
#define LOOP_BYTES 256
/* The row so many further on is asked for. Rows of 331 to 3000 bytes on 2 cores of an Intel Xeon at 2.6 GHz: 1.05 times as fast
 * (geometric mean) as with 16. */
#define ROWS_AHEAD 4

/* Rows of at least a line that are adjacent in the destination, whose place the write-combining buffer is at. The room has a line
 * in front of it. */
MOVE_CALLED void stream_rows(wc_buffer_t *wc_buffer, uchar *room, const global uchar *src, long step, long bytes, index_t rows,
                             const global uchar *begin, const global uchar *end) {
    const long apart = step - bytes, missing = (long)(LINE - wc_buffer->end % LINE);
    *(line_anywhere_t *)(room + wc_buffer->end) = *(const global line_anywhere_t *)src;
    wc_buffer->end += (uint)missing;
    wc_buffer_drain(wc_buffer, room, true);
    global uchar *to = wc_buffer->line + wc_buffer->end;
    const long all = (long)rows * bytes - missing;
    long left = bytes - missing;
    global uchar *const lines_end = to + all / LINE * LINE;
    src += missing;
    while (to < lines_end) {
        const long wrap = -(long)(left <= 0); /* to the next row, by arithmetic */
        src += apart & wrap;
        left += bytes & wrap;
        if (bytes >= LOOP_BYTES)
            for (; left >= LINE; to += LINE, src += LINE, left -= LINE) {
                prefetch_line(src + ROWS_AHEAD * step);
                STORE_STREAM(load_line(src), (global line_t *)to);
            }
        else
            prefetch_line(src + ROWS_AHEAD * step);
        if (to < lines_end) {
            stream_seam(to, src, left, apart, begin, end);
            to += LINE;
            src += LINE;
            left -= LINE;
        }
    }
    const uint rest = (uint)(all % LINE);
    if (left <= 0) {
        src += apart;
        left += bytes;
    }
    if (rest > 0)
        *(line_anywhere_t *)(room + rest - LINE) = load_line(src + rest - LINE);
    wc_buffer->line = to;
    wc_buffer->begin = wc_buffer->done = 0;
    wc_buffer->end = rest;
}

/* Rows of whole lines, megabytes apart, several in turn with two lines each; host/native/rows.inc has the figures. */
#define ROWS_IN_TURN 8
#define IN_TURN_BYTES 1024
#define SAME_PLACE 4096
#define LATER_BYTES 256

MOVE_CALLED void copy_in_turn(index_t rows, size_t bytes, const global uchar *src, long src_step, global uchar *dst,
                              long dst_step) {
    const size_t later = dst_step % SAME_PLACE == 0 ? LATER_BYTES : 0;
    const size_t all = (bytes + 2 * LINE - 1) / (2 * LINE) * (2 * LINE);
    for (size_t done = 0; done < all; done += 2 * LINE) {
        const global uchar *from = src;
        global uchar *to = dst;
        size_t at = done;
        for (index_t k = 0; k < rows; k++, from += src_step, to += dst_step) {
            STORE_STREAM(load_line(from + at), (global line_t *)(to + at));
            if (at + LINE < bytes)
                STORE_STREAM(load_line(from + at + LINE), (global line_t *)(to + at + LINE));
            at += later;
            while (at >= all)
                at -= all;
        }
    }
}

/* Rows that are apart begin and end within lines. A store to a part of a line waits until it has come, and all stores behind it
 * wait as well: these lines are asked for so many bytes of the destination ahead. */
#define ENDS_BEFORE 4096

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
    uchar lines[LINE + ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
    uchar *room = lines + LINE;
    wc_buffer_t wc_buffer;
    wc_buffer_start(&wc_buffer, dst);
    const global uchar *const src_end = src + args.src_end * sizeof(unit_t);
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global uchar *from = (const global uchar *)((const global unit_t *)src + place.src);
        global uchar *to = (global uchar *)((global unit_t *)dst + place.dst);
        size_t bytes = (size_t)place.n * sizeof(unit_t);
        /* bytes, which 32-bit indices of units may not reach */
        const long src_step = (long)args.q_src * (long)sizeof(unit_t), dst_step = (long)args.q_dst * (long)sizeof(unit_t);
        const bool direct = !args.stream || bytes < 16 || ((size_t)to | bytes | (size_t)dst_step) % LINE == 0;
        if (direct && args.stream >= MOVE_STREAMS_IN_STRIPS && src_step != 0 && place.q > 1 && bytes >= IN_TURN_BYTES) {
            for (index_t row = 0, rows; row < place.q; row += rows, from += (long)rows * src_step, to += (long)rows * dst_step) {
                rows = min(place.q - row, (index_t)ROWS_IN_TURN);
                copy_in_turn(rows, bytes, from, src_step, to, dst_step);
            }
            continue;
        }
        const index_t together = !direct && bytes >= LINE && dst_step == (long)bytes ? place.q : 1;
        const index_t ahead = 1 + (index_t)(ENDS_BEFORE / max(dst_step < 0 ? -dst_step : dst_step, 1L));
        const bool asks = !direct && dst_step != (long)bytes;
        for (index_t row = 0; row < place.q; row += together, from += src_step, to += dst_step) {
            if (asks && ahead < place.q - row) {
                prefetch_line(to + (long)ahead * dst_step);
                prefetch_line(to + (long)ahead * dst_step + bytes);
            }
            if (direct) {
                copy_bytes(from, to, bytes, args.stream);
                continue;
            }
            wc_buffer_seek(&wc_buffer, room, ROOM, to, (uint)min(bytes, (size_t)LINE), true);
            if (bytes >= LINE)
                stream_rows(&wc_buffer, room, from, src_step, (long)bytes, together, src, src_end);
            else {
                append(room + wc_buffer.end, from, (uint)bytes,
                       may_read(&args, src, (const global unit_t *)from, LINE / sizeof(unit_t)));
                wc_buffer.end += (uint)bytes;
                if (wc_buffer.end - wc_buffer.done >= DRAIN_BYTES)
                    wc_buffer_drain(&wc_buffer, room, true);
            }
        }
    }
    wc_buffer_finish(&wc_buffer, room, true);
}

kernel void copy_rows(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}
