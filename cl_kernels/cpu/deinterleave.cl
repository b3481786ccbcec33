/* deinterleave: destination contiguous along one axis, and source along another, forwards or backwards, whose largest divisor
 * up to 16, the block, is at least 2 and at most the extent of the first, or larger on a processor that reads blocks side by
 * side, or up to 16 units apart, and writes such rows one after the other; not if the first has at most 16 units, both make
 * one row of the destination, and the first is at most twice as long as the other or comes from places farther apart than
 * that. Compiled for one BLOCK, that divisor: n groups of BLOCK contiguous source units go to BLOCK destination rows. If
 * groups are farther apart, but not more than 16 units, BLOCK is that distance, the last units of each lie between groups, and
 * there are ROWS rows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* What is read soon, which goes to the second-level cache: so many units from what is read now on, and if that is behind the row,
 * `jump` units more, since that is from the end of the row to the beginning of the next one. None where `units` is 0. */
#define MOST_AHEAD (32768 / (sindex_t)sizeof(unit_t))
typedef struct {
    sindex_t units, jump;
} ahead_t;

/* Vectors of a short row, which is split at once. */
#define VECTORS_AT_ONCE 4
/* Blocks of up to 4 ask for what is so near, in longer rows: rows of whole lines are 1.03 to 1.3 times as fast as without on 2
 * cores of an Intel Xeon (model 167), 200 MB of bytes by 2 0.75 and 0.86 of the limit, f16 0.80 and 0.89, f32 0.82 and 0.89. A
 * row ahead is too far: f16, f32, f64 by 3, 160 MB, 42 to 47 GB/s, and 48 to 50 without, on 2 cores of an AMD EPYC (model 17). */
#define NEAR_AHEAD 2048

/* While a row of n groups is read. The next one is of the same job, or begins `then` units behind it; 0: not known. */
MOVE_FUNCTION ahead_t find_row_ahead(const move_args *args, index_t n, bool is_same_job, sindex_t then) {
    const sindex_t units = (sindex_t)n * BLOCK, next = is_same_job ? args->q_src : then != 0 ? then : units;
    ahead_t ahead = {0, 0};
#if BLOCK <= 4
    if (is_same_job && next != units)
        ahead.units = next;
    else if (args->stream && n > VECTORS_AT_ONCE * LANES)
        ahead.units = NEAR_AHEAD / (sindex_t)sizeof(unit_t);
#else
    if (args->stream) {
        ahead.units = min(units, MOST_AHEAD);
        ahead.jump = next - units;
    }
#endif
    return ahead;
}

/* The same where `left` groups of the row are left. */
MOVE_FUNCTION sindex_t find_ahead(ahead_t ahead, index_t left) {
    return (sindex_t)left * BLOCK > ahead.units ? ahead.units : ahead.units + ahead.jump;
}

/* Write-combining buffers for several rows of q at once, because rows in the order of the source lie in several places of the
 * destination. All of them and what is read stay in the first-level cache: images by 12 to 15 on 2 cores of an Intel Xeon (model
 * 207) 1.2 to 1.4 times as fast as with 2048, with 512 and 768 as fast as with 1024. */
#define SETS (16 / ROWS) /* as many as the built-in max_dst_rows lets be written at once */
#define ROOM 1024
/* Small blocks do long rows without write-combining buffers: see stream_long_row. */
#if BLOCK <= 4
#define LONG_ROW (4 * LANES)
#define FRONT LINE
#else
#define FRONT 0
#endif
typedef uchar room_t[FRONT + ROOM + LINE + OVERRUN]; /* a write-combining buffer's room begins after the front */
/* Bytes that each write-combining buffer takes before it is drained, where rows are shorter than half of that. */
#define SHORT_ROWS (ROOM / 2 < 512 ? ROOM / 2 : 512)

/* Where row k of the destination begins, for the functions above: on a processor there is one address space. */
MOVE_FUNCTION void find_rows(uchar **at, global unit_t *to, sindex_t m_dst) {
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        at[k] = (uchar *)(size_t)(to + k * m_dst);
}

MOVE_FUNCTION void find_rooms(uchar **at, const wc_buffer_t *wc_buffer, room_t *room) {
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        at[k] = room[k] + FRONT + wc_buffer[k].end;
}

