/* Groups in bundles: as many groups as a vector or a part of it has, which are 8 bytes of each of 8 rows, or 4 of each of 16. A
 * lookup puts what a bundle has of a row side by side; the parts of 8 or 16 bundles are transposed, so that each row has a
 * vector. And backwards. Each step is one instruction, where parting or weaving bytes of whole vectors takes three, and pieces of
 * 16 bytes are stored one by one. 2 cores of an Intel Xeon (model 207), past the cache, GB/s as blocks.h has it and so: bytes
 * split by 6 58, 60, by 7 48, 58, by 8 48, 55 (but by 12 and 14, in pieces, 50, 50); joined by 7 50, 66, by 11 44, 57, by 14 52,
 * 63, by 16 45, 55. Units of 2 bytes joined by 5 55, 64, by 9 41, 56, by 14 50, 57, by 16 48, 66; of 4 bytes by 9 50, 55, by 13
 * 52, 63, by 15 51, 60, but by 6 and 12 66, 62.
 *
 * Included by the files of one level only (level.inc).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_BUNDLES_H
#define CLMOVE_HOST_NATIVE_BUNDLES_H

#include "host/native/lanes.h"

#include <stdbool.h>

CLM_INLINE int odd_factor(int m) {
    return m / (m & -m);
}

/* Whether groups of m units are split, and joined, in bundles. */
CLM_INLINE bool splits_bundles(int m, int width) {
    return CLM_CHUNK == 64 && width == 1 && m > 4 && m <= 8;
}

CLM_INLINE bool joins_bundles(int m, int width) {
    return CLM_CHUNK == 64 && m > 4 && (width <= 2 || (width == 4 && odd_factor(m) > 5));
}

#if CLM_CHUNK == 64
/* Bundles that make as many vectors of rows. */
CLM_INLINE int clm_count_bundles(int m) {
    return m <= 8 ? 8 : 16;
}

/* Where the bytes of a bundle come from. joins: they are those of rows, to become groups. */
static void clm_index_bundle(unsigned char *index, int m, int width, bool joins) {
    const int part = CLM_VECTOR / clm_count_bundles(m); /* bytes of a row */
    memset(index, 0, CLM_VECTOR);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < part; i++) {
            const int in_rows = k * part + i, in_groups = (i / width * m + k) * width + i % width;
            index[joins ? in_groups : in_rows] = (unsigned char)(joins ? in_rows : in_groups);
        }
}

/* Transposes 8 x 8 parts of 8 bytes. */
CLM_INLINE void clm_transpose_8(clm_vector *v) {
    clm_vector w[8];
    CLM_UNROLL
    for (int k = 0; k < 8; k += 2) {
        w[k] = _mm512_unpacklo_epi64(v[k], v[k + 1]);
        w[k + 1] = _mm512_unpackhi_epi64(v[k], v[k + 1]);
    }
    CLM_UNROLL
    for (int odd = 0; odd < 2; odd++) {
        const clm_vector a = _mm512_shuffle_i64x2(w[odd], w[odd + 2], 0x88),
                         b = _mm512_shuffle_i64x2(w[odd + 4], w[odd + 6], 0x88);
        const clm_vector c = _mm512_shuffle_i64x2(w[odd], w[odd + 2], 0xdd),
                         d = _mm512_shuffle_i64x2(w[odd + 4], w[odd + 6], 0xdd);
        v[odd] = _mm512_shuffle_i64x2(a, b, 0x88);
        v[odd + 2] = _mm512_shuffle_i64x2(c, d, 0x88);
        v[odd + 4] = _mm512_shuffle_i64x2(a, b, 0xdd);
        v[odd + 6] = _mm512_shuffle_i64x2(c, d, 0xdd);
    }
}

/* Transposes 16 x 16 parts of 4 bytes. */
CLM_INLINE void clm_transpose_16(clm_vector *v) {
    clm_vector w[16], x[16]; /* x[4 * i + k]: column k of each 16 bytes, of vectors 4 * i to 4 * i + 3 */
    CLM_UNROLL
    for (int k = 0; k < 16; k += 2) {
        w[k] = _mm512_unpacklo_epi32(v[k], v[k + 1]);
        w[k + 1] = _mm512_unpackhi_epi32(v[k], v[k + 1]);
    }
    CLM_UNROLL
    for (int k = 0; k < 16; k += 4) {
        x[k] = _mm512_unpacklo_epi64(w[k], w[k + 2]);
        x[k + 1] = _mm512_unpackhi_epi64(w[k], w[k + 2]);
        x[k + 2] = _mm512_unpacklo_epi64(w[k + 1], w[k + 3]);
        x[k + 3] = _mm512_unpackhi_epi64(w[k + 1], w[k + 3]);
    }
    CLM_UNROLL
    for (int k = 0; k < 4; k++) {
        const clm_vector a = _mm512_shuffle_i32x4(x[k], x[k + 4], 0x88), b = _mm512_shuffle_i32x4(x[k + 8], x[k + 12], 0x88);
        const clm_vector c = _mm512_shuffle_i32x4(x[k], x[k + 4], 0xdd), d = _mm512_shuffle_i32x4(x[k + 8], x[k + 12], 0xdd);
        v[k] = _mm512_shuffle_i32x4(a, b, 0x88);
        v[k + 4] = _mm512_shuffle_i32x4(c, d, 0x88);
        v[k + 8] = _mm512_shuffle_i32x4(a, b, 0xdd);
        v[k + 12] = _mm512_shuffle_i32x4(c, d, 0xdd);
    }
}

CLM_INLINE void clm_transpose_bundles(clm_vector *v, int m) {
    if (clm_count_bundles(m) == 8)
        clm_transpose_8(v);
    else
        clm_transpose_16(v);
}

/* A panel of groups becomes m rows, v[k] row k. Nothing behind the panel is read. */
CLM_INLINE void clm_split_bundles(clm_vector *v, const unsigned char *from, const unsigned char *index, int m) {
    const int count = clm_count_bundles(m), bytes = CLM_VECTOR / count * m;
    CLM_UNROLL
    for (int i = 0; i < count; i++, from += bytes)
        v[i] = _mm512_permutexvar_epi8(clm_load(index), i + 1 < count ? clm_load(from) : clm_load_part(from, (size_t)bytes));
    clm_transpose_bundles(v, m);
}

/* A panel of m rows, v[k] row k, becomes groups. What is stored behind a bundle is overwritten by the next one; the last has
 * nothing behind. stream: bundles are whole vectors, which go past the cache. */
CLM_INLINE void clm_join_bundles(clm_vector *v, unsigned char *to, const unsigned char *index, bool stream, int m, int width) {
    const int count = clm_count_bundles(m), bytes = CLM_VECTOR / count * m;
    CLM_UNROLL
    for (int k = m; k < count; k++)
        v[k] = v[0];
    clm_transpose_bundles(v, m);
    CLM_UNROLL
    for (int i = 0; i < count; i++, to += bytes) {
        const bool is_group = CLM_VECTOR / count == width; /* which is in order */
        const clm_vector bundle = is_group ? v[i] : _mm512_permutexvar_epi8(clm_load(index), v[i]);
        if (bytes == CLM_VECTOR && stream)
            clm_stream(to, bundle);
        else if (i + 1 < count)
            clm_store(to, bundle);
        else
            clm_store_part(to, bundle, (size_t)bytes);
    }
}
#endif

#endif
