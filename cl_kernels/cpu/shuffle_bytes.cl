/* shuffle: a block of the innermost axes of the destination, of at most 8 KiB, whose source spans at most four times as much, or
 * 16 times, if it is one axis of units of one or two bytes; one axis is a block, or has parts that are, only if its units are not
 * side by side in the source, or make a run of less than 64 bytes with the next one near. Each 64 bytes of a block take some
 * steps. A step looks bytes up in a window of the source, of 64 bytes, or in four of 16 bytes, one for each 16 bytes of the 64.
 * What the steps do is the same for all blocks: a work-item finds it once, in a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* The blocks that are made together, and the bytes of a window. Arguments have no room for more fields. */
#define SHUFFLED_BLOCKS src_run
#define WINDOW src_runs
#define MOST_LINES 128
/* Bytes that are made before their lines are written. */
#define AT_ONCE 1024
#define ROOM (2 * AT_ONCE + LINE)
/* What is read so much later is asked for. */
#define BYTES_AHEAD 4096
#define NO_BYTE 0x80

/* Steps are unrolled where their number is constant. POCL 3.1 would write that it is not elsewhere to the standard error of the
 * program that uses it. */
#pragma clang diagnostic ignored "-Wpass-failed"

typedef char bytes_t __attribute__((ext_vector_type(PIECE)));
typedef int ints_t __attribute__((ext_vector_type(PIECE)));

/* Unit after unit of blocks: which one it is of its block, and where its source is, in bytes. */
typedef struct {
    uint index[MOVE_OUTER];
    int place;
} walk_t;

typedef struct {
    /* Of the blocks made together: their number, their bytes, and what they read, from the source of the first one on. */
    uint blocks, bytes;
    int first, end;
    /* From the source of the first one to what is asked for meanwhile. */
    long ahead;
    /* 64 bytes of the destination each; none if the table has no room. */
    uint lines;
    /* The bytes of a window, LINE or PIECE. */
    uint window;
    /* Of each line: its steps, and the first of them. Of each AT_ONCE bytes: their lines, those of few steps first. */
    uchar steps[MOST_LINES];
    ushort first_step[MOST_LINES];
    uchar order[MOST_LINES];
    /* Of each step: the places of its windows, of one window the bytes that are looked up, and which byte of its window each is.
     */
    int places[SHUFFLE_STEPS][4];
    ulong taken[SHUFFLE_STEPS];
    uchar lookups[SHUFFLE_STEPS][LINE] __attribute__((aligned(LINE)));
} table_t;

/* So many steps along the innermost axis, which has them. At the end of a block it goes on at the begin of the same. */
MOVE_FUNCTION void walk_on(const move_args *args, walk_t *walk, uint steps) {
    const move_axis *axes = args->outer + args->outer_rank;
    for (uint i = (uint)args->n_rank; i-- > 0; steps = 1) {
        walk->place += (int)steps * (int)axes[i].src * (int)sizeof(unit_t);
        if ((walk->index[i] += steps) < axes[i].extent)
            return;
        walk->place -= (int)axes[i].extent * (int)axes[i].src * (int)sizeof(unit_t);
        walk->index[i] = 0;
    }
}

MOVE_FUNCTION void walk_start(const move_args *args, walk_t *walk) {
    for (uint i = 0; i < args->n_rank; i++)
        walk->index[i] = 0;
    walk->place = 0;
}

MOVE_FUNCTION int least_of(ints_t v) {
    const int8 a = v.lo < v.hi ? v.lo : v.hi;
    const int4 b = a.lo < a.hi ? a.lo : a.hi;
    const int2 c = b.lo < b.hi ? b.lo : b.hi;
    return min(c.x, c.y);
}

#ifdef HAS_LINE_SHUFFLE
/* A bit for each that is not 0. */
MOVE_FUNCTION uint bits_of(ints_t v) {
    ushort bits;
    __asm__("vptestmd %1, %1, %0" : "=Yk"(bits) : "v"(v));
    return bits;
}
#endif

/* Adds windows for the bytes of `pieces` pieces of a line from `piece` on, until none is left. Returns the steps, or
 * SHUFFLE_STEPS if there are more. */
