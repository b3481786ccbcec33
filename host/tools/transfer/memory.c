/* See memory.h.
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

/* Whole pages, since a device may want a multiple of some bytes. */
static size_t pages_of(const transfer_side *side) {
    return (side->bytes + PAGE - 1) / PAGE * PAGE;
}

static bool take_pages(transfer_side *side, clmove_error *error) {
    side->memory = aligned_alloc(PAGE, pages_of(side));
    if (side->memory)
        return true;
    error->status = CLMOVE_OUT_OF_MEMORY;
    snprintf(error->text, sizeof error->text, "there is no memory for its %zu bytes on the host", side->bytes);
    return false;
}

/* Stays mapped for good: no kernel ever uses it. */
static bool pin(clmove_device *device, transfer_side *side, clmove_error *error) {
    void *mapped = NULL;
    bool done = clmove_buffer_create_pinned(device, side->bytes, &side->own, error) == CLMOVE_OK &&
                clmove_buffer_map(side->own, CLMOVE_ACCESS_READ_WRITE, 0, side->bytes, &mapped, error) == CLMOVE_OK;
    side->memory = mapped;
    return done;
}

static bool wrap(clmove_device *device, transfer_side *side, bool *in_place, clmove_error *error) {
    clmove_buffer_info info = {.struct_size = sizeof info};
    if (clmove_buffer_wrap(device, side->memory, pages_of(side), &side->own, error) != CLMOVE_OK ||
        clmove_buffer_get_info(side->own, &info, error) != CLMOVE_OK)
        return false;
    side->buffer = side->own;
    *in_place &= info.zero_copy;
    return true;
}

bool transfer_host_open(transfer_host *it, transfer_memory kind, const bench_subject *subject, clmove_error *error) {
    clmove_device *device = subject->device;
    clmove_memory_info info = {.struct_size = sizeof info};
    *it = (transfer_host){.kind = kind,
                          .subject = subject,
                          .src = {.bytes = (size_t)subject->info.src_bytes, .buffer = subject->src},
                          .dst = {.bytes = (size_t)subject->info.dst_bytes, .buffer = subject->dst}};
    if (clmove_device_get_memory(device, &info, error) != CLMOVE_OK)
        return false;
    it->exists = kind != TRANSFER_ZERO_COPY || info.zero_copy_alignment > 0;
    if (!it->exists)
        return true;
    bool made = kind == TRANSFER_PINNED ? pin(device, &it->src, error) && pin(device, &it->dst, error)
                                        : take_pages(&it->src, error) && take_pages(&it->dst, error);
    if (!made)
        return false;
    memcpy(it->src.memory, subject->noise, it->src.bytes);
    return kind != TRANSFER_ZERO_COPY ||
           (wrap(device, &it->src, &it->exists, error) && wrap(device, &it->dst, &it->exists, error));
}

static void close_side(const transfer_host *it, transfer_side *side) {
    clmove_buffer_destroy(&side->own);
    if (it->kind != TRANSFER_PINNED)
        free(side->memory);
}

void transfer_host_close(transfer_host *it) {
    close_side(it, &it->src);
    close_side(it, &it->dst);
    *it = (transfer_host){0};
}

/* ---- using it ---- */

static bool take(const transfer_side *side, clmove_access access, clmove_error *error) {
    void *same;
    return clmove_buffer_map(side->own, access, 0, side->bytes, &same, error) == CLMOVE_OK;
}

static bool give(const transfer_side *side, clmove_error *error) {
    return clmove_buffer_unmap(side->own, side->memory, error) == CLMOVE_OK;
}

bool transfer_copy(const transfer_host *it, const transfer_side *side, bool to_device, double *device_seconds,
                   clmove_error *error) {
    bool done;
    clmove_times times = {.struct_size = sizeof times, .device_seconds = -1};
    if (it->kind == TRANSFER_ZERO_COPY)
        done = take(side, to_device ? CLMOVE_ACCESS_READ_WRITE : CLMOVE_ACCESS_READ, error) && give(side, error);
    else if (to_device)
        done = clmove_measure_write(side->buffer, 0, side->memory, side->bytes, &times, error) == CLMOVE_OK;
    else
        done = clmove_measure_read(side->buffer, 0, side->memory, side->bytes, &times, error) == CLMOVE_OK;
    *device_seconds = times.device_seconds;
    return done;
}

bool transfer_host_take(const transfer_host *it, clmove_error *error) {
    return it->kind != TRANSFER_ZERO_COPY ||
           (take(&it->src, CLMOVE_ACCESS_READ, error) && take(&it->dst, CLMOVE_ACCESS_WRITE, error));
}

bool transfer_host_give(const transfer_host *it, double *device_seconds, clmove_error *error) {
    *device_seconds = -1;
    if (it->kind != TRANSFER_ZERO_COPY)
        return transfer_copy(it, &it->dst, true, device_seconds, error);
    return give(&it->src, error) && give(&it->dst, error);
}
