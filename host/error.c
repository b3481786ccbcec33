/* SPDX-License-Identifier: Apache-2.0 */
#include "host/error.h"

#include <stdarg.h>
#include <stdio.h>

#define STRINGIFY_VALUE(x) #x
#define STRINGIFY(x) STRINGIFY_VALUE(x)

clmove_status clm_raise(clmove_error *error, clmove_status status, int32_t device_code, const char *format, ...) {
    if (error) {
        error->status = status;
        error->device_code = device_code;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

const char *clmove_status_text(clmove_status status) {
    static const char *const texts[] = {
#define STATUS_TEXT(name, text) text,
        CLMOVE_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    size_t index = (size_t)status;
    return index < sizeof texts / sizeof *texts ? texts[index] : "unknown status";
}

const char *clmove_version(void) {
    return STRINGIFY(CLMOVE_VERSION_MAJOR) "." STRINGIFY(CLMOVE_VERSION_MINOR) "." STRINGIFY(CLMOVE_VERSION_PATCH);
}
