/* Structs that are filled, of older and newer versions: each one field shorter, down to its size alone, and longer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <clmove/advice.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static clmove_error error;

/* A struct of any version. */
typedef struct room {
    _Alignas(16) unsigned char bytes[2048];
} room;

static clmove_status fill_device_info(void *it) {
    return clmove_device_get_info(api_device, it, &error);
}

static clmove_status fill_device_stats(void *it) {
    return clmove_device_get_stats(api_device, it, &error);
}

static clmove_status fill_calibration_info(void *it) {
    return clmove_device_get_calibration_info(api_device, it, &error);
}

static clmove_status fill_memory_info(void *it) {
    return clmove_device_get_memory(api_device, it, &error);
}

static clmove_status fill_of_plan(clmove_status (*fill)(clmove_plan *plan, void *it), void *it) {
    clmove_map map = api_map();
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_status status = fill(plan, it);
    clmove_plan_destroy(&plan);
    return status;
}

static clmove_status plan_info(clmove_plan *plan, void *it) {
    return clmove_plan_get_info(plan, it, &error);
}

static clmove_status fill_plan_info(void *it) {
    return fill_of_plan(plan_info, it);
}

static clmove_status prediction(clmove_plan *plan, void *it) {
    return clmove_plan_predict(plan, it, &error);
}

static clmove_status fill_prediction(void *it) {
    return fill_of_plan(prediction, it);
}

static clmove_status advice(clmove_plan *plan, void *it) {
    return clmove_plan_advise(plan, CLMOVE_AT_HOST, CLMOVE_AT_DEVICE, it, &error);
}

static clmove_status fill_advice(void *it) {
    return fill_of_plan(advice, it);
}

static clmove_status run(clmove_plan *plan, void *it) {
    unsigned char src[API_BYTES] = {0}, dst[API_BYTES];
    const clmove_run_params params = {.struct_size = sizeof params, .info = it};
    return clmove_run_with(plan, src, sizeof src, dst, sizeof dst, &params, &error);
}

static clmove_status fill_run_info(void *it) {
    return fill_of_plan(run, it);
}

static clmove_status fill_nothing_run(void *it) {
    clmove_map map;
    int64_t none = 0;
    ASSERT_OK(clmove_map_init(&map, 32, 1, &none, &error), &error);
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_run_params params = {.struct_size = sizeof params, .info = it};
    clmove_status status = clmove_run_with(plan, NULL, 0, NULL, 0, &params, &error);
    clmove_plan_destroy(&plan);
    return status;
}

static clmove_status fill_of_buffer(clmove_status (*fill)(clmove_buffer *buffer, void *it), void *it) {
    clmove_buffer *buffer = api_buffer(api_device, 64);
    clmove_status status = fill(buffer, it);
    clmove_buffer_destroy(&buffer);
    return status;
}

static clmove_status buffer_info(clmove_buffer *buffer, void *it) {
    return clmove_buffer_get_info(buffer, it, &error);
}

static clmove_status fill_buffer_info(void *it) {
    return fill_of_buffer(buffer_info, it);
}

static clmove_status measured_write(clmove_buffer *buffer, void *it) {
    return clmove_measure_write(buffer, 0, "eight by", 8, it, &error);
}

static clmove_status fill_times_of_write(void *it) {
    return fill_of_buffer(measured_write, it);
}

static clmove_status measured_read(clmove_buffer *buffer, void *it) {
    char read[8];
    return clmove_measure_read(buffer, 0, read, 8, it, &error);
}

static clmove_status fill_times_of_read(void *it) {
    return fill_of_buffer(measured_read, it);
}

static clmove_status measured_run(clmove_plan *plan, void *it) {
    clmove_buffer *src = api_buffer(api_device, API_BYTES), *dst = api_buffer(api_device, API_BYTES);
    clmove_status status = clmove_measure(plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), it, &error);
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
    return status;
}

static clmove_status fill_times(void *it) {
    return fill_of_plan(measured_run, it);
}

static clmove_status fill_pool_info(void *it) {
    clmove_pool *pool = NULL;
    ASSERT_OK(clmove_pool_create(api_device, 0, &pool, &error), &error);
    clmove_status status = clmove_pool_get_info(pool, it, &error);
    clmove_pool_destroy(&pool);
    return status;
}

