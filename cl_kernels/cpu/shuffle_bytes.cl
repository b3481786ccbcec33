/* shuffle: a block of at least two innermost axes of the destination, of at most 8 KiB, whose source spans at most four times as
 * much. Each 64 bytes of a block take some steps. A step looks bytes up in four windows of the source, one for each 16 bytes.
 * What the steps do is the same for all blocks: a work-item finds it once, in a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* The blocks that are made together. Arguments have no room for more fields. */
#define SHUFFLED_BLOCKS src_run
#define MOST_LINES 128
/* Bytes that are made before their lines are written. */
#define AT_ONCE 512
#define ROOM (2 * AT_ONCE + LINE)
/* What is read so much later is asked for. */
#define BYTES_AHEAD 4096
#define NO_BYTE 0x80

typedef char bytes_t __attribute__((ext_vector_type(PIECE)));
typedef int ints_t __attribute__((ext_vector_type(PIECE)));

/* Unit after unit of a block: where its source is, from that of the block, in bytes. */
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
    /* Steps of each line; of each step the places of its windows, and which byte of its window each byte is. */
    uchar steps[MOST_LINES];
    int places[SHUFFLE_STEPS][4];
    uchar lookups[SHUFFLE_STEPS][LINE] __attribute__((aligned(LINE)));
} table_t;

MOVE_FUNCTION void walk_on(const move_args *args, walk_t *walk) {
    const move_axis *axes = args->outer + args->outer_rank;
    for (uint i = (uint)args->n_rank; i-- > 0;) {
        walk->place += (int)axes[i].src * (int)sizeof(unit_t);
        if (++walk->index[i] < axes[i].extent)
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

/* Adds windows for 16 bytes of a line, `column` 0 to 3, until none is left. Returns the steps, or SHUFFLE_STEPS if there are
 * more. */
MOVE_CALLED uint add_windows(table_t *table, uint first_step, uint most, uint column, ints_t places) {
    const int last = table->end - PIECE;
    ints_t wanted = places != INT_MAX;
    for (uint step = 0;; step++) {
        const ints_t left = wanted ? places : (ints_t)INT_MAX;
        const int least = least_of(left);
        if (least == INT_MAX)
            return step;
        if (first_step + step == SHUFFLE_STEPS)
            return SHUFFLE_STEPS;
        const int place = min(least, last);
        const ints_t at = places - place, is_there = wanted & (at < PIECE);
        if (step >= most) { /* the line's first chunk that takes so many */
            for (uint k = 0; k < 4; k++)
                table->places[first_step + step][k] = table->first;
            for (uint k = 0; k < LINE; k++)
                table->lookups[first_step + step][k] = NO_BYTE;
        }
        table->places[first_step + step][column] = place;
        *(bytes_t *)&table->lookups[first_step + step][column * PIECE] =
            __builtin_convertvector(is_there ? at : (ints_t)NO_BYTE, bytes_t);
        wanted &= ~is_there;
    }
}

/* Finds what is to be done for each line. */
MOVE_CALLED void find_table(const move_args *args, table_t *table) {
    const move_axis *axes = args->outer + args->outer_rank;
    const int block_units = (int)args->n, step = args->SHUFFLED_BLOCKS > 1 ? (int)args->q_src * (int)sizeof(unit_t) : 0;
    const int all = (int)(args->SHUFFLED_BLOCKS - 1) * step;
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
    walk_t walk;
    walk_start(args, &walk);
    uint steps = 0, byte = 0;
    int unit = 0, block = 0;
    for (uint line = 0; line < lines; line++) {
        uint most = 0;
        for (uint column = 0; column < 4; column++) {
            int places[PIECE] __attribute__((aligned(LINE)));
            for (uint i = 0; i < PIECE; i++) {
                if (block == (int)table->blocks) {
                    places[i] = INT_MAX;
                    continue;
                }
                places[i] = block * step + walk.place + (int)byte;
                if (++byte == sizeof(unit_t)) {
                    byte = 0;
                    walk_on(args, &walk);
                    if (++unit == block_units) {
                        unit = 0;
                        block++;
                    }
                }
            }
            most = max(most, add_windows(table, steps, most, column, *(const ints_t *)places));
        }
        if (most == SHUFFLE_STEPS)
            return;
        table->steps[line] = (uchar)most;
        steps += most;
    }
    table->lines = lines;
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

/* Makes lines first to last - 1 of the blocks, whose steps begin at `step`. Returns where those of the next line begin. */
MOVE_CALLED uint make_lines(const table_t *table, uint first, uint last, uint step, const global uchar *from, uchar *at) {
    const global uchar *ahead = from + table->ahead;
    for (uint i = first; i < last; i++, at += LINE) {
        const uint end = step + table->steps[i];
        prefetch_line_far(ahead + i * LINE);
        line_t made = look_up(from, table->places[step], table->lookups[step]);
        while (++step < end)
            made |= look_up(from, table->places[step], table->lookups[step]);
        *(line_anywhere_t *)at = made;
    }
    return step;
}

/* The blocks of the table. */
MOVE_FUNCTION void move_blocks(const move_args *args, const table_t *table, const global uchar *from, global uchar *to,
                               wc_buffer_t *wc_buffer, uchar *room) {
    uint step = 0;
    for (uint done = 0; done < table->bytes; done += AT_ONCE) {
        const uint bytes = min((uint)AT_ONCE, table->bytes - done), first = done / LINE;
        wc_buffer_seek(wc_buffer, room, ROOM + LINE, to + done, bytes, args->stream);
        step = make_lines(table, first, first + (bytes + LINE - 1) / LINE, step, from, room + wc_buffer->end);
        wc_buffer->end += bytes;
        wc_buffer_drain(wc_buffer, room, args->stream);
    }
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
            walk_on(args, &walk);
        }
        wc_buffer_drain(wc_buffer, room, args->stream);
    }
}

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
    uchar room[ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
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
            move_blocks(&args, &table, (const global uchar *)from, (global uchar *)to, &wc_buffer, room);
        if (row > 0 && row < place.q) { /* some of the last ones once more */
            const sindex_t back = (sindex_t)(table.blocks - (place.q - row));
            move_blocks(&args, &table, (const global uchar *)(from - back * args.q_src), (global uchar *)(to - back * args.q_dst),
                        &wc_buffer, room);
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
