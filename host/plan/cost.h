/* What a movement costs, predicted from what was measured of a device: no clock, no memory, no OpenCL.
 *
 * A movement that reads r bytes and writes w takes as long as a copy of r and a fill of w - r, each at the speed that the device
 * has for as many bytes as the movement reads and writes in all (those of a copy that is small in the middle of much else come
 * from memory too), times how much slower its pattern is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_COST_H
#define CLMOVE_HOST_PLAN_COST_H

#include "host/plan/movement.h"

#include <clmove/advice.h>

/* A movement as far as its cost goes. */
typedef struct clm_work {
    clmove_pattern pattern;
    int64_t read_bytes, written_bytes; /* each byte counted once; what is read is at most what is written */
    int64_t src_bytes, dst_bytes;      /* of the two memories */
    int64_t launches;
} clm_work;

/* The class of a device for a guess. */
typedef enum clm_guess_class { CLM_GUESS_HOST, CLM_GUESS_CPU, CLM_GUESS_UNIFIED, CLM_GUESS_DISCRETE } clm_guess_class;

/* What devices of a class may be like, at orders of magnitude. */
void clm_calibration_guess(clmove_calibration *calibration, clm_guess_class class);

/* Raises INVALID_ARGUMENT, naming it, for a figure that is not above 0 or above 10^6. is_host: what is of OpenCL is not looked
 * at. */
clmove_status clm_calibration_check(const clmove_calibration *calibration, bool is_host, clmove_error *error);

/* Sizes from `known` on, of all curves, are what the last two known ones make of them. known is at least 1. */
void clm_calibration_extend(clmove_calibration *calibration, int known);

/* Writes the lines of a device's section of the user's file, cut to capacity. Returns the length that the whole text has. */
size_t clm_calibration_write(const clmove_calibration *calibration, bool is_host, char *text, size_t capacity);

/* Reads the section of a device from the text of a file. Other sections are not looked at. *is_there: whether there is one.
 * path: for the sentence. Raises INVALID_ARGUMENT. */
clmove_status clm_calibration_read(const char *text, size_t length, const char *path, const clmove_device_info *device,
                                   clmove_calibration *calibration, bool *is_there, clmove_error *error);

/* Bytes of size i of a curve. */
int64_t clm_calibration_bytes(int size);

/* Bytes that are read and written in all at each reach of clmove_calibration.slowdown. */
int64_t clm_reach_bytes(int reach);

/* The key of a curve or a pattern in the file. */
const char *clm_curve_name(clmove_curve curve);
const char *clm_pattern_name(clmove_pattern pattern);

/* The work of a form that is not empty. src_bytes, dst_bytes and launches are the caller's to fill. */
void clm_work_from_form(clm_work *work, const clm_normal_form *form, const clm_variant *variant);

/* Seconds of a curve for any number of bytes; 0 for none. */
double clm_cost_of(const clmove_calibration *calibration, clmove_curve curve, int64_t bytes);

/* Seconds of the movement alone: by the host executor, or from buffer to buffer by kernels. */
double clm_cost_move(const clmove_calibration *calibration, clmove_place place, const clm_work *work);

/* The same as clm_cost_move with the slowdown of a pattern taken as 1: what slowdowns are measured against. */
double clm_cost_base(const clmove_calibration *calibration, clmove_place place, const clm_work *work);

/* Seconds that do not grow with the work. */
double clm_cost_start(const clmove_calibration *calibration, clmove_place place);

/* All steps. is_host: there is no OpenCL device. in_place: as clmove_prediction. */
void clm_cost_predict(const clmove_calibration *calibration, const clm_work *work, bool is_host, bool in_place,
                      clmove_prediction *prediction);

/* Ways, choice and reason, of a prediction for the work. device: its name, for the sentence. */
void clm_cost_advise(const clmove_prediction *prediction, const clm_work *work, bool is_host, const char *device,
                     clmove_place from, clmove_place to, clmove_advice *advice);

#endif
