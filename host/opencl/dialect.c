/* The table of drivers that were tried and need something special: other kernels than plain ones, or none, or their programs kept
 * on disk.
 *
 * A new row needs figures: the version that was tried, what it did, and the gain of the row's kernels or of keeping programs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/dialect.h"

#include "host/variables.h"

#include <stdio.h>
#include <string.h>

#define ANY_VERSION 0
#define VERSION(major, minor) ((major)*1000 + (minor))

typedef struct known_driver {
    /* All of CL_PLATFORM_NAME. */
    const char *platform;
    /* Part of CL_DEVICE_VERSION, or "". */
    const char *mark;
    /* The row is of devices of type CPU alone. */
    bool only_cpus;
    /* Where the version is from: "driver", or the word before it in CL_PLATFORM_VERSION. */
    const char *name;
    /* Versions from the first on, below the second. */
    int since, before;
    clm_dialect dialect;
    /* Why no kernel is given to it; NULL: it is used. */
    const char *refused;
    /* It builds each program anew in each process, so that clmove keeps them on disk. */
    bool keeps_none;
} known_driver;

/* The first row that fits counts. */
static const known_driver known_drivers[] = {
    /* POCL's remote driver adds its name to the version of the server's device, and its own version is the platform's. Tried: 7.1
     * ended 2 of 5 processes of 1000 cases on a busy machine, as its sending thread writes into a request on the stack of a
     * caller that has returned. 7.2-RC1 waits for that thread, but waits forever if two times are the same. */
    {"Portable Computing Language", "pocl-remote", false, "PoCL", ANY_VERSION, VERSION(7, 3), CLM_DIALECT_PLAIN,
     "POCL's remote driver before 7.3 may end the process or never answer; CLMOVE_KERNELS=plain uses it all the same", false},
    {"Portable Computing Language", "pocl-remote", false, "PoCL", VERSION(7, 3), ANY_VERSION, CLM_DIALECT_PLAIN, NULL, false},
    /* Tried: 3.1 with LLVM 15 (Debian 12) and 6.0 with LLVM 18 (Debian 13). LLVM 18.1.8 miscompiled an earlier loop of
     * interleave.cl for AVX-512 (tests/cases.c), LLVM 14 and 19 did not. No present loop is known to be miscompiled. Later
     * versions have the row too, though untried: plain kernels have no rows and no tiles on a processor, so that each new POCL
     * would be slow until it is tried. What may be new in it is the compiler, and the self-test finds its wrong bytes in each
     * process: the plan then takes another program. A version that does not build these kernels, or crashes, gets a row of its
     * own before this one.
     * POCL keeps kernels itself in POCL_CACHE_DIR, one for each local size. A request for a binary makes it compile once more
     * (pyopencl issue 731), and a program made of a binary does not use the kernels that it keeps for the source. */
    {"Portable Computing Language", "", true, "driver", VERSION(3, 1), ANY_VERSION, CLM_DIALECT_CLANG, NULL, false},
    /* Tried: 22.3, rusticl's first release (Debian 12), whose compiler crashes, and which fails to unmap in 16 of 34 cases of
     * gather; 25.0 (Debian 13) is right. */
    {"rusticl", "", false, "driver", ANY_VERSION, VERSION(23, 0), CLM_DIALECT_PLAIN,
     "rusticl of Mesa before 23.0 crashes and fails: install a later Mesa, or use another driver", false},
    /* Tried: 2026.2.0, Intel's runtime for processors. It builds anew in each process: a plan takes seconds, and 32 ms of a
     * binary. NVIDIA's driver keeps programs in CUDA_CACHE_PATH or ~/.nv/ComputeCache, rusticl in Mesa's shader cache, and the
     * binaries of both must still be compiled. Intel's and AMD's drivers for GPUs were not tried. */
    {"Intel(R) OpenCL", "", true, "driver", ANY_VERSION, ANY_VERSION, CLM_DIALECT_PLAIN, NULL, true},
};

/* 3001 for "3.1+debian"; 0 where the text does not begin with a number. */
static int version_of(const char *text) {
    int major = 0, minor = 0;
    return sscanf(text, "%d.%d", &major, &minor) >= 1 ? VERSION(major, minor) : 0;
}

/* The version that a row compares. */
static int find_version(const known_driver *row, const char *platform_version, const clmove_device_info *info) {
    if (strcmp(row->name, "driver") == 0)
        return version_of(info->driver);
    const char *at = strstr(platform_version, row->name);
    return at ? version_of(at + strlen(row->name)) : 0;
}

static bool fits(const known_driver *row, const char *platform_version, const clmove_device_info *info) {
    int version = find_version(row, platform_version, info);
    return strcmp(info->platform, row->platform) == 0 && strstr(info->version, row->mark) &&
           (!row->only_cpus || info->type == CLMOVE_DEVICE_CPU) && version >= row->since &&
           (row->before == ANY_VERSION || version < row->before);
}

/* NULL: the driver has no row. */
static const known_driver *find_driver(const char *platform_version, const clmove_device_info *info) {
    for (size_t i = 0; i < sizeof known_drivers / sizeof *known_drivers; i++)
        if (fits(&known_drivers[i], platform_version, info))
            return &known_drivers[i];
    return NULL;
}

clmove_status clm_dialect_choose(const char *platform_version, clmove_device_info *info, clm_dialect *dialect,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const int forced = clm_variable_value(CLM_VARIABLE_KERNELS);
    const known_driver *known = find_driver(platform_version, info);
    const clm_dialect chosen = forced == 1 ? CLM_DIALECT_CLANG : forced == 0 || !known ? CLM_DIALECT_PLAIN : known->dialect;
    info->kernels = chosen == CLM_DIALECT_CLANG ? "clang" : "plain";
    info->refused = known && known->refused && forced < 0 ? known->refused : "";
    REQUIRE(!*info->refused, NO_DEVICE, "%s (%s, driver %s) is not used: %s", info->name, info->platform, info->driver,
            info->refused);
    *dialect = chosen;
out:
    return status;
}

bool clm_keeps_no_programs(const char *platform_version, const clmove_device_info *info) {
    const known_driver *known = find_driver(platform_version, info);
    return known && known->keeps_none;
}

bool clm_builds_collide(const char *platform_version, const clmove_device_info *info) {
    const known_driver colliding = {
        .platform = "Portable Computing Language", .mark = "", .name = "PoCL", .since = ANY_VERSION, .before = VERSION(6, 0)};
    return fits(&colliding, platform_version, info);
}

bool clm_finish_is_early(const char *platform_version, const clmove_device_info *info) {
    const known_driver early = {
        .platform = "Portable Computing Language", .mark = "", .name = "PoCL", .since = VERSION(6, 0), .before = ANY_VERSION};
    return fits(&early, platform_version, info);
}
