/* Buffers of every kind: written and read, moved, filled, copied.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api_subject.h"

#include <stdlib.h>
#include <string.h>

static clmove_error error;

static void all_kinds_are_written_and_read(void **state) {
    (void)state;
    for (kind which = DEVICE; which < KINDS; which++) {
        subject it = subject_begin(which, 1);
        subject_check(&it);
        static const size_t places[][2] = {{0, 1}, {1, 1}, {17, 5}, {BYTES - 1, 1}, {4095, 130}, {3, BYTES - 7}, {0, BYTES}};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            size_t offset = places[i][0], bytes = places[i][1];
            unsigned char noise[BYTES];
            fill_noise(noise, BYTES, 2 + (uint32_t)i);
            memcpy(it.expected + offset, noise, bytes);
            ASSERT_OK(clmove_buffer_write(it.buffer, offset, noise, bytes, &error), &error);
            subject_check(&it);
        }
        subject_end(&it);
    }
}

/* What a plan reads and writes, of every kind to every kind. */
static void all_kinds_are_moved(void **state) {
    (void)state;
    clmove_map map;
    ASSERT_OK(clmove_map_init(&map, 32, 2, (const int64_t[]){64, 32}, &error), &error);
    ASSERT_OK(clmove_map_permute(&map, 2, (const int64_t[]){1, 0}, &error), &error);
    for (kind from = DEVICE; from < KINDS; from++)
        for (kind to = DEVICE; to < KINDS; to++) {
            subject src = subject_begin(from, 3), dst = subject_begin(to, 4);
            clmove_buffer_destroy(&dst.buffer); /* on the device of the source */
            clmove_pool_destroy(&dst.pool);
            clmove_device_close(&dst.on);
            dst.on = src.on;
            if (to == PINNED)
                ASSERT_OK(clmove_buffer_create_pinned(dst.on, BYTES, &dst.buffer, &error), &error);
            else if (dst.wrapped)
                ASSERT_OK(clmove_buffer_wrap(dst.on, dst.wrapped, BYTES, &dst.buffer, &error), &error);
            else
                dst.buffer = api_buffer(dst.on, BYTES);
            clmove_plan *plan = api_plan(src.on, &map);
            for (int64_t i = 0; i < 32; i++)
                for (int64_t k = 0; k < 64; k++)
                    copy_element(32, src.expected, k * 32 + i, dst.expected, i * 64 + k);
            for (int twice = 0; twice < 2; twice++) {
                ASSERT_OK(
                    clmove_enqueue(plan, clmove_buffer_view(src.buffer, 0), clmove_buffer_view(dst.buffer, 0), NULL, &error),
                    &error);
                subject_check(&dst);
                subject_check(&src);
            }
            clmove_plan_destroy(&plan);
            clmove_buffer_destroy(&dst.buffer);
            free(dst.memory);
            subject_end(&src);
        }
}

static void all_kinds_are_filled(void **state) {
    (void)state;
    static const size_t patterns[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 64, 100, 127, 128, 129, 256, 1000};
    unsigned char pattern[1000];
    fill_noise(pattern, sizeof pattern, 8);
    for (kind which = DEVICE; which < KINDS; which++) {
        subject it = subject_begin(which, 9);
        for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
            size_t length = patterns[i];
            for (size_t offset = 0; offset < 3; offset++)
                for (size_t times = 0; times < 8; times += 1 + times / 2) {
                    size_t at = offset == 2 ? 2 * length : offset, bytes = times * length;
                    if (bytes > BYTES - at)
                        continue;
                    for (size_t k = 0; k < bytes; k++)
                        it.expected[at + k] = pattern[k % length];
                    ASSERT_OK(clmove_buffer_fill(it.buffer, at, bytes, pattern, length, &error), &error);
                }
            subject_check(&it);
        }
        ASSERT_OK(clmove_buffer_fill(it.buffer, BYTES, 0, pattern, 3, &error), &error);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clmove_buffer_fill(it.buffer, 0, 100, pattern, 3, &error), &error);
        assert_mentions(error.text, "100");
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_fill(it.buffer, 1, BYTES, pattern, 1, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_fill(it.buffer, SIZE_MAX - 1, 4, pattern, 1, &error), &error);
        subject_check(&it);
        subject_end(&it);
    }
}

