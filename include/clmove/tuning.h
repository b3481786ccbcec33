/* clmove: the tuning, which decides how work is cut on a device: the values in force, their origins, and the user's file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TUNING_H
#define CLMOVE_TUNING_H

#include <clmove/clmove.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a value comes from. Each origin overrides those before it. */
typedef enum clmove_tuning_origin {
    CLMOVE_TUNING_BUILT_IN,
    CLMOVE_TUNING_FILE,        /* a file: clmove_tuning_path's, or the device's own */
    CLMOVE_TUNING_ENVIRONMENT, /* CLMOVE_TUNING */
    CLMOVE_TUNING_PARAMS,      /* clmove_device_params.tuning */
} clmove_tuning_origin;

/* A number that decides how work is cut on a device. It changes the time, never the bytes. */
typedef struct clmove_tuning_value {
    size_t struct_size;  /* sizeof(clmove_tuning_value) */
    const char *key;     /* a static string */
    int64_t value;       /* in force; bytes where the key ends with _bytes */
    int64_t least, most; /* the bounds */
    clmove_tuning_origin origin;
    const char *what; /* what it means; a static string */
} clmove_tuning_value;

/* How work is cut on an open device: the keys that its class (host; cpu: an OpenCL CPU; gpu: any other) has.
 * Shapes and units: writes at most capacity entries, and to *count how many there are; values may be NULL when capacity is 0. The
 * struct_size of the first entry counts for all, and is written to all.
 * Ownership: the caller's array.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_tuning(const clmove_device *device, clmove_tuning_value *values, size_t capacity,
                                                  size_t *count, clmove_error *error);

/* Which file clmove_device_open reads tunings from, for all devices: the one that the environment variable CLMOVE_TUNING_FILE
 * names (none when it is empty), else clmove/tuning.conf in XDG_CONFIG_HOME (when that is absolute) or HOME/.config, which need
 * not be there.
 *
 * It is INI: lines key = value below headers [class host], [class cpu], [class gpu] or [device NAME | DRIVER], with name and
 * driver as clmove_device_info has them ([device host] for the host). A device's section overrides its class's. Lines that begin
 * with # or ; are comments. Anything else is an error, as are unknown keys and values out of bounds.
 * Shapes and units: writes at most capacity bytes, the final 0 included; "" when there is no such file.
 * Ownership: the caller's path.
 * Errors: INVALID_ARGUMENT (there is no room).
 * Thread-safety: while no thread changes the environment. */
CLMOVE_API clmove_status clmove_tuning_path(char *path, size_t capacity, clmove_error *error);

/* The file of one device, which is read after that one and overrides it; clmove tune writes it whole. It is in the folder
 * clmove/tuning beside clmove/tuning.conf, need not be there, and must have the section of the device. Where CLMOVE_TUNING_FILE
 * is set this is the same file as clmove_tuning_path's. All else is as there. */
CLMOVE_API clmove_status clmove_device_get_tuning_path(const clmove_device *device, char *path, size_t capacity,
                                                       clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
