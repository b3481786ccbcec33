/* What a plan costs: the first of a variant, which builds a program, and one for another shape, which builds nothing.
 *
 * usage: bench_plan [SELECTOR]
 * Prints a line a variant. Exit status 1 when a new shape built a program, or anything failed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLANS 200

static clmove_error error;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A map of the same variant, unit and block for every `size`. */
static clmove_status describe(clmove_map *map, int kind, int64_t size) {
    int64_t image[] = {1, 3, 2 * size + 2, 1026}, row[] = {size, 3}, repeats[] = {1, 8}, batch[] = {4, 1};
    clmove_status status = clmove_map_init(map, 32, kind < 2 ? 4 : 2, kind < 2 ? image : row, &error);
    if (status)
        return status;
    switch (kind) {
    case 0:
        return clmove_map_space_to_depth(map, 2, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, &error);
    case 1: {
        int64_t dims[] = {1, 12, size + 1, 513};
        status = clmove_map_reshape(map, 4, dims, &error);
        return status ? status : clmove_map_depth_to_space(map, 2, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, &error);
    }
    case 2:
        return clmove_map_tile(map, 2, repeats, CLMOVE_RULES_OPENVINO, &error);
    default:
        return clmove_map_tile(map, 2, batch, CLMOVE_RULES_OPENVINO, &error);
    }
}

static int compare(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static int measure(clmove_device *device, int kind) {
    double seconds[PLANS];
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_device_stats before = {.struct_size = sizeof before}, after = {.struct_size = sizeof after};
    for (int i = 0; i < PLANS; i++) {
        clmove_map map;
        clmove_plan *plan = NULL;
        if (describe(&map, kind, 64 + 2 * i + 1))
            return 1;
        double start = now();
        clmove_status status = clmove_plan_create(device, &map, NULL, &plan, &error);
        seconds[i] = now() - start;
        if (status || clmove_plan_get_info(plan, &info, &error))
            return 1;
        clmove_plan_destroy(&plan);
        if (i == 0 && clmove_device_get_stats(device, &before, &error))
            return 1;
    }
    if (clmove_device_get_stats(device, &after, &error))
        return 1;
    double first = seconds[0];
    qsort(seconds + 1, PLANS - 1, sizeof *seconds, compare);
    printf("%-12s u%-2u first plan %10.1f us, another shape %6.1f us (median of %d), programs built for it: %llu\n", info.variant,
           info.unit_bits / 8, first * 1e6, seconds[PLANS / 2] * 1e6, PLANS - 1,
           (unsigned long long)(after.programs_built - before.programs_built));
    return after.programs_built != before.programs_built;
}

int main(int argc, char **argv) {
    clmove_device *device = NULL;
    clmove_device_params params = {.struct_size = sizeof params, .selector = argc > 1 ? argv[1] : "cpu"};
    if (clmove_device_open(&params, &device, &error)) {
        fprintf(stderr, "bench_plan: %s\n", error.text);
        return 77;
    }
    int failed = 0;
    for (int kind = 0; kind < 4 && !failed; kind++)
        failed = measure(device, kind);
    if (failed)
        fprintf(stderr, "bench_plan: %s\n", error.status ? error.text : "a new shape built a program");
    clmove_device_close(&device);
    return failed;
}
