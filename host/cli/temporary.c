/* See temporary.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _FILE_OFFSET_BITS 64
#include "temporary.h"

#include "message.h"
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char name[PATH_MAX];
static volatile sig_atomic_t exists;

/* SIGABRT: a driver may abort. SIGBUS: memory mapped from a file cannot be had, because the file shrank or its disk failed. */
static const int ENDING[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGABRT, SIGBUS};
enum { ENDINGS = sizeof ENDING / sizeof ENDING[0] };

static void end(int signal_number) {
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
static void catch_signals(void) {
    for (int i = 0; i < ENDINGS; i++) {
        struct sigaction now, wanted = {.sa_handler = end};
        sigemptyset(&wanted.sa_mask);
        if (sigaction(ENDING[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(ENDING[i], &wanted, NULL);
    }
    /* A file above the limit set by ulimit -f is to be an error, not the end. */
    signal(SIGXFSZ, SIG_IGN);
}

int temporary_create(const char *directory, mode_t mode) {
    sigset_t endings, before;
    sigemptyset(&endings);
    for (int i = 0; i < ENDINGS; i++)
        sigaddset(&endings, ENDING[i]);
    catch_signals();
    sigprocmask(SIG_BLOCK, &endings, &before);
    int file = -1;
    for (int i = 0; i < 1000; i++) {
        int length = snprintf(name, sizeof name, "%s/.clmove-%ld-%d.tmp", directory, (long)getpid(), i);
        if (length < 0 || (size_t)length >= sizeof name) {
            errno = ENAMETOOLONG;
            break;
        }
        file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0 || errno != EEXIST)
            break;
    }
    exists = file >= 0;
    int code = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return file;
}

int temporary_keep(const char *path) {
    if (rename(name, path) != 0)
        return -1;
    exists = false;
    return 0;
}

void temporary_remove(void) {
    if (exists)
        unlink(name);
    exists = false;
}
