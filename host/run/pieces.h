/* A run from host memory to host memory: its way, its pieces, its progress, and the fallback.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_PIECES_H
#define CLMOVE_HOST_RUN_PIECES_H

#include "host/run/plan.h"

/* clmove_run_with for memories that were validated and a plan that is not empty. params may be NULL. */
clmove_status clm_run_in_pieces(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                                const clmove_run_params *params, clmove_error *error);

#endif
