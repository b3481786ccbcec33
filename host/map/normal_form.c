/* SPDX-License-Identifier: Apache-2.0 */
#include "host/map/normal_form.h"

#include "host/checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The largest power of two that divides bits, at most CLM_MAX_UNIT_BITS. */
static uint32_t unit_of(uint32_t element_bits) {
    uint32_t unit = element_bits & (~element_bits + 1);
    return unit > CLM_MAX_UNIT_BITS ? CLM_MAX_UNIT_BITS : unit;
}

void clm_form_from_map(const clm_map *map, clm_normal_form *form) {
    uint32_t unit_bits = unit_of(map->element_bits);
    int64_t width =
        map->element_bits / unit_bits; /* units in an element; the checked sizes in bytes bound all products with it */
    int64_t strides[CLMOVE_MAX_RANK], dense = width;
    bool empty = false;
    for (int32_t i = map->rank - 1; i >= 0; i--) {
        empty = empty || map->dims[i] == 0;
        strides[i] = map->dst_is_view ? (map->dims[i] > 1 ? map->dst_strides[i] * width : 0) : dense;
        dense = empty ? 0 : dense * map->dims[i];
    }
    *form = (clm_normal_form){.unit_bits = unit_bits, .msb_first = map->element_bits == 1, .rank = 1};
    if (empty)
        return;
    form->src_offset = map->src_offset * width;
    form->dst_offset = map->dst_is_view ? map->dst_offset * width : 0;
    form->rank = map->axis_count + (width > 1);
    if (width > 1)
        form->axes[map->axis_count] = (clm_axis){.extent = width, .src = 1, .dst = 1};
    for (int32_t i = map->axis_count - 1; i >= 0; i--) {
        const clm_map_axis *axis = &map->axes[i];
        form->axes[i] = (clm_axis){.extent = axis->extent, .src = axis->src_stride * width, .dst = strides[axis->dim]};
        /* After the last axis of a dimension the product may exceed int64_t; it is not used then. */
        strides[axis->dim] = (int64_t)((uint64_t)strides[axis->dim] * (uint64_t)axis->extent);
    }
}

static void drop_unit_axes(clm_normal_form *form) {
    int32_t kept = 0;
    for (int32_t i = 0; i < form->rank; i++)
        if (form->axes[i].extent != 1)
            form->axes[kept++] = form->axes[i];
    form->rank = kept;
}

static void make_dst_positive(clm_normal_form *form) {
    for (int32_t i = 0; i < form->rank; i++) {
        clm_axis *axis = &form->axes[i];
        if (axis->dst >= 0)
            continue;
        form->src_offset += (axis->extent - 1) * axis->src;
        form->dst_offset += (axis->extent - 1) * axis->dst;
        axis->src = -axis->src;
        axis->dst = -axis->dst;
    }
}

void clm_axes_order(clm_axis *axes, int32_t rank, bool by_src) {
    for (int32_t i = 1; i < rank; i++) {
        const clm_axis axis = axes[i];
        int32_t place = i;
        for (; place > 0 && (by_src ? axes[place - 1].src < axis.src : axes[place - 1].dst < axis.dst); place--)
            axes[place] = axes[place - 1];
        axes[place] = axis;
    }
}

/* One pass from the inside suffices: folding changes the extent of the inner axis, not the strides that are compared. */
static void fold_neighbours(clm_normal_form *form) {
    int32_t kept = CLM_MAX_AXES;
    for (int32_t i = form->rank - 1; i >= 0; i--) {
        clm_axis outer = form->axes[i];
        clm_axis *inner = kept < CLM_MAX_AXES ? &form->axes[kept] : NULL;
        int64_t src_spread;
        if (inner && !__builtin_mul_overflow(inner->src, inner->extent, &src_spread) && outer.src == src_spread &&
            outer.dst / inner->extent == inner->dst && outer.dst % inner->extent == 0)
            inner->extent *= outer.extent;
        else
            form->axes[--kept] = outer;
    }
    form->rank = CLM_MAX_AXES - kept;
    memmove(form->axes, &form->axes[kept], (size_t)form->rank * sizeof *form->axes);
}

