/* The caller's OpenCL objects: checks that they belong together, and commands on them. This header has OpenCL's types.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_FOREIGN_H
#define CLMOVE_HOST_OPENCL_FOREIGN_H

#include "host/opencl/driver.h"
#include "host/opencl/opencl.h"

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

/* Checks a queue (NULL: the one of clm_opencl_get_objects), a wait list and an event, and makes a submission of them. Raises
 * INVALID_ARGUMENT. */
clmove_status clm_submission_make(clm_executor *executor, cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                                  cl_event *event, clm_submission *submission, clmove_error *error);

/* How kernels use memory. */
typedef enum clm_use { CLM_USE_ANY, CLM_USE_READ, CLM_USE_WRITE } clm_use;

/* Checks that a cl_mem is a buffer of the device's context, has `bytes` bytes from offset on, and allows the use. role: its name
 * in sentences, such as "source". Raises BAD_BUFFER. *memory does not retain mem. */
clmove_status clm_memory_borrow(clm_executor *executor, cl_mem mem, size_t offset, size_t bytes, clm_use use, const char *role,
                                clm_memory *memory, clmove_error *error);

/* The same for shared virtual memory. Raises UNSUPPORTED if the device has none. */
clmove_status clm_memory_borrow_svm(clm_executor *executor, void *svm, size_t bytes, clm_memory *memory, clmove_error *error);

/* Retains the cl_mem of borrowed memory. The memory must then be destroyed. */
clmove_status clm_memory_keep(const clm_memory *borrowed, clmove_error *error);

#endif
