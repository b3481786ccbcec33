/* interleave: destination contiguous along an axis of at most 16 units, source contiguous along another.
 * Compiled for one BLOCK, the units of that axis: n units from each of BLOCK source rows go to n groups of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* In pieces of 16 bytes, unpacked in registers. On 2 cores of an Intel Xeon (model 207), beside shuffles that the compiler finds,
 * in rows of 37, 200 and more units: u8 by 7 1.2, 1.3, 1.1 times as fast, by 6 1.1, 1.1, 0.9, f16 by 7 2.1, 1.3, 1.1, by
 * 6 1.6, 1.1, 0.9; by 5 u8 0.9, 0.8, 0.7, f16 1.3, 0.9, 0.8. */
#if (UNIT_BITS == 8 || UNIT_BITS == 16) && BLOCK > 5 && BLOCK != 8 && BLOCK < 16
#define JOINS_PIECES
#endif

/* A register of each row is joined at a time: 16 lines would have no room, and one instruction weaves 16 bytes. */
#if UNIT_BITS >= 8 && UNIT_BITS <= 64 && (BLOCK == 4 || BLOCK == 8 || BLOCK == 16)
#define JOINS_REGISTERS
#endif

/* Rows of u8 and f16 by 3 and 5 are looked up: LLVM 15 finds as good shuffles for them, but LLVM 18 moves single units. POCL 6.0
 * on 2 cores of an Intel Xeon (model 207), planes to pixels, share of the limit so and by constant indices: u8 by 3 0.99, 0.18,
 * by 5 0.97, 0.18, f16 0.8, 0.4 and 0.98, 0.19. */
#if (UNIT_BITS == 8 || UNIT_BITS == 16) && (BLOCK == 3 || BLOCK == 5) && defined(HAS_SHUFFLE)
#define JOINS_REGISTERS
#define LOOKS_UP
#define UNIT_BYTES (UNIT_BITS / 8)
/* Of as many groups as a piece of a row has units: where byte i of their piece number `piece` is in the piece of row `row`; 128:
 * it is of another row. */
#define PLACE(piece, row, i)                                                                                                     \
    (((piece)*16 + (i)) / UNIT_BYTES % BLOCK == (row) ? ((piece)*16 + (i)) / UNIT_BYTES / BLOCK * UNIT_BYTES + (i) % UNIT_BYTES  \
                                                      : 128)
static constant uchar places[BLOCK][BLOCK][PIECE] __attribute__((aligned(PIECE))) = {
#if BLOCK == 3
#define OF_ROWS(piece)                                                                                                           \
    { PLACES(piece, 0), PLACES(piece, 1), PLACES(piece, 2) }
    OF_ROWS(0), OF_ROWS(1), OF_ROWS(2)};
#else
#define OF_ROWS(piece)                                                                                                           \
    { PLACES(piece, 0), PLACES(piece, 1), PLACES(piece, 2), PLACES(piece, 3), PLACES(piece, 4) }
    OF_ROWS(0), OF_ROWS(1), OF_ROWS(2), OF_ROWS(3), OF_ROWS(4)};
#endif

/* What the pieces of row `row` have for piece number `piece` of their groups, and 0 elsewhere. */
MOVE_FUNCTION register_t look_up(const register_t v, const int piece, const int row) {
    const uint4 at = *(const constant uint4 *)places[piece][row];
    return __builtin_astype(shuffle_pieces(__builtin_astype(v, words_t), at), register_t);
}
#endif
#if defined(JOINS_REGISTERS) || defined(JOINS_PIECES)
#define JOINED_BYTES REGISTER_BYTES
typedef register_t joined_t;
#else
#define JOINED_BYTES LINE
typedef lanes_t joined_t;
#endif
#define JOINED_UNITS (LANES * JOINED_BYTES / LINE)
typedef joined_t joined_anywhere_t __attribute__((aligned(1)));

