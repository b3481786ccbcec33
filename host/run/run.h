/* Plans on views and on memory of executors, for those who know more than the caller of clmove_submit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_RUN_H
#define CLMOVE_HOST_RUN_RUN_H

#include "host/device/buffer.h"
#include "host/run/plan.h"

/* Submits a plan on memory of the device's first executor, which was checked. submission and span may be NULL; span, where to
 * put the events of the launches, is left alone where the host did the work of another executor. */
clmove_status clm_submit_memory(clmove_plan *plan, const clm_memory *src, const clm_memory *dst, const clm_submission *submission,
                                clm_span *span, clmove_error *error);

/* clmove_submit, on views and a submission that were checked as far as the device goes. */
clmove_status clm_submit(clmove_plan *plan, const clmove_view *src, const clmove_view *dst, const clm_submission *submission,
                         clm_span *span, clmove_error *error);

#endif
