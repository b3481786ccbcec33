/* Stands for a library of OpenCL, and changes the source between its opening and its use: CLMOVE_TEST_MEDDLE is what happens to
 * the file src.npy when a device is looked for. That it has none of OpenCL's functions lets the host take over.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char path[] = "src.npy";

/* The text that stands in the header gives way to another of the same length. */
static int rewrite(const char *old, const char *new_text) {
    char header[128];
    int file = open(path, O_RDWR), done = 1;
    char *at = file >= 0 && pread(file, header, sizeof header, 0) == sizeof header
                   ? memmem(header, sizeof header, old, strlen(old))
                   : NULL;
    if (at)
        done = pwrite(file, new_text, strlen(new_text), at - header) < 0;
    close(file);
    return done;
}

__attribute__((constructor)) static void meddle(void) {
    const char *what = getenv("CLMOVE_TEST_MEDDLE");
    struct stat before;
    int failed = !what || stat(path, &before) != 0;
    if (failed)
        abort();
    if (strcmp(what, "empty") == 0)
        failed = truncate(path, 0);
    else if (strcmp(what, "shrink") == 0)
        failed = truncate(path, before.st_size - 1);
    else if (strcmp(what, "grow") == 0)
        failed = truncate(path, before.st_size + 1);
    else if (strcmp(what, "replace") == 0)
        failed = rename("other.npy", path);
    else
        failed = rewrite("(7, 9)", "(9, 7)") | rewrite("<f4", ">i4");
    if (strcmp(what, "rewrite silently") == 0) {
        const struct timespec times[] = {before.st_atim, before.st_mtim};
        failed |= utimensat(AT_FDCWD, path, times, 0);
    }
    if (failed)
        abort();
}
