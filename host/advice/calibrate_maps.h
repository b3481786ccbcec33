/* What a calibration moves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_CALIBRATE_MAPS_H
#define CLMOVE_HOST_ADVICE_CALIBRATE_MAPS_H

#include "host/advice/calibration.h"
#include "host/error.h"

#include <clmove/advice.h>

/* A copy of so many bytes; and 64 bytes, repeated to so many. Both are multiples of 64. */
clmove_status clm_calibrate_copy_map(clmove_map *map, int64_t bytes, clmove_error *error);
clmove_status clm_calibrate_fill_map(clmove_map *map, int64_t bytes, clmove_error *error);

/* A map that takes a pattern, and reads and writes about so many bytes in all, CLM_CALIBRATION_LEAST or more; neither side has
 * more than that. */
clmove_status clm_calibrate_pattern_map(clmove_map *map, clm_pattern pattern, int64_t bytes, clmove_error *error);

#endif
