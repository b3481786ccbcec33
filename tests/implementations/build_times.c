/* What a program costs to build: the first plan of each, of SpaceToDepth, DepthToSpace, transposes and tiles. A build is in it,
 * and the first launches, to which some drivers put it off. The time is that of processors, the driver's children included, since
 * other programs may run beside.
 * build_times SELECTOR SECONDS - prints each program that is slower than those before it, and at the end the first and the
 * slowest of the others: drivers load their compiler for the first. Exit status 1 where one takes longer, or none was built.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { FIRST_BLOCK = 2, LAST_BLOCK = 16, KINDS = 6 };

static const char *const names[KINDS] = {
    "space-to-depth", "space-to-depth, blocks first", "depth-to-space", "depth-to-space, blocks first", "transpose", "tile"};
static const uint32_t widths[] = {8, 32};

static clmove_error error;

static double seconds_of(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double processor_seconds(void) {
    return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
}

static clmove_status describe(clmove_map *map, int kind, uint32_t bits, int64_t block) {
    const int64_t image[] = {1, 3, 6 * block, 70 * block}, depth[] = {1, 3 * block * block, 6, 70}, rows[] = {999, block};
    const int64_t swapped[] = {1, 0}, repeats[] = {1, 5};
    const clmove_mode mode = kind % 2 ? CLMOVE_BLOCKS_FIRST : CLMOVE_DEPTH_FIRST;
    clmove_status status = clmove_map_init(map, bits, kind < 4 ? 4 : 2, kind < 2 ? image : kind < 4 ? depth : rows, &error);
    if (status != CLMOVE_OK)
        return status;
    switch (kind) {
    case 0:
    case 1:
        return clmove_map_space_to_depth(map, block, mode, CLMOVE_RULES_OPENVINO, &error);
    case 2:
    case 3:
        return clmove_map_depth_to_space(map, block, mode, CLMOVE_RULES_OPENVINO, &error);
    case 4:
        return clmove_map_permute(map, 2, swapped, &error);
    default:
        return clmove_map_tile(map, 2, repeats, CLMOVE_RULES_OPENVINO, &error);
    }
}

int main(int count, char **arguments) {
    clmove_device *device = NULL;
    clmove_device_stats stats = {.struct_size = sizeof stats};
    double first = 0, slowest = 0; /* the slowest of the others */
    int64_t built = 0;
    if (count != 3)
        return 2;
    const clmove_device_params params = {.struct_size = sizeof params, .selector = arguments[1]};
    if (setenv("CLMOVE_PROGRAM_CACHE", "0", 1) != 0 || clmove_device_open(&params, &device, &error) != CLMOVE_OK)
        goto out;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int64_t block = FIRST_BLOCK; block <= LAST_BLOCK; block++)
            for (int kind = 0; kind < KINDS; kind++) {
                clmove_map map;
                clmove_plan *plan = NULL;
                clmove_plan_info info = {.struct_size = sizeof info};
                if (describe(&map, kind, widths[w], block) != CLMOVE_OK)
                    goto out;
                double begun = processor_seconds();
                if (clmove_plan_create(device, &map, NULL, &plan, &error) != CLMOVE_OK)
                    goto out;
                double took = processor_seconds() - begun;
                const clmove_status status = clmove_plan_get_info(plan, &info, &error);
                clmove_plan_destroy(&plan);
                if (status != CLMOVE_OK || clmove_device_get_stats(device, &stats, &error) != CLMOVE_OK)
                    goto out;
                const bool is_new = stats.programs_built > built, is_first = built == 0;
                double *const most = is_first ? &first : &slowest;
                built = stats.programs_built;
                if (!is_new || took <= *most)
                    continue;
                *most = took;
                printf("%.3f s: %s of %d bits by %d, %s\n", took, names[kind], (int)widths[w], (int)block, info.variant);
            }
    printf("build times: %d programs, the first in %.3f s, the slowest of the others in %.3f s\n", (int)built, first, slowest);
out:
    clmove_device_close(&device);
    if (error.status != CLMOVE_OK)
        printf("build times: FAILED: %s\n", error.text);
    const double most_seconds = strtod(arguments[2], NULL);
    return error.status == CLMOVE_OK && built > 0 && first <= most_seconds && slowest <= most_seconds ? EXIT_SUCCESS
                                                                                                      : EXIT_FAILURE;
}
