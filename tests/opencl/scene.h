/* A caller's own OpenCL objects (bed.h) with something to do: a plan, and two memories of noise. For tests below the layer that
 * makes calls fail and counts objects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_OPENCL_SCENE_H
#define CLMOVE_TESTS_OPENCL_SCENE_H

#include "bed.h"

#include "tests/layer/layer.h"

/* 5 x 7 floats, transposed: 140 bytes on both sides. The memories have 64 more, so that offsets fit. */
enum { ROWS = 5, COLUMNS = 7, BYTES = ROWS * COLUMNS * 4, ROOM = BYTES + 64 };

typedef struct scene {
    bed at;
    clmove_plan *plan;
    cl_mem src, dst;
    /* What they hold. */
    uint8_t src_bytes[ROOM], dst_bytes[ROOM];
} scene;

scene scene_make(cl_command_queue_properties properties);

/* Releases all; fails when an OpenCL object is left. */
void scene_end(scene *it);

/* Fails unless dst holds what it held, with the transposed source at an offset, and src what it held. */
void scene_check(scene *it, size_t src_offset, size_t dst_offset);

/* What the plan does, and the same plan for another device or number of rows. */
void scene_transpose(const uint8_t *src, uint8_t *dst);
clmove_plan *scene_plan(clmove_device *device, int64_t rows);

/* The parts of test_interop; each returns how many of its tests failed. */
int interop_event_tests(void);
int interop_memory_tests(void);

#endif
