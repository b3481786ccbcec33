/* Where kernels with long runs put what they store: a few KiB that stay in the first-level cache, written out in whole lines past
 * the cache. What the pattern stores may be short, out of line, and reach past its end; what memory sees are whole lines in
 * order.
 *
 * A write-combining buffer holds the bytes for one stretch of the destination: byte i of its room is for line[i], for i in begin
 * to end - 1. line is aligned to LINE, and what is before done has been written out. A begin of LINE leaves the first line to
 * others, and may be past the end.
 *
 * Lines should leave as soon as they are whole, every DRAIN_BYTES or so, or where several buffers are filled a step later: the
 * processor then reads while it writes. A write-combining buffer of a few KiB written out when it is full makes it do one, then
 * the other: 46 to 50 GB/s instead of 60, with 2 cores of an AMD EPYC (Zen 5).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_WC_BUFFER_H
#define CLMOVE_WC_BUFFER_H

#define LINE 64
/* Bytes that a store may reach past the end of what it appends. */
#define OVERRUN 64

#define DRAIN_BYTES 512

/* Of an array of places. Compilers fill it by vectors, and a vector that crosses the end of a line is slow to store. f16
 * [9,1416,8,96] by 0,2,3,1 on 2 cores of an AMD EPYC (Zen 3), POCL 3.1: 11.5 GB/s without, 16 to 19 so. */
#define ON_LINES __attribute__((aligned(LINE)))

typedef uint16 line_t;
/* POCL's vload16 and vstore16 move single bytes. */
typedef line_t line_anywhere_t __attribute__((aligned(1)));
/* A line that may lie anywhere. Its type is that of aligned ones: clang 14 stores a value of the other type past the cache in 8
 * bytes at once, however aligned the place is. */
MOVE_FUNCTION line_t load_line(const global uchar *from) {
    return *(const global line_anywhere_t *)from;
}
typedef uint4 piece_anywhere_t __attribute__((aligned(1)));
#define PIECE 16

typedef struct {
    global uchar *line;
    uint begin, done, end;
} wc_buffer_t;

MOVE_FUNCTION void wc_buffer_start(wc_buffer_t *wc_buffer, global uchar *dst) {
    wc_buffer->begin = wc_buffer->end = (uint)((size_t)dst & (LINE - 1));
    wc_buffer->done = 0;
    wc_buffer->line = dst - wc_buffer->end;
}

typedef ulong wc_word_t __attribute__((may_alias, aligned(1)));

/* Writes bytes that are no whole line: eight at a time, the last ones with some before them. None if `bytes` is negative. */
MOVE_CALLED void write_bytes(const uchar *from, uchar *to, long bytes) {
    long i = 0;
    for (; i + 8 <= bytes; i += 8)
        *(wc_word_t *)(to + i) = *(const wc_word_t *)(from + i);
    if (i < bytes && bytes >= 8)
        *(wc_word_t *)(to + bytes - 8) = *(const wc_word_t *)(from + bytes - 8);
    else
        for (; i < bytes; i++)
            to[i] = from[i];
}

/* Writes out bytes begin to end - 1, which are no whole line. On a processor there is one address space. */
MOVE_FUNCTION void wc_buffer_part(const wc_buffer_t *wc_buffer, const uchar *room, uint begin, uint end) {
    write_bytes(room + begin, (uchar *)(size_t)(wc_buffer->line + begin), (long)end - (long)begin);
}

/* Writes out the lines that are whole. */
MOVE_CALLED void wc_buffer_drain(wc_buffer_t *wc_buffer, const uchar *room, bool stream) {
    uint whole = wc_buffer->end & ~(uint)(LINE - 1);
    if (wc_buffer->done >= whole)
        return;
    if (wc_buffer->begin > 0) { /* what is before it in the line may be another's to write */
        wc_buffer_part(wc_buffer, room, wc_buffer->begin, LINE);
        wc_buffer->begin = 0;
        wc_buffer->done = LINE;
    }
    /* In variables, which no store overlaps: images by 6 to 14 1.05 times as fast as in *wc_buffer (an Intel Xeon, model 207). */
    const uchar *from = room + wc_buffer->done;
    global uchar *to = wc_buffer->line + wc_buffer->done;
    long lines = (long)(whole - wc_buffer->done) / LINE;
    wc_buffer->done = whole;
    if (stream)
        for (; lines > 0; lines--, from += LINE, to += LINE)
            STORE_STREAM(*(const line_t *)from, (global line_t *)to);
    else
        for (; lines > 0; lines--, from += LINE, to += LINE)
            STORE_CACHED(*(const line_t *)from, (global line_t *)to);
}

/* Writes everything out. */
MOVE_CALLED void wc_buffer_finish(wc_buffer_t *wc_buffer, uchar *room, bool stream) {
    wc_buffer_drain(wc_buffer, room, stream);
    wc_buffer_part(wc_buffer, room, max(wc_buffer->begin, wc_buffer->done), wc_buffer->end);
    wc_buffer->begin = wc_buffer->done = wc_buffer->end;
}

/* Goes on at the start of the room. */
MOVE_CALLED void wc_buffer_rewind(wc_buffer_t *wc_buffer, uchar *room, bool stream) {
    wc_buffer_drain(wc_buffer, room, stream);
    *(line_t *)room = *(const line_t *)(room + wc_buffer->done);
    wc_buffer->line += wc_buffer->done;
    wc_buffer->end -= wc_buffer->done;
    wc_buffer->done = 0;
}

/* Makes the write-combining buffer ready to take `bytes` (at most the capacity less LINE) that belong at dst. */
MOVE_FUNCTION void wc_buffer_seek(wc_buffer_t *wc_buffer, uchar *room, uint capacity, global uchar *dst, uint bytes,
                                  bool stream) {
    if (wc_buffer->line + wc_buffer->end != dst) {
        wc_buffer_finish(wc_buffer, room, stream);
        wc_buffer_start(wc_buffer, dst);
    } else if (wc_buffer->end + bytes > capacity)
        wc_buffer_rewind(wc_buffer, room, stream);
}

#define EIGHT 255, 255, 255, 255, 255, 255, 255, 255
static constant uchar own_bytes[2 * LINE] = {EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT};
#undef EIGHT
/* The first of_first bytes of a line, and the rest of another. */
MOVE_FUNCTION line_t seam_line(line_t first, line_t second, uint of_first) {
    const line_t own = *(const constant line_anywhere_t *)(own_bytes + LINE - of_first);
    return (first & own) | (second & ~own);
}

/* Streams a line: the `left` bytes of a run at `from`, and the next run, which begins `apart` bytes behind these. If left is a
 * line or more, all are the first run's. What is read lies between begin and end. Made in registers: from a buffer in memory,
 * where it was stored in parts, it could be loaded only when all stores before have left. */
MOVE_FUNCTION void stream_seam(global uchar *to, const global uchar *from, long left, long apart, const global uchar *begin,
                               const global uchar *end) {
    const uint of_first = (uint)min(left, (long)LINE);
    const global uchar *second = of_first < LINE ? from + apart : from;
    line_t line;
    if (end - from < LINE || second < begin) /* whole vectors would reach past the runs */
        for (uint i = 0; i < LINE; i++)
            ((uchar *)&line)[i] = i < of_first ? from[i] : second[i];
    else
        line = seam_line(load_line(from), load_line(second), of_first);
    STORE_STREAM(line, (global line_t *)to);
}
#endif
