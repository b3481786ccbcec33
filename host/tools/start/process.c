/* See process.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/start/process.h"

#include "host/tools/common/message.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The variables that say where caches of programs are. The first one moves those of clmove, Intel, AMD and Mesa, unless the user
 * has set one of the others. */
static const char *const CACHES[] = {"XDG_CACHE_HOME", "POCL_CACHE_DIR",        "CUDA_CACHE_PATH",
                                     "NEO_CACHE_DIR",  "MESA_SHADER_CACHE_DIR", "AMD_COMGR_CACHE_DIR"};
enum { CACHE_COUNT = sizeof CACHES / sizeof CACHES[0] };

/* ---- folders ---- */

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

void bench_folder_remove(const char *folder) {
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

bool bench_folder_make(char folder[BENCH_FOLDER]) {
    const char *base = getenv("TMPDIR");
    int length = snprintf(folder, BENCH_FOLDER, "%s/clmove-bench-XXXXXX", base && *base == '/' ? base : "/tmp");
    if (length >= BENCH_FOLDER - 64)
        return refused("TMPDIR has %d characters, more than are of use", length);
    return mkdtemp(folder) || refused("%s cannot be made: %s", folder, strerror(errno));
}

bool bench_caches_make(const char *folder, const char *name, char made[BENCH_FOLDER]) {
    char path[PATH_MAX];
    snprintf(made, BENCH_FOLDER, "%.*s/%.16s", BENCH_FOLDER - 32, folder, name);
    bool done = mkdir(made, 0700) == 0;
    for (int i = 0; i < CACHE_COUNT && done; i++) {
        snprintf(path, sizeof path, "%s/%s", made, CACHES[i]);
        done = mkdir(path, 0700) == 0;
    }
    return done || refused("%s cannot be made: %s", made, strerror(errno));
}

/* ---- processes ---- */

/* In the environment of this process, which those that it starts take over. */
static bool use_caches(const char *folder) {
    char path[PATH_MAX];
    for (int i = 0; i < CACHE_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, CACHES[i]);
        if (setenv(CACHES[i], path, 1) != 0)
            return refused("there is no memory for another process");
    }
    return true;
}

/* Starts this program with its output in a pipe. Returns the pipe's end, or -1 when a sentence has been printed. */
static int spawn(char *const *arguments, pid_t *process) {
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        failed("there is no pipe for another process: %s", strerror(errno));
        return -1;
    }
    int code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        code = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (code == 0)
            code = posix_spawn(process, "/proc/self/exe", &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (code == 0)
        return ends[0];
    close(ends[0]);
    failed("this program cannot be started again: %s", strerror(code));
    return -1;
}

/* The process under way, for the alarm that bench.c sets when a signal came: here it is another process that a driver may
 * keep busy, and this one has folders to remove. */
static volatile pid_t under_way;

static void end_it(int signal_number) {
    (void)signal_number;
    if (under_way > 0)
        kill(under_way, SIGKILL);
}

json_t *bench_process_run(char *const *arguments, const char *caches) {
    pid_t process;
    int ended = 0;
    json_error_t why;
    json_t *said = NULL;
    int from = use_caches(caches) ? spawn(arguments, &process) : -1;
    if (from < 0)
        return NULL;
    under_way = process;
    signal(SIGALRM, end_it);
    FILE *output = fdopen(from, "r");
    if (output) {
        said = json_loadf(output, JSON_DISABLE_EOF_CHECK, &why);
        fclose(output);
    } else
        close(from);
    while (waitpid(process, &ended, 0) < 0 && errno == EINTR)
        ;
    under_way = 0;
    if (ended == 0 && said)
        return said;
    json_decref(said);
    if (WIFSIGNALED(ended))
        failed("the process that was measured was ended by a signal: %s", strsignal(WTERMSIG(ended)));
    else if (ended == 0)
        failed("the process that was measured does not say how long it took");
    return NULL;
}
