/* Deinterleaving a pair of vectors into even and odd units ("part"), and interleaving them ("weave"), chunk by chunk; and any
 * shuffle of a few vectors by a table ("mix").
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_WEAVE_H
#define CLMOVE_HOST_NATIVE_WEAVE_H

#include "host/native/lanes.h"

/* The most vectors of one table: the largest odd divisor of a block. */
#define CLM_MOST_MIXED 15

/* ---- parting and weaving ---- */

#define CLM_LANES(width) uint##width##_t __attribute__((vector_size(CLM_VECTOR), may_alias))
typedef CLM_LANES(8) clm_lanes_8;
typedef CLM_LANES(16) clm_lanes_16;
typedef CLM_LANES(32) clm_lanes_32;
typedef CLM_LANES(64) clm_lanes_64;

/* Indices of units: every other one from `at` on; and in turn one from `at` on and one of the other vector, `other` further. */
#define CLM_OTHERS_2(at) (at), (at) + 2
#define CLM_OTHERS_4(at) CLM_OTHERS_2(at), CLM_OTHERS_2((at) + 4)
#define CLM_OTHERS_8(at) CLM_OTHERS_4(at), CLM_OTHERS_4((at) + 8)
#define CLM_OTHERS_16(at) CLM_OTHERS_8(at), CLM_OTHERS_8((at) + 16)
#define CLM_OTHERS_32(at) CLM_OTHERS_16(at), CLM_OTHERS_16((at) + 32)
#define CLM_OTHERS_64(at) CLM_OTHERS_32(at), CLM_OTHERS_32((at) + 64)
#define CLM_PAIRS_1(at, other) (at), (at) + (other)
#define CLM_PAIRS_2(at, other) CLM_PAIRS_1(at, other), CLM_PAIRS_1((at) + 1, other)
#define CLM_PAIRS_4(at, other) CLM_PAIRS_2(at, other), CLM_PAIRS_2((at) + 2, other)
#define CLM_PAIRS_8(at, other) CLM_PAIRS_4(at, other), CLM_PAIRS_4((at) + 4, other)
#define CLM_PAIRS_16(at, other) CLM_PAIRS_8(at, other), CLM_PAIRS_8((at) + 8, other)
#define CLM_PAIRS_32(at, other) CLM_PAIRS_16(at, other), CLM_PAIRS_16((at) + 16, other)

/* Unit by unit of x and then y, whose units have `width` bits. */
#define CLM_SHUFFLE(width, ...) (clm_vector) __builtin_shufflevector((clm_lanes_##width)x, (clm_lanes_##width)y, __VA_ARGS__)

/* a and b together have units of `bytes` bytes. Afterwards a has the even units, b the odd ones. */
CLM_INLINE void clm_part(clm_vector *a, clm_vector *b, int bytes) {
#if CLM_VECTOR == 32
    static const _Alignas(16) uint8_t parted[2][16] = {{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15},
                                                       {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15}};
    clm_vector x = *a, y = *b;
    if (bytes <= 2) {
        const clm_vector index = clm_each_chunk(parted[bytes - 1]);
        x = clm_look_up(x, index);
        y = clm_look_up(y, index);
    }
    if (bytes == 4) {
        *a = (clm_vector)_mm256_shuffle_ps((__m256)x, (__m256)y, 0x88);
        *b = (clm_vector)_mm256_shuffle_ps((__m256)x, (__m256)y, 0xdd);
    } else if (bytes < 16) {
        *a = _mm256_unpacklo_epi64(x, y);
        *b = _mm256_unpackhi_epi64(x, y);
    }
#else
    const clm_vector x = *a, y = *b;
#define CLM_CASE(width, others)                                                                                                  \
    case (width) / 8:                                                                                                            \
        *a = CLM_SHUFFLE(width, others(0));                                                                                      \
        *b = CLM_SHUFFLE(width, others(1));                                                                                      \
        break;
    switch (bytes) {
#if CLM_CHUNK == 64
        CLM_CASE(8, CLM_OTHERS_64)
        CLM_CASE(16, CLM_OTHERS_32)
        CLM_CASE(32, CLM_OTHERS_16)
        CLM_CASE(64, CLM_OTHERS_8)
    default:
        *a = _mm512_shuffle_i64x2(x, y, 0x88);
        *b = _mm512_shuffle_i64x2(x, y, 0xdd);
#else
        CLM_CASE(8, CLM_OTHERS_16)
        CLM_CASE(16, CLM_OTHERS_8)
        CLM_CASE(32, CLM_OTHERS_4)
        CLM_CASE(64, CLM_OTHERS_2)
    default:
        break;
#endif
    }
#undef CLM_CASE
#endif
}

