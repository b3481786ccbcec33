/* repeat: a run of at most 16 contiguous source units, stored several times in a row.
 * Compiled for one BLOCK, the units of the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifdef LONG_RUNS

/* Units that one store advances: whole patterns only, so that every store begins with the pattern's first unit. What it reaches
 * past the end is overwritten by what comes next, or never leaves the sink. */
#if LANES >= BLOCK && LANES > 1
#define STEP (LANES / BLOCK * BLOCK)
#endif
#define ROOM 8192

kernel void repeat(const global uchar *src, global uchar *dst, const move_args args) {
    uchar room[ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
    sink_t sink;
    sink_start(&sink, dst);
    const index_t most = ROOM / (BLOCK * sizeof(unit_t)); /* patterns that the sink takes at once */
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        for (index_t row = 0; row < place.q; row++, from += args.q_src, to += args.q_dst) {
            value_t pattern[BLOCK];
#pragma unroll
            for (int i = 0; i < BLOCK; i++)
                pattern[i] = from[i];
#ifdef STEP
            value_t values[LANES];
#pragma unroll
            for (int i = 0; i < LANES; i++)
                values[i] = pattern[i % BLOCK];
            lanes_t vector = LOAD_VALUES(values);
#endif
            for (index_t done = 0; done < place.n;) {
                uint count = (uint)min(place.n - done, most), bytes = count * BLOCK * (uint)sizeof(unit_t);
                sink_seek(&sink, room, ROOM + LINE, (global uchar *)(to + done * BLOCK), bytes, args.stream);
#ifdef STEP
                uchar *at = room + sink.end;
                for (uint i = 0; i < bytes; i += STEP * sizeof(unit_t))
                    *(lanes_anywhere_t *)(at + i) = vector;
#else
                unit_t *at = (unit_t *)(room + sink.end);
                for (uint i = 0; i < count; i++)
#pragma unroll
                    for (int j = 0; j < BLOCK; j++)
                        at[i * BLOCK + j] = pattern[j];
#endif
                sink.end += bytes;
                done += count;
            }
        }
    }
    sink_finish(&sink, room, args.stream);
}

#else

kernel void repeat(const global uchar *src, global uchar *dst, const move_args args) {
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        value_t pattern[BLOCK];
#pragma unroll
        for (int i = 0; i < BLOCK; i++)
            pattern[i] = from[i];
        for (index_t done = 0; done < place.n * BLOCK; done += BLOCK)
#pragma unroll
            for (int i = 0; i < BLOCK; i++)
                to[done + i] = pattern[i];
    }
}
#endif
