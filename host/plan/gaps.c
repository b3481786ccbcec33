/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/gaps.h"

/* The bytes of a cache line. */
#define LINE 64

/* Axes that go by so many times what lies near, at most, leave little of what is read with it. */
#define NEAR_SPREAD 4

/* Takes the axes that do not repeat, each forwards, from the outside in by their strides in the source. Returns how many. */
static int32_t order_by_distance(const clm_axis *axes, int32_t rank, clm_axis *ordered) {
    int32_t count = 0;
    for (int32_t i = 0; i < rank; i++)
        if (axes[i].src != 0 && axes[i].extent > 1)
            ordered[count++] = (clm_axis){axes[i].extent, clm_distance(axes[i].src), axes[i].dst};
    clm_axes_order(ordered, count, true);
    return count;
}

bool clm_has_gaps(const clm_normal_form *form) {
    const int64_t line = LINE * 8 / (int64_t)form->unit_bits;
    clm_axis axes[CLM_MAX_AXES];
    int64_t span = 1;
    for (int32_t i = 0; i < form->rank; i++)
        if (form->axes[i].src < 0 && -form->axes[i].src < line)
            return true;
    for (int32_t i = order_by_distance(form->axes, form->rank, axes); i-- > 0 && axes[i].src < line;) {
        if (axes[i].src > span)
            return true;
        span += axes[i].src * (axes[i].extent - 1);
    }
    return false;
}

int64_t clm_count_near(const clm_axis *axes, int32_t rank, int64_t unit_bytes) {
    clm_axis ordered[CLM_MAX_AXES];
    int64_t units = 1, span = 1;
    for (int32_t i = order_by_distance(axes, rank, ordered); i-- > 0;) {
        if (ordered[i].src * unit_bytes >= LINE && ordered[i].src > NEAR_SPREAD * span)
            break;
        units *= ordered[i].extent;
        span += ordered[i].src * (ordered[i].extent - 1);
    }
    return units;
}
