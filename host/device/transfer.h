/* Writing and reading buffers, with the event of the command.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_DEVICE_TRANSFER_H
#define CLMOVE_HOST_DEVICE_TRANSFER_H

#include "host/device/buffer.h"

/* clmove_buffer_write and clmove_buffer_read. span: NULL, or where to put the event. It is not written if no command was needed.
 */
clmove_status clm_buffer_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes, clm_span *span,
                               clmove_error *error);
clmove_status clm_buffer_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clm_span *span, clmove_error *error);

#endif
