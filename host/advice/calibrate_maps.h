/* The maps that a calibration measures.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ADVICE_CALIBRATE_MAPS_H
#define CLMOVE_HOST_ADVICE_CALIBRATE_MAPS_H

#include "host/advice/calibration.h"
#include "host/error.h"

#include <clmove/advice.h>

/* A copy of so many bytes, and 64 bytes repeated to so many. bytes is a multiple of 64. */
clmove_status clm_calibrate_copy_map(clmove_map *map, int64_t bytes, clmove_error *error);
clmove_status clm_calibrate_fill_map(clmove_map *map, int64_t bytes, clmove_error *error);

/* A map that a pattern serves. It reads and writes about `bytes` bytes in all, and neither side is larger. bytes is at least
 * CLM_CALIBRATION_LEAST. */
clmove_status clm_calibrate_pattern_map(clmove_map *map, clm_pattern pattern, int64_t bytes, clmove_error *error);

#endif
