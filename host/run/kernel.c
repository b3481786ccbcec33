/* SPDX-License-Identifier: Apache-2.0 */
#include "host/run/kernel.h"

#include "host/run/self_test.h"

#include <inttypes.h>

/* Makes one kernel. *kernel is NULL if its program moves wrong bytes. */
static clmove_status try_movement(clmove_device *device, clm_executor *executor, const clm_kernel_wish *wish,
                                  clm_launch_plan *launch_plan, clm_kernel **kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_kernel *made = NULL;
    clm_verdict verdict;
    launch_plan->stream |= wish->chosen->stream;
    TRY(executor->calls->kernel_create(executor, launch_plan, &made, error));
    TRY(clm_self_test(device, made, wish->traits, &verdict, error));
    if (verdict == CLM_RIGHT) {
        *kernel = made;
        made = NULL;
    }
out:
    if (made)
        executor->calls->kernel_destroy(made);
    return status;
}

clmove_status clm_kernel_make(clmove_device *device, clm_executor *executor, const clm_kernel_wish *wish, clm_kernel **kernel,
                              clmove_error *error) {
    static const uint32_t widths[] = {32, 64};
    clmove_status status = CLMOVE_OK;
    clm_launch_plan best = *wish->chosen, other;
    *kernel = NULL;
    TRY(try_movement(device, executor, wish, &best, kernel, error));
    for (const clm_variant *row = best.variant; row->name && !*kernel; row++)
        for (int i = 0; i < 2 && !*kernel; i++) {
            bool was_tried = row == best.variant && widths[i] <= best.index_bits;
            bool is_forced_out = (wish->variant && row != best.variant) || (wish->index_bits && wish->index_bits != widths[i]);
            if (was_tried || is_forced_out ||
                clm_choose(wish->form, wish->traits, row->name, widths[i], &other, NULL) != CLMOVE_OK)
                continue;
            TRY(try_movement(device, executor, wish, &other, kernel, error));
        }
    REQUIRE(*kernel, DEVICE_FAILED,
            "%s, driver %s, moves wrong bytes: variant %s for units of %" PRIu32 " bits failed its self-test, and %s",
            executor->info.name, executor->info.driver, best.variant->name, best.unit_bits,
            wish->variant || wish->index_bits ? "nothing else was allowed" : "so did every other that fits");
out:
    return status;
}
