/* SPDX-License-Identifier: Apache-2.0 */
#include "test_api_subject.h"

#include <stdlib.h>
#include <string.h>

static clmove_error error;

/* Memory of the caller's that is, or is not, as zero-copy wants it. */
static void wrap(subject *it, bool zero_copy) {
    clmove_memory_info memory = api_memory_of(it->on);
    clmove_buffer_info info = {.struct_size = sizeof info};
    void *whole = NULL;
    assert_int_equal(posix_memalign(&whole, 4096, 2 * 4096 + BYTES), 0);
    it->memory = whole;
    it->wrapped = it->memory + (zero_copy ? 4096 : 4096 + 60);
    memcpy(it->wrapped, it->expected, BYTES);
    ASSERT_OK(clmove_buffer_wrap(it->on, it->wrapped, BYTES, &it->buffer, &error), &error);
    ASSERT_OK(clmove_buffer_get_info(it->buffer, &info, &error), &error);
    assert_int_equal(info.memory, CLMOVE_MEMORY_WRAPPED);
    assert_int_equal(info.zero_copy, memory.zero_copy_alignment == 1 || (memory.zero_copy_alignment > 1 && zero_copy));
    assert_int_equal(api_memory_of(it->on).used_bytes, info.zero_copy ? 0 : BYTES);
}

subject subject_begin(kind which, uint32_t seed) {
    subject it = {.which = which, .on = api_open_with_budget(1 << 20)};
    clmove_buffer_info info = {.struct_size = sizeof info};
    fill_noise(it.expected, BYTES, seed);
    if (which == ZERO_COPY || which == STAGED) {
        wrap(&it, which == ZERO_COPY);
        return it;
    }
    if (which == PINNED)
        ASSERT_OK(clmove_buffer_create_pinned(it.on, BYTES, &it.buffer, &error), &error);
    else if (which == POOLED) {
        ASSERT_OK(clmove_pool_create(it.on, 1 << 20, &it.pool, &error), &error);
        ASSERT_OK(clmove_pool_take(it.pool, BYTES, &it.buffer, &error), &error);
        clmove_buffer_destroy(&it.buffer); /* so that what follows is on memory that was used before */
        ASSERT_OK(clmove_pool_take(it.pool, BYTES, &it.buffer, &error), &error);
    } else
        it.buffer = api_buffer(it.on, BYTES);
    ASSERT_OK(clmove_buffer_write(it.buffer, 0, it.expected, BYTES, &error), &error);
    ASSERT_OK(clmove_buffer_get_info(it.buffer, &info, &error), &error);
    assert_int_equal(info.bytes, BYTES);
    assert_int_equal(info.memory, which == PINNED ? CLMOVE_MEMORY_PINNED : CLMOVE_MEMORY_DEVICE);
    assert_false(info.zero_copy);
    assert_int_equal(api_memory_of(it.on).used_bytes, BYTES);
    return it;
}

void subject_check(subject *it) {
    unsigned char got[BYTES];
    void *mapped = NULL;
    ASSERT_OK(clmove_buffer_read(it->buffer, 0, got, BYTES, &error), &error);
    check_bytes(got, it->expected, BYTES, "read");
    ASSERT_OK(clmove_buffer_map(it->buffer, CLMOVE_ACCESS_READ, 0, BYTES, &mapped, &error), &error);
    check_bytes(mapped, it->expected, BYTES, "mapped");
    if (it->wrapped) {
        assert_ptr_equal(mapped, it->wrapped);
        check_bytes(it->wrapped, it->expected, BYTES, "wrapped");
    }
    ASSERT_OK(clmove_buffer_unmap(it->buffer, mapped, &error), &error);
}

void subject_end(subject *it) {
    clmove_buffer_destroy(&it->buffer);
    clmove_pool_destroy(&it->pool);
    assert_int_equal(api_memory_of(it->on).used_bytes, 0);
    clmove_device_close(&it->on);
    free(it->memory);
}
