/* copy: one run of units, contiguous in source and destination.
 * rows: runs of at least 17 bytes, contiguous in source and destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

kernel void copy_rows(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        for (index_t i = 0; i < place.n; i++)
            to[i] = from[i];
    }
}
