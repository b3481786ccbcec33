/* See tune_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/tune/file.h"

#include "host/tools/common/message.h"
#include "host/tools/common/permissions.h"
#include "host/tools/common/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line without the white space around it. */
typedef struct line {
    const char *at;
    size_t length;
} line;

static line trimmed(const char *start, const char *end) {
    while (start < end && strchr(" \t\r\n", *start))
        start++;
    while (end > start && strchr(" \t\r\n", end[-1]))
        end--;
    return (line){start, (size_t)(end - start)};
}

static const char *after_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

/* What stands between the brackets of a header. */
static line inside(line header) {
    return trimmed(header.at + 1, header.at + header.length - 1);
}

static bool is_header(line text, const char *header) {
    line wanted = inside((line){header, strlen(header)}), found;
    if (text.length < 2 || text.at[0] != '[')
        return false;
    found = inside(text);
    /* "device" and the name may have more white space between them. */
    static const char word[] = "device";
    if (found.length <= sizeof word || memcmp(found.at, word, sizeof word - 1) != 0)
        return false;
    found = trimmed(found.at + sizeof word - 1, found.at + found.length);
    wanted = trimmed(wanted.at + sizeof word - 1, wanted.at + wanted.length);
    return found.length == wanted.length && memcmp(found.at, wanted.at, wanted.length) == 0;
}

/* Where the section is, from its header to the end of its last key; both at the end of the text where there is none. */
static void find_section(const char *text, const char *header, const char **start, const char **end) {
    bool is_inside = false;
    *start = *end = text + strlen(text);
    for (const char *at = text; *at; at = after_line(at)) {
        line it = trimmed(at, after_line(at));
        bool is_a_header = it.length > 0 && it.at[0] == '[';
        if (is_a_header && is_inside)
            return;
        if (is_a_header && is_header(it, header)) {
            is_inside = true;
            *start = at;
            *end = after_line(at);
        } else if (is_inside && it.length > 0 && it.at[0] != '#')
            *end = after_line(at);
    }
}

static void drop_sections(char *text, const char *header) {
    const char *start, *end;
    for (find_section(text, header, &start, &end); *start; find_section(text, header, &start, &end))
        memmove(text + (start - text), end, strlen(end) + 1);
}

char *tune_file_edit(const char *text, const char *header, const char *body) {
    const char *start, *end;
    char *edited = NULL;
    find_section(text, header, &start, &end);
    bool is_new = *start == '\0';
    const char *gap = !is_new || start == text ? "" : start[-1] == '\n' ? "\n" : "\n\n";
    char *rest = strdup(end);
    if (!rest)
        return NULL;
    drop_sections(rest, header); /* the next one would go over what is written, or against it */
    if (asprintf(&edited, "%.*s%s%s\n%s%s", (int)(start - text), text, gap, header, body, rest) < 0)
        edited = NULL;
    free(rest);
    return edited;
}

static bool refuse(const char *path, const char *what) {
    failed("%s: %s: %s", path, what, strerror(errno));
    return false;
}

/* Everything in a file that need not be there. NULL: a sentence has been printed. */
static char *read_all(const char *path) {
    char *text = NULL;
    size_t capacity = 0;
    FILE *file = fopen(path, "re");
    if (!file && errno == ENOENT)
        return strdup("");
    if (!file || (getdelim(&text, &capacity, '\0', file) < 0 && ferror(file))) {
        refuse(path, "cannot be read");
        free(text);
        text = NULL;
    } else if (!text || feof(file) == 0) { /* the library refuses such a file before */
        free(text);
        text = strdup("");
    }
    if (file)
        fclose(file);
    return text;
}

/* Makes the folders above a path. */
static bool make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool is_made = mkdir(path, 0700) == 0 || errno == EEXIST || errno == EISDIR; /* 0700: the specification of XDG */
        if (!is_made)
            refuse(path, "cannot be made");
        *slash = '/';
        if (!is_made)
            return false;
    }
    return true;
}

static bool write_all(int file, const char *text, size_t length) {
    while (length > 0) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return fsync(file) == 0;
}

/* The file that is written, to be freed: where a path is a link, what that leads to. */
static char *real_path(const char *path) {
    char *real = realpath(path, NULL);
    return real ? real : strdup(path);
}

/* A new file beside the path; -1: a sentence has been printed. */
static int create_beside(char *path, mode_t mode) {
    char *slash = strrchr(path, '/');
    if (slash && !make_folders(path))
        return -1;
    if (slash)
        *slash = '\0';
    int file = temporary_create(!slash ? "." : slash == path ? "/" : path, mode);
    if (slash)
        *slash = '/';
    if (file < 0)
        refuse(path, "its directory cannot be written");
    return file;
}

bool tune_file_prepare(const char *path) {
    char *real = real_path(path);
    size_t length = strlen(path);
    struct stat there;
    int file = -1;
    if (!real)
        failed("%s: cannot be written: there is no memory", path);
    else if (length > 0 && path[length - 1] == '/')
        failed("%s: is not the name of a file", path);
    else if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) /* which renaming would put a file in the place of */
        failed("%s: is no regular file, and is not replaced by one", path);
    else
        file = create_beside(real, 0600);
    if (file >= 0)
        close(file);
    temporary_remove();
    free(real);
    return file >= 0;
}

static bool write_beside(char *path, const char *text) {
    struct stat before;
    bool is_there = stat(path, &before) == 0;
    int file = create_beside(path, is_there ? 0600 : 0666);
    if (file < 0)
        return false;
    bool done = (!is_there || permissions_take(file, path, &before)) && write_all(file, text, strlen(text));
    if (!done)
        refuse(path, "cannot be written");
    close(file);
    if (!done)
        temporary_remove();
    return done;
}

bool tune_file_stage(const char *path, const char *header, const char *body) {
    char *text = read_all(path), *edited = NULL, *real = NULL;
    bool done = false;
    if (text) {
        edited = tune_file_edit(text, header, body);
        real = real_path(path);
        if (edited && real)
            done = write_beside(real, edited);
        else
            failed("%s: cannot be written: there is no memory", path);
    }
    free(text);
    free(edited);
    free(real);
    return done;
}

bool tune_file_commit(const char *path) {
    char *real = real_path(path);
    bool done = real && temporary_keep(real) == 0;
    if (!done)
        refuse(path, "cannot be written");
    temporary_remove();
    free(real);
    return done;
}

void tune_file_discard(void) {
    temporary_remove();
}
