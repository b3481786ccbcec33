/* Plans: making them ready for one device, their kernels, and the fallback.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/plan.h"

#include "host/map/map.h"
#include "host/params.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

clmove_status clm_plan_begin(clmove_device *device, const clmove_map *given_map, const clmove_plan_params *given,
                             clmove_plan **plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan *created = NULL;
    clmove_plan_params params;
    clm_map map;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_params_read("clmove_plan_params", given, &params, sizeof params, error));
    TRY(clm_map_check(given_map, &map, error));
    const int64_t src_bytes = clm_map_src_bytes(&map), dst_bytes = clm_map_dst_bytes(&map);
    REQUIRE(src_bytes <= PTRDIFF_MAX && dst_bytes <= PTRDIFF_MAX, OVERFLOW, /* in a process of 32 bits */
            "the source has %" PRId64 " bytes and the destination %" PRId64 ", and in this process memory has at most %td",
            src_bytes, dst_bytes, PTRDIFF_MAX);
    TRY(clm_check_choice(&params.variant, params.index_bits, error));
    clm_tuned tuned = device->tuned;
    TRY(clm_tuned_add_list(&tuned, params.tuning, CLMOVE_TUNING_PARAMS, "clmove_plan_params.tuning", error));
    created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a plan");
    pthread_mutex_init(&created->lock, NULL);
    clm_device_retain(device);
    created->device = device;
    created->map = map;
    for (int32_t i = 0; i < device->executor_count; i++) {
        created->candidates[i].executor = device->executors[i];
        created->candidates[i].traits = device->executors[i]->traits;
    }
    created->candidates[0].traits.tuning = tuned.values;
    created->variant = params.variant;
    created->index_bits = params.index_bits;
    created->src_bytes = (size_t)src_bytes;
    created->dst_bytes = (size_t)dst_bytes;
    snprintf(created->fallback, sizeof created->fallback, "%s", device->fallback);
    clm_form_from_map(&map, &created->form);
    clm_form_normalise(&created->form);
    created->is_empty = clm_form_is_empty(&created->form);
    *plan = created;
out:
    return status;
}

/* The host's kernel is made first, since it cannot fail as others can: a failure of the others falls back to it. If auto chose
 * the host for clmove_run, the device's kernel is built by the first command that needs it. The first kernel of a process takes
 * POCL 478 ms, or 21 if its cache has it; the plan without it takes 22 us. */
clmove_status clm_plan_finish(clmove_plan *plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device *device = plan->device;
    clm_kernel *kernel;
    if (plan->is_empty)
        goto out;
    for (int32_t i = device->executor_count - 1; i >= 0; i--) {
        clm_candidate *it = &plan->candidates[i];
        const bool is_list = plan->members != NULL; /* what is forced is for the members */
        const char *variant = is_list ? NULL : plan->variant;
        if (i > 0 && clm_choose(&plan->form, &it->traits, variant, plan->index_bits, &it->launch_plan, NULL) != CLMOVE_OK)
            variant = NULL; /* the host has not all variants of a GPU */
        TRY(clm_choose(&plan->form, &it->traits, variant, is_list ? 0 : plan->index_bits, &it->launch_plan, error));
    }
    TRY(clm_plan_get_kernel(plan, clm_plan_host(plan), 0, &kernel, error));
    if (device->is_auto && device->prefers_host)
        plan->host_runs = device->prefers_host(plan, plan->run_reason, sizeof plan->run_reason);
    if (!plan->host_runs)
        TRY(clm_plan_make_ready(plan, error));
out:
    return status;
}

static void destroy_kernel(clm_kernel *kernel) {
    if (kernel)
        kernel->executor->calls->kernel_destroy(kernel);
}

void clm_plan_free(clmove_plan *plan) {
    if (!plan)
        return;
    for (clm_candidate *it = plan->candidates; it <= clm_plan_host(plan); it++)
        for (size_t i = 0; i < sizeof it->kernels / sizeof *it->kernels; i++)
            destroy_kernel(atomic_load(&it->kernels[i]));
    pthread_mutex_destroy(&plan->lock);
    clm_device_release(plan->device);
    free(plan);
}

