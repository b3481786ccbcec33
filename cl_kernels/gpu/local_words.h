/* How runs of units of 1 and 2 bytes that begin anywhere are moved between memory and slots (local_tiles.cl).
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if UNIT_BITS >= 8 && UNIT_BITS < 32
/* Runs of 1 or 2 bytes a unit that begin anywhere. Whole words of 32 bits are moved, and what a run has before the first and
 * after the last of them, unit by unit. Words are counted from a sector's begin on, so that neighbours that move one move no
 * other. */
#define IN_SECTOR (32 / (int)sizeof(value_t))
/* Units of a line of 16 bytes. */
#define IN_LINE (16 / (int)sizeof(value_t))

/* Words begin at units below this. */
static uint find_limit(index_t units) {
    return units < IN_PART ? 0 : (uint)units - (IN_PART - 1);
}

/* What is left of the run is numbered: place 0 to 3 are units before the first whole word, 4 to 7 those after the last. Returns
 * the unit, or `units` where there is none. */
static uint find_edge(uint before, uint units, uint place) {
    const uint head = min((0 - before) % IN_PART, units), tail = (units - head) % IN_PART;
    if (place < 4)
        return place < head ? place : units;
    return place - 4 < tail ? units - tail + (place - 4) : units;
}

/* Where a unit of an even run lies; what is skewed is skewed after each word's units. */
#define SLOT_OF(step, skew, unit) ((int)(unit) * (int)(step) + ((int)(unit) >> (UNIT_BITS == 8 ? 2 : 1)) * (int)(skew))

#if READS == 0
/* Words that are on their way before the first of them is put into slots. */
#define WORDS_AHEAD 4
/* Of a run at `at`, those from `unit` on that are so many units apart and begin below the limit. */
static void read_words(const global value_t *at, int unit, int apart, int limit, uint *words) {
#pragma unroll
    for (int k = 0; k < WORDS_AHEAD; k++)
        if ((uint)(unit + k * apart) < (uint)limit)
            words[k] = *(const global uint *)(at + unit + k * apart);
}

static void read_runs(const move_args *args, const global value_t *from, index_t run_units, index_t runs,
                      const local shared_t *shared, local value_t *slots, bool is_aligned) {
    const index_t item = (index_t)get_local_id(0), lanes = (index_t)1 << args->src_lanes;
    const uint step = (uint)get_local_size(0) >> args->src_lanes, end = (uint)runs;
    const bool is_regular = is_even(args, true);
    (void)is_aligned;
    if (args->src_run < LOCAL_SHORT || (!is_regular && find_table(args, true) == 0)) { /* a slot is found once for all runs */
        for (index_t unit = item & (lanes - 1); unit < run_units; unit += lanes) {
            local value_t *const place = slots + find_slot(args, true, unit);
            for (uint run = (uint)item >> args->src_lanes; run < end; run += step) {
                GET_RUN(shared, run, begin, to);
                place[to] = from[begin + (sindex_t)unit];
            }
        }
        return;
    }
    const int limit = (int)find_limit(run_units), apart = (int)lanes * IN_PART;
    const uint lane = (uint)(item & (lanes - 1));
    uint step_in = 1, skew = 0;
    if (is_regular)
        find_steps(args, true, &step_in, &skew);
    const size_t hop = (uint)lanes * (IN_PART * step_in + skew);
    for (uint run = (uint)item >> args->src_lanes; run < end; run += step) {
        GET_RUN(shared, run, begin, to);
        const global value_t *const at = from + begin;
        local value_t *const place = slots + to;
        const uint before = (uint)(size_t)at / (uint)sizeof(value_t) % IN_SECTOR;
        int unit = (int)(lane * IN_PART - before); /* negative before the run's first word */
        if (is_regular) {
            const int turn = unit & (IN_PART - 1);
            local value_t *put = place + SLOT_OF(step_in, skew, unit);
            size_t next[IN_PART];
#pragma unroll
            for (int i = 0; i < IN_PART; i++)
                next[i] = (uint)i * step_in + (turn + i >= IN_PART ? skew : 0);
            while (unit < limit) {
                uint words[WORDS_AHEAD] = {0, 0, 0, 0};
                read_words(at, unit, apart, limit, words);
                /* No loop that compilers unroll: each of its steps would have places of its own. */
                for (const int stop = min(limit, unit + WORDS_AHEAD * apart); unit < stop; unit += apart, put += hop) {
                    if (unit >= 0) {
#pragma unroll
                        for (int i = 0; i < IN_PART; i++)
                            put[next[i]] = UNIT_OF(words, i);
                    }
#pragma unroll
                    for (int k = 0; k < WORDS_AHEAD - 1; k++)
                        words[k] = words[k + 1];
                }
            }
        } else
            while (unit < limit) {
                uint words[WORDS_AHEAD] = {0, 0, 0, 0};
                read_words(at, unit, apart, limit, words);
                for (const int stop = min(limit, unit + WORDS_AHEAD * apart); unit < stop; unit += apart) {
                    if (unit >= 0) {
#pragma unroll
                        for (int i = 0; i < IN_PART; i++)
                            place[shared->slot[unit + i]] = UNIT_OF(words, i);
                    }
#pragma unroll
                    for (int k = 0; k < WORDS_AHEAD - 1; k++)
                        words[k] = words[k + 1];
                }
            }
        if ((before | (uint)run_units) % IN_PART == 0) /* whole words are all */
            continue;
        for (uint edge = lane; edge < 8; edge += (uint)lanes) {
            const uint one = find_edge(before, (uint)run_units, edge);
            if (one < (uint)run_units)
                place[is_regular ? SLOT_OF(step_in, skew, one) : shared->slot[one]] = at[one];
        }
    }
}
#endif

