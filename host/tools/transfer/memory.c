/* See bench_transfer_memory.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 }; /* what drivers want of memory that is to be used where it lies */

const char *transfer_memory_name(transfer_memory kind) {
    static const char *const names[TRANSFER_MEMORIES] = {"pageable", "pinned", "zero-copy"};
    return names[kind];
}

/* ---- making it ---- */

static clmove_status take_pages(unsigned char **memory, int64_t bytes, clmove_error *error) {
    *memory = aligned_alloc(PAGE, ((size_t)bytes + PAGE - 1) / PAGE * PAGE);
    if (*memory)
        return CLMOVE_OK;
    error->status = CLMOVE_OUT_OF_MEMORY;
    snprintf(error->text, sizeof error->text, "there is no memory for its %lld bytes on the host", (long long)bytes);
    return CLMOVE_OUT_OF_MEMORY;
}

static clmove_status open_pageable(transfer_host *it, clmove_error *error) {
    clmove_status status = take_pages(&it->src, it->subject->info.src_bytes, error);
    return status == CLMOVE_OK ? take_pages(&it->dst, it->subject->info.dst_bytes, error) : status;
}

/* Stays mapped for good: no kernel ever uses it. */
static clmove_status pin(const transfer_host *it, int64_t bytes, clmove_buffer **staging, unsigned char **memory,
                         clmove_error *error) {
    void *mapped = NULL;
    clmove_status status = clmove_buffer_create_pinned(it->subject->device, (size_t)bytes, staging, error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_map(*staging, CLMOVE_ACCESS_READ_WRITE, 0, (size_t)bytes, &mapped, error);
    *memory = mapped;
    return status;
}

static clmove_status open_pinned(transfer_host *it, clmove_error *error) {
    clmove_status status = pin(it, it->subject->info.src_bytes, &it->src_staging, &it->src, error);
    return status == CLMOVE_OK ? pin(it, it->subject->info.dst_bytes, &it->dst_staging, &it->dst, error) : status;
}

/* Whole pages are wrapped, since a device may want a multiple of some bytes. */
static clmove_status wrap(const transfer_host *it, unsigned char *memory, int64_t bytes, clmove_buffer **wrapped, bool *in_place,
                          clmove_error *error) {
    clmove_buffer_info info = {.struct_size = sizeof info};
    clmove_status status =
        clmove_buffer_wrap(it->subject->device, memory, ((size_t)bytes + PAGE - 1) / PAGE * PAGE, wrapped, error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_get_info(*wrapped, &info, error);
    *in_place = info.zero_copy;
    return status;
}

static clmove_status open_zero_copy(transfer_host *it, bool *has, clmove_error *error) {
    bool src_in_place = false, dst_in_place = false;
    clmove_memory_info info = {.struct_size = sizeof info};
    clmove_status status = clmove_device_get_memory(it->subject->device, &info, error);
    *has = info.zero_copy_alignment > 0;
    if (status != CLMOVE_OK || !*has)
        return status;
    status = open_pageable(it, error);
    if (status == CLMOVE_OK) {
        memcpy(it->src, it->subject->noise, (size_t)it->subject->info.src_bytes);
        status = wrap(it, it->src, it->subject->info.src_bytes, &it->src_wrapped, &src_in_place, error);
    }
    if (status == CLMOVE_OK)
        status = wrap(it, it->dst, it->subject->info.dst_bytes, &it->dst_wrapped, &dst_in_place, error);
    it->src_buffer = it->src_wrapped;
    it->dst_buffer = it->dst_wrapped;
    *has = src_in_place && dst_in_place;
    return status;
}

clmove_status transfer_host_open(transfer_host *it, transfer_memory kind, const bench_subject *subject, bool *has,
                                 clmove_error *error) {
    clmove_status status;
    *it = (transfer_host){.kind = kind, .subject = subject, .src_buffer = subject->src, .dst_buffer = subject->dst};
    *has = true;
    if (kind == TRANSFER_ZERO_COPY)
        return open_zero_copy(it, has, error);
    status = kind == TRANSFER_PINNED ? open_pinned(it, error) : open_pageable(it, error);
    if (status == CLMOVE_OK)
        memcpy(it->src, subject->noise, (size_t)subject->info.src_bytes);
    return status;
}

void transfer_host_close(transfer_host *it) {
    clmove_buffer_destroy(&it->src_wrapped);
    clmove_buffer_destroy(&it->dst_wrapped);
    if (!it->src_staging)
        free(it->src);
    if (!it->dst_staging)
        free(it->dst);
    clmove_buffer_destroy(&it->src_staging);
    clmove_buffer_destroy(&it->dst_staging);
    *it = (transfer_host){0};
}

/* ---- using it ---- */

static clmove_status take(clmove_buffer *buffer, int64_t bytes, clmove_access access, clmove_error *error) {
    void *same;
    return clmove_buffer_map(buffer, access, 0, (size_t)bytes, &same, error);
}

static clmove_status upload(clmove_buffer *buffer, const unsigned char *from, int64_t bytes, double *device_seconds,
                            clmove_error *error) {
    clmove_times times = {.struct_size = sizeof times};
    clmove_status status = clmove_measure_write(buffer, 0, from, (size_t)bytes, &times, error);
    if (status == CLMOVE_OK)
        *device_seconds = times.device_seconds;
    return status;
}

/* The device gets what the host has, or the host what the device has. */
static clmove_status take_and_give(clmove_buffer *buffer, unsigned char *memory, int64_t bytes, clmove_access access,
                                   clmove_error *error) {
    clmove_status status = take(buffer, bytes, access, error);
    return status == CLMOVE_OK ? clmove_buffer_unmap(buffer, memory, error) : status;
}

clmove_status transfer_host_take(const transfer_host *it, clmove_error *error) {
    if (it->kind != TRANSFER_ZERO_COPY)
        return CLMOVE_OK;
    clmove_status status = take(it->src_wrapped, it->subject->info.src_bytes, CLMOVE_ACCESS_READ, error);
    return status == CLMOVE_OK ? take(it->dst_wrapped, it->subject->info.dst_bytes, CLMOVE_ACCESS_WRITE, error) : status;
}

clmove_status transfer_host_give(const transfer_host *it, double *device_seconds, clmove_error *error) {
    *device_seconds = -1;
    if (it->kind != TRANSFER_ZERO_COPY)
        return upload(it->dst_buffer, it->dst, it->subject->info.dst_bytes, device_seconds, error);
    clmove_status status = clmove_buffer_unmap(it->src_wrapped, it->src, error);
    return status == CLMOVE_OK ? clmove_buffer_unmap(it->dst_wrapped, it->dst, error) : status;
}

clmove_status transfer_upload_src(const transfer_host *it, double *device_seconds, clmove_error *error) {
    int64_t bytes = it->subject->info.src_bytes;
    *device_seconds = -1;
    if (it->kind == TRANSFER_ZERO_COPY)
        return take_and_give(it->src_wrapped, it->src, bytes, CLMOVE_ACCESS_READ_WRITE, error);
    return upload(it->src_buffer, it->src, bytes, device_seconds, error);
}

clmove_status transfer_download_dst(const transfer_host *it, double *device_seconds, clmove_error *error) {
    int64_t bytes = it->subject->info.dst_bytes;
    clmove_times times = {.struct_size = sizeof times};
    *device_seconds = -1;
    if (it->kind == TRANSFER_ZERO_COPY)
        return take_and_give(it->dst_wrapped, it->dst, bytes, CLMOVE_ACCESS_READ, error);
    clmove_status status = clmove_measure_read(it->dst_buffer, 0, it->dst, (size_t)bytes, &times, error);
    if (status == CLMOVE_OK)
        *device_seconds = times.device_seconds;
    return status;
}