MOVE_FUNCTION uint add_windows(table_t *table, uint first_step, uint most, uint piece, const uint pieces, const ints_t *places) {
    const int last = table->end - (int)(pieces * PIECE);
    ints_t left[LINE / PIECE];
    for (uint k = 0; k < pieces; k++)
        left[k] = places[k];
    for (uint step = 0;; step++) {
        ints_t all = left[0];
        for (uint k = 1; k < pieces; k++)
            all = left[k] < all ? left[k] : all;
        const int least = least_of(all);
        if (least == INT_MAX)
            return step;
        if (first_step + step == SHUFFLE_STEPS)
            return SHUFFLE_STEPS;
        const int place = min(least, last);
        if (step >= most) { /* the line's first piece that takes so many */
            for (uint k = 0; k < LINE / PIECE; k++)
                table->places[first_step + step][k] = table->first;
            for (uint k = 0; k < LINE; k++)
                table->lookups[first_step + step][k] = NO_BYTE;
        }
        table->places[first_step + step][piece] = place;
        ulong taken = 0;
        for (uint k = 0; k < pieces; k++) {
            const ints_t at = left[k] - place, is_there = (left[k] != INT_MAX) & (at < (int)(pieces * PIECE));
            *(bytes_t *)&table->lookups[first_step + step][(piece + k) * PIECE] =
                __builtin_convertvector(is_there ? at : (ints_t)NO_BYTE, bytes_t);
#ifdef HAS_LINE_SHUFFLE
            taken |= (ulong)bits_of(is_there) << k * PIECE;
#endif
            left[k] = is_there ? (ints_t)INT_MAX : left[k];
        }
        table->taken[first_step + step] = taken;
    }
}

/* Windows for a line, `most` is 0; returns the steps or SHUFFLE_STEPS. */
MOVE_CALLED uint add_line(table_t *table, uint first_step, const ints_t *places) {
    uint most = 0;
    if (table->window == LINE)
        return add_windows(table, first_step, 0, 0, LINE / PIECE, places);
    for (uint piece = 0; piece < LINE / PIECE; piece++)
        most = max(most, add_windows(table, first_step, most, piece, 1, places + piece));
    return most;
}

/* Finds where the bytes of a line are in the source, from `from` on in the blocks: INT_MAX behind them. */
MOVE_CALLED void find_sources(const move_args *args, const table_t *table, walk_t *walk, uint from, int *places) {
    const move_axis *inner = args->outer + args->outer_rank + args->n_rank - 1;
    const uint block = (uint)args->n * (uint)sizeof(unit_t);
    const int between = table->blocks > 1 ? (int)args->q_src * (int)sizeof(unit_t) : 0;
    const int stride = (int)inner->src * (int)sizeof(unit_t);
    uint done = 0;
    while (done < LINE && from + done < table->bytes) {
        const uint left = (uint)inner->extent - walk->index[args->n_rank - 1];
        const uint steps = min(left, (LINE - done) / (uint)sizeof(unit_t));
        int place = (int)((from + done) / block) * between + walk->place;
        for (uint i = 0; i < steps; i++, place += stride)
            for (uint byte = 0; byte < sizeof(unit_t); byte++)
                places[done + i * sizeof(unit_t) + byte] = place + (int)byte;
        done += steps * (uint)sizeof(unit_t);
        walk_on(args, walk, steps);
    }
    for (; done < LINE; done++)
        places[done] = INT_MAX;
}

/* Finds the windows of all lines, and the order in which lines are made. */
MOVE_CALLED void fill_table(const move_args *args, table_t *table, uint lines) {
    walk_t walk;
    walk_start(args, &walk);
    uint steps = 0;
    for (uint line = 0; line < lines; line++) {
        int places[LINE] __attribute__((aligned(LINE)));
        find_sources(args, table, &walk, line * LINE, places);
        const uint most = add_line(table, steps, (const ints_t *)places);
        if (most == SHUFFLE_STEPS)
            return;
        table->steps[line] = (uchar)most;
        table->first_step[line] = (ushort)steps;
        steps += most;
    }
    for (uint line = 0; line < lines; line++) {
        uint at = line;
        for (; at % (AT_ONCE / LINE) > 0 && table->steps[table->order[at - 1]] > table->steps[line]; at--)
            table->order[at] = table->order[at - 1];
        table->order[at] = (uchar)line;
    }
    table->lines = lines;
}

/* Finds what is to be done for each line. */
MOVE_CALLED void find_table(const move_args *args, table_t *table) {
    const move_axis *axes = args->outer + args->outer_rank;
    const int between = args->SHUFFLED_BLOCKS > 1 ? (int)args->q_src * (int)sizeof(unit_t) : 0;
    const int all = (int)(args->SHUFFLED_BLOCKS - 1) * between;
    table->blocks = (uint)args->SHUFFLED_BLOCKS;
    table->bytes = table->blocks * (uint)args->n * (uint)sizeof(unit_t);
    table->first = min(all, 0);
    table->end = max(all, 0) + (int)sizeof(unit_t);
    for (uint i = 0; i < args->n_rank; i++) {
        const int reach = ((int)axes[i].extent - 1) * (int)axes[i].src * (int)sizeof(unit_t);
        table->first += min(reach, 0);
        table->end += max(reach, 0);
    }
    const long apart = (long)args->q_src * (long)(table->blocks * sizeof(unit_t)), distance = apart < 0 ? -apart : apart;
    table->ahead = table->first + (distance > 0 ? (BYTES_AHEAD + distance - 1) / distance * apart : 0);
    table->lines = 0;
    const uint lines = (table->bytes + LINE - 1) / LINE;
    if (table->end - table->first < PIECE || lines > MOST_LINES)
        return;
#ifdef HAS_LINE_SHUFFLE
    table->window = args->WINDOW == LINE && table->end - table->first >= LINE ? LINE : PIECE;
#else
    table->window = PIECE;
#endif
    fill_table(args, table, lines);
}

