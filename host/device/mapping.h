/* What the host has of a buffer, and what commands may do with it meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_DEVICE_MAPPING_H
#define CLMOVE_HOST_DEVICE_MAPPING_H

#include "host/device/buffer.h"

/* Raises BAD_BUFFER when an access by a command, or by a copy of the host's, would meet what is mapped: reading goes with pieces
 * mapped for reading, nothing else does. The lock is the caller's. */
clmove_status clm_buffer_check_mapped(const clmove_buffer *buffer, clmove_access access, clmove_error *error);

/* Makes a buffer ready for a command that uses its memory: checks what is mapped, and gives pinned memory to the device.
 * submission: the command's, or NULL. */
clmove_status clm_buffer_use(const clmove_buffer *buffer, clmove_access access, const clm_submission *submission,
                             clmove_error *error);

/* clmove_buffer_map and clmove_buffer_unmap. submission: NULL, and the piece is there on return; or that of a command, with an
 * event, and it is there when that is complete. */
clmove_status clm_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes,
                             const clm_submission *submission, void **memory, clmove_error *error);
clmove_status clm_buffer_unmap(clmove_buffer *buffer, void *memory, const clm_submission *submission, clmove_error *error);

#endif
