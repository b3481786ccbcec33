/* Where a pattern puts what it stores: a few KiB that stay in the first-level cache, written out in whole lines, past the cache
 * where the destination is larger than it. What a pattern stores may be short, out of line, and reach past its end; what memory
 * sees are whole lines in order. The kernels do the same: cl_kernels/sink.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_REFERENCE_SINK_H
#define CLMOVE_HOST_REFERENCE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLM_LINE 64
/* Sinks of a worker, and bytes of each that may be appended at once. Together they leave half of a first-level cache. */
#define CLM_SINKS 16
#define CLM_SINK_BYTES 2048
/* Bytes that a store may reach past the end of what it appends. */
#define CLM_OVERRUN 16

/* Holds the bytes for one stretch of the destination: room[i] is for line[i], for i in begin to end - 1. line is aligned to
 * CLM_LINE. */
typedef struct clm_sink {
    _Alignas(CLM_LINE) unsigned char room[CLM_SINK_BYTES + CLM_LINE + CLM_OVERRUN];
    unsigned char *line;
    size_t begin, end;
    bool stream;
} clm_sink;

/* Makes an empty sink. */
void clm_sink_start(clm_sink *sink, unsigned char *dst, bool stream);

/* Writes the whole lines out and keeps the rest. */
void clm_sink_flush(clm_sink *sink);

/* Writes everything out. */
void clm_sink_finish(clm_sink *sink);

/* Copies bytes, in whole lines of the destination, past the cache when stream. */
void clm_copy_bytes(const unsigned char *src, unsigned char *dst, size_t bytes, bool stream);

/* Orders a thread's stores that bypassed the cache before what it does next. */
void clm_finish_streams(void);

/* Appends `bytes` (at most CLM_SINK_BYTES) that belong at dst: returns where to put them. */
static inline unsigned char *clm_sink_append(clm_sink *sink, unsigned char *dst, size_t bytes) {
    if (sink->line + sink->end != dst) {
        clm_sink_finish(sink);
        clm_sink_start(sink, dst, sink->stream);
    }
    if (sink->end + bytes > CLM_SINK_BYTES + CLM_LINE)
        clm_sink_flush(sink);
    unsigned char *place = sink->room + sink->end;
    sink->end += bytes;
    return place;
}

#endif
