/* Devices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

#include <cstdlib>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <pthread.h>

namespace nb = nanobind;
using nb::literals::operator""_a;

std::atomic<unsigned> forks{0};
/* Drivers begin threads when their devices are listed, and hang in the child. */
static std::atomic<bool> used_opencl{false}, forked_from_opencl{false};

static void after_fork() {
    forks++;
    if (used_opencl)
        forked_from_opencl = true;
}

void begin_opencl() {
    if (forked_from_opencl)
        fail(CLMOVE_NO_DEVICE, "this process was forked from one that used OpenCL, and drivers hang in it: open \"host\", open "
                               "devices after the fork alone, or start processes by \"spawn\"");
    used_opencl = true;
}

device_object::device_object(const std::optional<std::string> &selector) {
    clmove_error error;
    clmove_status status;
    clmove_device_params params = {};
    const char *variable = std::getenv("CLMOVE_DEVICE");
    std::string chosen = selector ? *selector : variable && *variable ? variable : "auto";
    if (forked_from_opencl && chosen == "auto") {
        chosen = "host";
        note = "this process was forked from one that used OpenCL, and drivers hang in it";
    } else if (chosen != "host")
        begin_opencl();
    params.struct_size = sizeof params;
    params.selector = chosen.c_str();
    {
        nb::gil_scoped_release released;
        status = clmove_device_open(&params, &device, &error);
    }
    check(status, error);
}

device_object::~device_object() {
    if (born == forks) {
        nb::gil_scoped_release released;
        clmove_device_close(&device);
    }
}

clmove_device *device_object::get() const {
    if (born != forks)
        fail(CLMOVE_NO_DEVICE, "the process was forked after this device was opened: open another one");
    return device;
}

clmove_device_info device_object::info() const {
    clmove_error error;
    clmove_device_info found = {};
    found.struct_size = sizeof found;
    check(clmove_device_get_info(get(), &found, &error), error);
    return found;
}

clmove_device_stats device_object::stats() const {
    clmove_error error;
    clmove_device_stats found = {};
    found.struct_size = sizeof found;
    check(clmove_device_get_stats(get(), &found, &error), error);
    return found;
}

void add_device(nb::module_ &module) {
    pthread_atfork(nullptr, nullptr, after_fork);
    nb::class_<device_object>(module, "Device")
        .def(nb::init<const std::optional<std::string> &>(), "selector"_a.none())
        .def_prop_ro("type", [](const device_object &it) { return clmove_device_type_text(it.info().type); })
        .def_prop_ro("name", [](const device_object &it) { return std::string(it.info().name); })
        .def_prop_ro("fallback", &device_object::fallback)
        .def_prop_ro("kernels_run", [](const device_object &it) { return it.stats().kernels_run; })
        .def_prop_ro("host_runs", [](const device_object &it) { return it.stats().host_runs; });
}
