/* See file.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/measured/file.h"

#include "host/tools/common/message.h"
#include "host/tools/common/permissions.h"
#include "host/tools/common/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <clmove/clmove.h>

static bool refuse(const char *path, const char *what) {
    return refused("%s: %s: %s", path, what, strerror(errno));
}

/* Whether a file, which need not be there, has comments, keys and this header, and nothing else. */
static bool has_no_other(const char *path, const char *header) {
    char *line = NULL;
    size_t capacity = 0;
    bool is_ours = true;
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT || errno == ENOTDIR || refuse(path, "cannot be read");
    while (is_ours && getline(&line, &capacity, file) > 0) {
        char *start = line + strspn(line, " \t");
        for (size_t end = strlen(start); end > 0 && strchr(" \t\r\n", start[end - 1]); end--)
            start[end - 1] = '\0';
        is_ours = strchr("#;", *start) || (*start == '[' ? strcmp(start, header) == 0 : strchr(start, '=') != NULL);
        if (!is_ours)
            failed("%s: has \"%.300s\", which would be lost; remove it or name another file", path, start);
    }
    free(line);
    fclose(file);
    return is_ours;
}

/* Makes the folders above a path. */
static bool make_folders(char *path) {
    bool done = true;
    for (char *slash = strchr(path + 1, '/'); slash && done; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        done = mkdir(path, 0700) == 0 || errno == EEXIST || errno == EISDIR || /* 0700: the specification of XDG */
               refuse(path, "cannot be made");
        *slash = '/';
    }
    return done;
}

/* The file that is written, to be freed: where a path is a link, what that leads to. */
static char *real_path(const char *path) {
    char *real = realpath(path, NULL);
    return real ? real : strdup(path);
}

/* A new file beside the path; -1: a sentence has been printed. */
static int create_beside(char *path, mode_t mode) {
    if (!make_folders(path))
        return -1;
    int file = temporary_create(path, mode);
    if (file < 0)
        refuse(path, "its folder cannot be written");
    return file;
}

bool measured_file_prepare(const char *path, const char *header, const char *none) {
    char *real = real_path(path);
    size_t length = strlen(path);
    struct stat there;
    const bool is_there = stat(path, &there) == 0, is_regular = is_there && S_ISREG(there.st_mode);
    int file = -1;
    if (length == 0)
        failed("there is no file to keep it in, since %s", none);
    else if (strpbrk(header, "\r\n"))
        failed("the name of the device has more than one line, so a file cannot name it");
    else if (!real)
        failed("%s: cannot be written: there is no memory", path);
    else if (path[length - 1] == '/')
        failed("%s: is not the name of a file", path);
    else if (!is_there && lstat(path, &there) == 0)
        failed("%s: is a symbolic link to nothing; remove it or name another file", path);
    else if (is_there && !is_regular) /* which renaming would put a file in the place of */
        failed("%s: is no regular file, and is not replaced by one", path);
    else if (has_no_other(path, header))
        file = create_beside(real, 0600);
    if (file >= 0)
        close(file);
    temporary_remove();
    free(real);
    return file >= 0;
}

bool measured_file_stage(const char *path, const char *header, const char *command, const char *body) {
    char date[16] = "", *real = real_path(path);
    time_t seconds = time(NULL);
    struct tm day;
    struct stat before;
    bool is_there = stat(path, &before) == 0;
    if (localtime_r(&seconds, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    int file = real ? create_beside(real, is_there ? 0600 : 0666) : -1;
    bool done = file >= 0 && (!is_there || permissions_take(file, real, &before)) &&
                dprintf(file, "%s\n# clmove %s %s, %s\n%s", header, clmove_version(), command, date, body) >= 0 &&
                fsync(file) == 0;
    if (!done && (file >= 0 || !real))
        refuse(path, "cannot be written");
    if (file >= 0)
        close(file);
    if (!done)
        temporary_remove();
    free(real);
    return done;
}

bool measured_file_end(const char *path, bool is_kept) {
    char *real = real_path(path);
    bool done = is_kept && ((real && temporary_keep(real) == 0) || refuse(path, "cannot be written"));
    temporary_remove();
    free(real);
    return done;
}
