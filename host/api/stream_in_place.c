/* The way of a run in place: kernels work on the caller's memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/api/stream.h"
#include "host/opencl/in_place.h"

/* Below this, runs that a cut leaves cost more memory traffic than packing does: a line is fetched for each of them. */
#define SHORT_RUN_BYTES 64

#define UNDER_WAY 2 /* pieces: one works while the other is prepared */

/* ---- whether, and in which pieces ---- */

/* The bytes that the device takes of a memory: the plan's, and what makes them a multiple, which is the caller's too. */
static size_t rounded(const clm_sharing *sharing, size_t bytes) {
    return (bytes + sharing->multiple - 1) / sharing->multiple * sharing->multiple;
}

/* A device that shares the memory may still not reach all of it in one buffer; then pieces are cut that it does, each with
 * buffers of its own, unless what remains of each run were too little. */
static bool choose_pieces(clm_run *run, bool fits) {
    const clmove_plan *plan = run->plan;
    uint64_t most = plan->device->info.max_alloc_bytes;
    if (fits && !clm_run_wants_pieces(run)) {
        clm_run_set_whole(run);
        return true;
    }
    const clm_sharing sharing = clm_device_sharing(plan->device);
    uint64_t around = sharing.alignment + sharing.multiple - 2; /* what alignment adds to a piece */
    int64_t span = fits || most > INT64_MAX ? 0 : most > around ? (int64_t)(most - around) : 1;
    const clm_cut_limits limits = {
        .src_span = span, .dst_span = span, .both = clm_run_wants_pieces(run) ? clm_run_piece_bytes(run) : 0};
    clm_cut_make(&plan->form, &limits, &run->cut);
    clm_run_set_pieces(run);
    return fits || run->cut.run_bytes >= SHORT_RUN_BYTES || run->cut.run_bytes >= clm_form_run_bytes(&plan->form);
}

/* ---- piece after piece ---- */

static clmove_status launch(clm_run *run, const clm_in_place *place, int64_t piece, clm_launched *launched, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan *plan = run->plan;
    size_t src = (size_t)(uintptr_t)run->src, dst = (size_t)(uintptr_t)run->dst;
    clm_part part = {.src_bytes = plan->src_bytes, .dst_bytes = plan->dst_bytes, .is_last = piece + 1 == run->info.pieces};
    clm_opencl_kernel *kernel;
    if (run->info.pieces == 1) {
        TRY(clm_plan_get_kernel(plan, src, dst, &kernel, error));
        run->launches = clm_opencl_kernel_movement(kernel)->launches;
    } else {
        clm_placed_piece placed;
        clm_cut_in_place(&run->cut, piece, &placed);
        part.src_first = (size_t)placed.src_first;
        part.src_bytes = (size_t)placed.src_bytes;
        part.dst_first = (size_t)placed.dst_first;
        part.dst_bytes = (size_t)placed.dst_bytes;
        clm_plan_fit_form(plan, src | part.src_first | dst | part.dst_first, &placed.form);
        TRY(clm_run_find_kernel(run, &placed.form, &kernel, error));
    }
    TRY(clm_in_place_launch(place, kernel, &part, launched, error));
out:
    return status;
}

static clmove_status wait(clm_run *run, const clm_in_place *place, clm_launched *launched, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    double seconds;
    TRY(clm_in_place_wait(place, launched, &seconds, error));
    run->info.move_seconds = seconds < 0 ? seconds : run->info.move_seconds + seconds;
out:
    return status;
}

static clmove_status move(clm_run *run, const clm_in_place *place, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_launched launched[UNDER_WAY] = {{.done = NULL}};
    int64_t ahead = place->in_parts ? 0 : UNDER_WAY - 1;
    for (int64_t piece = 0; piece < run->info.pieces + ahead; piece++) {
        if (piece < run->info.pieces)
            TRY(launch(run, place, piece, &launched[piece % UNDER_WAY], error));
        if (piece < ahead)
            continue;
        TRY(wait(run, place, &launched[(piece - ahead) % UNDER_WAY], error));
        TRY(clm_run_advance(run, piece - ahead, error));
    }
out:
    for (int i = 0; i < UNDER_WAY; i++)
        clm_in_place_wait(place, &launched[i], &(double){0}, NULL);
    if (status == CLMOVE_CANCELLED) /* what was moved stays */
        clm_in_place_leave(place, NULL);
    return status;
}

clmove_status clm_run_in_place(clm_run *run, bool *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clmove_plan *plan = run->plan;
    const clm_sharing sharing = clm_device_sharing(plan->device);
    clm_in_place place = {0};
    *done = false;
    if (!clm_is_shareable(&sharing, run->src, run->src_bytes) || !clm_is_shareable(&sharing, run->dst, run->dst_bytes))
        return status;
    /* OpenCL takes no pointer to const. */
    const clm_range src = {.first = (unsigned char *)(uintptr_t)run->src, .bytes = rounded(&sharing, plan->src_bytes)},
                    dst = {.first = run->dst, .bytes = rounded(&sharing, plan->dst_bytes), .writes = true};
    uint64_t most = plan->device->info.max_alloc_bytes;
    bool fits = most == 0 || (src.bytes <= most && dst.bytes <= most);
    if (!choose_pieces(run, fits))
        return status;
    TRY(clm_in_place_begin(plan->device->opencl, &src, &dst, !fits, &place, done, error));
    if (*done) {
        run->info.way = CLMOVE_RUN_IN_PLACE;
        TRY(move(run, &place, error));
    }
out:
    clm_in_place_end(&place);
    return status;
}