clmove_status clm_plan_create(clmove_device *device, const clmove_map *map, const clmove_plan_params *params, clmove_plan **plan,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan *created = NULL;
    TRY(clm_plan_begin(device, map, params, &created, error));
    TRY(clm_plan_finish(created, error));
    *plan = created;
    created = NULL;
out:
    clm_plan_free(created);
    return status;
}

clmove_status clm_plan_make_ready(clmove_plan *plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    clm_candidate *candidate;
    clm_kernel *kernel;
    if (plan->is_empty)
        return status;
    do {
        candidate = clm_plan_current(plan);
        status = clm_plan_get_kernel(plan, candidate, 0, &kernel, &failure);
    } while (clm_plan_fall_back(plan, candidate, &status, &failure, error));
    return status;
}

/* The bits of the widest unit, up to unit_bits, that may begin at a byte, or address. */
static uint32_t find_unit_bits(const clm_candidate *candidate, size_t begin, uint32_t unit_bits) {
    size_t alignment = begin & (~begin + 1);
    bool any_alignment = candidate->traits.any_alignment || unit_bits <= 8;
    return any_alignment || begin == 0 || alignment >= unit_bits / 8 ? unit_bits : (uint32_t)alignment * 8;
}

void clm_plan_fit_form(const clm_candidate *candidate, size_t begin, clm_normal_form *form) {
    uint32_t unit_bits = find_unit_bits(candidate, begin, form->unit_bits);
    if (unit_bits != form->unit_bits)
        clm_form_narrow(form, unit_bits);
}

/* Without a lock, since programs may be built and the caller's log called. No program is built twice. */
clmove_status clm_plan_get_kernel(clmove_plan *plan, clm_candidate *candidate, size_t begin, clm_kernel **kernel,
                                  clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const uint32_t unit_bits = find_unit_bits(candidate, begin, plan->form.unit_bits);
    const bool is_narrow = unit_bits != plan->form.unit_bits;
    _Atomic(clm_kernel *) *place = &candidate->kernels[is_narrow ? 1 + __builtin_ctz(unit_bits / 8) : 0];
    clm_kernel *found = atomic_load(place), *made;
    if (!found) {
        clm_normal_form form = plan->form;
        clm_launch_plan chosen = candidate->launch_plan;
        if (is_narrow) { /* a forced choice may not fit any more */
            clm_form_narrow(&form, unit_bits);
            TRY(clm_choose(&form, &candidate->traits, NULL, 0, &chosen, error));
        }
        TRY(clm_kernel_make(plan, candidate, &form, &chosen, !is_narrow, &made, error));
        if (atomic_compare_exchange_strong(place, &found, made))
            found = made;
        else /* another thread was first */
            destroy_kernel(made);
    }
    *kernel = found;
out:
    return status;
}

bool clm_plan_fall_back(clmove_plan *plan, const clm_candidate *tried, clmove_status *status, const clmove_error *why,
                        clmove_error *error) {
    int which = (int)(tried - plan->candidates);
    if (*status == CLMOVE_OK)
        return false;
    if (tried == clm_plan_host(plan) || !clm_may_fall_back(plan->device->may_fall_back, *status)) {
        if (error)
            *error = *why;
        return false;
    }
    pthread_mutex_lock(&plan->lock);
    bool first = atomic_load(&plan->current) == which;
    if (first) {
        snprintf(plan->fallback, sizeof plan->fallback, "%s", why->text);
        atomic_store(&plan->current, which + 1);
    }
    pthread_mutex_unlock(&plan->lock);
    if (first)
        clm_device_log(plan->device, why->text);
    return true;
}

clmove_status clm_plan_run_on_host(clmove_plan *plan, const clm_spread *spread, const void *src, void *dst, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_candidate *host = clm_plan_host(plan);
    clm_kernel *kernel;
    TRY(clm_plan_get_kernel(plan, host, 0, &kernel, error));
    host->executor->calls->run(kernel, spread, src, dst);
    clm_plan_count(plan, host, 0);
out:
    return status;
}

void clm_plan_count(clmove_plan *plan, const clm_candidate *candidate, int64_t launches) {
    if (candidate == clm_plan_host(plan))
        atomic_fetch_add(&plan->device->host_runs, 1);
    else
        atomic_fetch_add(&plan->device->kernels_run, (uint64_t)launches);
}
