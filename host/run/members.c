/* See members.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const clmove_plan *plan, int32_t member) {
    return clm_device_info(plan->device->members[member])->name;
}

bool clm_member_is_at_fault(clmove_status status) {
    return clm_may_fall_back(true, status);
}

int32_t clm_members_live(const clmove_plan *plan) {
    int32_t live = 0;
    for (int32_t i = 0; i < plan->device->member_count; i++)
        live += !atomic_load(&plan->members[i].has_failed);
    return live;
}

void clm_member_leave_out(clmove_plan *plan, int32_t member, const clmove_error *why) {
    char text[sizeof plan->fallback];
    if (atomic_exchange(&plan->members[member].has_failed, true))
        return;
    snprintf(text, sizeof text, "several: %.100s failed, and others do its work: %.360s", name_of(plan, member), why->text);
    pthread_mutex_lock(&plan->lock);
    memcpy(plan->fallback, text, sizeof text);
    pthread_mutex_unlock(&plan->lock);
    clm_device_log(plan->device, text);
}

void clm_members_take_in(clmove_plan *plan) {
    for (int32_t i = 0; i < plan->device->member_count; i++)
        atomic_store(&plan->members[i].has_failed, !plan->members[i].plan);
}

clmove_status clm_members_create(clmove_plan *plan, const clmove_map *map, const clmove_plan_params *params,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK, first = CLMOVE_OK;
    clmove_error why = {0}, first_why = {0};
    const clmove_device *device = plan->device;
    plan->members = calloc((size_t)device->member_count, sizeof *plan->members);
    REQUIRE(plan->members, OUT_OF_MEMORY, "no memory for a plan");
    for (int32_t i = 0; i < device->member_count; i++) {
        clm_member *it = &plan->members[i];
        clmove_device *of = device->members[i];
        status = clm_plan_create(of, map, params, &it->plan, &why);
        if (status == CLMOVE_OK) {
            double seconds = 0;
            if (of->predict_run && of->predict_run(it->plan, &seconds) && seconds > 0)
                it->seconds = seconds;
            continue;
        }
        if (first == CLMOVE_OK) {
            first = status;
            first_why = why;
        }
        if (!clm_member_is_at_fault(status))
            break;
        clm_member_leave_out(plan, i, &why);
    }
    if (first != CLMOVE_OK && !clm_member_is_at_fault(status) && status != CLMOVE_OK)
        first_why = why;
    else if (clm_members_live(plan) > 0 || device->may_fall_back)
        first = CLMOVE_OK;
    status = first == CLMOVE_OK ? CLMOVE_OK : first_why.status;
    if (status != CLMOVE_OK && error)
        *error = first_why;
out:
    return status;
}

void clm_members_destroy(clmove_plan *plan) {
    for (int32_t i = 0; plan->members && i < plan->device->member_count; i++)
        clm_plan_free(plan->members[i].plan);
    free(plan->members);
}

const clmove_plan *clm_plan_shown(const clmove_plan *plan) {
    for (int32_t i = 0; plan->members && i < plan->device->member_count; i++)
        if (!atomic_load(&plan->members[i].has_failed))
            return plan->members[i].plan;
    return plan;
}

bool clm_members_are_calibrated(const clmove_plan *plan, double *sum) {
    bool all = true;
    *sum = 0;
    for (int32_t i = 0; i < plan->device->member_count; i++)
        if (!atomic_load(&plan->members[i].has_failed)) {
            const double seconds = plan->members[i].seconds;
            all = all && seconds > 0;
            *sum += seconds > 0 ? 1 / seconds : 0;
        }
    return all;
}

void clm_members_explain(const clmove_plan *plan, char *text, size_t capacity) {
    double sum;
    const bool calibrated = clm_members_are_calibrated(plan, &sum);
    size_t length = 0;
    const char *separator = "several  ";
    for (int32_t i = 0; i < plan->device->member_count && length < capacity; i++) {
        char share[32] = "";
        if (atomic_load(&plan->members[i].has_failed))
            snprintf(share, sizeof share, " (has failed)");
        else if (calibrated)
            snprintf(share, sizeof share, " %.0f %%", 100 / plan->members[i].seconds / sum);
        int written = snprintf(text + length, capacity - length, "%s%.100s%s", separator, name_of(plan, i), share);
        length += written > 0 ? (size_t)written : 0;
        separator = ", ";
    }
    if (length < capacity)
        snprintf(text + length, capacity - length, "%s\n",
                 calibrated ? ", by their calibrations" : ", each of which takes pieces when it is free");
}
