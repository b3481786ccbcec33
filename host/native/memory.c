/* Memory of the host executor, and what is done with its bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/native/objects.h"
#include "host/pages.h"
#include "host/repeat.h"

#include <stdlib.h>
#include <string.h>

#define LINE 64
#define PAGE 4096 /* host memory for transfers begins at one */

/* The object of a clm_memory. */
typedef struct block {
    clm_held held;
    /* NULL: the bytes belong to the caller. */
    void *owned;
    /* The bytes of a pattern. */
    size_t bytes;
} block;

static void destroy_block(clm_held *held) {
    free(((block *)held)->owned);
    free(held);
}

static clmove_status make_block(block **made, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    block *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a buffer");
    created->held.destroy = destroy_block;
    atomic_init(&created->held.holders, 1);
    *made = created;
out:
    return status;
}

clmove_status clm_native_create(clm_executor *executor, clm_memory_kind kind, size_t bytes, clm_memory *memory,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    size_t alignment = bytes >= CLM_HUGE_LEAST ? CLM_HUGE_PAGE : kind == CLM_MEMORY_PINNED ? PAGE : LINE;
    const clm_reclaim *reclaim = &executor->reclaim;
    block *made = NULL;
    TRY(make_block(&made, error));
    REQUIRE(posix_memalign(&made->owned, alignment, bytes) == 0 ||
                (reclaim->all && reclaim->all(reclaim->user) && posix_memalign(&made->owned, alignment, bytes) == 0),
            OUT_OF_MEMORY, "no memory for a buffer of %zu bytes", bytes);
    clm_ask_for_huge_pages(made->owned, bytes);
    *memory = (clm_memory){.executor = executor, .object = made, .bytes = bytes, .host = made->owned};
    made = NULL;
out:
    free(made);
    return status;
}

clmove_status clm_native_wrap(clm_executor *executor, const clm_range *range, bool in_parts, clm_memory *memory, bool *is_free,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    block *made = NULL;
    (void)in_parts;
    TRY(make_block(&made, error));
    *memory = (clm_memory){.executor = executor, .object = made, .bytes = range->bytes, .host = range->first};
    *is_free = true;
out:
    return status;
}

clmove_status clm_native_borrow(clm_executor *executor, const clm_memory *given, clm_use use, const char *role,
                                clm_memory *memory, clmove_error *error) {
    (void)executor, (void)use, (void)memory;
    return given->svm ? clm_raise(error, CLMOVE_UNSUPPORTED, 0, "the host has no shared virtual memory for the %s", role)
                      : clm_raise(error, CLMOVE_INVALID_ARGUMENT, 0, "the %s is a cl_mem, and the device is the host", role);
}

clmove_status clm_native_part(const clm_memory *wrapped, size_t first, size_t bytes, clm_memory *made, clmove_error *error) {
    (void)error;
    *made = *wrapped;
    made->offset += first;
    made->bytes = bytes;
    clm_hold(clm_native_hold(wrapped));
    return CLMOVE_OK;
}

void clm_native_destroy(clm_memory *memory) {
    const block *it = memory->object;
    if (it && !it->owned)
        clm_queue_finish(clm_native_of(memory->executor)->queue);
    clm_let_go(memory->object);
    *memory = (clm_memory){0};
}

/* ---- bytes ---- */

static void copy_bytes(const clm_command *command) {
    memcpy(command->dst, command->src, command->bytes);
}

static clmove_status submit_copy(clm_executor *executor, const clm_command *copy, const clm_submission *submission,
                                 clm_span *span, clmove_error *error) {
    static const clm_submission blocking = {.blocking = true};
    clmove_status status = CLMOVE_OK;
    TRY(clm_queue_submit(clm_native_queue(executor, submission), copy, submission ? submission : &blocking, span, error));
    if (!submission)
        clm_queue_finish(clm_native_of(executor)->queue);
out:
    return status;
}

clmove_status clm_native_write(clm_memory *memory, size_t offset, const void *src, size_t bytes, const clm_submission *submission,
                               clm_span *span, clmove_error *error) {
    const clm_command command = {copy_bytes, src, clm_native_first(memory) + offset, bytes, {clm_native_hold(memory)}};
    return submit_copy(memory->executor, &command, submission, span, error);
}

clmove_status clm_native_read(const clm_memory *memory, size_t offset, void *dst, size_t bytes, const clm_submission *submission,
                              clm_span *span, clmove_error *error) {
    const clm_command command = {copy_bytes, clm_native_first(memory) + offset, dst, bytes, {clm_native_hold(memory)}};
    return submit_copy(memory->executor, &command, submission, span, error);
}

/* May return before it is done, like fill. */
clmove_status clm_native_copy(const clm_memory *src, size_t src_offset, clm_memory *dst, size_t dst_offset, size_t bytes,
                              clmove_error *error) {
    const clm_command command = {copy_bytes,
                                 clm_native_first(src) + src_offset,
                                 clm_native_first(dst) + dst_offset,
                                 bytes,
                                 {clm_native_hold(src), clm_native_hold(dst)}};
    return clm_queue_submit(clm_native_queue(dst->executor, NULL), &command, NULL, NULL, error);
}

static void fill_bytes(const clm_command *command) {
    const block *pattern = (const block *)command->holds[1];
    clm_repeat(command->dst, command->bytes, pattern->owned, pattern->bytes);
}

clmove_status clm_native_fill(clm_memory *memory, size_t offset, size_t bytes, const void *given, size_t pattern_bytes,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    block *kept = NULL;
    TRY(make_block(&kept, error));
    kept->bytes = pattern_bytes;
    kept->owned = malloc(pattern_bytes);
    REQUIRE(kept->owned, OUT_OF_MEMORY, "no memory for a pattern of %zu bytes", pattern_bytes);
    memcpy(kept->owned, given, pattern_bytes);
    const clm_command command = {
        fill_bytes, NULL, clm_native_first(memory) + offset, bytes, {clm_native_hold(memory), &kept->held}};
    TRY(clm_queue_submit(clm_native_queue(memory->executor, NULL), &command, NULL, NULL, error));
out:
    clm_let_go(kept ? &kept->held : NULL);
    return status;
}

/* ---- for the host ---- */

/* What is left of a submission where the bytes lie right already. */
clmove_status clm_native_mark(clm_executor *executor, const clm_submission *submission, clmove_error *error) {
    static const clm_command nothing;
    return clm_queue_submit(clm_native_queue(executor, submission), &nothing, submission, NULL, error);
}

clmove_status clm_native_map(const clm_memory *memory, clmove_access access, size_t offset, size_t bytes,
                             const clm_submission *submission, void **mapped, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    (void)access, (void)bytes;
    if (submission)
        TRY(clm_native_mark(memory->executor, submission, error));
    if (!submission || !submission->event)
        clm_queue_finish(clm_native_queue(memory->executor, submission));
    *mapped = clm_native_first(memory) + offset;
out:
    return status;
}

clmove_status clm_native_unmap(const clm_memory *memory, void *mapped, const clm_submission *submission, clmove_error *error) {
    (void)mapped;
    return submission ? clm_native_mark(memory->executor, submission, error) : CLMOVE_OK;
}
