/* Where a pattern puts what it stores: a few KiB that stay in the first-level cache, written out in whole lines, past the cache
 * where the destination is larger than it. What a pattern stores may be short, out of line, and reach past its end; what memory
 * sees are whole lines in order. The kernels do the same: cl_kernels/sink.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_SINK_H
#define CLMOVE_HOST_NATIVE_SINK_H

#include "host/native/lanes.h"

#include <stdbool.h>

#define CLM_LINE 64
/* Sinks of a worker at most, and bytes that they take at once: each of several, or the only one. Few, because a worker that
 * writes much at a time does not read meanwhile: deinterleaving f32 [4,4,1023,1023] by blocks of 3 on 2 cores of a Zen 5 EPYC
 * goes at 0.91 of a copy with 512 bytes for each of 9 sinks, 0.87 with 1024, 0.76 with 2688. */
#define CLM_SINKS 32
#define CLM_SINK_BYTES 512
#define CLM_ONLY_SINK_BYTES 1024
/* Bytes that a store may reach past the end of what it appends. */
#define CLM_OVERRUN CLM_VECTOR

/* Holds the bytes for one stretch of the destination: room[i] is for line[i], for i in begin to end - 1. line is aligned to
 * CLM_LINE. */
typedef struct clm_sink {
    unsigned char *room, *line;
    size_t begin, end;
} clm_sink;

typedef struct clm_sinks {
    int count;
    size_t most; /* bytes that may be appended to one at once */
    bool stream;
    clm_sink sink[CLM_SINKS];
    _Alignas(CLM_LINE) unsigned char rooms[CLM_SINKS * (CLM_SINK_BYTES + 2 * CLM_LINE)];
} clm_sinks;

/* Whole lines; dst is aligned to one. Past the cache the destination's lines need not be read first, which saves a third of the
 * traffic; memcpy does so only for single copies larger than a share of the cache, and rows are shorter. */
CLM_INLINE void clm_copy_lines(const unsigned char *src, unsigned char *dst, size_t bytes, bool stream) {
    if (stream)
        for (size_t done = 0; done < bytes; done += CLM_VECTOR)
            clm_stream(dst + done, clm_load(src + done));
    else
        for (size_t done = 0; done < bytes; done += CLM_VECTOR)
            clm_store(dst + done, clm_load(src + done));
}

/* Copies bytes, in whole lines of the destination, past the cache when stream. */
CLM_INLINE void clm_copy_bytes(const unsigned char *src, unsigned char *dst, size_t bytes, bool stream) {
    size_t head = (0 - (uintptr_t)dst) & (CLM_LINE - 1);
    if (!stream || bytes < head + CLM_LINE) {
        memcpy(dst, src, bytes);
        return;
    }
    size_t whole = (bytes - head) / CLM_LINE * CLM_LINE;
    memcpy(dst, src, head);
    clm_copy_lines(src + head, dst + head, whole, stream);
    memcpy(dst + head + whole, src + head + whole, bytes - head - whole);
}

/* Copies a few bytes: reads no others, and may write up to CLM_OVERRUN past them. */
CLM_INLINE void clm_copy_over(const unsigned char *src, unsigned char *dst, size_t bytes) {
    for (size_t done = 0; done + CLM_VECTOR <= bytes; done += CLM_VECTOR)
        clm_store(dst + done, clm_load(src + done));
    if (bytes >= CLM_VECTOR)
        clm_store(dst + bytes - CLM_VECTOR, clm_load(src + bytes - CLM_VECTOR));
    else
        clm_store(dst, clm_load_part(src, bytes));
}

static inline void clm_sink_start(clm_sink *sink, unsigned char *dst) {
    sink->begin = sink->end = (uintptr_t)dst & (CLM_LINE - 1);
    sink->line = dst - sink->end;
}

/* Makes `count` empty sinks that take at most `most` bytes at once, whole lines of them. */
static inline void clm_sinks_start(clm_sinks *sinks, int count, size_t most, unsigned char *dst, bool stream) {
    sinks->count = count;
    sinks->most = most;
    sinks->stream = stream;
    for (int i = 0; i < count; i++) {
        sinks->sink[i].room = sinks->rooms + (size_t)i * (sinks->most + 2 * CLM_LINE);
        clm_sink_start(&sinks->sink[i], dst);
    }
}

/* Writes the whole lines out and keeps the rest. */
static inline void clm_sink_flush(clm_sink *sink, bool stream) {
    size_t whole = sink->end / CLM_LINE * CLM_LINE, done = 0;
    if (whole == 0)
        return;
    if (sink->begin > 0) {
        memcpy(sink->line + sink->begin, sink->room + sink->begin, CLM_LINE - sink->begin);
        done = CLM_LINE;
    }
    clm_copy_lines(sink->room + done, sink->line + done, whole - done, stream);
    clm_copy_lines(sink->room + whole, sink->room, CLM_LINE, false);
    sink->line += whole;
    sink->end -= whole;
    sink->begin = 0;
}

/* Writes everything out. */
static inline void clm_sink_finish(clm_sink *sink, bool stream) {
    clm_sink_flush(sink, stream);
    memcpy(sink->line + sink->begin, sink->room + sink->begin, sink->end - sink->begin);
    sink->begin = sink->end;
}

static inline void clm_sinks_finish(clm_sinks *sinks) {
    for (int i = 0; i < sinks->count; i++)
        clm_sink_finish(&sinks->sink[i], sinks->stream);
}

/* Appends `bytes` (at most sinks->most) that belong at dst to sink i: returns where to put them. */
CLM_INLINE unsigned char *clm_sink_append(clm_sinks *sinks, int i, unsigned char *dst, size_t bytes) {
    clm_sink *sink = &sinks->sink[i];
    if (sink->line + sink->end != dst) {
        clm_sink_finish(sink, sinks->stream);
        clm_sink_start(sink, dst);
    }
    if (sink->end + bytes > sinks->most + CLM_LINE)
        clm_sink_flush(sink, sinks->stream);
    unsigned char *place = sink->room + sink->end;
    sink->end += bytes;
    return place;
}

#endif
