/* A run in place: kernels work on the caller's memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/run.h"

/* Shorter contiguous runs cause more memory traffic than packing does, since a line is fetched for each of them. */
#define SHORT_RUN_BYTES 64

#define UNDER_WAY 2 /* pieces: one works while the other is prepared */

/* ---- whether, and in which pieces ---- */

/* The bytes of a memory that the device uses: the form's, rounded up to the multiple. The caller's memory has them. */
static size_t rounded(const clm_sharing *sharing, size_t bytes) {
    return (bytes + sharing->multiple - 1) / sharing->multiple * sharing->multiple;
}

/* The memory may be too large for one buffer of a device that shares it. Then pieces are cut that fit, each with buffers of its
 * own, unless their contiguous runs would be too short. */
static bool choose_pieces(clm_run *run, bool fits) {
    const clm_executor *executor = run->candidate->executor;
    uint64_t most = executor->info.max_alloc_bytes;
    const bool wants_pieces = run->params->progress || run->params->piece_bytes;
    if (fits && !wants_pieces) {
        clm_run_do_not_cut(run);
        return true;
    }
    uint64_t around = executor->sharing.alignment + executor->sharing.multiple - 2; /* what alignment adds to a piece */
    int64_t span = fits || most > INT64_MAX ? 0 : most > around ? (int64_t)(most - around) : 1;
    const clm_cut_limits limits = {.src_spread = span, .dst_spread = span, .both = wants_pieces ? clm_run_piece_bytes(run) : 0};
    clm_run_cut(run, &limits);
    return fits || run->cut.run_bytes >= SHORT_RUN_BYTES || run->cut.run_bytes >= clm_form_run_bytes(run->form);
}

/* ---- piece after piece ---- */

/* A run in place: the memories as memory of the executor, or if they are too large, the memory that parts are made of. */
typedef struct in_place {
    clm_run *run;
    clm_executor *executor;
    clm_memory src, dst;
    /* Each piece gets memory of its own on each side, and completes before the next is submitted. */
    bool in_parts;
} in_place;

/* A piece under way. Zero: none. */
typedef struct under_way {
    /* The times, where they are known. */
    clm_span span;
    /* An event. */
    void *done;
    clm_memory src, dst;
} under_way;

/* Where a piece lies. */
static clmove_status find_memory(const in_place *it, const clm_placed_piece *placed, under_way *piece, clm_memory *src,
                                 clm_memory *dst, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    if (it->in_parts) {
        TRY(it->executor->calls->memory_part(&it->src, (size_t)placed->src_first, (size_t)placed->src_bytes, &piece->src, error));
        TRY(it->executor->calls->memory_part(&it->dst, (size_t)placed->dst_first, (size_t)placed->dst_bytes, &piece->dst, error));
        *src = piece->src;
        *dst = piece->dst;
    } else {
        *src = it->src;
        *dst = it->dst;
        src->offset += (size_t)placed->src_first;
        dst->offset += (size_t)placed->dst_first;
    }
out:
    return status;
}

/* Maps and unmaps a memory, so that the host sees its bytes. They stay valid after unmapping, since no kernel of this run writes
 * them again. *done: the event of the end. */
static clmove_status make_visible_to_host(const in_place *it, const clm_memory *dst, void **done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_executor_calls *calls = it->executor->calls;
    const clm_submission unmapping = {.event = done};
    void *mapped, *is_mapped = NULL;
    const clm_submission mapping = {.event = &is_mapped};
    TRY(calls->map(dst, CLMOVE_ACCESS_READ, 0, dst->bytes, &mapping, &mapped, error));
    TRY(calls->unmap(dst, mapped, &unmapping, error));
out:
    if (is_mapped)
        calls->event_release(it->executor, is_mapped);
    return status;
}

static void release(const in_place *it, under_way *piece) {
    it->executor->calls->memory_destroy(&piece->src);
    it->executor->calls->memory_destroy(&piece->dst);
    clm_span_release(it->executor, &piece->span);
    if (piece->done)
        it->executor->calls->event_release(it->executor, piece->done);
    *piece = (under_way){0};
}

