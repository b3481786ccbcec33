/* Host memory that a device is fed from and that its results end in: what the caller has anyway, what the driver pinned, and what
 * the device works on where it lies.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLI_BENCH_TRANSFER_MEMORY_H
#define CLMOVE_CLI_BENCH_TRANSFER_MEMORY_H

#include "bench_subject.h"

typedef enum transfer_memory { TRANSFER_PAGEABLE, TRANSFER_MEMORIES } transfer_memory;

/* "pageable", "pinned", "zero-copy". */
const char *transfer_memory_name(transfer_memory kind);

/* Memory for the source and the destination of a subject, of one kind. */
typedef struct transfer_host {
    transfer_memory kind;
    const bench_subject *subject;
    unsigned char *src, *dst;               /* what the host executor and clmove_run work on */
    clmove_buffer *src_buffer, *dst_buffer; /* what the device works on: the subject's own */
} transfer_host;

/* Makes the memory, and puts the subject's noise into its source. *has: whether this device has that kind. It is to be closed in
 * any case. The subject must outlive it. */
clmove_status transfer_host_open(transfer_host *it, transfer_memory kind, const bench_subject *subject, bool *has,
                                 clmove_error *error);

void transfer_host_close(transfer_host *it);

/* Each brings what is in host memory to the device, or back, and returns when it is done. */
clmove_status transfer_upload_src(const transfer_host *it, clmove_error *error);
clmove_status transfer_upload_dst(const transfer_host *it, clmove_error *error);
clmove_status transfer_download_dst(const transfer_host *it, clmove_error *error);

#endif
