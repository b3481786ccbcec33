/* Plans: maps made ready for a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/plan.h"

#include "host/map/map.h"
#include "host/params.h"
#include "host/run/kernel.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* If auto chose the host for clmove_run, the kernel is built by the first command that needs it. The first kernel of a process
 * takes POCL 478 ms, or 21 if its cache has it; the plan without it takes 22 us. */
static clmove_status prepare(clmove_plan *plan, clm_candidate *candidate, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device *device = plan->device;
    clm_kernel *kernel;
    TRY(clm_choose(&plan->form, &candidate->traits, plan->variant, plan->index_bits, &candidate->launch_plan, error));
    if (candidate == plan->candidates && device->is_auto && device->prefers_host)
        plan->host_runs = device->prefers_host(plan, plan->run_reason, sizeof plan->run_reason);
    if (!plan->host_runs)
        TRY(clm_plan_get_own_kernel(plan, candidate, &kernel, error));
out:
    return status;
}

/* The host's candidate is made first, since it cannot fail as others can. A failure of the others falls back to it. */
static clmove_status prepare_all(clmove_plan *plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    int32_t last = plan->device->executor_count - 1;
    TRY(prepare(plan, &plan->candidates[last], error));
    for (int32_t i = 0; i < last && i == atomic_load(&plan->current); i++) {
        status = prepare(plan, &plan->candidates[i], &failure);
        if (status == CLMOVE_OK)
            break;
        TRY(clm_plan_fall_back(plan, &plan->candidates[i], &failure, error));
    }
out:
    return status;
}

/* In a process of 32 bits a tensor may be larger than any memory. */
static clmove_status check_memory(int64_t src_bytes, int64_t dst_bytes, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(src_bytes <= PTRDIFF_MAX && dst_bytes <= PTRDIFF_MAX, OVERFLOW,
            "the source has %" PRId64 " bytes and the destination %" PRId64 ", and in this process memory has at most %td",
            src_bytes, dst_bytes, PTRDIFF_MAX);
out:
    return status;
}

clmove_status clmove_plan_create(clmove_device *device, const clmove_map *given_map, const clmove_plan_params *given,
                                 clmove_plan **plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan *created = NULL;
    clmove_plan_params params;
    clm_map map;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_params_read("clmove_plan_params", given, &params, sizeof params, error));
    TRY(clm_map_check(given_map, &map, error));
    TRY(check_memory(clm_map_src_bytes(&map), clm_map_dst_bytes(&map), error));
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
        atomic_init(&created->candidates[i].kernel, NULL);
    }
    created->candidates[0].traits.tuning = tuned.values;
    created->variant = params.variant;
    created->index_bits = params.index_bits;
    created->src_bytes = (size_t)clm_map_src_bytes(&map);
    created->dst_bytes = (size_t)clm_map_dst_bytes(&map);
    atomic_init(&created->current, 0);
    snprintf(created->fallback, sizeof created->fallback, "%s", device->fallback);
    clm_form_from_map(&map, &created->form);
    clm_form_normalise(&created->form);
    created->is_empty = clm_form_is_empty(&created->form);
    if (!created->is_empty)
        TRY(prepare_all(created, error));
    *plan = created;
    created = NULL;
out:
    clmove_plan_destroy(&created);
    return status;
}

static void destroy_kernels(clm_candidate *candidate) {
    clm_kernel *kernel = atomic_load(&candidate->kernel);
    if (kernel)
        kernel->executor->calls->kernel_destroy(kernel);
    while (candidate->narrow) {
        clm_narrow_kernel *narrow = candidate->narrow;
        candidate->narrow = narrow->next;
        narrow->kernel->executor->calls->kernel_destroy(narrow->kernel);
        free(narrow);
    }
}

void clmove_plan_destroy(clmove_plan **plan) {
    if (!plan || !*plan)
        return;
    for (int32_t i = 0; i < (*plan)->device->executor_count; i++)
        destroy_kernels(&(*plan)->candidates[i]);
    pthread_mutex_destroy(&(*plan)->lock);
    clm_device_release((*plan)->device);
    free(*plan);
    *plan = NULL;
}

