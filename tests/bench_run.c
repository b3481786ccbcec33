/* What a run from host memory to host memory costs beside the same on resident buffers, and in pieces beside all at once:
 * bench_run SELECTOR [BYTES...]
 *
 * Each size is that of a SpaceToDepth's source, f32, [1, 3, H, W] with blocks of 2. Ways are measured in turn; medians. Verifies
 * nothing: the suites do. With --run-only nothing but clmove_run, so that an older library can be measured too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_ROUNDS 2001
#define PAGE 4096

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *seconds, int count) {
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    return seconds[count / 2];
}

static void check(clmove_status status, const clmove_error *error) {
    if (status == CLMOVE_OK)
        return;
    fprintf(stderr, "bench_run: %s\n", error->text);
    exit(EXIT_FAILURE);
}

static void *noise(size_t bytes, uint32_t seed) {
    uint32_t *memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    if (!memory)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < bytes / 4; i++)
        memory[i] = seed = seed * 1664525U + 1013904223U;
    return memory;
}

static bool go_on(void *user, const clmove_progress *progress) {
    (void)user;
    (void)progress;
    return true;
}

enum { RUN, RESIDENT, PIECES, WAYS };

static void measure(clmove_device *device, size_t wanted, bool run_only) {
    static double seconds[WAYS][MOST_ROUNDS];
    clmove_error error;
    clmove_map map;
    clmove_plan *plan = NULL;
    clmove_buffer *from = NULL, *to = NULL;
    clmove_run_info info = {.struct_size = sizeof info};
    int64_t side = (int64_t)sqrt((double)wanted / 12) / 2 * 2, dims[] = {1, 3, side, side};
    size_t bytes = (size_t)(side * side) * 12;
    void *src = noise(bytes, 1), *dst = noise(bytes, 2);
    check(clmove_map_init(&map, 32, 4, dims, &error), &error);
    check(clmove_map_space_to_depth(&map, 2, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_OPENVINO, &error), &error);
    check(clmove_plan_create(device, &map, NULL, &plan, &error), &error);
    if (!run_only) {
        check(clmove_buffer_create(device, bytes, &from, &error), &error);
        check(clmove_buffer_create(device, bytes, &to, &error), &error);
        check(clmove_buffer_write(from, 0, src, bytes, &error), &error);
        check(clmove_buffer_write(to, 0, dst, bytes, &error), &error);
    }
    int rounds = bytes < 1 << 16 ? 2001 : bytes < 1 << 22 ? 501 : bytes < 1 << 26 ? 61 : 21;
    const clmove_run_params params = {.struct_size = sizeof params, .progress = go_on, .info = &info};
    for (int i = -3; i < rounds; i++)
        for (int way = 0; way < (run_only ? 1 : WAYS); way++) {
            double start = now();
            if (way == RUN)
                check(clmove_run(plan, src, bytes, dst, bytes, &error), &error);
            else if (way == PIECES)
                check(clmove_run_with(plan, src, bytes, dst, bytes, &params, &error), &error);
            else {
                check(clmove_enqueue(plan, clmove_buffer_view(from, 0), clmove_buffer_view(to, 0), NULL, &error), &error);
                check(clmove_device_finish(device, &error), &error);
            }
            if (i >= 0)
                seconds[way][i] = now() - start;
        }
    double run = median(seconds[RUN], rounds);
    printf("%10zu bytes: run %10.2f us", bytes, run * 1e6);
    if (!run_only) {
        double resident = median(seconds[RESIDENT], rounds), pieces = median(seconds[PIECES], rounds);
        printf(", resident %10.2f us, run / resident %.3f; in %lld pieces %10.2f us, pieces / run %.3f, %s", resident * 1e6,
               run / resident, (long long)info.pieces, pieces * 1e6, pieces / run, clmove_run_method_text(info.method));
        if (info.upload_seconds >= 0 && info.method == CLMOVE_RUN_STAGED)
            printf("; pack %.2f, upload %.2f, move %.2f, download %.2f, unpack %.2f ms", info.pack_seconds * 1e3,
                   info.upload_seconds * 1e3, info.move_seconds * 1e3, info.download_seconds * 1e3, info.unpack_seconds * 1e3);
    }
    printf("\n");
    clmove_buffer_destroy(&from);
    clmove_buffer_destroy(&to);
    clmove_plan_destroy(&plan);
    free(src);
    free(dst);
}

int main(int count, char **arguments) {
    static const size_t sizes[] = {4 << 10, 64 << 10, 1 << 20, 16 << 20, 100 << 20};
    bool run_only = count > 2 && strcmp(arguments[2], "--run-only") == 0;
    bool profile = count > 2 && strcmp(arguments[2], "--profile") == 0;
    int first = run_only || profile ? 3 : 2;
    clmove_device *device = NULL;
    clmove_error error;
    const clmove_device_params params = {
        .struct_size = sizeof params, .selector = count > 1 ? arguments[1] : "cpu", .profile = profile};
    if (run_only) /* whatever an older library thinks of the parameters */
        setenv("CLMOVE_DEVICE", params.selector, 1);
    clmove_status status = clmove_device_open(run_only ? NULL : &params, &device, &error);
    if (status == CLMOVE_NO_DEVICE) {
        printf("bench_run: skipped: %s\n", error.text);
        return 77;
    }
    check(status, &error);
    for (int i = first; i < count; i++)
        measure(device, strtoul(arguments[i], NULL, 10), run_only);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && count <= first; i++)
        measure(device, sizes[i], run_only);
    clmove_device_close(&device);
    return EXIT_SUCCESS;
}
