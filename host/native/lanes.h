/* Vectors of a level's width. A vector is one or more chunks, and bytes are shuffled within a chunk alone. A chunk has 64 bytes
 * with AVX-512 VBMI and 16 elsewhere, because AVX2 shuffles within 16 bytes. Each chunk has its own address for loads and stores,
 * so that no byte needs to cross chunks.
 *
 *     CLM_VECTOR, CLM_CHUNK    bytes of each
 *     CLM_LOOKUP               whether bytes can be looked up by an index that is no constant
 *
 * Included by the files of one level only (level.inc).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_LANES_H
#define CLMOVE_HOST_NATIVE_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CLM_INLINE static inline __attribute__((always_inline, unused))

#if defined(__GNUC__) && !defined(__clang__)
/* GCC warns where vectors are passed or returned and have no registers, as on 32-bit x86 before SSE. Here all such functions are
 * inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* For loops over vectors that must stay in registers. Their bounds are constants once they are inlined. */
#ifndef __OPTIMIZE__ /* compilers warn of pragmas that they ignore */
#define CLM_UNROLL
#elif defined __clang__
#define CLM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define CLM_UNROLL _Pragma("GCC unroll 16")
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#define CLM_LOOKUP 1
#endif

#if defined(__AVX512VBMI__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define CLM_VECTOR 64
#define CLM_CHUNK 64
#define CLM_LOOKUP 1
typedef __m512i clm_vector;
#elif defined(__AVX2__)
#define CLM_VECTOR 32
#define CLM_CHUNK 16
#define CLM_LOOKUP 1
typedef __m256i clm_vector;
#else
#define CLM_VECTOR 16
#define CLM_CHUNK 16
typedef uint8_t clm_vector __attribute__((vector_size(16), may_alias));
#endif
typedef clm_vector clm_vector_anywhere __attribute__((may_alias, aligned(1)));

#ifndef CLM_LOOKUP
#define CLM_LOOKUP 0
#endif

CLM_INLINE clm_vector clm_load(const unsigned char *from) {
    return *(const clm_vector_anywhere *)from;
}

CLM_INLINE void clm_store(unsigned char *to, clm_vector v) {
    *(clm_vector_anywhere *)to = v;
}

/* Loads the first `bytes` bytes (at most a vector). Reads no other bytes. */
CLM_INLINE clm_vector clm_load_part(const unsigned char *from, size_t bytes) {
#if CLM_VECTOR == 64
    return _mm512_maskz_loadu_epi8(bytes < 64 ? (UINT64_C(1) << bytes) - 1 : UINT64_MAX, from);
#else
    unsigned char part[CLM_VECTOR] = {0};
    memcpy(part, from, bytes);
    return clm_load(part);
#endif
}

CLM_INLINE void clm_store_part(unsigned char *to, clm_vector v, size_t bytes) {
#if CLM_VECTOR == 64
    _mm512_mask_storeu_epi8(to, bytes < 64 ? (UINT64_C(1) << bytes) - 1 : UINT64_MAX, v);
#else
    unsigned char part[CLM_VECTOR];
    clm_store(part, v);
    memcpy(to, part, bytes);
#endif
}

#if CLM_VECTOR > 16
/* Stores 16 bytes of a vector. lane: a constant. */
#if CLM_VECTOR == 64
#define CLM_STORE_LANE(to, v, lane) _mm_storeu_si128((__m128i_u *)(to), _mm512_extracti32x4_epi32(v, lane))
#else
#define CLM_STORE_LANE(to, v, lane) _mm_storeu_si128((__m128i_u *)(to), _mm256_extracti128_si256((__m256i)(v), lane))
#endif
#endif

/* A non-temporal store. `to` is aligned to a vector. */
CLM_INLINE void clm_stream(unsigned char *to, clm_vector v) {
#if CLM_VECTOR == 64
    _mm512_stream_si512((void *)to, v);
#elif CLM_VECTOR == 32
    _mm256_stream_si256((__m256i *)to, v);
#elif defined(__SSE2__)
    _mm_stream_si128((__m128i *)to, (__m128i)v);
#elif defined(__has_builtin) && __has_builtin(__builtin_nontemporal_store)
    __builtin_nontemporal_store(v, (clm_vector *)to);
#else
    clm_store(to, v);
#endif
}

CLM_INLINE clm_vector clm_load_chunks(const unsigned char *from, int64_t apart) {
#if CLM_VECTOR == 32
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i_u *)from)),
                                   _mm_loadu_si128((const __m128i_u *)(from + apart)), 1);
#else
    (void)apart;
    return clm_load(from);
#endif
}

