/* What goes on while a program is built: test_building LAYER.so SLOW.so, with OPENCL_LAYERS=SLOW.so:LAYER.so
 *
 * Plans that need another program are made and run; those that need the same one wait, and it is built once. A driver that puts
 * the build off to the first launch, which is the self-test's, keeps nobody waiting either. Nothing is judged by the clock: a
 * build is held until the test lets it go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"
#include "slow_build.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const slow_build_interface *slow;

#define SLOW "UNIT_BITS=32 " /* in the options of the program that is held */

/* A plan that transposes units of so many bits, made and run by one thread. */
typedef struct mover {
    pthread_t thread;
    bool has_thread;
    /* The id of the thread, for /proc. */
    atomic_int id;
    atomic_bool is_done;
    uint32_t bits;
    clmove_plan *plan;
    clmove_status status;
    clmove_error error;
    uint8_t src[JOURNEY_BYTES], dst[JOURNEY_BYTES];
} mover;

enum { WAITING = 3 };
static mover first, others[WAITING]; /* with threads of their own: one whose build is held, and others that need it, too */

static void move(mover *it) {
    const size_t each = it->bits / 8, bytes = each * JOURNEY_ROWS * JOURNEY_COLUMNS;
    clmove_map map;
    fill_noise(it->src, bytes, it->bits);
    it->status = clmove_map_init(&map, it->bits, 2, (const int64_t[]){JOURNEY_ROWS, JOURNEY_COLUMNS}, &it->error);
    if (it->status == CLMOVE_OK)
        it->status = clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &it->error);
    if (it->status == CLMOVE_OK)
        it->status = clmove_plan_create(way.device, &map, NULL, &it->plan, &it->error);
    if (it->status == CLMOVE_OK)
        it->status = clmove_run(it->plan, it->src, bytes, it->dst, bytes, &it->error);
}

/* Fails unless everything went well. */
static void check(mover *it) {
    const size_t each = it->bits / 8;
    ASSERT_OK(it->status, &it->error);
    for (size_t row = 0; row < JOURNEY_ROWS; row++)
        for (size_t column = 0; column < JOURNEY_COLUMNS; column++)
            assert_memory_equal(it->dst + (column * JOURNEY_ROWS + row) * each, it->src + (row * JOURNEY_COLUMNS + column) * each,
                                each);
}

static void *work(void *given) {
    mover *it = given;
    atomic_store(&it->id, (int)syscall(SYS_gettid));
    move(it);
    atomic_store(&it->is_done, true);
    return NULL;
}

static void start(mover *it, uint32_t bits) {
    memset(it, 0, sizeof *it);
    it->bits = bits;
    assert_int_equal(pthread_create(&it->thread, NULL, work, it), 0);
    it->has_thread = true;
}

/* Waits until a thread sleeps, and goes on sleeping: here it has nothing to sleep for but the build of another. */
static void wait_until_it_sleeps(mover *it) {
    const struct timespec moment = {.tv_nsec = 2000000};
    int asleep = 0;
    for (int polls = 0; asleep < 50; polls++) {
        char path[64], text[256] = "";
        nanosleep(&moment, NULL);
        assert_true(polls < 30000 && !atomic_load(&it->is_done));
        snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&it->id));
        FILE *file = fopen(path, "r");
        if (file && fgets(text, sizeof text, file) && strrchr(text, ')'))
            asleep = strncmp(strrchr(text, ')'), ") S", 3) == 0 ? asleep + 1 : 0;
        if (file)
            fclose(file);
    }
}

static void finish(mover *it) {
    if (it->has_thread)
        pthread_join(it->thread, NULL);
    it->has_thread = false;
    clmove_plan_destroy(&it->plan);
}

static void open_here(void) {
    ASSERT_OK(journey_open(&way, "cpu", false), &way.error);
}

static void close_here(unsigned programs) {
    const clmove_device_stats stats = stats_of(way.device);
    assert_int_equal(stats.programs_built, programs);
    assert_int_equal(stats.self_tests, programs);
    assert_int_equal(stats.host_runs, 0);
    journey_end(&way);
    check_no_object_left();
}

