/* OpenCL objects of the caller's: whether they belong together, and memory. Everything here sees OpenCL's types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_FOREIGN_H
#define CLMOVE_HOST_OPENCL_FOREIGN_H

#include "host/opencl/driver.h"
#include "host/opencl/opencl.h"

/* The most devices that are looked at: of a platform, and of a caller's context. */
enum { CLM_MOST_DEVICES = 256 };

/* Opens a device on the caller's context, and on the caller's queue unless that is NULL. log as for clm_opencl_open. */
clmove_status clm_opencl_open_on(cl_context context, cl_device_id device, cl_command_queue queue, bool profile, clm_log log,
                                 clm_executor **executor, clmove_error *error);

/* Finds a device, or the device that it is a part of, in a list of the driver's. For a context of sub-devices POCL 3.1 lists the
 * devices that were split. */
bool clm_find_device(const clm_driver *driver, cl_device_id device, const cl_device_id *devices, size_t count, size_t *place);

/* Check that a device is one of a context, or a part of one, and that a queue belongs to both. Raise INVALID_ARGUMENT. */
clmove_status clm_check_device_of(const clm_driver *driver, cl_context context, cl_device_id device, clmove_error *error);
clmove_status clm_check_queue_of(const clm_driver *driver, cl_context context, cl_device_id device, cl_command_queue queue,
                                 clmove_error *error);

/* The objects of an open device. The queue is the caller's if there is one. */
void clm_opencl_get_objects(clm_executor *executor, cl_context *context, cl_device_id *device, cl_command_queue *queue);

/* Retains the cl_mem of borrowed memory, which is then to be destroyed. */
clmove_status clm_memory_keep(const clm_memory *borrowed, clmove_error *error);

#endif