/* More than is written at once. */
static void large_fills_are_whole(void **state) {
    (void)state;
    static const size_t patterns[] = {3, 7, 100, 70001, 4};
    const size_t bytes = 1000033;
    unsigned char *pattern = malloc(70001), *expected = malloc(bytes), *got = malloc(bytes);
    assert_true(pattern && expected && got);
    fill_noise(pattern, 70001, 10);
    fill_noise(expected, bytes, 11);
    clmove_buffer *buffer = api_buffer(api_device, bytes);
    ASSERT_OK(clmove_buffer_write(buffer, 0, expected, bytes, &error), &error);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        size_t length = patterns[i], filled = (bytes - 20) / length * length;
        for (size_t k = 0; k < filled; k++)
            expected[13 + k] = pattern[k % length];
        ASSERT_OK(clmove_buffer_fill(buffer, 13, filled, pattern, length, &error), &error);
        ASSERT_OK(clmove_buffer_read(buffer, 0, got, bytes, &error), &error);
        check_bytes(got, expected, bytes, "filled");
    }
    clmove_buffer_destroy(&buffer);
    free(pattern);
    free(expected);
    free(got);
}

static void all_kinds_are_copied(void **state) {
    (void)state;
    clmove_map map = api_map();
    for (kind which = DEVICE; which < KINDS; which++) {
        subject it = subject_begin(which, 12);
        clmove_plan *plan = api_plan(it.on, &map);
        clmove_buffer *other = api_buffer(it.on, BYTES), *pinned = NULL, *foreign = api_buffer(api_device, BYTES);
        unsigned char got[BYTES], expected[BYTES];
        ASSERT_OK(clmove_buffer_create_pinned(it.on, BYTES, &pinned, &error), &error);
        for (int with_device = 0; with_device < 2; with_device++) {
            if (with_device) { /* once when the host has what is pinned, and once when the device has */
                ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(other, 0), clmove_buffer_view(pinned, 0), NULL, &error),
                          &error);
                ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(it.buffer, 0), clmove_buffer_view(other, 0), NULL, &error),
                          &error);
            }
            ASSERT_OK(clmove_buffer_copy(it.buffer, 0, other, 0, BYTES, &error), &error);
            ASSERT_OK(clmove_buffer_copy(it.buffer, 3, other, 500, 1001, &error), &error);
            memcpy(expected, it.expected, BYTES);
            memcpy(expected + 500, it.expected + 3, 1001);
            ASSERT_OK(clmove_buffer_read(other, 0, got, BYTES, &error), &error);
            check_bytes(got, expected, BYTES, "copied");
            ASSERT_OK(clmove_buffer_copy(other, 0, pinned, 0, BYTES, &error), &error);
            ASSERT_OK(clmove_buffer_copy(pinned, 499, it.buffer, 1, 2001, &error), &error);
            memcpy(it.expected + 1, expected + 499, 2001);
            subject_check(&it);
            ASSERT_OK(clmove_buffer_copy(it.buffer, 0, it.buffer, 4000, 4000, &error), &error); /* side by side */
            memcpy(it.expected + 4000, it.expected, 4000);
            subject_check(&it);
        }
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(it.buffer, 0, it.buffer, 3999, 4000, &error), &error);
        assert_mentions(error.text, "overlap");
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(it.buffer, 3999, it.buffer, 0, 4000, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(it.buffer, 7, it.buffer, 7, 1, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(it.buffer, 1, other, 0, BYTES, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(it.buffer, 0, other, 1, BYTES, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(it.buffer, 0, foreign, 0, 1, &error), &error);
        assert_mentions(error.text, "different devices");
        ASSERT_OK(clmove_buffer_copy(it.buffer, BYTES, other, 5, 0, &error), &error);
        subject_check(&it);
        clmove_plan_destroy(&plan);
        clmove_buffer_destroy(&other);
        clmove_buffer_destroy(&pinned);
        clmove_buffer_destroy(&foreign);
        subject_end(&it);
    }
}

static void wrapped_memory_that_overlaps_is_noticed(void **state) {
    (void)state;
    clmove_map map = api_map();
    clmove_plan *plan = api_plan(api_device, &map);
    unsigned char memory[3 * API_BYTES];
    clmove_buffer *first = NULL, *second = NULL, *apart = NULL;
    fill_noise(memory, sizeof memory, 13);
    ASSERT_OK(clmove_buffer_wrap(api_device, memory, API_BYTES, &first, &error), &error);
    ASSERT_OK(clmove_buffer_wrap(api_device, memory + API_BYTES - 1, API_BYTES, &second, &error), &error);
    ASSERT_OK(clmove_buffer_wrap(api_device, memory + API_BYTES, API_BYTES, &apart, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                 clmove_enqueue(plan, clmove_buffer_view(first, 0), clmove_buffer_view(second, 0), NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                 clmove_enqueue(plan, clmove_buffer_view(second, 0), clmove_buffer_view(first, 0), NULL, &error), &error);
    ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(first, 0, second, 0, API_BYTES, &error), &error);
    ASSERT_OK(clmove_buffer_copy(first, 0, second, 1, API_BYTES - 1, &error), &error);
    ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(first, 0), clmove_buffer_view(apart, 0), NULL, &error), &error);
    clmove_buffer_destroy(&first); /* which waits */
    clmove_buffer_destroy(&second);
    clmove_buffer_destroy(&apart);
    clmove_plan_destroy(&plan);
}

