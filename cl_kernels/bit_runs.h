/* Moves sub-byte units by words; the same text for the host's C and OpenCL C. bit_words.h says what a word is.
 *
 * Driven by the destination: bits_move fills a range of its bytes, of which nobody else has a part, and leaves bits that are no
 * unit of the launch plan alone. A run is the innermost axis, side by side in the destination; what comes next are rows of it
 * along the axis outside, done together where that is cheaper. Extents count steps, all else counts bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_BIT_RUNS_H
#define CLMOVE_BIT_RUNS_H

/* Runs longer than this are not made of words. */
#define BITS_LONG_RUN 256
/* Steps of a run that are transposed before they are written, a multiple of 64. */
#define BITS_PANEL 512
/* Transposing makes 64 rows of 1 bit, 16 of 4; fewer than these are not worth it. */
#define BITS_FEW_ROWS 4

typedef struct {
    bits_place extent, src, dst;
} bits_axis;

typedef struct {
    bits_source src;
    BITS_MEMORY bits_byte *dst;
    /* Of the first unit. dst_first is in the first byte of dst. */
    bits_place src_first, dst_first;
    int unit;
    /* The rank of what lies outside runs, at least 1. */
    int rank;
    bits_axis axes[BITS_MAX_AXES];
    /* The length of a run, and the step from a unit's source to the next one's. */
    bits_place n, step;
    enum { BITS_COPY, BITS_FILL, BITS_PICK, BITS_FAR } run;
    /* How several rows are done. */
    enum { BITS_NO_BLOCK, BITS_WEAVE, BITS_TRANSPOSE, BITS_BLOCKS } block;
    bits_comb comb;
} bits_task;

/* A case: the run, the block and the order of bits as one number. All cases in one kernel took POCL 3.1 2.3 s to compile, so a
 * kernel is compiled for one. */
#define BITS_CASE(run, block, msb) (((run)*BITS_BLOCKS + (block)) * 2 + (msb))

/* The run at hand. */
typedef struct {
    bits_place src, dst, done;
    bits_place index[BITS_MAX_AXES];
} bits_walk;

/* ---- runs ---- */

BITS_INLINE bits_word bits_load_unit(const bits_task *task, bits_place place, bool msb) {
    const bits_place off = place & 7;
    return ((bits_word)task->src.bytes[place >> 3] >> (msb ? 8 - task->unit - off : off)) & ((1u << task->unit) - 1);
}

BITS_INLINE void bits_append_far(const bits_task *task, bits_stream *out, bits_place src, bits_place count, bool msb) {
    for (bits_place left = count; left > 0; left -= 64) {
        const bits_place part = bits_at_most(left, 64);
        bits_word word = 0;
        for (bits_place i = 0; i < part; i += task->unit, src += task->step) {
            const bits_word unit = bits_load_unit(task, src, msb);
            word = msb ? word << task->unit | unit : word | unit << i;
        }
        bits_append(out, msb ? word << (64 - part) : word, part, msb);
    }
}

/* Every step-th unit, several from a word. Backwards a word ends with the first of them. */
BITS_INLINE void bits_append_picked(const bits_task *task, bits_stream *out, bits_place src, bits_place count, bool msb) {
    const bits_place most = task->comb.bits, advance = most / task->unit * task->step;
    for (; count > 0; count -= most, src += advance) {
        const bits_place part = bits_at_most(count, most), start = src + task->unit - 64;
        bits_word word;
        if (task->step > 0)
            word = bits_load(&task->src, src, msb);
        else if (start >= 0)
            word = bits_reverse(bits_load(&task->src, start, msb), task->unit);
        else {
            bits_append_far(task, out, src, part, msb);
            continue;
        }
        bits_append(out, bits_keep(bits_pick(&task->comb, word, msb), part, msb), part, msb);
    }
}

BITS_INLINE void bits_append_copied(const bits_task *task, bits_stream *out, bits_place src, bits_place count, bool msb) {
    if (count > BITS_LONG_RUN) {
        const bits_place part = 64 - out->have, bytes = (count - part) / 8;
        bits_append(out, bits_keep(bits_load(&task->src, src, msb), part, msb), part, msb);
        src += part;
        bits_copy_bytes(out->at, task->src.bytes + (src >> 3), (int)(src & 7), bytes, msb);
        out->at += bytes;
        src += 8 * bytes;
        count -= part + 8 * bytes;
    }
    for (; count > 0; count -= 64, src += 64) {
        const bits_place part = bits_at_most(count, 64);
        bits_append(out, bits_keep(bits_load(&task->src, src, msb), part, msb), part, msb);
    }
}

