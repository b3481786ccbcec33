/* interleave: destination contiguous along an axis of at most 16 units, source contiguous along another.
 * Compiled for one BLOCK, the units of that axis: n units from each of BLOCK source rows go to n groups of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if UNIT_BITS == 8 && BLOCK > 8 && BLOCK < 16
/* Joins `vectors` times LANES units of each row: their groups go to `to` and what follows, BLOCK lines for each. ahead: how much
 * further on the reading goes on after these, 0 where hardware knows. A group is stored as 16 bytes, of which the next one
 * overwrites the last; not so the last group. There is no version that streams: a group is no line. */
#define ONLY_CACHED
typedef uchar8 half_anywhere_t __attribute__((aligned(1)));
#define AT(k) BLOCK - 8 + (k)
static __attribute__((noinline)) void join_vectors_cached(const global unit_t *from, sindex_t m_src, index_t vectors,
                                                          sindex_t ahead, uchar *to) {
    for (; vectors > 0; vectors--, from += LANES, to += BLOCK * LINE) {
        lanes_t v[16];
        if (ahead != 0)
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                prefetch_line(from + ahead + k * m_src);
#pragma unroll
        for (int k = 0; k < 16; k++)
            v[k] = LOAD_LANES(from + (k < BLOCK ? k : 0) * m_src);
        unpack_pieces(v);
#pragma unroll
        for (int k = 0; k < 16; k++)
            *(piece_t *)(to + k * BLOCK) = v[k].lo.lo;
#pragma unroll
        for (int k = 0; k < 16; k++)
            *(piece_t *)(to + (k + 16) * BLOCK) = v[k].lo.hi;
#pragma unroll
        for (int k = 0; k < 16; k++)
            *(piece_t *)(to + (k + 32) * BLOCK) = v[k].hi.lo;
#pragma unroll
        for (int k = 0; k < 15; k++)
            *(piece_t *)(to + (k + 48) * BLOCK) = v[k].hi.hi;
        const piece_t last = v[15].hi.hi;
        *(half_anywhere_t *)(to + 63 * BLOCK) = last.lo;
        *(half_anywhere_t *)(to + 64 * BLOCK - 8) =
            __builtin_shufflevector(last, last, AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7));
    }
}
#undef AT
#else
/* v[k] holds LANES units of row k; afterwards v holds LANES groups in order. */
MOVE_FUNCTION void join_groups(lanes_t *v) {
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

/* Joins `vectors` times LANES units of each row: their groups go to `to` and what follows, BLOCK lines for each. ahead: how much
 * further on the reading goes on after these, 0 where hardware knows. Only these two are compiled for each BLOCK, and called for
 * everything. Two functions, because of what STORE_CACHED says. */
#define JOIN_VECTORS(name, STORE, vector_t)                                                                                      \
    static __attribute__((noinline)) void name(const global unit_t *from, sindex_t m_src, index_t vectors, sindex_t ahead,       \
                                               uchar *to) {                                                                      \
        for (; vectors > 0; vectors--, from += LANES, to += BLOCK * LINE) {                                                      \
            lanes_t v[BLOCK];                                                                                                    \
            if (ahead != 0)                                                                                                      \
                _Pragma("unroll") for (int k = 0; k < BLOCK; k++) prefetch_line(from + ahead + k * m_src);                       \
            _Pragma("unroll") for (int k = 0; k < BLOCK; k++) v[k] = LOAD_LANES(from + k * m_src);                               \
            join_groups(v);                                                                                                      \
            _Pragma("unroll") for (int k = 0; k < BLOCK; k++) STORE(v[k], (vector_t *)(to + k * LINE));                          \
        }                                                                                                                        \
    }
JOIN_VECTORS(join_vectors_stream, STORE_STREAM, lanes_t)
JOIN_VECTORS(join_vectors_cached, STORE_CACHED, lanes_anywhere_t)
#endif

/* The same for `count` units of each row, one after the other; their groups lie n_dst apart. */
static __attribute__((noinline)) void join_apart(const global unit_t *from, sindex_t m_src, index_t count, sindex_t n_dst,
                                                 uchar *to) {
    const long step = (long)n_dst * (long)sizeof(unit_t); /* bytes, which 32-bit indices of units may not reach */
    for (; count > 0; count--, from++, to += step)
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            ((unit_t *)to)[k] = from[k * m_src];
}

#define ROOM 8192

/* `count` units from each row, by way of the write-combining buffer, which has room for them at its end. */
static void join_to_wc_buffer(const move_args *args, const global uchar *src, const global unit_t *from, index_t count,
                              sindex_t ahead, wc_buffer_t *wc_buffer, uchar *room) {
    const index_t together = max(DRAIN_BYTES / (BLOCK * LINE), 1);
    index_t i = 0;
    for (index_t vectors; (vectors = min((count - i) / LANES, together)) > 0; i += vectors * LANES) {
        join_vectors_cached(from + i, args->m_src, vectors, ahead, room + wc_buffer->end);
        wc_buffer->end += (uint)vectors * BLOCK * LINE;
        wc_buffer_drain(wc_buffer, room, args->stream);
    }
    if (i < count) {
        if (args->m_src >= 0 && may_read(args, src, from + i + (BLOCK - 1) * args->m_src, LANES))
            join_vectors_cached(from + i, args->m_src, 1, ahead, room + wc_buffer->end);
        else
            join_apart(from + i, args->m_src, count - i, BLOCK, room + wc_buffer->end);
        wc_buffer->end += (uint)(count - i) * BLOCK * sizeof(unit_t);
    }
    if (wc_buffer->end - wc_buffer->done >= DRAIN_BYTES)
        wc_buffer_drain(wc_buffer, room, args->stream);
}

/* Rows shorter than a vector that follow each other in the source, together: their groups are made side by side, and each row's
 * share is put in its place. */
static void join_short_rows(const move_args *args, const global uchar *src, const global unit_t *from, global uchar *to,
                            index_t rows) {
    uchar made[2 * ROOM] __attribute__((aligned(LINE)));
    const uint row_bytes = (uint)(args->n * BLOCK * sizeof(unit_t));
    const index_t together = ROOM / row_bytes;
    const size_t step = (size_t)args->q_dst * sizeof(unit_t);
    for (index_t row = 0; row < rows; row += together) {
        const index_t count = min(together, rows - row), units = count * args->n;
        /* Whole vectors as far as reading is safe, which may be past the last of these rows: made has room. */
        const global unit_t *last = from + (BLOCK - 1) * args->m_src;
        index_t i = (units + LANES - 1) / LANES * LANES;
        if (!may_read(args, src, last, i))
            i = units / LANES * LANES;
        join_vectors_cached(from, args->m_src, i / LANES, 0, made);
        if (i < units)
            join_apart(from + i, args->m_src, units - i, BLOCK, made + i * BLOCK * sizeof(unit_t));
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
    wc_buffer_t wc_buffer;
    wc_buffer_start(&wc_buffer, dst);
    const index_t most = ROOM / (BLOCK * sizeof(unit_t)); /* groups that the write-combining buffer takes at once */
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
                join_apart(from, args.m_src, place.n, args.n_dst, (uchar *)(size_t)to);
                continue;
            }
#ifndef ONLY_CACHED
            if (args.stream && place.n % LANES == 0 && (size_t)to % sizeof(lanes_t) == 0) {
                join_vectors_stream(from, args.m_src, place.n / LANES, ahead, (uchar *)(size_t)to);
                continue;
            }
#endif
            if (!args.stream && place.n >= LANES) {
                uchar *at = (uchar *)(size_t)to;
                join_vectors_cached(from, args.m_src, place.n / LANES, 0, at);
                if (place.n % LANES != 0) /* the last vector overlaps the one before */
                    join_vectors_cached(from + (place.n - LANES), args.m_src, 1, 0,
                                        at + (place.n - LANES) * BLOCK * sizeof(unit_t));
                continue;
            }
            for (index_t done = 0; done < place.n;) {
                index_t count = min(place.n - done, most);
                wc_buffer_seek(&wc_buffer, room, ROOM + LINE, (global uchar *)(to + (sindex_t)done * BLOCK),
                               (uint)(count * BLOCK * sizeof(unit_t)), args.stream);
                join_to_wc_buffer(&args, src, from + done, count, ahead, &wc_buffer, room);
                done += count;
            }
        }
    }
    wc_buffer_finish(&wc_buffer, room, args.stream);
}