static void empty_buffers_are_buffers(void **state) {
    (void)state;
    clmove_pool *pool = NULL;
    ASSERT_OK(clmove_pool_create(api_device, 0, &pool, &error), &error);
    for (kind which = DEVICE; which < KINDS; which++) {
        clmove_buffer *buffer = NULL;
        void *mapped = NULL;
        if (which == PINNED)
            ASSERT_OK(clmove_buffer_create_pinned(api_device, 0, &buffer, &error), &error);
        else if (which == ZERO_COPY || which == STAGED)
            ASSERT_OK(clmove_buffer_wrap(api_device, which == STAGED ? NULL : &pool, 0, &buffer, &error), &error);
        else if (which == POOLED)
            ASSERT_OK(clmove_pool_take(pool, 0, &buffer, &error), &error);
        else
            buffer = api_buffer(api_device, 0);
        ASSERT_OK(clmove_buffer_write(buffer, 0, NULL, 0, &error), &error);
        ASSERT_OK(clmove_buffer_read(buffer, 0, NULL, 0, &error), &error);
        ASSERT_OK(clmove_buffer_fill(buffer, 0, 0, "x", 1, &error), &error);
        ASSERT_OK(clmove_buffer_copy(buffer, 0, buffer, 0, 0, &error), &error);
        ASSERT_OK(clmove_buffer_map(buffer, CLMOVE_ACCESS_READ_WRITE, 0, 0, &mapped, &error), &error);
        assert_non_null(mapped);
        ASSERT_OK(clmove_buffer_unmap(buffer, mapped, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_map(buffer, CLMOVE_ACCESS_READ, 0, 1, &mapped, &error), &error);
        clmove_buffer_destroy(&buffer);
    }
    clmove_pool_destroy(&pool);
}

int api_buffer_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_are_written_and_read), cmocka_unit_test(all_kinds_are_moved),
        cmocka_unit_test(all_kinds_are_filled),           cmocka_unit_test(large_fills_are_whole),
        cmocka_unit_test(all_kinds_are_copied),           cmocka_unit_test(wrapped_memory_that_overlaps_is_noticed),
        cmocka_unit_test(empty_buffers_are_buffers),
    };
    return cmocka_run_group_tests_name("buffers", tests, NULL, NULL);
}
