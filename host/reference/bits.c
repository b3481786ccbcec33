/* Sub-byte units, driven by the destination: whoever has a byte of it has all of that byte, so threads never share one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/reference/bits.h"

/* The source unit of a destination place, and for how many places from there on it goes on with *step. 0: no unit here. */
static int64_t find_unit(const clm_movement *movement, int64_t place, int64_t *unit, int64_t *step) {
    int64_t alike = 0;
    *unit = movement->src_offset;
    *step = 0;
    for (int32_t i = 0; i < movement->outer_rank; i++) {
        const clm_axis *axis = &movement->outer[i];
        int64_t index = place / axis->dst;
        if (index >= axis->extent)
            return 0;
        place -= index * axis->dst;
        *unit += index * axis->src;
        if (axis->dst == 1) {
            alike = axis->extent - index;
            *step = axis->src;
        }
    }
    return place != 0 ? 0 : alike ? alike : 1;
}

static uint32_t shift_of(const clm_movement *movement, int64_t unit, int64_t per_byte) {
    uint32_t place = (uint32_t)(unit % per_byte);
    return movement->unit_bits * (movement->msb_first ? (uint32_t)per_byte - 1 - place : place);
}

void clm_move_bits(const clm_movement *movement, int64_t first, int64_t count, const unsigned char *src, unsigned char *dst) {
    const int64_t per_byte = 8 / movement->unit_bits, skipped = movement->dst_offset % per_byte;
    const uint32_t mask = (1u << movement->unit_bits) - 1;
    int64_t alike = 0, unit = 0, step = 0;
    dst += movement->dst_offset / per_byte;
    for (int64_t byte = first; byte < first + count; byte++) {
        uint32_t value = 0, written = 0;
        for (int64_t place = byte * per_byte; place < (byte + 1) * per_byte; place++) {
            if (place < skipped)
                continue;
            if (alike == 0)
                alike = find_unit(movement, place - skipped, &unit, &step);
            if (alike == 0)
                continue;
            uint32_t shift = shift_of(movement, place, per_byte);
            value |= (((uint32_t)src[unit / per_byte] >> shift_of(movement, unit, per_byte)) & mask) << shift;
            written |= mask << shift;
            unit += step;
            alike--;
        }
        if (written)
            dst[byte] = (unsigned char)(value | (dst[byte] & ~written));
    }
}
