/* deinterleave: destination contiguous along one axis, source along another, whose largest divisor up to 16 is at least 2 and at
 * most the extent of the first. Compiled for one BLOCK, that divisor: n groups of BLOCK contiguous source units go to BLOCK
 * destination rows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if LANES > 1
/* v holds LANES groups in order; afterwards v[k] holds unit k of each. */
static inline __attribute__((always_inline)) void split_groups(lanes_t *v) {
#if BLOCK == 2 || BLOCK == 4 || BLOCK == 8 || BLOCK == 16
    /* Each pass parts even from odd units; after log2(BLOCK) passes the places are there in bit-reversed order. */
    lanes_t w[BLOCK];
#pragma unroll
    for (int span = BLOCK; span > 1; span /= 2) {
#pragma unroll
        for (int start = 0; start < BLOCK; start += span)
#pragma unroll
            for (int i = 0; i < span / 2; i++) {
                lanes_t a = v[start + 2 * i], b = v[start + 2 * i + 1];
                w[start + i] = (lanes_t)(a.even, b.even);
                w[start + span / 2 + i] = (lanes_t)(a.odd, b.odd);
            }
#pragma unroll
        for (int i = 0; i < BLOCK; i++)
            v[i] = w[i];
    }
#pragma unroll
    for (int i = 0; i < BLOCK; i++) {
        int place = 0;
#pragma unroll
        for (int bit = 1, mirror = BLOCK / 2; bit < BLOCK; bit *= 2, mirror /= 2)
            place += i & bit ? mirror : 0;
        v[place] = w[i];
    }
#else
    /* Constant indices after unrolling, which the compiler makes shuffles of. */
    lanes_t w[BLOCK];
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            ((value_t *)&w[k])[lane] = ((const value_t *)v)[lane * BLOCK + k];
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = w[k];
#endif
}

static inline __attribute__((always_inline)) void load_groups(lanes_t *v, const global unit_t *from, sindex_t n_src) {
    if (n_src == BLOCK) {
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            v[k] = LOAD_LANES(from + k * LANES);
        split_groups(v);
    } else {
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                ((value_t *)&v[k])[lane] = from[lane * n_src + k];
    }
}
#endif

#ifdef LONG_RUNS

#if LANES == 1
typedef unit_t lanes_t;
#endif
/* Sinks for several rows of q at once, because rows in the order of the source lie in several places of the destination. */
#define SETS (BLOCK >= 16 ? 1 : 16 / BLOCK)
#define ROOM (32768 / (SETS * BLOCK) / LINE * LINE)

#if LANES > 1
/* A row of at least LANES groups. Two functions, because of what STORE_CACHED says. */
#define SPLIT_ROW(name, STORE, vector_t)                                                                                         \
    static inline __attribute__((always_inline)) void name(const move_args *args, const global unit_t *from, global unit_t *to,  \
                                                           index_t n) {                                                          \
        for (index_t i = 0; i < n; i += LANES) {                                                                                 \
            i = min(i, n - LANES); /* the last vector overlaps the one before */                                                 \
            lanes_t v[BLOCK];                                                                                                    \
            load_groups(v, from + (sindex_t)i * args->n_src, args->n_src);                                                       \
            _Pragma("unroll") for (int k = 0; k < BLOCK; k++)                                                                    \
                STORE(v[k], (global vector_t *)(to + (sindex_t)i + k * args->m_dst));                                            \
        }                                                                                                                        \
    }
SPLIT_ROW(split_row_stream, STORE_STREAM, lanes_t)
SPLIT_ROW(split_row_cached, STORE_CACHED, lanes_anywhere_t)
#endif