BITS_INLINE void bits_append_filled(const bits_task *task, bits_stream *out, bits_place src, bits_place count, bool msb) {
    const bits_word word = bits_load_unit(task, src, msb) * (BITS_ALL / ((1u << task->unit) - 1));
    if (count > BITS_LONG_RUN) {
        const bits_place part = 64 - out->have, bytes = (count - part) / 8;
        bits_append(out, bits_keep(word, part, msb), part, msb);
        for (bits_place i = 0; i < bytes; i++)
            out->at[i] = (bits_byte)word;
        out->at += bytes;
        count -= part + 8 * bytes;
    }
    for (; count > 0; count -= 64) {
        const bits_place part = bits_at_most(count, 64);
        bits_append(out, bits_keep(word, part, msb), part, msb);
    }
}

BITS_INLINE void bits_append_run(const bits_task *task, bits_stream *out, bits_place src, bits_place count, int run, bool msb) {
    if (run == BITS_COPY)
        bits_append_copied(task, out, src, count, msb);
    else if (run == BITS_FILL)
        bits_append_filled(task, out, src, count, msb);
    else if (run == BITS_PICK)
        bits_append_picked(task, out, src, count, msb);
    else
        bits_append_far(task, out, src, count, msb);
}

/* ---- rows of short runs, side by side in source and destination ---- */

/* For each unit of the run, the units of as many rows as fit in a word are spread to their places. */
BITS_INLINE void bits_weave(const bits_task *task, bits_stream *out, bits_place src, bits_place rows, bool msb) {
    const bits_place at_once = task->comb.bits / task->unit;
    for (; rows > 0; rows -= at_once, src += task->comb.bits) {
        const bits_place count = bits_at_most(rows, at_once) * task->n;
        bits_word word = bits_spread(&task->comb, bits_load(&task->src, src, msb), msb), spread = word;
        for (bits_place place = task->unit, from = src; place < task->n; place += task->unit) {
            from += task->step;
            if (task->step)
                spread = bits_spread(&task->comb, bits_load(&task->src, from, msb), msb);
            word |= bits_later(spread, place, msb);
        }
        bits_append(out, bits_keep(word, count, msb), count, msb);
    }
}

/* ---- rows side by side in the source only ---- */

/* 64 / unit words of as many units: halves change sides, then quarters, down to units (Hacker's Delight, 7-3). */
BITS_INLINE void bits_transpose(bits_word *words, int unit, bool msb) {
    bits_word mask = bits_keep(BITS_ALL, 32, msb);
    for (int part = 32; part >= unit; part /= 2, mask ^= bits_later(mask, part, msb)) {
        const int apart = part / unit;
        for (int first = 0; first < 64 / unit; first += 2 * apart)
            for (int i = first; i < first + apart; i++) {
                const bits_word change = (bits_earlier(words[i], part, msb) ^ words[i + apart]) & mask;
                words[i + apart] ^= change;
                words[i] ^= bits_later(change, part, msb);
            }
    }
}

/* At most 64 / unit rows, a panel of their steps after the other. The first word of each row may hold old bits of the byte that
 * it shares with the row before; it is in memory before that row writes its last ones, or is made after it. */
BITS_CALLED void bits_transpose_rows(const bits_task *task, bits_place src, bits_place dst, bits_place rows, bool msb) {
    const int side = 64 / task->unit, width = BITS_PANEL / side;
    const bits_place steps = task->n / task->unit;
    bits_word words[64], panel[BITS_PANEL];
    bits_stream out[64];
    for (bits_place first = 0; first < steps; first += BITS_PANEL) {
        const bits_place count = bits_at_most(steps - first, BITS_PANEL);
        for (bits_place i = 0; i < count; i += side) {
            for (int k = 0; k < side; k++, src += task->step)
                words[k] = i + k < count ? bits_load(&task->src, src, msb) : 0;
            bits_transpose(words, task->unit, msb);
            for (bits_place row = 0; row < rows; row++)
                panel[row * width + i / side] = words[row];
        }
        for (bits_place row = 0; row < rows; row++) {
            if (first == 0)
                bits_seek(&out[row], task->dst, dst + row * task->axes[task->rank - 1].dst, msb);
            for (bits_place i = 0; i < count; i += side) {
                const bits_place part = bits_at_most(count - i, side) * task->unit;
                bits_append(&out[row], bits_keep(panel[row * width + i / side], part, msb), part, msb);
            }
            if (first + count == steps)
                bits_flush(&out[row], msb);
        }
    }
}

/* ---- walking ---- */

/* To the start of the next run; false after the last. */
BITS_INLINE bool bits_next_run(const bits_task *task, bits_walk *at) {
    at->done = 0;
    for (int i = task->rank - 1; i >= 0; i--) {
        const bits_axis *axis = &task->axes[i];
        at->src += axis->src;
        at->dst += axis->dst;
        if (++at->index[i] < axis->extent)
            return true;
        at->src -= axis->extent * axis->src;
        at->dst -= axis->extent * axis->dst;
        at->index[i] = 0;
    }
    return false;
}

