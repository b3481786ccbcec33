/* clmove: the tuning of a device, which decides how work is cut: the values in force, their origins, and the user's file.
 *
 * clmove/clmove.h states what holds for all headers, thread-safety above all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TUNING_H
#define CLMOVE_TUNING_H

#include <clmove/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The origin of a value. Each origin overrides those before it. */
typedef enum clmove_tuning_origin {
    /* The built-in table, by class of device. */
    CLMOVE_TUNING_BUILT_IN,
    /* A file: of clmove_tuning_path, or of clmove_device_get_tuning_path. */
    CLMOVE_TUNING_FROM_FILE,
    /* The environment variable CLMOVE_TUNING. */
    CLMOVE_TUNING_ENVIRONMENT,
    /* clmove_device_params.tuning */
    CLMOVE_TUNING_PARAMS,
} clmove_tuning_origin;

/* A number that decides how work is cut on a device. It changes the time, never the bytes. */
typedef struct clmove_tuning_value {
    /* sizeof(clmove_tuning_value) */
    size_t struct_size;
    /* A static string. */
    const char *key;
    /* The value in force. In bytes if the key ends with _bytes. */
    int64_t value;
    /* The bounds. */
    int64_t least, most;
    clmove_tuning_origin origin;
    /* The meaning of the key. A static string. */
    const char *what;
} clmove_tuning_value;

/* The tuning of an open device: the keys of its class (host; cpu: an OpenCL CPU; gpu: any other).
 * Shapes and units: writes at most capacity entries, and the number of keys to *count. values may be NULL if capacity is 0. The
 * struct_size of the first entry holds for all entries, and is written to all.
 * Ownership: the array is the caller's.
 * Errors: INVALID_ARGUMENT. */
CLMOVE_API clmove_status clmove_device_get_tuning(const clmove_device *device, clmove_tuning_value *values, int64_t capacity,
                                                  int64_t *count, clmove_error *error);

/* The file from which clmove_device_open reads tunings of all devices. It is the one that the environment variable
 * CLMOVE_TUNING_FILE names; an empty variable means no file. Without the variable it is clmove/tuning.conf in XDG_CONFIG_HOME, if
 * that is an absolute path, or in HOME/.config; this file need not exist.
 *
 * The file has lines "key = value" below headers [class host], [class cpu], [class gpu] or [device NAME | DRIVER]. Name and
 * driver are those of clmove_device_info; for the host the header is [device host]. A device's section overrides its class's.
 * Lines that begin with # or ; are comments. Other lines, unknown keys, and values out of bounds are errors.
 * Shapes and units: writes at most capacity bytes, the final 0 included. "": there is no such file.
 * Ownership: path is the caller's.
 * Errors: INVALID_ARGUMENT (the path does not fit). */
CLMOVE_API clmove_status clmove_tuning_path(char *path, size_t capacity, clmove_error *error);

/* The file of one device, which is read after clmove_tuning_path's and overrides it. clmove tune writes it whole. It is in the
 * folder clmove/tuning beside clmove/tuning.conf, need not exist, and must have the section of the device. If the variable
 * CLMOVE_TUNING_FILE is set, this is the file that it names.
 * Shapes and units, ownership: as clmove_tuning_path.
 * Errors: INVALID_ARGUMENT (NULL, the path does not fit). */
CLMOVE_API clmove_status clmove_device_get_tuning_path(const clmove_device *device, char *path, size_t capacity,
                                                       clmove_error *error);

#ifdef __cplusplus
}
#endif
#endif