/* A row of at least LANES groups, by way of the cache. */
MOVE_FUNCTION void split_row_cached(const move_args *args, const global unit_t *from, global unit_t *to, index_t n) {
    uchar *at[ROWS] ON_LINES;
    find_rows(at, to, args->m_dst);
    if (args->n_src != BLOCK) {
        split_apart(from, args->n_src, n, at, 0);
        return;
    }
    split_vectors_cached(from, n / LANES, 0, at, 0);
    if (n % LANES != 0) /* the last vector overlaps the one before */
        split_vectors_cached(from + (n - LANES) * BLOCK, 1, 0, at, (n - LANES) * sizeof(unit_t));
}

/* A row of whole lines. */
MOVE_FUNCTION void split_row_stream(const global unit_t *from, index_t vectors, ahead_t ahead, uchar *const *at) {
    const index_t last = min(vectors, (index_t)(ahead.units / (LANES * BLOCK))), first = vectors - last;
    split_vectors_stream(from, first, ahead.units, at, 0);
    split_vectors_stream(from + first * LANES * BLOCK, last, ahead.units + ahead.jump, at, first * LINE);
}

#ifdef LONG_ROW
/* A row long enough for this. Each write-combining buffer gets what is missing to a whole line, and what is left over at the end;
 * the lines between go straight to memory, one destination row after the other in stretches of STRETCH lines, whose source stays
 * in the cache. By way of the write-combining buffers they would have to be loaded from where they were just stored, behind all
 * the stores on their way to memory: one core alone 31 GB/s instead of 80 (Zen 5). */
#define STRETCH 8
MOVE_FUNCTION void stream_long_row(const global unit_t *from, index_t n, sindex_t ahead, wc_buffer_t *wc_buffer, room_t *room) {
    uchar *at[ROWS] ON_LINES;
    index_t skipped[ROWS], lines[ROWS];
    find_rooms(at, wc_buffer, room);
    split_vectors_cached(from, 1, 0, at, 0);
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        uint missing = LINE - wc_buffer[k].end % LINE;
        wc_buffer[k].end += missing;
        skipped[k] = missing / sizeof(unit_t);
        lines[k] = (n - skipped[k]) / LANES;
    }
    for (int k = 0; k < ROWS; k++) {
        wc_buffer_drain(&wc_buffer[k], room[k] + FRONT, true);
        wc_buffer[k].line += wc_buffer[k].end;
    }
    for (index_t first = 0; first * LANES < n; first += STRETCH) {
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            const global unit_t *part = from + skipped[k] * BLOCK;
            for (index_t i = first; i < min(lines[k], first + STRETCH); i++) {
                lanes_t v[BLOCK];
                load_groups(v, part + i * LANES * BLOCK, k == 0 ? ahead : 0);
                STORE_STREAM(split_one(v, k), (global lanes_t *)(wc_buffer[k].line + i * LINE));
            }
        }
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        wc_buffer[k].line += lines[k] * LINE;
        wc_buffer[k].begin = wc_buffer[k].done = 0;
        wc_buffer[k].end = (uint)((n - skipped[k] - lines[k] * LANES) * sizeof(unit_t));
        at[k] = room[k] + FRONT + wc_buffer[k].end - LINE;
    }
    split_vectors_cached(from + (n - LANES) * BLOCK, 1, 0, at, 0);
}
#endif

/* Lines that are whole leave before what was stored last is counted: loads wait for stores just before that they overlap. Images
 * by 6 to 14 1.03 times as fast. */
MOVE_FUNCTION void advance_wc_buffers(const move_args *args, wc_buffer_t *wc_buffer, room_t *room, uint bytes) {
#pragma nounroll
    for (int k = 0; k < ROWS; k++) {
        if (wc_buffer[k].end - wc_buffer[k].done >= LINE)
            wc_buffer_drain(&wc_buffer[k], room[k] + FRONT, args->stream);
        wc_buffer[k].end += bytes;
    }
}

/* Short rows that follow each other in the source are asked for so many bytes ahead:
 * with up to 16 places to write to, hardware falls behind. Images of u8, rows of 96 to 224 bytes by 4 on 2 cores of an AMD EPYC
 * (family 26, model 2): 0.40 to 0.48 of the limit without, 0.63 to 0.74 so. */
