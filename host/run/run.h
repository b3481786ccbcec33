/* Enqueueing plans on buffers and on memory of executors, with a submission.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_RUN_H
#define CLMOVE_HOST_RUN_RUN_H

#include "host/device/buffer.h"
#include "host/run/plan.h"

/* clmove_enqueue. submission and span may be NULL. span is where to put the events of the launches. It is not written if the host
 * did the work of another executor. */
clmove_status clm_enqueue(clmove_plan *plan, const clmove_buffer *src, clmove_buffer *dst, const clm_submission *submission,
                          clm_span *span, clmove_error *error);

/* The same on memory of the device's first executor. The memory was checked, except for overlap. */
clmove_status clm_enqueue_memory(clmove_plan *plan, const clm_memory *src, const clm_memory *dst,
                                 const clm_submission *submission, clm_span *span, clmove_error *error);

#endif
