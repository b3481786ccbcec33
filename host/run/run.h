/* A run from host memory to host memory: its methods (in place, staged), and what they share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_RUN_RUN_H
#define CLMOVE_HOST_RUN_RUN_H

#include "host/clock.h"
#include "host/map/cut.h"
#include "host/run/plan.h"

#define CLM_PIECE_KERNELS 4

/* A kernel for pieces of one shape. There are few shapes: that of most pieces, and of those at the end of a cut axis. */
typedef struct clm_piece_kernel {
    /* The launch plan that was chosen; the kernel's may differ */
    clm_launch_plan launch_plan;
    clm_kernel *kernel;
} clm_piece_kernel;

/* A run under way, of a whole plan or of a part of it. */
typedef struct clm_run {
    clmove_plan *plan;
    /* Who does it */
    clm_candidate *candidate;
    /* What is moved: the plan's form, or a part of it, whose offsets count from src and dst */
    const clm_normal_form *form;
    const unsigned char *src;
    unsigned char *dst;
    /* The caller's */
    size_t src_bytes, dst_bytes;
    /* Those of them that the form reaches */
    size_t src_used, dst_used;
    const clmove_run_params *params;
    clmove_run_info info;
    double start;
    clm_cut cut;
    int64_t units_read, units_written;
    int64_t launches;
    int32_t kernel_count;
    clm_piece_kernel kernels[CLM_PIECE_KERNELS];
} clm_run;

/* Whether the run is of a part of its plan, whose own kernels do not fit. */
static inline bool clm_run_is_part(const clm_run *run) {
    return run->form != &run->plan->form;
}

/* The bytes that a form reads and writes, each counted once. */
int64_t clm_run_bytes(const clm_normal_form *form);

/* Runs once with run->candidate: in place, else staged. The caller has set the fields before info. */
clmove_status clm_run_once(clm_run *run, clmove_error *error);

/* Runs with the plan's current candidate, or those after it if it fails. */
clmove_status clm_run_anyhow(clm_run *run, clmove_error *error);

/* Runs a plan on several devices. Of the run, the caller has set plan, form, memories, params and start. several.c. */
clmove_status clm_run_several(clm_run *run, clmove_error *error);

/* Runs in place: kernels work on the caller's memory. *done false: nothing was done, since it is not possible or slower than
 * staging. */
clmove_status clm_run_in_place(clm_run *run, bool *done, clmove_error *error);

/* Runs staged: the host packs pieces into pinned memory, the device moves them, the host unpacks them. */
clmove_status clm_run_staged(clm_run *run, clmove_error *error);

/* Bytes that a piece may read and write together. */
int64_t clm_run_piece_bytes(const clm_run *run);

/* Cut the run into pieces, or into one, which needs no cut. */
void clm_run_cut(clm_run *run, const clm_cut_limits *limits);
void clm_run_do_not_cut(clm_run *run);

/* Counts a piece that is done, and calls progress. Raises CANCELLED. */
clmove_status clm_run_advance(clm_run *run, int64_t piece, clmove_error *error);

/* The kernel for a form: the plan's own, or one of the run's. The latter lives until CLM_PIECE_KERNELS others were asked for. */
clmove_status clm_run_find_kernel(clm_run *run, const clm_normal_form *form, clm_kernel **kernel, clmove_error *error);

#endif
