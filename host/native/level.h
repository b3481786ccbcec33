/* Instruction sets: the variants are compiled once for each level, and the processor runs one of them.
 *
 *     level.inc       one level: walks the rows of a launch plan; includes the patterns
 *     lanes.h         its vectors; weave.h: deinterleaves and interleaves them; wc_buffer.h: write-combining buffers
 *     blocks.h        groups of up to 16 units: factors, tables, what is asked for ahead
 *     tile.h          what a job of transpose moves; transpose.inc, strips.inc, rooms.inc: transpose it
 *     rows.inc        copy_rows and repeat, patterns of bytes; image.h: a vector of a short pattern
 *     runs.inc        transpose_runs
 *     period.inc      blocks of them, made in the cache
 *     shuffle.inc     blocks made by a table; shuffle.h: the table
 *     two_passes.inc  blocks moved by two other patterns; tables.h: what a kernel has ready of either
 *     nest.inc        the patterns for one width of the unit: gather; deinterleave.inc, interleave.inc, transpose.inc
 *     bits.inc        units of less than a byte
 *     level_*.c       level.inc with the flags of one level (CMakeLists.txt)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_LEVEL_H
#define CLMOVE_HOST_NATIVE_LEVEL_H

#include "host/native/tables.h"

/* What a thread needs of memory while it works on an item, aligned to a cache line: too much for the stack of a caller. */
#define CLM_SCRATCH_BYTES ((size_t)1 << 19)

/* The variants compiled for one instruction set. */
typedef struct clm_level {
    const char *name;
    /* The bytes of its vectors, and of the windows in which it looks bytes up; whether it has an instruction for that. */
    int32_t vector, window;
    bool looks_up;
    /* Does the jobs of one item of a launch plan. tables: its own. scratch: CLM_SCRATCH_BYTES of any content,
     * or NULL: it takes a part of them of the stack, and two_passes moves units alone. */
    void (*run_item)(const clm_launch_plan *launch_plan, const clm_tables *tables, int64_t item, const unsigned char *src,
                     unsigned char *dst, void *scratch);
} clm_level;

/* The level that the environment variable CLMOVE_HOST_ISA names, else the fastest of this processor. Raises INVALID_ARGUMENT if
 * the variable names no level of this processor. */
clmove_status clm_choose_level(const clm_level **level, clmove_error *error);

#endif
