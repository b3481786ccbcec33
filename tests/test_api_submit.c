/* Views, wait lists and events, without OpenCL's own objects: the same on every device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 3, GAP = 52 }; /* tensors in a buffer, and bytes before and between them */

static clmove_error error;

static size_t place_of(int i) {
    return GAP + (size_t)i * (API_BYTES + GAP);
}

static bool is_complete(clmove_event *event) {
    bool complete = false;
    ASSERT_OK(clmove_event_is_complete(api_device, event, &complete, &error), &error);
    return complete;
}

/* Each tensor of a buffer to another place of a second one, in a chain of events; the bytes between stay. */
static void slices_are_moved(void **state) {
    (void)state;
    enum { ALL = PLACES * (API_BYTES + GAP) + GAP };
    unsigned char src[ALL], dst[ALL], expected[ALL], got[ALL];
    clmove_map map = api_map();
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_buffer *from = api_buffer(api_device, ALL), *to = api_buffer(api_device, ALL);
    clmove_event *written = NULL, *filled = NULL, *moved[PLACES], *read = NULL;
    fill_noise(src, ALL, 1), fill_noise(dst, ALL, 2);
    memcpy(expected, dst, ALL);
    memset(got, 0, ALL);
    clmove_submission first = {.struct_size = sizeof first, .event = &written};
    ASSERT_OK(clmove_enqueue_write(from, 0, src, ALL, &first, &error), &error);
    first.event = &filled;
    ASSERT_OK(clmove_enqueue_write(to, 0, dst, ALL, &first, &error), &error);
    clmove_event *before[] = {written, filled};
    for (int i = 0; i < PLACES; i++) {
        const int other = (i + 1) % PLACES;
        const clmove_submission next = {.struct_size = sizeof next, .waits = 2, .wait_list = before, .event = &moved[i]};
        api_transpose(src + place_of(i), expected + place_of(other));
        ASSERT_OK(
            clmove_enqueue(plan, clmove_buffer_view(from, place_of(i)), clmove_buffer_view(to, place_of(other)), &next, &error),
            &error);
    }
    const clmove_submission last = {.struct_size = sizeof last, .waits = PLACES, .wait_list = moved, .event = &read};
    ASSERT_OK(clmove_enqueue_read(to, 0, got, ALL, &last, &error), &error);
    clmove_plan_destroy(&plan);
    clmove_buffer_destroy(&from);
    ASSERT_OK(clmove_event_wait(api_device, read, &error), &error);
    assert_true(is_complete(read));
    assert_true(is_complete(written));
    check_bytes(got, expected, ALL, "slices");
    clmove_buffer_destroy(&to);
    clmove_event_release(api_device, &written);
    clmove_event_release(api_device, &filled);
    for (int i = 0; i < PLACES; i++)
        clmove_event_release(api_device, &moved[i]);
    clmove_event_release(api_device, &read);
    assert_null(read);
    clmove_event_release(api_device, &read);
    clmove_event_release(NULL, NULL);
}

/* Within one buffer too, where the two do not overlap. */
static void one_buffer_is_both(void **state) {
    (void)state;
    unsigned char bytes[2 * API_BYTES], got[API_BYTES], expected[API_BYTES];
    clmove_map map = api_map();
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_buffer *buffer = api_buffer(api_device, sizeof bytes);
    fill_noise(bytes, sizeof bytes, 3);
    api_transpose(bytes, expected);
    ASSERT_OK(clmove_buffer_write(buffer, 0, bytes, sizeof bytes, &error), &error);
    const clmove_view lower = clmove_buffer_view(buffer, 0), upper = clmove_buffer_view(buffer, API_BYTES);
    const clmove_view overlapping = clmove_buffer_view(buffer, API_BYTES - 1);
    ASSERT_OK(clmove_enqueue(plan, lower, upper, NULL, &error), &error);
    ASSERT_OK(clmove_buffer_read(buffer, API_BYTES, got, API_BYTES, &error), &error);
    check_bytes(got, expected, API_BYTES, "one buffer");
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_enqueue(plan, lower, overlapping, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_enqueue(plan, lower, lower, NULL, &error), &error);
    clmove_buffer_destroy(&buffer);
    clmove_plan_destroy(&plan);
}

