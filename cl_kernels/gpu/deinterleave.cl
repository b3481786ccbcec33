/* deinterleave: destination contiguous along one axis, and source along another, forwards or backwards, whose largest divisor
 * up to 16, the block, is at least 2 and at most the extent of the first, or larger on a processor that reads blocks side by
 * side, or up to 16 units apart, and writes such rows one after the other; not if the first has at most 16 units, both make
 * one row of the destination, and the first is at most twice as long as the other or comes from places farther apart than
 * that. Compiled for one BLOCK, that divisor: n groups of BLOCK contiguous source units go to BLOCK destination rows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

kernel void deinterleave(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        for (index_t i = 0; i < place.n; i++) {
            value_t group[BLOCK]; /* all loads are on their way before the first store */
            for (int k = 0; k < BLOCK; k++)
                group[k] = from[(sindex_t)i * args.n_src + k];
            for (int k = 0; k < BLOCK; k++)
                to[(sindex_t)i + k * args.m_dst] = group[k];
        }
    }
}
