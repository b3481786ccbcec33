/* clmove: the version, and what a call returns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_STATUS_H
#define CLMOVE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(CLMOVE_STATIC)
#define CLMOVE_API
#else
#define CLMOVE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CLMOVE_VERSION_MAJOR 0
#define CLMOVE_VERSION_MINOR 2
#define CLMOVE_VERSION_PATCH 0

/* The version of the library that is loaded, such as "0.2.0". A static string. */
CLMOVE_API const char *clmove_version(void);

/* Every status.
 * INVALID_ARGUMENT: NULL, a negative count, an unknown enumerator, an environment variable or a file without a meaning.
 * BAD_SHAPE: a rank, dimension, block size or repeat that the operator does not allow.
 * OVERFLOW: a size does not fit in int64_t bytes.
 * UNSUPPORTED: no single map can express it, or a forced variant or index width does not fit.
 * BAD_BUFFER: too small, of another device, mapped, or overlapping.
 * NO_DEVICE: nothing matches the selector.
 * OUT_OF_MEMORY: of the host, of the device, or beyond the device's limits or budget.
 * BUILD_FAILED: the driver refused a kernel; the text has the build log.
 * DEVICE_FAILED: another OpenCL call failed, or the device moved wrong bytes.
 * CANCELLED: a progress callback returned false. */
#define CLMOVE_STATUS_LIST(X)                                                                                                    \
    X(OK, "ok")                                                                                                                  \
    X(INVALID_ARGUMENT, "invalid argument")                                                                                      \
    X(BAD_SHAPE, "bad shape")                                                                                                    \
    X(OVERFLOW, "overflow")                                                                                                      \
    X(UNSUPPORTED, "unsupported")                                                                                                \
    X(BAD_BUFFER, "bad buffer")                                                                                                  \
    X(NO_DEVICE, "no device")                                                                                                    \
    X(OUT_OF_MEMORY, "out of memory")                                                                                            \
    X(BUILD_FAILED, "build failed")                                                                                              \
    X(DEVICE_FAILED, "device failed")                                                                                            \
    X(CANCELLED, "cancelled")

typedef enum clmove_status {
#define CLMOVE_STATUS_ENUMERATOR(name, text) CLMOVE_##name,
    CLMOVE_STATUS_LIST(CLMOVE_STATUS_ENUMERATOR)
#undef CLMOVE_STATUS_ENUMERATOR
} clmove_status;

/* The text of a status, such as "bad shape"; "unknown status" for any other number. A static string. */
CLMOVE_API const char *clmove_status_text(clmove_status status);

/* Why a call failed. A call that succeeds does not write it. Owned by the caller. */
typedef struct clmove_error {
    /* What the call returned. */
    clmove_status status;
    /* OpenCL's error code. 0: OpenCL was not involved. */
    int32_t device_code;
    /* One sentence with the numbers: "dimension 3 is 7, not a multiple of block size 2". */
    char text[512];
} clmove_error;

#ifdef __cplusplus
}
#endif
#endif
