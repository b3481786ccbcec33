/* See permissions.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/permissions.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A folder may have given the new file a list of its own. False: the files' lists differ. */
static bool take_list(int file, const char *path) {
    static const char list[] = "system.posix_acl_access";
    ssize_t length = getxattr(path, list, NULL, 0);
    if (length < 0)
        return (errno == ENODATA || errno == ENOTSUP) && (fremovexattr(file, list) == 0 || errno == ENODATA || errno == ENOTSUP);
    char *text = malloc((size_t)length + 1);
    ssize_t got = text ? getxattr(path, list, text, (size_t)length) : -1;
    bool done = got == length && fsetxattr(file, list, text, (size_t)length, 0) == 0;
    free(text);
    if (!done)
        fremovexattr(file, list);
    return done;
}

bool permissions_take(int file, const char *path, const struct stat *before) {
    struct stat now;
    /* Only root gives files away; a group of one's own may be given. */
    if (fchown(file, before->st_uid, before->st_gid) != 0 && fchown(file, (uid_t)-1, before->st_gid) != 0 && errno != EPERM &&
        errno != EINVAL)
        return false;
    if (fstat(file, &now) != 0)
        return false;
    mode_t owner = before->st_mode >> 6 & 7, group = before->st_mode >> 3 & 7, others = before->st_mode & 7;
    bool same_list = take_list(file, path);
    /* Members of one group were others before, and the other way round: both may do what both might. */
    if (now.st_gid != before->st_gid || !same_list)
        group = others = group & others;
    /* So is the owner before. */
    if (now.st_uid != before->st_uid) {
        group &= owner;
        others &= owner;
    }
    return fchmod(file, owner << 6 | group << 3 | others) == 0;
}
