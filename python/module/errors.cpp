/* Failures of the library become exceptions of clmove._errors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

#include <cstdio>
#include <cstring>

namespace nb = nanobind;

void fail(clmove_status status, const char *text) {
    failure made = {};
    made.error.status = status;
    std::snprintf(made.error.text, sizeof made.error.text, "%s", text);
    throw made;
}

static void translate(const std::exception_ptr &thrown, void *) {
    try {
        std::rethrow_exception(thrown);
    } catch (const failure &it) {
        try {
            nb::object make = nb::module_::import_("clmove._errors").attr("from_status");
            nb::object text =
                nb::steal(PyUnicode_DecodeUTF8(it.error.text, static_cast<Py_ssize_t>(std::strlen(it.error.text)), "replace"));
            nb::object raised = make(clmove_status_text(it.error.status), it.error.device_code, text);
            PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(raised.ptr())), raised.ptr());
        } catch (nb::python_error &other) { /* such as MemoryError */
            other.restore();
        }
    }
}

void add_errors(nb::module_ &module) {
    nb::register_exception_translator(translate);
    module.def("version", clmove_version);
}