/* To the first unit at a place of the destination or behind it. Every stride reaches over all that lies inside it. */
BITS_INLINE void bits_start_walk(const bits_task *task, bits_place place, bits_walk *at) {
    bits_place rest = place > task->dst_first ? place - task->dst_first : 0;
    bool past = false; /* behind the last unit of an axis: the end of its last run */
    at->src = task->src_first;
    at->dst = task->dst_first;
    for (int i = 0; i < task->rank; i++) {
        const bits_axis *axis = &task->axes[i];
        bits_place index = past ? axis->extent : rest / axis->dst;
        if (index >= axis->extent) {
            past = true;
            index = axis->extent - 1;
        }
        rest -= index * axis->dst;
        at->index[i] = index;
        at->src += index * axis->src;
        at->dst += index * axis->dst;
    }
    at->done = past ? task->n : bits_at_most(rest, task->n);
}

BITS_INLINE void bits_move_as(const bits_task *task, bits_place first, bits_place end, int run, int block, bool msb) {
    const bits_axis along = task->axes[task->rank - 1];
    const bits_place side = 64 / task->unit;
    bits_stream out;
    bits_walk at;
    bool started = false;
    bits_start_walk(task, first, &at);
    while (at.done < task->n || bits_next_run(task, &at)) {
        bits_place to = at.dst + at.done, rows = 0;
        if (to >= end)
            break;
        if (started && to != (out.at - task->dst) * 8 + out.have)
            bits_flush(&out, msb);
        if (!started || to != (out.at - task->dst) * 8 + out.have)
            bits_seek(&out, task->dst, to, msb);
        started = true;
        if (at.done == 0 && to + task->n <= end)
            rows = bits_at_most(along.extent - at.index[task->rank - 1], (end - to - task->n) / along.dst + 1);
        const bits_place src = at.src + (at.done ? at.done / task->unit * task->step : 0);
        const bits_place count = rows ? task->n : bits_at_most(task->n - at.done, end - to);
        if (block == BITS_WEAVE && rows)
            bits_weave(task, &out, src, rows, msb);
        else if (block == BITS_TRANSPOSE && rows >= BITS_FEW_ROWS) {
            bits_flush(&out, msb);
            for (bits_place row = 0; row < rows; row += side)
                bits_transpose_rows(task, src + row * along.src, at.dst + row * along.dst, bits_at_most(rows - row, side), msb);
            bits_seek(&out, task->dst, at.dst + (rows - 1) * along.dst + task->n, msb);
        } else
            for (bits_place row = 0;;) {
                bits_append_run(task, &out, src + row * along.src, count, run, msb);
                if (++row >= rows)
                    break;
                if (along.dst > task->n) {
                    bits_flush(&out, msb);
                    bits_seek(&out, task->dst, at.dst + row * along.dst, msb);
                }
            }
        at.done += count;
        if (rows == 0)
            continue;
        at.index[task->rank - 1] += rows - 1;
        at.src += (rows - 1) * along.src;
        at.dst += (rows - 1) * along.dst;
    }
    if (started)
        bits_flush(&out, msb);
}

/* ---- tasks ---- */

/* After src, dst, src_first, dst_first, unit, and rank and axes with the innermost run among them if there is one. */
BITS_INLINE void bits_start_task(bits_task *task, bool msb) {
    const bits_place unit = task->unit;
    task->n = unit;
    task->step = unit;
    if (task->rank > 0 && task->axes[task->rank - 1].dst == unit) {
        const bits_axis *inner = &task->axes[--task->rank];
        task->n = inner->extent * unit;
        task->step = inner->src;
    }
    if (task->rank == 0) {
        task->axes[0].extent = 1;
        task->axes[0].src = 0;
        task->axes[0].dst = task->n;
        task->rank = 1;
    }
    const bits_axis along = task->axes[task->rank - 1];
    const bits_place apart = task->step < 0 ? -task->step : task->step;
    const bool beside = along.src == unit && along.extent >= BITS_FEW_ROWS;
    task->run = task->step == unit ? BITS_COPY : apart == 0 ? BITS_FILL : apart <= 32 ? BITS_PICK : BITS_FAR;
    task->block = BITS_NO_BLOCK;
    if (beside && along.dst == task->n && task->n > unit &&
        task->n <= 8 * unit) { /* its comb is the weave's; runs cut short go unit by unit */
        task->block = BITS_WEAVE;
        task->run = BITS_FAR;
    } else if (beside && task->run != BITS_COPY && task->run != BITS_FILL && (task->run == BITS_FAR || along.extent * unit >= 32))
        task->block = BITS_TRANSPOSE;
    if (task->block == BITS_WEAVE || task->run == BITS_PICK)
        bits_start_comb(&task->comb, task->unit, task->block == BITS_WEAVE ? task->n : apart,
                        task->block == BITS_WEAVE ? task->n : unit, msb);
}

/* Fills bytes first to end - 1 of dst. which: the task's case, a constant. */
BITS_INLINE void bits_move(const bits_task *task, bits_place first, bits_place end, int which) {
    bits_move_as(task, 8 * first, 8 * end, which / 2 / BITS_BLOCKS, which / 2 % BITS_BLOCKS, which % 2);
}

#endif
