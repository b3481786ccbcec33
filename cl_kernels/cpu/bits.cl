/* bits: units of 1, 2 or 4 bits, any strides.
 *
 * Driven by the destination: a job owns whole bytes of it, so no two work-items write one byte. args.n counts bytes from the one
 * that holds unit dst_offset; the outer axes are all axes, each divided by its destination stride. Bits that are no unit of the
 * map keep their value. BLOCK is the case, whose last bit is 1 when a byte's first unit is its most significant (bit_runs.h).
 * An item has all bytes of its jobs, and fills them by words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if UNIT_BITS < 8
#define PER_BYTE (8 / UNIT_BITS)

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
    const bits_place item = (bits_place)work_item, count = (bits_place)args.item_jobs * args.segment;
    if (item >= (bits_place)args.items)
        return;
    bits_task task;
    task.src.bytes = src;
    task.src.count = (args.src_end + PER_BYTE - 1) / PER_BYTE;
    task.dst = dst + args.dst_offset / PER_BYTE;
    task.src_first = (bits_place)args.src_offset * UNIT_BITS;
    task.dst_first = (bits_place)args.dst_offset % PER_BYTE * UNIT_BITS;
    task.unit = UNIT_BITS;
    task.rank = (int)args.outer_rank;
    for (int i = 0; i < task.rank; i++) {
        task.axes[i].extent = args.outer[i].extent;
        task.axes[i].src = (bits_place)args.outer[i].src * UNIT_BITS;
        task.axes[i].dst = (bits_place)args.outer[i].dst * UNIT_BITS;
    }
    bits_start_task(&task, BLOCK % 2);
    bits_move(&task, item * count, bits_at_most((item + 1) * count, args.n), BLOCK);
}

kernel void bits(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}

#endif