#define BYTES_AHEAD 8192

/* Vectors of a long row that are split before the lines of those before leave. Fewer leave in smaller bursts. 2 cores of an Intel
 * Xeon: f16, f32 and f64 by 6 to 8 in rows of 2.5 to 14 KB 1.02 to 1.10 times as fast with 2 as with 8 (model 167); by 12 and 14,
 * and bytes by 6 to 14, 1.02 times as fast with 4 as with 8 (model 207). Smaller blocks were not measured. */
#define VECTORS_PER_DRAIN (UNIT_BITS > 8 && BLOCK <= 8 ? 2 : 4)

/* `count` groups, by way of one write-combining buffer for each row, which have room for them at their ends. `left`
 * groups are left of the row. */
static void split_to_wc_buffers(const move_args *args, const global uchar *src, const global unit_t *from, index_t count,
                                index_t left, ahead_t ahead, wc_buffer_t *wc_buffer, room_t *room) {
    uchar *at[ROWS] ON_LINES;
    if (args->n_src != BLOCK) {
        find_rooms(at, wc_buffer, room);
        split_apart(from, args->n_src, count, at, 0);
        advance_wc_buffers(args, wc_buffer, room, (uint)(count * sizeof(unit_t)));
        return;
    }
    const index_t all = (count + LANES - 1) / LANES;
    if (all <= VECTORS_AT_ONCE && may_read(args, src, from, all * LANES * BLOCK)) {
        find_rooms(at, wc_buffer, room);
        split_vectors_cached(from, all, find_ahead(ahead, left), at, 0);
        advance_wc_buffers(args, wc_buffer, room, (uint)(count * sizeof(unit_t)));
        for (index_t i = 0; i < count * BLOCK && args->stream && ahead.units == 0; i += LANES)
            prefetch_line_far(from + BYTES_AHEAD / sizeof(unit_t) + i);
        return;
    }
    index_t i = 0;
    for (index_t vectors; (vectors = min((count - i) / LANES, (index_t)VECTORS_PER_DRAIN)) > 0; i += vectors * LANES) {
        find_rooms(at, wc_buffer, room);
        split_vectors_cached(from + i * BLOCK, vectors, find_ahead(ahead, left - i), at, 0);
        advance_wc_buffers(args, wc_buffer, room, (uint)vectors * LINE);
    }
    if (i == count)
        return;
    find_rooms(at, wc_buffer, room);
    if (may_read(args, src, from + i * BLOCK, BLOCK * LANES))
        split_vectors_cached(from + i * BLOCK, 1, find_ahead(ahead, left - i), at, 0);
    else
        split_apart(from + i * BLOCK, BLOCK, count - i, at, 0);
    advance_wc_buffers(args, wc_buffer, room, (uint)((count - i) * sizeof(unit_t)));
}

/* Gathers `rows` rows of so many bytes, q_src apart, side by side. May write a line behind them. */
MOVE_SELDOM void gather_rows(const move_args *args, const global uchar *src, const global unit_t *from, index_t rows, long bytes,
                             ask_t *ask, uchar *stage) {
    for (; rows > 0; rows--, from += args->q_src, stage += bytes) {
        const uchar *row = (const uchar *)(size_t)from; /* on a processor there is one address space */
        ask_on(ask, (index_t)bytes);
        if (!may_read(args, src, from, (index_t)((bytes + LINE - 1) / LINE * LINE / (long)sizeof(unit_t)))) {
            write_bytes(row, stage, bytes - (long)((BLOCK - ROWS) * sizeof(unit_t)));
            continue;
        }
        for (long i = 0; i < bytes; i += LINE)
            *(lanes_anywhere_t *)(stage + i) = *(const lanes_anywhere_t *)(row + i);
    }
}

/* Short rows that follow each other in the destination: all write-combining buffers take the same, so that there is little to
 * do for each row. Rows of up to three quarters of a vector are gathered, as many as these take, and split as one: bytes by
 * 14, 16 groups a row, 0.47 and 0.73 of the limit (AMD EPYC, family 26, model 2). Images by 2, 3, 5, 7 and 8 on 2 cores of an
 * Intel Xeon (model 207), speed beside that of each row alone: f16 in rows of 9 to 20 1.2 to 2.4, of 24 1.0 to 1.2; f32 of 5
 * to 8 1.0 to 2.1, of 10 and 12 0.9 to 1.2; f64 of 3 to 6 0.9 to 1.4; bytes of 33 to 48 0.9 to 1.4. Those longer than three
 * quarters make 0.8 to 1.1 of it. */
