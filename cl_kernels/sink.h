/* Where kernels with long runs put what they store: a few KiB that stay in the first-level cache, written out in whole lines past
 * the cache. What the pattern stores may be short, out of line, and reach past its end; what memory sees are whole lines in
 * order.
 *
 * A sink holds the bytes for one stretch of the destination: byte i of its room is for line[i], for i in begin to end - 1. line
 * is aligned to LINE.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_SINK_H
#define CLMOVE_SINK_H

#define LINE 64
/* Bytes that a store may reach past the end of what it appends. */
#define OVERRUN 64

/* Asks for the start of the row that comes next, which hardware does not foresee where rows lie apart. */
#define PREFETCH_BYTES 2048
static inline __attribute__((always_inline)) void prefetch_row(const global uchar *row, size_t bytes) {
#ifdef __has_builtin
#if __has_builtin(__builtin_prefetch)
    for (size_t i = 0; i < min(bytes, (size_t)PREFETCH_BYTES); i += LINE)
        __builtin_prefetch((const void *)(size_t)(row + i)); /* one address space on a CPU */
#endif
#endif
}

typedef struct {
    global uchar *line;
    uint begin, end;
} sink_t;

static inline __attribute__((always_inline)) void sink_start(sink_t *sink, global uchar *dst) {
    sink->begin = sink->end = (uint)((size_t)dst & (LINE - 1));
    sink->line = dst - sink->end;
}

/* Writes the whole lines out and keeps the rest. */
static __attribute__((noinline)) void sink_flush(sink_t *sink, uchar *room, bool stream) {
    uint whole = sink->end & ~(uint)(LINE - 1), done = 0;
    if (whole == 0)
        return;
    if (sink->begin > 0) {
        for (uint i = sink->begin; i < LINE; i++)
            sink->line[i] = room[i];
        done = LINE;
    }
    global uint16 *to = (global uint16 *)sink->line;
    const uint16 *from = (const uint16 *)room;
    if (stream)
        for (uint i = done / LINE; i < whole / LINE; i++)
            STORE_STREAM(from[i], to + i);
    else
        for (uint i = done / LINE; i < whole / LINE; i++)
            to[i] = from[i];
    ((uint16 *)room)[0] = from[whole / LINE];
    sink->line += whole;
    sink->end -= whole;
    sink->begin = 0;
}

/* Writes everything out. */
static __attribute__((noinline)) void sink_finish(sink_t *sink, uchar *room, bool stream) {
    sink_flush(sink, room, stream);
    for (uint i = sink->begin; i < sink->end; i++)
        sink->line[i] = room[i];
    sink->begin = sink->end;
}

/* Makes the sink ready to take `bytes` (at most the capacity less LINE) that belong at dst. */
static inline __attribute__((always_inline)) void sink_seek(sink_t *sink, uchar *room, uint capacity, global uchar *dst,
                                                            uint bytes, bool stream) {
    if (sink->line + sink->end != dst) {
        sink_finish(sink, room, stream);
        sink_start(sink, dst);
    }
    if (sink->end + bytes > capacity)
        sink_flush(sink, room, stream);
}
#endif
