/* SPDX-License-Identifier: Apache-2.0 */
#include "journey.h"

#include <clmove/advice.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Several devices may fail at the same time. */
static void note(void *user, const char *text) {
    static pthread_mutex_t one_by_one = PTHREAD_MUTEX_INITIALIZER;
    journey *it = user;
    pthread_mutex_lock(&one_by_one);
    it->logged++;
    snprintf(it->log_text, sizeof it->log_text, "%s", text);
    pthread_mutex_unlock(&one_by_one);
}

/* So that auto, which leaves to the host what it does faster, leaves it nothing. */
static void make_host_slow(clmove_device *device) {
    calibrate_as(device, 1000, 0);
}

const char *journey_finish_call(void) {
    clmove_device_info first = {.struct_size = sizeof first};
    int64_t count;
    int version = 0;
    assert_int_equal(clmove_device_list(&first, 1, &count, NULL), CLMOVE_OK);
    bool is_pocl = strcmp(first.platform, "Portable Computing Language") == 0;
    return is_pocl && sscanf(first.driver, "%d", &version) == 1 && version >= 6 ? "clWaitForEvents" : "clFinish";
}

clmove_status journey_open(journey *it, const char *selector, bool allow_fallback) {
    clmove_status status = journey_open_list(it, selector, allow_fallback);
    if (status == CLMOVE_OK)
        make_host_slow(it->device);
    return status;
}

clmove_status journey_open_list(journey *it, const char *selector, bool allow_fallback) {
    *it = (journey){.src = fenced_create(JOURNEY_BYTES, 0, 1), .dst = fenced_create(JOURNEY_BYTES, 0, 2)};
    for (int64_t row = 0; row < JOURNEY_ROWS; row++)
        for (int64_t column = 0; column < JOURNEY_COLUMNS; column++)
            copy_element(32, it->src.data, row * JOURNEY_COLUMNS + column, fenced_expected(&it->dst),
                         column * JOURNEY_ROWS + row);
    clmove_device_params params = {.struct_size = sizeof params, .selector = selector, .allow_fallback = allow_fallback};
    params.profile = true; /* so that there are events to lose */
    params.log = note;
    params.log_user = it;
    return clmove_device_open(&params, &it->device, &it->error);
}

clmove_status journey_plan(journey *it) {
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){JOURNEY_ROWS, JOURNEY_COLUMNS}, &it->error), &it->error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &it->error), &it->error);
    return clmove_plan_create(it->device, &map, NULL, &it->plan, &it->error);
}

clmove_status journey_run(journey *it) {
    memset(it->dst.data, 0x99, JOURNEY_BYTES);
    return clmove_run(it->plan, it->src.data, JOURNEY_BYTES, it->dst.data, JOURNEY_BYTES, &it->error);
}

/* Moves through buffers, with clmove_measure where there are times to fill. */
static clmove_status move_buffers(journey *it, clmove_times *times) {
    clmove_buffer *src = NULL, *dst = NULL;
    memset(it->dst.data, 0x99, JOURNEY_BYTES);
    clmove_status status = clmove_buffer_create(it->device, JOURNEY_BYTES, &src, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_create(it->device, JOURNEY_BYTES, &dst, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_write(src, 0, it->src.data, JOURNEY_BYTES, &it->error);
    if (status == CLMOVE_OK)
        status = times ? clmove_measure(it->plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), times, &it->error)
                       : clmove_enqueue(it->plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_device_finish(it->device, &it->error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_read(dst, 0, it->dst.data, JOURNEY_BYTES, &it->error);
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    return status;
}

clmove_status journey_enqueue(journey *it) {
    return move_buffers(it, NULL);
}

clmove_status journey_measure(journey *it) {
    clmove_times times = {sizeof times, -5, -5};
    clmove_status status = move_buffers(it, &times);
    if (status == CLMOVE_OK && (times.host_seconds <= 0 || times.device_seconds < 0))
        fail_msg("%g s on the host, %g s on the device", times.host_seconds, times.device_seconds);
    return status;
}

void journey_check_bytes(journey *it) {
    fenced_check(&it->dst, "destination");
    fenced_check(&it->src, "source");
}

void journey_check_fallback(journey *it, const char *why) {
    clmove_plan_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_plan_get_info(it->plan, &info, &it->error), &it->error);
    assert_int_equal(info.executor, CLMOVE_EXECUTOR_HOST);
    assert_int_equal(info.launches, 0);
    assert_mentions(info.fallback, why);
    assert_int_equal(it->logged, 1);
    assert_string_equal(it->log_text, info.fallback);
    clmove_device_stats stats = stats_of(it->device);
    assert_true(stats.host_runs > 0);
    assert_int_equal(stats.kernels_run, 0);
}

void journey_end(journey *it) {
    clmove_plan_destroy(&it->plan);
    clmove_device_close(&it->device);
    fenced_destroy(&it->src);
    fenced_destroy(&it->dst);
}
