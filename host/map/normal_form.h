/* The normal form of a map: the fewest axes and the widest unit that move the same bytes.
 *
 * Two maps that move the same bytes in the same way have the same normal form, however they were written, so whatever chooses
 * by normal form cannot be fooled by unit axes, foldable axes or narrow elements.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_MAP_NORMAL_FORM_H
#define CLMOVE_HOST_MAP_NORMAL_FORM_H

#include "host/map/map.h"

#define CLM_MAX_UNIT_BITS 128

/* One loop: `extent` steps, each moving `src` and `dst` units on. */
typedef struct clm_axis {
    int64_t extent, src, dst;
} clm_axis;

/* Destination unit dst_offset + sum(i[k] * axes[k].dst) is source unit src_offset + sum(i[k] * axes[k].src), for all i. Axes
 * stand outermost first. No axes: one unit. A form that moves nothing has one axis of extent 0. */
typedef struct clm_normal_form {
    uint32_t unit_bits; /* a power of two, 1 to CLM_MAX_UNIT_BITS */
    bool msb_first;     /* order of units inside a byte, where they are smaller */
    int64_t src_offset, dst_offset;
    int32_t rank;
    clm_axis axes[CLM_MAX_AXES];
} clm_normal_form;

/* Writes the axes of a checked map, not normalised yet. */
void clm_form_from_map(const clm_map *map, clm_normal_form *form);

/* Normalises in place: drops unit axes, makes destination strides positive, orders by destination stride, folds neighbours,
 * widens the unit. Idempotent, and independent of the order of the axes. The destination strides must nest. */
void clm_form_normalise(clm_normal_form *form);

/* The same movement in units of unit_bits, at least 8, which divide the form's: for memory that is less aligned than the form's
 * units. Normalised, but for the unit. */
void clm_form_narrow(clm_normal_form *form, uint32_t unit_bits);

/* Whether nothing moves. */
bool clm_form_is_empty(const clm_normal_form *form);

/* Units that a form writes. */
int64_t clm_form_units(const clm_normal_form *form);

/* Writes "u4 [2:0:60][4:5:15]": the unit in bytes (b1, b2, b4 in bits), then each axis as [extent:src:dst], then the offsets
 * where they are not 0. Cut to capacity. Returns the length that the whole text has. */
size_t clm_form_text(const clm_normal_form *form, char *text, size_t capacity);

#endif
