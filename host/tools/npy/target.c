/* See tensor_target.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/npy/target.h"

#include "host/tools/common/message.h"
#include "host/tools/common/permissions.h"
#include "host/tools/common/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(const char *path, const char *what) {
    failed("%s: %s", path, what);
    return false;
}

static bool refuse_errno(const char *path, const char *what, int code) {
    failed("%s: %s: %s", path, what, strerror(code));
    return false;
}

/* Finds out where the file goes, and what it replaces. */
static bool examine(tensor_target *target, const char *path, struct stat *before, bool *replaces) {
    struct stat status;
    size_t length = strlen(path);
    *replaces = stat(path, &status) == 0;
    *before = status;
    if (!*replaces && errno != ENOENT)
        return refuse_errno(path, "cannot be written", errno);
    if (!*replaces && length > 0 && path[length - 1] == '/')
        return refuse(path, "is not the name of a file");
    if (!*replaces && lstat(path, &status) == 0)
        return refuse(path, "is a symbolic link to nothing; remove it or give the name of a file");
    if (*replaces && S_ISDIR(status.st_mode))
        return refuse(path, "is a directory; give the name of a file in it");
    if (*replaces && !S_ISREG(status.st_mode))
        return refuse(path, "is not a regular file, and only a file can be written whole or not at all");
    if (*replaces && access(path, W_OK) != 0)
        return refuse_errno(path, "cannot be replaced", errno);
    target->path = *replaces ? realpath(path, NULL) : strdup(path);
    return target->path || refuse_errno(path, "cannot be written", errno);
}

/* posix_fallocate makes a full disk an error here, instead of a signal when the memory is written. */
static int reserve(int file, size_t bytes) {
    int code;
    do
        code = posix_fallocate(file, 0, (off_t)bytes);
    while (code == EINTR);
    if (code == EINVAL || code == EOPNOTSUPP)
        code = ftruncate(file, (off_t)bytes) == 0 ? 0 : errno;
    return code;
}

static bool open_beside(tensor_target *target, const char *path, const struct stat *replaced) {
    char *slash = strrchr(target->path, '/');
    char *directory = !slash                  ? strdup(".")
                      : slash == target->path ? strdup("/")
                                              : strndup(target->path, (size_t)(slash - target->path));
    if (!directory)
        return refuse_errno(path, "cannot be written", ENOMEM);
    target->file = temporary_create(directory, replaced ? 0600 : 0666);
    int code = errno;
    free(directory);
    if (target->file < 0)
        return refuse_errno(path, "its directory cannot be written", code);
    if (replaced && !permissions_take(target->file, target->path, replaced))
        return refuse_errno(path, "cannot be given the permissions of the file it replaces", errno);
    return true;
}

bool tensor_target_create(tensor_target *target, const char *path, const npy_header *header, int32_t rank, const int64_t *dims,
                          int64_t bytes) {
    *target = (tensor_target){.file = -1};
    struct stat before;
    bool replaces = false, done = false;
    size_t header_bytes = 0, total = 0;
    char *text = NULL;
    if (strcmp(path, "-") == 0)
        return refuse("-",
                      "the result goes to a file, since it is written whole or not at all; write ./- for a file of that name");
    if (!examine(target, path, &before, &replaces))
        goto out;
    text = npy_format(header, rank, dims, &header_bytes);
    if (!text) {
        refuse_errno(path, "cannot be written", ENOMEM);
        goto out;
    }
    if (__builtin_add_overflow((uint64_t)bytes, header_bytes, &total) || total > PTRDIFF_MAX) {
        failed("%s: would have %" PRId64 " bytes of data and a header, more than a file can have here", path, bytes);
        goto out;
    }
    if (!open_beside(target, path, replaces ? &before : NULL))
        goto out;
    int code = reserve(target->file, total);
    if (code != 0) {
        failed("%s: cannot be given its %zu bytes: %s", path, total, strerror(code));
        goto out;
    }
    target->memory = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED, target->file, 0);
    if (target->memory == MAP_FAILED) {
        target->memory = NULL;
        refuse_errno(path, "cannot be mapped into memory", errno);
        goto out;
    }
    target->memory_bytes = total;
    memcpy(target->memory, text, header_bytes);
    target->data = (char *)target->memory + header_bytes;
    target->bytes = (size_t)bytes;
    done = true;
out:
    free(text);
    if (!done)
        tensor_target_discard(target);
    return done;
}

void tensor_target_let_go(const tensor_target *target) {
    madvise(target->memory, target->memory_bytes, MADV_DONTNEED); /* shared: the file keeps what is dirty */
}

/* Like cp, this does not wait for the disk; what the system reports when the file is closed is looked at. */
bool tensor_target_commit(tensor_target *target) {
    int unmapped = munmap(target->memory, target->memory_bytes);
    target->memory = NULL;
    int file = target->file;
    target->file = -1;
    bool done = close(file) == 0 && unmapped == 0 && temporary_keep(target->path) == 0;
    if (!done)
        refuse_errno(target->path, "cannot be written", errno);
    tensor_target_discard(target);
    return done;
}

void tensor_target_discard(tensor_target *target) {
    if (target->memory)
        munmap(target->memory, target->memory_bytes);
    if (target->file >= 0)
        close(target->file);
    temporary_remove();
    free(target->path);
    *target = (tensor_target){.file = -1};
}
