/* SPDX-License-Identifier: Apache-2.0 */
#include "host/reference/sink.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

/* Stores that bypass the cache: the destination's lines need not be read first, which saves a third of the traffic. memcpy does
 * so only for single copies larger than a share of the cache, and rows are shorter. */
static void stream_line(const unsigned char *src, unsigned char *dst) {
    for (int i = 0; i < CLM_LINE; i += 16)
        _mm_stream_si128((__m128i *)(dst + i), _mm_loadu_si128((const __m128i *)(src + i)));
}

void clm_finish_streams(void) {
    _mm_sfence();
}
#else
static void stream_line(const unsigned char *src, unsigned char *dst) {
    memcpy(dst, src, CLM_LINE);
}

void clm_finish_streams(void) {}
#endif

/* Whole lines; dst is aligned to one. */
static void copy_lines(const unsigned char *src, unsigned char *dst, size_t bytes, bool stream) {
    if (!stream) {
        memcpy(dst, src, bytes);
        return;
    }
    for (size_t done = 0; done < bytes; done += CLM_LINE)
        stream_line(src + done, dst + done);
}

void clm_copy_bytes(const unsigned char *src, unsigned char *dst, size_t bytes, bool stream) {
    size_t head = (0 - (uintptr_t)dst) & (CLM_LINE - 1);
    if (!stream || bytes < head + CLM_LINE) {
        memcpy(dst, src, bytes);
        return;
    }
    size_t whole = (bytes - head) / CLM_LINE * CLM_LINE;
    memcpy(dst, src, head);
    copy_lines(src + head, dst + head, whole, stream);
    memcpy(dst + head + whole, src + head + whole, bytes - head - whole);
}

void clm_sink_start(clm_sink *sink, unsigned char *dst, bool stream) {
    sink->begin = sink->end = (uintptr_t)dst & (CLM_LINE - 1);
    sink->line = dst - sink->end;
    sink->stream = stream;
}

void clm_sink_flush(clm_sink *sink) {
    size_t whole = sink->end / CLM_LINE * CLM_LINE, done = 0;
    if (whole == 0)
        return;
    if (sink->begin > 0) {
        memcpy(sink->line + sink->begin, sink->room + sink->begin, CLM_LINE - sink->begin);
        done = CLM_LINE;
    }
    copy_lines(sink->room + done, sink->line + done, whole - done, sink->stream);
    memcpy(sink->room, sink->room + whole, sink->end - whole);
    sink->line += whole;
    sink->end -= whole;
    sink->begin = 0;
}

void clm_sink_finish(clm_sink *sink) {
    clm_sink_flush(sink);
    memcpy(sink->line + sink->begin, sink->room + sink->begin, sink->end - sink->begin);
    sink->begin = sink->end;
}
