/* Buffers of every kind, mapped: what the host reads and writes, and what nobody may do meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_api_subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static clmove_error error;

static void all_kinds_are_mapped(void **state) {
    (void)state;
    for (kind which = DEVICE; which < KINDS; which++) {
        subject it = subject_begin(which, 5);
        unsigned char noise[BYTES];
        void *first = NULL, *second = NULL, *third = NULL;
        fill_noise(noise, BYTES, 6);
        /* All of a piece that is mapped for writing. */
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_WRITE, 33, 1001, &first, &error), &error);
        memcpy(first, noise, 1001);
        memcpy(it.expected + 33, noise, 1001);
        ASSERT_OK(clmove_buffer_unmap(it.buffer, first, &error), &error);
        subject_check(&it);
        /* Some of one that is mapped for both; the rest keeps its value. */
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_READ_WRITE, 5, BYTES - 5, &first, &error), &error);
        check_bytes(first, it.expected + 5, BYTES - 5, "mapped for both");
        ((unsigned char *)first)[77] ^= 0x5a;
        it.expected[5 + 77] ^= 0x5a;
        ASSERT_OK(clmove_buffer_unmap(it.buffer, first, &error), &error);
        subject_check(&it);
        /* Pieces that share nothing go together, and so do those for reading. */
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_WRITE, 0, 100, &first, &error), &error);
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_READ_WRITE, 100, 100, &second, &error), &error);
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_READ, 200, 100, &third, &error), &error);
        memcpy(first, noise + 2000, 100);
        memcpy(it.expected, noise + 2000, 100);
        memcpy(second, noise + 3000, 100);
        memcpy(it.expected + 100, noise + 3000, 100);
        check_bytes(third, it.expected + 200, 100, "third");
        ASSERT_OK(clmove_buffer_unmap(it.buffer, second, &error), &error);
        ASSERT_OK(clmove_buffer_unmap(it.buffer, first, &error), &error);
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_READ, 150, 100, &first, &error), &error);
        check_bytes(first, it.expected + 150, 100, "first");
        ASSERT_OK(clmove_buffer_unmap(it.buffer, third, &error), &error);
        ASSERT_OK(clmove_buffer_unmap(it.buffer, first, &error), &error);
        subject_check(&it);
        /* Nothing can be mapped, too, beside anything. */
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_WRITE, 0, BYTES, &first, &error), &error);
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_WRITE, 7, 0, &second, &error), &error);
        assert_non_null(second);
        ASSERT_OK(clmove_buffer_unmap(it.buffer, second, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_unmap(it.buffer, second, &error), &error);
        memcpy(first, noise, BYTES);
        memcpy(it.expected, noise, BYTES);
        ASSERT_OK(clmove_buffer_unmap(it.buffer, first, &error), &error);
        subject_check(&it);
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_READ_WRITE, 0, BYTES, &first, &error), &error);
        subject_end(&it); /* while it is mapped */
    }
}