static void pieces_are_mapped(void **state) {
    (void)state;
    unsigned char got[100];
    clmove_buffer *buffer = api_buffer(api_device, 100);
    clmove_event *mapped = NULL, *unmapped = NULL;
    clmove_submission mapping = {.struct_size = sizeof mapping, .event = &mapped};
    clmove_submission unmapping = {.struct_size = sizeof unmapping, .event = &unmapped};
    void *memory = NULL;
    ASSERT_OK(clmove_enqueue_map(buffer, CLMOVE_ACCESS_WRITE, 0, 100, &mapping, &memory, &error), &error);
    ASSERT_OK(clmove_event_wait(api_device, mapped, &error), &error);
    fill_noise(memory, 100, 4);
    ASSERT_OK(clmove_enqueue_unmap(buffer, memory, &unmapping, &error), &error);
    ASSERT_OK(clmove_event_wait(api_device, unmapped, &error), &error);
    ASSERT_OK(clmove_buffer_read(buffer, 0, got, 100, &error), &error);
    unsigned char expected[100];
    fill_noise(expected, 100, 4);
    check_bytes(got, expected, 100, "mapped");
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue_map(buffer, CLMOVE_ACCESS_READ, 0, 1, NULL, &memory, &error), &error);
    assert_mentions(error.text, "event");
    clmove_event_release(api_device, &mapped);
    clmove_event_release(api_device, &unmapped);
    clmove_buffer_destroy(&buffer);
}

/* What moves nothing leaves events too, which come after what they wait for. */
static void nothing_leaves_an_event(void **state) {
    (void)state;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 8, 2, (const int64_t[]){0, 3}, &error), &error);
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_buffer *from = api_buffer(api_device, 8), *to = api_buffer(api_device, 8);
    clmove_event *first = NULL, *second = NULL;
    clmove_submission submission = {.struct_size = sizeof submission, .event = &first};
    ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(from, 0), clmove_buffer_view(to, 0), &submission, &error), &error);
    assert_non_null(first);
    submission = (clmove_submission){.struct_size = sizeof submission, .waits = 1, .wait_list = &first, .event = &second};
    ASSERT_OK(clmove_enqueue_write(to, 8, NULL, 0, &submission, &error), &error);
    ASSERT_OK(clmove_event_wait(api_device, second, &error), &error);
    assert_true(is_complete(first));
    clmove_event_release(api_device, &first);
    clmove_event_release(api_device, &second);
    clmove_buffer_destroy(&from);
    clmove_buffer_destroy(&to);
    clmove_plan_destroy(&plan);
}

static void what_is_wrong_is_said(void **state) {
    (void)state;
    clmove_map map = api_map();
    clmove_plan *plan = api_plan(api_device, &map);
    clmove_device *other = api_another_device();
    clmove_buffer *from = api_buffer(api_device, API_BYTES), *to = api_buffer(api_device, API_BYTES),
                  *far = api_buffer(other, API_BYTES);
    clmove_event *const nothing[1] = {NULL};
    clmove_event *event = NULL;
    const clmove_view src = clmove_buffer_view(from, 0), dst = clmove_buffer_view(to, 0), zero = {{0}};
    const clmove_view none = clmove_buffer_view(NULL, 7), foreign = clmove_buffer_view(far, 0);
    const clmove_view late = clmove_buffer_view(from, 1), beyond = clmove_buffer_view(from, API_BYTES + 1);
    const struct {
        const clmove_plan *plan;
        const clmove_view *src, *dst;
        clmove_submission submission;
        clmove_status status;
        const char *said;
    } wrong[] = {
        {NULL, &src, &dst, {0}, CLMOVE_INVALID_ARGUMENT, "plan is NULL"},
        {plan, &none, &dst, {0}, CLMOVE_INVALID_ARGUMENT, "the source is a view of no memory"},
        {plan, &src, &zero, {0}, CLMOVE_INVALID_ARGUMENT, "the destination is a view of no memory"},
        {plan, &late, &dst, {0}, CLMOVE_BAD_BUFFER, "96 bytes, and the map reads 96 from byte 1 on"},
        {plan, &beyond, &dst, {0}, CLMOVE_BAD_BUFFER, "from byte 97 on"},
        {plan, &src, &foreign, {0}, CLMOVE_BAD_BUFFER, "destination is a buffer of another device"},
        {plan, &src, &dst, {.waits = 1}, CLMOVE_INVALID_ARGUMENT, "wait_list is NULL"},
        {plan, &src, &dst, {.wait_list = nothing}, CLMOVE_INVALID_ARGUMENT, "wait_list is not NULL"},
        {plan, &src, &dst, {.waits = 1, .wait_list = nothing}, CLMOVE_INVALID_ARGUMENT, "event 0 of the 1"},
        {plan, &src, &dst, {.waits = -1, .wait_list = nothing}, CLMOVE_INVALID_ARGUMENT, "-1 events"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        clmove_submission submission = wrong[i].submission;
        submission.struct_size = sizeof submission;
        submission.event = &event;
        clmove_status status =
            clmove_enqueue((clmove_plan *)(uintptr_t)wrong[i].plan, *wrong[i].src, *wrong[i].dst, &submission, &error);
        if (status != wrong[i].status || !strstr(error.text, wrong[i].said))
            fail_msg("%s: %s: %s", wrong[i].said, clmove_status_text(status), error.text);
        assert_null(event);
    }
    bool complete;
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_event_wait(api_device, NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_event_is_complete(api_device, NULL, &complete, &error), &error);
    { /* an event of the host's; where the device is the host, of another one */
        clmove_device *host = open_device("host");
        clmove_buffer *there = api_buffer(host, API_BYTES);
        unsigned char bytes[API_BYTES] = {0};
        clmove_submission given = {.struct_size = sizeof given, .event = &event};
        ASSERT_OK(clmove_enqueue_write(there, 0, bytes, sizeof bytes, &given, &error), &error);
        clmove_event *theirs = event, *own = NULL;
        given = (clmove_submission){.struct_size = sizeof given, .waits = 1, .wait_list = &theirs};
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue(plan, src, dst, &given, &error), &error);
        assert_mentions(error.text, "event 0 of the 1 to wait for is of another device");
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_event_wait(api_device, theirs, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_event_is_complete(api_device, theirs, &complete, &error), &error);
        given = (clmove_submission){.struct_size = sizeof given, .event = &own};
        ASSERT_OK(clmove_enqueue_write(from, 0, bytes, sizeof bytes, &given, &error), &error);
        given = (clmove_submission){.struct_size = sizeof given, .waits = 1, .wait_list = &own};
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue_read(there, 0, bytes, sizeof bytes, &given, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_event_wait(host, own, &error), &error);
        ASSERT_OK(clmove_event_wait(api_device, own, &error), &error);
        clmove_event_release(host, &own); /* refused */
        assert_non_null(own);
        clmove_event_release(api_device, &own);
        clmove_event_release(host, &theirs);
        event = NULL;
        clmove_buffer_destroy(&there);
        clmove_device_close(&host);
    }
    if (api_type_of(api_device) == CLMOVE_DEVICE_HOST) {
        clmove_submission queued = {.struct_size = sizeof queued, .queue = (clmove_queue *)(void *)from};
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_enqueue(plan, src, dst, &queued, &error), &error);
    }
    clmove_buffer_destroy(&far);
    clmove_buffer_destroy(&from);
    clmove_buffer_destroy(&to);
    clmove_plan_destroy(&plan);
    clmove_device_close(&other);
}

