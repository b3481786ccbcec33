/* What callers enqueue: views, wait lists and events are checked here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/device/buffer.h"
#include "host/params.h"
#include "host/run/plan.h"

#include <inttypes.h>

/* ---- submissions ---- */

/* A submission of the caller's, and what its executor has of it. */
typedef struct request {
    const clmove_device *device;
    clmove_submission given;
    clm_submission submission;
    /* The event that the executor leaves. It is the caller's only after success. */
    void *event;
} request;

/* Whether an event is of the device's executor: OpenCL's loader reads from any other, and so does the host. Of OpenCL's events
 * drivers refuse those of another context. */
static bool is_of(const clmove_device *device, const clmove_event *event) {
    const void *begin = *(const void *const *)(const void *)event;
    const clm_executor *executor = clm_device_executor(device);
    if (!executor->calls->event_mark)
        return begin != clm_device_host(device)->calls->event_mark;
    return begin == executor->calls->event_mark && executor->calls->event_executor(event) == executor;
}

/* given: NULL for the defaults, and then the queue is the default one, which keeps order. */
static clmove_status begin(const clmove_device *device, const clmove_submission *given, request *it, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executor = clm_device_executor(device);
    TRY(clm_params_read("clmove_submission", given, &it->given, sizeof it->given, error));
    const int64_t waits = it->given.waits;
    REQUIRE(waits >= 0 && waits <= UINT32_MAX, INVALID_ARGUMENT, "%" PRId64 " events to wait for: it must be 0 to %" PRIu32,
            waits, UINT32_MAX);
    REQUIRE((waits == 0) == !it->given.wait_list, INVALID_ARGUMENT, "%" PRId64 " events to wait for, and wait_list is %s", waits,
            it->given.wait_list ? "not NULL" : "NULL");
    for (int64_t i = 0; i < waits; i++) { /* POCL 3.1 takes NULL */
        REQUIRE(it->given.wait_list[i], INVALID_ARGUMENT, "event %" PRId64 " of the %" PRId64 " to wait for is NULL", i, waits);
        REQUIRE(is_of(device, it->given.wait_list[i]), INVALID_ARGUMENT,
                "event %" PRId64 " of the %" PRId64 " to wait for is of another device", i, waits);
    }
    it->device = device;
    it->event = NULL;
    it->submission = (clm_submission){
        .queue = it->given.queue,
        .waits = (uint32_t)waits,
        .wait_list = (void *const *)it->given.wait_list,
        .event = it->given.event ? &it->event : NULL,
    };
    if (given)
        TRY(executor->calls->queue_borrow(executor, &it->submission.queue, &it->submission.out_of_order, error));
out:
    return status;
}

/* Ends a submission, failed or not: flushes the queue unless it is the caller's, and returns the event. */
static clmove_status end(request *it, clmove_status status, clmove_error *error) {
    clm_executor *executor = clm_device_executor(it->device);
    if (status != CLMOVE_OK)
        goto out;
    if (!it->given.queue)
        TRY(executor->calls->flush(executor, it->submission.queue, error));
    if (it->given.event)
        *it->given.event = it->event;
    it->event = NULL;
out:
    if (it->event)
        executor->calls->event_release(executor, it->event);
    return status;
}

/* ---- plans ---- */

/* Memory of a view, of which so many bytes are used. */
static clmove_status find_memory(const clmove_device *device, const clm_view *view, size_t bytes, const char *role, clm_use use,
                                 clm_memory *memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executor = clm_device_executor(device);
    const clmove_buffer *buffer = view->buffer;
    const char *verb = use == CLM_USE_READ ? "reads" : "needs";
    REQUIRE(buffer || view->object || view->svm, INVALID_ARGUMENT, "the %s is a view of no memory", role);
    if (buffer) {
        REQUIRE(buffer->device == device, BAD_BUFFER, "the %s is a buffer of another device", role);
        REQUIRE(view->offset <= buffer->bytes && buffer->bytes - view->offset >= bytes, BAD_BUFFER,
                view->offset ? "the %s has %zu bytes, and the map %s %zu from byte %zu on"
                             : "the %s has %zu bytes, the map %s %zu",
                role, buffer->bytes, verb, bytes, view->offset);
        *memory = buffer->memory;
        memory->offset += view->offset;
        memory->bytes = bytes;
    } else {
        const clm_memory given = {.object = view->object, .svm = view->svm, .offset = view->offset, .bytes = bytes};
        TRY(executor->calls->memory_borrow(executor, &given, use, role, memory, error));
    }
out:
    return status;
}

/* The work for which another executor lends its memory. */
typedef struct lent {
    clmove_plan *plan;
    clmove_status status;
    clmove_error *error;
} lent;

static void run_lent(void *user, const void *src, void *dst) {
    lent *it = user;
    it->status = clm_plan_run_on_host(it->plan, NULL, src, dst, it->error);
}

/* Submits a plan on memory of the device's first executor, which was checked. */
static clmove_status submit_memory(clmove_plan *plan, const clm_memory *src, const clm_memory *dst,
                                   const clm_submission *submission, clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    clm_executor *owner = clm_device_executor(plan->device);
    clm_candidate *candidate;
    do {
        clm_kernel *kernel;
        candidate = clm_plan_current(plan);
        if (candidate->executor != owner) {
            lent it = {.plan = plan, .error = error};
            TRY(owner->calls->lend(src, dst, submission, run_lent, &it, error));
            return it.status;
        }
        status = clm_plan_get_kernel(plan, candidate, clm_memory_begin(src) | clm_memory_begin(dst), &kernel, &failure);
        if (status == CLMOVE_OK)
            status = owner->calls->submit(kernel, src, dst, submission, span, &failure);
        if (status == CLMOVE_OK)
            clm_plan_count(plan, candidate, kernel->launch_plan.launches);
    } while (clm_plan_fall_back(plan, candidate, &status, &failure, error));
out:
    return status;
}

