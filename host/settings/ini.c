/* See ini.h. It is not libinih, of which release 55 (Debian 12) reads what is longer than 199 bytes as another line, cuts headers
 * after 49 bytes and at their first ], and ignores what follows that: with checks for all of it clm_ini_read has 46 lines,
 * not 23.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/settings/ini.h"

#include <stdio.h>

clmove_status clm_ini_read(const char *text, size_t length, const char *what, clm_ini_take take, void *user,
                           clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char where[224];
    clm_ini_line it = {.where = where};
    clm_text rest = {text, length}, line;
    for (int number = 1; clm_text_next(&rest, '\n', &line); number++) {
        line = clm_text_trim(line);
        if (line.length == 0 || line.at[0] == '#' || line.at[0] == ';')
            continue;
        snprintf(where, sizeof where, "%.180s, line %d", what, number);
        if (line.at[0] == '[') {
            REQUIRE(line.length > 1 && line.at[line.length - 1] == ']', INVALID_ARGUMENT, "%s: \"%.*s\" does not end with a ]",
                    where, CLM_TEXT(line));
            it.header = clm_text_trim((clm_text){line.at + 1, line.length - 2});
            it.key = it.value = (clm_text){NULL, 0};
        } else
            REQUIRE(clm_text_cut(line, &it.key, &it.value), INVALID_ARGUMENT,
                    "%s: \"%.*s\" is neither a header in brackets nor key = value", where, CLM_TEXT(line));
        TRY(take(user, &it, error));
    }
out:
    return status;
}

const char *clm_ini_device(const clmove_device_info *info, char device[CLM_INI_DEVICE]) {
    int length = snprintf(device, CLM_INI_DEVICE, "%s%s%s", info->name, info->driver[0] ? " | " : "", info->driver);
    clm_text inside = clm_text_trim((clm_text){device, (size_t)length});
    memmove(device, inside.at, inside.length);
    device[inside.length] = '\0';
    return device;
}

bool clm_ini_is_device(clm_text header, const clmove_device_info *info) {
    char device[CLM_INI_DEVICE];
    return clm_text_take_word(&header, "device") && clm_text_is(header, clm_ini_device(info, device));
}