#if READS == 3
/* The aligned words that have 16 bytes from any address on, one more than they fill. */
static void read_around(const global value_t *at, uint *words) {
    const global uint *from = (const global uint *)(at - (size_t)at / sizeof(value_t) % IN_PART);
#pragma unroll
    for (int i = 0; i < 5; i++)
        words[i] = from[i];
}

/* Puts the 16 bytes, or what of them is of the run. */
static void put_around(local value_t *to, const global value_t *at, const uint *words, index_t units) {
    const uint shift = (uint)((size_t)at / sizeof(value_t) % IN_PART) * UNIT_BITS;
#pragma unroll
    for (int i = 0; i < 4; i++)
        if ((index_t)(i * IN_PART) < units)
            ((local uint *)to)[i] = words[i] >> shift | words[i + 1] << 1 << (31 - shift);
}

/* src_begin, src_end: the units that may be read. */
static void read_any_runs(const move_args *args, const global value_t *from, index_t run_units, index_t runs,
                          const local shared_t *shared, local value_t *slots, const global value_t *src_begin,
                          const global value_t *src_end) {
    const index_t item = (index_t)get_local_id(0), lanes = (index_t)1 << args->src_lanes;
    const uint step = (uint)get_local_size(0) >> args->src_lanes, end = (uint)runs;
    for (index_t unit = (item & (lanes - 1)) * READ_UNITS; unit < run_units; unit += lanes * READ_UNITS) {
        local value_t *const place =
            slots + (find_table(args, true) > 0 ? shared->slot[unit / READ_STEP] : find_slot(args, true, unit));
        const global value_t *const at = from + unit;
        const index_t left = run_units - unit;
        for (uint run = (uint)item >> args->src_lanes; run < end; run += AT_ONCE * step) {
            sindex_t begins[AT_ONCE];
            uint slot[AT_ONCE];
            bool is_inside = true;
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) { /* past the last run, the last once more */
                const uint one = run + k * step;
                GET_RUN(shared, one < end ? one : end - 1, begin, to);
                begins[k] = begin;
                slot[k] = to;
                is_inside &= src_end - (at + begin) >= READ_UNITS + IN_PART && at + begin - src_begin >= IN_PART - 1;
            }
            if (is_inside) {
                uint words[AT_ONCE * 5];
#pragma unroll
                for (int k = 0; k < AT_ONCE; k++)
                    read_around(at + begins[k], words + k * 5);
#pragma unroll
                for (int k = 0; k < AT_ONCE; k++)
                    if (run + k * step < end)
                        put_around(place + slot[k], at + begins[k], words + k * 5, left);
            } else
                for (uint one = run; one < end && one < run + AT_ONCE * step; one += step) {
                    GET_RUN(shared, one, begin, to);
                    for (index_t i = 0; i < READ_UNITS && i < left; i++)
                        place[to + i] = at[begin + (sindex_t)i];
                }
        }
    }
}
#endif

