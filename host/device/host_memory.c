/* The memory that the system can still give to this process: the available memory, and the limits of control groups.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/device/budget.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Version 1 writes "no limit" as the largest number of whole pages. */
#define NO_LIMIT ((uint64_t)1 << 62)

/* The names that the two versions use. */
typedef struct group_files {
    const char *limit, *usage, *reclaimable;
} group_files;

static const group_files version_1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"},
                         version_2 = {"/memory.max", "/memory.current", "inactive_file"};

/* Three parts of a path. False when it is too long. */
static bool join(char path[PATH_MAX], const char *root, const char *folder, const char *name) {
    int length = snprintf(path, PATH_MAX, "%s%s%s", root, folder, name);
    return length >= 0 && length < PATH_MAX;
}

/* Opens a file below a folder; NULL: there is none. */
static FILE *open_in(const char *folder, const char *name) {
    char path[PATH_MAX];
    return join(path, folder, name, "") ? fopen(path, "re") : NULL;
}

/* The number after a word, which may be "", at the beginning of a line. False when there is none: "max", or no file. */
static bool find_number(const char *folder, const char *name, const char *word, uint64_t *number) {
    char line[256];
    size_t length = strlen(word);
    bool found = false;
    FILE *file = open_in(folder, name);
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, word, length) == 0 && sscanf(line + length, "%" SCNu64, number) == 1;
    if (file)
        fclose(file);
    return found;
}

/* The bytes below the limit of one group. */
static uint64_t left_in(const char *folder, const group_files *files) {
    uint64_t limit, usage, reclaimable;
    if (!find_number(folder, files->limit, "", &limit) || limit >= NO_LIMIT || !find_number(folder, files->usage, "", &usage))
        return UINT64_MAX;
    if (find_number(folder, "/memory.stat", files->reclaimable, &reclaimable))
        usage -= reclaimable < usage ? reclaimable : usage;
    return usage < limit ? limit - usage : 0;
}

/* Whether a comma-separated list has a word. The list is cut. */
static bool has_word(char *list, const char *word) {
    for (const char *at; (at = strsep(&list, ","));)
        if (strcmp(at, word) == 0)
            return true;
    return false;
}

/* The process's group in the memory hierarchy. False: it is in none. */
static bool find_group(const char *root, bool is_version_2, char group[PATH_MAX]) {
    char line[PATH_MAX + 256];
    bool found = false;
    FILE *file = open_in(root, "/proc/self/cgroup");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *rest = line;
        strsep(&rest, ":"); /* a number */
        char *controllers = strsep(&rest, ":"), *name = strsep(&rest, "\n");
        if (!name)
            continue;
        found = is_version_2 ? *controllers == '\0' : has_word(controllers, "memory");
        if (found)
            snprintf(group, PATH_MAX, "%.*s", PATH_MAX - 1, name);
    }
    if (file)
        fclose(file);
    return found;
}

/* Where this hierarchy is mounted, and which of its groups is the mount's root. False: it is not mounted. */
static bool find_mount(const char *root, bool is_version_2, char mount[PATH_MAX], char seen[PATH_MAX]) {
    char line[2 * PATH_MAX];
    bool found = false;
    FILE *file = open_in(root, "/proc/self/mountinfo");
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
    uint64_t left = UINT64_MAX, kibibytes;
    if (find_number(root, "/proc/meminfo", "MemAvailable:", &kibibytes) && kibibytes < NO_LIMIT / 1024)
        left = kibibytes * 1024;
    for (int version = 1; version <= 2; version++) {
        uint64_t here = left_in_groups(root, version == 2);
        left = here < left ? here : left;
    }
    return left;
}
