/* Where kernels come from: the one that would be best, or the next one that moves the right bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_KERNEL_H
#define CLMOVE_HOST_RUN_KERNEL_H

#include "host/device/device.h"

/* What is to be moved, and what is forced on the choice: variant is NULL or a name, index_bits 0, 32 or 64. */
typedef struct clm_kernel_wish {
    const clm_normal_form *form;
    const clm_traits *traits;
    const char *variant;
    uint32_t index_bits;
    bool stream;                /* even where the form alone would not */
    const clm_movement *chosen; /* NULL, or what clm_choose came to */
} clm_kernel_wish;

/* Makes a kernel for a form: as clm_choose chooses, or where that moves wrong bytes on this device the same variant with 64-bit
 * indices, and then each later variant that fits. What is forced stays. The kernel's movement says what it came to. Raises
 * DEVICE_FAILED, with the driver and the variant, when none is left; else as clm_choose and kernel_create. No lock may
 * be held: programs may be built and the caller's log called. */
clmove_status clm_kernel_make(clmove_device *device, clm_executor *executor, const clm_kernel_wish *wish, clm_kernel **kernel,
                              clmove_error *error);

#endif
