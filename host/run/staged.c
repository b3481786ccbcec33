/* A staged run: the host packs pieces into pinned memory, the device moves them, the host unpacks them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/run/run.h"
#include "host/run/staging.h"

#include <inttypes.h>

/* Smaller pieces are made only if a single slot has no more room. */
#define SMALL_PIECE_BYTES 65536

/* Smaller pieces would take hours: a budget that leaves less is refused. */
#define LEAST_PIECE_BYTES 4096

/* The upload of the first piece and the download of the last overlap with nothing, so that several pieces are faster than one.
 * But each piece takes events, launches, and waking the host's threads. Behind a link of 1 GB/s (POCL, 2 cores), 16 to 16 MiB
 * take 22 ms in 8 pieces of 4 MiB and 41 at once; 100 to 100 take 127 ms in 16 pieces and 140 in 7; 24 pieces are no faster. */
#define PIECES 16
#define PIECE_LEAST_BYTES ((int64_t)4 << 20)

/* A staged run under way. */
typedef struct staged {
    clm_run *run;
    clm_pipeline *pipeline;
    /* How many slots there are, and which source slot was filled last. */
    int32_t slots, src_slot;
    /* The whole tensors are moved, not packed, by the plan's own kernel. */
    bool whole;
} staged;

/* ---- the size of pieces ---- */

static int64_t least(int64_t a, uint64_t b) {
    return (uint64_t)a < b ? a : (int64_t)b;
}

/* The bytes of a piece: the caller's, or as many as make enough pieces, up to the tuning's. */
static int64_t choose_bytes(const clm_run *run) {
    int64_t most = clm_run_piece_bytes(run);
    if (run->params->piece_bytes)
        return most;
    int64_t share = (int64_t)((uint64_t)run->src_used / PIECES + (uint64_t)run->dst_used / PIECES) + 1;
    if (clm_run_is_part(run)) /* which may reach far more of the source than it reads */
        share = clm_run_bytes(run->form) / PIECES + 1;
    share = share > PIECE_LEAST_BYTES ? share : PIECE_LEAST_BYTES;
    return share < most ? share : most;
}

/* Chooses the pieces and the slots. They fit in one buffer, and in half of what is left of the budget: the other half is for the
 * caller's buffers. */
static clmove_status choose_pieces(staged *it, clm_pipeline_shape *shape, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_run *run = it->run;
    clmove_plan *plan = run->plan;
    clmove_device *device = plan->device;
    clm_executor *executor = run->candidate->executor;
    const clm_pipeline_shape one_byte = {.src_bytes = 1, .slots = 1};
    uint64_t most = executor->info.max_alloc_bytes ? executor->info.max_alloc_bytes : INT64_MAX;
    size_t share = clm_pipeline_bytes(executor, &one_byte) * 2;
    uint64_t room = clm_staging_left(device) / share;
    int64_t piece_bytes = choose_bytes(run);
    uint64_t wanted = (uint64_t)(piece_bytes < PIECE_LEAST_BYTES ? piece_bytes : PIECE_LEAST_BYTES);
    if (room / CLM_MAX_SLOTS < wanted && clm_budget_reclaim(&device->budget))
        room = clm_staging_left(device) / share;
    it->slots = CLM_MAX_SLOTS;
    it->whole = !clm_run_is_part(run) && plan->src_bytes <= most && plan->dst_bytes <= most &&
                (uint64_t)plan->src_bytes + plan->dst_bytes <= (uint64_t)least(piece_bytes, room);
    if (it->whole) {
        it->slots = 1;
        clm_run_do_not_cut(run);
        *shape = (clm_pipeline_shape){plan->src_bytes, plan->dst_bytes, 1};
        goto out;
    }
    REQUIRE(room >= LEAST_PIECE_BYTES || room >= (uint64_t)piece_bytes, OUT_OF_MEMORY,
            "the memory budget leaves %" PRIu64 " bytes, and to stage %zu and %zu in pieces it must leave %zu at least",
            clm_staging_left(device), plan->src_bytes, plan->dst_bytes, share * LEAST_PIECE_BYTES);
    if (room / CLM_MAX_SLOTS < SMALL_PIECE_BYTES && room / CLM_MAX_SLOTS < (uint64_t)piece_bytes)
        it->slots = 1;
    int64_t both = least(piece_bytes, room / (uint64_t)it->slots), side = least(INT64_MAX, most);
    clm_run_cut(run, &(clm_cut_limits){.src = side, .dst = side, .both = both ? both : 1});
    if (it->slots > run->cut.pieces)
        it->slots = (int32_t)run->cut.pieces;
    *shape = (clm_pipeline_shape){(size_t)run->cut.sizes.src, (size_t)run->cut.sizes.dst, it->slots};
out:
    return status;
}