/* A vector of pieces of 16 bytes, piece i of which is at from + places[i * step]. */
CLM_INLINE clm_vector clm_load_pieces(const unsigned char *from, const int64_t *places, int step) {
#if CLM_VECTOR == 64
    __m512i all = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i_u *)(from + places[0])));
    all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i_u *)(from + places[step])), 1);
    all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i_u *)(from + places[2 * step])), 2);
    return _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i_u *)(from + places[3 * step])), 3);
#elif CLM_VECTOR == 32
    return clm_load_chunks(from + places[0], places[step] - places[0]);
#else
    (void)step;
    return clm_load(from + places[0]);
#endif
}

#if CLM_VECTOR > 16
/* Half a vector, and one of pieces of 16 bytes as clm_load_pieces. */
#if CLM_VECTOR == 64
typedef __m256i clm_half;
#else
typedef __m128i clm_half;
#endif
typedef clm_half clm_half_anywhere __attribute__((may_alias, aligned(1)));

CLM_INLINE clm_half clm_load_half_pieces(const unsigned char *from, const int64_t *places, int step) {
    const __m128i first = _mm_loadu_si128((const __m128i_u *)(from + places[0]));
#if CLM_VECTOR == 64
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), _mm_loadu_si128((const __m128i_u *)(from + places[step])), 1);
#else
    (void)step;
    return first;
#endif
}
#endif

/* A vector of pieces of 16 bytes that are `apart` bytes apart. Of the last one only `bytes` bytes are read; the others are any.
 */
CLM_INLINE clm_vector clm_load_apart(const unsigned char *from, int64_t apart, int bytes) {
    const unsigned char *last = from + (CLM_VECTOR / 16 - 1) * apart;
#if CLM_VECTOR == 64
    __m512i all = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i_u *)from));
    all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i_u *)(from + apart)), 1);
    all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i_u *)(from + 2 * apart)), 2);
    return _mm512_inserti32x4(all, _mm_maskz_loadu_epi8((__mmask16)((1U << bytes) - 1), last), 3);
#else
    unsigned char pieces[CLM_VECTOR] = {0};
    if (bytes == 16)
        return clm_load_chunks(from, apart);
    for (int i = 0; i < CLM_VECTOR - 16; i += 16)
        memcpy(pieces + i, from, 16);
    /* Never more than 16: GCC without optimisation sees that in neither this function nor its callers, and warns. */
    memcpy(pieces + CLM_VECTOR - 16, last, (size_t)(bytes < 16 ? bytes : 16));
    return clm_load(pieces);
#endif
}

CLM_INLINE void clm_store_chunks(unsigned char *to, int64_t apart, clm_vector v) {
#if CLM_VECTOR == 32
    _mm_storeu_si128((__m128i_u *)to, _mm256_castsi256_si128(v));
    _mm_storeu_si128((__m128i_u *)(to + apart), _mm256_extracti128_si256(v, 1));
#else
    (void)apart;
    clm_store(to, v);
#endif
}

/* Stores the first `bytes` bytes of 16, which are piece `piece` of a vector. */
CLM_INLINE void clm_store_piece(unsigned char *to, clm_vector v, int piece, int bytes) {
    if (bytes < 16) {
        unsigned char pieces[CLM_VECTOR];
        clm_store(pieces, v);
        memcpy(to, pieces + piece * 16, (size_t)bytes);
        return;
    }
#if CLM_VECTOR == 64
#define STORE(i)                                                                                                                 \
    case i:                                                                                                                      \
        CLM_STORE_LANE(to, v, i);                                                                                                \
        break;
    switch (piece) { STORE(0) STORE(1) STORE(2) STORE(3) }
#undef STORE
#elif CLM_VECTOR == 32
    _mm_storeu_si128((__m128i_u *)to, piece ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v));
#else
    clm_store(to, v);
#endif
}

#if CLM_LOOKUP && CLM_CHUNK == 16
/* Byte i of a chunk becomes byte index[i] of the chunk, or 0 if index[i] has its highest bit set. */
CLM_INLINE clm_vector clm_look_up(clm_vector v, clm_vector index) {
#if CLM_VECTOR == 32
    return _mm256_shuffle_epi8(v, index);
#else
    return (clm_vector)vqtbl1q_u8((uint8x16_t)v, (uint8x16_t)index);
#endif
}

CLM_INLINE clm_vector clm_each_chunk(const unsigned char *from) {
#if CLM_VECTOR == 32
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i_u *)from));
#else
    return clm_load(from);
#endif
}
#endif

/* Prefetches the start of a later row, which hardware does not predict if rows are apart. */
#define CLM_PREFETCH_BYTES 4096
CLM_INLINE void clm_prefetch(const unsigned char *row, int64_t bytes) {
    for (int64_t i = 0; i < bytes && i < CLM_PREFETCH_BYTES; i += 64)
        __builtin_prefetch(row + i);
}

CLM_INLINE void clm_finish_streams(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif
