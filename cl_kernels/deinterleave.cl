/* deinterleave: destination contiguous along one axis, source along another whose extent has a divisor from 2 to 16, no larger
 * than the first. Compiled for one BLOCK, that divisor: n groups of BLOCK contiguous source units go to BLOCK destination rows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if LANES > 1 && (BLOCK == 2 || BLOCK == 4 || BLOCK == 8 || BLOCK == 16)
#define UNSHUFFLES 1

/* v holds LANES groups in order. Each pass splits even from odd units; after log2(BLOCK) passes v[i] holds the units of one place
 * in the group, the places in bit-reversed order. */
static void unshuffle(lanes_t *v) {
#pragma unroll
    for (int span = BLOCK; span > 1; span /= 2)
#pragma unroll
        for (int start = 0; start < BLOCK; start += span) {
            lanes_t split[BLOCK];
#pragma unroll
            for (int i = 0; i < span / 2; i++) {
                lanes_t a = v[start + 2 * i], b = v[start + 2 * i + 1];
                split[i] = (lanes_t)(a.even, b.even);
                split[span / 2 + i] = (lanes_t)(a.odd, b.odd);
            }
#pragma unroll
            for (int i = 0; i < span; i++)
                v[start + i] = split[i];
        }
}

/* The place in the group that v[i] holds after unshuffle. */
static int place_of(int i) {
    int place = 0;
#pragma unroll
    for (int bit = 1, mirror = BLOCK / 2; bit < BLOCK; bit *= 2, mirror /= 2)
        place += i & bit ? mirror : 0;
    return place;
}
#endif

#if LANES > 1
static void store_row(lanes_t v, global unit_t *to, bool stream) {
    if (stream && IS_LANES_ALIGNED(to))
        STORE_STREAM(v, (global lanes_t *)to);
    else
        STORE_LANES(v, to);
}
#endif

kernel void deinterleave(const global uchar *src, global uchar *dst, const move_args args) {
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        index_t i = 0;
#if LANES > 1
        for (; i + LANES <= place.count; i += LANES) {
#ifdef UNSHUFFLES
            if (args.n_src == BLOCK) {
                lanes_t v[BLOCK];
#pragma unroll
                for (int k = 0; k < BLOCK; k++)
                    v[k] = LOAD_LANES(from + (sindex_t)(i * BLOCK + k * LANES));
                unshuffle(v);
#pragma unroll
                for (int k = 0; k < BLOCK; k++)
                    store_row(v[k], to + (sindex_t)i + (sindex_t)place_of(k) * args.m_dst, args.stream);
                continue;
            }
#endif
#pragma unroll
            for (int k = 0; k < BLOCK; k++) {
                value_t row[LANES];
#pragma unroll
                for (int lane = 0; lane < LANES; lane++)
                    row[lane] = from[(sindex_t)(i + lane) * args.n_src + k];
                store_row(LOAD_VALUES(row), to + (sindex_t)i + k * args.m_dst, args.stream);
            }
        }
#endif
        for (; i < place.count; i++)
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                to[(sindex_t)i + k * args.m_dst] = from[(sindex_t)i * args.n_src + k];
    }
}
