/* clmove for callers that have OpenCL objects: plans on the caller's contexts, queues, cl_mem and events.
 *
 * Work is enqueued by clmove_enqueue, clmove_enqueue_write, _read, _map and _unmap (clmove/enqueue.h). Below are the views of
 * OpenCL's memory, and the queues, wait lists and events of a clmove_submission.
 *
 * One submission is one step, even if it has several kernels: it begins after the events of its wait list, and its event
 * completes when all kernels have completed. A pinned buffer that is mapped for the host is unmapped on the submission's queue:
 * commands on other queues that use it must wait for the event.
 *
 * Waiting: no function finishes, flushes or waits for a queue or an event, unless its comment states it. The exception is a
 * fallback (clmove_device_params.allow_fallback, and a device that failed). The call then waits for the wait list, maps the
 * memory through the queue, moves, and unmaps the memory. The event is that of unmapping.
 *
 * Ownership: the library retains OpenCL objects for as long as it keeps them.
 *
 * Thread-safety: commands that two threads enqueue on one queue run in either order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_OPENCL_H
#define CLMOVE_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
/* The default of OpenCL's headers, which print a message without it. */
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#ifdef __ALTIVEC__ /* OpenCL's headers bring POWER's altivec.h, whose bool is a vector. */
#undef bool
#ifndef __cplusplus
#define bool _Bool
#endif
#endif
#include <clmove/clmove.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a device on the caller's context. The host never replaces the caller's device; allow_fallback holds for its plans.
 * - device is one of the context's, or a sub-device of one.
 * - queue belongs to both. It receives commands for which no queue is named. NULL: clmove makes a queue. An out-of-order queue is
 *   used where a clmove_submission is given; for all other commands clmove makes an in-order queue.
 * - params as for clmove_device_open, NULL for the defaults. Its selector must be NULL or "". For the caller's queue, the queue's
 *   own property replaces profile.
 * Ownership: context, device and queue are retained until the device is closed and its plans and buffers are destroyed. Closing
 * does not wait for the caller's queue. *opened is the caller's.
 * Errors: INVALID_ARGUMENT (NULL, a device or queue of another context, a selector, a tuning with an unknown key or a value out
 * of bounds, an environment variable with a value that it cannot have), NO_DEVICE, OUT_OF_MEMORY, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_device_open_opencl(cl_context context, cl_device_id device, cl_command_queue queue,
                                                   const clmove_device_params *params, clmove_device **opened,
                                                   clmove_error *error);

/* The OpenCL objects of a device. The queue is the one for commands that name none. Any pointer may be NULL.
 * Ownership: the objects are not retained for the caller, and live as long as the device.
 * Errors: INVALID_ARGUMENT (the device is the host). */
CLMOVE_API clmove_status clmove_device_get_opencl(const clmove_device *device, cl_context *context, cl_device_id *id,
                                                  cl_command_queue *queue, clmove_error *error);

/* A view of a cl_mem of the device's context, from a byte on.
 * Shapes and units: offset is in bytes. Any number: no alignment is needed.
 * Ownership: as clmove_view. NULL gives no memory.
 * Errors of the call that takes the view: BAD_BUFFER for another context, an image, too few bytes, or a cl_mem that kernels may
 * not read or write as they would have to. Source and destination are seen to overlap through sub-buffers and through host memory
 * of CL_MEM_USE_HOST_PTR too. */
CLMOVE_API clmove_view clmove_mem_view(cl_mem mem, size_t offset);

/* A view of shared virtual memory: anywhere into memory of clSVMAlloc in the device's context, or any memory of the process where
 * the device has fine-grained system sharing. What the map needs must belong to it, which clmove cannot check. Memory with
 * coarse-grained sharing must not be mapped.
 * Ownership: as clmove_view. NULL gives no memory.
 * Errors of the call that takes the view: UNSUPPORTED (the device has no shared virtual memory). */
CLMOVE_API clmove_view clmove_svm_view(const void *memory);

/* Queues, wait lists and events of OpenCL for a clmove_submission: on these devices a clmove_queue is a cl_command_queue, and a
 * clmove_event is a cl_event, to be released with clReleaseEvent or clmove_event_release. The queue is one on the device in its
 * context. NULL: the one that the device was opened with, or clmove's own.
 * Ownership: the pointer is the one that was given; nothing is kept. */
CLMOVE_API clmove_queue *clmove_queue_of(cl_command_queue queue);
CLMOVE_API clmove_event *const *clmove_wait_list(const cl_event *list);
CLMOVE_API clmove_event **clmove_event_of(cl_event *event);

/* Makes a buffer of the caller's cl_mem.
 * Shapes and units: the buffer has `bytes` bytes of mem, from offset on, at any byte.
 * Ownership: *buffer is the caller's. mem is retained until the buffer is destroyed.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (of another context, or the range reaches past its end), OUT_OF_MEMORY. */
CLMOVE_API clmove_status clmove_buffer_wrap_mem(clmove_device *device, cl_mem mem, size_t offset, size_t bytes,
                                                clmove_buffer **buffer, clmove_error *error);

/* The cl_mem of a buffer, for the caller's kernels. The buffer begins *offset bytes into *mem.
 * Ownership: *mem is not retained for the caller, and lives as long as the buffer.
 * Errors: INVALID_ARGUMENT (a buffer of the host). */
CLMOVE_API clmove_status clmove_buffer_get_mem(const clmove_buffer *buffer, cl_mem *mem, size_t *offset, clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