/* The inverse of clm_part. */
CLM_INLINE void clm_weave(clm_vector *a, clm_vector *b, int bytes) {
    const clm_vector x = *a, y = *b;
#if CLM_VECTOR == 2 * CLM_CHUNK
#define CLM_PAIRS(half, at, other) CLM_PAIRS_##half(at, other), CLM_PAIRS_##half((at) + 2 * half, other)
#else
#define CLM_PAIRS(half, at, other) CLM_PAIRS_##half(at, other)
#endif
#define CLM_CASE(width, half)                                                                                                    \
    case (width) / 8:                                                                                                            \
        *a = CLM_SHUFFLE(width, CLM_PAIRS(half, 0, CLM_VECTOR * 8 / (width)));                                                   \
        *b = CLM_SHUFFLE(width, CLM_PAIRS(half, half, CLM_VECTOR * 8 / (width)));                                                \
        break;
    switch (bytes) { /* half: units of half a chunk */
#if CLM_CHUNK == 64
        CLM_CASE(8, 32)
        CLM_CASE(16, 16)
        CLM_CASE(32, 8)
        CLM_CASE(64, 4)
    default:
        *a = CLM_SHUFFLE(64, 0, 1, 8, 9, 2, 3, 10, 11);
        *b = CLM_SHUFFLE(64, 4, 5, 12, 13, 6, 7, 14, 15);
#else
        CLM_CASE(8, 8)
        CLM_CASE(16, 4)
        CLM_CASE(32, 2)
        CLM_CASE(64, 1)
    default:
        break;
#endif
    }
#undef CLM_CASE
}

/* Of each 16 bytes of a and b, with units of up to 8 bytes: afterwards a has the first halves in turn, and b the second ones. */
CLM_INLINE void clm_unpack(clm_vector *a, clm_vector *b, int bytes) {
#if CLM_VECTOR == 64
    const clm_vector x = *a, y = *b;
    switch (bytes) {
    case 1:
        *a = _mm512_unpacklo_epi8(x, y);
        *b = _mm512_unpackhi_epi8(x, y);
        break;
    case 2:
        *a = _mm512_unpacklo_epi16(x, y);
        *b = _mm512_unpackhi_epi16(x, y);
        break;
    case 4:
        *a = _mm512_unpacklo_epi32(x, y);
        *b = _mm512_unpackhi_epi32(x, y);
        break;
    default:
        *a = _mm512_unpacklo_epi64(x, y);
        *b = _mm512_unpackhi_epi64(x, y);
    }
#else
    clm_weave(a, b, bytes);
#endif
}

#if CLM_VECTOR > 16
/* The same for halves of vectors. */
CLM_INLINE void clm_unpack_halves(clm_half *a, clm_half *b, int bytes) {
    const clm_half x = *a, y = *b;
#if CLM_VECTOR == 64
    *a = bytes == 1 ? _mm256_unpacklo_epi8(x, y) : _mm256_unpacklo_epi16(x, y);
    *b = bytes == 1 ? _mm256_unpackhi_epi8(x, y) : _mm256_unpackhi_epi16(x, y);
#else
    *a = bytes == 1 ? _mm_unpacklo_epi8(x, y) : _mm_unpacklo_epi16(x, y);
    *b = bytes == 1 ? _mm_unpackhi_epi8(x, y) : _mm_unpackhi_epi16(x, y);
#endif
}
#endif

