/* Devices and plans. A plan moves what has the buffer protocol to what has it, without the GIL.
 *
 * A process that was forked has none of its parent's threads: what the parent opened is never used or closed in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

#include <atomic>
#include <cstdlib>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <pthread.h>
#include <string>

namespace nb = nanobind;
using nb::literals::operator""_a;

static std::atomic<unsigned> forks{0}; /* between the first process and this one */
/* Drivers begin threads when their devices are listed, and hang in the child. */
static std::atomic<bool> used_opencl{false}, forked_from_opencl{false};

static void after_fork() {
    forks++;
    if (used_opencl)
        forked_from_opencl = true;
}

/* ---- devices ---- */

class device_object {
  public:
    explicit device_object(const std::optional<std::string> &selector) {
        clmove_error error;
        clmove_status status;
        clmove_device_params params = {};
        const char *variable = std::getenv("CLMOVE_DEVICE");
        std::string chosen = selector ? *selector : variable && *variable ? variable : "auto";
        if (forked_from_opencl && chosen == "auto") {
            chosen = "host";
            note = "this process was forked from one that used OpenCL, and drivers hang in it";
        } else if (forked_from_opencl && chosen != "host")
            fail(CLMOVE_NO_DEVICE,
                 "this process was forked from one that used OpenCL, and drivers hang in it: open \"host\", open "
                 "devices after the fork alone, or start processes by \"spawn\"");
        used_opencl = used_opencl || chosen != "host";
        params.struct_size = sizeof params;
        params.selector = chosen.c_str();
        {
            nb::gil_scoped_release released;
            status = clmove_device_open(&params, &device, &error);
        }
        check(status, error);
    }
    device_object(const device_object &) = delete;
    ~device_object() {
        if (born == forks) {
            nb::gil_scoped_release released;
            clmove_device_close(&device);
        }
    }
    clmove_device *get() const {
        if (born != forks)
            fail(CLMOVE_NO_DEVICE, "the process was forked after this device was opened: open another one");
        return device;
    }
    std::string fallback() const { return note.empty() ? clmove_device_fallback(get()) : note; }
    clmove_device_info info() const {
        clmove_error error;
        clmove_device_info found = {};
        found.struct_size = sizeof found;
        check(clmove_device_get_info(get(), &found, &error), error);
        return found;
    }
    clmove_device_stats stats() const {
        clmove_error error;
        clmove_device_stats found = {};
        found.struct_size = sizeof found;
        check(clmove_device_get_stats(get(), &found, &error), error);
        return found;
    }

  private:
    clmove_device *device = nullptr;
    std::string note; /* why auto did not look for a device; "": it did */
    unsigned born = forks;
};

/* ---- plans ---- */

/* The memory of an object with the buffer protocol, and the bytes between its first and its last element. */
class memory {
  public:
    memory(nb::handle object, int flags) {
        if (PyObject_GetBuffer(object.ptr(), &view, flags) != 0) {
            if (!(flags & PyBUF_WRITABLE))
                nb::raise_python_error();
            PyErr_Clear();
            fail(CLMOVE_BAD_BUFFER, "out is read-only: pass an array that can be written");
        }
        Py_ssize_t low = 0, high = view.itemsize;
        for (int i = 0; i < view.ndim; i++) {
            const Py_ssize_t reach = (view.shape[i] - 1) * view.strides[i];
            if (view.shape[i] == 0)
                return;
            (reach < 0 ? low : high) += reach;
        }
        begin = static_cast<char *>(view.buf) + low;
        size = static_cast<size_t>(high - low);
    }
    memory(const memory &) = delete;
    ~memory() { PyBuffer_Release(&view); }
    char *begin = nullptr; /* NULL: there is no element */
    size_t size = 0;

  private:
    Py_buffer view;
};

class plan_object {
  public:
    plan_object(const device_object &device, const map_object &map) {
        clmove_error error;
        clmove_status status;
        clmove_device *opened = device.get();
        {
            nb::gil_scoped_release released;
            status = clmove_plan_create(opened, &map.map, nullptr, &plan, &error);
        }
        check(status, error);
    }
    plan_object(const plan_object &) = delete;
    ~plan_object() {
        if (born == forks) {
            nb::gil_scoped_release released;
            clmove_plan_destroy(&plan);
        }
    }
    clmove_plan *get() const {
        if (born != forks)
            fail(CLMOVE_NO_DEVICE, "the process was forked after this plan was made: open a device and make another one");
        return plan;
    }
    void run(nb::handle src, nb::handle dst) const {
        clmove_error error;
        clmove_status status;
        clmove_plan *used = get();
        const memory from(src, PyBUF_STRIDES), to(dst, PyBUF_STRIDES | PyBUF_WRITABLE);
        {
            nb::gil_scoped_release released;
            status = clmove_run(used, from.begin, from.size, to.begin, to.size, &error);
        }
        check(status, error);
    }
    std::string explain() const {
        clmove_error error;
        std::string text(16384, '\0');
        check(clmove_plan_explain(get(), text.data(), text.size(), &error), error);
        return text.c_str();
    }
    std::string variant() const {
        clmove_error error;
        clmove_plan_info info = {};
        info.struct_size = sizeof info;
        check(clmove_plan_get_info(get(), &info, &error), error);
        return info.variant ? info.variant : "";
    }

  private:
    clmove_plan *plan = nullptr;
    unsigned born = forks;
};

void add_device(nb::module_ &module) {
    pthread_atfork(nullptr, nullptr, after_fork);
    nb::class_<device_object>(module, "Device")
        .def(nb::init<const std::optional<std::string> &>(), "selector"_a.none())
        .def_prop_ro("type", [](const device_object &it) { return clmove_device_type_text(it.info().type); })
        .def_prop_ro("name", [](const device_object &it) { return std::string(it.info().name); })
        .def_prop_ro("fallback", &device_object::fallback)
        .def_prop_ro("kernels_run", [](const device_object &it) { return it.stats().kernels_run; })
        .def_prop_ro("host_runs", [](const device_object &it) { return it.stats().host_runs; });
    nb::class_<plan_object>(module, "Plan")
        .def(nb::init<const device_object &, const map_object &>(), "device"_a, "map"_a)
        .def("run", &plan_object::run, "src"_a, "dst"_a)
        .def("explain", &plan_object::explain)
        .def_prop_ro("variant", &plan_object::variant);
}
