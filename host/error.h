/* Raising and forwarding failures: three macros, one `out:` label a function, a sentence for the caller.
 *
 * A function that can fail has `clmove_status status = CLMOVE_OK;`, a parameter `clmove_error *error`, a label `out:` after which
 * it releases what it owns, and `return status;`. CL_TRY, the third macro, is in host/opencl/driver.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_ERROR_H
#define CLMOVE_HOST_ERROR_H

#include <clmove/clmove.h>

/* Fills *error, unless it is NULL, and returns status. The text is cut to fit. */
clmove_status clm_raise(clmove_error *error, clmove_status status, int32_t device_code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Forwards the failure of a call that filled *error. */
#define TRY(call)                                                                                                                \
    do {                                                                                                                         \
        status = (call);                                                                                                         \
        if (status != CLMOVE_OK)                                                                                                 \
            goto out;                                                                                                            \
    } while (0)

/* Raises CLMOVE_<name> with a sentence unless the condition holds. */
#define REQUIRE(condition, name, ...)                                                                                            \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            clm_raise(error, CLMOVE_##name, 0, __VA_ARGS__);                                                                     \
            status = CLMOVE_##name;                                                                                              \
            goto out;                                                                                                            \
        }                                                                                                                        \
    } while (0)

#endif
