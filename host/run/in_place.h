/* A run in place: kernels work on the caller's memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_IN_PLACE_H
#define CLMOVE_HOST_RUN_IN_PLACE_H

#include "host/run/way.h"

/* Runs in place. *done false: nothing was done, since it is not possible or slower than staging. */
clmove_status clm_run_in_place(clm_run *run, bool *done, clmove_error *error);

#endif
