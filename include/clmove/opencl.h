/* clmove for callers who have OpenCL objects of their own: plans on their contexts, queues, cl_mem and events.
 *
 * The library retains the objects it is given for as long as it keeps them. Nothing here finishes, flushes or waits for a queue
 * or an event, unless its comment says so. A command is enqueued as clEnqueueNDRangeKernel does it; the caller flushes. A command
 * is one step, whatever number of kernels it has: it begins after the events of its wait list, and its event completes when all
 * kernels have completed.
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

/* Enqueues a plan on memory of the caller's.
 * Shapes and units: the tensors begin src_offset and dst_offset bytes into src and dst, at any byte; no alignment is needed. (A
 * GPU moves narrower units if the offsets are less aligned than the plan's unit, clmove_plan_info.unit_bits.) queue: NULL for
 * the device's. waits events in wait_list, which is NULL when waits is 0.
 * Ownership: everything stays the caller's; *event too, to be released with clReleaseEvent; NULL where none is wanted. A plan
 * that moves nothing leaves the event of a marker.
 * Errors: INVALID_ARGUMENT (NULL, a queue of another context or device, waits without a list), BAD_BUFFER (too small, of
 * another context, not to be read or written by kernels, or source and destination overlap: through sub-buffers and through
 * host memory of CL_MEM_USE_HOST_PTR too), OUT_OF_MEMORY, DEVICE_FAILED. On failure *event is not written. */
CLMOVE_API clmove_status clmove_enqueue_mem(clmove_plan *plan, cl_command_queue queue, cl_mem src, size_t src_offset, cl_mem dst,
                                            size_t dst_offset, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                            clmove_error *error);

/* As clmove_enqueue_mem, on shared virtual memory.
 * Shapes and units: src and dst point anywhere into memory of clSVMAlloc in the device's context, or into any memory of the
 * process where the device has fine-grained system sharing; clmove_map_src_bytes and clmove_map_dst_bytes from there must belong
 * to it, which clmove cannot check. Memory with coarse-grained sharing must not be mapped.
 * Errors: as clmove_enqueue_mem, and UNSUPPORTED when the device has no shared virtual memory. */
CLMOVE_API clmove_status clmove_enqueue_svm(clmove_plan *plan, cl_command_queue queue, const void *src, void *dst, cl_uint waits,
                                            const cl_event *wait_list, cl_event *event, clmove_error *error);

/* As clmove_enqueue_mem, on buffers of the plan's device: clmove_enqueue with a queue, a wait list and an event. A pinned buffer
 * that is mapped for the host is unmapped on this queue: commands on other queues that use it must wait for the event. */
CLMOVE_API clmove_status clmove_enqueue_on(clmove_plan *plan, cl_command_queue queue, const clmove_buffer *src,
                                           clmove_buffer *dst, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                           clmove_error *error);

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

/* Enqueues a copy from host memory into a buffer, or from a buffer into host memory.
 * Shapes and units: offset and bytes in bytes; offset + bytes is at most the buffer's size. queue, waits, wait_list and event as
 * for clmove_enqueue_mem; a copy of 0 bytes leaves the event of a marker.
 * Ownership: the host memory must stay as it is, and where it is, until the event is complete.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (past the end, or mapped), OUT_OF_MEMORY, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_enqueue_write(clmove_buffer *buffer, cl_command_queue queue, size_t offset,
                                                     const void *src, size_t bytes, cl_uint waits, const cl_event *wait_list,
                                                     cl_event *event, clmove_error *error);
CLMOVE_API clmove_status clmove_buffer_enqueue_read(clmove_buffer *buffer, cl_command_queue queue, size_t offset, void *dst,
                                                    size_t bytes, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                                    clmove_error *error);

/* clmove_buffer_map and clmove_buffer_unmap without the wait.
 * Shapes and units: as those; queue, waits and wait_list as for clmove_enqueue_mem.
 * Ownership: *memory must not be touched before the event of mapping is complete, nor after unmapping was enqueued. *event is
 * the caller's; mapping needs an event.
 * Errors: as those, and INVALID_ARGUMENT when event is NULL for mapping. */
CLMOVE_API clmove_status clmove_buffer_enqueue_map(clmove_buffer *buffer, cl_command_queue queue, clmove_access access,
                                                   size_t offset, size_t bytes, cl_uint waits, const cl_event *wait_list,
                                                   void **memory, cl_event *event, clmove_error *error);
CLMOVE_API clmove_status clmove_buffer_enqueue_unmap(clmove_buffer *buffer, cl_command_queue queue, void *memory, cl_uint waits,
                                                     const cl_event *wait_list, cl_event *event, clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
