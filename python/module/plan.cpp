/* Plans. A plan moves what has the buffer protocol to what has it, without the GIL.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace nb = nanobind;
using nb::literals::operator""_a;

plan_object::plan_object(const device_object &device, const map_object &map, const std::optional<std::string> &variant,
                         uint32_t index_bits, const std::optional<std::string> &tuning) {
    clmove_error error;
    clmove_status status;
    clmove_device *opened = device.get();
    clmove_plan_params params = {};
    params.struct_size = sizeof params;
    params.variant = variant ? variant->c_str() : nullptr;
    params.index_bits = index_bits;
    params.tuning = tuning ? tuning->c_str() : nullptr;
    {
        nb::gil_scoped_release released;
        status = clmove_plan_create(opened, &map.map, &params, &plan, &error);
    }
    check(status, error);
}

plan_object::~plan_object() {
    if (born == forks) {
        nb::gil_scoped_release released;
        clmove_plan_destroy(&plan);
    }
}

clmove_plan *plan_object::get() const {
    if (born != forks)
        fail(CLMOVE_NO_DEVICE, "the process was forked after this plan was made: open a device and make another one");
    return plan;
}

std::string plan_object::explain() const {
    clmove_error error;
    std::string text(16384, '\0');
    check(clmove_plan_explain(get(), text.data(), text.size(), &error), error);
    return text.c_str();
}

std::string plan_object::variant() const {
    clmove_error error;
    clmove_plan_info info = {};
    info.struct_size = sizeof info;
    check(clmove_plan_get_info(get(), &info, &error), error);
    return info.variant ? info.variant : "";
}

/* ---- runs ---- */

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
        /* NumPy counts no buffers, but resizes no array that is referenced weakly, even with refcheck=False. */
        reference = PyWeakref_NewRef(object.ptr(), nullptr);
        if (!reference)
            PyErr_Clear(); /* of objects that cannot be resized while they have a buffer */
    }
    memory(const memory &) = delete;
    ~memory() {
        Py_XDECREF(reference);
        PyBuffer_Release(&view);
    }
    char *begin = nullptr; /* NULL: there is no element */
    size_t size = 0;

  private:
    Py_buffer view;
    PyObject *reference = nullptr;
};

/* Shorter runs end soon enough after Ctrl-C by themselves. They are not cut into pieces, and cost no more. */
static constexpr size_t WATCHED_BYTES = size_t{256} << 20;
/* Signals are looked at so often: each time needs the GIL, for which others may have to be asked. */
static constexpr double LOOK_SECONDS = 0.02;

/* Only the main thread runs the handlers of signals. */
static bool is_main_thread() {
    return syscall(SYS_gettid) == getpid();
}

/* A run that is looked at between its pieces. */
struct watched {
    /* What to call, or None. */
    nb::handle progress;
    double next = LOOK_SECONDS;
    /* This thread has an exception of Python's. */
    bool raised = false;
};

static bool look(void *user, const clmove_progress *at) {
    watched *it = static_cast<watched *>(user);
    if (it->progress.is_none() && at->seconds < it->next)
        return true;
    nb::gil_scoped_acquire held;
    if (it->progress.is_none())
        it->raised = PyErr_CheckSignals() != 0;
    else
        try {
            it->progress(at->bytes_done, at->bytes_total);
            it->raised = PyErr_CheckSignals() != 0;
        } catch (nb::python_error &other) {
            other.restore();
            it->raised = true;
        } catch (const std::exception &) { /* nothing may be thrown through C */
            PyErr_NoMemory();
            it->raised = true;
        }
    it->next = at->seconds + LOOK_SECONDS;
    return !it->raised;
}

void plan_object::run(nb::handle src, nb::handle dst, nb::handle progress) const {
    clmove_error error;
    clmove_status status;
    clmove_plan *used = get();
    const memory from(src, PyBUF_STRIDES), to(dst, PyBUF_STRIDES | PyBUF_WRITABLE);
    watched looked = {progress};
    clmove_run_params params = {};
    params.struct_size = sizeof params;
    if (!progress.is_none() || (from.size + to.size >= WATCHED_BYTES && is_main_thread())) {
        params.progress = look;
        params.progress_user = &looked;
    }
    {
        nb::gil_scoped_release released;
        status = clmove_run_with(used, from.begin, from.size, to.begin, to.size, &params, &error);
    }
    if (looked.raised)
        nb::raise_python_error();
    if (status == CLMOVE_BAD_BUFFER && from.begin < to.begin + to.size && to.begin < from.begin + from.size)
        fail(status,
             "out and the source overlap, of which each counts from its first element to its last: pass an out in other memory, "
             "or none");
    check(status, error);
}

void add_plan(nb::module_ &module) {
    nb::class_<plan_object>(module, "Plan")
        .def(nb::init<const device_object &, const map_object &, const std::optional<std::string> &, uint32_t,
                      const std::optional<std::string> &>(),
             "device"_a, "map"_a, "variant"_a = nb::none(), "index_bits"_a = 0, "tuning"_a = nb::none())
        .def("run", &plan_object::run, "src"_a, "dst"_a, "progress"_a = nb::none())
        .def("explain", &plan_object::explain)
        .def_prop_ro("variant", &plan_object::variant);
}
