/* Plans: from a map to something that runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/advice.h"
#include "host/api/kernel.h"
#include "host/api/objects.h"
#include "host/map/map.h"
#include "host/params.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel of what auto has the host run is left for the first command that needs it: the first one of a process takes POCL 478
 * ms, or 21 where its cache has it, and the plan without it takes 22 us. */
static clmove_status prepare_on_device(clmove_plan *plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl_kernel *kernel;
    TRY(clm_choose(&plan->form, &plan->traits, plan->variant, plan->index_bits, &plan->movement, error));
    clm_plan_choose_run(plan);
    if (!plan->runs_on_host)
        TRY(clm_plan_get_own_kernel(plan, &kernel, error));
out:
    return status;
}

/* In a process of 32 bits a tensor may be larger than what any memory can be. */
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
    clmove_error failure = {0};
    clmove_plan_params params;
    clm_map map;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_params_read("clmove_plan_params", given, &params, sizeof params, error));
    TRY(clm_map_check(given_map, &map, error));
    TRY(check_memory(clm_map_src_bytes(&map), clm_map_dst_bytes(&map), error));
    TRY(clm_check_choice(params.variant, params.index_bits, error));
    clm_tuned tuned = device->tuned;
    TRY(clm_tuned_add_list(&tuned, params.tuning, CLMOVE_TUNING_PARAMS, "clmove_plan_params.tuning", error));
    created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a plan");
    pthread_mutex_init(&created->lock, NULL);
    clm_device_retain(device);
    created->device = device;
    created->map = map;
    created->traits = device->traits;
    created->traits.tuning = tuned.values;
    created->host_traits = device->opencl ? device->host_traits : created->traits;
    created->variant = clm_variant_name(params.variant);
    created->index_bits = params.index_bits;
    created->src_bytes = (size_t)clm_map_src_bytes(&map);
    created->dst_bytes = (size_t)clm_map_dst_bytes(&map);
    atomic_init(&created->on_host, !device->opencl);
    atomic_init(&created->kernel, NULL);
    snprintf(created->fallback, sizeof created->fallback, "%s", device->fallback);
    clm_form_from_map(&map, &created->form);
    clm_form_normalise(&created->form);
    created->is_empty = clm_form_is_empty(&created->form);
    if (!created->is_empty) {
        TRY(clm_choose(&created->form, &created->host_traits, created->variant, created->index_bits, &created->host_movement,
                       error));
        created->movement = created->host_movement;
        if (device->opencl) {
            status = prepare_on_device(created, &failure);
            if (status != CLMOVE_OK && clm_may_fall_back(device, status)) {
                clm_plan_fall_back(created, &failure);
                status = CLMOVE_OK;
            } else if (status != CLMOVE_OK) {
                if (error)
                    *error = failure;
                goto out;
            }
        }
    }
    *plan = created;
    created = NULL;
out:
    clmove_plan_destroy(&created);
    return status;
}

void clmove_plan_destroy(clmove_plan **plan) {
    if (!plan || !*plan)
        return;
    clm_opencl_kernel_destroy(atomic_load(&(*plan)->kernel));
    while ((*plan)->narrow) {
        clm_narrow_plan *narrow = (*plan)->narrow;
        (*plan)->narrow = narrow->next;
        clm_opencl_kernel_destroy(narrow->kernel);
        free(narrow);
    }
    pthread_mutex_destroy(&(*plan)->lock);
    clm_device_release((*plan)->device);
    free(*plan);
    *plan = NULL;
}

/* Without the lock, as programs that cannot be kept on disk are logged; none is built twice all the same. */
clmove_status clm_plan_get_own_kernel(clmove_plan *plan, clm_opencl_kernel **kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_opencl_kernel *made = NULL, *found = atomic_load(&plan->kernel);
    if (!found) {
        const clm_kernel_wish wish = {&plan->form, &plan->traits, plan->variant, plan->index_bits, .stream = false};
        TRY(clm_kernel_make(plan->device, &wish, &made, error));
        if (atomic_compare_exchange_strong(&plan->kernel, &found, made)) {
            found = made;
            made = NULL;
        }
    }
    *kernel = found;
out:
    clm_opencl_kernel_destroy(made); /* another thread was first */
    return status;
}

clmove_status clm_plan_make_ready(clmove_plan *plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    clm_opencl_kernel *kernel;
    if (plan->is_empty || atomic_load(&plan->on_host))
        return CLMOVE_OK;
    status = clm_plan_get_own_kernel(plan, &kernel, &failure);
    if (status != CLMOVE_OK && clm_may_fall_back(plan->device, status)) {
        clm_plan_fall_back(plan, &failure);
        status = CLMOVE_OK;
    } else if (status != CLMOVE_OK && error)
        *error = failure;
    return status;
}

/* With the lock held, so that none is made twice. */
static clm_narrow_plan *find_narrow(const clmove_plan *plan, uint32_t unit_bits) {
    clm_narrow_plan *found = plan->narrow;
    while (found && found->unit_bits != unit_bits)
        found = found->next;
    return found;
}

