/* The patterns of bytes: rows, and rows of one pattern again and again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/reference/patterns.h"

#include <string.h>

/* Rows from here on are stored directly: their broken lines at both ends are few. */
#define DIRECT_BYTES 4096

__extension__ typedef unsigned __int128 uint128;

void clm_copy_rows(const clm_movement *movement, clm_sink *sinks, int64_t q, int64_t n, const unsigned char *src,
                   unsigned char *dst) {
    const int64_t unit_bytes = clm_unit_bytes(movement);
    const size_t bytes = (size_t)(n * unit_bytes);
    const bool direct = !movement->stream || bytes >= DIRECT_BYTES || bytes > CLM_SINK_BYTES;
    for (int64_t row = 0; row < q; row++, src += movement->q_src * unit_bytes, dst += movement->q_dst * unit_bytes)
        if (direct)
            clm_copy_bytes(src, dst, bytes, movement->stream);
        else
            memcpy(clm_sink_append(sinks, dst, bytes), src, bytes);
}

/* The pattern again and again, 16 bytes of it. pattern_bytes is a constant, so this is a few loads and shifts. */
static inline __attribute__((always_inline)) uint128 fill_16(const unsigned char *src, size_t pattern_bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint128 word = 0;
    memcpy(&word, src, pattern_bytes);
    for (size_t have = pattern_bytes; have < 16; have *= 2)
        word |= word << (8 * have);
    return word;
#else
    unsigned char bytes[16];
    uint128 word;
    for (size_t i = 0; i < 16; i++)
        bytes[i] = src[i % pattern_bytes];
    memcpy(&word, bytes, sizeof word);
    return word;
#endif
}

/* Stores of 16 bytes that advance by whole patterns, so that each begins with the pattern's first byte. What they reach past the
 * end is overwritten by what comes next, or never leaves the sink. */
static inline __attribute__((always_inline)) void repeat_short(const clm_movement *movement, clm_sink *sink, int64_t q, int64_t n,
                                                               const unsigned char *src, unsigned char *dst,
                                                               size_t pattern_bytes) {
    const size_t step = 16 / pattern_bytes * pattern_bytes, most = CLM_SINK_BYTES / pattern_bytes * pattern_bytes;
    const size_t bytes = (size_t)n * pattern_bytes;
    const int64_t unit_bytes = clm_unit_bytes(movement), src_step = movement->q_src * unit_bytes,
                  dst_step = movement->q_dst * unit_bytes;
    for (int64_t row = 0; row < q; row++, src += src_step, dst += dst_step) {
        const uint128 word = fill_16(src, pattern_bytes);
        for (size_t done = 0; done < bytes;) {
            size_t count = bytes - done < most ? bytes - done : most;
            unsigned char *at = clm_sink_append(sink, dst + done, count);
            for (size_t i = 0; i < count; i += step)
                memcpy(at + i, &word, sizeof word);
            done += count;
        }
    }
}

static void repeat_long(clm_sink *sink, const unsigned char *src, unsigned char *dst, size_t pattern_bytes, size_t bytes) {
    for (size_t done = 0; done < bytes; done += pattern_bytes)
        memcpy(clm_sink_append(sink, dst + done, pattern_bytes), src, pattern_bytes);
}

void clm_repeat(const clm_movement *movement, clm_sink *sinks, int64_t q, int64_t n, const unsigned char *src,
                unsigned char *dst) {
    const int64_t unit_bytes = clm_unit_bytes(movement);
    const size_t pattern_bytes = (size_t)(movement->m * unit_bytes);
    switch (pattern_bytes) {
#define SHORT(bytes)                                                                                                             \
    case bytes:                                                                                                                  \
        repeat_short(movement, sinks, q, n, src, dst, bytes);                                                                    \
        break;
        SHORT(1)
        SHORT(2)
        SHORT(3)
        SHORT(4)
        SHORT(5)
        SHORT(6)
        SHORT(7)
        SHORT(8)
        SHORT(9)
        SHORT(10)
        SHORT(11)
        SHORT(12)
        SHORT(13)
        SHORT(14)
        SHORT(15)
        SHORT(16)
#undef SHORT
    default:
        for (int64_t row = 0; row < q; row++, src += movement->q_src * unit_bytes, dst += movement->q_dst * unit_bytes)
            repeat_long(sinks, src, dst, pattern_bytes, (size_t)n * pattern_bytes);
    }
}
