/* SPDX-License-Identifier: Apache-2.0 */
#include "host/run/self_test_forms.h"

#include "host/plan/shuffle.h"
#include "host/run/self_test_makers.h"

#include <inttypes.h>

/* The first byte of an unaligned destination in a cache line: no multiple of a unit, or an odd number of units. */
#define ODD_BYTES 37
#define ODD_UNITS(unit_bytes) ((ODD_BYTES / (unit_bytes) | 1) * (unit_bytes))

/* Cut small enough that there are several jobs and items, with odd ones at the ends. */
static clmove_status choose(test_form *form, const clm_traits *traits, uint32_t index_bits, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_launch_plan *launch_plan = &form->launch_plan;
    clm_traits cut = *traits;
    clm_tuned tuned;
    clm_tuned_start(&tuned, traits->few_long_runs ? CLM_CLASS_CPU : CLM_CLASS_GPU, traits->max_local_size);
    cut.tuning = tuned.values;
    if (traits->tuning.local_size != CLM_NO_KEY) /* drivers may compile a kernel anew for each */
        cut.tuning.local_size = traits->tuning.local_size;
    cut.tuning.strips = traits->tuning.strips;
    cut.items_make_tables = false; /* which would make items long */
    TRY(clm_choose(&form->form, &cut, form->variant, index_bits, launch_plan, error));
    const int64_t units = form->cut < 0 ? -form->cut : launch_plan->n * (traits->takes_rows ? form->cut : 1);
    cut.tuning.segment_bytes = units * clm_unit_bytes(launch_plan) * (traits->few_long_runs ? launch_plan->m : 1);
    if (traits->few_long_runs) {
        TRY(clm_choose(&form->form, &cut, form->variant, index_bits, launch_plan, error));
        const int64_t tile_bytes =
            launch_plan->segment * launch_plan->band * launch_plan->run_units * clm_unit_bytes(launch_plan);
        cut.tuning.item_min_bytes =
            2 * (launch_plan->variant->makes_tiles ? tile_bytes : cut.tuning.segment_bytes) + 1; /* two jobs */
        cut.tuning.items_per_worker = 65536;
    } else {
        TRY(clm_choose(&form->form, &cut, form->variant, index_bits, launch_plan, error));
        cut.tuning.max_items = (launch_plan->jobs / 2 + 1) * (launch_plan->variant->is_local ? launch_plan->local_size : 1);
    }
    TRY(clm_choose(&form->form, &cut, form->variant, index_bits, launch_plan, error));
    launch_plan->window = clm_find_window(launch_plan, traits);
out:
    return status;
}

/* The bytes of a form's source, or destination. */
static size_t span_of(const clm_normal_form *form, bool is_src) {
    int64_t last = is_src ? form->src_offset : form->dst_offset;
    for (int32_t i = 0; i < form->rank; i++) {
        int64_t stride = is_src ? form->axes[i].src : form->axes[i].dst;
        last += stride > 0 ? (form->axes[i].extent - 1) * stride : 0;
    }
    return (size_t)((last + 1) * form->unit_bits + 7) / 8;
}

/* Raises UNSUPPORTED where the test's memory does not take the launch. */
static clmove_status add_launch(clm_test_launches *to, const test_form *form, uint32_t way, const clm_traits *traits,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(to->count < CLM_TEST_LAUNCHES, UNSUPPORTED, "a self-test of %s has more than %d launches", form->variant,
            CLM_TEST_LAUNCHES);
    const size_t unit_bytes = (size_t)clm_unit_bytes(&form->launch_plan);
    clm_launch_plan *launch_plan = &to->launch_plans[to->count];
    clm_trial_launch *it = &to->of[to->count];
    to->forms[to->count] = form->form;
    it->launch_plan = launch_plan;
    *launch_plan = form->launch_plan;
    launch_plan->stream = way & (STREAM_AT_LINE | STREAM_ANYWHERE);
    it->src_base = (traits->any_alignment ? 5 : unit_bytes) * (to->count % 8);
    it->dst_base = (to->dst_bytes + 2 * LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (way & (CACHED_ANYWHERE | STREAM_ANYWHERE))
        it->dst_base += !traits->any_alignment ? unit_bytes : to->count % 2 == 0 ? ODD_BYTES : ODD_UNITS(unit_bytes);
    size_t src_end = it->src_base + span_of(&form->form, true);
    to->src_bytes = src_end > to->src_bytes ? src_end : to->src_bytes;
    to->dst_bytes = it->dst_base + span_of(&form->form, false) + LINE_BYTES;
    to->count++;
    REQUIRE(to->src_bytes <= CLM_TEST_SRC_BYTES && to->dst_bytes <= CLM_TEST_DST_BYTES, UNSUPPORTED,
            "a self-test of %s for units of %" PRIu32 " bits takes %zu and %zu bytes, there are %d and %d", form->variant,
            form->form.unit_bits, to->src_bytes, to->dst_bytes, CLM_TEST_SRC_BYTES, CLM_TEST_DST_BYTES);
out:
    return status;
}

/* Only kernels that take rows have non-temporal stores. Each form comes once with another of its ways before the first comes
 * again, so that the few launches of a slow driver have many forms and ways. */
clmove_status clm_test_launches_find(const clm_launch_plan *tested, const clm_traits *traits, clm_test_launches *launches,
                                     clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const uint32_t possible = traits->takes_rows ? ALL_WAYS : CACHED_AT_LINE | CACHED_ANYWHERE;
    test_form forms[CLM_TEST_FORMS + 1];
    size_t count = clm_test_forms_make(tested, traits, forms);
    launches->count = launches->src_bytes = launches->dst_bytes = 0;
    REQUIRE(count <= CLM_TEST_FORMS, UNSUPPORTED, "a self-test of %s has %zu forms, there is room for %d",
            clm_source_names[tested->variant->source], count, CLM_TEST_FORMS);
    for (size_t i = 0; i < count; i++)
        TRY(choose(&forms[i], traits, tested->index_bits, error));
    for (size_t round = 0; round < WAYS; round++)
        for (size_t i = 0; i < count; i++) {
            if (tested->variant->is_local &&
                forms[i].launch_plan.constant != tested->constant) /* a tile that another device would cut otherwise */
                continue;
            const uint32_t way = 1U << (round + i) % WAYS;
            if (forms[i].ways & possible & way)
                TRY(add_launch(launches, &forms[i], way, traits, error));
        }
out:
    return status;
}
