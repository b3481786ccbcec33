/* period: a block of the innermost axes of the destination, of at most 24 KiB, that repeats and is no single run of 4 KiB or
 * more; or one in which several runs are repeated together, of less than 256 bytes, or with less than 2 KiB of them side by
 * side. A block is made of pieces: a pattern at some place of the source, stored several times in a row. It is put together in
 * the first-level cache, and stored as lines as often as it repeats.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Copies of a short block lie side by side, so that many lines are stored from one place after the other. */
#define SPAN_BYTES 2048
/* Blocks that do not repeat are put together up to here. */
#define BATCH_BYTES 8192
/* What is made is stored so many bytes later: it may be on its way to the cache. */
#define STORE_BEHIND 512

typedef struct {
    /* Bytes of a pattern, and of a piece; pieces of a part. */
    uint pattern, row, count;
    /* Bytes of a part; the axes along which parts are made or repeated. */
    uint part, part_rank;
    /* The end of what may be read. */
    const global uchar *end;
#ifdef HAS_SHUFFLE
    /* For short patterns: where in the source each byte of a vector is. */
    wide_t places;
    /* Bytes of whole patterns in a vector, or of several rows; 0: it has room for none. */
    uint advance;
#endif
    /* Of each piece of a part, or group of them, in units from the part's source. */
    sindex_t src[PERIOD_PIECES];
    /* Bytes from the start of the part. */
    ushort dst[PERIOD_PIECES];
} period_t;

/* What was made, from `from` on, goes to dst. `from` is 0 if it is not yet to be stored. */
typedef struct {
    const uchar *from;
    global uchar *dst;
    bool stream;
} output_t;

/* Finds the places of the pieces. Pieces side by side in the source are made together if one shuffle can; the last group of them
 * may overlap the one before. */
MOVE_CALLED void find_pieces(const move_args *args, const global uchar *src, period_t *period) {
    const move_axis *axes = args->outer + args->outer_rank;
    uint rank = (uint)args->n_rank - 1, pattern = (uint)axes[rank].extent, times = 1, together = 1, along = 1;
    if (axes[rank].src == 0) {
        times = pattern;
        pattern = 1;
    } else if (rank > 0 && axes[rank - 1].src == 0)
        times = (uint)axes[--rank].extent;
    period->pattern = pattern * (uint)sizeof(unit_t);
    period->row = period->pattern * times;
    period->end = src + (size_t)args->src_end * sizeof(unit_t);
    period->part_rank = 0;
    period->part = (uint)args->n * (uint)sizeof(unit_t);
    for (uint i = 0; i < rank; i++)
        if (axes[i].src == 0 && PERIOD_IS_PART((uint)axes[i].dst * sizeof(unit_t), axes[i].extent)) {
            period->part_rank = i + 1;
            period->part = (uint)axes[i].dst * (uint)sizeof(unit_t);
        }
#ifdef HAS_SHUFFLE
    period->advance = 0;
    if (period->pattern <= PIECE) {
        period->advance = min(WIDE / period->pattern * period->pattern, period->row);
        if (rank > period->part_rank && axes[rank - 1].src == (sindex_t)pattern && period->row <= WIDE / 2) {
            along = (uint)axes[--rank].extent;
            together = min(along, min((uint)WIDE / period->row, (uint)PIECE / period->pattern));
        }
        uchar places[WIDE] __attribute__((aligned(WIDE)));
        for (uint i = 0; i < WIDE; i++)
            places[i] = (uchar)(i / period->row % together * period->pattern + i % period->row % period->pattern);
        period->places = *(const wide_t *)places;
    }
#endif
    uint before = 1; /* pieces, or runs of them, of the axes further inside */
    period->src[0] = 0;
    for (uint i = rank; i-- > period->part_rank; before *= (uint)axes[i].extent)
        for (uint step = 1; step < axes[i].extent; step++)
            for (uint k = 0; k < before; k++)
                period->src[step * before + k] = period->src[k] + (sindex_t)step * axes[i].src;
    /* From the last on, so that no run is overwritten before it has been cut into groups. */
    const uint groups = (along + together - 1) / together;
    for (uint i = before; i-- > 0;)
        for (uint group = groups; group-- > 0;) {
            const uint first = min(group * together, along - together);
            period->src[i * groups + group] = period->src[i] + (sindex_t)(first * pattern);
            period->dst[i * groups + group] = (ushort)((i * along + first) * period->row);
        }
    period->count = before * groups;
}

