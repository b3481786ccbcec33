/* gather: units of whole bytes, any strides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

kernel void gather(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        for (index_t i = 0; i < place.n; i++) {
            const global unit_t *from = (const global unit_t *)src + place.src + (sindex_t)i * args.n_src;
            global unit_t *to = (global unit_t *)dst + place.dst + (sindex_t)i * args.n_dst;
            for (index_t j = 0; j < args.m; j++)
                to[(sindex_t)j * args.m_dst] = from[(sindex_t)j * args.m_src];
        }
    }
}
