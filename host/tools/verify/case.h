/* The cases of clmove verify: case number N of seed S is always the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_VERIFY_CASE_H
#define CLMOVE_HOST_TOOLS_VERIFY_CASE_H

#include "host/tools/move/task_options.h"
#include "host/tools/npy/npy.h"

typedef struct verify_case {
    task what;
    /* Device buffers and clmove_enqueue; else host memory and clmove_run. */
    bool through_buffers;
    /* Bytes by which the memory is out of line. */
    size_t src_shift, dst_shift;
} verify_case;

void verify_case_make(verify_case *one, uint64_t seed, uint64_t number);

/* Writes the case in words, such as "tile of (3, 4), 24-bit elements, repeats 2,1". */
enum { VERIFY_CASE_TEXT = TASK_STEPS_TEXT + SHAPE_TEXT + 160 };
void verify_case_text(const verify_case *one, char text[VERIFY_CASE_TEXT]);

/* Fills memory with noise that depends on the position and on seed. */
void verify_noise(void *memory, size_t bytes, uint64_t seed);

#endif
