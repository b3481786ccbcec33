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

/* a and b together have units of `bytes` bytes. Afterwards a has the even units, b the odd ones. */
CLM_INLINE void clm_part(clm_vector *a, clm_vector *b, int bytes);

/* The inverse of clm_part. */
CLM_INLINE void clm_weave(clm_vector *a, clm_vector *b, int bytes);

#if CLM_CHUNK == 64
#define CLM_LIST_4(at, step) at, at + step, at + 2 * step, at + 3 * step
#define CLM_LIST_16(at, step)                                                                                                    \
    CLM_LIST_4(at, step), CLM_LIST_4(at + 4 * (step), step), CLM_LIST_4(at + 8 * (step), step), CLM_LIST_4(at + 12 * (step), step)
#define CLM_LIST_64(at, step)                                                                                                    \
    CLM_LIST_16(at, step), CLM_LIST_16(at + 16 * (step), step), CLM_LIST_16(at + 32 * (step), step),                             \
        CLM_LIST_16(at + 48 * (step), step)
#define CLM_PAIRS_4(at, other) at, at + other, at + 1, at + 1 + other, at + 2, at + 2 + other, at + 3, at + 3 + other
#define CLM_PAIRS_16(at, other)                                                                                                  \
    CLM_PAIRS_4(at, other), CLM_PAIRS_4(at + 4, other), CLM_PAIRS_4(at + 8, other), CLM_PAIRS_4(at + 12, other)

CLM_INLINE void clm_part(clm_vector *a, clm_vector *b, int bytes) {
    static const _Alignas(64) uint8_t even_8[] = {CLM_LIST_64(0, 2)}, odd_8[] = {CLM_LIST_64(1, 2)};
    static const _Alignas(64) uint16_t even_16[] = {CLM_LIST_16(0, 2), CLM_LIST_16(32, 2)},
                                       odd_16[] = {CLM_LIST_16(1, 2), CLM_LIST_16(33, 2)};
    static const _Alignas(64) uint32_t even_32[] = {CLM_LIST_16(0, 2)}, odd_32[] = {CLM_LIST_16(1, 2)};
    static const _Alignas(64) uint64_t even_64[] = {CLM_LIST_4(0, 2), CLM_LIST_4(8, 2)},
                                       odd_64[] = {CLM_LIST_4(1, 2), CLM_LIST_4(9, 2)};
    const clm_vector x = *a, y = *b;
#define CLM_PART(width)                                                                                                          \
    *a = _mm512_permutex2var_epi##width(x, _mm512_load_si512(even_##width), y);                                                  \
    *b = _mm512_permutex2var_epi##width(x, _mm512_load_si512(odd_##width), y);                                                   \
    break
    switch (bytes) {
    case 1:
        CLM_PART(8);
    case 2:
        CLM_PART(16);
    case 4:
        CLM_PART(32);
    case 8:
        CLM_PART(64);
    default:
        *a = _mm512_shuffle_i64x2(x, y, 0x88);
        *b = _mm512_shuffle_i64x2(x, y, 0xdd);
    }
#undef CLM_PART
}

CLM_INLINE void clm_weave(clm_vector *a, clm_vector *b, int bytes) {
    static const _Alignas(64) uint8_t low_8[] = {CLM_PAIRS_16(0, 64), CLM_PAIRS_16(16, 64)},
                                      high_8[] = {CLM_PAIRS_16(32, 64), CLM_PAIRS_16(48, 64)};
    static const _Alignas(64) uint16_t low_16[] = {CLM_PAIRS_16(0, 32)}, high_16[] = {CLM_PAIRS_16(16, 32)};
    static const _Alignas(64) uint32_t low_32[] = {CLM_PAIRS_4(0, 16), CLM_PAIRS_4(4, 16)},
                                       high_32[] = {CLM_PAIRS_4(8, 16), CLM_PAIRS_4(12, 16)};
    static const _Alignas(64) uint64_t low_64[] = {CLM_PAIRS_4(0, 8)}, high_64[] = {CLM_PAIRS_4(4, 8)};
    static const _Alignas(64) uint64_t low_128[] = {0, 1, 8, 9, 2, 3, 10, 11}, high_128[] = {4, 5, 12, 13, 6, 7, 14, 15};
    const clm_vector x = *a, y = *b;
#define CLM_WEAVE(width, lane)                                                                                                   \
    *a = _mm512_permutex2var_epi##lane(x, _mm512_load_si512(low_##width), y);                                                    \
    *b = _mm512_permutex2var_epi##lane(x, _mm512_load_si512(high_##width), y);                                                   \
    break
    switch (bytes) {
    case 1:
        CLM_WEAVE(8, 8);
    case 2:
        CLM_WEAVE(16, 16);
    case 4:
        CLM_WEAVE(32, 32);
    case 8:
        CLM_WEAVE(64, 64);
    default:
        CLM_WEAVE(128, 64);
    }
#undef CLM_WEAVE
}

