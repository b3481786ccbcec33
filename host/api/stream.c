/* SPDX-License-Identifier: Apache-2.0 */
#include "host/api/stream.h"

#include "host/api/kernel.h"
#include "host/params.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

const clm_output clm_run_info_output = CLM_OUTPUT(clmove_run_info, move_seconds);

double clm_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- what the ways share ---- */

bool clm_run_wants_pieces(const clm_run *run) {
    return run->params && (run->params->progress || run->params->piece_bytes);
}

int64_t clm_run_piece_bytes(const clm_run *run) {
    return run->params && run->params->piece_bytes ? run->params->piece_bytes : run->plan->traits.tuning.piece_bytes;
}

/* Units that a form reads, each place of its packed source once. */
static int64_t units_read(const clm_normal_form *form) {
    int64_t units = 1;
    for (int32_t i = 0; i < form->rank; i++)
        units *= form->axes[i].src ? form->axes[i].extent : 1;
    return units;
}

clmove_status clm_run_advance(clm_run *run, int64_t piece, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_normal_form *form = &run->plan->form;
    if (!run->params || !run->params->progress)
        return status;
    int64_t all_read = units_read(form), all_written = clm_form_units(form);
    if (run->info.pieces == 1) {
        run->units_read = all_read;
        run->units_written = all_written;
    } else {
        run->units_read += clm_cut_reads_same(&run->cut, piece) ? 0 : clm_cut_units_read(&run->cut, piece);
        run->units_written += clm_cut_units(&run->cut, piece);
    }
    const clmove_progress progress = {
        .struct_size = sizeof progress,
        .bytes_done = clm_form_bytes(form, run->units_read) + clm_form_bytes(form, run->units_written),
        .bytes_total = clm_form_bytes(form, all_read) + clm_form_bytes(form, all_written),
        .seconds = clm_now() - run->start,
    };
    REQUIRE(run->params->progress(run->params->progress_user, &progress), CANCELLED,
            "cancelled after %" PRId64 " of %" PRId64 " bytes", progress.bytes_done, progress.bytes_total);
out:
    return status;
}

clmove_status clm_run_find_kernel(clm_run *run, const clm_normal_form *form, clm_opencl_kernel **kernel, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clmove_plan *plan = run->plan;
    clm_kernel_wish wish = {form, &plan->traits, plan->variant, plan->index_bits, plan->movement.stream};
    clm_movement movement;
    clm_opencl_kernel *created = NULL;
    /* What is forced is forced on the whole; a piece of it may be of another kind. */
    if (clm_choose(form, &plan->traits, plan->variant, plan->index_bits, &movement, NULL) != CLMOVE_OK) {
        wish.variant = NULL;
        wish.index_bits = 0;
        TRY(clm_choose(form, &plan->traits, NULL, 0, &movement, error));
    }
    movement.stream |= plan->movement.stream;
    if (clm_movements_are_equal(&movement, &plan->movement))
        TRY(clm_plan_get_own_kernel(run->plan, &created, error));
    for (int32_t i = 0; i < run->kernel_count && i < CLM_PIECE_KERNELS && !created; i++)
        if (clm_movements_are_equal(&movement, &run->kernels[i].movement))
            created = run->kernels[i].kernel;
    if (!created) {
        TRY(clm_kernel_make(plan->device, &wish, &created, error));
        clm_piece_kernel *place = &run->kernels[run->kernel_count % CLM_PIECE_KERNELS];
        if (run->kernel_count++ >= CLM_PIECE_KERNELS)
            clm_opencl_kernel_destroy(place->kernel);
        *place = (clm_piece_kernel){.movement = movement, .kernel = created};
    }
    run->launches += clm_opencl_kernel_movement(created)->launches;
    *kernel = created;
out:
    return status;
}

clmove_status clm_run_form_on_host(const clm_run *run, const clm_normal_form *form, bool stream, const void *src, void *dst,
                                   clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_movement movement;
    TRY(clm_choose(form, &run->plan->host_traits, NULL, 0, &movement, error));
    movement.stream |= stream;
    clm_native_run(&movement, &run->plan->device->host, src, dst);
out:
    return status;
}

/* ---- where the memories lie ---- */

void clm_run_set_pieces(clm_run *run) {
    run->info.pieces = run->cut.pieces;
    run->info.piece_bytes = run->cut.sizes.src + run->cut.sizes.dst;
}

void clm_run_set_whole(clm_run *run) {
    const clm_normal_form *form = &run->plan->form;
    run->info.pieces = 1;
    run->info.piece_bytes = clm_form_bytes(form, units_read(form)) + clm_form_bytes(form, clm_form_units(form));
}

static clmove_status run_on_host(clm_run *run, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan *plan = run->plan;
    run->info = (clmove_run_info){.way = CLMOVE_RUN_HOST};
    run->units_read = run->units_written = 0;
    clm_run_set_whole(run);
    if (clm_run_wants_pieces(run)) {
        clm_cut_make(&plan->form, &(clm_cut_limits){.both = clm_run_piece_bytes(run)}, &run->cut);
        clm_run_set_pieces(run);
    }
    if (run->info.pieces == 1) {
        clm_native_run(&plan->host_movement, &plan->device->host, run->src, run->dst);
        TRY(clm_run_advance(run, 0, error));
    } else
        for (int64_t piece = 0; piece < run->cut.pieces; piece++) {
            clm_placed_piece placed;
            clm_cut_in_place(&run->cut, piece, &placed);
            TRY(clm_run_form_on_host(run, &placed.form, plan->host_movement.stream, run->src + placed.src_first,
                                     run->dst + placed.dst_first, error));
            TRY(clm_run_advance(run, piece, error));
        }
    atomic_fetch_add(&plan->device->host_runs, 1);
    run->info.move_seconds = clm_now() - run->start;
out:
    return status;
}

/* ---- which way ---- */

static clmove_status run_on_device(clm_run *run, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool done = false;
    TRY(clm_run_in_place(run, &done, error));
    if (!done)
        TRY(clm_run_staged(run, error));
    atomic_fetch_add(&run->plan->device->kernels_run, (uint64_t)run->launches);
out:
    for (int32_t i = 0; i < run->kernel_count && i < CLM_PIECE_KERNELS; i++)
        clm_opencl_kernel_destroy(run->kernels[i].kernel);
    return status;
}

clmove_status clm_stream(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                         const clmove_run_params *params, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    clm_run run; /* large; what is not set here is set where it is used */
    run.plan = plan;
    run.src = src;
    run.dst = dst;
    run.src_bytes = src_bytes;
    run.dst_bytes = dst_bytes;
    run.params = params;
    run.info = (clmove_run_info){0};
    run.start = params ? clm_now() : 0;
    run.units_read = run.units_written = run.launches = 0;
    run.kernel_count = 0;
    bool on_host = !clm_plan_runs_on_device(plan);
    if (!on_host) {
        status = run_on_device(&run, &failure);
        if (status != CLMOVE_OK && clm_may_fall_back(plan->device, status)) {
            clm_plan_fall_back(plan, &failure);
            on_host = true;
        } else if (status != CLMOVE_OK) {
            if (error)
                *error = failure;
            goto out;
        }
    }
    if (on_host)
        TRY(run_on_host(&run, error));
    if (params && params->info) {
        run.info.seconds = clm_now() - run.start;
        clm_output_fill(clm_run_info_output, params->info, &run.info);
    }
out:
    return status;
}
