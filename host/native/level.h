/* Levels of instructions: the patterns compiled several times, and which of them this processor runs.
 *
 *     level.inc       one level: walks the rows of a movement; includes the patterns
 *     lanes.h         its vectors; weave.h: parts and weaves them; sink.h: where stores go
 *     rows.inc        copy_rows and repeat, patterns of bytes
 *     nest.inc        deinterleave, interleave and gather, for one width of the unit
 *     bits.inc        units of less than a byte
 *     level_*.c       level.inc with the flags of one level (CMakeLists.txt)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_LEVEL_H
#define CLMOVE_HOST_NATIVE_LEVEL_H

#include "host/plan/movement.h"

typedef struct clm_level {
    const char *name;
    /* Does the jobs of one item of a movement. */
    void (*run_item)(const clm_movement *movement, int64_t item, const unsigned char *src, unsigned char *dst);
} clm_level;

/* The widest level that this processor has; or the one that the environment names (CLMOVE_HOST_ISA), which raises
 * INVALID_ARGUMENT where it is not one, or not one of this processor. */
clmove_status clm_choose_level(const clm_level **level, clmove_error *error);

#endif
