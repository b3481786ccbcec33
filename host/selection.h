/* Resolving a selector to a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SELECTION_H
#define CLMOVE_HOST_SELECTION_H

#include "host/params.h"

/* The index of the host. */
enum { CLM_HOST_INDEX = -1 };

/* What a selector means. */
typedef struct clm_selection {
    /* The index of an OpenCL device, or CLM_HOST_INDEX. */
    int32_t index;
    /* The selector is auto. */
    bool is_auto;
    /* auto found no OpenCL device, not merely no GPU among them. The log then has the reason. */
    bool is_odd;
    /* Why auto chose the host. "": it did not. */
    char reason[512];
} clm_selection;

/* Resolves a selector. NULL or "": the environment variable CLMOVE_DEVICE, or auto. Raises NO_DEVICE, and names the devices that
 * exist. */
clmove_status clm_select(const char *selector, clm_selection *selection, clmove_error *error);

#endif
