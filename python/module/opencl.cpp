/* Devices on the caller's OpenCL context, and plans on the caller's queue and memory. OpenCL's objects are numbers here: the
 * addresses that PyOpenCL calls int_ptr.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

#include <clmove/opencl.h>
#include <memory>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <vector>

namespace nb = nanobind;
using nb::literals::operator""_a;
using number = std::uintptr_t;

template <typename object> static object object_of(number address) {
    return reinterpret_cast<object>(address);
}

/* queue: 0 for one of clmove's own. */
static std::unique_ptr<device_object> open_on(number context, number device, number queue) {
    clmove_error error;
    clmove_status status;
    clmove_device *opened = nullptr;
    begin_opencl();
    {
        nb::gil_scoped_release released;
        status = clmove_device_open_opencl(object_of<cl_context>(context), object_of<cl_device_id>(device),
                                           object_of<cl_command_queue>(queue), nullptr, &opened, &error);
    }
    check(status, error);
    return std::make_unique<device_object>(opened);
}

/* Memory of the caller's: an address, of shared virtual memory or of a cl_mem, and the bytes that are skipped. */
static clmove_view view_of(number address, bool is_svm, size_t offset) {
    return is_svm ? clmove_svm_view(reinterpret_cast<const char *>(address) + offset)
                  : clmove_mem_view(object_of<cl_mem>(address), offset);
}

/* Returns the address of an event, which is then the caller's. */
static number enqueue(const plan_object &plan, number queue, number src, bool src_is_svm, size_t src_offset, number dst,
                      bool dst_is_svm, size_t dst_offset, const std::vector<number> &waits) {
    clmove_error error;
    clmove_status status;
    clmove_plan *used = plan.get();
    cl_event event = nullptr;
    std::vector<cl_event> list;
    clmove_submission submission = {};
    for (number each : waits)
        list.push_back(object_of<cl_event>(each));
    submission.struct_size = sizeof submission;
    submission.queue = clmove_queue_of(object_of<cl_command_queue>(queue));
    submission.waits = static_cast<int64_t>(list.size());
    submission.wait_list = list.empty() ? nullptr : clmove_wait_list(list.data());
    submission.event = clmove_event_of(&event);
    {
        nb::gil_scoped_release released; /* where the host takes over, the call waits */
        status =
            clmove_enqueue(used, view_of(src, src_is_svm, src_offset), view_of(dst, dst_is_svm, dst_offset), &submission, &error);
    }
    check(status, error);
    return reinterpret_cast<number>(event);
}

void add_opencl(nb::module_ &module) {
    module.def("open_on", open_on, "context"_a, "device"_a, "queue"_a);
    module.def("enqueue", enqueue, "plan"_a, "queue"_a, "src"_a, "src_is_svm"_a, "src_offset"_a, "dst"_a, "dst_is_svm"_a,
               "dst_offset"_a, "waits"_a);
}
