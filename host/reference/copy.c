/* Contiguous rows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/reference/patterns.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

/* Stores that bypass the cache: the destination's lines need not be read first, which saves a third of the traffic. memcpy does
 * so only for single copies larger than a share of the cache, and rows are shorter. */
static void stream_bytes(const unsigned char *src, unsigned char *dst, size_t bytes) {
    size_t done = (0 - (uintptr_t)dst) & 15;
    memcpy(dst, src, done);
    for (; done + 64 <= bytes; done += 64) {
        __m128i a = _mm_loadu_si128((const __m128i *)(src + done));
        __m128i b = _mm_loadu_si128((const __m128i *)(src + done + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(src + done + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(src + done + 48));
        _mm_stream_si128((__m128i *)(dst + done), a);
        _mm_stream_si128((__m128i *)(dst + done + 16), b);
        _mm_stream_si128((__m128i *)(dst + done + 32), c);
        _mm_stream_si128((__m128i *)(dst + done + 48), d);
    }
    memcpy(dst + done, src + done, bytes - done);
}

void clm_finish_streams(void) {
    _mm_sfence();
}
#else
static void stream_bytes(const unsigned char *src, unsigned char *dst, size_t bytes) {
    memcpy(dst, src, bytes);
}

void clm_finish_streams(void) {}
#endif

void clm_copy_bytes(const unsigned char *src, unsigned char *dst, size_t bytes, bool stream) {
    if (stream && bytes >= 256)
        stream_bytes(src, dst, bytes);
    else
        memcpy(dst, src, bytes);
}

void clm_copy_row(const clm_movement *movement, int64_t count, const unsigned char *src, unsigned char *dst) {
    clm_copy_bytes(src, dst, (size_t)count * (movement->unit_bits / 8), movement->stream);
}
