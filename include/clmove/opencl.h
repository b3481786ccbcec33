/* clmove for callers that have OpenCL objects: plans on the caller's contexts, queues, cl_mem and events.
 *
 * A command is enqueued as clEnqueueNDRangeKernel does it, and the caller flushes. A command is one step, whatever number of
 * kernels it has: it begins after the events of its wait list, and its event completes after all its kernels.
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
#include <clmove/clmove.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a device on the caller's context. The host never replaces the caller's device; allow_fallback holds for its plans.
 * - device is one of the context's, or a sub-device of one.
 * - queue belongs to both. It receives commands for which no queue is named, such as those of clmove_enqueue. NULL: clmove makes
 * a queue. An out-of-order queue is used by the functions of this header alone; for the others clmove makes an in-order queue.
 * - params as for clmove_device_open, NULL for the defaults. Its selector must be NULL or "". For the caller's queue, the queue's
 *   own property replaces profile.
 * Ownership: context, device and queue are retained until the device is closed and its plans and buffers are destroyed. Closing
 * does not wait for the caller's queue. *opened is the caller's. Errors: INVALID_ARGUMENT (NULL, a device or queue of another
 * context, a selector, a tuning with an unknown key or a value out of bounds), NO_DEVICE, OUT_OF_MEMORY, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_device_open_opencl(cl_context context, cl_device_id device, cl_command_queue queue,
                                                   const clmove_device_params *params, clmove_device **opened,
                                                   clmove_error *error);

/* The OpenCL objects of a device. The queue is the one for commands that name none. Any pointer may be NULL.
 * Ownership: the objects are not retained for the caller, and live as long as the device.
 * Errors: INVALID_ARGUMENT (the device is the host). */
CLMOVE_API clmove_status clmove_device_get_opencl(const clmove_device *device, cl_context *context, cl_device_id *id,
                                                  cl_command_queue *queue, clmove_error *error);

/* Enqueues a plan on the caller's memory. A plan that moves nothing enqueues a marker.
 * Shapes and units: the tensors begin src_offset and dst_offset bytes into src and dst, at any byte. A GPU moves narrower units
 * if the offsets are less aligned than the plan's unit (clmove_plan_info.unit_bits). queue: NULL for the device's. wait_list has
 * waits events, and is NULL if waits is 0. event: NULL if none is wanted. Ownership: all objects stay the caller's. *event is the
 * caller's too, to be released with clReleaseEvent. Errors: INVALID_ARGUMENT (NULL, a queue of another context or device, waits
 * without a list), BAD_BUFFER (too small, of another context, not readable or writable by kernels; or source and destination
 * overlap, also through sub-buffers and through host memory of CL_MEM_USE_HOST_PTR), OUT_OF_MEMORY, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_enqueue_mem(clmove_plan *plan, cl_command_queue queue, cl_mem src, size_t src_offset, cl_mem dst,
                                            size_t dst_offset, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                            clmove_error *error);

/* As clmove_enqueue_mem, on shared virtual memory.
 * Shapes and units: src and dst point anywhere into memory of clSVMAlloc in the device's context, or into any memory of the
 * process if the device has fine-grained system sharing. clmove_map_src_bytes and clmove_map_dst_bytes from there must belong to
 * that memory, which clmove cannot check. Memory with coarse-grained sharing must not be mapped. Ownership: as
 * clmove_enqueue_mem. Errors: as clmove_enqueue_mem, and UNSUPPORTED if the device has no shared virtual memory. */
CLMOVE_API clmove_status clmove_enqueue_svm(clmove_plan *plan, cl_command_queue queue, const void *src, void *dst, cl_uint waits,
                                            const cl_event *wait_list, cl_event *event, clmove_error *error);

/* As clmove_enqueue_mem, on buffers of the plan's device: clmove_enqueue with a queue, a wait list and an event. A pinned buffer
 * that is mapped for the host is unmapped on this queue; commands on other queues that use it must wait for the event.
 * Shapes and units, ownership: as clmove_enqueue_mem.
 * Errors: as clmove_enqueue and clmove_enqueue_mem. */
CLMOVE_API clmove_status clmove_enqueue_on(clmove_plan *plan, cl_command_queue queue, const clmove_buffer *src,
                                           clmove_buffer *dst, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                           clmove_error *error);

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

/* Enqueues a copy from host memory into a buffer, or from a buffer into host memory. A copy of 0 bytes enqueues a marker.
 * Shapes and units: offset and bytes are in bytes. offset + bytes is at most the buffer's size. queue, waits, wait_list and event
 * as for clmove_enqueue_mem. Ownership: the host memory must neither change nor be freed until the event is complete. Errors:
 * INVALID_ARGUMENT, BAD_BUFFER (past the end, or mapped), OUT_OF_MEMORY, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_buffer_enqueue_write(clmove_buffer *buffer, cl_command_queue queue, size_t offset,
                                                     const void *src, size_t bytes, cl_uint waits, const cl_event *wait_list,
                                                     cl_event *event, clmove_error *error);
CLMOVE_API clmove_status clmove_buffer_enqueue_read(clmove_buffer *buffer, cl_command_queue queue, size_t offset, void *dst,
                                                    size_t bytes, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                                    clmove_error *error);

/* Enqueue clmove_buffer_map and clmove_buffer_unmap.
 * Shapes and units: as those. queue, waits and wait_list as for clmove_enqueue_mem. Mapping requires an event.
 * Ownership: *memory must not be used before the event of mapping is complete, or after unmapping was enqueued. *event is the
 * caller's.
 * Errors: as those, and INVALID_ARGUMENT if event is NULL for mapping. */
CLMOVE_API clmove_status clmove_buffer_enqueue_map(clmove_buffer *buffer, cl_command_queue queue, clmove_access access,
                                                   size_t offset, size_t bytes, cl_uint waits, const cl_event *wait_list,
                                                   void **memory, cl_event *event, clmove_error *error);
CLMOVE_API clmove_status clmove_buffer_enqueue_unmap(clmove_buffer *buffer, cl_command_queue queue, void *memory, cl_uint waits,
                                                     const cl_event *wait_list, cl_event *event, clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
