/* The paths and the content of the user's files in $XDG_CONFIG_HOME/clmove or ~/.config/clmove.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SETTINGS_FILE_H
#define CLMOVE_HOST_SETTINGS_FILE_H

#include "host/error.h"

/* One of the user's files. */
typedef struct clm_config_file {
    /* Such as "tuning.conf". */
    const char *name;
    /* The environment variable that names another file. An empty variable means no file. */
    const char *variable;
    /* For sentences, such as "file of tunings". */
    const char *what;
    /* A file that the variable names need not exist. The default file never needs to. */
    bool may_lack;
} clm_config_file;

/* Writes the path as clmove_tuning_path does. */
clmove_status clm_config_path(const clm_config_file *file, char *path, size_t capacity, clmove_error *error);

/* Reads a file. path: PATH_MAX bytes, for its path. *text is the caller's, to be freed; NULL if there is no file and need not be
 * one. Raises INVALID_ARGUMENT if the file cannot be read or has more than 64 KiB, and OUT_OF_MEMORY. */
clmove_status clm_config_read(const clm_config_file *file, char *path, char **text, size_t *length, clmove_error *error);

#endif