/* Large enough that a queue keeps what it cannot do at once: each step reads what the one before wrote, and the buffers go
 * before it is done. */
static void work_goes_on_without_its_buffers(void **state) {
    (void)state;
    enum { ROWS = 512, COLUMNS = 384, ALL = ROWS * COLUMNS * 4, STEPS = 6 };
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){ROWS, COLUMNS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    clmove_map back_map;
    ASSERT_OK(clmove_map_init(&back_map, 32, 2, (const int64_t[]){COLUMNS, ROWS}, &error), &error);
    ASSERT_OK(clmove_map_permute(&back_map, 2, (const int64_t[]){1, 0}, &error), &error);
    unsigned char *src = malloc(ALL), *dst = calloc(1, ALL);
    assert_non_null(src);
    assert_non_null(dst);
    fill_noise(src, ALL, 5);
    clmove_plan *there = api_plan(api_device, &map), *back = api_plan(api_device, &back_map);
    clmove_buffer *at = api_buffer(api_device, ALL);
    clmove_event *done = NULL;
    ASSERT_OK(clmove_enqueue_write(at, 0, src, ALL, NULL, &error), &error);
    for (int step = 0; step < STEPS; step++) {
        clmove_buffer *next = api_buffer(api_device, ALL);
        ASSERT_OK(clmove_enqueue(step % 2 ? back : there, clmove_buffer_view(at, 0), clmove_buffer_view(next, 0), NULL, &error),
                  &error);
        clmove_buffer_destroy(&at);
        at = next;
    }
    clmove_plan_destroy(&there);
    clmove_plan_destroy(&back);
    const clmove_submission last = {.struct_size = sizeof last, .event = &done};
    ASSERT_OK(clmove_enqueue_read(at, 0, dst, ALL, &last, &error), &error);
    clmove_buffer_destroy(&at);
    ASSERT_OK(clmove_event_wait(api_device, done, &error), &error);
    check_bytes(dst, src, ALL, "there and back");
    clmove_event_release(api_device, &done);
    free(src);
    free(dst);
}

int api_submit_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_moved),      cmocka_unit_test(one_buffer_is_both),
        cmocka_unit_test(pieces_are_mapped),     cmocka_unit_test(nothing_leaves_an_event),
        cmocka_unit_test(what_is_wrong_is_said), cmocka_unit_test(work_goes_on_without_its_buffers),
    };
    return cmocka_run_group_tests_name("submissions", tests, NULL, NULL);
}
