/* The normal form of a map: the fewest axes and the widest unit that move the same bytes.
 *
 * Two maps that move the same bytes in the same order have the same normal form. So a choice by normal form does not depend on
 * unit axes, foldable axes or narrow elements.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_MAP_NORMAL_FORM_H
#define CLMOVE_HOST_MAP_NORMAL_FORM_H

#include "host/map/map.h"

#define CLM_MAX_UNIT_BITS 128

/* One loop: `extent` steps of `src` and `dst` units. */
typedef struct clm_axis {
    int64_t extent, src, dst;
} clm_axis;

/* How far apart a stride leads, whatever its direction. */
static inline int64_t clm_distance(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

/* Destination unit dst_offset + sum(i[k] * axes[k].dst) is source unit src_offset + sum(i[k] * axes[k].src), for all i. Axes are
 * outermost first. Without axes the form moves one unit. A form that moves nothing has one axis of extent 0. */
typedef struct clm_normal_form {
    /* A power of two, 1 to CLM_MAX_UNIT_BITS. */
    uint32_t unit_bits;
    /* The order of units in a byte, if units are smaller than a byte. */
    bool msb_first;
    int64_t src_offset, dst_offset;
    int32_t rank;
    clm_axis axes[CLM_MAX_AXES];
} clm_normal_form;

/* Writes the axes of a checked map, not normalised. */
void clm_form_from_map(const clm_map *map, clm_normal_form *form);

/* Normalises in place: drops unit axes, makes destination strides positive, orders by destination stride, folds neighbours,
 * widens the unit. The destination strides must nest. The result does not depend on the order of the axes; a second call changes
 * nothing. */
void clm_form_normalise(clm_normal_form *form);

/* Narrows the units of a form to unit_bits, for memory that is less aligned than the form's units. unit_bits is at least 8 and
 * divides the form's. The result is normalised except for the unit. */
void clm_form_narrow(clm_normal_form *form, uint32_t unit_bits);

/* Whether the form moves nothing. */
bool clm_form_is_empty(const clm_normal_form *form);

/* The units that a form writes, and those that it reads, each counted once. */
int64_t clm_form_units(const clm_normal_form *form);
int64_t clm_form_units_read(const clm_normal_form *form);

/* The bytes of so many units of a form, rounded up. */
int64_t clm_form_bytes(const clm_normal_form *form, int64_t units);

/* Orders axes by one stride, the largest first. Axes with equal strides keep their order. */
void clm_axes_order(clm_axis *axes, int32_t rank, bool by_src);

/* Writes a form as text, such as "u4 [2:0:60][4:5:15]", and cuts it to capacity. It has the unit in bytes (b1, b2, b4 in bits),
 * each axis as [extent:src:dst], and the offsets if they are not 0. Returns the length of the whole text. */
size_t clm_form_text(const clm_normal_form *form, char *text, size_t capacity);

#endif
