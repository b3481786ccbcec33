/* INI files: lines `key = value` below headers in brackets, and comments, which begin with # or ;. Nothing is ignored: a file
 * that says something else than its author thinks is worse than none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SETTINGS_INI_H
#define CLMOVE_HOST_SETTINGS_INI_H

#include "host/error.h"
#include "host/settings/text.h"

/* Room for "NAME | DRIVER" and a final 0. */
enum { CLM_INI_DEVICE = sizeof((clmove_device_info *)NULL)->name + sizeof((clmove_device_info *)NULL)->driver + 4 };

typedef struct clm_ini_line {
    const char *where;   /* "PATH, line 7", for sentences */
    clm_text header;     /* the text in brackets above the line; at is NULL before the first header */
    clm_text key, value; /* key.at is NULL where the line is the header itself */
} clm_ini_line;

/* What is done with a line. Raises what is wrong with it. */
typedef clmove_status (*clm_ini_take)(void *user, const clm_ini_line *line, clmove_error *error);

/* Hands each header and each key to take, up to the first failure. what: the text, for sentences. Raises INVALID_ARGUMENT for a
 * line that is neither, and what take raises. */
clmove_status clm_ini_read(const char *text, size_t length, const char *what, clm_ini_take take, void *user, clmove_error *error);

/* "NAME | DRIVER", or "host", as the header [device NAME | DRIVER] has it. Returns device. */
const char *clm_ini_device(const clmove_device_info *info, char device[CLM_INI_DEVICE]);

/* Whether a header is that of a device. */
bool clm_ini_is_device(clm_text header, const clmove_device_info *info);

#endif
