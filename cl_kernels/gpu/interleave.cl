/* interleave: destination contiguous along an axis of at most 16 units, source contiguous along another.
 * Compiled for one BLOCK, the units of that axis: n units from each of BLOCK source rows go to n groups of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

kernel void interleave(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        for (index_t i = 0; i < place.n; i++) {
            value_t group[BLOCK]; /* all loads are on their way before the first store */
            for (int k = 0; k < BLOCK; k++)
                group[k] = from[(sindex_t)i + k * args.m_src];
            for (int k = 0; k < BLOCK; k++)
                to[(sindex_t)i * args.n_dst + k] = group[k];
        }
    }
}
