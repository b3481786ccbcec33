/* Structs of parameters of older and newer versions: each is taken one field shorter, down to its size alone, and longer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static clmove_error error;

/* A struct that a newer version has: as it is known here, and fields behind. */
typedef struct room {
    _Alignas(16) unsigned char bytes[512];
} room;

static room room_of(const void *params, size_t known, size_t size) {
    room made = {0};
    memcpy(made.bytes, params, known);
    memcpy(made.bytes, &size, sizeof size);
    return made;
}

static clmove_status use_device_params(const void *params) {
    clmove_device *opened = NULL;
    clmove_status status = clmove_device_open(params, &opened, &error);
    clmove_device_close(&opened);
    return status;
}

static clmove_status use_plan_params(const void *params) {
    clmove_map map = api_map();
    clmove_plan *plan = NULL;
    clmove_status status = clmove_plan_create(api_device, &map, params, &plan, &error);
    clmove_plan_destroy(&plan);
    return status;
}

static clmove_status use_run_params(const void *params) {
    clmove_map map = api_map();
    clmove_plan *plan = NULL;
    unsigned char src[4096] = {0}, dst[4096];
    assert_true(clmove_map_src_bytes(&map) <= (int64_t)sizeof src && clmove_map_dst_bytes(&map) <= (int64_t)sizeof dst);
    ASSERT_OK(clmove_plan_create(api_device, &map, NULL, &plan, &error), &error);
    clmove_status status = clmove_run_with(plan, src, sizeof src, dst, sizeof dst, params, &error);
    clmove_plan_destroy(&plan);
    return status;
}

static clmove_status use_submission(const void *params) {
    clmove_buffer *buffer = NULL;
    unsigned char bytes[8] = {0};
    ASSERT_OK(clmove_buffer_create(api_device, sizeof bytes, &buffer, &error), &error);
    clmove_status status = clmove_enqueue_write(buffer, 0, bytes, sizeof bytes, params, &error);
    ASSERT_OK(clmove_device_finish(api_device, NULL), &error);
    clmove_buffer_destroy(&buffer);
    return status;
}

#define FIELD(type, field)                                                                                                       \
    { #type "." #field, offsetof(type, field) }

/* Where each field begins is where a version without it ended, but for padding. */
static const struct {
    const char *name;
    size_t size;
} device_fields[] = {FIELD(clmove_device_params, selector), FIELD(clmove_device_params, allow_fallback),
                     FIELD(clmove_device_params, threads),  FIELD(clmove_device_params, log),
                     FIELD(clmove_device_params, log_user), FIELD(clmove_device_params, profile),
                     FIELD(clmove_device_params, tuning),   FIELD(clmove_device_params, memory_budget)},
  plan_fields[] = {FIELD(clmove_plan_params, variant), FIELD(clmove_plan_params, index_bits), FIELD(clmove_plan_params, tuning)},
  run_fields[] = {FIELD(clmove_run_params, progress),    FIELD(clmove_run_params, progress_user),
                  FIELD(clmove_run_params, piece_bytes), FIELD(clmove_run_params, info),
                  FIELD(clmove_run_params, spread),      FIELD(clmove_run_params, spread_user),
                  FIELD(clmove_run_params, spread_parts)},
  submission_fields[] = {FIELD(clmove_submission, queue), FIELD(clmove_submission, waits), FIELD(clmove_submission, wait_list),
                         FIELD(clmove_submission, event)};

/* What does not belong to the struct is not read: it would be an error there. */
#define CHECK_SHORTER(use, params, fields)                                                                                       \
    for (size_t i = 0; i < sizeof(fields) / sizeof *(fields); i++) {                                                             \
        room shorter = room_of(&(params), (fields)[i].size, (fields)[i].size);                                                   \
        memset(shorter.bytes + (fields)[i].size, 0xa5, sizeof shorter - (fields)[i].size);                                       \
        if (use(&shorter) != CLMOVE_OK)                                                                                          \
            fail_msg("without %s: %s", (fields)[i].name, error.text);                                                            \
    }

static void check_longer(clmove_status (*use)(const void *params), const void *params, size_t size, const char *name) {
    room longer = room_of(params, size, size + 24);
    assert_int_equal(use(&longer), CLMOVE_OK);
    longer.bytes[size + 17] = 1;
    assert_int_equal(use(&longer), CLMOVE_INVALID_ARGUMENT);
    assert_mentions(error.text, name);
    static const size_t none[] = {0, 3, sizeof(size_t) - 1, sizeof(size_t) + 1, SIZE_MAX / 2 - 7};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        room odd = room_of(params, size, none[i]);
        assert_int_equal(use(&odd), CLMOVE_INVALID_ARGUMENT);
        assert_mentions(error.text, "struct_size");
    }
}

static void structs_of_any_version_are_taken(void **state) {
    (void)state;
    clmove_device_params device = {.struct_size = sizeof device, .selector = "host"};
    clmove_plan_params plan = {.struct_size = sizeof plan};
    clmove_run_params run = {.struct_size = sizeof run};
    clmove_submission submission = {.struct_size = sizeof submission};
    setenv("CLMOVE_DEVICE", "host", 1); /* of those without a selector */
    CHECK_SHORTER(use_device_params, device, device_fields);
    CHECK_SHORTER(use_plan_params, plan, plan_fields);
    CHECK_SHORTER(use_run_params, run, run_fields);
    CHECK_SHORTER(use_submission, submission, submission_fields);
    check_longer(use_device_params, &device, sizeof device, "clmove_device_params");
    check_longer(use_plan_params, &plan, sizeof plan, "clmove_plan_params");
    check_longer(use_run_params, &run, sizeof run, "clmove_run_params");
    check_longer(use_submission, &submission, sizeof submission, "clmove_submission");
    unsetenv("CLMOVE_DEVICE");
}

int api_params_tests(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(structs_of_any_version_are_taken)};
    return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
