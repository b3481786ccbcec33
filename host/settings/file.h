/* The user's files below $XDG_CONFIG_HOME/clmove, or ~/.config/clmove: where they are, and what is in them. Of each kind there is
 * NAME.conf, in which a user may write for classes and several devices, and for each device NAME/DEVICE.ini, which the command
 * writes and replaces whole. A variable of the environment names one file instead of all of them.
 *
 * They are INI files: lines `key = value` below headers in brackets, and comments, which begin with # or ;. No other line is
 * accepted, so that a mistake is found when the file is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_SETTINGS_FILE_H
#define CLMOVE_HOST_SETTINGS_FILE_H

#include "host/error.h"

#include <string.h>

/* One of the user's files. */
typedef struct clm_config_file {
    /* "tuning". */
    const char *name;
    /* The environment variable that names another file, or none when it is empty. */
    const char *variable;
    /* "file of tunings", for sentences. */
    const char *what;
    /* A file that the variable names need not be there either. */
    bool may_lack;
} clm_config_file;

/* Whether it is a regular file or /dev/null, if it is there. A named pipe or a terminal may have no end. */
bool clm_config_may_have_an_end(const char *path);

/* Writes the path of a device's own file, or with NULL that of the file for all, as clmove_tuning_path does; where the variable
 * is set both are the file that it names. The name of a device's file ends with a hash, so that devices with similar names have
 * files of their own. */
clmove_status clm_config_path(const clm_config_file *file, const clmove_device_info *device, char *path, size_t capacity,
                              clmove_error *error);

/* The path, in PATH_MAX bytes, and the content, which the caller frees. The content is NULL if there is no file and none is
 * needed, if its folder may not be entered and the variable does not name it, and for a device if the variable is set. Raises
 * INVALID_ARGUMENT where it cannot be read or has more than 64 KiB, and OUT_OF_MEMORY.
 */
clmove_status clm_config_read(const clm_config_file *file, const clmove_device_info *device, char *path, char **text,
                              size_t *length, clmove_error *error);

/* The content of a file of such a kind, which the caller frees; *text is left alone where there is no file. Raises as
 * clm_config_read. */
clmove_status clm_config_read_path(const clm_config_file *of, const char *path, char **text, size_t *length, clmove_error *error);

/* Writes a device's file, with its header, a comment and these lines, to a path or, with NULL, to its own. Folders above it are
 * made. It is replaced in one step, or stays as it was. Raises INVALID_ARGUMENT where it cannot be written, is no regular file,
 * or has sections of other devices, and OUT_OF_MEMORY. save.c. */
clmove_status clm_config_write(const clm_config_file *of, const clmove_device_info *device, const char *path, const char *comment,
                               const char *lines, clmove_error *error);

/* ---- lines ---- */

/* A piece of a text, not ended by a 0. */
typedef struct clm_text {
    const char *at;
    size_t length;
} clm_text;

/* The arguments of %.*s for a piece, which is cut to 128 bytes. */
#define CLM_TEXT(piece) (int)((piece).length < 128 ? (piece).length : 128), (piece).at

/* Drops white space at both ends. */
static inline clm_text clm_text_trim(clm_text text) {
    while (text.length > 0 && strchr(" \t\r", text.at[0]) && text.at[0])
        text = (clm_text){text.at + 1, text.length - 1};
    while (text.length > 0 && strchr(" \t\r", text.at[text.length - 1]) && text.at[text.length - 1])
        text.length--;
    return text;
}

static inline bool clm_text_is(clm_text text, const char *word) {
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

/* Takes the next piece, up to a separator, from rest, and the separator too. False: there is none. */
static inline bool clm_text_next(clm_text *rest, char separator, clm_text *piece) {
    if (!rest->at)
        return false;
    const char *end = memchr(rest->at, separator, rest->length);
    *piece = (clm_text){rest->at, end ? (size_t)(end - rest->at) : rest->length};
    *rest = end ? (clm_text){end + 1, rest->length - piece->length - 1} : (clm_text){NULL, 0};
    return true;
}

/* Cuts key=value at the first equals sign. False: there is none. */
static inline bool clm_text_cut(clm_text text, clm_text *key, clm_text *value) {
    bool is_cut = clm_text_next(&text, '=', key) && text.at;
    *key = clm_text_trim(*key);
    *value = clm_text_trim(text);
    return is_cut;
}

/* Reads a whole number of decimal digits. False: it is none, or too large. */
static inline bool clm_text_number(clm_text text, int64_t *number) {
    *number = 0;
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] < '0' || text.at[i] > '9' || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, text.at[i] - '0', number))
            return false;
    return text.length > 0;
}

/* Whether text begins with a word and white space, which are taken from it. */
static inline bool clm_text_take_word(clm_text *text, const char *word) {
    size_t length = strlen(word);
    bool begins = text->length > length && memcmp(text->at, word, length) == 0 && strchr(" \t", text->at[length]);
    if (begins)
        *text = clm_text_trim((clm_text){text->at + length, text->length - length});
    return begins;
}

/* Room for "NAME | DRIVER" and a final 0. */
enum { CLM_INI_DEVICE = sizeof((clmove_device_info *)NULL)->name + sizeof((clmove_device_info *)NULL)->driver + 4 };

typedef struct clm_ini_line {
    /* "PATH, line 7", for sentences. */
    const char *where;
    /* The text in brackets above the line; at is NULL before the first header. */
    clm_text header;
    /* key.at is NULL where the line is the header itself. */
    clm_text key, value;
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