/* What a step finds. */
#ifdef HAS_SHUFFLE
MOVE_FUNCTION line_t look_up(const global uchar *from, const int *places, const uchar *lookups) {
    uint4 windows[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        windows[k] = *(const global piece_anywhere_t *)(from + places[k]);
    return shuffle_line(windows, lookups);
}
#else
MOVE_FUNCTION line_t look_up(const global uchar *from, const int *places, const uchar *lookups) {
    line_t found;
    for (int i = 0; i < LINE; i++)
        ((uchar *)&found)[i] = lookups[i] == NO_BYTE ? 0 : from[places[i / PIECE] + lookups[i]];
    return found;
}
#endif

/* A line of so many steps, from the one on whose places, bytes and lookups these are. */
MOVE_FUNCTION line_t make_line(const bool is_whole, const uint count, const int *places, const ulong *taken,
                               const line_t *lookups, const global uchar *from) {
#ifdef HAS_LINE_SHUFFLE
    if (is_whole) {
        line_t line = shuffle_window(load_line(from + places[0]), lookups[0]);
#pragma unroll
        for (uint k = 1; k < count; k++)
            line = shuffle_some(line, taken[k], load_line(from + places[4 * k]), lookups[k]);
        return line;
    }
#else
    (void)is_whole, (void)taken;
#endif
    line_t line = look_up(from, places, (const uchar *)lookups);
#pragma unroll
    for (uint k = 1; k < count; k++)
        line |= look_up(from, places + 4 * k, (const uchar *)(lookups + k));
    return line;
}

/* So many lines of `count` steps each, table->order[first] and those behind it. */
MOVE_FUNCTION void make_like(const table_t *table, const bool is_whole, const uint count, uint first, uint lines,
                             const global uchar *from, uchar *at, bool is_streamed) {
    const global uchar *ahead = from + table->ahead + first * LINE;
    const uchar *order = table->order + first;
    for (uint i = 0; i < lines; i++, ahead += LINE) {
        const uint line = order[i];
        const size_t step = table->first_step[line];
        uchar *to = at + line % (AT_ONCE / LINE) * LINE;
        prefetch_line_far(ahead);
        const line_t made =
            make_line(is_whole, count, table->places[step], table->taken + step, (const line_t *)table->lookups[step], from);
        if (is_streamed)
            STORE_STREAM(made, (line_t *)to);
        else
            *(line_anywhere_t *)to = made;
    }
}

/* Makes the lines from `first` on, `lines` of them, at most AT_ONCE bytes, and puts them to `at`. Constant numbers of steps: a
 * loop over a number that is not foreseen waits. Steps of pieces are longer: with 8 cases the program would be too. */
MOVE_FUNCTION void make_in(const bool is_whole, const table_t *table, uint first, uint lines, const global uchar *from, uchar *at,
                           bool is_streamed) {
    for (uint done = 0, same; done < lines; done += same) {
        const uint count = table->steps[table->order[first + done]];
        for (same = 1; done + same < lines && table->steps[table->order[first + done + same]] == count;)
            same++;
        switch (count) {
#define CASE(n)                                                                                                                  \
    case n:                                                                                                                      \
        make_like(table, is_whole, n, first + done, same, from, at, is_streamed);                                                \
        break
#define CASE_OF_WHOLE(n)                                                                                                         \
    case n:                                                                                                                      \
        if (is_whole) {                                                                                                          \
            make_like(table, is_whole, n, first + done, same, from, at, is_streamed);                                            \
            break;                                                                                                               \
        }
            CASE(1);
            CASE(2);
            CASE(3);
            CASE(4);
            CASE_OF_WHOLE(5)
            CASE_OF_WHOLE(6)
            CASE_OF_WHOLE(7)
            CASE_OF_WHOLE(8)
#undef CASE
#undef CASE_OF_WHOLE
        default: /* and steps of pieces */
            make_like(table, is_whole, count, first + done, same, from, at, is_streamed);
        }
    }
}

MOVE_CALLED void make_pieces(const table_t *table, uint first, uint lines, const global uchar *from, uchar *at,
                             bool is_streamed) {
    make_in(false, table, first, lines, from, at, is_streamed);
}
#ifdef HAS_LINE_SHUFFLE
MOVE_CALLED void make_whole(const table_t *table, uint first, uint lines, const global uchar *from, uchar *at, bool is_streamed) {
    make_in(true, table, first, lines, from, at, is_streamed);
}
#endif

/* The same as make_in. */
MOVE_FUNCTION void make_lines(const table_t *table, uint first, uint lines, const global uchar *from, uchar *at,
                              bool is_streamed) {
#ifdef HAS_LINE_SHUFFLE
    if (table->window == LINE) {
        make_whole(table, first, lines, from, at, is_streamed);
        return;
    }
#endif
    make_pieces(table, first, lines, from, at, is_streamed);
}

/* The blocks of the table but their first `skipped` bytes, which are written or kept already. Past the cache, if they are whole
 * lines, straight from registers: 20 MB on 2 cores of an Intel Xeon (model 167) 1.06 to 1.22 times as fast as by way of a buffer.
 */
MOVE_FUNCTION void move_blocks(const move_args *args, const table_t *table, const uint skipped, const global uchar *from,
                               global uchar *to, wc_buffer_t *wc_buffer, uchar *room) {
    const bool is_streamed = args->stream && skipped == 0 && (((size_t)to | table->bytes) & (LINE - 1)) == 0;
    if (is_streamed)
        wc_buffer_finish(wc_buffer, room, args->stream);
    for (uint done = skipped / AT_ONCE * AT_ONCE; done < table->bytes; done += AT_ONCE) {
        const uint bytes = min((uint)AT_ONCE, table->bytes - done), lines = (bytes + LINE - 1) / LINE;
        const uint again = skipped > done ? skipped - done : 0;
        if (is_streamed) {
            make_lines(table, done / LINE, lines, from, (uchar *)(size_t)(to + done), true);
            continue;
        }
        wc_buffer_seek(wc_buffer, room, ROOM + LINE, to + done + again, bytes - again, args->stream);
        make_lines(table, done / LINE, lines, from, room + wc_buffer->end - again, false);
        wc_buffer->end += bytes - again;
        wc_buffer_drain(wc_buffer, room, args->stream);
    }
    if (is_streamed)
        wc_buffer_start(wc_buffer, to + table->bytes);
}

/* A block, unit by unit: of those that are fewer than the table makes. */
MOVE_CALLED void move_units(const move_args *args, const global uchar *from, global uchar *to, wc_buffer_t *wc_buffer,
                            uchar *room) {
    const uint most = AT_ONCE / sizeof(unit_t);
    walk_t walk;
    walk_start(args, &walk);
    for (uint done = 0, count; done < args->n; done += count) {
        count = min(most, (uint)args->n - done);
        wc_buffer_seek(wc_buffer, room, ROOM + LINE, to + done * sizeof(unit_t), count * (uint)sizeof(unit_t), args->stream);
        for (uint i = 0; i < count; i++, wc_buffer->end += sizeof(unit_t)) {
            *(unit_t *)(room + wc_buffer->end) = *(const global unit_t *)(from + walk.place);
            walk_on(args, &walk, 1);
        }
        wc_buffer_drain(wc_buffer, room, args->stream);
    }
}

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
    uchar all[AT_ONCE + ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
    uchar *const room = all + AT_ONCE; /* what is made once more lies before what is kept */
    table_t table;
    wc_buffer_t wc_buffer;
    if (work_item >= args.items)
        return;
    wc_buffer_start(&wc_buffer, dst);
    find_table(&args, &table);
    FOR_EACH_JOB(&args, job) {
        const move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        index_t row = 0;
        for (; table.lines > 0 && place.q - row >= table.blocks;
             row += table.blocks, from += (sindex_t)table.blocks * args.q_src, to += (sindex_t)table.blocks * args.q_dst)
            move_blocks(&args, &table, 0, (const global uchar *)from, (global uchar *)to, &wc_buffer, room);
        const uint back = table.lines > 0 && row < place.q ? table.blocks - (uint)(place.q - row) : 0;
        if (back > 0 && place.segment * args.segment + row >= back) { /* with some of the last ones once more */
            const uint skipped = back * (uint)args.n * (uint)sizeof(unit_t);
            move_blocks(&args, &table, skipped, (const global uchar *)(from - (sindex_t)back * args.q_src),
                        (global uchar *)(to - (sindex_t)back * args.q_dst), &wc_buffer, room);
            row = place.q;
        }
        for (; row < place.q; row++, from += args.q_src, to += args.q_dst)
            move_units(&args, (const global uchar *)from, (global uchar *)to, &wc_buffer, room);
    }
    wc_buffer_finish(&wc_buffer, room, args.stream);
}

kernel void shuffle_bytes(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}
