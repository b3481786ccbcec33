/* clmove: work that is enqueued on a device: plans from view to view, transfers, wait lists, events, times.
 *
 * Work starts after its wait list, and may not be done when the call returns. What is enqueued on the device's own queue runs in
 * that order. clmove/opencl.h makes OpenCL's own memory, queues and events take part. clmove/clmove.h states what holds for all
 * headers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_ENQUEUE_H
#define CLMOVE_ENQUEUE_H

#include <clmove/buffer.h>
#include <clmove/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- events ---------------------------------------------------------------------------------------------------- */

/* The end of work that was enqueued on a device. Calls on another device refuse it with INVALID_ARGUMENT. Between two OpenCL
 * devices the driver may refuse it instead, with DEVICE_FAILED. */
typedef struct clmove_event clmove_event;

/* Waits until an event is complete.
 * Ownership: the event stays the caller's.
 * Errors: INVALID_ARGUMENT, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_event_wait(clmove_device *device, clmove_event *event, clmove_error *error);

/* Says whether an event is complete, without waiting.
 * Errors: INVALID_ARGUMENT, DEVICE_FAILED (also if the work failed). On failure *complete is not written. */
CLMOVE_API clmove_status clmove_event_is_complete(clmove_device *device, clmove_event *event, bool *complete,
                                                  clmove_error *error);

/* Releases an event of this device and sets *event to NULL. NULL, a pointer to NULL and an event of another device are accepted,
 * and nothing happens. The work goes on. To be called before the device is closed. */
CLMOVE_API void clmove_event_release(clmove_device *device, clmove_event **event);

/* ---- submissions ----------------------------------------------------------------------------------------------- */

/* A queue of the caller's on a device. clmove/opencl.h makes one of a cl_command_queue. */
typedef struct clmove_queue clmove_queue;

/* The queue, the wait list and the event of work. Zero is the default of every field but struct_size. */
typedef struct clmove_submission {
    /* sizeof(clmove_submission) */
    size_t struct_size;
    /* A queue of the caller's, which the caller flushes. NULL: the device's own, which is flushed. The host has no other. */
    clmove_queue *queue;
    /* How many events to wait for. */
    int64_t waits;
    /* The events to wait for, which stay the caller's. NULL if waits is 0. */
    clmove_event *const *wait_list;
    /* Where the event of the end goes, which is then the caller's. NULL: none is wanted. */
    clmove_event **event;
} clmove_submission;

/* Enqueues a plan: moves one view to another, and may return before it is done. What is enqueued on one queue runs in that order,
 * unless it is a queue of the caller's that runs out of order.
 * Shapes and units: from src on there are at least clmove_map_src_bytes, from dst on clmove_map_dst_bytes. (A GPU moves narrower
 * units if the offsets are less aligned than the plan's unit, clmove_plan_info.unit_bits.) submission: NULL for the device's own
 * queue, no wait list and no event.
 * Ownership: plan and buffers may be destroyed before the work is done. A plan that moves nothing leaves an event too.
 * Errors: INVALID_ARGUMENT (NULL, a view of no memory, waits below 0, waits without a list or a list without waits, a NULL event
 * in the list, a queue or an event of another device), BAD_BUFFER (too small, of another device, mapped, or src and dst share
 * memory), UNSUPPORTED (shared virtual memory that the device does not have), OUT_OF_MEMORY, BUILD_FAILED, DEVICE_FAILED. On
 * failure the event is not written. */
CLMOVE_API clmove_status clmove_enqueue(clmove_plan *plan, clmove_view src, clmove_view dst, const clmove_submission *submission,
                                        clmove_error *error);

/* clmove_buffer_write and clmove_buffer_read without the wait.
 * Shapes and units: as those; 0 bytes leave an event too. submission: as for clmove_enqueue.
 * Ownership: the host memory must stay as it is, and where it is, until the work is done.
 * Errors: as those, and of the submission as clmove_enqueue. */
CLMOVE_API clmove_status clmove_enqueue_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes,
                                              const clmove_submission *submission, clmove_error *error);
CLMOVE_API clmove_status clmove_enqueue_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes,
                                             const clmove_submission *submission, clmove_error *error);

/* clmove_buffer_map and clmove_buffer_unmap without the wait.
 * Shapes and units: as those; submission: as for clmove_enqueue, and mapping needs an event.
 * Ownership: *memory must not be touched before the event of mapping is complete, nor after unmapping was enqueued.
 * Errors: as those, and of the submission as clmove_enqueue; INVALID_ARGUMENT for mapping without an event. */
CLMOVE_API clmove_status clmove_enqueue_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes,
                                            const clmove_submission *submission, void **memory, clmove_error *error);
CLMOVE_API clmove_status clmove_enqueue_unmap(clmove_buffer *buffer, void *memory, const clmove_submission *submission,
                                              clmove_error *error);

/* Waits for all work that is enqueued on the device.
 * Errors: INVALID_ARGUMENT, DEVICE_FAILED. */
CLMOVE_API clmove_status clmove_device_finish(clmove_device *device, clmove_error *error);

/* ---- times ----------------------------------------------------------------------------------------------------- */

/* The time of a run or a transfer. */
typedef struct clmove_times {
    /* sizeof(clmove_times) */
    size_t struct_size;
    /* By the host's clock, from the call that enqueues to the end of waiting. */
    double host_seconds;
    /* By the device's clock, from the start of the first command to the end of the last. Equal to host_seconds if the host did
     * the work. Negative: not known, since the device was opened without clmove_device_params.profile. */
    double device_seconds;
} clmove_times;

/* Runs as clmove_enqueue does, waits until it is done, and measures the time. The call first waits for earlier work, which is not
 * counted. The difference of the two times is the launch overhead.
 * Shapes and units: as clmove_enqueue. Times are in seconds, and 0 or more for a run that moves nothing.
 * Ownership: nothing is kept. *times is the caller's.
 * Errors: as clmove_enqueue, and INVALID_ARGUMENT if times is NULL.
 * Thread-safety: the call also waits for work that other threads enqueue during the call, and host_seconds counts it. */
CLMOVE_API clmove_status clmove_measure(clmove_plan *plan, clmove_view src, clmove_view dst, clmove_times *times,
                                        clmove_error *error);

/* Measures clmove_buffer_write and clmove_buffer_read. The calls first wait for earlier work, which is not counted.
 * Shapes and units: as clmove_buffer_write. Times are in seconds.
 * Ownership: nothing is kept. *times is the caller's.
 * Errors: as clmove_buffer_write and clmove_buffer_read, and INVALID_ARGUMENT if times is NULL.
 * Thread-safety: as clmove_measure. */
CLMOVE_API clmove_status clmove_measure_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes,
                                              clmove_times *times, clmove_error *error);
CLMOVE_API clmove_status clmove_measure_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_times *times,
                                             clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
