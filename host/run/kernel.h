/* Making kernels: the first choice, or the next one that passes its self-test.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_KERNEL_H
#define CLMOVE_HOST_RUN_KERNEL_H

#include "host/device/device.h"

/* What to move, and the forced choices: variant is NULL or a name, index_bits is 0, 32 or 64. */
typedef struct clm_kernel_wish {
    const clm_normal_form *form;
    const clm_traits *traits;
    const char *variant;
    uint32_t index_bits;
    /* The result of clm_choose, perhaps with non-temporal stores although the form alone is small */
    const clm_launch_plan *chosen;
} clm_kernel_wish;

/* Makes a kernel for a form. It tries what was chosen, then the same variant with 64-bit indices, then each later
 * variant that fits, until one moves right bytes on this device. Forced choices are not changed. The kernel's launch plan is the
 * launch plan that was taken. Raises DEVICE_FAILED, with the driver and the variant, if none is left; else as kernel_create. No
 * lock may be held: programs may be built and the caller's log called. */
clmove_status clm_kernel_make(clmove_device *device, clm_executor *executor, const clm_kernel_wish *wish, clm_kernel **kernel,
                              clmove_error *error);

#endif
