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

/* Rows of n groups that are one row in each place of the destination are split in panels of LANES groups, some of several rows,
 * so that what is stored is aligned, and there is little to do for each row. Images by 6 to 14, 25 MB on 2 cores of an Intel Xeon
 * (model 207): 1.1 to 1.3 times as fast as row by row by way of write-combining buffers. Panels of each row whose lines then
 * leave: */
#define PANELS 8
/* The room of a row of the destination: a line with what precedes, the panels, and a line that a store may reach. */
typedef uchar joined_t[LINE + PANELS * LINE + LINE];

/* `rows` rows are left; of the one at `from`, `at` groups are done. The next job begins at `then`, if that is known. */
typedef struct {
    const global unit_t *from, *then;
    index_t n, at, rows;
    ahead_t ahead;
} walk_t;

MOVE_FUNCTION void look_ahead(const move_args *args, walk_t *walk) {
    walk->ahead = find_row_ahead(args, walk->n, walk->rows > 1, walk->then ? (sindex_t)(walk->then - walk->from) : 0);
}

MOVE_FUNCTION void walk_on(const move_args *args, walk_t *walk, index_t groups) {
    walk->at += groups;
    if (walk->at < walk->n)
        return;
    walk->at = 0;
    walk->from += args->q_src;
    walk->rows--;
    look_ahead(args, walk);
}

/* Gathers so many groups, or what is left, of several rows. Returns how many. Stores are aligned but the first of each row: loads
 * wait for those that they overlap in part. May write a line behind them. */
MOVE_SELDOM index_t gather_groups(const move_args *args, const global uchar *src, walk_t *walk, index_t count, uchar *stage) {
    index_t done = 0;
    for (index_t now; done < count && walk->rows > 0; done += now) {
        now = min(count - done, walk->n - walk->at);
        const global unit_t *from = walk->from + walk->at * BLOCK;
        uchar *const to = stage + done * BLOCK * sizeof(unit_t);
        const long bytes = (long)(now * BLOCK * sizeof(unit_t));
        const sindex_t ahead = find_ahead(walk->ahead, walk->n - walk->at);
        for (long i = 0; i < bytes && ahead != 0; i += LINE)
            prefetch_line_far((const global uchar *)(from + ahead) + i);
        if (!may_read(args, src, from, now * BLOCK + LANES)) /* on a processor there is one address space */
            write_bytes((const uchar *)(size_t)from, to, bytes - (long)((BLOCK - ROWS) * sizeof(unit_t)));
        else {
            *(line_anywhere_t *)to = load_line((const global uchar *)from);
            for (long i = (long)(-(size_t)to % LINE); i < bytes; i += LINE)
                *(line_t *)(to + i) = load_line((const global uchar *)from + i);
        }
        walk_on(args, walk, now);
    }
    return done;
}

/* Writes the lines that are whole with `bytes`, which belong at `to` and lie in a room behind a line with what precedes them,
 * past the cache; and what is no whole line, of the first bytes and of the last. All but the last are a line or more, of which
 * the room keeps the end. */
MOVE_CALLED void joined_leave(uchar *room, global uchar *to, long bytes, bool is_first, bool is_last) {
    const long before = (long)((size_t)to % LINE), end = before + bytes, whole = end / LINE * LINE;
    const global uchar *const from = (const global uchar *)(size_t)room + LINE - before; /* one address space */
    global uchar *const line = to - before;
    long done = 0;
    if (is_first && before > 0) {
        done = LINE;
        write_bytes(room + LINE, (uchar *)(size_t)to, min(bytes, LINE - before));
    }
    for (; done < whole; done += LINE)
        STORE_STREAM(load_line(from + done), (global line_t *)(line + done));
    if (!is_last)
        *(line_t *)room = load_line((const global uchar *)(size_t)(room + bytes));
    else if (done <= whole)
        write_bytes((const uchar *)(size_t)(from + whole), (uchar *)(size_t)(line + whole), end - whole);
}

/* Rows of up to one and a half panels that are not whole vectors are all gathered. But blocks of up to 4 store rows of three
 * quarters of a panel to 4 panels one behind the other, so that each but the first is out of line: bytes by 2 in rows of 112 and
 * by 4 in rows of 56 1.3 and 1.2 times as fast as gathered. What does not go past the cache goes straight to its place. */
static void split_joined(const move_args *args, const global uchar *src, walk_t walk, global unit_t *to, ask_t *ask,
                         joined_t *room) {
    uchar stage[PANELS * BLOCK * LINE + LINE] ON_LINES, *at[ROWS] ON_LINES;
    const global unit_t *const together = (const global unit_t *)(size_t)stage;
    const index_t n = walk.n, all = walk.rows * n, most = PANELS * LANES;
    const bool is_whole = n % LANES == 0;
    const bool appends = BLOCK <= 4 && args->stream && !is_whole && n > LANES * 3 / 4 && n < LANES * 4;
    const bool gathers = !appends && !is_whole && n <= LANES * 3 / 2;
    look_ahead(args, &walk);
    find_rows(at, to, args->m_dst);
    for (int k = 0; k < ROWS && args->stream; k++)
        at[k] = room[k] + LINE;
    for (index_t done = 0, now; done < all; done += now) {
        now = min(all - done, appends ? most / n * n : most);
        ask_on(ask, now * BLOCK * sizeof(unit_t));
        for (index_t i = 0, count; i < now; i += count) {
            const size_t offset = (args->stream ? i : done + i) * sizeof(unit_t);
            count = gathers ? 0 : min(n - walk.at, now - i);
            const index_t panels = appends ? (count + LANES - 1) / LANES : count / LANES;
            if (panels > 0 && may_read(args, src, walk.from, (walk.at + panels * LANES) * BLOCK)) {
                count = min(count, panels * LANES);
                split_vectors_cached(walk.from + walk.at * BLOCK, panels, find_ahead(walk.ahead, n - walk.at), at, offset);
                walk_on(args, &walk, count);
                continue;
            }
            count = gather_groups(args, src, &walk, min(now - i, gathers ? now : (index_t)LANES), stage);
            const index_t whole = args->stream ? (count + LANES - 1) / LANES : count / LANES;
            split_vectors_cached(together, whole, 0, at, offset);
            if (whole * LANES < count)
                split_apart(together + whole * LANES * BLOCK, BLOCK, count - whole * LANES, at, offset + whole * LINE);
        }
        for (int k = 0; k < ROWS && args->stream; k++)
            joined_leave(room[k], (global uchar *)(to + (sindex_t)done + k * args->m_dst), (long)(now * sizeof(unit_t)),
                         done == 0, done + now == all);
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
    joined_t joined[ROWS] ON_LINES;
    FOR_EACH_JOB(&args, job) {
        move_place place = find_job(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        const global unit_t *const then = left > 1 ? (const global unit_t *)src + find_job(&args, job + 1).src : NULL;
        ask_t ask = find_ask(&args, job, &place, src);
        uint set = 0;
        const bool is_one_row = args.n_src == BLOCK && (args.q == 1 || args.q_dst == (sindex_t)args.n);
        /* Rows that are whole lines go straight to memory if they begin with lines. */
        const bool lined_up = args.n % LANES == 0 && ((size_t)to | (args.m_dst * sizeof(unit_t))) % sizeof(lanes_t) == 0;
        if (is_one_row && (args.stream ? !lined_up : args.q > 1 && args.n < LANES)) {
            const walk_t walk = {.from = from, .then = then, .n = place.n, .rows = place.q};
            split_joined(&args, src, walk, to, &ask, joined);
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