static void what_is_mapped_is_left_alone(void **state) {
    (void)state;
    clmove_map map = api_map();
    for (kind which = DEVICE; which < KINDS; which++) {
        subject it = subject_begin(which, 7);
        clmove_plan *plan = api_plan(it.on, &map);
        clmove_buffer *other = api_buffer(it.on, BYTES);
        unsigned char bytes[BYTES];
        void *mapped = NULL, *again = bytes;
        ASSERT_OK(clmove_buffer_write(other, 0, it.expected, BYTES, &error), &error);
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_READ_WRITE, 40, 16, &mapped, &error), &error);
        static const size_t meeting[][2] = {{40, 16}, {0, BYTES}, {55, 1}, {39, 2}};
        for (size_t i = 0; i < sizeof meeting / sizeof *meeting; i++)
            for (int access = CLMOVE_ACCESS_READ; access <= CLMOVE_ACCESS_READ_WRITE; access++)
                ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                             clmove_buffer_map(it.buffer, (clmove_access)access, meeting[i][0], meeting[i][1], &again, &error),
                             &error);
        assert_ptr_equal(again, bytes);
        assert_mentions(error.text, "16 bytes from 40 on");
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_write(it.buffer, 100, bytes, 1, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_read(it.buffer, 100, bytes, 1, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_fill(it.buffer, 100, 1, "x", 1, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(it.buffer, 0, other, 0, 1, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_copy(other, 0, it.buffer, 0, 1, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                     clmove_enqueue(plan, clmove_buffer_view(it.buffer, 0), clmove_buffer_view(other, 0), NULL, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                     clmove_enqueue(plan, clmove_buffer_view(other, 0), clmove_buffer_view(it.buffer, 0), NULL, &error), &error);
        assert_mentions(error.text, "written is mapped: 16 of its 8192 bytes from 40 on");
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_unmap(it.buffer, (char *)mapped + 1, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_unmap(other, mapped, &error), &error);
        /* Its memory is host memory like any other: staging for other buffers. */
        ASSERT_OK(clmove_buffer_write(other, 3, mapped, 16, &error), &error);
        ASSERT_OK(clmove_buffer_read(other, 3, mapped, 16, &error), &error);
        ASSERT_OK(clmove_buffer_unmap(it.buffer, mapped, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER, clmove_buffer_unmap(it.buffer, mapped, &error), &error);
        subject_check(&it);
        /* Mapped for reading, it can be read; but pinned memory is the host's or the device's. */
        ASSERT_OK(clmove_buffer_map(it.buffer, CLMOVE_ACCESS_READ, 40, 16, &mapped, &error), &error);
        ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                     clmove_enqueue(plan, clmove_buffer_view(other, 0), clmove_buffer_view(it.buffer, 0), NULL, &error), &error);
        if (which == PINNED)
            ASSERT_FAILS(CLMOVE_BAD_BUFFER,
                         clmove_enqueue(plan, clmove_buffer_view(it.buffer, 0), clmove_buffer_view(other, 0), NULL, &error),
                         &error);
        else {
            ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(it.buffer, 0), clmove_buffer_view(other, 0), NULL, &error), &error);
            ASSERT_OK(clmove_buffer_copy(it.buffer, 0, other, 0, 1, &error), &error);
            ASSERT_OK(clmove_buffer_read(it.buffer, 0, bytes, BYTES, &error), &error);
            check_bytes(bytes, it.expected, BYTES, "read while mapped");
        }
        ASSERT_OK(clmove_buffer_unmap(it.buffer, mapped, &error), &error);
        ASSERT_OK(clmove_enqueue(plan, clmove_buffer_view(it.buffer, 0), clmove_buffer_view(other, 0), NULL, &error), &error);
        subject_check(&it);
        clmove_plan_destroy(&plan);
        clmove_buffer_destroy(&other);
        subject_end(&it);
    }
}

/* What the system says of the memory around an address: whether it was asked for huge pages (the flag hg). */
static bool was_asked_for_huge_pages(const void *at) {
    char line[512];
    bool here = false, asked = false;
    FILE *file = fopen("/proc/self/smaps", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        uintptr_t first, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2)
            here = first <= (uintptr_t)at && (uintptr_t)at < end;
        else if (here && strncmp(line, "VmFlags:", 8) == 0)
            asked = strstr(line, " hg") != NULL;
    }
    fclose(file);
    return asked;
}

/* Systems without them refuse, and qemu-user says nothing of them. */
static bool tells_huge_pages(void) {
#ifdef MADV_HUGEPAGE
    const size_t bytes = (size_t)4 << 20;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    const bool tells = madvise(at, bytes, MADV_HUGEPAGE) == 0 && was_asked_for_huge_pages(at);
    munmap(at, bytes);
    return tells;
#else
    return false;
#endif
}

static void large_memory_is_asked_for_in_huge_pages(void **state) {
    (void)state;
    enum { MIB = 1 << 20 };
    void *mapped = NULL;
    clmove_buffer *buffer = NULL;
    clmove_device_info info = {.struct_size = sizeof info};
    ASSERT_OK(clmove_device_get_info(api_device, &info, &error), &error);
    const bool is_known = info.type == CLMOVE_DEVICE_HOST || strstr(info.platform, "Portable Computing Language");
    if (!is_known || info.type == CLMOVE_DEVICE_GPU || !info.host_unified || !tells_huge_pages())
        skip(); /* the memory is not the host's, rusticl maps a copy, or the system does not say how memory is */
    for (int pinned = 0; pinned < 2; pinned++) {
        ASSERT_OK((pinned ? clmove_buffer_create_pinned : clmove_buffer_create)(api_device, 9 * MIB, &buffer, &error), &error);
        ASSERT_OK(clmove_buffer_map(buffer, CLMOVE_ACCESS_WRITE, 0, 9 * MIB, &mapped, &error), &error);
        assert_true(was_asked_for_huge_pages((char *)mapped + 4 * MIB));
        ASSERT_OK(clmove_buffer_unmap(buffer, mapped, &error), &error);
        clmove_buffer_destroy(&buffer);
    }
}

int api_mapping_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_are_mapped),
        cmocka_unit_test(what_is_mapped_is_left_alone),
        cmocka_unit_test(large_memory_is_asked_for_in_huge_pages),
    };
    return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
