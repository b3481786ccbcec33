/* Write-combining buffers: a pattern stores into a few KiB that stay in the first-level cache. Whole cache lines are written from
 * there to memory in order, with non-temporal stores if the working set exceeds the cache. A pattern's stores may be short, not
 * aligned to a line, and reach past their end. The kernels do the same: cl_kernels/cpu/wc_buffer.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_WC_BUFFER_H
#define CLMOVE_HOST_NATIVE_WC_BUFFER_H

#include "host/native/lanes.h"

#include <stdbool.h>

/* The bytes of a cache line. */
#define CLM_LINE 64
/* The most buffers of a worker, and the bytes that each of several, or the only one, takes at once. They are small, and whole
 * lines leave them before more is appended, since a worker that writes much at a time does not read meanwhile: deinterleaving by
 * 8 to 14 in rows of 1248 to 2892 bytes on 2 cores of an Intel Xeon (model 167) 1.05 to 1.09 times as fast as with lines that
 * leave when a buffer is full. Deinterleaving f32 [4,4,1023,1023] by blocks of 3 on 2 cores of a Zen 5 EPYC runs at 0.91 of a
 * copy with 512 bytes for each of 9 buffers, at 0.87 with 1024, at 0.76 with 2688. */
#define CLM_WC_BUFFERS 32
#define CLM_WC_BUFFER_BYTES 512
#define CLM_ONLY_WC_BUFFER_BYTES 1024
/* The bytes that a store may reach past the end of the bytes that it appends. */
#define CLM_OVERRUN CLM_VECTOR

/* A buffer for contiguous bytes of the destination: room[i] is for line[i], for i from begin to end - 1. line is aligned to
 * CLM_LINE. A begin of CLM_LINE leaves the first line to others, and may be past the end. */
typedef struct clm_wc_buffer {
    unsigned char *room, *line;
    size_t begin, end;
} clm_wc_buffer;

/* Or the room is for rows of transpose that carry lines (strips.inc), with a block of rows before and behind. f32 [4099,4111] on
 * 2 cores of an AMD EPYC (model 17): 23 GB/s with 160 rows, 26 with 320, 27 with 1024. */
#define CARRIED_BYTES (3 * CLM_LINE)
#define CARRIED_ROWS 256
#define CARRIED_SIDE 16
/* Behind them, a line of each row with which it begins. */
#define CARRIED_ROOM ((CARRIED_ROWS + 2 * CARRIED_SIDE) * (CARRIED_BYTES + CLM_LINE))
/* Or rows of the destination that take the same bytes each have a room (joined.inc): a line with what precedes the bytes, the
 * bytes, and a line that a store may reach. There are at most half as many such rows as buffers. few_rows.inc has more rooms, of
 * fewer bytes. */
#define CLM_JOINED_BYTES 512
#define CLM_JOINED_ROOM (CLM_JOINED_BYTES + 2 * CLM_LINE)
/* Or there are two rooms that tiles go by way of (rooms.inc), of at most so many bytes. */
#define ROOM_BYTES 36864
#define CLM_WC_ROOMS (CLM_WC_BUFFERS * (CLM_WC_BUFFER_BYTES + 2 * CLM_LINE))
#define CLM_WC_ROOM (2 * ROOM_BYTES)
_Static_assert(CLM_WC_ROOM >= CARRIED_ROOM && CLM_WC_ROOM >= CLM_WC_ROOMS && CLM_WC_ROOM >= CLM_WC_BUFFERS / 2 * CLM_JOINED_ROOM,
               "two rooms are the largest");

/* The buffers of a worker. */
typedef struct clm_wc_buffers {
    int count;
    /* The bytes that may be appended to one buffer at once. */
    size_t most;
    /* Lines are written with non-temporal stores. */
    bool stream;
    clm_wc_buffer wc_buffer[CLM_WC_BUFFERS];
    _Alignas(CLM_LINE) unsigned char rooms[CLM_WC_ROOM];
} clm_wc_buffers;

/* Bytes up to the next line. */
CLM_INLINE int64_t clm_to_line(const unsigned char *at) {
    return (int64_t)((0 - (uintptr_t)at) & (CLM_LINE - 1));
}

/* Asks for the lines at the ends of what is going to be written past the cache, if parts of them are others'. A store to such a
 * line waits until it has come, and all stores behind it wait as well. Rows of 1 to 5 KB that are interleaved, a row or more
 * apart, on 2 cores of an Intel Xeon (model 207): 1.2 times as fast (30 blocks, at most 1.5 times). */
CLM_INLINE void clm_ask_for_ends(const unsigned char *to, int64_t bytes) {
    if (((uintptr_t)to & (CLM_LINE - 1)) != 0)
        __builtin_prefetch(to, 1, 3);
    if (((uintptr_t)(to + bytes) & (CLM_LINE - 1)) != 0)
        __builtin_prefetch(to + bytes, 1, 3);
}

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