/* Without the lock, since the caller's log may be called. No program is built twice. */
clmove_status clm_plan_get_own_kernel(clmove_plan *plan, clm_candidate *candidate, clm_kernel **kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_kernel *made = NULL, *found = atomic_load(&candidate->kernel);
    if (!found) {
        const clm_kernel_wish wish = {&plan->form, &candidate->traits, plan->variant, plan->index_bits,
                                      .chosen = &candidate->launch_plan};
        TRY(clm_kernel_make(plan->device, candidate->executor, &wish, &made, error));
        if (atomic_compare_exchange_strong(&candidate->kernel, &found, made)) {
            found = made;
            made = NULL;
        }
    }
    *kernel = found;
out:
    if (made) /* another thread was first */
        made->executor->calls->kernel_destroy(made);
    return status;
}

clmove_status clm_plan_make_ready(clmove_plan *plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    clm_kernel *kernel;
    while (!plan->is_empty) {
        clm_candidate *candidate = clm_plan_current(plan);
        status = clm_plan_get_own_kernel(plan, candidate, &kernel, &failure);
        if (status == CLMOVE_OK)
            break;
        TRY(clm_plan_fall_back(plan, candidate, &failure, error));
    }
out:
    return status;
}

/* The lock is held, so that no kernel is made twice. */
static clm_narrow_kernel *find_narrow(const clm_candidate *candidate, uint32_t unit_bits) {
    clm_narrow_kernel *found = candidate->narrow;
    while (found && found->unit_bits != unit_bits)
        found = found->next;
    return found;
}

