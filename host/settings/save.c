/* Writing a file of one device: it is replaced whole, in one step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/settings/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A line of the file that is there: another device's section would be lost. */
static clmove_status keep_others(void *user, const clm_ini_line *line, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(line->header.at, INVALID_ARGUMENT, "%s: %.*s stands before the first header and would be lost; name another file",
            line->where, CLM_TEXT(line->key));
    REQUIRE(line->key.at || clm_ini_is_device(line->header, user), INVALID_ARGUMENT,
            "%s: [%.*s] would be lost; remove it or name another file", line->where, CLM_TEXT(line->header));
out:
    return status;
}

/* Makes the folders above a path, for this user alone: the specification of XDG. */
static bool make_folders(char *path) {
    bool done = true;
    for (char *slash = strchr(path + 1, '/'); slash && done; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        done = mkdir(path, 0700) == 0 || errno == EEXIST || errno == EISDIR;
        *slash = '/';
    }
    return done;
}

/* The new file has the old one's mode if owner and group are the same and there is no access control list. */
static bool take_mode(int file, const char *path, const struct stat *before) {
    struct stat now;
    if (fstat(file, &now) != 0)
        return false;
    const bool same =
        now.st_uid == before->st_uid && now.st_gid == before->st_gid && getxattr(path, "system.posix_acl_access", NULL, 0) <= 0;
    return !same || fchmod(file, before->st_mode & 0777) == 0;
}

clmove_status clm_config_write(const clm_config_file *of, const clmove_device_info *device, const char *path, const char *comment,
                               const char *lines, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char own[PATH_MAX], name[CLM_INI_DEVICE], *text = NULL, *real = NULL, *unfinished = NULL;
    size_t length = 0;
    struct stat before, link;
    struct rlimit limit;
    int file = -1;
    bool done = false;
    if (!path) {
        TRY(clm_config_path(of, device, own, sizeof own, error));
        path = own;
    }
    REQUIRE(*path, INVALID_ARGUMENT, "there is no %s to write, since %s is empty or there is no HOME", of->what, of->variable);
    clm_ini_device(device, name);
    REQUIRE(!strpbrk(name, "\r\n"), INVALID_ARGUMENT, "the name of the device has more than one line, so a file cannot name it");
    const bool is_there = stat(path, &before) == 0;
    REQUIRE(!is_there || S_ISREG(before.st_mode), INVALID_ARGUMENT, "%.300s is no regular file, and is not replaced by one",
            path);
    REQUIRE(is_there || lstat(path, &link) != 0, INVALID_ARGUMENT,
            "%.300s is a symbolic link to nothing; remove it or name another file", path);
    TRY(clm_config_read_path(of, path, &text, &length, error));
    if (text)
        TRY(clm_ini_read(text, length, path, keep_others, (void *)device, error));
    /* A write beyond this limit would end the process. */
    const size_t bytes = strlen(name) + strlen(comment) + strlen(lines) + strlen("[device ]\n# \n");
    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes, INVALID_ARGUMENT,
            "%.300s, a %s, takes %zu bytes, more than the process may write to a file", path, of->what, bytes);
    real = is_there ? realpath(path, NULL) : strdup(path); /* what a link leads to is replaced, and the link stays */
    REQUIRE(real || errno == ENOMEM, INVALID_ARGUMENT, "%.300s, a %s, cannot be written: %s", path, of->what, strerror(errno));
    REQUIRE(real && asprintf(&unfinished, "%s.XXXXXX", real) >= 0, OUT_OF_MEMORY, "no memory for a path");
    if (make_folders(real))
        file = mkostemp(unfinished, O_CLOEXEC);
    done = file >= 0 && (!is_there || take_mode(file, real, &before)) &&
           dprintf(file, "[device %s]\n# %s\n%s", name, comment, lines) >= 0 && fsync(file) == 0;
    done = done && rename(unfinished, real) == 0;
    REQUIRE(done, INVALID_ARGUMENT, "%.300s, a %s, cannot be written: %s", path, of->what, strerror(errno));
out:
    if (file >= 0) {
        close(file);
        if (!done)
            unlink(unfinished);
    }
    free(unfinished);
    free(real);
    free(text);
    return status;
}
