/* See program_cache.h.
 *
 * A file is a header, the key and the binary. The key is kept whole and compared, so that two keys whose hashes agree only push
 * each other out. The hash over key and binary finds accidents: a full disk, a crash, a flipped bit. It is FNV-1a, since any
 * change of one byte changes it, and it costs no dependency: some 0.2 ms for a binary of 100 KiB, where a build takes tens of ms.
 * Against somebody who may write to the folder no hash without a secret helps; for that the file must be the user's own, and
 * writable by nobody else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/program_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".program"
#define UNFINISHED ".new-"

/* The last character is the version of the format. */
static const char MAGIC[8] = {'c', 'l', 'm', 'o', 'v', 'e', ' ', '1'};

typedef struct header {
    char magic[sizeof MAGIC];
    uint64_t key_bytes, binary_bytes;
    uint64_t hash; /* of key and binary */
} header;

enum { PATH_BYTES = sizeof((clm_program_cache *)NULL)->folder + 64 };

__attribute__((format(printf, 2, 3))) static bool explain(char *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, CLM_PROGRAM_CACHE_WHY, format, arguments);
    va_end(arguments);
    return false;
}

static uint64_t fnv1a(uint64_t hash, const void *data, size_t bytes) {
    for (const unsigned char *at = data, *end = at + bytes; at < end; at++)
        hash = (hash ^ *at) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_of(clm_bytes key, clm_bytes binary) {
    uint64_t hash = fnv1a(UINT64_C(0xcbf29ce484222325), MAGIC, sizeof MAGIC);
    return fnv1a(fnv1a(hash, key.data, key.size), binary.data, binary.size);
}

/* The magic is part of it, so that two versions of the format do not push each other out. */
static void path_of(const clm_program_cache *cache, clm_bytes key, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%s/%016" PRIx64 ENDING, cache->folder, hash_of(key, (clm_bytes){0}));
}

/* ---- whether and where ---- */

/* Platforms whose binaries are not kept unless CLMOVE_PROGRAM_CACHE says so. Not among them are Intel's NEO and AMD's, of which
 * older versions have no cache, or have it off. Beside a newer one's own this one costs a little disk, and the same programs. */
static const char *const left_out[] = {
    /* Keeps kernels in POCL_CACHE_DIR, one for each local size. Asking for a binary makes it compile once more (pyopencl issue
     * 731), and what it compiles from a binary misses what it keeps of the source: the second process would be cold again. */
    "Portable Computing Language",
    /* Keeps programs in CUDA_CACHE_PATH, or ~/.nv/ComputeCache. Its binary is PTX text, still to be compiled. */
    "NVIDIA CUDA",
    /* Keeps programs and kernels in Mesa's shader cache. Its binary is SPIR-V, still to be compiled. */
    "rusticl",
    /* Names lines of the source in its reports, and interprets. */
    "Oclgrind",
};

static clmove_status is_wanted(const char *platform, bool *wanted, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const char *value = getenv("CLMOVE_PROGRAM_CACHE");
    *wanted = true;
    if (!value || !*value) {
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            *wanted &= strcmp(platform, left_out[i]) != 0;
        goto out;
    }
    *wanted = strcmp(value, "1") == 0 || strcmp(value, "on") == 0;
    REQUIRE(*wanted || strcmp(value, "0") == 0 || strcmp(value, "off") == 0, INVALID_ARGUMENT,
            "CLMOVE_PROGRAM_CACHE is \"%.40s\", it must be 0 or off, 1 or on, or nothing", value);
out:
    return status;
}

clmove_status clm_program_cache_open(clm_program_cache *cache, const char *platform, char why[CLM_PROGRAM_CACHE_WHY],
                                     clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool wanted;
    *cache = (clm_program_cache){0};
    *why = '\0';
    TRY(is_wanted(platform, &wanted, error));
    if (!wanted)
        goto out;
    /* A program that runs with more rights than its user has must not load what the user's environment points at. */
    const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    int length = 0;
    if (base && *base == '/') /* a relative path is to be ignored, says the XDG specification */
        length = snprintf(cache->folder, sizeof cache->folder, "%s/clmove", base);
    else if (home && *home == '/')
        length = snprintf(cache->folder, sizeof cache->folder, "%s/.cache/clmove", home);
    cache->is_on = length > 0 && (size_t)length < sizeof cache->folder;
    if (length == 0)
        explain(why, "neither XDG_CACHE_HOME nor HOME is an absolute path");
    else if (!cache->is_on)
        explain(why, "the path of the folder has %d characters, and %zu fit", length, sizeof cache->folder - 1);
out:
    return status;
}

/* ---- reading ---- */

static bool read_all(int file, void *to, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t got = read(file, (char *)to + at, bytes - at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* What must be so before a byte is read. */
static bool is_trusted(const char *path, const struct stat *about, char *why) {
    if (!S_ISREG(about->st_mode))
        return explain(why, "%s is not a file", path);
    if (about->st_uid != geteuid() || (about->st_mode & (S_IWGRP | S_IWOTH)))
        return explain(why, "%s can be written by others than this user", path);
    if (about->st_size < (off_t)sizeof(header) || (size_t)about->st_size > CLM_PROGRAM_CACHE_BYTES)
        return explain(why, "%s has %jd bytes and is no program", path, (intmax_t)about->st_size);
    return true;
}

/* Whether a whole file is what store wrote for the key. */
static bool is_whole(const unsigned char *file, size_t bytes, clm_bytes key, clm_bytes *binary) {
    header head;
    memcpy(&head, file, sizeof head);
    size_t rest = bytes - sizeof head;
    if (memcmp(head.magic, MAGIC, sizeof MAGIC) != 0 || head.key_bytes != key.size || key.size > rest ||
        head.binary_bytes != rest - key.size || head.binary_bytes == 0 || memcmp(file + sizeof head, key.data, key.size) != 0)
        return false;
    *binary = (clm_bytes){.data = (unsigned char *)(uintptr_t)file + sizeof head + key.size, .size = rest - key.size};
    return head.hash == hash_of(key, *binary);
}

bool clm_program_cache_load(const clm_program_cache *cache, clm_bytes key, clm_bytes *binary, char why[CLM_PROGRAM_CACHE_WHY]) {
    char path[PATH_BYTES];
    struct stat about;
    unsigned char *whole = NULL;
    clm_bytes found;
    bool done = false;
    *why = '\0';
    path_of(cache, key, path);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* a FIFO would wait for a writer */
    if (file < 0) {
        if (errno != ENOENT)
            explain(why, "%s cannot be read: %s", path, strerror(errno));
        return false;
    }
    if (fstat(file, &about) != 0) {
        explain(why, "%s cannot be read: %s", path, strerror(errno));
        goto out;
    }
    if (!is_trusted(path, &about, why))
        goto out;
    size_t bytes = (size_t)about.st_size;
    whole = malloc(bytes);
    if (!whole || !read_all(file, whole, bytes) || !is_whole(whole, bytes, key, &found)) {
        explain(why, "%s is damaged", path);
        goto out;
    }
    memmove(whole, found.data, found.size);
    *binary = (clm_bytes){.data = whole, .size = found.size};
    whole = NULL;
    done = true;
    futimens(file, NULL); /* used now, so others go first; if that fails, this one does */
out:
    free(whole);
    close(file);
    return done;
}

/* ---- keeping the folder small ---- */

typedef struct entry {
    char name[64];
    struct timespec used;
    size_t bytes;
} entry;

static int compare_use(const void *a, const void *b) {
    const struct timespec *first = &((const entry *)a)->used, *second = &((const entry *)b)->used;
    if (first->tv_sec != second->tv_sec)
        return first->tv_sec < second->tv_sec ? -1 : 1;
    return (first->tv_nsec > second->tv_nsec) - (first->tv_nsec < second->tv_nsec);
}

/* Of this cache: a program, or what a process that ended did not finish. Nothing else is ever removed. */
static bool is_ours(const char *name) {
    const size_t ending = sizeof ENDING - 1, length = strlen(name);
    if (length >= sizeof((entry *)NULL)->name)
        return false;
    return strncmp(name, UNFINISHED, sizeof UNFINISHED - 1) == 0 ||
           (length == 16 + ending && strcmp(name + 16, ENDING) == 0 && strspn(name, "0123456789abcdef") == 16);
}

/* All files of the folder, in an array that the caller frees; NULL when there are none, or no memory. */
static entry *list_folder(DIR *folder, size_t *count, size_t *total) {
    entry *list = NULL;
    size_t capacity = 0;
    *count = *total = 0;
    for (struct dirent *it; (it = readdir(folder));) {
        struct stat about;
        if (!is_ours(it->d_name) || fstatat(dirfd(folder), it->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(about.st_mode))
            continue;
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            entry *grown = realloc(list, capacity * sizeof *list);
            if (!grown)
                break;
            list = grown;
        }
        entry *added = &list[(*count)++];
        snprintf(added->name, sizeof added->name, "%.*s", (int)sizeof added->name - 1, it->d_name);
        added->used = about.st_mtim;
        added->bytes = (size_t)about.st_size;
        *total += added->bytes;
    }
    return list;
}

/* Above the limit, down to three quarters of it, so that not every program that comes has to look again. Whoever reads a file
 * meanwhile still reads it whole. */
static void evict(const char *path) {
    size_t count, total;
    DIR *folder = opendir(path);
    if (!folder)
        return;
    entry *list = list_folder(folder, &count, &total);
    if (total > CLM_PROGRAM_CACHE_BYTES) {
        qsort(list, count, sizeof *list, compare_use);
        for (size_t i = 0; i < count && total > CLM_PROGRAM_CACHE_BYTES / 4 * 3; i++)
            if (unlinkat(dirfd(folder), list[i].name, 0) == 0)
                total -= list[i].bytes;
    }
    free(list);
    closedir(folder);
}

/* ---- writing ---- */

static bool write_all(int file, const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t put = write(file, (const char *)from + at, bytes - at);
        if (put < 0 && errno != EINTR)
            return false;
        at += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* The folder and the one above it, for this user alone. Not more: a home folder that does not exist is not to be made. */
static bool make_folder(const char *folder, char *why) {
    char base[PATH_BYTES];
    snprintf(base, sizeof base, "%s", folder);
    *strrchr(base, '/') = '\0';
    if ((mkdir(base, 0700) != 0 && errno != EEXIST) || (mkdir(folder, 0700) != 0 && errno != EEXIST))
        return explain(why, "%s cannot be made: %s", folder, strerror(errno));
    return true;
}

bool clm_program_cache_store(const clm_program_cache *cache, clm_bytes key, clm_bytes binary, char why[CLM_PROGRAM_CACHE_WHY]) {
    char path[PATH_BYTES], unfinished[PATH_BYTES];
    header head = {.key_bytes = key.size, .binary_bytes = binary.size, .hash = hash_of(key, binary)};
    struct rlimit limit;
    *why = '\0';
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    size_t bytes = sizeof head + key.size + binary.size;
    if (bytes > CLM_PROGRAM_CACHE_BYTES / 4)
        return explain(why, "a program takes %zu bytes, more than is kept", bytes);
    /* A write beyond this limit would end the process. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes)
        return explain(why, "a program takes %zu bytes, more than the process may write to a file", bytes);
    if (!make_folder(cache->folder, why))
        return false;
    snprintf(unfinished, sizeof unfinished, "%s/" UNFINISHED "XXXXXX", cache->folder);
    int file = mkostemp(unfinished, O_CLOEXEC); /* O_EXCL, and 0600 */
    if (file < 0)
        return explain(why, "no file can be made in %s: %s", cache->folder, strerror(errno));
    path_of(cache, key, path);
    bool done =
        write_all(file, &head, sizeof head) && write_all(file, key.data, key.size) && write_all(file, binary.data, binary.size);
    done = close(file) == 0 && done && rename(unfinished, path) == 0;
    if (!done) {
        explain(why, "%s cannot be written: %s", path, strerror(errno));
        unlink(unfinished);
        return false;
    }
    evict(cache->folder);
    return true;
}
