/* clmove: work that is submitted: views of buffers, wait lists, events.
 *
 * What is submitted to a device runs in that order, after its wait list, and may not be done when the call returns. clmove.h
 * includes this header. opencl.h says how OpenCL's own objects take part.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_SUBMIT_H
#define CLMOVE_SUBMIT_H

#include <clmove/buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- events ---------------------------------------------------------------------------------------------------- */

/* The end of work that was submitted to a device. Calls on another device refuse it: INVALID_ARGUMENT; DEVICE_FAILED where the
 * driver does so, between OpenCL devices. */
typedef struct clmove_event clmove_event;

/* Waits until an event is complete.
 * Ownership: the event stays the caller's.
 * Errors: INVALID_ARGUMENT, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_event_wait(clmove_device *device, clmove_event *event, clmove_error *error);

/* Says whether an event is complete, without waiting.
 * Errors: INVALID_ARGUMENT, DEVICE_FAILED (the work failed, too). On failure *complete is not written. */
CLMOVE_API clmove_status clmove_event_is_complete(clmove_device *device, clmove_event *event, bool *complete,
                                                  clmove_error *error);

/* Releases an event and sets *event to NULL; NULL and a pointer to NULL are accepted. The work goes on. To be called before the
 * device is closed. */
CLMOVE_API void clmove_event_release(clmove_device *device, clmove_event **event);

/* ---- submissions ----------------------------------------------------------------------------------------------- */

/* The queue, the wait list and the event of work. Zero is the default of every field but struct_size. */
typedef struct clmove_submission {
    /* sizeof(clmove_submission) */
    size_t struct_size;
    /* A cl_command_queue of the caller's on the device, which the caller flushes; opencl.h. NULL: the device's own, which is
     * flushed. */
    void *queue;
    /* How many events to wait for. */
    int64_t waits;
    /* These; NULL where there are none. They stay the caller's. */
    clmove_event *const *wait_list;
    /* Where the event of the end goes, which is then the caller's. NULL: none is wanted. */
    clmove_event **event;
} clmove_submission;

/* Bytes of a device, from one on: of a buffer, or of OpenCL's own memory. A value: nothing is kept. */
typedef struct clmove_view {
    clmove_buffer *buffer;
    /* Bytes from the first byte of the memory to the view's. Any number; no alignment is needed. */
    size_t offset;
    /* Instead of a buffer: a cl_mem of the device's context (opencl.h); or where shared virtual memory begins. */
    void *mem;
    void *svm;
} clmove_view;

/* Submits a plan: moves one view to another, and may return before it is done.
 * Shapes and units: from src on there are at least clmove_map_src_bytes, from dst on clmove_map_dst_bytes. (A GPU moves narrower
 * units if the offsets are less aligned than the plan's unit, clmove_plan_info.unit_bits.) submission: NULL for the defaults.
 * Ownership: plan and buffers may be destroyed before the work is done. A plan that moves nothing leaves an event too.
 * Errors: INVALID_ARGUMENT (NULL, no memory or two in a view, waits without a list, a queue or an event of another device),
 * BAD_BUFFER (too small, of another device, mapped, or src and dst share memory), UNSUPPORTED (shared virtual memory that the
 * device does not have), OUT_OF_MEMORY, DEVICE_FAILED. On failure the event is not written. Order: work of one queue runs as it
 * was submitted. */
CLMOVE_API clmove_status clmove_submit(clmove_plan *plan, const clmove_view *src, const clmove_view *dst,
                                       const clmove_submission *submission, clmove_error *error);

/* clmove_buffer_write and clmove_buffer_read without the wait.
 * Shapes and units: as those; 0 bytes leave an event too. submission: as for clmove_submit.
 * Ownership: the host memory must stay as it is, and where it is, until the work is done.
 * Errors: as those, and of the submission as clmove_submit. */
CLMOVE_API clmove_status clmove_submit_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes,
                                             const clmove_submission *submission, clmove_error *error);
CLMOVE_API clmove_status clmove_submit_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes,
                                            const clmove_submission *submission, clmove_error *error);

/* clmove_buffer_map and clmove_buffer_unmap without the wait.
 * Shapes and units: as those; submission: as for clmove_submit, and mapping needs an event.
 * Ownership: *memory must not be touched before the event of mapping is complete, nor after unmapping was submitted.
 * Errors: as those, and of the submission as clmove_submit; INVALID_ARGUMENT for mapping without an event. */
CLMOVE_API clmove_status clmove_submit_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes,
                                           const clmove_submission *submission, void **memory, clmove_error *error);
CLMOVE_API clmove_status clmove_submit_unmap(clmove_buffer *buffer, void *memory, const clmove_submission *submission,
                                             clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
