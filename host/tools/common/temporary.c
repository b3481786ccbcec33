/* See temporary.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/temporary.h"

#include "host/tools/common/message.h"
#include "host/tools/common/progress.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 1000, MOST_ENTRIES = 65536 };

static char folder[PATH_MAX];        /* where the file is */
static char name[PATH_MAX];          /* its temporary name */
static volatile sig_atomic_t exists; /* it has that name */
static int held = -1;                /* the file once more, for its name and its lock */

/* SIGABRT: a driver may abort. */
static const int ENDING[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGABRT, SIGBUS};
enum { ENDINGS = sizeof ENDING / sizeof ENDING[0] };

static void end(int signal_number) {
    static atomic_flag ends = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&ends) && signal_number == SIGBUS)
        for (;;) /* workers meet the end of a file together, and one of them says so */
            pause();
    progress_interrupt();
    if (exists)
        unlink(name);
    if (signal_number == SIGBUS) {
        static const char text[] = "clmove: a file shrank or failed while it was in use; nothing was written\n";
        ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
        (void)ignored;
        _exit(STATUS_FAILED);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* What the parent chose to ignore, as nohup does, stays ignored. */
void temporary_catch_signals(void) {
    for (int i = 0; i < ENDINGS; i++) {
        struct sigaction now, wanted = {.sa_handler = end};
        sigemptyset(&wanted.sa_mask);
        if (sigaction(ENDING[i], NULL, &now) == 0 && (now.sa_handler != SIG_IGN || ENDING[i] == SIGBUS))
            sigaction(ENDING[i], &wanted, NULL);
    }
    /* A file above the limit set by ulimit -f is to be an error, not the end. */
    signal(SIGXFSZ, SIG_IGN);
}

/* Whether an open file is a regular one, and what a path leads to. */
static bool is_at(int file, int directory, const char *path) {
    struct stat opened, found;
    return fstat(file, &opened) == 0 && S_ISREG(opened.st_mode) && fstatat(directory, path, &found, 0) == 0 &&
           opened.st_dev == found.st_dev && opened.st_ino == found.st_ino;
}

static bool name_it(int number) {
    int length = snprintf(name, sizeof name, "%s/.clmove-%ld-%d.tmp", folder, (long)getpid(), number);
    if (length >= 0 && (size_t)length < sizeof name)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Whether a name is one that name_it gives. */
static bool is_ours(const char *entry) {
    int length = 0;
    sscanf(entry, ".clmove-%*[0-9]-%*[0-9].tmp%n", &length);
    return length > 0 && entry[length] == '\0';
}

/* The process that makes such a file locks it. If the lock can be had, that process is gone. */
static void remove_if_stale(int directory, const char *entry) {
    int file = openat(directory, entry, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_at(file, directory, entry))
        unlinkat(directory, entry, 0);
    close(file);
}

static void remove_stale(void) {
    DIR *all = opendir(folder);
    struct dirent *entry;
    if (!all)
        return;
    for (int i = 0; i < MOST_ENTRIES && (entry = readdir(all)); i++)
        if (is_ours(entry->d_name))
            remove_if_stale(dirfd(all), entry->d_name);
    closedir(all);
}

/* The path by which a file without a name can be given one. */
static void path_of(int file, char path[40]) {
    snprintf(path, 40, "/proc/self/fd/%d", file);
}

/* -1 where the file system has no files without names, or the system no way to name one later. */
static int create_unnamed(mode_t mode) {
    char path[40];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (file < 0)
        return -1;
    path_of(file, path);
    if (is_at(file, AT_FDCWD, path)) {
        flock(file, LOCK_EX | LOCK_NB); /* it may come to have a temporary name for a moment */
        return file;
    }
    close(file);
    return -1;
}

/* A process that looks for stale files may come between the making and the lock; then the next name is tried. */
static int create_named(mode_t mode) {
    for (int i = 0; i < MOST_NAMES && name_it(i); i++) {
        int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file < 0 && errno != EEXIST)
            return -1;
        const bool is_locked = file >= 0 && (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
        if (is_locked && is_at(file, AT_FDCWD, name)) {
            exists = true;
            return file;
        }
        if (file >= 0)
            close(file);
    }
    return -1;
}

/* The signals that end the process wait while *before has what to go back to. */
static void hold_signals(sigset_t *before) {
    sigset_t endings;
    sigemptyset(&endings);
    for (int i = 0; i < ENDINGS; i++)
        sigaddset(&endings, ENDING[i]);
    sigprocmask(SIG_BLOCK, &endings, before);
}

int temporary_create(const char *path, mode_t mode) {
    sigset_t before;
    const char *slash = strrchr(path, '/');
    const int length = slash && slash != path ? (int)(slash - path) : 1; /* "/" and "." are one character long */
    if ((size_t)snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".") >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    temporary_catch_signals();
    remove_stale();
    hold_signals(&before);
    int file = create_unnamed(mode);
    if (file < 0)
        file = create_named(mode);
    int code = errno;
    if (file >= 0 && (held = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) < 0) {
        code = errno;
        close(file);
        file = -1;
        temporary_remove();
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return file;
}

/* Nothing can be linked over a name that is taken, but renamed. */
static bool give_name(void) {
    char from[40];
    path_of(held, from);
    for (int i = 0; i < MOST_NAMES && name_it(i); i++) {
        exists = linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
        if (exists || errno != EEXIST)
            return exists;
    }
    return false;
}

int temporary_keep(const char *path) {
    char from[40];
    sigset_t before;
    hold_signals(&before);
    path_of(held, from);
    bool done = !exists && linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
    if (!done && (exists || (errno == EEXIST && give_name()))) {
        done = rename(name, path) == 0;
        exists = !done;
    }
    int code = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return done ? 0 : -1;
}

void temporary_remove(void) {
    if (exists)
        unlink(name);
    exists = false;
    if (held >= 0)
        close(held);
    held = -1;
}
