/* The time of clmove_run for small_calls.py: one line a case, the least of many means, in nanoseconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 200, CALLS = 200 };

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static void check(clmove_status status, const clmove_error *error) {
    if (status != CLMOVE_OK) {
        fprintf(stderr, "small_calls: %s\n", error->text);
        exit(EXIT_FAILURE);
    }
}

static void measure(clmove_device *device, const clmove_map *map) {
    clmove_error error;
    clmove_plan *plan;
    check(clmove_plan_create(device, map, NULL, &plan, &error), &error);
    const size_t src_bytes = (size_t)clmove_map_src_bytes(map), dst_bytes = (size_t)clmove_map_dst_bytes(map);
    void *src = calloc(1, src_bytes), *dst = calloc(1, dst_bytes);
    double least = 1e18;
    for (int i = 0; src && dst && i < REPEATS; i++) {
        const double begun = now();
        for (int j = 0; j < CALLS; j++)
            check(clmove_run(plan, src, src_bytes, dst, dst_bytes, &error), &error);
        const double mean = (now() - begun) / CALLS;
        least = mean < least ? mean : least;
    }
    printf("%.1f\n", least);
    free(src);
    free(dst);
    clmove_plan_destroy(&plan);
}

int main(void) {
    static const int64_t sizes[] = {8, 32, 128};
    clmove_error error;
    clmove_device *device;
    const clmove_device_params params = {.struct_size = sizeof params, .selector = "host"};
    check(clmove_device_open(&params, &device, &error), &error);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int64_t dims[] = {1, 4, sizes[i], sizes[i]};
        clmove_map map;
        check(clmove_map_init(&map, 32, 4, dims, &error), &error);
        check(clmove_map_tile(&map, 4, (int64_t[]){2, 1, 1, 1}, CLMOVE_RULES_OPENVINO, &error), &error);
        measure(device, &map);
        check(clmove_map_init(&map, 32, 4, dims, &error), &error);
        check(clmove_map_space_to_depth(&map, 2, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_ONNX, &error), &error);
        measure(device, &map);
        check(clmove_map_init(&map, 32, 4, dims, &error), &error);
        check(clmove_map_permute(&map, 4, (int64_t[]){0, 2, 3, 1}, &error), &error);
        measure(device, &map);
    }
    clmove_device_close(&device);
    return EXIT_SUCCESS;
}
