/* New arrays of NumPy whose memory begins at a line, large ones at a huge page. NumPy's own begin 16 bytes behind a page, where a
 * permutation takes up to twice as long as at a line, since no line of a row is whole (2 cores of an AMD EPYC, family 25, model
 * 17, 2026-11-24). The arrays own their memory: NumPy has them from an allocator that is set while they are made (its NEP 49).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

#include <cstdlib>
#include <sys/mman.h>

namespace nb = nanobind;
using nb::literals::operator""_a;

static constexpr size_t LINE = 64, HUGE_PAGE = size_t{2} << 20, HUGE_FROM = size_t{4} << 20;

/* As NumPy's headers have them, which the module does without: it serves versions 1 and 2. */
struct allocator {
    void *ctx;
    void *(*malloc)(void *ctx, size_t size);
    void *(*calloc)(void *ctx, size_t count, size_t size);
    void *(*realloc)(void *ctx, void *memory, size_t size);
    void (*free)(void *ctx, void *memory, size_t size);
};

struct handler {
    char name[127];
    uint8_t version;
    allocator calls;
};

static void *take(void *, size_t size) {
    void *memory = nullptr;
    if (posix_memalign(&memory, size >= HUGE_FROM ? HUGE_PAGE : LINE, size ? size : 1) != 0)
        return nullptr;
    if (size >= HUGE_FROM) /* as NumPy does */
        madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

static void *take_zeros(void *, size_t count, size_t size) {
    return std::calloc(count ? count : 1, size ? size : 1);
}

/* By ndarray.resize. */
static void *change(void *, void *memory, size_t size) {
    return std::realloc(memory, size ? size : 1);
}

static void give(void *, void *memory, size_t) {
    std::free(memory);
}

static handler ours = {"clmove", 1, {nullptr, take, take_zeros, change, give}};

/* The place of PyDataMem_SetHandler in NumPy's table, since version 1.22. */
static constexpr int SET_HANDLER = 304;
using set_handler = PyObject *(*)(PyObject *);

namespace {

struct numpy {
    set_handler set;
    PyObject *empty, *handler;
};

/* Made by the first call, and never destroyed. */
const numpy &the_numpy() {
    static const numpy *const found = [] {
        nb::module_ module = nb::module_::import_("numpy");
        const bool is_old = nb::borrow<nb::str>(module.attr("__version__")).c_str()[0] == '1';
        nb::object table =
            nb::module_::import_(is_old ? "numpy.core._multiarray_umath" : "numpy._core._multiarray_umath").attr("_ARRAY_API");
        nb::object make = module.attr("empty");
        void **functions = static_cast<void **>(PyCapsule_GetPointer(table.ptr(), nullptr));
        nb::object capsule = nb::steal(PyCapsule_New(&ours, "mem_handler", nullptr));
        if (!functions || !capsule.is_valid())
            nb::raise_python_error();
        return new numpy{reinterpret_cast<set_handler>(functions[SET_HANDLER]), make.release().ptr(), capsule.release().ptr()};
    }();
    return *found;
}

} // namespace

/* As numpy.empty. */
static nb::object empty(nb::handle shape, nb::handle dtype) {
    const numpy &in = the_numpy();
    PyObject *const before = in.set(in.handler);
    if (!before)
        nb::raise_python_error();
    PyObject *const made = PyObject_CallFunctionObjArgs(in.empty, shape.ptr(), dtype.ptr(), nullptr);
    nb::error_scope kept; /* of a failed call */
    PyObject *const mine = in.set(before);
    Py_DECREF(before);
    Py_XDECREF(mine);
    if (!mine)
        PyErr_Clear();
    return nb::steal(made);
}

void add_arrays(nb::module_ &module) {
    module.def(
        "empty",
        [](nb::handle shape, nb::handle dtype) {
            nb::object made = empty(shape, dtype);
            if (!made.is_valid())
                nb::raise_python_error();
            return made;
        },
        "shape"_a, "dtype"_a);
}