/* Copies bytes that may reach OVERRUN past their end in `at`, and in the source up to end. */
MOVE_FUNCTION void copy_over(uchar *at, const global uchar *from, uint bytes, const global uchar *end) {
    uint done = 0;
    for (; done < bytes && from + done + LINE <= end; done += LINE)
        *(line_anywhere_t *)(at + done) = *(const global line_anywhere_t *)(from + done);
    if (done >= bytes)
        return;
    for (; done + PIECE <= bytes; done += PIECE)
        *(piece_anywhere_t *)(at + done) = *(const global piece_anywhere_t *)(from + done);
    for (; done < bytes; done++)
        at[done] = from[done];
}

/* Stores a pattern of at most as many bytes as the type, again and again. */
#define REPEAT_VECTOR(name, vector_t)                                                                                            \
    MOVE_FUNCTION void name(uchar *at, const global uchar *from, uint pattern, uint row, const global uchar *end) {              \
        typedef vector_t anywhere_t __attribute__((aligned(1)));                                                                 \
        vector_t vector;                                                                                                         \
        if (from + sizeof(vector_t) <= end)                                                                                      \
            vector = *(const global anywhere_t *)from;                                                                           \
        else {                                                                                                                   \
            uchar part[sizeof(vector_t)] __attribute__((aligned(64)));                                                           \
            for (uint j = 0; j < sizeof(vector_t); j++)                                                                          \
                part[j] = from + j < end ? from[j] : 0;                                                                          \
            vector = *(const vector_t *)part;                                                                                    \
        }                                                                                                                        \
        for (uint j = 0; j < row; j += pattern)                                                                                  \
            *(anywhere_t *)(at + j) = vector;                                                                                    \
    }
REPEAT_VECTOR(repeat_half_line, uint8)
REPEAT_VECTOR(repeat_line, line_t)

/* Makes the pieces first to last - 1 of a part. Like all that makes a block, may store up to OVERRUN past its end. */
MOVE_CALLED void make_pieces(const period_t *period, uint first, uint last, const global unit_t *src, uchar *at) {
    const uint pattern = period->pattern, row = period->row;
#ifdef HAS_SHUFFLE
    const uint advance = period->advance;
    if (advance > 0) {
        const wide_t places = period->places;
        for (uint i = first; i < last; i++) {
            const global uchar *from = (const global uchar *)(src + period->src[i]);
            uchar *to = at + period->dst[i];
            uint4 window;
            if (from + PIECE <= period->end)
                window = *(const global piece_anywhere_t *)from;
            else {
                uchar part[PIECE] __attribute__((aligned(PIECE)));
                for (uint j = 0; j < PIECE; j++)
                    part[j] = from + j < period->end ? from[j] : 0;
                window = *(const uint4 *)part;
            }
            const wide_t made = shuffle_wide(window, places);
            uint j = 0;
            do
                *(wide_anywhere_t *)(to + j) = made;
            while ((j += advance) < row);
        }
        return;
    }
#endif
    if (pattern <= LINE / 2)
        for (uint i = first; i < last; i++)
            repeat_half_line(at + period->dst[i], (const global uchar *)(src + period->src[i]), pattern, row, period->end);
    else if (pattern <= LINE)
        for (uint i = first; i < last; i++)
            repeat_line(at + period->dst[i], (const global uchar *)(src + period->src[i]), pattern, row, period->end);
    else
        for (uint i = first; i < last; i++)
            for (uint j = 0; j < row; j += pattern)
                copy_over(at + period->dst[i] + j, (const global uchar *)(src + period->src[i]), pattern, period->end);
}

/* Stores whole lines, which may begin anywhere in the block. Two loops, because of what STORE_CACHED says. */
MOVE_CALLED void copy_lines(const uchar *from, global uchar *to, size_t bytes, bool stream) {
    if (stream)
        for (size_t i = 0; i < bytes; i += LINE)
            STORE_STREAM(load_line((const global uchar *)(size_t)(from + i)), (global line_t *)(to + i));
    else
        for (size_t i = 0; i < bytes; i += LINE)
            STORE_CACHED(*(const line_anywhere_t *)(from + i), (global line_t *)(to + i));
}

/* Stores the whole lines of what was made up to `end`, or all of it. */
MOVE_CALLED void store_made(output_t *output, const uchar *end, bool all) {
    uint head = (uint)(0 - (size_t)output->dst) & (LINE - 1), bytes = (uint)(end - output->from);
    if (bytes >= head + LINE) {
        for (; head > 0; head--, bytes--)
            *output->dst++ = *output->from++;
        const uint lines = bytes / LINE * LINE;
        copy_lines(output->from, output->dst, lines, output->stream);
        output->from += lines;
        output->dst += lines;
        bytes -= lines;
    }
    for (; all && bytes > 0; bytes--)
        *output->dst++ = *output->from++;
}

/* Stores a part of it, so that the processor makes while it writes. */
MOVE_FUNCTION void store_some(output_t *output, const uchar *end) {
    if (output->from && end - output->from >= 2 * STORE_BEHIND)
        store_made(output, end - STORE_BEHIND, false);
}

