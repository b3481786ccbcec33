/* interleave: destination contiguous along an axis of at most 16 units, source contiguous along another.
 * Compiled for one BLOCK, the units of that axis: n units from each of BLOCK source rows go to n groups of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if LANES > 1
/* v[k] holds LANES units of row k; afterwards v holds LANES groups in order. */
static inline __attribute__((always_inline)) void join_groups(lanes_t *v) {
#if BLOCK == 2 || BLOCK == 4 || BLOCK == 8 || BLOCK == 16
    /* The passes of deinterleave.cl backwards. */
#pragma unroll
    for (int bit = BLOCK / 2; bit > 0; bit /= 2)
#pragma unroll
        for (int i = 0; i < BLOCK; i++)
            if (!(i & bit)) {
                lanes_t a = v[i], b = v[i + bit];
                v[i] = WEAVE_LOW(a, b);
                v[i + bit] = WEAVE_HIGH(a, b);
            }
#else
    /* Constant indices after unrolling, which the compiler makes shuffles of. */
    lanes_t w[BLOCK];
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            ((value_t *)w)[lane * BLOCK + k] = ((const value_t *)&v[k])[lane];
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = w[k];
#endif
}

/* LANES groups from LANES units of each row. ahead: how much further on the reading goes on after these, 0 where hardware knows.
 */
static inline __attribute__((always_inline)) void load_rows(lanes_t *v, const move_args *args, const global unit_t *from,
                                                            sindex_t ahead) {
    if (ahead != 0)
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            prefetch_line(from + ahead + k * args->m_src);
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = LOAD_LANES(from + k * args->m_src);
    join_groups(v);
}
#endif

#ifdef LONG_RUNS

#define ROOM 8192

/* A row of at least LANES units from each source row. Two functions, because of what STORE_CACHED says. */
#define JOIN_ROW(name, STORE, vector_t)                                                                                          \
    static inline __attribute__((always_inline)) void name(const move_args *args, const global unit_t *from, global unit_t *to,  \
                                                           index_t n, sindex_t ahead) {                                          \
        for (index_t i = 0; i < n; i += LANES) {                                                                                 \
            i = min(i, n - LANES); /* the last vector overlaps the one before */                                                 \
            lanes_t v[BLOCK];                                                                                                    \
            load_rows(v, args, from + i, ahead);                                                                                 \
            global vector_t *at = (global vector_t *)(to + (sindex_t)i * BLOCK);                                                 \
            _Pragma("unroll") for (int k = 0; k < BLOCK; k++) STORE(v[k], at + k);                                               \
        }                                                                                                                        \
    }
JOIN_ROW(join_row_stream, STORE_STREAM, lanes_t)
JOIN_ROW(join_row_cached, STORE_CACHED, lanes_anywhere_t)

/* `count` units from each row, by way of the sink, which has room for them at its end. */
static inline __attribute__((always_inline)) void join_to_sink(const move_args *args, const global uchar *src,
                                                               const global unit_t *from, index_t count, sindex_t ahead,
                                                               sink_t *sink, uchar *room) {
    const uint step = BLOCK * sizeof(unit_t);
    index_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        lanes_t v[BLOCK];
        load_rows(v, args, from + i, ahead);
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            *(lanes_anywhere_t *)(room + sink->end + k * LINE) = v[k];
        sink->end += BLOCK * LINE;
        if (sink->begin == 0 && args->stream)
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                SINK_LINE(STORE_STREAM, sink, room);
        else
            sink_drain(sink, room, args->stream);
    }
    bool past_end = i < count && args->m_src >= 0 && may_read(args, src, from + i + (BLOCK - 1) * args->m_src, LANES);
    if (i < count && (i > 0 || past_end)) {
        lanes_t v[BLOCK];
        uint rest = (uint)(count - i) * step, back = past_end ? 0 : BLOCK * LINE - rest;
        /* where nothing may be read past the end, the last vector overlaps the one before */
        load_rows(v, args, from + (past_end ? i : count - LANES), ahead);
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            *(lanes_anywhere_t *)(room + sink->end - back + k * LINE) = v[k];
        sink->end += rest;
        i = count;
    }
    for (; i < count; i++, sink->end += step)
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            *(unit_t *)(room + sink->end + k * sizeof(unit_t)) = from[(sindex_t)i + k * args->m_src];
    if (sink->end - sink->done >= DRAIN_BYTES)
        sink_drain(sink, room, args->stream);
}

