/* Write-combining buffers: a pattern stores into a few KiB that stay in the first-level cache. Whole cache lines are written from
 * there to memory in order, with non-temporal stores if the working set exceeds the cache. A pattern's stores may be short, not
 * aligned to a line, and reach past their end. The kernels do the same: cl_kernels/cpu/sink.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_SINK_H
#define CLMOVE_HOST_NATIVE_SINK_H

#include "host/native/lanes.h"

#include <stdbool.h>

/* The bytes of a cache line. */
#define CLM_LINE 64
/* The most buffers of a worker, and the bytes that each of several, or the only one, takes at once. They are small, since a
 * worker that writes much at a time does not read meanwhile. Deinterleaving f32 [4,4,1023,1023] by blocks of 3 on 2 cores of a
 * Zen 5 EPYC runs at 0.91 of a copy with 512 bytes for each of 9 buffers, at 0.87 with 1024, at 0.76 with 2688. */
#define CLM_SINKS 32
#define CLM_SINK_BYTES 512
#define CLM_ONLY_SINK_BYTES 1024
/* The bytes that a store may reach past the end of the bytes that it appends. */
#define CLM_OVERRUN CLM_VECTOR

/* A buffer for contiguous bytes of the destination: room[i] is for line[i], for i from begin to end - 1. line is aligned to
 * CLM_LINE. */
typedef struct clm_sink {
    unsigned char *room, *line;
    size_t begin, end;
} clm_sink;

/* The buffers of a worker. */
typedef struct clm_sinks {
    int count;
    /* The bytes that may be appended to one buffer at once. */
    size_t most;
    /* Lines are written with non-temporal stores. */
    bool stream;
    clm_sink sink[CLM_SINKS];
    _Alignas(CLM_LINE) unsigned char rooms[CLM_SINKS * (CLM_SINK_BYTES + 2 * CLM_LINE)];
} clm_sinks;

/* Copies whole lines; dst is aligned to a line. Non-temporal stores do not read the destination's lines first, which saves a
 * third of the traffic. memcpy uses them for single copies larger than a share of the cache alone, and rows are shorter. */
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

/* Copies a few bytes. Reads no other bytes, and may write up to CLM_OVERRUN past them. */
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

/* Makes `count` empty buffers that take at most `most` bytes at once. most is a multiple of CLM_LINE. */
static inline void clm_sinks_start(clm_sinks *sinks, int count, size_t most, unsigned char *dst, bool stream) {
    sinks->count = count;
    sinks->most = most;
    sinks->stream = stream;
    for (int i = 0; i < count; i++) {
        sinks->sink[i].room = sinks->rooms + (size_t)i * (sinks->most + 2 * CLM_LINE);
        clm_sink_start(&sinks->sink[i], dst);
    }
}

/* Writes the whole lines to memory and keeps the rest. */
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

/* Writes all bytes to memory. */
static inline void clm_sink_finish(clm_sink *sink, bool stream) {
    clm_sink_flush(sink, stream);
    memcpy(sink->line + sink->begin, sink->room + sink->begin, sink->end - sink->begin);
    sink->begin = sink->end;
}

static inline void clm_sinks_finish(clm_sinks *sinks) {
    for (int i = 0; i < sinks->count; i++)
        clm_sink_finish(&sinks->sink[i], sinks->stream);
}

/* Appends `bytes` (at most sinks->most) for dst to buffer i. Returns where to store them. */
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
