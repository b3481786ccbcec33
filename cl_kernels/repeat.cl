/* repeat: a run of at most 16 contiguous source units, stored several times in a row.
 * Compiled for one BLOCK, the units of the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if LANES > 1
/* Units of the destination that one vector advances: whole patterns only, so that every vector starts with the pattern's first
 * unit. Neighbouring vectors overlap by the rest, and store the same there. */
#define STEP (LANES / BLOCK * BLOCK)
#endif

kernel void repeat(const global uchar *src, global uchar *dst, const move_args args) {
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        index_t units = place.count * BLOCK, done = 0;
        value_t pattern[BLOCK];
#pragma unroll
        for (int i = 0; i < BLOCK; i++)
            pattern[i] = from[i];
#if LANES > 1 && STEP > 0
        if (units >= LANES) {
            value_t wide[LANES], last[LANES]; /* the pattern from its first unit on, and such that it ends with its last */
#pragma unroll
            for (int i = 0; i < LANES; i++) {
                wide[i] = pattern[i % BLOCK];
                last[i] = pattern[(i + BLOCK * LANES - LANES) % BLOCK];
            }
            lanes_t vector = LOAD_VALUES(wide);
            if (LANES % BLOCK == 0 && args.stream && IS_LANES_ALIGNED(to))
                for (; done + LANES <= units; done += LANES)
                    STORE_STREAM(vector, (global lanes_t *)(to + done));
            else
                for (; done + LANES <= units; done += STEP)
                    STORE_LANES(vector, to + done);
            STORE_LANES(LOAD_VALUES(last), to + units - LANES);
            continue;
        }
#endif
        for (; done < units; done += BLOCK)
#pragma unroll
            for (int i = 0; i < BLOCK; i++)
                to[done + i] = pattern[i];
    }
}
