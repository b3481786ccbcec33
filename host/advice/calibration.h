/* How fast a device is, as figures: guessed, checked, and kept as text. What they mean for a movement is cost.h's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_CALIBRATION_H
#define CLMOVE_HOST_ADVICE_CALIBRATION_H

#include "host/error.h"

#include <clmove/advice.h>

/* The class of a device for a guess. */
typedef enum clm_guess_class { CLM_GUESS_HOST, CLM_GUESS_CPU, CLM_GUESS_UNIFIED, CLM_GUESS_DISCRETE } clm_guess_class;

/* What devices of a class may be like, at orders of magnitude. */
void clm_calibration_guess(clmove_calibration *calibration, clm_guess_class class);

/* Raises INVALID_ARGUMENT, naming it, for a figure that is not above 0 or above 10^6. is_host: what is of OpenCL is not looked
 * at. */
clmove_status clm_calibration_check(const clmove_calibration *calibration, bool is_host, clmove_error *error);

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

#endif