static void split_short_rows(const move_args *args, const global uchar *src, const global unit_t *from, global unit_t *to,
                             index_t rows, ask_t *ask, wc_buffer_t *wc_buffer, room_t *room) {
    const uint row_bytes = (uint)(args->n * sizeof(unit_t)), limit = SHORT_ROWS;
    const bool gathers = args->n_src == BLOCK && args->n <= LANES * 3 / 4 && rows > 1;
    uchar stage[SHORT_ROWS * BLOCK + LINE * BLOCK] __attribute__((aligned(LINE)));
    uint taken = 0; /* by each write-combining buffer, since it was last brought up to date */
    uchar *at[ROWS] ON_LINES;
    for (int k = 0; k < ROWS; k++) {
        wc_buffer_seek(&wc_buffer[k], room[k] + FRONT, ROOM + LINE, (global uchar *)(to + k * args->m_dst), limit, args->stream);
        at[k] = room[k] + FRONT + wc_buffer[k].end;
    }
    for (index_t row = 0, now; row < rows; row += now, from += (sindex_t)now * args->q_src) {
        now = gathers ? min(rows - row, (index_t)(limit / row_bytes)) : 1;
        const sindex_t ahead = row + 1 < rows && args->q_src != (sindex_t)args->n * BLOCK ? args->q_src : 0;
        const index_t count = now * args->n, vectors = (count + LANES - 1) / LANES;
        if (taken + now * row_bytes > limit) {
            for (int k = 0; k < ROWS; k++) {
                wc_buffer[k].end += taken;
                wc_buffer_rewind(&wc_buffer[k], room[k] + FRONT, args->stream);
                at[k] = room[k] + FRONT + wc_buffer[k].end;
            }
            taken = 0;
        }
        if (gathers) {
            gather_rows(args, src, from, now, (long)row_bytes * BLOCK, ask, stage);
            split_vectors_cached((const global unit_t *)(size_t)stage, vectors, 0, at, taken);
        } else {
            ask_on(ask, row_bytes * BLOCK);
            if (args->n_src == BLOCK && may_read(args, src, from, vectors * LANES * BLOCK))
                split_vectors_cached(from, vectors, ahead, at, taken);
            else
                split_apart(from, args->n_src, args->n, at, taken);
        }
        taken += now * row_bytes;
    }
    for (int k = 0; k < ROWS; k++) {
        wc_buffer[k].end += taken;
        wc_buffer_drain(&wc_buffer[k], room[k] + FRONT, args->stream);
    }
}

/* The same of rows shorter than a vector, by way of the cache alone. */
MOVE_SELDOM void split_short_rows_cached(const move_args *args, const global uchar *src, const global unit_t *from,
                                         global unit_t *to, index_t rows, ask_t *ask) {
    uchar stage[SHORT_ROWS * BLOCK + LINE * BLOCK] __attribute__((aligned(LINE)));
    const global unit_t *const together = (const global unit_t *)(size_t)stage;
    const uint row_bytes = (uint)(args->n * sizeof(unit_t));
    uchar *at[ROWS] ON_LINES;
    for (index_t now; rows > 0; rows -= now, from += (sindex_t)now * args->q_src, to += now * args->n) {
        now = min(rows, (index_t)(SHORT_ROWS / row_bytes));
        gather_rows(args, src, from, now, (long)row_bytes * BLOCK, ask, stage);
        if (now * args->n >= LANES)
            split_row_cached(args, together, to, now * args->n);
        else {
            find_rows(at, to, args->m_dst);
            split_apart(together, BLOCK, now * args->n, at, 0);
        }
    }
}