#define FILLED(fill, type, last)                                                                                                 \
    { #type, fill, sizeof(type), offsetof(type, last), sizeof((type *)NULL)->last }

/* The last field is missing in a struct that is one field shorter. */
static const struct output {
    const char *name;
    clmove_status (*fill)(void *it);
    size_t size, last, last_size;
} outputs[] = {
    FILLED(fill_device_info, clmove_device_info, refused),
    FILLED(fill_device_stats, clmove_device_stats, self_test_seconds),
    FILLED(fill_calibration_info, clmove_calibration_info, noise),
    FILLED(fill_memory_info, clmove_memory_info, zero_copy_multiple),
    FILLED(fill_plan_info, clmove_plan_info, fallback),
    FILLED(fill_run_info, clmove_run_info, move_seconds),
    FILLED(fill_nothing_run, clmove_run_info, move_seconds),
    FILLED(fill_buffer_info, clmove_buffer_info, zero_copy),
    FILLED(fill_pool_info, clmove_pool_info, misses),
    FILLED(fill_times, clmove_times, device_seconds),
    FILLED(fill_times_of_write, clmove_times, device_seconds),
    FILLED(fill_times_of_read, clmove_times, device_seconds),
    FILLED(fill_prediction, clmove_prediction, download_dst_seconds),
    FILLED(fill_advice, clmove_advice, ways),
};

enum { POISON = 0xa5 };

static bool is_poison(const room *it, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (it->bytes[i] != POISON)
            return false;
    return true;
}

/* Fills a struct of a size: what has to be there is, and nothing behind it; its size is what it was. */
static void fill_and_check(const struct output *it, size_t given, size_t filled) {
    room made;
    memset(made.bytes, POISON, sizeof made);
    memcpy(made.bytes, &given, sizeof given);
    if (it->fill(&made) != CLMOVE_OK)
        fail_msg("%s of %zu bytes: %s", it->name, given, error.text);
    size_t size;
    memcpy(&size, made.bytes, sizeof size);
    assert_int_equal(size, given);
    if (!is_poison(&made, filled, sizeof made))
        fail_msg("%s of %zu bytes: something is written behind them", it->name, given);
    for (size_t i = sizeof size; i < filled && i < it->last; i += sizeof size)
        if (is_poison(&made, i, i + sizeof size))
            fail_msg("%s of %zu bytes: byte %zu is not written", it->name, given, i);
    if (filled >= it->last + it->last_size && is_poison(&made, it->last, it->last + it->last_size))
        fail_msg("%s of %zu bytes: the last field is not written", it->name, given);
}

static void outputs_are_filled_as_far_as_there_is_room(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const struct output *it = &outputs[i];
        for (size_t size = sizeof(size_t); size < it->size; size += sizeof size) /* every field, and the middle of long ones */
            fill_and_check(it, size, size);
        fill_and_check(it, it->size, it->size);
        fill_and_check(it, it->size + 24, it->size);
        fill_and_check(it, 0, it->last + it->last_size);
        static const size_t none[] = {3, sizeof(size_t) - 1, sizeof(size_t) + 1};
        for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
            room made;
            memset(made.bytes, POISON, sizeof made);
            memcpy(made.bytes, &none[k], sizeof none[k]);
            assert_int_equal(it->fill(&made), CLMOVE_INVALID_ARGUMENT);
            assert_mentions(error.text, it->name);
            assert_true(is_poison(&made, sizeof none[k], sizeof made));
        }
    }
}

/* Ways are in an array within a struct, where they cannot have a size of their own: they have room to grow, which is 0 until a
 * version uses it. */
static void ways_have_room_to_grow(void **state) {
    (void)state;
    clmove_advice it;
    memset(&it, POISON, sizeof it);
    it.struct_size = sizeof it;
    ASSERT_OK(fill_advice(&it), &error);
    assert_in_range(it.count, 1, CLMOVE_MAX_WAYS);
    for (int way = 0; way < CLMOVE_MAX_WAYS; way++)
        for (size_t i = 0; i < sizeof it.ways[way].reserved / sizeof *it.ways[way].reserved; i++)
            assert_int_equal(it.ways[way].reserved[i], 0);
    assert_int_equal(offsetof(clmove_advice, ways) + sizeof it.ways, sizeof it); /* more of them may come at its end */
}

/* ---- arrays of them ---- */

enum { ENTRIES = 40 };

static clmove_status list_devices(void *entries, int64_t capacity, int64_t *count) {
    return clmove_device_list(entries, capacity, count, &error);
}

static clmove_status list_tuning(void *entries, int64_t capacity, int64_t *count) {
    return clmove_device_get_tuning(api_device, entries, capacity, count, &error);
}

/* All entries lie as far apart as the first says, and are the same as in an array of this version's. */
static void check_array(clmove_status (*list)(void *entries, int64_t capacity, int64_t *count), size_t known) {
    const size_t strides[] = {known - sizeof(size_t), known, known + 24, sizeof(size_t)}, bytes = ENTRIES * (known + 24) + 1;
    unsigned char *right = calloc(ENTRIES, known), *given = malloc(bytes);
    int64_t count = 0, again = 0;
    assert_true(right && given);
    memcpy(right, &known, sizeof known);
    ASSERT_OK(list(right, ENTRIES, &count), &error);
    assert_in_range(count, 1, ENTRIES);
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        size_t stride = strides[i], there = stride < known ? stride : known;
        memset(given, POISON, bytes);
        memcpy(given, &stride, sizeof stride);
        ASSERT_OK(list(given, count, &again), &error);
        assert_int_equal(again, count);
        for (size_t k = 0; k < (size_t)count; k++) {
            unsigned char *entry = given + k * stride;
            assert_memory_equal(entry, &stride, sizeof stride);
            assert_memory_equal(entry + sizeof stride, right + k * known + sizeof stride, there - sizeof stride);
            for (size_t behind = there; behind < stride; behind++)
                assert_int_equal(entry[behind], POISON);
        }
        assert_int_equal(given[(size_t)count * stride], POISON);
    }
    static const size_t none[] = {0, 3, sizeof(size_t) + 1};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        memset(given, POISON, bytes);
        memcpy(given, &none[i], sizeof none[i]);
        assert_int_equal(list(given, count, &again), CLMOVE_INVALID_ARGUMENT);
        assert_mentions(error.text, "struct_size");
        assert_int_equal(given[sizeof none[i]], POISON);
    }
    free(right);
    free(given);
}

static void arrays_lie_as_their_first_entry_says(void **state) {
    (void)state;
    check_array(list_devices, sizeof(clmove_device_info));
    check_array(list_tuning, sizeof(clmove_tuning_value));
}

int api_output_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_filled_as_far_as_there_is_room),
        cmocka_unit_test(ways_have_room_to_grow),
        cmocka_unit_test(arrays_lie_as_their_first_entry_says),
    };
    return cmocka_run_group_tests_name("outputs", tests, NULL, NULL);
}
