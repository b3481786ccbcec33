/* The normal form of a map, and its units one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_FORM_WALK_H
#define CLMOVE_TESTS_FORM_WALK_H

#include "host/map/normal_form.h"
#include "support.h"

static inline clm_normal_form normal_form_of(const clmove_map *map) {
    clm_map held;
    clm_normal_form form;
    clm_map_load(map, &held);
    clm_form_from_map(&held, &form);
    clm_form_normalise(&form);
    return form;
}

typedef struct form_walk {
    const clm_normal_form *form;
    int64_t extents[CLM_MAX_AXES], index[CLM_MAX_AXES];
    /* The places of the unit, in units. */
    int64_t src, dst;
} form_walk;

static inline void form_walk_place(form_walk *at) {
    at->src = at->form->src_offset;
    at->dst = at->form->dst_offset;
    for (int32_t i = 0; i < at->form->rank; i++) {
        at->src += at->index[i] * at->form->axes[i].src;
        at->dst += at->index[i] * at->form->axes[i].dst;
    }
}

/* At the first unit of a form, which must have one. */
static inline form_walk form_walk_start(const clm_normal_form *form) {
    form_walk at = {.form = form};
    for (int32_t i = 0; i < form->rank; i++)
        at.extents[i] = form->axes[i].extent;
    form_walk_place(&at);
    return at;
}

/* False past the last unit. */
static inline bool form_walk_next(form_walk *at) {
    if (!next_index(at->form->rank, at->extents, at->index))
        return false;
    form_walk_place(at);
    return true;
}

#endif
