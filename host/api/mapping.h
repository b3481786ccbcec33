/* What the host has of a buffer, and what commands may do with it meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_API_MAPPING_H
#define CLMOVE_HOST_API_MAPPING_H

#include "host/opencl/opencl.h"

#include <pthread.h>

/* A piece that is mapped. */
typedef struct clm_mapping {
    void *memory;
    size_t offset, bytes;
    clmove_access access;
    struct clm_mapping *next;
} clm_mapping;

typedef struct clm_mappings {
    pthread_mutex_t lock; /* also of whether pinned memory is mapped */
    clm_mapping *first;
} clm_mappings;

/* Raises BAD_BUFFER when an access by a command, or by a copy of the host's, would meet what is mapped: reading goes with pieces
 * mapped for reading, nothing else does. The lock is the caller's. */
clmove_status clm_buffer_check_mapped(const clmove_buffer *buffer, clmove_access access, clmove_error *error);

/* Makes a buffer ready for a command that uses its OpenCL memory: checks what is mapped, and gives pinned memory to the device.
 * order: the command's, or NULL. */
clmove_status clm_buffer_use(const clmove_buffer *buffer, clmove_access access, const clm_order *order, clmove_error *error);

/* clmove_buffer_map and clmove_buffer_unmap. order: NULL, and the piece is there on return; or the order of a command on the
 * buffer's OpenCL device, with an event, and it is there when that is complete. */
clmove_status clm_buffer_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes, const clm_order *order,
                             void **memory, clmove_error *error);
clmove_status clm_buffer_unmap(clmove_buffer *buffer, void *memory, const clm_order *order, clmove_error *error);

/* Unmaps everything, without what was written: for a buffer that goes. */
void clm_buffer_unmap_all(clmove_buffer *buffer);

#endif
