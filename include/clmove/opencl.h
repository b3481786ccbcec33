/* clmove for callers who have OpenCL objects of their own: plans on their contexts, queues, cl_mem and events.
 *
 * What is handed over is retained while it is kept. Nothing here finishes, flushes or waits for a queue, or for an event, unless
 * its comment says so: a command is enqueued as clEnqueueNDRangeKernel does it, and it is the caller who flushes. A command is
 * one step however many kernels it takes: it begins after the events of its wait list, and its event is complete when all of it
 * is.
 *
 * Where the host had to take over (clmove_device_params.allow_fallback, and a device that failed), the call itself waits for the
 * wait list, maps the memory through the queue, moves, and unmaps it; the event is that of the unmapping.
 *
 * What two threads enqueue on one queue comes in either order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_OPENCL_H
#define CLMOVE_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 /* what the headers would take, with a message */
#endif
#include <CL/cl.h>
#include <clmove/clmove.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a device on the caller's context.
 * Shapes and units: device is one of the context's, be it a sub-device. queue belongs to both, and is the one that commands go to
 * where none is named, clmove_enqueue's too; NULL: clmove makes one. One that is out of order serves only the functions of this
 * header; for the others clmove makes one that is in order. params: as for clmove_device_open, NULL for the defaults; its
 * selector must be NULL or "". profile is what the queue says when it is the caller's.
 * Ownership: context, device and queue are retained until the device is closed and its plans and buffers are destroyed. Closing
 * does not wait for the caller's queue. *opened is the caller's.
 * Errors: INVALID_ARGUMENT (NULL, a device or queue of another context, a selector, a tuning that cannot be followed),
 * NO_DEVICE, OUT_OF_MEMORY, DEVICE_FAILED. The host never takes the place of a device that is handed over: allow_fallback is
 * for its plans. */
CLMOVE_API clmove_status clmove_device_open_opencl(cl_context context, cl_device_id device, cl_command_queue queue,
                                                   const clmove_device_params *params, clmove_device **opened,
                                                   clmove_error *error);

/* The OpenCL objects behind a device, to make more on: the queue is the one that commands go to where none is named.
 * Ownership: not retained for the caller; they live as long as the device. Any pointer may be NULL.
 * Errors: INVALID_ARGUMENT (the device is the host). */
CLMOVE_API clmove_status clmove_device_get_opencl(const clmove_device *device, cl_context *context, cl_device_id *id,
                                                  cl_command_queue *queue, clmove_error *error);

/* Enqueues a plan on memory of the caller's.
 * Shapes and units: the tensors begin src_offset and dst_offset bytes into src and dst, at any byte: no alignment is asked for
 * (a GPU moves narrower units where the offsets are less aligned than the plan's, see clmove_plan_info.unit_bits). queue: NULL
 * for the device's. waits events in wait_list, which is NULL when waits is 0.
 * Ownership: everything stays the caller's; *event too, to be released with clReleaseEvent; NULL where none is wanted. A plan
 * that moves nothing gives the event of a marker.
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
 * that the host has is given to the device on this queue: what other queues do with it must wait for the event. */
CLMOVE_API clmove_status clmove_enqueue_on(clmove_plan *plan, cl_command_queue queue, const clmove_buffer *src,
                                           clmove_buffer *dst, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                           clmove_error *error);

/* Makes a buffer of the caller's memory.
 * Shapes and units: bytes from offset on, at any byte.
 * Ownership: mem is retained until *buffer, which is the caller's, is destroyed.
 * Errors: INVALID_ARGUMENT, BAD_BUFFER (another context, or the range reaches past its end), OUT_OF_MEMORY. */
CLMOVE_API clmove_status clmove_buffer_wrap_mem(clmove_device *device, cl_mem mem, size_t offset, size_t bytes,
                                                clmove_buffer **buffer, clmove_error *error);

/* The memory behind a buffer, for kernels of the caller's; the buffer begins *offset bytes into *mem.
 * Ownership: not retained for the caller; it lives as long as the buffer.
 * Errors: INVALID_ARGUMENT (a buffer of the host). */
CLMOVE_API clmove_status clmove_buffer_get_mem(const clmove_buffer *buffer, cl_mem *mem, size_t *offset, clmove_error *error);

/* Enqueues a copy from host memory into a buffer, or from a buffer into host memory.
 * Shapes and units: offset and bytes in bytes; offset + bytes is at most the buffer's size. queue, waits, wait_list and event as
 * for clmove_enqueue_mem; no bytes give the event of a marker.
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
 * Ownership: *memory is not to be touched before the event of mapping is complete, nor after unmapping was enqueued. *event is
 * the caller's; that of mapping must be asked for.
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
