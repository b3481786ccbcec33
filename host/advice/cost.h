/* The cost model: the time of a launch plan, predicted from a calibration. No clock, no memory, no OpenCL.
 *
 * A launch plan that reads r bytes and writes w takes as long as a copy of r and a fill of w - r, times the slowdown of its
 * pattern. Copy and fill have the speed of the whole working set: a small copy that is part of a large working set comes from
 * memory too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_COST_H
#define CLMOVE_HOST_ADVICE_COST_H

#include "host/advice/calibration.h"
#include "host/plan/launch_plan.h"

/* The properties of a launch plan that its time depends on. */
typedef struct clm_work {
    clm_pattern pattern;
    /* Each byte counted once. read_bytes is at most written_bytes. */
    int64_t read_bytes, written_bytes;
    /* The sizes of the two memories. */
    int64_t src_bytes, dst_bytes;
    int64_t launches;
} clm_work;

/* Fills the work of a form that is not empty, but for src_bytes and dst_bytes. */
void clm_work_from_form(clm_work *work, const clm_normal_form *form, const clm_launch_plan *launch_plan);

/* Seconds of a curve for any number of bytes. 0 for 0 bytes. */
double clm_cost_of(const clm_calibration *calibration, clm_curve curve, int64_t bytes);

/* Seconds of the work alone: by the host executor, or from buffer to buffer by kernels. */
double clm_cost_move(const clm_calibration *calibration, clmove_place place, const clm_work *work);

/* Seconds that do not depend on the size of the work. */
double clm_cost_start(const clm_calibration *calibration, clmove_place place);

/* Predicts all steps. here: the same work, as the host does it. is_host: the device is the host. in_place: as in
 * clmove_prediction. */
void clm_cost_predict(const clm_calibration *calibration, const clm_work *work, const clm_work *here, bool is_host, bool in_place,
                      clmove_prediction *prediction);

/* Fills the ways, the choice and the reason from a prediction. device: its name, for the sentence. */
void clm_cost_advise(const clmove_prediction *prediction, const clm_work *work, bool is_host, const char *device,
                     clmove_place from, clmove_place to, clmove_advice *advice);

#endif