/* Without the lock, as programs may be built and the caller's log called. */
static clmove_status make_narrow(clmove_plan *plan, uint32_t unit_bits, clm_opencl_kernel **kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_normal_form form = plan->form;
    const clm_kernel_wish wish = {.form = &form, .traits = &plan->traits}; /* what was forced may not fit any more */
    clm_opencl_kernel *built = NULL;
    clm_narrow_plan *made = calloc(1, sizeof *made);
    REQUIRE(made, OUT_OF_MEMORY, "no memory for a plan");
    clm_form_narrow(&form, unit_bits);
    TRY(clm_kernel_make(plan->device, &wish, &built, error));
    pthread_mutex_lock(&plan->lock);
    clm_narrow_plan *found = find_narrow(plan, unit_bits); /* another thread was faster */
    if (!found) {
        *made = (clm_narrow_plan){.unit_bits = unit_bits, .kernel = built, .next = plan->narrow};
        plan->narrow = found = made;
        made = NULL;
        built = NULL;
    }
    *kernel = found->kernel;
    pthread_mutex_unlock(&plan->lock);
out:
    if (built)
        clm_opencl_kernel_destroy(built);
    free(made);
    return status;
}

/* The bits of the widest unit, up to unit_bits, that may begin at a byte, or address. */
static uint32_t find_unit_bits(const clmove_plan *plan, size_t begin, uint32_t unit_bits) {
    size_t alignment = begin & (~begin + 1);
    bool any_alignment = plan->traits.any_alignment || unit_bits <= 8;
    return any_alignment || begin == 0 || alignment >= unit_bits / 8 ? unit_bits : (uint32_t)alignment * 8;
}

void clm_plan_fit_form(const clmove_plan *plan, size_t begin, clm_normal_form *form) {
    uint32_t unit_bits = find_unit_bits(plan, begin, form->unit_bits);
    if (unit_bits != form->unit_bits)
        clm_form_narrow(form, unit_bits);
}

clmove_status clm_plan_get_kernel(clmove_plan *plan, size_t src_begin, size_t dst_begin, clm_opencl_kernel **kernel,
                                  clmove_error *error) {
    uint32_t unit_bits = find_unit_bits(plan, src_begin | dst_begin, plan->form.unit_bits);
    if (unit_bits == plan->form.unit_bits)
        return clm_plan_get_own_kernel(plan, kernel, error);
    pthread_mutex_lock(&plan->lock);
    const clm_narrow_plan *found = find_narrow(plan, unit_bits);
    if (found)
        *kernel = found->kernel;
    pthread_mutex_unlock(&plan->lock);
    return found ? CLMOVE_OK : make_narrow(plan, unit_bits, kernel, error);
}

void clm_plan_fall_back(clmove_plan *plan, const clmove_error *why) {
    bool first;
    pthread_mutex_lock(&plan->lock);
    first = !atomic_load(&plan->on_host);
    if (first)
        snprintf(plan->fallback, sizeof plan->fallback, "%s", why->text);
    atomic_store(&plan->on_host, true);
    pthread_mutex_unlock(&plan->lock);
    if (first && plan->device->log)
        plan->device->log(plan->device->log_user, why->text);
}

/* What runs: the kernel's, which may be another than the choice, where there is one. */
static const clm_movement *movement_of(const clmove_plan *plan, bool on_host) {
    const clm_opencl_kernel *kernel = atomic_load(&plan->kernel);
    return on_host ? &plan->host_movement : kernel ? clm_opencl_kernel_movement(kernel) : &plan->movement;
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
    bool on_host = atomic_load(&plan->on_host);
    const clm_movement *movement = movement_of(plan, on_host);
    clmove_plan_info now = {
        .variant = plan->is_empty ? "none" : movement->variant->name,
        .executor = on_host ? CLMOVE_EXECUTOR_HOST : CLMOVE_EXECUTOR_OPENCL,
        .run_executor = on_host || plan->runs_on_host ? CLMOVE_EXECUTOR_HOST : CLMOVE_EXECUTOR_OPENCL,
        .unit_bits = plan->form.unit_bits,
        .index_bits = plan->is_empty ? 0 : movement->index_bits,
        .src_bytes = (int64_t)plan->src_bytes,
        .dst_bytes = (int64_t)plan->dst_bytes,
        .written_bytes = clm_written_bytes(&plan->form),
        .launches = on_host || plan->is_empty ? 0 : movement->launches,
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
    bool on_host = atomic_load(&plan->on_host);
    const clm_movement *movement = movement_of(plan, on_host);
    clm_explain(&plan->map, &plan->form, plan->is_empty ? NULL : movement, on_host ? "host" : "opencl", plan->variant != NULL,
                text, capacity);
    if (!on_host && !plan->is_empty &&
        (movement->variant != plan->movement.variant || movement->index_bits != plan->movement.index_bits)) {
        size_t length = strlen(text);
        snprintf(text + length, capacity - length,
                 "tried    %s with %" PRIu32 "-bit indices: it moved wrong bytes in its self-test on %s, driver %s\n",
                 plan->movement.variant->name, plan->movement.index_bits, plan->device->info.name, plan->device->info.driver);
    }
    if (plan->run_reason[0] && !on_host) {
        size_t length = strlen(text);
        snprintf(text + length, capacity - length, "run      %s does clmove_run: %s\n",
                 plan->runs_on_host ? "the host" : "the device", plan->run_reason);
    }
out:
    return status;
}
