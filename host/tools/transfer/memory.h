/* Host memory that a device is fed from and that its results end in: what the caller has anyway, what the driver pinned, and what
 * the device works on where it lies.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TRANSFER_MEMORY_H
#define CLMOVE_HOST_TOOLS_TRANSFER_MEMORY_H

#include "host/tools/bench/subject.h"

typedef enum transfer_memory {
    TRANSFER_PAGEABLE,
    TRANSFER_PINNED,    /* clmove_buffer_create_pinned: the link is fastest */
    TRANSFER_ZERO_COPY, /* clmove_buffer_wrap: mapping takes the place of copying, where the device works on it in place */
    TRANSFER_MEMORIES
} transfer_memory;

/* "pageable", "pinned", "zero-copy". */
const char *transfer_memory_name(transfer_memory kind);

/* Memory for the source and the destination of a subject, of one kind. */
typedef struct transfer_host {
    transfer_memory kind;
    const bench_subject *subject;
    unsigned char *src, *dst; /* what the host executor and clmove_run work on. Zero-copy memory belongs to its buffers but
                                 between transfer_host_take and _give */
    clmove_buffer *src_staging, *dst_staging; /* pinned memory: src and dst are mapped from it */
    clmove_buffer *src_wrapped, *dst_wrapped; /* zero-copy memory */
    clmove_buffer *src_buffer, *dst_buffer;   /* what the device works on: the subject's own, or the wrapped ones */
} transfer_host;

/* Makes the memory, and puts the subject's noise into its source. *has: whether this device has that kind. It is to be closed in
 * any case. The subject must outlive it. */
clmove_status transfer_host_open(transfer_host *it, transfer_memory kind, const bench_subject *subject, bool *has,
                                 clmove_error *error);

void transfer_host_close(transfer_host *it);

/* Where device_seconds is asked for: what the transfer takes by the device's clock; negative where that is not known, and for
 * zero-copy memory, which is not transferred. */

/* Before the host moves in this memory: maps zero-copy memory. Nothing for the other kinds. */
clmove_status transfer_host_take(const transfer_host *it, clmove_error *error);

/* After it: the destination that the host wrote is the device's. Uploads it, or unmaps zero-copy memory. */
clmove_status transfer_host_give(const transfer_host *it, double *device_seconds, clmove_error *error);

/* Each brings what is in host memory to the device, or back, and returns when it is done. Zero-copy memory is mapped and
 * unmapped. */
clmove_status transfer_upload_src(const transfer_host *it, double *device_seconds, clmove_error *error);
clmove_status transfer_download_dst(const transfer_host *it, double *device_seconds, clmove_error *error);

#endif