MOVE_CALLED void make_block(const move_args *args, const period_t *period, const global unit_t *src, uchar *at,
                            output_t *output) {
    const move_axis *axes = args->outer + args->outer_rank;
    const uint at_once = 1 + STORE_BEHIND / period->row;
    index_t index[MOVE_OUTER];
    int i;
    for (i = 0; i < (int)period->part_rank; i++)
        index[i] = 0;
    for (i = 0; i >= 0;) {
        for (uint first = 0, last; first < period->count; first = last) {
            last = min(period->count, first + at_once);
            make_pieces(period, first, last, src, at);
            if (last < period->count)
                store_some(output, at + period->dst[last]);
        }
        at += period->part;
        for (i = (int)period->part_rank - 1; i >= 0; i--) {
            const move_axis *axis = &axes[i];
            if (axis->src == 0) {
                const uint bytes = (uint)axis->dst * (uint)sizeof(unit_t);
                const uchar *from = at - bytes;
                for (index_t step = 1; step < axis->extent; step++, at += bytes) {
                    for (uint done = 0; done < bytes;) {
                        store_some(output, at + done);
                        for (const uint some = min(done + STORE_BEHIND, bytes); done < some; done += LINE)
                            *(line_anywhere_t *)(at + done) = *(const line_anywhere_t *)(from + done);
                    }
                }
                continue;
            }
            if (++index[i] < axis->extent) {
                src += axis->src;
                break;
            }
            src -= (sindex_t)(axis->extent - 1) * axis->src;
            index[i] = 0;
        }
        store_some(output, at);
    }
}

/* Repeats a block of `bytes` bytes up to the end, and at most a line more. */
MOVE_CALLED void repeat_block(uchar *block, uint bytes, uint end) {
    const uint apart = (LINE + bytes - 1) / bytes * bytes;
    uint have = bytes;
    for (; have < apart; have++)
        block[have] = block[have - bytes];
    for (; have < end; have += LINE)
        *(line_anywhere_t *)(block + have) = *(const line_anywhere_t *)(block + have - apart);
}

/* Stores the span again and again; behind it, it goes on for a line. A line may begin in one span and end in the next. */
MOVE_CALLED void store_spans(const uchar *block, uint span, global uchar *dst, size_t bytes, bool stream) {
    uint at = 0;
    for (; bytes > 0 && ((size_t)dst & (LINE - 1)) != 0; bytes--)
        *dst++ = block[at++];
    while (bytes >= LINE) {
        at -= at >= span ? span : 0;
        const size_t part = min((size_t)(span - at + LINE - 1) / LINE, bytes / LINE) * LINE;
        copy_lines(block + at, dst, part, stream);
        at += (uint)part;
        dst += part;
        bytes -= part;
    }
    at -= at >= span ? span : 0;
    for (; bytes > 0; bytes--)
        *dst++ = block[at++];
}

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
    uchar block[PERIOD_BYTES + SPAN_BYTES + LINE + OVERRUN] __attribute__((aligned(LINE)));
    period_t period;
    const uint bytes = (uint)args.n * (uint)sizeof(unit_t), span = (SPAN_BYTES + bytes - 1) / bytes * bytes;
    const bool is_dense = args.q_dst == (sindex_t)args.n, repeats = args.q_src == 0 && args.q > 1;
    const global unit_t *built = 0;
    find_pieces(&args, src, &period);
    FOR_EACH_JOB(&args, job) {
        const move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global uchar *to = (global uchar *)((global unit_t *)dst + place.dst);
        output_t output = {0, to, args.stream};
        if (repeats) {
            if (built != from) {
                make_block(&args, &period, from, block, &output);
                repeat_block(block, bytes, span + LINE);
                built = from;
            }
            const index_t rows = is_dense ? 1 : place.q;
            for (index_t row = 0; row < rows; row++, to += (long)args.q_dst * (long)sizeof(unit_t))
                store_spans(block, span, to, (size_t)(place.q / rows) * bytes, args.stream);
            continue;
        }
        uchar *at = block;
        output.from = block;
        for (index_t row = 0; row < place.q; row++, from += args.q_src) {
            if (at - block >= BATCH_BYTES) { /* from the start again, with what is left of a line */
                store_made(&output, at, false);
                const uint rest = (uint)(at - output.from);
                *(line_anywhere_t *)block = *(const line_anywhere_t *)output.from;
                output.from = block;
                at = block + rest;
            }
            make_block(&args, &period, from, at, &output);
            at += bytes;
            if (is_dense && row + 1 < place.q)
                continue;
            store_made(&output, at, true);
            to += (long)args.q_dst * (long)sizeof(unit_t);
            output.from = at = block;
            output.dst = to;
        }
    }
}

kernel void period(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}