static inline void clm_wc_buffer_start(clm_wc_buffer *wc_buffer, unsigned char *dst) {
    wc_buffer->begin = wc_buffer->end = (uintptr_t)dst & (CLM_LINE - 1);
    wc_buffer->line = dst - wc_buffer->end;
}

/* Makes `count` empty buffers that take at most `most` bytes at once. most is a multiple of CLM_LINE. */
static inline void clm_wc_buffers_start(clm_wc_buffers *wc_buffers, int count, size_t most, unsigned char *dst, bool stream) {
    wc_buffers->count = count;
    wc_buffers->most = most;
    wc_buffers->stream = stream;
    for (int i = 0; i < count; i++) {
        wc_buffers->wc_buffer[i].room = wc_buffers->rooms + (size_t)i * (wc_buffers->most + 2 * CLM_LINE);
        clm_wc_buffer_start(&wc_buffers->wc_buffer[i], dst);
    }
}

/* Writes the whole lines to memory and keeps the rest. */
static inline void clm_wc_buffer_flush(clm_wc_buffer *wc_buffer, bool stream) {
    size_t whole = wc_buffer->end / CLM_LINE * CLM_LINE, done = 0;
    if (whole == 0)
        return;
    if (wc_buffer->begin > 0) {
        memcpy(wc_buffer->line + wc_buffer->begin, wc_buffer->room + wc_buffer->begin, CLM_LINE - wc_buffer->begin);
        done = CLM_LINE;
    }
    clm_copy_lines(wc_buffer->room + done, wc_buffer->line + done, whole - done, stream);
    clm_copy_lines(wc_buffer->room + whole, wc_buffer->room, CLM_LINE, false);
    wc_buffer->line += whole;
    wc_buffer->end -= whole;
    wc_buffer->begin = 0;
}

/* Writes all bytes to memory. */
static inline void clm_wc_buffer_finish(clm_wc_buffer *wc_buffer, bool stream) {
    clm_wc_buffer_flush(wc_buffer, stream);
    if (wc_buffer->end > wc_buffer->begin)
        memcpy(wc_buffer->line + wc_buffer->begin, wc_buffer->room + wc_buffer->begin, wc_buffer->end - wc_buffer->begin);
    wc_buffer->begin = wc_buffer->end;
}

static inline void clm_wc_buffers_finish(clm_wc_buffers *wc_buffers) {
    for (int i = 0; i < wc_buffers->count; i++)
        clm_wc_buffer_finish(&wc_buffers->wc_buffer[i], wc_buffers->stream);
}

/* Appends `bytes` (at most wc_buffers->most) for dst to buffer i. Returns where to store them, which holds until
 * more is appended to it. */
CLM_INLINE unsigned char *clm_wc_buffer_append(clm_wc_buffers *wc_buffers, int i, unsigned char *dst, size_t bytes) {
    clm_wc_buffer *wc_buffer = &wc_buffers->wc_buffer[i];
    if (wc_buffer->line + wc_buffer->end != dst) {
        clm_wc_buffer_finish(wc_buffer, wc_buffers->stream);
        clm_wc_buffer_start(wc_buffer, dst);
    }
    if (wc_buffer->end >= CLM_LINE)
        clm_wc_buffer_flush(wc_buffer, wc_buffers->stream);
    unsigned char *place = wc_buffer->room + wc_buffer->end;
    wc_buffer->end += bytes;
    return place;
}

/* Which bytes of a row leave a room: the first ones; and whether what is no whole line is written, before the first whole one and
 * behind the last. Others write it if not. */
typedef struct clm_ends {
    bool is_first, has_head, has_tail;
} clm_ends;

/* Writes the lines that are whole with the `bytes` of such a room, which belong at `to`, past the cache; and the ends of the row.
 * All but the last are a line or more, of which the room keeps the end. */
static inline void clm_room_leave(unsigned char *room, unsigned char *to, int64_t bytes, clm_ends ends, bool is_last) {
    const int64_t before = (int64_t)((uintptr_t)to & (CLM_LINE - 1)), end = before + bytes, whole = end / CLM_LINE * CLM_LINE;
    const unsigned char *const from = room + CLM_LINE - before;
    int64_t done = 0;
    to -= before;
    if (ends.is_first && before > 0) {
        done = CLM_LINE;
        if (ends.has_head)
            memcpy(to + before, from + before, (size_t)(end < CLM_LINE ? bytes : CLM_LINE - before));
    }
    if (done < whole)
        clm_copy_lines(from + done, to + done, (size_t)(whole - done), true);
    if (!is_last)
        clm_copy_lines(room + bytes, room, CLM_LINE, false);
    else if (ends.has_tail && done <= whole)
        memcpy(to + whole, from + whole, (size_t)(end - whole));
}

#endif