clmove_status clm_submit(clmove_plan *plan, const clmove_view *src_view, const clmove_view *dst_view,
                         const clm_submission *submission, clm_span *span, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executor = clm_device_executor(plan->device);
    const clm_view source = clm_view_load(src_view), destination = clm_view_load(dst_view), *src = &source, *dst = &destination;
    clm_memory from, to;
    TRY(clm_device_check_one(plan->device, "memory", error));
    TRY(find_memory(plan->device, src, plan->src_bytes, "source", CLM_USE_READ, &from, error));
    TRY(find_memory(plan->device, dst, plan->dst_bytes, "destination", CLM_USE_WRITE, &to, error));
    if (plan->is_empty) {
        TRY(executor->calls->marker(executor, submission, error));
        goto out;
    }
    if (src->buffer && dst->buffer)
        TRY(clm_buffers_check_apart(src->buffer, src->offset, plan->src_bytes, dst->buffer, dst->offset, plan->dst_bytes, error));
    else
        TRY(executor->calls->check_apart(&from, 0, plan->src_bytes, &to, 0, plan->dst_bytes, error));
    if (src->buffer)
        TRY(clm_buffer_use(src->buffer, CLMOVE_ACCESS_READ, submission, error));
    if (dst->buffer)
        TRY(clm_buffer_use(dst->buffer, CLMOVE_ACCESS_WRITE, submission, error));
    TRY(submit_memory(plan, &from, &to, submission, span, error));
out:
    return status;
}

clmove_status clmove_enqueue(clmove_plan *plan, clmove_view src, clmove_view dst, const clmove_submission *given,
                             clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    request it;
    REQUIRE(plan, INVALID_ARGUMENT, "plan is NULL");
    if (!given) /* what is called most is done at once */
        return clm_submit(plan, &src, &dst, NULL, NULL, error);
    TRY(begin(plan->device, given, &it, error));
    TRY(end(&it, clm_submit(plan, &src, &dst, &it.submission, NULL, error), error));
out:
    return status;
}

/* ---- transfers ---- */

static clmove_status submit_transfer(clmove_buffer *buffer, clmove_access access, size_t offset, void *host, size_t bytes,
                                     const clmove_submission *given, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    request it;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    TRY(begin(buffer->device, given, &it, error));
    TRY(end(&it, clm_buffer_transfer(buffer, access, offset, host, bytes, &it.submission, NULL, error), error));
out:
    return status;
}

clmove_status clmove_enqueue_write(clmove_buffer *buffer, size_t offset, const void *src, size_t bytes,
                                   const clmove_submission *given, clmove_error *error) {
    return submit_transfer(buffer, CLMOVE_ACCESS_WRITE, offset, (void *)src, bytes, given, error);
}

clmove_status clmove_enqueue_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, const clmove_submission *given,
                                  clmove_error *error) {
    return submit_transfer(buffer, CLMOVE_ACCESS_READ, offset, dst, bytes, given, error);
}

clmove_status clmove_enqueue_map(clmove_buffer *buffer, clmove_access access, size_t offset, size_t bytes,
                                 const clmove_submission *given, void **memory, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    request it;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    TRY(begin(buffer->device, given, &it, error));
    REQUIRE(it.submission.event, INVALID_ARGUMENT,
            "the submission has no event, which mapping needs: its completion says that the memory is mapped");
    TRY(end(&it, clm_buffer_map(buffer, access, offset, bytes, &it.submission, memory, error), error));
out:
    return status;
}

clmove_status clmove_enqueue_unmap(clmove_buffer *buffer, void *memory, const clmove_submission *given, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    request it;
    REQUIRE(buffer, INVALID_ARGUMENT, "buffer is NULL");
    TRY(begin(buffer->device, given, &it, error));
    TRY(end(&it, clm_buffer_unmap(buffer, memory, &it.submission, error), error));
out:
    return status;
}

/* ---- events ---- */

static clmove_status check_event(const clmove_device *device, const clmove_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(event, INVALID_ARGUMENT, "event is NULL");
    REQUIRE(is_of(device, event), INVALID_ARGUMENT, "the event is of another device");
out:
    return status;
}

clmove_status clmove_event_wait(clmove_device *device, clmove_event *event, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(check_event(device, event, error));
    TRY(clm_device_executor(device)->calls->event_wait(clm_device_executor(device), event, error));
out:
    return status;
}

clmove_status clmove_event_is_complete(clmove_device *device, clmove_event *event, bool *complete, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(check_event(device, event, error));
    REQUIRE(complete, INVALID_ARGUMENT, "complete is NULL");
    TRY(clm_device_executor(device)->calls->event_is_complete(clm_device_executor(device), event, complete, error));
out:
    return status;
}

void clmove_event_release(clmove_device *device, clmove_event **event) {
    if (!device || !event || !*event || !is_of(device, *event))
        return;
    clm_device_executor(device)->calls->event_release(clm_device_executor(device), *event);
    *event = NULL;
}
