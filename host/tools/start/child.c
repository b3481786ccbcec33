/* One start of a process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/run.h"
#include "host/tools/common/message.h"
#include "host/tools/common/table.h"
#include "host/tools/verify/case.h"

#include <stdlib.h>
#include <string.h>

/* A start with its tensors in host memory, which are made before the clock runs. */
typedef struct start {
    const chosen_device *who;
    clmove_map map;
    clmove_plan *plan;
    clmove_plan_info info;
    unsigned char *src, *dst, *expected;
    size_t src_bytes, dst_bytes;
} start;

static void end(start *it) {
    clmove_plan_destroy(&it->plan);
    free(it->src);
    free(it->dst);
    free(it->expected);
}

void bench_start_default(bench_case *one) {
    *one = (bench_case){.what = {.element_bits = 32,
                                 .rank = 4,
                                 .dims = {1, 3, 224, 224},
                                 .op = {.kind = OPERATION_SPACE_TO_DEPTH, .block_size = 2, .mode = CLMOVE_DEPTH_FIRST}}};
}

static bool prepare(start *it, const bench_case *one) {
    clmove_error error;
    if (task_describe(&one->what, &it->map, &error) != CLMOVE_OK)
        return refused("%s", error.text);
    it->src_bytes = (size_t)clmove_map_src_bytes(&it->map);
    it->dst_bytes = (size_t)clmove_map_dst_bytes(&it->map);
    it->src = malloc(it->src_bytes + 1);
    it->dst = malloc(it->dst_bytes + 1);
    it->expected = malloc(it->dst_bytes + 1);
    if (!it->src || !it->dst || !it->expected)
        return refused("there is no memory for its %zu + %zu bytes", it->src_bytes, it->dst_bytes);
    verify_noise(it->src, it->src_bytes, 1);
    verify_noise(it->dst, it->dst_bytes, 2); /* touched, so that its first use is not part of the first run */
    memcpy(it->expected, it->dst, it->dst_bytes);
    return true;
}

/* Plans and runs, and takes the times of both. */
static bool go(start *it, double *plan_seconds, double *run_seconds) {
    clmove_error error;
    clmove_plan *plan = NULL;
    double before = bench_now();
    clmove_status status = chosen_device_plan(it->who, &it->map, &plan, &error);
    double planned = bench_now();
    if (status == CLMOVE_OK)
        status = clmove_run(plan, it->src, it->src_bytes, it->dst, it->dst_bytes, &error);
    *plan_seconds = planned - before;
    *run_seconds = bench_now() - planned;
    clmove_plan_destroy(&it->plan);
    it->plan = plan;
    it->info.struct_size = sizeof it->info;
    if (status == CLMOVE_OK)
        status = clmove_plan_get_info(plan, &it->info, &error);
    if (status != CLMOVE_OK)
        failed("%s", error.text);
    return status == CLMOVE_OK;
}

static bool is_right(const start *it, const bench_case *one, const clmove_device_info *device) {
    if (it->info.written_bytes == 0)
        return refused("%s moves nothing, so there is nothing to measure", one->name);
    if (device->type != CLMOVE_DEVICE_HOST && it->info.executor != CLMOVE_EXECUTOR_OPENCL)
        return refused("%s cannot be measured: the host took over: %s", one->name, it->info.fallback);
    if (!task_compute(&one->what, it->src, it->expected))
        return refused("there is no memory to compute what must come out of %s", one->name);
    return memcmp(it->dst, it->expected, it->dst_bytes) == 0 || refused("the first result of %s is wrong", one->name);
}

/* Measures on the device, which is open by then, and prints. */
static bool measure(start *it, const bench_case *one, double open_seconds) {
    clmove_device_info device = {.struct_size = sizeof device};
    clmove_device_stats stats = {.struct_size = sizeof stats};
    char repeat[BENCH_REPEAT];
    double plan_seconds, run_seconds, plan_again_seconds, run_again_seconds;
    if (!go(it, &plan_seconds, &run_seconds) || clmove_device_get_info(it->who->device, &device, NULL) != CLMOVE_OK ||
        clmove_device_get_stats(it->who->device, &stats, NULL) != CLMOVE_OK || !is_right(it, one, &device) ||
        !go(it, &plan_again_seconds, &run_again_seconds))
        return false;
    bench_repeat_text(one, it->who, " --start", repeat);
    const table_cell cells[] = {
        {"device", AS_TEXT(device.name)},
        {"device_type", AS_TEXT(clmove_device_type_text(device.type))},
        {"variant", AS_TEXT(it->info.variant)},
        {"seconds", AS_TIME(open_seconds + plan_seconds + run_seconds)},
        {"open_seconds", AS_TIME(open_seconds)},
        {"plan_seconds", AS_TIME(plan_seconds)},
        {"run_seconds", AS_TIME(run_seconds)},
        {"plan_again_seconds", AS_TIME(plan_again_seconds)},
        {"run_again_seconds", AS_TIME(run_again_seconds)},
        {"programs_built", AS_COUNT(stats.programs_built)},
        {"programs_loaded", AS_COUNT(stats.programs_loaded)},
        {"self_tests", AS_COUNT(stats.self_tests)},
        {"self_test_seconds", AS_TIME(stats.self_test_seconds)},
        {"repro", AS_TEXT(repeat)},
    };
    return table_put(TABLE_CELLS(cells), TABLE_OBJECT, NULL) && table_is_written();
}

int bench_start_child(bench_request *asked) {
    start it = {.who = &asked->who};
    bool done = false;
    if (prepare(&it, &asked->single)) {
        double before = bench_now();
        done = chosen_device_open(&asked->who) && measure(&it, &asked->single, bench_now() - before);
    }
    end(&it);
    chosen_device_close(&asked->who);
    return done ? STATUS_DONE : STATUS_FAILED;
}
