/* What the files of the Python module share. The module has no function for those who use the package: python/clmove/ has.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_PYTHON_MODULE_H
#define CLMOVE_PYTHON_MODULE_H

#include <clmove/clmove.h>
#include <nanobind/nanobind.h>

/* What a call of the library says when it fails. It becomes the exception of clmove._errors that has this status. */
struct failure {
    clmove_error error;
};

/* Throws a failure with this sentence. */
[[noreturn]] void fail(clmove_status status, const char *text);

/* Throws a failure if status is none of success. */
inline void check(clmove_status status, const clmove_error &error) {
    if (status != CLMOVE_OK)
        throw failure{error};
}

struct map_object {
    clmove_map map;
};

void add_errors(nanobind::module_ &module);
void add_map(nanobind::module_ &module);
void add_device(nanobind::module_ &module);

#endif
