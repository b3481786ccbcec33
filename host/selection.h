/* Which device a selector means.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SELECTION_H
#define CLMOVE_HOST_SELECTION_H

#include "host/params.h"

enum { CLM_HOST_INDEX = -1 };

typedef struct clm_selection {
    int32_t index;    /* of an OpenCL device, or CLM_HOST_INDEX */
    bool is_auto;     /* the selector left the choice to us */
    bool is_odd;      /* auto found no OpenCL at all, as opposed to no GPU among the devices */
    char reason[512]; /* why auto chose the host; "" otherwise */
} clm_selection;

/* Resolves a selector; NULL means the variable CLMOVE_DEVICE, or auto. Raises NO_DEVICE, naming the devices that there are. */
clmove_status clm_select(const char *selector, clm_selection *selection, clmove_error *error);

#endif
