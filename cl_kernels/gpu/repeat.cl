/* repeat: a run of at most 16 contiguous source units, or on the host of 17 to 512 bytes, stored several times in a row.
 * Compiled for one BLOCK, the units of the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

kernel void repeat(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        value_t pattern[BLOCK];
        for (int i = 0; i < BLOCK; i++)
            pattern[i] = from[i];
        for (index_t done = 0; done < place.n * BLOCK; done += BLOCK)
            for (int i = 0; i < BLOCK; i++)
                to[done + i] = pattern[i];
    }
}
