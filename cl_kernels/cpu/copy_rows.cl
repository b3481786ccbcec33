/* copy: one run of units, contiguous in source and destination.
 * rows: runs of at least 17 bytes, contiguous in source and destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#define ROOM 2048
/* Rows from here on go through the write-combining buffer with their broken lines at both ends only. */
#define LONG_ROW 256

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

/* Bytes, at least 16, that may reach past their end in the write-combining buffer, and in the source if past_end. */
MOVE_FUNCTION void append(uchar *at, const global uchar *src, uint bytes, bool past_end) {
    uint done = 0;
    for (; done + (past_end ? 1 : LINE) <= bytes; done += LINE)
        *(line_anywhere_t *)(at + done) = *(const global line_anywhere_t *)(src + done);
    if (past_end)
        return;
    for (; done + 16 <= bytes; done += 16)
        *(piece_anywhere_t *)(at + done) = *(const global piece_anywhere_t *)(src + done);
    *(piece_anywhere_t *)(at + bytes - 16) = *(const global piece_anywhere_t *)(src + bytes - 16);
}

/* A row of at least LONG_ROW bytes whose place the write-combining buffer is at: what is missing to a whole line, the lines
 * between, the rest. The room has a line in front of it. */
static void stream_long_row(wc_buffer_t *wc_buffer, uchar *room, const global uchar *src, size_t bytes) {
    uint missing = LINE - wc_buffer->end % LINE;
    *(line_anywhere_t *)(room + wc_buffer->end) = *(const global line_anywhere_t *)src;
    wc_buffer->end += missing;
    wc_buffer_drain(wc_buffer, room, true);
    wc_buffer->line += wc_buffer->end;
    size_t whole = (bytes - missing) / LINE * LINE;
    copy_bytes(src + missing, wc_buffer->line, whole, true);
    wc_buffer->line += whole;
    wc_buffer->begin = wc_buffer->done = 0;
    wc_buffer->end = (uint)(bytes - missing - whole);
    *(line_anywhere_t *)(room + wc_buffer->end - LINE) = *(const global line_anywhere_t *)(src + bytes - LINE);
}

kernel void copy_rows(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    uchar lines[LINE + ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
    uchar *room = lines + LINE;
    wc_buffer_t wc_buffer;
    wc_buffer_start(&wc_buffer, dst);
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global uchar *from = (const global uchar *)((const global unit_t *)src + place.src);
        global uchar *to = (global uchar *)((global unit_t *)dst + place.dst);
        size_t bytes = (size_t)place.n * sizeof(unit_t);
        /* bytes, which 32-bit indices of units may not reach */
        const long src_step = (long)args.q_src * (long)sizeof(unit_t), dst_step = (long)args.q_dst * (long)sizeof(unit_t);
        bool direct = !args.stream || bytes < 16 || ((size_t)to | bytes | (size_t)dst_step) % LINE == 0;
        for (index_t row = 0; row < place.q; row++, from += src_step, to += dst_step) {
            if (direct) {
                copy_bytes(from, to, bytes, args.stream);
                continue;
            }
            wc_buffer_seek(&wc_buffer, room, ROOM, to, (uint)min(bytes, (size_t)LONG_ROW), true);
            if (bytes >= LONG_ROW)
                stream_long_row(&wc_buffer, room, from, bytes);
            else {
                append(room + wc_buffer.end, from, (uint)bytes,
                       may_read(&args, src, (const global unit_t *)from, place.n + LINE / sizeof(unit_t)));
                wc_buffer.end += (uint)bytes;
                if (wc_buffer.end - wc_buffer.done >= DRAIN_BYTES)
                    wc_buffer_drain(&wc_buffer, room, true);
            }
        }
    }
    wc_buffer_finish(&wc_buffer, room, true);
}
