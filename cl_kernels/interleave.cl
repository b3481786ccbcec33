/* interleave: destination contiguous along an axis of at most 16 units, source contiguous along another.
 * Compiled for one BLOCK, the units of that axis: n units from each of BLOCK source rows go to n groups of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if LANES > 1 && (BLOCK == 2 || BLOCK == 4 || BLOCK == 8 || BLOCK == 16)
#define SHUFFLES 1

/* v[i] holds LANES units of row row_of(i). Each pass weaves two vectors into two; after log2(BLOCK) passes v holds the groups in
 * order. */
static void shuffle_rows(lanes_t *v) {
#pragma unroll
    for (int span = 2; span <= BLOCK; span *= 2)
#pragma unroll
        for (int start = 0; start < BLOCK; start += span) {
            lanes_t woven[BLOCK];
#pragma unroll
            for (int i = 0; i < span / 2; i++) {
                lanes_t a = v[start + i], b = v[start + span / 2 + i];
                woven[2 * i].even = a.lo;
                woven[2 * i].odd = b.lo;
                woven[2 * i + 1].even = a.hi;
                woven[2 * i + 1].odd = b.hi;
            }
#pragma unroll
            for (int i = 0; i < span; i++)
                v[start + i] = woven[i];
        }
}

/* Bit-reversed order, as the passes want it. */
static int row_of(int i) {
    int row = 0;
#pragma unroll
    for (int bit = 1, mirror = BLOCK / 2; bit < BLOCK; bit *= 2, mirror /= 2)
        row += i & bit ? mirror : 0;
    return row;
}
#endif

kernel void interleave(const global uchar *src, global uchar *dst, const move_args args) {
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        index_t i = 0;
#ifdef SHUFFLES
        if (args.n_dst == BLOCK) {
            bool stream = args.stream && IS_LANES_ALIGNED(to);
            for (; i + LANES <= place.count; i += LANES) {
                lanes_t v[BLOCK];
#pragma unroll
                for (int k = 0; k < BLOCK; k++)
                    v[k] = LOAD_LANES(from + (sindex_t)i + (sindex_t)row_of(k) * args.m_src);
                shuffle_rows(v);
                global unit_t *group = to + (sindex_t)i * BLOCK;
#pragma unroll
                for (int k = 0; k < BLOCK; k++)
                    if (stream)
                        STORE_STREAM(v[k], (global lanes_t *)(group + k * LANES));
                    else
                        STORE_LANES(v[k], group + k * LANES);
            }
        }
#endif
        for (; i < place.count; i++)
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                to[(sindex_t)i * args.n_dst + k] = from[(sindex_t)i + k * args.m_src];
    }
}