/* Joins pairs of units while the innermost axis is contiguous and everything else is even. */
static void widen_unit(clm_normal_form *form) {
    while (form->rank > 0 && form->unit_bits < CLM_MAX_UNIT_BITS) {
        clm_axis *inner = &form->axes[form->rank - 1];
        int64_t odd = inner->extent | form->src_offset | form->dst_offset;
        for (int32_t i = 0; i < form->rank - 1; i++)
            odd |= form->axes[i].src | form->axes[i].dst;
        if (inner->src != 1 || inner->dst != 1 || odd & 1)
            return;
        inner->extent /= 2;
        if (inner->extent == 1)
            form->rank--;
        for (int32_t i = 0; i < form->rank; i++)
            if (&form->axes[i] != inner) {
                form->axes[i].src /= 2;
                form->axes[i].dst /= 2;
            }
        form->src_offset /= 2;
        form->dst_offset /= 2;
        form->unit_bits *= 2;
    }
}

void clm_form_narrow(clm_normal_form *form, uint32_t unit_bits) {
    int64_t parts = form->unit_bits / unit_bits;
    for (int32_t i = 0; i < form->rank; i++) {
        form->axes[i].src *= parts;
        form->axes[i].dst *= parts;
    }
    form->src_offset *= parts;
    form->dst_offset *= parts;
    form->axes[form->rank++] = (clm_axis){.extent = parts, .src = 1, .dst = 1};
    form->unit_bits = unit_bits;
    drop_unit_axes(form);
    fold_neighbours(form);
}

void clm_form_normalise(clm_normal_form *form) {
    if (clm_form_is_empty(form)) {
        *form = (clm_normal_form){.unit_bits = form->unit_bits, .msb_first = form->msb_first, .rank = 1};
        return;
    }
    drop_unit_axes(form);
    make_dst_positive(form);
    clm_axes_order(form->axes, form->rank, false);
    fold_neighbours(form);
    widen_unit(form);
}

bool clm_form_is_empty(const clm_normal_form *form) {
    for (int32_t i = 0; i < form->rank; i++)
        if (form->axes[i].extent == 0)
            return true;
    return false;
}

int64_t clm_form_units(const clm_normal_form *form) {
    int64_t units = 1;
    for (int32_t i = 0; i < form->rank; i++)
        units *= form->axes[i].extent;
    return units;
}

int64_t clm_form_units_read(const clm_normal_form *form) {
    int64_t units = 1;
    for (int32_t i = 0; i < form->rank; i++)
        units *= form->axes[i].src ? form->axes[i].extent : 1;
    return units;
}

int64_t clm_form_bytes(const clm_normal_form *form, int64_t units) {
    return form->unit_bits < 8 ? clm_divide_up(units, 8 / form->unit_bits) : units * (form->unit_bits / 8);
}

size_t clm_form_text(const clm_normal_form *form, char *text, size_t capacity) {
    size_t length = 0;
#define APPEND(...)                                                                                                              \
    do {                                                                                                                         \
        int written =                                                                                                            \
            snprintf(length < capacity ? text + length : NULL, length < capacity ? capacity - length : 0, __VA_ARGS__);          \
        length += written > 0 ? (size_t)written : 0;                                                                             \
    } while (0)
    APPEND(form->unit_bits < 8 ? "b%" PRIu32 : "u%" PRIu32, form->unit_bits < 8 ? form->unit_bits : form->unit_bits / 8);
    APPEND(form->rank ? " " : " [1]");
    for (int32_t i = 0; i < form->rank; i++)
        APPEND("[%" PRId64 ":%" PRId64 ":%" PRId64 "]", form->axes[i].extent, form->axes[i].src, form->axes[i].dst);
    if (form->src_offset)
        APPEND(" src+%" PRId64, form->src_offset);
    if (form->dst_offset)
        APPEND(" dst+%" PRId64, form->dst_offset);
#undef APPEND
    return length;
}
