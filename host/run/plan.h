/* The struct of a plan's handle: the map, and a launch plan and kernels for each executor of the device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_PLAN_H
#define CLMOVE_HOST_RUN_PLAN_H

#include "host/device/device.h"
#include "host/map/map.h"

/* The plan on one executor. */
typedef struct clm_candidate {
    clm_executor *executor;
    /* Of the executor; if it is the device's first, with the plan's tuning */
    clm_traits traits;
    /* The launch plan that was chosen; the kernel's may differ */
    clm_launch_plan launch_plan;
    /* With the plan's units; and with units of 8, 16, 32 and 64 bits, for memory that is not aligned to the plan's. NULL until
     * they are needed */
    _Atomic(clm_kernel *) kernels[1 + 4];
} clm_candidate;

/* The plan on one device of a list. */
typedef struct clm_member {
    /* NULL: it could not be made, and has_failed */
    clmove_plan *plan;
    /* Another of the list does its work, unless all have failed */
    atomic_bool has_failed;
    /* Of clmove_run on the device alone, by its calibration; 0: there is none */
    double seconds;
} clm_member;

struct clmove_plan {
    clmove_device *device;
    /* Of a list, one for each of its devices; else NULL, and so for a plan that is empty. Of the candidates there is the host
     * alone, which takes over when all have failed */
    clm_member *members;
    clm_map map;
    clm_normal_form form;
    bool is_empty;
    size_t src_bytes, dst_bytes;
    /* That was forced, NULL if none, and so 0 */
    const char *variant;
    uint32_t index_bits;
    /* As the device's executors */
    clm_candidate candidates[CLM_EXECUTORS];
    /* The first that has not failed */
    atomic_int current;
    /* clmove_run: auto found that the host is faster */
    bool host_runs;
    /* Of fallback */
    pthread_mutex_t lock;
    char fallback[512];
    /* Why auto chose the executor of clmove_run; "": there was no choice */
    char run_reason[512];
};

static inline clm_candidate *clm_plan_host(clmove_plan *plan) {
    return &plan->candidates[plan->device->executor_count - 1];
}

/* The candidates for commands on buffers, and for clmove_run. */
static inline clm_candidate *clm_plan_current(clmove_plan *plan) {
    return &plan->candidates[atomic_load(&plan->current)];
}
static inline clm_candidate *clm_plan_runner(clmove_plan *plan) {
    return plan->host_runs ? clm_plan_host(plan) : clm_plan_current(plan);
}

/* Whether the host is the current candidate. */
static inline bool clm_plan_is_on_host(const clmove_plan *plan) {
    return atomic_load(&((clmove_plan *)plan)->current) == plan->device->executor_count - 1;
}

/* Makes a plan ready on a device that is no list, as clmove_plan_create does. clm_plan_begin checks the arguments and does all
 * that needs no kernel; clm_plan_finish does the rest. clm_plan_free destroys a plan whose members are gone; NULL is accepted. */
clmove_status clm_plan_create(clmove_device *device, const clmove_map *map, const clmove_plan_params *params, clmove_plan **plan,
                              clmove_error *error);
clmove_status clm_plan_begin(clmove_device *device, const clmove_map *map, const clmove_plan_params *params, clmove_plan **plan,
                             clmove_error *error);
clmove_status clm_plan_finish(clmove_plan *plan, clmove_error *error);
void clm_plan_free(clmove_plan *plan);

/* After an attempt with a candidate: whether to try once more, with the next candidate, which is the current one now. *status:
 * that of the attempt, whose failure is in *why, then what is raised. Another attempt needs a failure that allows it; its reason
 * is kept, and logged the first time. */
bool clm_plan_fall_back(clmove_plan *plan, const clm_candidate *tried, clmove_status *status, const clmove_error *why,
                        clmove_error *error);

/* The kernel of the whole plan, for memory that begins at this byte, or address; 0: for memory that is aligned. It is built if it
 * was not. Thread-safe; no lock may be held. */
clmove_status clm_plan_get_kernel(clmove_plan *plan, clm_candidate *candidate, size_t begin, clm_kernel **kernel,
                                  clmove_error *error);

/* Builds the plan's kernel, if it was not, so that a later command does not wait for it. If that fails, the next candidate takes
 * over. */
clmove_status clm_plan_make_ready(clmove_plan *plan, clmove_error *error);

/* Narrows the units of a form to those that may begin at these bytes, or addresses. The form is a part of the plan's. */
void clm_plan_fit_form(const clm_candidate *candidate, size_t begin, clm_normal_form *form);

/* Makes a kernel for the plan's form or a part of it. It tries what was chosen, then the same variant with 64-bit indices, then
 * each later variant that fits, and last those that were passed over as slow, until one moves right bytes on this device.
 * is_forced: the plan's forced choices are not changed. The kernel's launch plan is the one that was taken. Raises DEVICE_FAILED,
 * with the driver and the variant, if none is left; else as kernel_create. No lock may be held: programs may be built and the
 * caller's log called. kernel.c. */
clmove_status clm_kernel_make(clmove_plan *plan, const clm_candidate *candidate, const clm_normal_form *form,
                              const clm_launch_plan *chosen, bool is_forced, clm_kernel **kernel, clmove_error *error);

/* clmove_enqueue, on views and a submission that were checked as far as the device goes. submission and span may be NULL. span
 * gets the events of the launches, unless the host did the work of another executor. submit.c. */
clmove_status clm_submit(clmove_plan *plan, const clmove_view *src, const clmove_view *dst, const clm_submission *submission,
                         clm_span *span, clmove_error *error);

/* Moves with the host, at once. spread: threads of the caller's; NULL: the host executor's. */
clmove_status clm_plan_run_on_host(clmove_plan *plan, const clm_spread *spread, const void *src, void *dst, clmove_error *error);

/* Moves a form with the host. stream: with non-temporal stores, since the destination is not read soon. kernel.c. */
clmove_status clm_plan_run_form_on_host(clmove_plan *plan, const clm_normal_form *form, bool stream, const void *src, void *dst,
                                        clmove_error *error);

/* Counts launches of kernels, or one run on the host. */
void clm_plan_count(clmove_plan *plan, const clm_candidate *candidate, int64_t launches);

#endif
