/* Lines in which one run ends and another begins, made in registers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_SEAM_H
#define CLMOVE_HOST_NATIVE_SEAM_H

#include "host/native/wc_buffer.h"

/* Streams a line: the `left` bytes of a row at `from`, and the next row, which begins `apart` bytes behind these. If left is a
 * line or more, all are the first row's. What is read lies between begin and end. */
CLM_INLINE void clm_stream_seam(unsigned char *to, const unsigned char *from, int64_t left, int64_t apart,
                                const unsigned char *begin, const unsigned char *end) {
#if CLM_VECTOR == CLM_LINE
    const uint64_t own = left < CLM_LINE ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    (void)begin;
    (void)end;
    clm_stream(to, _mm512_mask_loadu_epi8(_mm512_maskz_loadu_epi8(own, from), ~own, from + apart));
#else
#define EIGHT 255, 255, 255, 255, 255, 255, 255, 255
    static const unsigned char own[2 * CLM_LINE] = {EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT};
#undef EIGHT
    const int64_t of_first = left < CLM_LINE ? left : CLM_LINE;
    const unsigned char *second = of_first < CLM_LINE ? from + apart : from;
    if (end - from < CLM_LINE || second < begin) { /* whole vectors would reach past the rows */
        _Alignas(CLM_LINE) unsigned char line[CLM_LINE];
        memcpy(line, from, (size_t)of_first);
        memcpy(line + of_first, second + of_first, (size_t)(CLM_LINE - of_first));
        clm_copy_lines(line, to, CLM_LINE, true);
        return;
    }
    for (int i = 0; i < CLM_LINE; i += CLM_VECTOR) {
        const clm_vector mask = clm_load(own + CLM_LINE - of_first + i);
        clm_stream(to + i, (clm_load(from + i) & mask) | (clm_load(second + i) & ~mask));
    }
#endif
}

#endif
