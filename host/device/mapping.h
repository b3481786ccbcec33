/* Mapping ranges of buffers for the host, the commands that are allowed while they are mapped, and transfers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_DEVICE_MAPPING_H
#define CLMOVE_HOST_DEVICE_MAPPING_H

#include "host/device/buffer.h"

/* Raises BAD_BUFFER if a command or a copy by the host may not access the buffer, since ranges are mapped. Reading is allowed if
 * all of them are mapped for reading; other accesses are not. The lock is the caller's. */
clmove_status clm_buffer_check_mapped(const clmove_buffer *buffer, clmove_access access, clmove_error *error);

/* Makes a buffer ready for a command that uses its memory: checks what is mapped, and unmaps pinned memory. submission: the
 * command's, or NULL. */
clmove_status clm_buffer_use(const clmove_buffer *buffer, clmove_access access, const clm_submission *submission,
                             clmove_error *error);

/* Completes a submission for which no command was needed. NULL: does nothing. */
clmove_status clm_buffer_mark(const clmove_buffer *buffer, const clm_submission *submission, clmove_error *error);

/* Writes or reads a buffer, as access says: clmove_buffer_write and clmove_buffer_read without a submission, else their relatives
 * of clmove/submit.h. span: NULL, or where to put the event. It is not written if no command was needed. */
clmove_status clm_buffer_transfer(clmove_buffer *buffer, clmove_access access, size_t offset, void *host, size_t bytes,
                                  const clm_submission *submission, clm_span *span, clmove_error *error);

/* clmove_buffer_map and clmove_buffer_unmap. submission NULL: the call waits until the range is mapped. Else it has an event, and
 * the range is mapped when the event is complete. */
clmove_status clm_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes,
                             const clm_submission *submission, void **memory, clmove_error *error);
clmove_status clm_buffer_unmap(clmove_buffer *buffer, void *memory, const clm_submission *submission, clmove_error *error);

#endif