/* ---- one piece ---- */

/* What the host packs and unpacks for a piece. If the piece is the whole, the source is copied as it is, and the bytes that the
 * plan writes are copied to the places where they are. */
static void describe(const staged *it, int64_t piece, clm_packed_piece *packed) {
    const clmove_plan *plan = it->run->plan;
    clm_normal_form *pack = &packed->pack, *unpack = &packed->unpack;
    if (!it->whole) {
        clm_cut_packed(&it->run->cut, piece, packed);
        return;
    }
    packed->src_bytes = (int64_t)plan->src_bytes;
    packed->dst_bytes = (int64_t)plan->dst_bytes;
    *pack = (clm_normal_form){.unit_bits = 8, .rank = 1, .axes = {{.extent = packed->src_bytes, .src = 1, .dst = 1}}};
    *unpack = plan->form;
    unpack->src_offset = unpack->dst_offset;
    for (int32_t i = 0; i < unpack->rank; i++)
        unpack->axes[i].src = unpack->axes[i].dst;
    clm_form_normalise(pack);
    clm_form_normalise(unpack);
}

/* Fills a slot, sends it and moves it. May return before the device is done. */
static clmove_status send(staged *it, int64_t piece, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_run *run = it->run;
    clm_packed_piece packed;
    clm_kernel *kernel;
    describe(it, piece, &packed);
    if (it->whole)
        TRY(clm_plan_get_kernel(run->plan, run->candidate, 0, &kernel, error));
    else
        TRY(clm_run_find_kernel(run, &packed.move, &kernel, error));
    run->launches += kernel->launch_plan.launches;
    if (it->whole || !clm_cut_reads_same(&run->cut, piece)) {
        void *memory;
        it->src_slot = (it->src_slot + 1) % it->slots;
        TRY(clm_pipeline_fill(it->pipeline, it->src_slot, &memory, error));
        const double start = clm_now();
        TRY(clm_plan_run_form_on_host(run->plan, &packed.pack, false, run->src, memory, error));
        run->info.pack_seconds += clm_now() - start;
        TRY(clm_pipeline_send(it->pipeline, it->src_slot, (size_t)packed.src_bytes, error));
    }
    TRY(clm_pipeline_move(it->pipeline, kernel, it->src_slot, (int32_t)(piece % it->slots), (size_t)packed.dst_bytes, error));
out:
    return status;
}

static clmove_status collect(staged *it, int64_t piece, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    int32_t dst_slot = (int32_t)(piece % it->slots);
    clm_run *run = it->run;
    clm_packed_piece packed;
    const void *memory = NULL;
    TRY(clm_pipeline_collect(it->pipeline, dst_slot, &memory, error));
    const double start = clm_now();
    describe(it, piece, &packed);
    TRY(clm_plan_run_form_on_host(run->plan, &packed.unpack, clm_plan_host(run->plan)->launch_plan.stream, memory, run->dst,
                                  error));
    run->info.unpack_seconds += clm_now() - start;
    TRY(clm_pipeline_return(it->pipeline, dst_slot, error));
    TRY(clm_run_advance(run, piece, error));
out:
    return status;
}

/* After a failure or a cancellation work may be under way in the pipeline, on its own memory alone. Dropping it waits for that.
 */
clmove_status clm_run_staged(clm_run *run, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device *device = run->plan->device;
    staged it = {.run = run, .src_slot = -1};
    run->info.method = CLMOVE_RUN_STAGED;
    clm_pipeline_shape shape;
    TRY(choose_pieces(&it, &shape, error));
    TRY(clm_staging_take(device, &shape, &it.pipeline, error));
    for (int64_t piece = 0; piece < run->info.pieces + it.slots; piece++) {
        if (piece >= it.slots)
            TRY(collect(&it, piece - it.slots, error));
        if (piece < run->info.pieces)
            TRY(send(&it, piece, error));
    }
    TRY(clm_pipeline_take_times(it.pipeline, &run->info, error));
    run->info.staging_bytes = (int64_t)clm_pipeline_bytes(run->candidate->executor, &it.pipeline->shape);
    clm_staging_put(device, it.pipeline);
    it.pipeline = NULL;
out:
    clm_staging_drop(device, it.pipeline);
    return status;
}