/* Rows shorter than a vector that follow each other in the source, together: their groups are made side by side, and each row's
 * share is put in its place. */
static inline __attribute__((always_inline)) void join_short_rows(const move_args *args, const global uchar *src,
                                                                  const global unit_t *from, global uchar *to, index_t rows) {
    uchar made[2 * ROOM] __attribute__((aligned(LINE)));
    const uint row_bytes = (uint)(args->n * BLOCK * sizeof(unit_t));
    const index_t together = ROOM / row_bytes;
    const size_t step = (size_t)args->q_dst * sizeof(unit_t);
    for (index_t row = 0; row < rows; row += together) {
        const index_t count = min(together, rows - row), units = count * args->n;
        index_t i = 0;
        for (; i < units && may_read(args, src, from + i + (BLOCK - 1) * args->m_src, LANES); i += LANES) {
            lanes_t v[BLOCK];
            load_rows(v, args, from + i, 0);
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                *(lanes_t *)(made + (i * BLOCK + k * LANES) * sizeof(unit_t)) = v[k];
        }
        for (; i < units; i++)
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                ((unit_t *)made)[i * BLOCK + k] = from[(sindex_t)i + k * args->m_src];
        for (index_t h = 0; h < count; h++, to += step) {
            const uchar *part = made + h * row_bytes;
            uint done = 0;
            for (; done + PIECE <= row_bytes; done += PIECE)
                *(global piece_anywhere_t *)(to + done) = *(const piece_anywhere_t *)(part + done);
            if (done < row_bytes && row_bytes >= PIECE) { /* the last piece overlaps the one before */
                done = row_bytes - PIECE;
                *(global piece_anywhere_t *)(to + done) = *(const piece_anywhere_t *)(part + done);
                done = row_bytes;
            }
            for (; done < row_bytes; done += sizeof(unit_t))
                *(global unit_t *)(to + done) = *(const unit_t *)(part + done);
        }
        from += units;
    }
}

kernel void interleave(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    uchar room[ROOM + LINE + BLOCK * LINE] __attribute__((aligned(LINE)));
    sink_t sink;
    sink_start(&sink, dst);
    const index_t most = ROOM / (BLOCK * sizeof(unit_t)); /* groups that the sink takes at once */
    const bool short_rows =
        args.n < LANES && args.q > 1 && args.q_src == (sindex_t)args.n && args.n_dst == BLOCK && args.m_src >= 0;
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        if (short_rows) {
            join_short_rows(&args, src, from, (global uchar *)to, place.q);
            continue;
        }
        for (index_t row = 0; row < place.q; row++, from += args.q_src, to += args.q_dst) {
            const sindex_t ahead = row + 1 < place.q && args.q_src != (sindex_t)place.n ? args.q_src : 0;
            if (args.n_dst != BLOCK) {
                for (index_t i = 0; i < place.n; i++)
#pragma unroll
                    for (int k = 0; k < BLOCK; k++)
                        to[(sindex_t)i * args.n_dst + k] = from[(sindex_t)i + k * args.m_src];
                continue;
            }
            if (args.stream && place.n % LANES == 0 && (size_t)to % sizeof(lanes_t) == 0) {
                join_row_stream(&args, from, to, place.n, ahead);
                continue;
            }
            if (!args.stream && place.n >= LANES) {
                join_row_cached(&args, from, to, place.n, 0);
                continue;
            }
            for (index_t done = 0; done < place.n;) {
                index_t count = min(place.n - done, most);
                sink_seek(&sink, room, ROOM + LINE, (global uchar *)(to + (sindex_t)done * BLOCK),
                          (uint)(count * BLOCK * sizeof(unit_t)), args.stream);
                join_to_sink(&args, src, from + done, count, ahead, &sink, room);
                done += count;
            }
        }
    }
    sink_finish(&sink, room, args.stream);
}

#else

kernel void interleave(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        index_t i = 0;
#if LANES > 1
        for (; args.n_dst == BLOCK && i + LANES <= place.n; i += LANES) {
            lanes_t v[BLOCK];
            load_rows(v, &args, from + i, 0);
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                STORE_LANES(v[k], to + (sindex_t)i * BLOCK + k * LANES);
        }
#endif
        for (; i < place.n; i++)
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                to[(sindex_t)i * args.n_dst + k] = from[(sindex_t)i + k * args.m_src];
    }
}
#endif