/* Without the lock, since programs may be built and the caller's log called. */
static clmove_status make_narrow(clmove_plan *plan, clm_candidate *candidate, uint32_t unit_bits, clm_kernel **kernel,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_normal_form form = plan->form;
    const clm_kernel_wish wish = {.form = &form, .traits = &candidate->traits}; /* a forced choice may not fit any more */
    clm_kernel *built = NULL;
    clm_narrow_kernel *made = calloc(1, sizeof *made);
    REQUIRE(made, OUT_OF_MEMORY, "no memory for a plan");
    clm_form_narrow(&form, unit_bits);
    TRY(clm_kernel_make(plan->device, candidate->executor, &wish, &built, error));
    pthread_mutex_lock(&plan->lock);
    clm_narrow_kernel *found = find_narrow(candidate, unit_bits); /* another thread was faster */
    if (!found) {
        *made = (clm_narrow_kernel){.unit_bits = unit_bits, .kernel = built, .next = candidate->narrow};
        candidate->narrow = found = made;
        made = NULL;
        built = NULL;
    }
    *kernel = found->kernel;
    pthread_mutex_unlock(&plan->lock);
out:
    if (built)
        built->executor->calls->kernel_destroy(built);
    free(made);
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

clmove_status clm_plan_get_kernel(clmove_plan *plan, clm_candidate *candidate, size_t src_begin, size_t dst_begin,
                                  clm_kernel **kernel, clmove_error *error) {
    uint32_t unit_bits = find_unit_bits(candidate, src_begin | dst_begin, plan->form.unit_bits);
    if (unit_bits == plan->form.unit_bits)
        return clm_plan_get_own_kernel(plan, candidate, kernel, error);
    pthread_mutex_lock(&plan->lock);
    const clm_narrow_kernel *found = find_narrow(candidate, unit_bits);
    if (found)
        *kernel = found->kernel;
    pthread_mutex_unlock(&plan->lock);
    return found ? CLMOVE_OK : make_narrow(plan, candidate, unit_bits, kernel, error);
}

clmove_status clm_plan_fall_back(clmove_plan *plan, const clm_candidate *failed, const clmove_error *why, clmove_error *error) {
    int which = (int)(failed - plan->candidates);
    if (which + 1 >= plan->device->executor_count || !clm_may_fall_back(plan->device->may_fall_back, why->status)) {
        if (error)
            *error = *why;
        return why->status;
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
    return CLMOVE_OK;
}

void clm_plan_count(clmove_plan *plan, const clm_candidate *candidate, int64_t launches) {
    if (candidate == clm_plan_host(plan))
        atomic_fetch_add(&plan->device->host_runs, 1);
    else
        atomic_fetch_add(&plan->device->kernels_run, (uint64_t)launches);
}

/* The launch plan of the current candidate: its kernel's if there is one, else the chosen one. */
static const clm_launch_plan *movement_of(const clm_candidate *candidate) {
    const clm_kernel *kernel = atomic_load(&((clm_candidate *)candidate)->kernel);
    return kernel ? &kernel->launch_plan : &candidate->launch_plan;
}

const char *clmove_executor_text(clmove_executor executor) {
    switch (executor) {
    case CLMOVE_EXECUTOR_HOST:
        return "host";
    case CLMOVE_EXECUTOR_OPENCL:
        return "opencl";
    }
    return "unknown executor";
}

clmove_status clmove_plan_get_info(const clmove_plan *plan, clmove_plan_info *info, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_plan_info, fallback);
    clmove_status status = CLMOVE_OK;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_output_check(output, info, "info", error));
    const clm_candidate *candidate = clm_plan_current((clmove_plan *)plan);
    const clm_launch_plan *launch_plan = movement_of(candidate);
    clmove_plan_info now = {
        .variant = plan->is_empty ? "none" : launch_plan->variant->name,
        .executor = candidate->executor->calls->kind,
        .run_executor = clm_plan_runner((clmove_plan *)plan)->executor->calls->kind,
        .unit_bits = plan->form.unit_bits,
        .index_bits = plan->is_empty ? 0 : launch_plan->index_bits,
        .src_bytes = (int64_t)plan->src_bytes,
        .dst_bytes = (int64_t)plan->dst_bytes,
        .written_bytes = clm_written_bytes(&plan->form),
        .launches = clm_plan_is_on_host(plan) || plan->is_empty ? 0 : launch_plan->launches,
    };
    pthread_mutex_t *lock = &((clmove_plan *)plan)->lock;
    pthread_mutex_lock(lock);
    snprintf(now.fallback, sizeof now.fallback, "%s", plan->fallback);
    pthread_mutex_unlock(lock);
    clm_output_fill(output, info, &now);
out:
    return status;
}

clmove_status clmove_plan_explain(const clmove_plan *plan, char *text, size_t capacity, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    REQUIRE(text && capacity > 0, INVALID_ARGUMENT, "there is no room for the text");
    const clm_candidate *candidate = clm_plan_current((clmove_plan *)plan);
    const clm_launch_plan *launch_plan = movement_of(candidate);
    bool on_host = clm_plan_is_on_host(plan);
    clm_explain(&plan->map, &plan->form, plan->is_empty ? NULL : launch_plan,
                clmove_executor_text(candidate->executor->calls->kind), plan->variant != NULL, text, capacity);
    if (!on_host && !plan->is_empty &&
        (launch_plan->variant != candidate->launch_plan.variant ||
         launch_plan->index_bits != candidate->launch_plan.index_bits)) {
        size_t length = strlen(text);
        snprintf(text + length, capacity - length,
                 "tried    %s with %" PRIu32 "-bit indices: it moved wrong bytes in its self-test on %s, driver %s\n",
                 candidate->launch_plan.variant->name, candidate->launch_plan.index_bits, candidate->executor->info.name,
                 candidate->executor->info.driver);
    }
    if (plan->run_reason[0] && !on_host) {
        size_t length = strlen(text);
        snprintf(text + length, capacity - length, "run      %s does clmove_run: %s\n",
                 plan->host_runs ? "the host" : "the device", plan->run_reason);
    }
out:
    return status;
}
