/* Choosing the variant and the index width for a normal form.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/local.h"
#include "host/plan/shuffle.h"
#include "host/plan/ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t last_of(int64_t extent, int64_t stride) {
    return stride > 0 ? (extent - 1) * stride : 0;
}

int64_t clm_last_src(const clm_launch_plan *launch_plan) {
    const bool is_local = launch_plan->src_run > 0; /* and so some axes lead from slots, and tiles along n and m are outer axes */
    const int32_t rank = launch_plan->outer_rank + launch_plan->m_rank + (is_local ? 0 : launch_plan->n_rank);
    int64_t last = launch_plan->src_offset;
    for (int32_t i = launch_plan->lead_rank; i < rank; i++)
        last += last_of(launch_plan->outer[i].extent, launch_plan->outer[i].src);
    if (is_local) { /* what the last tiles lack */
        const clm_axis *along_n = &launch_plan->outer[launch_plan->outer_rank - 1], *along_m = along_n - 1;
        return last - last_of(along_n->extent * launch_plan->segment - launch_plan->n + 1, launch_plan->n_src) -
               last_of(along_m->extent * launch_plan->band - launch_plan->m + 1, launch_plan->m_src);
    }
    return last + last_of(launch_plan->q, launch_plan->q_src) + last_of(launch_plan->n, launch_plan->n_src) +
           last_of(launch_plan->m, launch_plan->m_src) + launch_plan->run_units - 1;
}

int64_t clm_written_bytes(const clm_normal_form *form) {
    return clm_form_bytes(form, clm_form_units(form));
}

int64_t clm_read_bytes(const clm_normal_form *form) {
    return clm_form_bytes(form, clm_form_units_read(form));
}

/* Whether every index that a kernel computes is below 2^31. Negative steps lead towards 0, where memory begins. */
static bool reaches_in_32_bits(const clm_normal_form *form, const clm_launch_plan *launch_plan) {
    const int64_t limit = INT64_C(1) << 31;
    int64_t src_last = form->src_offset, dst_last = form->dst_offset;
    for (int32_t i = 0; i < form->rank; i++) {
        const clm_axis *axis = &form->axes[i];
        if (axis->src > 0)
            src_last += (axis->extent - 1) * axis->src;
        dst_last += (axis->extent - 1) * axis->dst;
    }
    return src_last < limit && dst_last < limit && launch_plan->jobs < limit &&
           launch_plan->item_jobs * launch_plan->items < limit;
}

clmove_status clm_check_choice(const char **variant, uint32_t index_bits, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char names[128] = "";
    size_t length = 0;
    const char *found = NULL;
    for (const clm_variant *row = clm_variants; row->name; row++) {
        if (*variant && strcmp(*variant, row->name) == 0)
            found = row->name;
        int written = snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", row->name);
        length += written > 0 ? (size_t)written : 0;
    }
    REQUIRE(index_bits == 0 || index_bits == 32 || index_bits == 64, INVALID_ARGUMENT,
            "indices of %" PRIu32 " bits: index_bits must be 32, 64 or 0", index_bits);
    REQUIRE(found || !*variant, INVALID_ARGUMENT, "there is no variant \"%s\": there are %s", *variant, names);
    *variant = found;
out:
    return status;
}

bool clm_has_variant(const clm_launch_plan *launch_plan, const clm_variant *row) {
    return (launch_plan->takes_rows || !(row->makes_tiles || row->makes_blocks)) && (launch_plan->has_local || !row->is_local) &&
           (launch_plan->has_passes || !row->makes_passes);
}

bool clm_gathers_runs(const clm_launch_plan *launch_plan) {
    return launch_plan->variant->source == CLM_GATHER && launch_plan->m > 1 && launch_plan->m_src == 1 && launch_plan->m_dst == 1;
}

bool clm_gathers_short_rows(const clm_launch_plan *launch_plan) {
    return launch_plan->variant->source == CLM_GATHER && launch_plan->passed_over >> CLM_DEINTERLEAVE & 1 &&
           !clm_gathers_runs(launch_plan);
}