/* ---- shuffles by a table ---- */

#if CLM_LOOKUP
#if CLM_CHUNK == 64
/* Two vectors are looked up at once; the mask says which bytes of the result come from them. */
typedef struct clm_mix {
    _Alignas(64) uint8_t index[(CLM_MOST_MIXED + 1) / 2][CLM_CHUNK];
    uint64_t taken[(CLM_MOST_MIXED + 1) / 2];
} clm_mix;

/* The `width` bytes of the result from `to` on are those of the vectors from `from` on, chunk after chunk. Units of 4 bytes and
 * more have an index for each 4 bytes: such a lookup is one instruction, that of bytes three. */
CLM_INLINE void clm_mix_set(clm_mix *mix, int to, int from, int width) {
    const int pair = from / 128;
    if (width >= 4) {
        for (int i = 0; i < width; i += 4) {
            const uint32_t index = (uint32_t)(from % 128 + i) / 4;
            memcpy(mix->index[pair] + to + i, &index, sizeof index);
            mix->taken[pair] |= UINT64_C(1) << (to + i) / 4;
        }
        return;
    }
    for (int i = 0; i < width; i++)
        mix->index[pair][to + i] = (uint8_t)(from % 128 + i);
    mix->taken[pair] |= ((UINT64_C(1) << width) - 1) << to;
}

CLM_INLINE void clm_mix_clear(clm_mix *mix, int count) {
    for (int i = 0; i < (count + 1) / 2; i++)
        mix->taken[i] = 0;
    memset(mix->index, 0, (size_t)((count + 1) / 2) * CLM_CHUNK);
}

CLM_INLINE clm_vector clm_mix_apply(const clm_mix *mix, const clm_vector *v, int count, int width) {
    clm_vector all = _mm512_setzero_si512();
    if (width >= 4) {
        for (int i = 0; i < count / 2; i++)
            all = _mm512_or_si512(all, _mm512_maskz_permutex2var_epi32((__mmask16)mix->taken[i], v[2 * i],
                                                                       _mm512_load_si512(mix->index[i]), v[2 * i + 1]));
        if (count % 2)
            all = _mm512_mask_permutexvar_epi32(all, (__mmask16)mix->taken[count / 2], _mm512_load_si512(mix->index[count / 2]),
                                                v[count - 1]);
        return all;
    }
    for (int i = 0; i < count / 2; i++)
        all = _mm512_or_si512(
            all, _mm512_maskz_permutex2var_epi8(mix->taken[i], v[2 * i], _mm512_load_si512(mix->index[i]), v[2 * i + 1]));
    if (count % 2)
        all = _mm512_mask_permutexvar_epi8(all, mix->taken[count / 2], _mm512_load_si512(mix->index[count / 2]), v[count - 1]);
    return all;
}
#else
typedef struct clm_mix {
    _Alignas(16) uint8_t index[CLM_MOST_MIXED][CLM_CHUNK];
} clm_mix;

CLM_INLINE void clm_mix_set(clm_mix *mix, int to, int from, int width) {
    for (int i = 0; i < width; i++)
        mix->index[from / CLM_CHUNK][to + i] = (uint8_t)(from % CLM_CHUNK + i);
}

CLM_INLINE void clm_mix_clear(clm_mix *mix, int count) {
    memset(mix->index, 0xff, (size_t)count * CLM_CHUNK);
}

CLM_INLINE clm_vector clm_mix_apply(const clm_mix *mix, const clm_vector *v, int count, int width) {
    (void)width;
    clm_vector all = clm_look_up(v[0], clm_each_chunk(mix->index[0]));
    for (int i = 1; i < count; i++)
        all |= clm_look_up(v[i], clm_each_chunk(mix->index[i]));
    return all;
}
#endif
#endif

#endif
