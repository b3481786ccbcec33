/* clmove for callers who have OpenCL objects of their own: plans on their contexts, queues, cl_mem and events.
 *
 * The library retains the objects it is given for as long as it keeps them. Nothing here finishes, flushes or waits for a queue
 * or an event of the caller's, unless its comment says so.
 *
 * Work is submitted by clmove_submit and its kin (submit.h), to a queue of the caller's (clmove_submission.queue; NULL: the one
 * that the device was opened with, or clmove's own) and on memory of the caller's:
 * - clmove_view.mem: a cl_mem of the device's context, at any byte. BAD_BUFFER: another context, an image, too small, or not to
 *   be read or written by kernels. Source and destination are seen to overlap through sub-buffers and through host memory of
 *   CL_MEM_USE_HOST_PTR too.
 * - clmove_view.svm: anywhere into memory of clSVMAlloc in the device's context, or any memory of the process where the device
 *   has fine-grained system sharing. What the map needs must belong to it, which clmove cannot check. Memory with coarse-grained
 *   sharing must not be mapped.
 * One submission is one step, whatever number of kernels it has: it begins after the events of its wait list, and its event
 * completes when all kernels have completed. A pinned buffer that is mapped for the host is unmapped on the submission's queue:
 * commands on other queues that use it must wait for the event.
 *
 * If the host took over (clmove_device_params.allow_fallback, and a device that failed), the call itself waits for the wait list,
 * maps the memory through the queue, moves, and unmaps it. The event is that of the unmapping.
 *
 * What two threads enqueue on one queue runs in either order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_OPENCL_H
#define CLMOVE_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 /* the default of the headers, which print a message without it */
#endif
#include <CL/cl.h>
#include <clmove/clmove.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a device on the caller's context.
 * Shapes and units: device is one of the context's, or a sub-device of one. queue belongs to both. It receives the commands for
 * which no queue is named, clmove_enqueue's too; NULL: clmove makes one. An out-of-order queue serves only the functions of this
 * header; for the others clmove makes one that is in order. params: as for clmove_device_open, NULL for the defaults; its
 * selector must be NULL or "". For a queue of the caller, the queue decides about profile.
 * Ownership: context, device and queue are retained until the device is closed and its plans and buffers are destroyed. Closing
 * does not wait for the caller's queue. *opened is the caller's.
 * Errors: INVALID_ARGUMENT (NULL, a device or queue of another context, a selector, a tuning that cannot be followed),
 * NO_DEVICE, OUT_OF_MEMORY, DEVICE_FAILED. The host never replaces the caller's device: allow_fallback is for
 * its plans. */
CLMOVE_API clmove_status clmove_device_open_opencl(cl_context context, cl_device_id device, cl_command_queue queue,
                                                   const clmove_device_params *params, clmove_device **opened,
                                                   clmove_error *error);

/* The OpenCL objects of a device, to create others on. The queue is the one for commands that name none.
 * Ownership: not retained for the caller; they live as long as the device. Any pointer may be NULL.
 * Errors: INVALID_ARGUMENT (the device is the host). */
CLMOVE_API clmove_status clmove_device_get_opencl(const clmove_device *device, cl_context *context, cl_device_id *id,
                                                  cl_command_queue *queue, clmove_error *error);

/* Wait lists and events of OpenCL for a clmove_submission: on these devices a clmove_event is a cl_event, to be released with
 * clReleaseEvent or clmove_event_release.
 * Ownership: the pointer is the one that was given; nothing is kept. */
CLMOVE_API clmove_event *const *clmove_wait_list(const cl_event *list);
CLMOVE_API clmove_event **clmove_event_of(cl_event *event);

/* Makes a buffer of the caller's cl_mem.
 * Shapes and units: bytes from offset on, at any byte.
 * Ownership: mem is retained until *buffer, which is the caller's, is destroyed.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (another context, or the range reaches past its end), OUT_OF_MEMORY. */
CLMOVE_API clmove_status clmove_buffer_wrap_mem(clmove_device *device, cl_mem mem, size_t offset, size_t bytes,
                                                clmove_buffer **buffer, clmove_error *error);

/* The cl_mem of a buffer, for kernels of the caller; the buffer begins *offset bytes into *mem.
 * Ownership: not retained for the caller; it lives as long as the buffer.
 * Errors: INVALID_ARGUMENT (a buffer of the host). */
CLMOVE_API clmove_status clmove_buffer_get_mem(const clmove_buffer *buffer, cl_mem *mem, size_t *offset, clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