/* Submits a piece. After a failure nothing is under way. */
static clmove_status launch(const in_place *it, int64_t number, under_way *piece, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_executor_calls *calls = it->executor->calls;
    clm_run *run = it->run;
    size_t begin = (size_t)(uintptr_t)run->src | (size_t)(uintptr_t)run->dst;
    bool maps = it->in_parts || number + 1 == run->info.pieces, profiles = it->executor->profiles, is_out = false;
    const clm_submission submission = {.event = maps || profiles ? NULL : &piece->done};
    clm_placed_piece placed;
    clm_memory src, dst;
    clm_kernel *kernel;
    if (run->info.pieces == 1 && !it->in_parts && !clm_run_is_part(run)) {
        placed.src_first = placed.dst_first = 0;
        TRY(clm_plan_get_kernel(run->plan, run->candidate, begin, &kernel, error));
    } else {
        clm_cut_in_place(&run->cut, number, &placed);
        begin |= (size_t)(placed.src_first | placed.dst_first);
        clm_plan_fit_form(run->candidate, begin, &placed.form);
        TRY(clm_run_find_kernel(run, &placed.form, &kernel, error));
    }
    run->launches += kernel->launch_plan.launches;
    TRY(find_memory(it, &placed, piece, &src, &dst, error));
    is_out = true; /* a failure may come after the first of several launches */
    TRY(calls->submit(kernel, &src, &dst, &submission, profiles ? &piece->span : NULL, error));
    if (maps)
        TRY(make_visible_to_host(it, it->in_parts ? &dst : &it->dst, &piece->done, error));
    TRY(calls->flush(it->executor, NULL, error));
out:
    if (is_out && status != CLMOVE_OK)
        calls->finish(it->executor, NULL, NULL);
    if (status != CLMOVE_OK)
        release(it, piece);
    return status;
}

/* Waits until a piece is done. After a failure nothing uses the memory any more. */
static clmove_status wait(const in_place *it, under_way *piece, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_executor_calls *calls = it->executor->calls;
    clmove_run_info *info = &it->run->info;
    void *done = piece->done ? piece->done : piece->span.last;
    double seconds = -1;
    if (!done)
        return status;
    TRY(calls->event_wait(it->executor, done, error));
    TRY(calls->span_seconds(it->executor, &piece->span, &seconds, error));
    info->move_seconds = seconds < 0 ? seconds : info->move_seconds + seconds;
out:
    if (status != CLMOVE_OK)
        calls->finish(it->executor, NULL, NULL);
    release(it, piece);
    return status;
}

static clmove_status move(const in_place *it, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_run *run = it->run;
    under_way pieces[UNDER_WAY] = {{.done = NULL}};
    int64_t ahead = it->in_parts ? 0 : UNDER_WAY - 1;
    for (int64_t piece = 0; piece < run->info.pieces + ahead; piece++) {
        if (piece < run->info.pieces)
            TRY(launch(it, piece, &pieces[piece % UNDER_WAY], error));
        if (piece < ahead)
            continue;
        TRY(wait(it, &pieces[(piece - ahead) % UNDER_WAY], error));
        TRY(clm_run_advance(run, piece - ahead, error));
    }
out:
    for (int i = 0; i < UNDER_WAY; i++)
        wait(it, &pieces[i], NULL);
    if (status == CLMOVE_CANCELLED && !it->in_parts) { /* what was moved stays */
        make_visible_to_host(it, &it->dst, &pieces[0].done, NULL);
        wait(it, &pieces[0], NULL);
    }
    return status;
}

clmove_status clm_run_in_place(clm_run *run, bool *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executor = run->candidate->executor;
    const clm_sharing *sharing = &executor->sharing;
    in_place it = {.run = run, .executor = executor};
    bool is_free = false;
    *done = false;
    if (!clm_is_shareable(sharing, run->src, run->src_bytes) || !clm_is_shareable(sharing, run->dst, run->dst_bytes))
        return status;
    /* OpenCL takes no pointer to const. */
    const clm_range src = {.first = (unsigned char *)(uintptr_t)run->src, .bytes = rounded(sharing, run->src_used)},
                    dst = {.first = run->dst, .bytes = rounded(sharing, run->dst_used), .writes = true};
    uint64_t most = executor->info.max_alloc_bytes;
    bool fits = most == 0 || (src.bytes <= most && dst.bytes <= most);
    if (!choose_pieces(run, fits))
        return status;
    it.in_parts = !fits;
    TRY(executor->calls->memory_wrap(executor, &src, it.in_parts, &it.src, &is_free, error));
    if (is_free)
        TRY(executor->calls->memory_wrap(executor, &dst, it.in_parts, &it.dst, &is_free, error));
    if (is_free) { /* else another run or buffer uses some of it */
        run->info.method = executor->calls->run ? CLMOVE_RUN_HOST : CLMOVE_RUN_IN_PLACE;
        TRY(move(&it, error));
        *done = true;
    }
out:
    executor->calls->memory_destroy(&it.src);
    executor->calls->memory_destroy(&it.dst);
    return status;
}
