/* The handle of a plan: creating, describing and destroying it, on one device or on a list.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/params.h"
#include "host/run/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

clmove_status clmove_plan_create(clmove_device *device, const clmove_map *map, const clmove_plan_params *params,
                                 clmove_plan **plan, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan *created = NULL;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_plan_begin(device, map, params, &created, error));
    if (!created->is_empty && clm_device_is_several(device))
        TRY(clm_members_create(created, map, params, error));
    TRY(clm_plan_finish(created, error));
    *plan = created;
    created = NULL;
out:
    clmove_plan_destroy(&created);
    return status;
}

void clmove_plan_destroy(clmove_plan **plan) {
    if (!plan || !*plan)
        return;
    clm_members_destroy(*plan);
    clm_plan_free(*plan);
    *plan = NULL;
}

/* The launch plan of the current candidate: its kernel's if there is one, else the chosen one. */
static const clm_launch_plan *launch_plan_of(const clm_candidate *candidate) {
    const clm_kernel *kernel = atomic_load(&((clm_candidate *)candidate)->kernels[0]);
    return kernel ? &kernel->launch_plan : &candidate->launch_plan;
}

const char *clmove_executor_text(clmove_executor executor) {
    static const char *const texts[] = {
        [CLMOVE_EXECUTOR_HOST] = "host", [CLMOVE_EXECUTOR_OPENCL] = "opencl", [CLMOVE_EXECUTOR_SEVERAL] = "several"};
    return (size_t)executor < sizeof texts / sizeof *texts ? texts[executor] : "unknown executor";
}

clmove_status clmove_plan_get_info(const clmove_plan *plan, clmove_plan_info *info, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_plan_info, fallback);
    clmove_status status = CLMOVE_OK;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    TRY(clm_output_check(output, info, "info", error));
    const clmove_plan *shown = clm_plan_shown(plan);
    const clm_candidate *candidate = clm_plan_current((clmove_plan *)shown);
    const clm_launch_plan *launch_plan = launch_plan_of(candidate);
    const bool is_several = shown != plan || (plan->is_empty && clm_device_is_several(plan->device));
    clmove_plan_info now = {
        .variant = plan->is_empty ? "none" : launch_plan->variant->name,
        .executor = is_several ? CLMOVE_EXECUTOR_SEVERAL : candidate->executor->calls->kind,
        .run_executor = is_several ? CLMOVE_EXECUTOR_SEVERAL : clm_plan_runner((clmove_plan *)plan)->executor->calls->kind,
        .unit_bits = plan->form.unit_bits,
        .index_bits = plan->is_empty ? 0 : launch_plan->index_bits,
        .src_bytes = (int64_t)plan->src_bytes,
        .dst_bytes = (int64_t)plan->dst_bytes,
        .written_bytes = clm_written_bytes(&plan->form),
        .launches = clm_plan_is_on_host(shown) || plan->is_empty ? 0 : launch_plan->launches,
        .is_below_copy = !plan->is_empty && clm_is_below_copy(&plan->form, launch_plan),
    };
    pthread_mutex_t *lock = &((clmove_plan *)plan)->lock;
    pthread_mutex_lock(lock);
    snprintf(now.fallback, sizeof now.fallback, "%s", plan->fallback);
    pthread_mutex_unlock(lock);
    clm_output_fill(output, info, &now);
out:
    return status;
}

clmove_status clmove_plan_explain(const clmove_plan *given, char *text, size_t capacity, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(given, INVALID_ARGUMENT, "plan is NULL");
    REQUIRE(text && capacity > 0, INVALID_ARGUMENT, "there is no room for the text");
    const clmove_plan *plan = clm_plan_shown(given);
    const clm_candidate *candidate = clm_plan_current((clmove_plan *)plan);
    const clm_launch_plan *launch_plan = launch_plan_of(candidate);
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
    if (given->members) {
        size_t length = strlen(text);
        clm_members_explain(given, text + length, capacity - length);
    }
out:
    return status;
}