static void move_here(uint32_t bits) {
    static mover it;
    memset(&it, 0, sizeof it);
    it.bits = bits;
    move(&it);
    check(&it);
    clmove_plan_destroy(&it.plan);
}

static void others_go_on(void **state) {
    (void)state;
    for (int late = 0; late < 2; late++) {
        open_here();
        move_here(8);
        slow->hold(SLOW, late, CL_SUCCESS);
        start(&first, 32);
        assert_true(slow->await());
        move_here(8);  /* built before */
        move_here(16); /* built now */
        assert_int_equal(stats_of(way.device).self_tests, 2);
        assert_false(slow->gave_up());
        assert_false(atomic_load(&first.is_done));
        slow->let_go();
        finish(&first);
        check(&first);
        close_here(3);
    }
}

static void all_wait_for_one_build(void **state) {
    (void)state;
    for (int late = 0; late < 2; late++) {
        open_here();
        slow->hold(SLOW, late, CL_SUCCESS);
        start(&first, 32);
        assert_true(slow->await());
        for (int i = 0; i < WAITING; i++)
            start(&others[i], 32);
        for (int i = 0; i < WAITING; i++)
            wait_until_it_sleeps(&others[i]);
        assert_int_equal(slow->held(), 1);
        slow->let_go();
        finish(&first);
        check(&first);
        for (int i = 0; i < WAITING; i++) {
            finish(&others[i]);
            check(&others[i]);
        }
        close_here(1);
    }
}

/* All threads that wait for a build get its failure. A later one builds again. */
static void all_hear_of_one_failure(void **state) {
    (void)state;
    open_here();
    slow->hold(SLOW, false, CL_COMPILER_NOT_AVAILABLE);
    start(&first, 32);
    assert_true(slow->await());
    for (int i = 0; i < WAITING; i++)
        start(&others[i], 32);
    for (int i = 0; i < WAITING; i++)
        wait_until_it_sleeps(&others[i]);
    slow->let_go();
    finish(&first);
    assert_int_equal(first.status, CLMOVE_BUILD_FAILED);
    assert_int_equal(first.error.device_code, CL_COMPILER_NOT_AVAILABLE);
    assert_mentions(first.error.text, "does not build");
    for (int i = 0; i < WAITING; i++) {
        finish(&others[i]);
        assert_int_equal(others[i].status, first.status);
        assert_memory_equal(&others[i].error, &first.error, sizeof first.error);
    }
    assert_int_equal(slow->held(), 1);
    move_here(32);
    close_here(1);
}

/* A self-test that could not be made says nothing of the program: who waited for it makes it again. */
static void a_failed_test_is_made_again(void **state) {
    (void)state;
    open_here();
    slow->hold(SLOW, true, CL_OUT_OF_RESOURCES);
    start(&first, 32);
    assert_true(slow->await());
    start(&others[0], 32);
    wait_until_it_sleeps(&others[0]);
    slow->let_go();
    finish(&first);
    assert_int_equal(first.error.device_code, CL_OUT_OF_RESOURCES);
    finish(&others[0]);
    check(&others[0]);
    close_here(1);
}

static int clean_up(void **state) {
    slow->let_go();
    finish(&first);
    for (int i = 0; i < WAITING; i++)
        finish(&others[i]);
    return layer_clean_up(state);
}

int main(int count, char **arguments) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(others_go_on, clean_up),
        cmocka_unit_test_teardown(all_wait_for_one_build, clean_up),
        cmocka_unit_test_teardown(all_hear_of_one_failure, clean_up),
        cmocka_unit_test_teardown(a_failed_test_is_made_again, clean_up),
    };
    const int missing = layer_find("building", "cpu", count - 1, arguments);
    if (missing)
        return missing;
    void *layer = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    slow = layer ? dlsym(layer, "slow_build_control") : NULL;
    if (!slow) {
        fprintf(stderr, "building: FAILED: %s\n", dlerror());
        return EXIT_FAILURE;
    }
    return cmocka_run_group_tests_name("building", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
