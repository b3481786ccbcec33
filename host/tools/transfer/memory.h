/* Host memory for the source and the result of a device: pageable, pinned by the driver, or used by the device in place. On
 * false, here and below, *error says why.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_MEMORY_H
#define CLMOVE_HOST_TOOLS_TRANSFER_MEMORY_H

#include "host/tools/bench/subject.h"

typedef enum transfer_memory {
    TRANSFER_PAGEABLE,
    /* clmove_buffer_create_pinned: the fastest transfers. */
    TRANSFER_PINNED,
    /* clmove_buffer_wrap: where the device works on the memory in place, mapping replaces copying. */
    TRANSFER_ZERO_COPY,
    TRANSFER_MEMORIES
} transfer_memory;

/* "pageable", "pinned", "zero-copy". */
const char *transfer_memory_name(transfer_memory kind);

/* A source or a destination. */
typedef struct transfer_side {
    size_t bytes;
    /* What the host executor and clmove_run work on. Zero-copy memory belongs to its buffer, except between transfer_host_take
     * and _give. */
    unsigned char *memory;
    /* Pinned memory is mapped from it, zero-copy memory is wrapped by it. */
    clmove_buffer *own;
    /* What the device works on: the subject's own, or the wrapped one. */
    clmove_buffer *buffer;
} transfer_side;

/* Memory for the source and the destination of a subject, of one kind. */
typedef struct transfer_host {
    transfer_memory kind;
    /* The device has that kind. */
    bool exists;
    const bench_subject *subject;
    transfer_side src, dst;
} transfer_host;

/* Makes the memory, and puts the subject's noise into its source. It is to be closed in any case. The subject must outlive it. */
bool transfer_host_open(transfer_host *it, transfer_memory kind, const bench_subject *subject, clmove_error *error);

void transfer_host_close(transfer_host *it);

/* Before the host moves in this memory: maps zero-copy memory. Nothing for the other kinds. */
bool transfer_host_take(const transfer_host *it, clmove_error *error);

/* After it: the destination that the host wrote is the device's. Uploads it, or unmaps zero-copy memory. As transfer_copy. */
bool transfer_host_give(const transfer_host *it, double *device_seconds, clmove_error *error);

/* Brings one side to the device or back, and returns when it is done. Zero-copy memory is mapped and unmapped instead.
 * *device_seconds: by the device's clock; negative where that is not known, and for zero-copy memory, which is not transferred.
 */
bool transfer_copy(const transfer_host *it, const transfer_side *side, bool to_device, double *device_seconds,
                   clmove_error *error);

#endif
