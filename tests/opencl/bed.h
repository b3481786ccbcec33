/* A caller with OpenCL objects of its own: the first device of the first platform that has one, a context, and queues.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_OPENCL_BED_H
#define CLMOVE_TESTS_OPENCL_BED_H

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <clmove/opencl.h>

#include "tests/support.h"

typedef struct bed {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    /* Opened on all three. */
    clmove_device *device;
} bed;

#define ASSERT_CL(call) assert_int_equal((call), CL_SUCCESS)

/* The device that bed_make takes. Skips the test program, with EXIT_SKIPPED, where there is none. */
cl_device_id bed_find_device(void);

/* Splits that into at most room parts, and gives how many there are. Skips the program where it cannot be split so. */
cl_uint bed_split(const cl_device_partition_property *how, cl_device_id *parts, cl_uint room);

void bed_make(bed *it, cl_command_queue_properties properties);
void bed_make_on(bed *it, cl_device_id id, cl_command_queue_properties properties);

/* Closes and releases all, the caller's things first. */
void bed_end(bed *it);

cl_command_queue bed_queue(const bed *it, cl_command_queue_properties properties);

/* A cl_mem that holds these bytes. */
cl_mem bed_memory(const bed *it, cl_mem_flags flags, const void *content, size_t bytes);

/* Reads all of it, waiting for the queue first. */
void bed_read(const bed *it, cl_mem mem, void *to, size_t bytes);

/* Whether an event is complete now. */
bool is_complete(cl_event event);

#endif
