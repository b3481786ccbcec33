/* What a movement costs, predicted from what was measured of a device: no clock, no memory, no OpenCL.
 *
 * A movement that reads r bytes and writes w takes as long as a copy of r and a fill of w - r, each at the speed that the device
 * has for as many bytes as the movement reads and writes in all (those of a copy that is small in the middle of much else come
 * from memory too), times how much slower its pattern is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_COST_H
#define CLMOVE_HOST_ADVICE_COST_H

#include "host/advice/calibration.h"
#include "host/plan/movement.h"

/* A movement as far as its cost goes. */
typedef struct clm_work {
    clm_pattern pattern;
    int64_t read_bytes, written_bytes; /* each byte counted once; what is read is at most what is written */
    int64_t src_bytes, dst_bytes;      /* of the two memories */
    int64_t launches;
} clm_work;

/* The work of a form that is not empty, done by the movement. src_bytes and dst_bytes are the caller's to fill. */
void clm_work_from_form(clm_work *work, const clm_normal_form *form, const clm_movement *movement);

/* Seconds of a curve for any number of bytes; 0 for none. */
double clm_cost_of(const clm_calibration *calibration, clm_curve curve, int64_t bytes);

/* Seconds of the movement alone: by the host executor, or from buffer to buffer by kernels. */
double clm_cost_move(const clm_calibration *calibration, clmove_place place, const clm_work *work);

/* The same as clm_cost_move with the slowdown of a pattern taken as 1: what slowdowns are measured against. */
double clm_cost_base(const clm_calibration *calibration, clmove_place place, const clm_work *work);

/* Seconds that do not grow with the work. */
double clm_cost_start(const clm_calibration *calibration, clmove_place place);

/* All steps. is_host: there is no OpenCL device. in_place: as clmove_prediction. */
void clm_cost_predict(const clm_calibration *calibration, const clm_work *work, bool is_host, bool in_place,
                      clmove_prediction *prediction);

/* Ways, choice and reason, of a prediction for the work. device: its name, for the sentence. */
void clm_cost_advise(const clmove_prediction *prediction, const clm_work *work, bool is_host, const char *device,
                     clmove_place from, clmove_place to, clmove_advice *advice);

#endif
