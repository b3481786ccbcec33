/* clmove's submissions in the form of OpenCL's own calls: the arguments of clEnqueueNDRangeKernel and its kin.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_OPENCL_ENQUEUE_H
#define CLMOVE_TESTS_OPENCL_ENQUEUE_H

#include <clmove/opencl.h>

static inline clmove_submission submission_of(cl_command_queue queue, cl_uint waits, const cl_event *wait_list, cl_event *event) {
    return (clmove_submission){
        .struct_size = sizeof(clmove_submission),
        .queue = clmove_queue_of(queue),
        .waits = waits,
        .wait_list = clmove_wait_list(wait_list),
        .event = clmove_event_of(event),
    };
}

static inline clmove_status enqueue_mem(clmove_plan *plan, cl_command_queue queue, cl_mem src, size_t src_offset, cl_mem dst,
                                        size_t dst_offset, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                        clmove_error *error) {
    const clmove_submission submission = submission_of(queue, waits, wait_list, event);
    return clmove_enqueue(plan, clmove_mem_view(src, src_offset), clmove_mem_view(dst, dst_offset), &submission, error);
}

static inline clmove_status enqueue_svm(clmove_plan *plan, cl_command_queue queue, void *src, void *dst, cl_uint waits,
                                        const cl_event *wait_list, cl_event *event, clmove_error *error) {
    const clmove_submission submission = submission_of(queue, waits, wait_list, event);
    return clmove_enqueue(plan, clmove_svm_view(src), clmove_svm_view(dst), &submission, error);
}

static inline clmove_status enqueue_on(clmove_plan *plan, cl_command_queue queue, clmove_buffer *src, clmove_buffer *dst,
                                       cl_uint waits, const cl_event *wait_list, cl_event *event, clmove_error *error) {
    const clmove_submission submission = submission_of(queue, waits, wait_list, event);
    return clmove_enqueue(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), &submission, error);
}

static inline clmove_status enqueue_write(clmove_buffer *buffer, cl_command_queue queue, size_t offset, const void *src,
                                          size_t bytes, cl_uint waits, const cl_event *wait_list, cl_event *event,
                                          clmove_error *error) {
    const clmove_submission submission = submission_of(queue, waits, wait_list, event);
    return clmove_enqueue_write(buffer, offset, src, bytes, &submission, error);
}

static inline clmove_status enqueue_read(clmove_buffer *buffer, cl_command_queue queue, size_t offset, void *dst, size_t bytes,
                                         cl_uint waits, const cl_event *wait_list, cl_event *event, clmove_error *error) {
    const clmove_submission submission = submission_of(queue, waits, wait_list, event);
    return clmove_enqueue_read(buffer, offset, dst, bytes, &submission, error);
}

static inline clmove_status enqueue_map(clmove_buffer *buffer, cl_command_queue queue, clmove_access access, size_t offset,
                                        size_t bytes, cl_uint waits, const cl_event *wait_list, void **memory, cl_event *event,
                                        clmove_error *error) {
    const clmove_submission submission = submission_of(queue, waits, wait_list, event);
    return clmove_enqueue_map(buffer, access, offset, bytes, &submission, memory, error);
}

static inline clmove_status enqueue_unmap(clmove_buffer *buffer, cl_command_queue queue, void *memory, cl_uint waits,
                                          const cl_event *wait_list, cl_event *event, clmove_error *error) {
    const clmove_submission submission = submission_of(queue, waits, wait_list, event);
    return clmove_enqueue_unmap(buffer, memory, &submission, error);
}

#endif
