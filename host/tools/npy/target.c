/* See target.h.
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
    return refused("%s: %s: %s", path, what, strerror(errno));
}

/* Finds out where the file goes, and what it replaces. */
static bool examine(tensor_target *target, const char *path, struct stat *before, bool *replaces) {
    struct stat link;
    size_t length = strlen(path);
    *replaces = stat(path, before) == 0;
    if (!*replaces && errno != ENOENT)
        return refuse(path, "cannot be written");
    if (!*replaces && length > 0 && path[length - 1] == '/')
        return refused("%s: is not the name of a file", path);
    if (!*replaces && lstat(path, &link) == 0)
        return refused("%s: is a symbolic link to nothing; remove it or give the name of a file", path);
    if (*replaces && S_ISDIR(before->st_mode))
        return refused("%s: is a folder; give the name of a file in it", path);
    if (*replaces && !S_ISREG(before->st_mode))
        return refused("%s: is not a regular file, and only a file can be written whole or not at all", path);
    if (*replaces && access(path, W_OK) != 0)
        return refuse(path, "cannot be replaced");
    target->path = *replaces ? realpath(path, NULL) : strdup(path);
    return target->path || refuse(path, "cannot be written");
}

/* posix_fallocate makes a full disk an error here, instead of a signal when the memory is written. 0, or what errno would be. */
static int reserve(int file, size_t bytes) {
    int code;
    do
        code = posix_fallocate(file, 0, (off_t)bytes);
    while (code == EINTR);
    if (code == EINVAL || code == EOPNOTSUPP)
        code = ftruncate(file, (off_t)bytes) == 0 ? 0 : errno;
    return code;
}

/* Makes the file and maps it. replaced: NULL if it replaces none. */
static bool make_file(tensor_target *target, const char *path, const struct stat *replaced, size_t header_bytes, uint64_t bytes) {
    const uint64_t total = bytes + header_bytes;
    if (total > PTRDIFF_MAX)
        return refused("%s: would have %" PRIu64 " bytes of data and a header, more than a file can have here", path, bytes);
    target->file = temporary_create(target->path, replaced ? 0600 : 0666);
    if (target->file < 0)
        return refuse(path, "its folder cannot be written");
    if (replaced && !permissions_take(target->file, target->path, replaced))
        return refuse(path, "cannot be given the permissions of the file it replaces");
    int code = reserve(target->file, (size_t)total);
    if (code != 0)
        return refused("%s: cannot be given its %" PRIu64 " bytes: %s", path, total, strerror(code));
    void *memory = mmap(NULL, (size_t)total, PROT_READ | PROT_WRITE, MAP_SHARED, target->file, 0);
    if (memory == MAP_FAILED)
        return refuse(path, "cannot be mapped into memory");
    target->memory = memory;
    target->memory_bytes = (size_t)total;
    target->data = (char *)memory + header_bytes;
    target->bytes = (size_t)bytes;
    return true;
}

bool tensor_target_create(tensor_target *target, const char *path, const npy_header *header, const clmove_map *map) {
    struct stat before;
    bool replaces = false;
    size_t header_bytes = 0;
    *target = (tensor_target){.file = -1};
    if (strcmp(path, "-") == 0)
        return refused(
            "-: the result goes to a file, since it is written whole or not at all; write ./- for a file of that name");
    if (!examine(target, path, &before, &replaces))
        return false;
    char *text = npy_format(header, (int32_t)clmove_map_rank(map), clmove_map_dims(map), &header_bytes);
    bool done = text ? make_file(target, path, replaces ? &before : NULL, header_bytes, (uint64_t)clmove_map_dst_bytes(map))
                     : refuse(path, "cannot be written");
    if (done)
        memcpy(target->memory, text, header_bytes);
    else
        tensor_target_discard(target);
    free(text);
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
        refuse(target->path, "cannot be written");
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
