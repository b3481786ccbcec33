/* Where kernels with long runs put what they store: a few KiB that stay in the first-level cache, written out in whole lines past
 * the cache. What the pattern stores may be short, out of line, and reach past its end; what memory sees are whole lines in
 * order.
 *
 * A sink holds the bytes for one stretch of the destination: byte i of its room is for line[i], for i in begin to end - 1. line
 * is aligned to LINE, and what is before done has been written out.
 *
 * Lines should leave as soon as they are whole, every DRAIN_BYTES or so: the processor then reads while it writes. A sink of a
 * few KiB written out when it is full makes it do one, then the other: 46 to 50 GB/s instead of 60, with 2 cores of an AMD EPYC
 * (Zen 5).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_SINK_H
#define CLMOVE_SINK_H

#define LINE 64
/* Bytes that a store may reach past the end of what it appends. */
#define OVERRUN 64

#define DRAIN_BYTES 512

typedef uint16 line_t;
/* POCL's vload16 and vstore16 move single bytes. */
typedef line_t line_anywhere_t __attribute__((aligned(1)));
typedef uint4 piece_anywhere_t __attribute__((aligned(1)));
#define PIECE 16

typedef struct {
    global uchar *line;
    uint begin, done, end;
} sink_t;

MOVE_FUNCTION void sink_start(sink_t *sink, global uchar *dst) {
    sink->begin = sink->end = (uint)((size_t)dst & (LINE - 1));
    sink->done = 0;
    sink->line = dst - sink->end;
}

/* Writes out the line at done, which is whole and was begun here. STORE is STORE_STREAM or STORE_CACHED. */
#define SINK_LINE(STORE, sink, room)                                                                                             \
    do {                                                                                                                         \
        STORE(*(const line_t *)((room) + (sink)->done), (global line_t *)((sink)->line + (sink)->done));                         \
        (sink)->done += LINE;                                                                                                    \
    } while (0)

/* Writes out the lines that are whole. */
static __attribute__((noinline)) void sink_drain(sink_t *sink, const uchar *room, bool stream) {
    uint whole = sink->end & ~(uint)(LINE - 1);
    if (sink->done >= whole)
        return;
    if (sink->begin > 0) { /* what is before it in the line may be another's to write */
        for (uint i = sink->begin; i < LINE; i++)
            sink->line[i] = room[i];
        sink->begin = 0;
        sink->done = LINE;
    }
    if (stream)
        while (sink->done < whole)
            SINK_LINE(STORE_STREAM, sink, room);
    else
        while (sink->done < whole)
            SINK_LINE(STORE_CACHED, sink, room);
}

/* Writes everything out. */
static __attribute__((noinline)) void sink_finish(sink_t *sink, uchar *room, bool stream) {
    sink_drain(sink, room, stream);
    for (uint i = max(sink->begin, sink->done); i < sink->end; i++)
        sink->line[i] = room[i];
    sink->begin = sink->done = sink->end;
}

/* Goes on at the start of the room. */
static __attribute__((noinline)) void sink_rewind(sink_t *sink, uchar *room, bool stream) {
    sink_drain(sink, room, stream);
    *(line_t *)room = *(const line_t *)(room + sink->done);
    sink->line += sink->done;
    sink->end -= sink->done;
    sink->done = 0;
}

/* Makes the sink ready to take `bytes` (at most the capacity less LINE) that belong at dst. */
MOVE_FUNCTION void sink_seek(sink_t *sink, uchar *room, uint capacity, global uchar *dst, uint bytes, bool stream) {
    if (sink->line + sink->end != dst) {
        sink_finish(sink, room, stream);
        sink_start(sink, dst);
    } else if (sink->end + bytes > capacity)
        sink_rewind(sink, room, stream);
}
#endif