#elif CLM_VECTOR == 32
CLM_INLINE void clm_part(clm_vector *a, clm_vector *b, int bytes) {
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
}

CLM_INLINE void clm_weave(clm_vector *a, clm_vector *b, int bytes) {
    const clm_vector x = *a, y = *b;
#define CLM_WEAVE(width)                                                                                                         \
    *a = _mm256_unpacklo_epi##width(x, y);                                                                                       \
    *b = _mm256_unpackhi_epi##width(x, y);                                                                                       \
    break
    switch (bytes) {
    case 1:
        CLM_WEAVE(8);
    case 2:
        CLM_WEAVE(16);
    case 4:
        CLM_WEAVE(32);
    case 8:
        CLM_WEAVE(64);
    default:
        break;
    }
#undef CLM_WEAVE
}

#else
#define CLM_AS(width) uint##width##_t __attribute__((vector_size(16), may_alias))
typedef CLM_AS(16) clm_lanes_16;
typedef CLM_AS(32) clm_lanes_32;
typedef CLM_AS(64) clm_lanes_64;

CLM_INLINE void clm_part(clm_vector *a, clm_vector *b, int bytes) {
    const clm_vector x = *a, y = *b;
    switch (bytes) {
    case 1:
        *a = __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        *b = __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        break;
    case 2:
        *a = (clm_vector)__builtin_shufflevector((clm_lanes_16)x, (clm_lanes_16)y, 0, 2, 4, 6, 8, 10, 12, 14);
        *b = (clm_vector)__builtin_shufflevector((clm_lanes_16)x, (clm_lanes_16)y, 1, 3, 5, 7, 9, 11, 13, 15);
        break;
    case 4:
        *a = (clm_vector)__builtin_shufflevector((clm_lanes_32)x, (clm_lanes_32)y, 0, 2, 4, 6);
        *b = (clm_vector)__builtin_shufflevector((clm_lanes_32)x, (clm_lanes_32)y, 1, 3, 5, 7);
        break;
    case 8:
        *a = (clm_vector)__builtin_shufflevector((clm_lanes_64)x, (clm_lanes_64)y, 0, 2);
        *b = (clm_vector)__builtin_shufflevector((clm_lanes_64)x, (clm_lanes_64)y, 1, 3);
        break;
    default:
        break;
    }
}

CLM_INLINE void clm_weave(clm_vector *a, clm_vector *b, int bytes) {
    const clm_vector x = *a, y = *b;
    switch (bytes) {
    case 1:
        *a = __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        *b = __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        break;
    case 2:
        *a = (clm_vector)__builtin_shufflevector((clm_lanes_16)x, (clm_lanes_16)y, 0, 8, 1, 9, 2, 10, 3, 11);
        *b = (clm_vector)__builtin_shufflevector((clm_lanes_16)x, (clm_lanes_16)y, 4, 12, 5, 13, 6, 14, 7, 15);
        break;
    case 4:
        *a = (clm_vector)__builtin_shufflevector((clm_lanes_32)x, (clm_lanes_32)y, 0, 4, 1, 5);
        *b = (clm_vector)__builtin_shufflevector((clm_lanes_32)x, (clm_lanes_32)y, 2, 6, 3, 7);
        break;
    case 8:
        *a = (clm_vector)__builtin_shufflevector((clm_lanes_64)x, (clm_lanes_64)y, 0, 2);
        *b = (clm_vector)__builtin_shufflevector((clm_lanes_64)x, (clm_lanes_64)y, 1, 3);
        break;
    default:
        break;
    }
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

/* Byte `to` of the result is byte `from` of the vectors, chunk after chunk. */
CLM_INLINE void clm_mix_set(clm_mix *mix, int to, int from) {
    mix->index[from / 128][to] = (uint8_t)(from % 128);
    mix->taken[from / 128] |= UINT64_C(1) << to;
}

CLM_INLINE void clm_mix_clear(clm_mix *mix, int count) {
    for (int i = 0; i < (count + 1) / 2; i++)
        mix->taken[i] = 0;
    memset(mix->index, 0, (size_t)((count + 1) / 2) * CLM_CHUNK);
}

CLM_INLINE clm_vector clm_mix_apply(const clm_mix *mix, const clm_vector *v, int count) {
    clm_vector all = _mm512_setzero_si512();
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

CLM_INLINE void clm_mix_set(clm_mix *mix, int to, int from) {
    mix->index[from / CLM_CHUNK][to] = (uint8_t)(from % CLM_CHUNK);
}

CLM_INLINE void clm_mix_clear(clm_mix *mix, int count) {
    memset(mix->index, 0xff, (size_t)count * CLM_CHUNK);
}

CLM_INLINE clm_vector clm_mix_apply(const clm_mix *mix, const clm_vector *v, int count) {
    clm_vector all = clm_look_up(v[0], clm_each_chunk(mix->index[0]));
    for (int i = 1; i < count; i++)
        all |= clm_look_up(v[i], clm_each_chunk(mix->index[i]));
    return all;
}
#endif
#endif

#endif
