/* See bench_transfer_memory.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bench_transfer_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 }; /* what drivers want of memory that is to be used where it lies */

const char *transfer_memory_name(transfer_memory kind) {
    static const char *const names[TRANSFER_MEMORIES] = {"pageable"};
    return names[kind];
}

static clmove_status take_pages(unsigned char **memory, int64_t bytes, clmove_error *error) {
    *memory = aligned_alloc(PAGE, ((size_t)bytes + PAGE - 1) / PAGE * PAGE);
    if (*memory)
        return CLMOVE_OK;
    error->status = CLMOVE_OUT_OF_MEMORY;
    snprintf(error->text, sizeof error->text, "there is no memory for its %lld bytes on the host", (long long)bytes);
    return CLMOVE_OUT_OF_MEMORY;
}

clmove_status transfer_host_open(transfer_host *it, transfer_memory kind, const bench_subject *subject, bool *has,
                                 clmove_error *error) {
    *it = (transfer_host){.kind = kind, .subject = subject, .src_buffer = subject->src, .dst_buffer = subject->dst};
    clmove_status status = take_pages(&it->src, subject->info.src_bytes, error);
    if (status == CLMOVE_OK)
        status = take_pages(&it->dst, subject->info.dst_bytes, error);
    if (status == CLMOVE_OK)
        memcpy(it->src, subject->noise, (size_t)subject->info.src_bytes);
    *has = status == CLMOVE_OK;
    return status;
}

void transfer_host_close(transfer_host *it) {
    free(it->src);
    free(it->dst);
    *it = (transfer_host){0};
}

clmove_status transfer_upload_src(const transfer_host *it, clmove_error *error) {
    return clmove_buffer_write(it->src_buffer, 0, it->src, (size_t)it->subject->info.src_bytes, error);
}

clmove_status transfer_upload_dst(const transfer_host *it, clmove_error *error) {
    return clmove_buffer_write(it->dst_buffer, 0, it->dst, (size_t)it->subject->info.dst_bytes, error);
}

clmove_status transfer_download_dst(const transfer_host *it, clmove_error *error) {
    return clmove_buffer_read(it->dst_buffer, 0, it->dst, (size_t)it->subject->info.dst_bytes, error);
}