/* Of n groups that may reach behind what may be read, the last one. Returns how many it splits: it, or none. */
MOVE_FUNCTION index_t split_last_group(const move_args *args, const global uchar *src, const global unit_t *from,
                                       global unit_t *to, index_t n) {
    if (ROWS == BLOCK || args->n_src != BLOCK || may_read(args, src, from, n * BLOCK))
        return 0;
    uchar *at[ROWS] ON_LINES;
    find_rows(at, to, args->m_dst);
    split_apart(from + (n - 1) * BLOCK, BLOCK, 1, at, (n - 1) * sizeof(unit_t));
    return 1;
}

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
    room_t room[SETS][ROWS] __attribute__((aligned(LINE)));
    wc_buffer_t wc_buffer[SETS][ROWS];
    for (int set = 0; set < SETS; set++)
        for (int k = 0; k < ROWS; k++)
            wc_buffer_start(&wc_buffer[set][k], dst);
    const index_t most = ROOM / sizeof(unit_t);
    /* Rows that are whole lines go straight to memory as soon as that is as fast: rows of 256 bytes by 8 0.75 and 0.95 of the
     * limit. */
    const bool short_rows =
        args.q_dst == (sindex_t)args.n && args.n * sizeof(unit_t) <= (BLOCK <= 4 && args.n % LANES != 0 ? 256 : 128);
    FOR_EACH_JOB(&args, job) {
        move_place place = find_job(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        const global unit_t *const then = left > 1 ? (const global unit_t *)src + find_job(&args, job + 1).src : NULL;
        ask_t ask = find_ask(&args, job, &place, src);
        uint set = 0;
        if (!args.stream && args.q_dst == (sindex_t)args.n && args.n < LANES && args.n_src == BLOCK) {
            split_short_rows_cached(&args, src, from, to, place.q, &ask);
            continue;
        }
        if (short_rows && (args.stream || args.n < LANES)) {
            split_short_rows(&args, src, from, to, place.q, &ask, wc_buffer[0], room[0]);
            continue;
        }
        for (index_t row = 0; row < place.q; row++, from += args.q_src, to += args.q_dst) {
            ask_on(&ask, (index_t)(place.n * BLOCK * sizeof(unit_t)));
            const index_t n = place.n - split_last_group(&args, src, from, to, place.n);
            const ahead_t ahead = find_row_ahead(&args, n, row + 1 < place.q, then ? (sindex_t)(then - from) : 0);
            if (args.stream && args.n_src == BLOCK && n % LANES == 0 &&
                ((size_t)to | (args.m_dst * sizeof(unit_t))) % sizeof(lanes_t) == 0) {
                uchar *at[ROWS] ON_LINES;
                find_rows(at, to, args.m_dst);
                split_row_stream(from, n / LANES, ahead, at);
                continue;
            }
            if (!args.stream && n >= LANES) {
                split_row_cached(&args, from, to, n);
                continue;
            }
#ifdef LONG_ROW
            if (args.stream && n >= LONG_ROW && args.n_src == BLOCK && (size_t)to % sizeof(unit_t) == 0) {
#pragma nounroll
                for (int k = 0; k < ROWS; k++)
                    wc_buffer_seek(&wc_buffer[set][k], room[set][k] + FRONT, ROOM + LINE, (global uchar *)(to + k * args.m_dst),
                                   LINE, true);
                stream_long_row(from, n, ahead.units, wc_buffer[set], room[set]);
                if (args.q_dst != (sindex_t)args.n && (++set == SETS || set == args.q))
                    set = 0;
                continue;
            }
#endif
            for (index_t done = 0; done < n;) {
                index_t count = min(n - done, most);
#pragma nounroll
                for (int k = 0; k < ROWS; k++)
                    wc_buffer_seek(&wc_buffer[set][k], room[set][k] + FRONT, ROOM + LINE,
                                   (global uchar *)(to + (sindex_t)done + k * args.m_dst), (uint)(count * sizeof(unit_t)),
                                   args.stream);
                split_to_wc_buffers(&args, src, from + (sindex_t)done * args.n_src, count, n - done, ahead, wc_buffer[set],
                                    room[set]);
                done += count;
            }
            if (args.q_dst != (sindex_t)args.n && (++set == SETS || set == args.q))
                set = 0;
        }
    }
    for (int set = 0; set < SETS; set++)
        for (int k = 0; k < ROWS; k++)
            wc_buffer_finish(&wc_buffer[set][k], room[set][k] + FRONT, args.stream);
}

kernel void deinterleave(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}
