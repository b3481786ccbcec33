/* Whether a device shares the host's memory: who is asked, and what each answer makes of runs, buffers and facts:
 * test_sharing LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <stdlib.h>
#include <string.h>

/* A call of the probe that fails, from its nth on; 0: none does. */
typedef struct refusal {
    const char *function;
    unsigned nth;
} refusal;

/* Opens a device, of which a call fails meanwhile, and moves on it: everything says the same of memory that it shares at
 * multiples of this, 0 for none. Gives how many calls failed. */
static unsigned check_opened(const char *selector, const refusal *refused, size_t alignment) {
    clmove_memory_info memory = {.struct_size = sizeof memory};
    clmove_device_info info = {.struct_size = sizeof info};
    clmove_buffer_info wrapped = {.struct_size = sizeof wrapped};
    clmove_buffer *buffer = NULL;
    clmove_run_info run = {.struct_size = sizeof run};
    const clmove_run_params params = {.struct_size = sizeof params, .info = &run};
    if (refused->nth)
        faults->arm(refused->function, refused->nth, CL_OUT_OF_RESOURCES, true);
    ASSERT_OK(journey_open(&way, selector, false), &way.error);
    unsigned fired = refused->nth ? faults->fired() : 0;
    faults->disarm();
    ASSERT_OK(clmove_device_get_memory(way.device, &memory, &way.error), &way.error);
    ASSERT_OK(clmove_device_get_info(way.device, &info, &way.error), &way.error);
    assert_int_equal(memory.shares_host_memory, alignment > 0);
    assert_int_equal(info.host_unified, alignment > 0);
    assert_int_equal(memory.zero_copy_alignment, alignment);
    assert_int_equal(memory.zero_copy_multiple, alignment > 1 ? 64 : alignment);

    ASSERT_OK(journey_plan(&way), &way.error);
    ASSERT_OK(clmove_run_with(way.plan, way.src.data, JOURNEY_BYTES, way.dst.data, JOURNEY_BYTES, &params, &way.error),
              &way.error);
    journey_check_bytes(&way);
    assert_int_equal(run.method,
                     alignment == 1 ? CLMOVE_RUN_IN_PLACE : CLMOVE_RUN_STAGED); /* the journey's memory begins anywhere */
    uint8_t *page = aligned_alloc(4096, 4096);
    assert_non_null(page);
    memset(page, 1, 4096);
    ASSERT_OK(clmove_buffer_wrap(way.device, page, 4096, &buffer, &way.error), &way.error);
    ASSERT_OK(clmove_buffer_get_info(buffer, &wrapped, &way.error), &way.error);
    assert_int_equal(wrapped.zero_copy, alignment > 0);
    clmove_buffer_destroy(&buffer);
    free(page);
    journey_end(&way);
    check_no_object_left();
    return fired;
}

static const refusal none = {0};

static void a_processor_shares(void **state) {
    (void)state;
    check_opened("cpu", &none, 1);
}

/* Whatever the probe cannot do makes the device one that does not share, and is no error. */
static void a_probe_that_fails_is_no_error(void **state) {
    (void)state;
    const char *finish = journey_finish_call();
    const refusal refusals[] = {
        {"clCreateCommandQueue", 2}, /* after the device's own */
        {"clCreateBuffer", 1},
        {"clEnqueueCopyBuffer", 1},
        {"clEnqueueCopyBuffer", 2},
        {finish, 1},
        {finish, 2},
        {finish, 3},
        {"clEnqueueMapBuffer", 1},
        {"clEnqueueUnmapMemObject", 1},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        print_message("%s %u\n", refusals[i].function, refusals[i].nth);
        assert_true(check_opened("cpu", &refusals[i], 0) > 0);
    }
}

/* Nor does a device share whose writes the host does not see, or where mapping or unmapping changes what the host wrote. */
static void a_driver_that_restores_other_bytes_does_not_share(void **state) {
    (void)state;
    static const char *const functions[] = {"clEnqueueCopyBuffer", "clEnqueueMapBuffer", "clEnqueueUnmapMemObject"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        print_message("%s\n", functions[i]);
        faults->spoil(functions[i]);
        check_opened("cpu", &none, 0);
    }
}

/* One that asks for aligned memory may still be one that shares it. */
static void a_gpu_shares_pages(void **state) {
    (void)state;
    faults->pretend(true, 0);
    faults->share(true);
    check_opened("gpu", &none, 4096);
    assert_true(check_opened("gpu", &(refusal){"clEnqueueCopyBuffer", 1}, 0) > 0);
}

static void a_gpu_with_memory_of_its_own_is_not_probed(void **state) {
    (void)state;
    faults->pretend(true, 0);
    assert_int_equal(check_opened("gpu", &(refusal){"clCreateBuffer", 1}, 0), 0);
    assert_int_equal(check_opened("gpu", &(refusal){"clEnqueueCopyBuffer", 1}, 0), 0);
}

static void the_environment_goes_over_the_probe(void **state) {
    (void)state;
    setenv("CLMOVE_IN_PLACE", "0", 1);
    assert_int_equal(check_opened("cpu", &(refusal){"clCreateBuffer", 1}, 0), 0);
    setenv("CLMOVE_IN_PLACE", "1", 1);
    assert_int_equal(check_opened("cpu", &(refusal){"clCreateBuffer", 1}, 1), 0);
    faults->pretend(true, 0);
    check_opened("gpu", &none, 4096);
    setenv("CLMOVE_IN_PLACE", "yes", 1);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, journey_open(&way, "gpu", true), &way.error); /* no reason to fall back */
    assert_mentions(way.error.text, "CLMOVE_IN_PLACE is \"yes\"");
}

static int clean_up(void **state) {
    unsetenv("CLMOVE_IN_PLACE");
    return layer_clean_up(state);
}

int main(int count, char **arguments) {
    unsetenv("CLMOVE_IN_PLACE");
    int missing = layer_find("sharing", "cpu", count, arguments);
    if (missing)
        return missing;
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_processor_shares, clean_up),
        cmocka_unit_test_teardown(a_probe_that_fails_is_no_error, clean_up),
        cmocka_unit_test_teardown(a_driver_that_restores_other_bytes_does_not_share, clean_up),
        cmocka_unit_test_teardown(a_gpu_shares_pages, clean_up),
        cmocka_unit_test_teardown(a_gpu_with_memory_of_its_own_is_not_probed, clean_up),
        cmocka_unit_test_teardown(the_environment_goes_over_the_probe, clean_up),
    };
    return cmocka_run_group_tests_name("sharing", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