/* Where LANES units of each row of a panel are, in units from `from`. */
typedef struct {
    sindex_t row[BLOCK];
} panel_t;

/* Afterwards v[k] has JOINED_BYTES of row k. A line of each row is asked for, so many units further on; 0: none is. */
MOVE_FUNCTION void load_rows(const global unit_t *from, const panel_t *panel, sindex_t ahead, joined_t *v) {
    if (ahead != 0)
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            prefetch_line(from + ahead + panel->row[k]);
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = *(const global joined_anywhere_t *)(from + panel->row[k]);
}

#ifdef JOINS_PIECES
MOVE_FUNCTION piece_t piece_of(const register_t v, const int i) {
#if REGISTER_BYTES == 32
    return i == 0 ? v.lo : v.hi;
#else
    (void)i;
    return v;
#endif
}

/* Joins v, which has a vector of each row; the groups go to `to` and what follows. */
#if UNIT_BITS == 8 || BLOCK < 8
/* Each group is stored as GROUP_UNITS units. The next group overwrites those past BLOCK. The last group is stored as two halves,
 * so that nothing behind it is written. */
#if BLOCK < 8
#define GROUP_UNITS 8
#else
#define GROUP_UNITS 16
#endif
typedef value_t group_t __attribute__((ext_vector_type(GROUP_UNITS), aligned(1)));
typedef value_t half_group_t __attribute__((ext_vector_type(GROUP_UNITS / 2), aligned(1)));
UNPACK_PIECES(unpack_rows, register_t, UNPACK_REGISTERS, GROUP_UNITS, GROUP_UNITS == 8 ? 3 : 4)

MOVE_FUNCTION group_t group_of(const joined_t *v, const int i) {
#if UNIT_BITS == 8 && BLOCK < 8
    const piece_t piece = piece_of(v[i / 2 % GROUP_UNITS], i / 16);
    return i % 2 ? piece.hi : piece.lo;
#else
    return piece_of(v[i % GROUP_UNITS], i / GROUP_UNITS);
#endif
}

MOVE_FUNCTION void store_joined(joined_t *v, uchar *to) {
#pragma unroll
    for (int k = BLOCK; k < GROUP_UNITS; k++)
        v[k] = v[0];
    unpack_rows(v);
#pragma unroll
    for (int i = 0; i < JOINED_UNITS - 1; i++)
        *(group_t *)((unit_t *)to + i * BLOCK) = group_of(v, i);
    const group_t last = group_of(v, JOINED_UNITS - 1);
    unit_t *const end = (unit_t *)to + JOINED_UNITS * BLOCK;
    *(half_group_t *)(end - BLOCK) = last.lo;
#define AT(k) BLOCK - GROUP_UNITS / 2 + (k)
#if GROUP_UNITS == 8
    *(half_group_t *)(end - 4) = __builtin_shufflevector(last, last, AT(0), AT(1), AT(2), AT(3));
#else
    *(half_group_t *)(end - 8) = __builtin_shufflevector(last, last, AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7));
