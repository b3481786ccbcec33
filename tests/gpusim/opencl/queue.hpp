// Commands: they run when their queue is flushed, or waited for, and what they wait for is done; never earlier, so that a program
// that forgets to wait finds out. Queues that keep no order run what they may last command first.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/gpusim/opencl/objects.hpp"

namespace gpusim {

struct WaitList {
    cl_uint count;
    const cl_event *events;
};

// Whether a command may be enqueued: the queue, the wait list, the context.
cl_int check_enqueue(cl_command_queue queue, const WaitList &waits);

// Enqueues what was checked. work returns CL_SUCCESS or what went wrong. With `blocking` it is done on return.
cl_int enqueue(Guard &guard, cl_command_queue queue, cl_command_type type, bool blocking, const WaitList &waits, cl_event *event,
               std::function<cl_int()> work);

// Runs all that may run now.
void progress();

void flush(cl_command_queue queue);

// Completes an event, with CL_COMPLETE or a negative code.
void complete(_cl_event &event, cl_int status);

} // namespace gpusim
