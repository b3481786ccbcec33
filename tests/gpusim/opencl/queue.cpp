// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/opencl/queue.hpp"
#include "tests/gpusim/opencl/answer.hpp"

#include <algorithm>

using namespace gpusim;

static std::vector<_cl_command_queue *> queues;

_cl_command_queue::_cl_command_queue() : Object(Kind::Queue) {
    queues.push_back(this);
}

_cl_command_queue::~_cl_command_queue() {
    queues.erase(std::find(queues.begin(), queues.end(), this));
}

namespace gpusim {

static bool is_in_order(const _cl_command_queue &queue) {
    return !(queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static bool is_ready(const Command &command) {
    return std::all_of(command.waits.begin(), command.waits.end(), [](const Ref<_cl_event> &it) { return it->status <= 0; });
}

static void run(Command command) {
    cl_int status = CL_SUCCESS;
    _cl_event &event = *command.event;
    for (const Ref<_cl_event> &wait : command.waits)
        if (wait->status < 0)
            status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    event.started = now();
    if (status == CL_SUCCESS && event.context->is_broken)
        status = CL_OUT_OF_RESOURCES;
    if (status == CL_SUCCESS && command.work) {
        status = command.work();
        if (status != CL_SUCCESS)
            event.context->is_broken = true;
    }
    event.ended = std::max(now(), event.started + 1);
    complete(event, status == CL_SUCCESS ? CL_COMPLETE : status);
}

// Runs one command of the queue; whether there was one that may run.
static bool run_one(_cl_command_queue &queue) {
    const size_t first = is_in_order(queue) ? 1 : queue.flushed;
    for (size_t i = std::min(first, queue.flushed); i-- > 0;)
        if (is_ready(queue.commands[i])) {
            Command command = std::move(queue.commands[i]);
            queue.commands.erase(queue.commands.begin() + (std::ptrdiff_t)i);
            queue.flushed--;
            run(std::move(command));
            return true;
        }
    return false;
}

void progress() {
    for (bool any = true; any;) {
        any = false;
        std::vector<Ref<_cl_command_queue>> all; // a queue may go when its last command has run
        for (_cl_command_queue *queue : queues)
            all.emplace_back(queue);
        for (const Ref<_cl_command_queue> &queue : all)
            while (run_one(*queue))
                any = true;
    }
}

void flush(cl_command_queue queue) {
    for (size_t i = queue->flushed; i < queue->commands.size(); i++) {
        queue->commands[i].event->status = CL_SUBMITTED;
        queue->commands[i].event->submitted = now();
    }
    queue->flushed = queue->commands.size();
}

void complete(_cl_event &event, cl_int status) {
    event.status = status;
    for (const auto &callback : event.callbacks)
        call_later([call = callback.second, status] { call(status); });
    event.callbacks.clear();
    changed();
}

cl_int check_enqueue(cl_command_queue queue, const WaitList &waits) {
    if (!is(queue, Kind::Queue))
        return CL_INVALID_COMMAND_QUEUE;
    if ((waits.count == 0) != (waits.events == nullptr))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < waits.count; i++) {
        if (!is(waits.events[i], Kind::Event))
            return CL_INVALID_EVENT_WAIT_LIST;
        if (waits.events[i]->context.get() != queue->context.get())
            return CL_INVALID_CONTEXT;
    }
    return queue->context->is_broken ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

// Waits until an event is done, whose queue is flushed.
static cl_int wait_for(Guard &guard, const Ref<_cl_event> &event) {
    if (event->queue)
        flush(event->queue.get());
    progress();
    while (event->status > 0) {
        if (!guard.wait_for_change()) {
            say("an event has not come for a minute: what it waits for is in a queue that nobody flushes, or up to the host");
            return CL_OUT_OF_RESOURCES;
        }
        progress();
    }
    return event->status < 0 ? event->status : CL_SUCCESS;
}

cl_int enqueue(Guard &guard, cl_command_queue queue, cl_command_type type, bool blocking, const WaitList &waits, cl_event *event,
               std::function<cl_int()> work) {
    _cl_event *made = new _cl_event;
    Ref<_cl_event> kept(made);
    made->references--; // that of a new object: the caller's, who may want none
    made->context = queue->context;
    made->queue = Ref<_cl_command_queue>(queue);
    made->type = type;
    made->is_timed = queue->properties & CL_QUEUE_PROFILING_ENABLE;
    made->queued = made->submitted = now();
    Command command = {kept, {}, std::move(work)};
    for (cl_uint i = 0; i < waits.count; i++)
        command.waits.emplace_back(waits.events[i]);
    const bool is_barrier = type == CL_COMMAND_BARRIER;
    if (!is_in_order(*queue)) {
        if ((is_barrier || type == CL_COMMAND_MARKER) && waits.count == 0)
            for (const Command &before : queue->commands)
                command.waits.push_back(before.event);
        if (queue->barrier)
            command.waits.push_back(queue->barrier);
        if (is_barrier)
            queue->barrier = kept;
    }
    queue->commands.push_back(std::move(command));
    cl_int code = CL_SUCCESS;
    if (blocking)
        code = wait_for(guard, kept);
    if (event && code == CL_SUCCESS) {
        made->references++;
        *event = made;
    }
    return code;
}

} // namespace gpusim

API cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                          cl_int *code) {
    Guard guard;
    const cl_command_queue_properties known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    if (!is(context, Kind::Context))
        return give<_cl_command_queue>(nullptr, CL_INVALID_CONTEXT, code);
    if (device != &the_device)
        return give<_cl_command_queue>(nullptr, CL_INVALID_DEVICE, code);
    if (properties & ~known)
        return give<_cl_command_queue>(nullptr, CL_INVALID_VALUE, code);
    _cl_command_queue *queue = new _cl_command_queue;
    queue->context = Ref<_cl_context>(context);
    queue->properties = properties;
    return give(queue, CL_SUCCESS, code);
}
API cl_int clRetainCommandQueue(cl_command_queue it) {
    return retain(it, Kind::Queue, CL_INVALID_COMMAND_QUEUE);
}
API cl_int clReleaseCommandQueue(cl_command_queue it) {
    Guard guard;
    if (!is(it, Kind::Queue))
        return CL_INVALID_COMMAND_QUEUE;
    flush(it);
    progress();
    if (--it->references == 0)
        delete it;
    return CL_SUCCESS;
}
API cl_int clGetCommandQueueInfo(cl_command_queue it, cl_command_queue_info what, size_t room, void *to, size_t *size) {
    Guard guard;
    const Answer answer = {room, to, size};
    if (!is(it, Kind::Queue))
        return CL_INVALID_COMMAND_QUEUE;
    switch (what) {
    case CL_QUEUE_CONTEXT:
        return answer.number(it->context.get());
    case CL_QUEUE_DEVICE:
        return answer.number((cl_device_id)&the_device);
    case CL_QUEUE_REFERENCE_COUNT:
        return answer.number(it->references);
    case CL_QUEUE_PROPERTIES:
        return answer.number(it->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

API cl_int clFlush(cl_command_queue it) {
    Guard guard;
    if (!is(it, Kind::Queue))
        return CL_INVALID_COMMAND_QUEUE;
    flush(it);
    progress();
    return CL_SUCCESS;
}
API cl_int clFinish(cl_command_queue it) {
    Guard guard;
    if (!is(it, Kind::Queue))
        return CL_INVALID_COMMAND_QUEUE;
    Ref<_cl_command_queue> queue(it);
    flush(it);
    progress();
    while (!queue->commands.empty()) {
        const Ref<_cl_event> last = queue->commands.back().event;
        wait_for(guard, last);
        if (last->status > 0)
            return CL_OUT_OF_RESOURCES;
    }
    return queue->context->is_broken ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

API cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint waits, const cl_event *list, cl_event *event) {
    Guard guard;
    cl_int code = check_enqueue(queue, {waits, list});
    return code == CL_SUCCESS ? enqueue(guard, queue, CL_COMMAND_MARKER, false, {waits, list}, event, nullptr) : code;
}
API cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint waits, const cl_event *list, cl_event *event) {
    Guard guard;
    cl_int code = check_enqueue(queue, {waits, list});
    return code == CL_SUCCESS ? enqueue(guard, queue, CL_COMMAND_BARRIER, false, {waits, list}, event, nullptr) : code;
}

// ---- events ----

API cl_event clCreateUserEvent(cl_context context, cl_int *code) {
    Guard guard;
    if (!is(context, Kind::Context))
        return give<_cl_event>(nullptr, CL_INVALID_CONTEXT, code);
    _cl_event *event = new _cl_event;
    event->context = Ref<_cl_context>(context);
    event->status = CL_SUBMITTED;
    return give(event, CL_SUCCESS, code);
}
API cl_int clSetUserEventStatus(cl_event it, cl_int status) {
    Guard guard;
    if (!is(it, Kind::Event) || it->type != CL_COMMAND_USER)
        return CL_INVALID_EVENT;
    if (status > 0)
        return CL_INVALID_VALUE;
    if (it->status <= 0)
        return CL_INVALID_OPERATION;
    Ref<_cl_event> kept(it);
    complete(*it, status);
    progress();
    return CL_SUCCESS;
}
API cl_int clRetainEvent(cl_event it) {
    return retain(it, Kind::Event, CL_INVALID_EVENT);
}
API cl_int clReleaseEvent(cl_event it) {
    return release(it, Kind::Event, CL_INVALID_EVENT);
}
API cl_int clWaitForEvents(cl_uint count, const cl_event *list) {
    Guard guard;
    if (count == 0 || !list)
        return CL_INVALID_VALUE;
    std::vector<Ref<_cl_event>> events;
    for (cl_uint i = 0; i < count; i++) {
        if (!is(list[i], Kind::Event))
            return CL_INVALID_EVENT;
        if (list[i]->context.get() != list[0]->context.get())
            return CL_INVALID_CONTEXT;
        events.emplace_back(list[i]);
        if (list[i]->queue)
            flush(list[i]->queue.get());
    }
    cl_int code = CL_SUCCESS;
    for (const Ref<_cl_event> &event : events) {
        wait_for(guard, event);
        if (event->status > 0)
            return CL_OUT_OF_RESOURCES;
        if (event->status < 0)
            code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return code;
}
API cl_int clSetEventCallback(cl_event it, cl_int when, void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *user) {
    Guard guard;
    if (!is(it, Kind::Event))
        return CL_INVALID_EVENT;
    if (!call || (when != CL_COMPLETE && when != CL_RUNNING && when != CL_SUBMITTED))
        return CL_INVALID_VALUE;
    auto run = [it, call, user](cl_int status) { call(it, status, user); };
    if (it->status <= when)
        call_later([run, status = it->status] { run(status); });
    else
        it->callbacks.emplace_back(when, run);
    return CL_SUCCESS;
}
API cl_int clGetEventInfo(cl_event it, cl_event_info what, size_t room, void *to, size_t *size) {
    Guard guard;
    const Answer answer = {room, to, size};
    if (!is(it, Kind::Event))
        return CL_INVALID_EVENT;
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE:
        return answer.number(it->queue.get());
    case CL_EVENT_CONTEXT:
        return answer.number(it->context.get());
    case CL_EVENT_COMMAND_TYPE:
        return answer.number(it->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return answer.number(it->status);
    case CL_EVENT_REFERENCE_COUNT:
        return answer.number(it->references);
    default:
        return CL_INVALID_VALUE;
    }
}
API cl_int clGetEventProfilingInfo(cl_event it, cl_profiling_info what, size_t room, void *to, size_t *size) {
    Guard guard;
    const Answer answer = {room, to, size};
    if (!is(it, Kind::Event))
        return CL_INVALID_EVENT;
    if (!it->is_timed || it->status != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    switch (what) {
    case CL_PROFILING_COMMAND_QUEUED:
        return answer.number(it->queued);
    case CL_PROFILING_COMMAND_SUBMIT:
        return answer.number(it->submitted);
    case CL_PROFILING_COMMAND_START:
        return answer.number(it->started);
    case CL_PROFILING_COMMAND_END:
        return answer.number(it->ended);
    default:
        return CL_INVALID_VALUE;
    }
}
