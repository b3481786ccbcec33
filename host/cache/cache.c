/* See cache.h.
 *
 * The hash is FNV-1a of 64 bits: any change of one byte changes it, 10000 programs collide with a probability of 3e-12, and a
 * binary of 100 KiB takes 0.2 ms. It detects accidents: a full disk, a crash, a flipped bit. It does not protect against others
 * who may write to the folder; so the file must belong to the user, and be writable by nobody else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/cache/cache.h"

#include "host/variables.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define ENDING ".program"
#define UNFINISHED ".new-"

enum { PATH_BYTES = sizeof((clm_cache *)NULL)->folder + 64 };

__attribute__((format(printf, 2, 3))) static bool explain(char *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, CLM_CACHE_WHY, format, arguments);
    va_end(arguments);
    return false;
}

static uint64_t hash(uint64_t before, const void *data, size_t bytes) {
    for (const unsigned char *at = data, *end = at + bytes; at < end; at++)
        before = (before ^ *at) * UINT64_C(0x100000001b3);
    return before;
}

uint64_t clm_cache_key(uint64_t key, const char *text) {
    return hash(key ? key : UINT64_C(0xcbf29ce484222325), text,
                strlen(text) + 1); /* with the 0, so that different lists have different bytes */
}

static void path_of(const clm_cache *cache, uint64_t key, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%s/%016" PRIx64 ENDING, cache->folder, key);
}

void clm_cache_open(clm_cache *cache, bool is_needed, char why[CLM_CACHE_WHY]) {
    const int wanted = clm_variable_value(CLM_VARIABLE_PROGRAM_CACHE);
    *cache = (clm_cache){0};
    *why = '\0';
    if (wanted == 0 || (wanted < 0 && !is_needed))
        return;
    /* A program with more rights than its user must not load files that the user's environment names. */
    const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    int length = 0;
    if (base && *base == '/') /* the XDG specification: a relative path is ignored */
        length = snprintf(cache->folder, sizeof cache->folder, "%s/clmove", base);
    else if (home && *home == '/')
        length = snprintf(cache->folder, sizeof cache->folder, "%s/.cache/clmove", home);
    cache->is_on = length > 0 && (size_t)length < sizeof cache->folder;
    if (length == 0)
        explain(why, "neither XDG_CACHE_HOME nor HOME is an absolute path");
    else if (!cache->is_on)
        explain(why, "the path of the folder has %d characters, and %zu fit", length, sizeof cache->folder - 1);
}

bool clm_cache_load(const clm_cache *cache, uint64_t key, clm_binary *binary, char why[CLM_CACHE_WHY]) {
    char path[PATH_BYTES];
    struct stat about;
    uint64_t check;
    unsigned char *data = NULL;
    *why = '\0';
    path_of(cache, key, path);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* a FIFO would wait for a writer */
    if (file < 0)
        return errno == ENOENT ? false : explain(why, "%s cannot be read: %s", path, strerror(errno));
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        explain(why, "%s is not a file", path);
    else if (about.st_uid != geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH)))
        explain(why, "%s can be written by others than this user", path);
    else {
        const size_t whole = (size_t)about.st_size, bytes = whole - sizeof check;
        if (about.st_size > (off_t)sizeof check && about.st_size <= (off_t)CLM_CACHE_BYTES)
            data = malloc(bytes);
        if (!data || readv(file, (struct iovec[]){{&check, sizeof check}, {data, bytes}}, 2) != (ssize_t)whole ||
            check != hash(key, data, bytes))
            explain(why, "%s is damaged, with its %zu bytes", path, whole);
        else {
            *binary = (clm_binary){.data = data, .size = bytes};
            data = NULL;
            futimens(file, NULL); /* marks it as used now, so that it is not removed first */
        }
    }
    free(data);
    close(file);
    return !*why;
}

/* Whether a file is this cache's: a program, or an unfinished file of a process that ended. No other file is removed. */
static bool is_ours(const char *name) {
    return strncmp(name, UNFINISHED, sizeof UNFINISHED - 1) == 0 ||
           (strspn(name, "0123456789abcdef") == 16 && strcmp(name + 16, ENDING) == 0);
}

/* The bytes of all files together, and the name of the least recently used one. */
static size_t measure(DIR *folder, char oldest[256]) {
    struct timespec first = {0};
    size_t total = 0;
    *oldest = '\0';
    rewinddir(folder);
    for (struct dirent *it; (it = readdir(folder));) {
        struct stat about;
        if (!is_ours(it->d_name) || fstatat(dirfd(folder), it->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(about.st_mode))
            continue;
        const struct timespec used = about.st_mtim;
        if (!*oldest || used.tv_sec < first.tv_sec || (used.tv_sec == first.tv_sec && used.tv_nsec < first.tv_nsec)) {
            first = used;
            snprintf(oldest, 256, "%s", it->d_name);
        }
        total += (size_t)about.st_size;
    }
    return total;
}

/* A process that reads a removed file still reads it whole. */
static void keep_small(const char *path) {
    char oldest[256];
    DIR *folder = opendir(path);
    if (!folder)
        return;
    while (measure(folder, oldest) > CLM_CACHE_BYTES && (unlinkat(dirfd(folder), oldest, 0) == 0 || errno == ENOENT))
        ;
    closedir(folder);
}

bool clm_cache_store(const clm_cache *cache, uint64_t key, clm_binary binary, char why[CLM_CACHE_WHY]) {
    char path[PATH_BYTES], unfinished[PATH_BYTES];
    uint64_t check = hash(key, binary.data, binary.size);
    const size_t bytes = sizeof check + binary.size;
    struct rlimit limit;
    *why = '\0';
    if (bytes > CLM_CACHE_BYTES / 4)
        return explain(why, "a program takes %zu bytes, more than is kept", bytes);
    /* A write beyond this limit would end the process. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes)
        return explain(why, "a program takes %zu bytes, more than the process may write to a file", bytes);
    /* Makes the folder and the one above it, for this user alone. It makes no more: a missing home folder must stay missing. */
    snprintf(path, sizeof path, "%s", cache->folder);
    *strrchr(path, '/') = '\0';
    if ((mkdir(path, 0700) != 0 && errno != EEXIST) || (mkdir(cache->folder, 0700) != 0 && errno != EEXIST))
        return explain(why, "%s cannot be made: %s", cache->folder, strerror(errno));
    snprintf(unfinished, sizeof unfinished, "%s/" UNFINISHED "XXXXXX", cache->folder);
    int file = mkostemp(unfinished, O_CLOEXEC); /* O_EXCL, and 0600 */
    if (file < 0)
        return explain(why, "no file can be made in %s: %s", cache->folder, strerror(errno));
    path_of(cache, key, path);
    errno = ENOSPC; /* which is why only a part is written */
    bool done = writev(file, (struct iovec[]){{&check, sizeof check}, {binary.data, binary.size}}, 2) == (ssize_t)bytes;
    done = close(file) == 0 && done && rename(unfinished, path) == 0;
    if (done)
        keep_small(cache->folder);
    else {
        explain(why, "%s cannot be written: %s", path, strerror(errno));
        unlink(unfinished);
    }
    return done;
}
