/* SPDX-License-Identifier: Apache-2.0 */
#include "host/device/host_memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 1 writes "no limit" as the largest number of whole pages. */
#define NO_LIMIT ((uint64_t)1 << 62)

/* The names that the two versions use. */
typedef struct group_files {
    const char *limit, *usage, *reclaimable;
} group_files;

static const group_files version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
                         version_2 = {"memory.max", "memory.current", "inactive_file"};

/* root, then two parts of a path. False when it is too long. */
static bool join(char path[PATH_MAX], const char *root, const char *folder, const char *name) {
    int length = snprintf(path, PATH_MAX, "%s%s%s", root, folder, name);
    return length >= 0 && length < PATH_MAX;
}

/* The number that a file begins with. False when there is none: "max", or no file. */
static bool read_number(const char *folder, const char *name, uint64_t *number) {
    char path[PATH_MAX];
    if (!join(path, folder, "/", name))
        return false;
    FILE *file = fopen(path, "re");
    bool found = file && fscanf(file, "%" SCNu64, number) == 1;
    if (file)
        fclose(file);
    return found;
}

/* The number after a word at the beginning of a line. False when there is none. */
static bool find_number(const char *path, const char *word, uint64_t *number) {
    char line[256];
    size_t length = strlen(word);
    bool found = false;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, word, length) == 0 && sscanf(line + length, "%" SCNu64, number) == 1;
    if (file)
        fclose(file);
    return found;
}

/* The bytes below the limit of one group. */
static uint64_t left_in(const char *folder, const group_files *files) {
    char path[PATH_MAX];
    uint64_t limit, usage, reclaimable = 0;
    if (!read_number(folder, files->limit, &limit) || limit >= NO_LIMIT || !read_number(folder, files->usage, &usage))
        return UINT64_MAX;
    if (!join(path, folder, "/", "memory.stat") || !find_number(path, files->reclaimable, &reclaimable))
        reclaimable = 0;
    usage -= reclaimable < usage ? reclaimable : usage;
    return usage < limit ? limit - usage : 0;
}

/* Whether a comma-separated list has a word. */
static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0' || at[length] == '\n'))
            return true;
    return false;
}

/* The process's group in the memory hierarchy. False: it is in none. */
static bool find_group(const char *root, bool is_version_2, char group[PATH_MAX]) {
    char path[PATH_MAX], line[PATH_MAX + 256];
    bool found = false;
    FILE *file = join(path, root, "/proc/self/cgroup", "") ? fopen(path, "re") : NULL;
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *name = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!name)
            continue;
        *name++ = '\0';
        found = is_version_2 ? controllers[1] == '\0' : has_word(controllers + 1, "memory");
        if (found)
            snprintf(group, PATH_MAX, "%.*s", PATH_MAX - 1, name);
    }
    if (file)
        fclose(file);
    return found;
}

/* Where this hierarchy is mounted, and which of its groups is the mount's root. False: it is not mounted. */
static bool find_mount(const char *root, bool is_version_2, char mount[PATH_MAX], char seen[PATH_MAX]) {
    char path[PATH_MAX], line[2 * PATH_MAX];
    bool found = false;
    FILE *file = join(path, root, "/proc/self/mountinfo", "") ? fopen(path, "re") : NULL;
    while (file && !found && fgets(line, sizeof line, file)) {
        char type[32], options[512], *rest = strstr(line, " - ");
        if (!rest || sscanf(rest, " - %31s %*s %511s", type, options) != 2 ||
            sscanf(line, "%*s %*s %*s %4095s %4095s", seen, mount) != 2)
            continue;
        found = is_version_2 ? strcmp(type, "cgroup2") == 0 : strcmp(type, "cgroup") == 0 && has_word(options, "memory");
    }
    if (file)
        fclose(file);
    return found;
}

/* The least bytes below the limits of the groups of one version, from the process's own outwards. */
static uint64_t left_in_groups(const char *root, bool is_version_2) {
    char group[PATH_MAX], mount[PATH_MAX], seen[PATH_MAX], folder[PATH_MAX];
    uint64_t left = UINT64_MAX;
    if (!find_group(root, is_version_2, group) || !find_mount(root, is_version_2, mount, seen))
        return left;
    /* In a container the outermost visible group is the container's. A name outside of it begins with "/..". */
    size_t skipped = strcmp(seen, "/") == 0 ? 0 : strlen(seen);
    const char *below = strncmp(group, seen, skipped) == 0 && (group[skipped] == '/' || !group[skipped]) ? group + skipped : "";
    if (strncmp(below, "/..", 3) == 0)
        below = "";
    if (!join(folder, root, mount, below))
        return left;
    size_t outermost = strlen(root) + strlen(mount);
    for (;;) {
        uint64_t here = left_in(folder, is_version_2 ? &version_2 : &version_1);
        left = here < left ? here : left;
        char *last = strrchr(folder, '/');
        if (!last || (size_t)(last - folder) < outermost)
            return left;
        *last = '\0';
    }
}

uint64_t clm_host_memory_left(const char *root) {
    char path[PATH_MAX];
    uint64_t left = UINT64_MAX, kibibytes;
    if (join(path, root, "/proc/meminfo", "") && find_number(path, "MemAvailable:", &kibibytes) && kibibytes < NO_LIMIT / 1024)
        left = kibibytes * 1024;
    for (int version = 1; version <= 2; version++) {
        uint64_t here = left_in_groups(root, version == 2);
        left = here < left ? here : left;
    }
    return left;
}
