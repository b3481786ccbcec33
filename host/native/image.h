/* Images: vectors that hold a short pattern as often as they can. Included by the files of one level only (level.inc).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_IMAGE_H
#define CLMOVE_HOST_NATIVE_IMAGE_H

#include "host/native/lanes.h"

#include <stdbool.h>

/* A vector that begins with whole runs of the result: `rows` rows of it, or as many patterns of one row as there is room for. */
typedef struct repeat_image {
    /* The bytes of the source that it is made of. */
    int64_t window;
    /* The rows that it holds; 1 where it holds less than one. */
    int64_t rows;
    /* How many of its bytes are kept. */
    int64_t advance;
#if CLM_LOOKUP
    /* Where each byte of the window comes from. */
    clm_vector index;
#endif
} repeat_image;

/* Of patterns that are repeated n times in a row. most: the rows that lie side by side, in the source and as they are stored. */
static repeat_image plan_image(int64_t pattern, int64_t n, int64_t most) {
    const int64_t row = pattern * n;
    repeat_image image = {.rows = 1, .window = pattern, .advance = CLM_VECTOR / pattern * pattern};
#if CLM_LOOKUP
    _Alignas(CLM_VECTOR) uint8_t index[CLM_VECTOR];
    if (row <= CLM_VECTOR) {
        image.rows = n == 1 ? 1 : most < CLM_VECTOR / row ? most : CLM_VECTOR / row;
        image.window = image.rows * pattern;
        image.advance = image.rows * row;
    }
    for (int64_t i = 0, in_row = 0, in_pattern = 0, first = 0; i < CLM_VECTOR; i++) {
        index[i] = (uint8_t)(first + in_pattern);
        in_pattern = in_pattern + 1 < pattern ? in_pattern + 1 : 0;
        if (++in_row == row) {
            first += pattern;
            in_row = in_pattern = 0;
        }
    }
    image.index = clm_load(index);
#else
    (void)most;
    if (row < image.advance)
        image.advance = row;
#endif
    return image;
}

/* The image of what is at src, where `readable` bytes may be read, at least its window. */
CLM_INLINE clm_vector make_image(const repeat_image *image, const unsigned char *src, int64_t readable) {
#if CLM_CHUNK == 64
    (void)readable;
    return _mm512_permutexvar_epi8(image->index, clm_load_part(src, (size_t)image->window));
#elif CLM_LOOKUP
    /* Half a vector has room for at least one pattern, or the vector for exactly one. So the window fits in a chunk where this
     * matters, and always if a vector is one chunk. */
    if (CLM_VECTOR > CLM_CHUNK && image->window > CLM_CHUNK)
        return readable >= CLM_VECTOR ? clm_load(src) : clm_load_part(src, (size_t)image->window);
    unsigned char part[CLM_CHUNK] = {0};
    if (readable < CLM_CHUNK)
        src = memcpy(part, src, (size_t)image->window);
    return clm_look_up(clm_each_chunk(src), image->index);
#else
    unsigned char bytes[2 * CLM_VECTOR];
    (void)readable;
    memcpy(bytes, src, (size_t)image->window);
    for (int64_t have = image->window; have < CLM_VECTOR; have *= 2)
        memcpy(bytes + have, bytes, (size_t)have);
    return clm_load(bytes);
#endif
}

#endif