#if WRITES == 3
/* Lines of 16 bytes, counted from a sector's begin on as words are; and what of a run is before and after them unit by unit. */
static void write_runs(const move_args *args, global value_t *to, index_t run_units, index_t runs, const local shared_t *shared,
                       const local value_t *slots, bool is_aligned) {
    const uint item = (uint)get_local_id(0), lanes = 1U << args->dst_lanes, lane = item & (lanes - 1), units = (uint)run_units;
    const uint step = (uint)get_local_size(0) >> args->dst_lanes, first = (uint)args->src_runs, end = first + (uint)runs;
    const bool has_lines = (size_t)to % sizeof(value_t) == 0; /* else no unit is at a boundary */
    (void)is_aligned;
    for (uint run = first + (item >> args->dst_lanes); run < end; run += step) {
        GET_RUN(shared, run, begin, slot);
        global value_t *const at = to + begin;
        const local value_t *const place = slots + slot;
        const uint before = (uint)((size_t)at / sizeof(value_t)) % IN_SECTOR;
        const uint head = has_lines ? min((0 - before) % IN_LINE, units) : units;
        const uint behind = head + (units - head) / IN_LINE * IN_LINE; /* the lines */
        const int last = (int)behind - IN_LINE, apart = (int)lanes * IN_LINE;
        int unit = (int)(lane * IN_LINE - before); /* negative before the run's first line */
        const int first_slot = (int)slot + unit, turn = first_slot & (IN_PART - 1), shift = turn * UNIT_BITS;
        const local uint *words = (const local uint *)slots + (first_slot >> (UNIT_BITS == 8 ? 2 : 1));
        const int fifth = turn > 0 ? 4 : 3;
        for (; unit <= last; unit += apart, words += 4 * lanes) {
            uint parts[4];
            if (unit < (int)head)
                continue;
#pragma unroll
            for (int i = 0; i < 4; i++)
                parts[i] = words[i] >> shift | words[i < 3 ? i + 1 : fifth] << 1 << (31 - shift);
            *(global uint4 *)(at + unit) = (uint4)((uint2)(parts[0], parts[1]), (uint2)(parts[2], parts[3]));
        }
        for (uint one = lane; one < head; one += lanes)
            at[one] = place[one];
        for (uint one = behind + lane; one < units; one += lanes)
            at[one] = place[one];
    }
}
#endif

#if WRITES == 0
static void write_runs(const move_args *args, global value_t *to, index_t run_units, index_t runs, const local shared_t *shared,
                       const local value_t *slots, bool is_aligned) {
    const index_t item = (index_t)get_local_id(0), lanes = (index_t)1 << args->dst_lanes;
    const uint step = (uint)get_local_size(0) >> args->dst_lanes, first = (uint)args->src_runs, end = first + (uint)runs;
    const local ushort *const units = shared->slot + find_table(args, true);
    const bool is_regular = is_even(args, false);
    (void)is_aligned;
    if (!is_regular && find_table(args, false) == 0) { /* a unit's slot is found once for all runs */
        for (index_t unit = item & (lanes - 1); unit < run_units; unit += lanes) {
            const local value_t *const place = slots + find_slot(args, false, unit);
            for (uint run = first + ((uint)item >> args->dst_lanes); run < end; run += step) {
                GET_RUN(shared, run, begin, slot);
                to[begin + (sindex_t)unit] = place[slot];
            }
        }
        return;
    }
    uint step_in = 1, skew = 0;
    if (is_regular)
        find_steps(args, false, &step_in, &skew);
    const size_t hop = (uint)lanes * (IN_PART * step_in + skew);
    const int limit = (int)find_limit(run_units), apart = (int)lanes * IN_PART;
    const uint lane = (uint)(item & (lanes - 1));
    for (uint run = first + ((uint)item >> args->dst_lanes); run < end; run += step) {
        GET_RUN(shared, run, begin, slot);
        global value_t *const at = to + begin;
        const local value_t *const place = slots + slot;
        const uint before = (uint)(size_t)at / (uint)sizeof(value_t) % IN_SECTOR;
        int unit = (int)(lane * IN_PART - before); /* negative before the run's first word */
        if (is_regular) {
            const int turn = unit & (IN_PART - 1);
            const local value_t *get = place + SLOT_OF(step_in, skew, unit);
            size_t next[IN_PART];
#pragma unroll
            for (int i = 0; i < IN_PART; i++)
                next[i] = (uint)i * step_in + (turn + i >= IN_PART ? skew : 0);
            for (; unit < limit; unit += apart, get += hop) {
                uint all = 0;
                if (unit < 0)
                    continue;
#pragma unroll
                for (int i = 0; i < IN_PART; i++)
                    all |= BITS_OF(get[next[i]], i);
                *(global uint *)(at + unit) = all;
            }
        } else
            for (; unit < limit; unit += apart) {
                uint all = 0;
                if (unit < 0)
                    continue;
#pragma unroll
                for (int i = 0; i < IN_PART; i++)
                    all |= BITS_OF(place[units[unit + i]], i);
                *(global uint *)(at + unit) = all;
            }
        if ((before | (uint)run_units) % IN_PART == 0) /* whole words are all */
            continue;
        for (uint edge = lane; edge < 8; edge += (uint)lanes) {
            const uint one = find_edge(before, (uint)run_units, edge);
            if (one < (uint)run_units)
                at[one] = place[is_regular ? SLOT_OF(step_in, skew, one) : units[one]];
        }
    }
}
#endif
#endif
