/* Devices that the caller made by splitting one: test_sub_devices LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bed.h"
#include "tests/opencl/enqueue.h"

#include "tests/layer/faults.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 37, COLUMNS = 53, BYTES = ROWS * COLUMNS * 4 };

/* Held until the program ends: POCL 3.1 frees a part with its last reference, and its threads release the events of commands that
 * are done a little later, which crashed one run in twelve. */
typedef struct parts {
    cl_uint count;
    cl_device_id of[8];
} parts;

static parts equal, counted;
static int64_t held; /* references of ours */

static const faults_interface *layer;
static clmove_error error;
static uint8_t src[BYTES], turned[BYTES], got[BYTES];

static clmove_plan *make_plan(clmove_device *device, int64_t rows, int64_t columns) {
    clmove_map map;
    clmove_plan *plan = NULL;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){rows, columns}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    ASSERT_OK(clmove_plan_create(device, &map, NULL, &plan, &error), &error);
    return plan;
}

static void make_bytes(uint32_t seed) {
    fill_noise(src, BYTES, seed);
    for (int64_t row = 0; row < ROWS; row++)
        for (int64_t column = 0; column < COLUMNS; column++)
            copy_element(32, src, row * COLUMNS + column, turned, column * ROWS + row);
}

static void check_no_object_left(void) {
    const char *kind;
    int64_t left = layer->balance(&kind) - held;
    if (left)
        fail_msg("%d OpenCL objects were left, a %s among them", (int)left, kind);
}

/* Everything on a device of its own context, whose caller has let go of context and queue. */
static void one_is_a_device_like_any(void **state) {
    const parts *some = *state;
    bed it;
    clmove_device_info info = {.struct_size = sizeof info};
    clmove_buffer *from = NULL, *to = NULL;
    bed_make_on(&it, some->of[0], 0);
    ASSERT_CL(clReleaseCommandQueue(it.queue));
    ASSERT_CL(clReleaseContext(it.context));
    ASSERT_OK(clmove_device_get_info(it.device, &info, &error), &error);
    assert_int_equal(info.compute_units, 1);
    assert_int_equal(info.index, -1);
    make_bytes(1);
    clmove_plan *plan = make_plan(it.device, ROWS, COLUMNS);
    ASSERT_OK(clmove_run(plan, src, BYTES, got, BYTES, &error), &error);
    check_bytes(got, turned, BYTES, "run");
    const clmove_run_params params = {.struct_size = sizeof params, .piece_bytes = 1000};
    memset(got, 0x99, BYTES);
    ASSERT_OK(clmove_run_with(plan, src, BYTES, got, BYTES, &params, &error), &error);
    check_bytes(got, turned, BYTES, "run in pieces");
    ASSERT_OK(clmove_buffer_create(it.device, BYTES, &from, &error), &error);
    ASSERT_OK(clmove_buffer_create_pinned(it.device, BYTES, &to, &error), &error);
    ASSERT_OK(clmove_buffer_write(from, 0, src, BYTES, &error), &error);
    ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(from, 0), clmove_buffer_view(to, 0), NULL, &error), &error);
    memset(got, 0x99, BYTES);
    ASSERT_OK(clmove_buffer_read(to, 0, got, BYTES, &error), &error);
    check_bytes(got, turned, BYTES, "buffers");
    assert_int_equal(stats_of(it.device).host_runs, 0);
    clmove_buffer_destroy(&from);
    clmove_buffer_destroy(&to);
    clmove_plan_destroy(&plan);
    clmove_device_close(&it.device);
    check_no_object_left();
}

/* ---- two in one context ---- */

typedef struct part {
    cl_device_id id;
    cl_command_queue queue;
    clmove_device *device;
    clmove_plan *plan;
} part;

typedef struct pair {
    cl_context context;
    part of[2];
    unsigned logged;
} pair;

static void note(void *user, const char *text) {
    pair *it = user;
    it->logged++;
    fprintf(stderr, "%s\n", text);
}

static void make_pair(pair *it) {
    cl_int code;
    const clmove_device_params params = {.struct_size = sizeof params, .log = note, .log_user = it};
    *it = (pair){0};
    if (equal.count < 2)
        skip();
    it->context = clCreateContext(NULL, 2, equal.of, NULL, NULL, &code);
    ASSERT_CL(code);
    for (int i = 0; i < 2; i++) {
        it->of[i].id = equal.of[i];
        it->of[i].queue = clCreateCommandQueue(it->context, equal.of[i], 0, &code);
        ASSERT_CL(code);
        ASSERT_OK(clmove_device_open_opencl(it->context, equal.of[i], it->of[i].queue, &params, &it->of[i].device, &error),
                  &error);
    }
    it->of[0].plan = make_plan(it->of[0].device, ROWS, COLUMNS);
    it->of[1].plan = make_plan(it->of[1].device, COLUMNS, ROWS);
}

static void end_pair(pair *it) {
    ASSERT_CL(clReleaseContext(it->context));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stats_of(it->of[i].device).host_runs, 0);
        ASSERT_CL(clReleaseCommandQueue(it->of[i].queue));
        clmove_plan_destroy(&it->of[i].plan);
        clmove_device_close(&it->of[i].device);
    }
    assert_int_equal(it->logged, 0);
    check_no_object_left();
}

