/* bits: units of 1, 2 or 4 bits, any strides.
 *
 * Driven by the destination: a job owns whole bytes of it, so no two work-items write one byte. args.n counts bytes from the one
 * that holds unit dst_offset; the outer axes are all axes, each divided by its destination stride. Bits that are no unit of the
 * map keep their value. args.m is 1 when a byte's first unit is its most significant.
 * Each unit is found by division.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if UNIT_BITS < 8
#define PER_BYTE (8 / UNIT_BITS)
#define MASK ((1 << UNIT_BITS) - 1)

/* The source unit of a destination place, and for how many places from there on it goes on with `step`. 0: no unit here. */
static index_t find_unit(const move_args *args, index_t place, sindex_t *unit, sindex_t *step) {
    index_t alike = 0;
    *unit = args->src_offset;
    *step = 0;
    for (index_t i = 0; i < args->outer_rank; i++) {
        index_t index = divide(place, &args->outer[i].by);
        if (index >= args->outer[i].extent)
            return 0;
        place -= index * args->outer[i].by.divisor;
        *unit += (sindex_t)index * args->outer[i].src;
        if (args->outer[i].by.divisor == 1) {
            alike = args->outer[i].extent - index;
            *step = args->outer[i].src;
        }
    }
    return place != 0 ? 0 : alike ? alike : 1;
}

static int shift_of(index_t unit, bool msb_first) {
    int place = (int)(unit % PER_BYTE);
    return UNIT_BITS * (msb_first ? PER_BYTE - 1 - place : place);
}

kernel void bits(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    bool msb_first = args.m;
    index_t first_byte = (index_t)args.dst_offset / PER_BYTE, skipped = (index_t)args.dst_offset % PER_BYTE;
    FOR_EACH_JOB(&args, job) {
        index_t start = job * args.segment, end = min(start + args.segment, args.n), alike = 0;
        sindex_t unit = 0, step = 0;
        for (index_t byte = start; byte < end; byte++) {
            uint value = 0, written = 0;
            for (index_t k = 0; k < PER_BYTE; k++) {
                index_t place = byte * PER_BYTE + k;
                if (place < skipped)
                    continue;
                if (alike == 0)
                    alike = find_unit(&args, place - skipped, &unit, &step);
                if (alike == 0)
                    continue;
                int shift = shift_of(place, msb_first);
                value |= (((uint)src[unit / PER_BYTE] >> shift_of((index_t)unit, msb_first)) & MASK) << shift;
                written |= (uint)MASK << shift;
                unit += step;
                alike--;
            }
            if (written == 0xff)
                dst[first_byte + byte] = (uchar)value;
            else if (written)
                dst[first_byte + byte] = (uchar)(value | (dst[first_byte + byte] & ~written));
        }
    }
}

#endif
