/* Sub-byte units, driven by the destination: whoever has a byte of it has all of that byte, so threads never share one. Where the
 * destination has no gaps its places are walked in order; else each run of places that go on alike is looked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/reference/bits.h"

#include <string.h>

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

static void move_any(const clm_movement *movement, int64_t first, int64_t count, const unsigned char *src, unsigned char *dst) {
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

/* ---- destinations without gaps ---- */

static bool has_gaps(const clm_movement *movement) {
    int64_t span = 1;
    for (int32_t i = movement->outer_rank - 1; i >= 0; i--) {
        if (movement->outer[i].dst != span)
            return true;
        span *= movement->outer[i].extent;
    }
    return false;
}

static int64_t units_of(const clm_movement *movement) {
    int64_t units = 1;
    for (int32_t i = 0; i < movement->outer_rank; i++)
        units *= movement->outer[i].extent;
    return units;
}

/* Where the walk is: what is left of the innermost axis goes on with its step. */
typedef struct walk {
    int64_t unit, left;
    int64_t index[CLMOVE_MAX_AXES];
} walk;

static void start_walk(const clm_movement *movement, int64_t place, walk *at) {
    at->unit = movement->src_offset;
    at->left = 1;
    for (int32_t i = movement->outer_rank - 1; i >= 0; i--) {
        const clm_axis *axis = &movement->outer[i];
        at->index[i] = place % axis->extent;
        place /= axis->extent;
        at->unit += at->index[i] * axis->src;
        if (i == movement->outer_rank - 1)
            at->left = axis->extent - at->index[i];
    }
}

/* To the start of the next run, after the last unit of the innermost axis. */
static void next_run(const clm_movement *movement, walk *at) {
    const int32_t inner = movement->outer_rank - 1;
    at->unit -= movement->outer[inner].extent * movement->outer[inner].src;
    at->left = movement->outer[inner].extent;
    for (int32_t i = inner - 1; i >= 0; i--) {
        const clm_axis *axis = &movement->outer[i];
        at->unit += axis->src;
        if (++at->index[i] < axis->extent)
            return;
        at->unit -= axis->extent * axis->src;
        at->index[i] = 0;
    }
}

/* Whole bytes of a run of contiguous units. */
static inline __attribute__((always_inline)) void copy_whole(unsigned char *to, const unsigned char *src, int64_t unit,
                                                             int64_t bytes, int64_t bits, bool msb_first) {
    const int64_t off = unit % (8 / bits) * bits;
    src += unit / (8 / bits);
    if (off == 0) {
        memcpy(to, src, (size_t)bytes);
        return;
    }
    for (int64_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(msb_first ? src[i] << off | src[i + 1] >> (8 - off) : src[i] >> off | src[i + 1] << (8 - off));
}

/* Bytes that are units of the movement throughout. */
static inline __attribute__((always_inline)) void fill_bytes(const clm_movement *movement, walk *at, int64_t count,
                                                             const unsigned char *src, unsigned char *dst, int64_t bits,
                                                             bool msb_first) {
    const int64_t per_byte = 8 / bits, step = movement->outer_rank ? movement->outer[movement->outer_rank - 1].src : 0;
    const uint32_t mask = (1u << bits) - 1;
    unsigned char *const end = dst + count;
    uint32_t value = 0;
    int64_t have = 0;
    while (dst < end) {
        if (step == 1 && have == 0 && at->left >= per_byte) {
            int64_t bytes = at->left / per_byte < end - dst ? at->left / per_byte : end - dst;
            copy_whole(dst, src, at->unit, bytes, bits, msb_first);
            dst += bytes;
            at->unit += bytes * per_byte;
            at->left -= bytes * per_byte;
        }
        int64_t room = (end - dst) * per_byte - have, units = at->left < room ? at->left : room, unit = at->unit;
        for (int64_t i = 0; i < units; i++, unit += step) {
            const int64_t from = (int64_t)((uint64_t)unit % (uint64_t)per_byte) * bits, to = have * bits;
            const uint32_t byte = src[(uint64_t)unit / (uint64_t)per_byte];
            value |= msb_first ? (byte >> (8 - bits - from) & mask) << (8 - bits - to) : (byte >> from & mask) << to;
            if (++have == per_byte) {
                *dst++ = (unsigned char)value;
                value = 0;
                have = 0;
            }
        }
        at->unit = unit;
        at->left -= units;
        if (at->left == 0 && dst < end)
            next_run(movement, at);
    }
}

void clm_move_bits(const clm_movement *movement, int64_t first, int64_t count, const unsigned char *src, unsigned char *dst) {
    const int64_t per_byte = 8 / movement->unit_bits, skipped = movement->dst_offset % per_byte, end = first + count;
    int64_t from = first, to = (skipped + units_of(movement)) / per_byte; /* the bytes without a place that is no unit */
    if (from == 0 && skipped > 0)
        from = 1;
    if (to > end)
        to = end;
    if (from >= to || movement->outer_rank == 0 || has_gaps(movement)) {
        move_any(movement, first, count, src, dst);
        return;
    }
    walk at;
    unsigned char *out = dst + movement->dst_offset / per_byte + from;
    start_walk(movement, from * per_byte - skipped, &at);
    switch (movement->unit_bits * 2 + movement->msb_first) {
#define CASE(bits, msb_first)                                                                                                    \
    case bits * 2 + msb_first:                                                                                                   \
        fill_bytes(movement, &at, to - from, src, out, bits, msb_first);                                                         \
        break;
        CASE(1, false)
        CASE(1, true)
        CASE(2, false)
        CASE(2, true)
        CASE(4, false)
        CASE(4, true)
#undef CASE
    default:
        break;
    }
    move_any(movement, first, from - first, src, dst);
    move_any(movement, to, end - to, src, dst);
}