/* `count` groups, by way of one sink for each row, which have room for them at their ends. */
static inline __attribute__((always_inline)) void split_to_sinks(const move_args *args, const global unit_t *from, index_t count,
                                                                 sink_t *sink, uchar (*room)[ROOM + LINE + OVERRUN]) {
    index_t i = 0;
#if LANES > 1
    bool begun = args->stream; /* whether no line has a part that is another's */
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        begun = begun && sink[k].begin == 0;
    for (; i + LANES <= count; i += LANES) {
        lanes_t v[BLOCK];
        load_groups(v, from + (sindex_t)i * args->n_src, args->n_src);
#pragma unroll
        for (int k = 0; k < BLOCK; k++) {
            *(lanes_anywhere_t *)(room[k] + sink[k].end) = v[k];
            sink[k].end += LINE;
        }
        if (begun)
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                SINK_LINE(STORE_STREAM, &sink[k], room[k]);
        else {
            for (int k = 0; k < BLOCK; k++)
                sink_drain(&sink[k], room[k], args->stream);
            begun = args->stream;
        }
    }
    if (i > 0 && i < count) { /* the last vector overlaps the one before */
        lanes_t v[BLOCK];
        uint rest = (uint)((count - i) * sizeof(unit_t));
        load_groups(v, from + (sindex_t)(count - LANES) * args->n_src, args->n_src);
#pragma unroll
        for (int k = 0; k < BLOCK; k++) {
            *(lanes_anywhere_t *)(room[k] + sink[k].end + rest - LINE) = v[k];
            sink[k].end += rest;
        }
        i = count;
    }
#endif
    for (; i < count; i++)
#pragma unroll
        for (int k = 0; k < BLOCK; k++) {
            *(unit_t *)(room[k] + sink[k].end) = from[(sindex_t)i * args->n_src + k];
            sink[k].end += sizeof(unit_t);
        }
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        if (sink[k].end - sink[k].done >= LINE)
            sink_drain(&sink[k], room[k], args->stream);
}

kernel void deinterleave(const global uchar *src, global uchar *dst, const move_args args) {
    uchar room[SETS][BLOCK][ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
    sink_t sink[SETS][BLOCK];
    for (int set = 0; set < SETS; set++)
        for (int k = 0; k < BLOCK; k++)
            sink_start(&sink[set][k], dst);
    const index_t most = ROOM / sizeof(unit_t);
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        uint set = 0;
        for (index_t row = 0; row < place.q; row++, from += args.q_src, to += args.q_dst) {
            if (row + 1 < place.q && args.q_src != (sindex_t)place.n * BLOCK)
                prefetch_row((const global uchar *)(from + args.q_src), place.n * BLOCK * sizeof(unit_t));
#if LANES > 1
            if (args.stream && place.n % LANES == 0 && ((size_t)to | (args.m_dst * sizeof(unit_t))) % sizeof(lanes_t) == 0) {
                split_row_stream(&args, from, to, place.n);
                continue;
            }
            if (!args.stream && place.n >= LANES) {
                split_row_cached(&args, from, to, place.n);
                continue;
            }
#endif
            for (index_t done = 0; done < place.n;) {
                index_t count = min(place.n - done, most);
#pragma unroll
                for (int k = 0; k < BLOCK; k++)
                    sink_seek(&sink[set][k], room[set][k], ROOM + LINE, (global uchar *)(to + (sindex_t)done + k * args.m_dst),
                              (uint)(count * sizeof(unit_t)), args.stream);
                split_to_sinks(&args, from + (sindex_t)done * args.n_src, count, sink[set], room[set]);
                done += count;
            }
            if (++set == SETS || set == args.q)
                set = 0;
        }
    }
    for (int set = 0; set < SETS; set++)
        for (int k = 0; k < BLOCK; k++)
            sink_finish(&sink[set][k], room[set][k], args.stream);
}

#else

kernel void deinterleave(const global uchar *src, global uchar *dst, const move_args args) {
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        index_t i = 0;
#if LANES > 1
        for (; i + LANES <= place.n; i += LANES) {
            lanes_t v[BLOCK];
            load_groups(v, from + (sindex_t)i * args.n_src, args.n_src);
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                STORE_LANES(v[k], to + (sindex_t)i + k * args.m_dst);
        }
#endif
        for (; i < place.n; i++)
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                to[(sindex_t)i + k * args.m_dst] = from[(sindex_t)i * args.n_src + k];
    }
}
#endif