/* What one moved, the other moves back, after its event and on its own queue. */
static void two_share_a_context(void **state) {
    (void)state;
    pair it;
    cl_int code;
    make_pair(&it);
    for (uint32_t round = 0; round < 20; round++) {
        cl_mem memory[3];
        cl_event moved;
        make_bytes(round);
        for (int i = 0; i < 3; i++) {
            memory[i] = clCreateBuffer(it.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, src, &code);
            ASSERT_CL(code);
        }
        ASSERT_OK(enqueue_mem(it.of[0].plan, it.of[0].queue, memory[0], 0, memory[1], 0, 0, NULL, &moved, &error), &error);
        ASSERT_CL(clFlush(it.of[0].queue));
        ASSERT_OK(enqueue_mem(it.of[1].plan, it.of[1].queue, memory[1], 0, memory[2], 0, 1, &moved, NULL, &error), &error);
        ASSERT_CL(clEnqueueReadBuffer(it.of[1].queue, memory[2], CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
        check_bytes(got, src, BYTES, "there and back");
        ASSERT_CL(clEnqueueReadBuffer(it.of[0].queue, memory[1], CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
        check_bytes(got, turned, BYTES, "there");
        ASSERT_CL(clReleaseEvent(moved));
        for (int i = 0; i < 3; i++)
            ASSERT_CL(clReleaseMemObject(memory[i]));
    }
    end_pair(&it);
}

static void neither_is_the_other(void **state) {
    (void)state;
    pair it;
    cl_int code;
    make_pair(&it);
    clmove_device *opened = NULL;
    cl_mem memory = clCreateBuffer(it.context, CL_MEM_READ_WRITE, 2 * BYTES, NULL, &code);
    ASSERT_CL(code);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                 enqueue_mem(it.of[0].plan, it.of[1].queue, memory, 0, memory, BYTES, 0, NULL, NULL, &error), &error);
    assert_mentions(error.text, "another device of the context");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT,
                 clmove_device_open_opencl(it.context, it.of[0].id, it.of[1].queue, NULL, &opened, &error), &error);
    ASSERT_CL(clReleaseMemObject(memory));
    end_pair(&it);
}

/* A program belongs to both devices of its context, and is built, kept and loaded for one. */
static void programs_are_kept_for_one_of_two(void **state) {
    (void)state;
    char base[] = "/tmp/clmove-test-XXXXXX", command[64];
    assert_non_null(mkdtemp(base));
    setenv("XDG_CACHE_HOME", base, 1);
    setenv("CLMOVE_PROGRAM_CACHE", "1", 1);
    for (int again = 0; again < 2; again++) {
        pair it;
        make_pair(&it);
        int64_t built = 0, loaded = 0;
        for (int i = 0; i < 2; i++) {
            built += stats_of(it.of[i].device).programs_built;
            loaded += stats_of(it.of[i].device).programs_loaded;
        }
        assert_int_equal(built, again ? 0 : 1); /* the other takes it from there, as they are alike */
        assert_int_equal(loaded, again ? 2 : 1);
        make_bytes(7);
        ASSERT_OK(clmove_run(it.of[0].plan, src, BYTES, got, BYTES, &error), &error);
        check_bytes(got, turned, BYTES, "run");
        ASSERT_OK(clmove_run(it.of[1].plan, turned, BYTES, got, BYTES, &error), &error);
        check_bytes(got, src, BYTES, "run back");
        end_pair(&it);
    }
    unsetenv("XDG_CACHE_HOME");
    setenv("CLMOVE_PROGRAM_CACHE", "0", 1);
    snprintf(command, sizeof command, "rm -r %s", base);
    assert_int_equal(system(command), 0);
}

int main(int count, char **arguments) {
    void *found = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    layer = found ? dlsym(found, "faults_control") : NULL;
    if (!layer) {
        fprintf(stderr, "usage: OPENCL_LAYERS=LAYER.so test_sub_devices LAYER.so\n");
        return 2;
    }
    equal.count = bed_split((const cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, equal.of, 8);
    counted.count = bed_split((const cl_device_partition_property[]){CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0}, counted.of, 8);
    held = equal.count + counted.count;
    if (layer->created() == 0) {
        printf("sub_devices: skipped: the OpenCL loader does not load layers (ocl-icd does from 2.3.0 on)\n");
        return EXIT_SKIPPED;
    }
    setenv("CLMOVE_PROGRAM_CACHE", "0", 1);
    const struct CMUnitTest tests[] = {
        {.name = "one of equal parts", .test_func = one_is_a_device_like_any, .initial_state = &equal},
        {.name = "one part by count", .test_func = one_is_a_device_like_any, .initial_state = &counted},
        cmocka_unit_test(two_share_a_context),
        cmocka_unit_test(neither_is_the_other),
        cmocka_unit_test(programs_are_kept_for_one_of_two),
    };
    return cmocka_run_group_tests_name("sub_devices", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
