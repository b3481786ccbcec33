/* The user's files below $XDG_CONFIG_HOME/clmove, or ~/.config/clmove: where they are, and what is in them. Of each kind there is
 * NAME.conf, in which a user may write for classes and several devices, and for each device NAME/DEVICE.ini, which the command
 * writes and replaces whole. A variable of the environment names one file instead of all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SETTINGS_FILE_H
#define CLMOVE_HOST_SETTINGS_FILE_H

#include "host/error.h"

/* One of the user's files. */
typedef struct clm_config_file {
    const char *name;     /* "tuning" */
    const char *variable; /* of the environment, which names another file, or none when it is empty */
    const char *what;     /* "file of tunings", for sentences */
    bool may_lack;        /* a file that the variable names need not be there either */
} clm_config_file;

/* Writes the path of a device's own file, or with NULL that of the file for all, as clmove_tuning_path does; where the variable
 * is set both are the file that it names. The name of a device's file has a hash, which keeps apart what has the same letters. */
clmove_status clm_config_path(const clm_config_file *file, const clmove_device_info *device, char *path, size_t capacity,
                              clmove_error *error);

/* The path, in PATH_MAX bytes, and the content, which the caller frees; NULL where there is no file and need not be one, and for
 * a device where the variable is set. Raises INVALID_ARGUMENT where it cannot be read or has more than 64 KiB, and OUT_OF_MEMORY.
 */
clmove_status clm_config_read(const clm_config_file *file, const clmove_device_info *device, char *path, char **text,
                              size_t *length, clmove_error *error);

#endif
