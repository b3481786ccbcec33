/* See file.h. Lines are not read by libinih, of which release 55 (Debian 12) reads what is longer than 199 bytes as another line,
 * cuts headers after 49 bytes and at their first ], and ignores what follows that: with checks for all of it clm_ini_read has 46
 * lines, not 23.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/settings/file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A larger file is refused. */
#define MOST_BYTES 65536

/* Of the name of a file, its folder and final 0 included. */
#define MOST_NAME 100

/* NAME/DEVICE-DRIVER-HASH.ini, of letters that every file system has. The host's has no hash, and no other device's has none. */
static void name_file(const clm_config_file *file, const clmove_device_info *device, char name[MOST_NAME]) {
    char true_name[CLM_INI_DEVICE];
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    int length = snprintf(name, MOST_NAME, "%s/", file->name);
    for (const char *at = clm_ini_device(device, true_name); *at; at++) {
        bool is_plain = (*at >= '0' && *at <= '9') || ((*at | 32) >= 'a' && (*at | 32) <= 'z') || *at == '.' || *at == '_';
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
        if (length < MOST_NAME - 24 && (is_plain || name[length - 1] != '-'))
            name[length++] = is_plain ? *at : '-';
    }
    if (device->type == CLMOVE_DEVICE_HOST)
        snprintf(name + length, (size_t)(MOST_NAME - length), ".ini");
    else
        snprintf(name + length, (size_t)(MOST_NAME - length), "-%016" PRIx64 ".ini", hash);
}

clmove_status clm_config_path(const clm_config_file *file, const clmove_device_info *device, char *path, size_t capacity,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char name[MOST_NAME];
    const char *named = getenv(file->variable), *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char found[PATH_MAX] = "";
    int length = 0;
    REQUIRE(path && capacity > 0, INVALID_ARGUMENT, "there is no room for the path");
    if (device)
        name_file(file, device, name);
    else
        snprintf(name, sizeof name, "%s.conf", file->name);
    if (named)
        length = snprintf(found, sizeof found, "%s", named);
    else if (config && config[0] == '/') /* the specification: a relative one is to be ignored */
        length = snprintf(found, sizeof found, "%s/clmove/%s", config, name);
    else if (home && home[0] == '/')
        length = snprintf(found, sizeof found, "%s/.config/clmove/%s", home, name);
    REQUIRE((size_t)length < sizeof found, INVALID_ARGUMENT, "the path of the %s has %d bytes, and may have %zu", file->what,
            length, sizeof found - 1);
    REQUIRE((size_t)length < capacity, INVALID_ARGUMENT, "the path has %d bytes and a final 0, and there is room for %zu", length,
            capacity);
    memcpy(path, found, (size_t)length + 1);
out:
    return status;
}

bool clm_config_may_have_an_end(const char *path) {
    struct stat status, null;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode) ||
           (S_ISCHR(status.st_mode) && stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev);
}

clmove_status clm_config_read_path(const clm_config_file *of, const char *path, char **text, size_t *length,
                                   clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char *content = NULL;
    FILE *file = NULL;
    REQUIRE(clm_config_may_have_an_end(path), INVALID_ARGUMENT, "%.300s cannot be a %s: it is no regular file", path, of->what);
    file = fopen(path, "re");
    if (!file && (errno == ENOENT || errno == ENOTDIR))
        goto out;
    REQUIRE(file, INVALID_ARGUMENT, "%.300s, a %s, cannot be read: %s", path, of->what, strerror(errno));
    content = malloc(MOST_BYTES + 1);
    REQUIRE(content, OUT_OF_MEMORY, "no memory for the %s", of->what);
    *length = fread(content, 1, MOST_BYTES + 1, file);
    REQUIRE(!ferror(file), INVALID_ARGUMENT, "%.300s, a %s, cannot be read: %s", path, of->what, strerror(errno));
    REQUIRE(*length <= MOST_BYTES, INVALID_ARGUMENT, "%.300s has more than %d bytes: it is no %s", path, MOST_BYTES, of->what);
    *text = content;
    content = NULL;
out:
    if (file)
        fclose(file);
    free(content);
    return status;
}

clmove_status clm_config_read(const clm_config_file *from, const clmove_device_info *device, char *path, char **text,
                              size_t *length, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    struct stat there;
    TRY(clm_config_path(from, device, path, PATH_MAX, error));
    if (!*path || (device && getenv(from->variable)))
        goto out;
    /* A folder that may not be entered, such as the home of another user in a container, has no file for this one. */
    if (!getenv(from->variable) && stat(path, &there) != 0 && errno == EACCES)
        goto out;
    TRY(clm_config_read_path(from, path, text, length, error));
    REQUIRE(*text || from->may_lack || !getenv(from->variable), INVALID_ARGUMENT, "%.300s, a %s, cannot be read: %s", path,
            from->what, strerror(ENOENT));
out:
    return status;
}

/* ---- lines ---- */

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