#endif
#undef AT
}
#else
/* A group is stored as its first and as its last 8 units. */
MOVE_FUNCTION void store_joined(joined_t *v, uchar *to) {
    joined_t last[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        last[k] = v[BLOCK - 8 + k];
    unpack_registers(v);
    unpack_registers(last);
#pragma unroll
    for (int i = 0; i < JOINED_UNITS; i++) {
        *(piece_t *)((unit_t *)to + i * BLOCK) = piece_of(v[i % 8], i / 8);
        *(piece_t *)((unit_t *)to + i * BLOCK + BLOCK - 8) = piece_of(last[i % 8], i / 8);
    }
}
#endif
#else
/* v[k] holds units of row k; afterwards v holds their groups in order. */
MOVE_FUNCTION void join_groups(joined_t *v) {
#ifdef JOINS_REGISTERS
#ifdef LOOKS_UP
    joined_t made[BLOCK];
#pragma unroll
    for (int piece = 0; piece < BLOCK; piece++) {
        made[piece] = look_up(v[0], piece, 0);
#pragma unroll
        for (int row = 1; row < BLOCK; row++)
            made[piece] |= look_up(v[row], piece, row);
    }
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = made[k];
#else
#pragma unroll
    for (int bit = BLOCK / 2; bit > 0; bit /= 2)
#pragma unroll
        for (int i = 0; i < BLOCK; i++)
            if (!(i & bit)) {
                joined_t a = v[i], b = v[i + bit];
                v[i] = UNPACK_REGISTERS(a, b, 0);
                v[i + bit] = UNPACK_REGISTERS(a, b, PIECE_UNITS / 2);
            }
#endif
#if REGISTER_BYTES == 32 /* the groups of the first 16 bytes of each row, and then those of the last */
    joined_t w[BLOCK];
#define PIECE_OF_ALL(i) ((i) < BLOCK ? v[(i) % BLOCK].lo : v[(i) % BLOCK].hi)
#pragma unroll
    for (int i = 0; i < BLOCK; i++)
        w[i] = (joined_t)(PIECE_OF_ALL(2 * i), PIECE_OF_ALL(2 * i + 1));
#undef PIECE_OF_ALL
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = w[k];
#endif
#elif BLOCK == 2 || BLOCK == 4 || BLOCK == 8 || BLOCK == 16
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

MOVE_FUNCTION void store_joined(joined_t *v, uchar *to) {
    join_groups(v);
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        *(joined_anywhere_t *)(to + k * JOINED_BYTES) = v[k];
}
#endif

/* Joins LANES units of each row of a panel; the groups go to `to` and what follows, BLOCK lines. */
MOVE_FUNCTION void join_panel(const global unit_t *from, const panel_t *panel, sindex_t ahead, uchar *to) {
#pragma nounroll
    for (int part = 0; part < LINE / JOINED_BYTES; part++) {
        joined_t v[16]; /* joining pieces uses more than BLOCK */
        load_rows(from + part * JOINED_UNITS, panel, part == 0 ? ahead : 0, v);
        store_joined(v, to + part * (BLOCK * JOINED_BYTES));
    }
}

/* The same for `vectors` panels side by side. */
MOVE_CALLED void join_vectors(const global unit_t *from, sindex_t m_src, index_t vectors, sindex_t ahead, uchar *to) {
    panel_t panel ON_LINES;
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        panel.row[k] = k * m_src;
    for (; vectors > 0; vectors--, from += LANES, to += BLOCK * LINE)
        join_panel(from, &panel, ahead, to);
}

#ifndef JOINS_PIECES
#define JOINS_LINES
/* A panel of which a part is written. It has a function of its own, since beside the streaming stores (see STORE_STREAM) the last
 * ones of either became one that did not stream, and half of each line waited for it: f32 by 8 2 GB/s instead of 35. */
MOVE_SELDOM void join_edge(const global unit_t *from, const panel_t *panel, sindex_t ahead, uchar *to) {
    join_panel(from, panel, ahead, to);
}

/* Groups of the row at `to`, in whole lines that are made in registers: from a buffer, where they were stored a little before,
 * they could be loaded only when all stores before have left. The first line may begin with any unit of a group. What follows is
 * then made of the same rows in another order, of which the last ones begin a unit later. */
MOVE_CALLED void join_lines(const global unit_t *from, sindex_t m_src, index_t units, sindex_t ahead, global uchar *to) {
    const uint begin = (uint)((size_t)to & (LINE - 1));
    const size_t end = begin + (size_t)units * BLOCK * sizeof(unit_t);
    const int before = (int)(begin / sizeof(unit_t)), groups = (before + BLOCK - 1) / BLOCK, first = groups * BLOCK - before;
    panel_t panel ON_LINES;
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        panel.row[k] = k + first < BLOCK ? (k + first) * m_src : (k + first - BLOCK) * m_src + 1;
    from -= groups;
    to -= begin;
    for (size_t at = 0; at < end; at += BLOCK * LINE, from += LANES) {
        if (at >= begin && at + BLOCK * LINE <= end) {
#pragma nounroll
            for (int part = 0; part < LINE / JOINED_BYTES; part++) {
                joined_t v[BLOCK];
                load_rows(from + part * JOINED_UNITS, &panel, part == 0 ? ahead : 0, v);
                join_groups(v);
#pragma unroll
                for (int k = 0; k < BLOCK; k++)
                    STORE_STREAM(v[k], (global joined_t *)(to + at + part * (BLOCK * JOINED_BYTES) + k * JOINED_BYTES));
            }
            continue;
        }
        uchar made[BLOCK * LINE] __attribute__((aligned(LINE)));
        join_edge(from, &panel, ahead, made);
        wc_buffer_t edge = {to + at, at == 0 ? begin : 0, 0, (uint)min(end - at, (size_t)(BLOCK * LINE))};
        wc_buffer_finish(&edge, made, true);
    }
}

/* Rows from here on join_lines, although others follow them in the destination. The ends of shorter ones go on in the buffer: f32
 * by 2 with 50 units a row 0.9 of the limit instead of 0.3. */
#define LONG_ROW 4096

/* Whether join_lines may read all that it reads, whole vectors before the row and behind it, and is the faster way. */
MOVE_FUNCTION bool may_join_lines(const move_args *args, const global uchar *src, const global unit_t *from, index_t units,
                                  const global uchar *to) {
    const long before = (long)((size_t)to & (LINE - 1)) / (long)sizeof(unit_t), groups = (before + BLOCK - 1) / BLOCK;
    const size_t row_bytes = (size_t)units * BLOCK * sizeof(unit_t);
    const bool goes_on = args->q > 1 && args->q_dst == (sindex_t)(units * BLOCK);
    return (!goes_on || row_bytes >= LONG_ROW || ((row_bytes | (size_t)to) & (LINE - 1)) == 0) && args->m_src >= 0 &&
           (size_t)to % sizeof(unit_t) == 0 && ((const global uchar *)from - src) / (long)sizeof(unit_t) >= groups &&
           may_read(args, src, from + (BLOCK - 1) * args->m_src, units + LANES);
}
#endif

/* The same for `count` units of each row, one after the other; their groups lie n_dst apart. */
MOVE_CALLED void join_apart(const global unit_t *from, sindex_t m_src, index_t count, sindex_t n_dst, uchar *to) {
    const long step = (long)n_dst * (long)sizeof(unit_t); /* bytes, which 32-bit indices of units may not reach */
    for (; count > 0; count--, from++, to += step)
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            ((unit_t *)to)[k] = from[k * m_src];
}

#define ROOM 8192
#define AHEAD (512 / (int)sizeof(unit_t))

/* `count` units from each row, by way of the write-combining buffer, which has room for them at its end. */
static void join_to_wc_buffer(const move_args *args, const global uchar *src, const global unit_t *from, index_t count,
                              sindex_t ahead, wc_buffer_t *wc_buffer, uchar *room) {
    const index_t together = max(DRAIN_BYTES / (BLOCK * LINE), 1);
    index_t i = 0;
    for (index_t vectors; (vectors = min((count - i) / LANES, together)) > 0; i += vectors * LANES) {
        join_vectors(from + i, args->m_src, vectors, ahead, room + wc_buffer->end);
        wc_buffer->end += (uint)vectors * BLOCK * LINE;
        wc_buffer_drain(wc_buffer, room, args->stream);
    }
    if (i < count) {
        if (args->m_src >= 0 && may_read(args, src, from + i + (BLOCK - 1) * args->m_src, LANES))
            join_vectors(from + i, args->m_src, 1, ahead, room + wc_buffer->end);
        else
            join_apart(from + i, args->m_src, count - i, BLOCK, room + wc_buffer->end);
        wc_buffer->end += (uint)(count - i) * BLOCK * sizeof(unit_t);
    }
    if (wc_buffer->end - wc_buffer->done >= DRAIN_BYTES)
        wc_buffer_drain(wc_buffer, room, args->stream);
}

/* Rows shorter than a vector that follow each other in the source, together: their groups are made side by side, and each row's
 * share is put in its place. */
static void join_short_rows(const move_args *args, ask_t *ask, const global uchar *src, const global unit_t *from,
                            global uchar *to, index_t rows) {
    uchar made[2 * ROOM] __attribute__((aligned(LINE)));
    const uint row_bytes = (uint)(args->n * BLOCK * sizeof(unit_t));
    const index_t together = ROOM / row_bytes;
    const size_t step = (size_t)args->q_dst * sizeof(unit_t);
    for (index_t row = 0; row < rows; row += together) {
        const index_t count = min(together, rows - row), units = count * args->n;
        /* Whole vectors as far as reading is safe, which may be past the last of these rows: made has room. */
        const global unit_t *last = from + (BLOCK - 1) * args->m_src;
        index_t i = (units + LANES - 1) / LANES * LANES;
        ask_on(ask, (index_t)(units * BLOCK * sizeof(unit_t)));
        if (!may_read(args, src, last, i))
            i = units / LANES * LANES;
        join_vectors(from, args->m_src, i / LANES, 0, made);
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

/* Asks for the lines at the ends of what is going to be streamed, if parts of them are others'. A store to such a line waits
 * until it has come, and all stores behind it wait as well. */
MOVE_CALLED void ask_for_ends(const global uchar *to, ulong bytes) {
    if ((size_t)to & (LINE - 1))
        prefetch_line(to);
    if ((size_t)(to + bytes) & (LINE - 1))
        prefetch_line(to + bytes);
}

/* The ends of rows so many further on are asked for. */
#define ENDS_AHEAD 2

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
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
        ask_t ask = find_ask(&args, job, &place, src);
        if (short_rows) {
            join_short_rows(&args, &ask, src, from, (global uchar *)to, place.q);
            continue;
        }
        for (index_t row = 0; row < place.q; row++, from += args.q_src, to += args.q_dst) {
            ask_on(&ask, (index_t)(place.n * BLOCK * sizeof(unit_t)));
            const sindex_t ahead = row + 1 < place.q && args.q_src != (sindex_t)place.n ? args.q_src : args.stream ? AHEAD : 0;
            if (args.n_dst != BLOCK) {
                join_apart(from, args.m_src, place.n, args.n_dst, (uchar *)(size_t)to);
                continue;
            }
            if (args.stream && place.q > 1 && args.q_dst != (sindex_t)(args.n * BLOCK))
                for (index_t k = row == 0 ? 0 : ENDS_AHEAD; k <= ENDS_AHEAD && row + k < place.q; k++)
                    ask_for_ends((global uchar *)(to + (sindex_t)k * args.q_dst), place.n * BLOCK * sizeof(unit_t));
#ifdef JOINS_LINES
            if (args.stream && place.n >= LANES && may_join_lines(&args, src, from, place.n, (const global uchar *)to)) {
                join_lines(from, args.m_src, place.n, ahead, (global uchar *)to);
                continue;
            }
#endif
            if (!args.stream && place.n >= LANES) {
                uchar *at = (uchar *)(size_t)to;
                join_vectors(from, args.m_src, place.n / LANES, 0, at);
                if (place.n % LANES != 0) /* the last vector overlaps the one before */
                    join_vectors(from + (place.n - LANES), args.m_src, 1, 0, at + (place.n - LANES) * BLOCK * sizeof(unit_t));
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

kernel void interleave(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}