bool clm_launch_plans_are_equal(const clm_launch_plan *a, const clm_launch_plan *b) {
    bool same = a->lead_rank == b->lead_rank && a->outer_rank == b->outer_rank && a->turn_rank == b->turn_rank &&
                a->n_rank == b->n_rank && a->m_rank == b->m_rank &&
                memcmp(a->outer, b->outer, (size_t)(a->outer_rank + a->n_rank + a->m_rank) * sizeof *a->outer) == 0;
#define SAME(field) (a->field == b->field)
    return same && SAME(variant) && SAME(unit_bits) && SAME(msb_first) && SAME(index_bits) && SAME(src_offset) &&
           SAME(dst_offset) && SAME(q) && SAME(q_src) && SAME(q_dst) && SAME(n) && SAME(n_src) && SAME(n_dst) && SAME(m) &&
           SAME(m_src) && SAME(m_dst) && SAME(launches) && SAME(rows) && SAME(segment) && SAME(band) && SAME(run_units) &&
           SAME(src_run) && SAME(src_runs) && SAME(src_lanes) && SAME(dst_run) && SAME(dst_runs) && SAME(dst_lanes) &&
           SAME(cuts) && SAME(blocks_together) && SAME(window) && SAME(chunk_bytes) && SAME(segments) && SAME(jobs) &&
           SAME(item_jobs) && SAME(items) && SAME(local_size) && SAME(neighbours) && SAME(stream) && SAME(in_strips) &&
           SAME(in_rooms) && SAME(in_wide_strips) && SAME(constant);
#undef SAME
}

/* Cuts a fitted launch plan, and chooses the width of indices: 32 bits if they suffice, and then one launch has more axes.
 * Returns whether they do. */
static bool set_up(const clm_normal_form *form, const clm_traits *traits, uint32_t index_bits, clm_launch_plan *launch_plan) {
    const clm_launch_plan fitted = *launch_plan;
    const bool may_be_narrow = form->unit_bits >= 8 && index_bits != 64;
    clm_set_geometry(launch_plan, traits, may_be_narrow ? traits->max_outer_narrow : traits->max_outer);
    const bool narrow = reaches_in_32_bits(form, launch_plan);
    if (!narrow && may_be_narrow && traits->max_outer != traits->max_outer_narrow) {
        *launch_plan = fitted;
        clm_set_geometry(launch_plan, traits, traits->max_outer);
    }
    launch_plan->index_bits = traits->indexes_in_64_bit ? 64 : index_bits ? index_bits : narrow ? 32 : 64;
    return narrow;
}

clmove_status clm_choose(const clm_normal_form *form, const clm_traits *traits, const char *variant, uint32_t index_bits,
                         clm_launch_plan *launch_plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_launch_plan empty = {.unit_bits = form->unit_bits,
                                   .msb_first = form->msb_first,
                                   .run_units = 1,
                                   .src_offset = form->src_offset,
                                   .dst_offset = form->dst_offset,
                                   .takes_rows = traits->takes_rows,
                                   .part_squares = traits->part_squares,
                                   .has_images = traits->has_images,
                                   .has_passes = traits->has_passes,
                                   .is_pass = traits->is_pass,
                                   .has_short_vectors = traits->has_short_vectors,
                                   .in_strips = clm_wants_strips(&traits->tuning),
                                   .in_wide_strips = clm_wants_wide_strips(&traits->tuning),
                                   .has_local = !traits->few_long_runs && traits->local_bytes >= CLM_LOCAL_MEMORY_BYTES};
    bool narrow = false, is_found = false, device_has = false;
    uint32_t passed_over = 0;
    for (const clm_variant *row = clm_variants; row->name && !is_found; row++) {
        *launch_plan = empty;
        launch_plan->variant = row;
        if ((variant && strcmp(variant, row->name) != 0) || !clm_has_variant(launch_plan, row))
            continue;
        device_has = true;
        if (!row->fits(form, launch_plan))
            continue;
        narrow = set_up(form, traits, index_bits, launch_plan);
        const bool is_poor = row->is_poor && row->is_poor(form, launch_plan, traits);
        is_found = variant || !is_poor;
        passed_over |= is_poor ? UINT32_C(1) << row->source : 0;
    }
    launch_plan->passed_over = passed_over;
    REQUIRE(is_found || device_has, UNSUPPORTED, "this device has no variant \"%s\"", variant);
    REQUIRE(is_found, UNSUPPORTED, "variant \"%s\" does not fit this map", variant);
    REQUIRE(index_bits != 32 || narrow, UNSUPPORTED, "32-bit indices do not suffice for this map");
out:
    return status;
}

clmove_status clm_choose_pass(const clm_normal_form *form, const clm_traits *traits, uint32_t index_bits, bool is_second,
                              bool streams, clm_launch_plan *launch_plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_traits own = *traits;
    own.has_passes = false;
    own.is_pass = true;
    own.tuning.stream_min_bytes = is_second && streams ? 1 : INT64_MAX;
    TRY(clm_choose(form, &own, NULL, index_bits, launch_plan, error));
    launch_plan->frame_part = 0; /* what the second pass reads is near */
out:
    return status;
}
