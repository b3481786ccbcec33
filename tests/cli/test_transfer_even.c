/* From where on a way is the faster one, worked out from seconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/even.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(int64_t found, int64_t from) {
    assert_int_equal(found, from);
}

/* 10 repeats were measured. A way has to be faster by more than 5 %. */
static void repeats(void **state) {
    (void)state;
    const double r = 10;
    /* Moving takes no time: x s of uploading against 1.05 s. */
    expect(transfer_even_repeats(&(transfer_seconds){.upload_src = 1, .upload_dst = 10}, r), 2);
    /* Moving is the same: 0.25 (1 + x) + x > 1.05 (1 + 0.25 (1 + x)) from 1.0625 / 0.9875 x on. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 2.75, .device = 2.75, .upload_src = 1, .upload_dst = 10}, r), 2);
    /* The device is faster: always. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 11, .device = 1, .upload_src = 1, .upload_dst = 10}, r),
           TRANSFER_ALWAYS);
    /* The host moves in no time, the device in 0.5 s for each source's worth of bytes, 1 + x of them, and the link takes 1 s for
     * each: x > 1.05 (1 + 0.5 (1 + x)) from 1.575 / 0.475 = 3.3 on. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 0, .device = 5.5, .upload_src = 1, .upload_dst = 10}, r), 4);
    /* By more than the link takes: never. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 0, .device = 12, .upload_src = 1, .upload_dst = 10}, r),
           TRANSFER_NEVER);
    /* No link at all: the faster one is better, and within 5 % they are even. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 2, .device = 1}, r), TRANSFER_ALWAYS);
    expect(transfer_even_repeats(&(transfer_seconds){.host = 1, .device = 2}, r), TRANSFER_NEVER);
    expect(transfer_even_repeats(&(transfer_seconds){.host = 1.04, .device = 1}, r), TRANSFER_NEVER);
    expect(transfer_even_repeats(&(transfer_seconds){.host = 1.06, .device = 1}, r), TRANSFER_ALWAYS);
}

/* The same workload in three runs, moved as fast by either, give or take 4 %: the same answer. */
static void noise(void **state) {
    (void)state;
    for (int i = -1; i <= 1; i++) {
        const transfer_seconds it = {.host = 2.5 * (1 + 0.04 * i), .device = 2.5, .upload_src = 0.15, .upload_dst = 4.8};
        expect(transfer_even_repeats(&it, 32), 2);
        expect(transfer_even_bytes(&it, 1000000), TRANSFER_NEVER);
        expect(transfer_even_moves(&it), TRANSFER_NEVER);
    }
}

static void bytes(void **state) {
    (void)state;
    /* 1.5005 us of launch, 1 ns a byte by the device and 2.05 by the host: 1.05 times the launch is gained at 1575.5 bytes. */
    expect(transfer_even_bytes(&(transfer_seconds){.host = 2.05e-3, .device = 1.0015005e-3, .launch = 1.5005e-6}, 1000000), 1576);
    expect(transfer_even_bytes(&(transfer_seconds){.host = 2e-3, .device = 1e-3}, 1000000), TRANSFER_ALWAYS);
    expect(transfer_even_bytes(&(transfer_seconds){.host = 1e-3, .device = 2e-3, .launch = 1e-6}, 1000000), TRANSFER_NEVER);
    /* On a slow link moving twice as fast is nothing: 102 s against 101. Uploads of as many bytes are even, whatever they took.
     */
    expect(transfer_even_bytes(&(transfer_seconds){.host = 2, .device = 1, .upload_src = 100, .upload_dst = 100}, 1000000),
           TRANSFER_NEVER);
    expect(transfer_even_bytes(&(transfer_seconds){.host = 2, .device = 2, .upload_src = 1, .upload_dst = 3}, 1000000),
           TRANSFER_NEVER);
}

static void moves(void **state) {
    (void)state;
    /* 1.05 (5 + n) < 3 n from 5.25 / 1.95 = 2.7 on. */
    expect(transfer_even_moves(&(transfer_seconds){.host = 3, .device = 1, .upload_src = 5}), 3);
    expect(transfer_even_moves(&(transfer_seconds){.host = 3, .device = 1, .upload_src = 0.5}), TRANSFER_ALWAYS);
    expect(transfer_even_moves(&(transfer_seconds){.host = 1, .device = 1, .upload_src = 0.5}), TRANSFER_NEVER);
    expect(transfer_even_moves(&(transfer_seconds){.host = 1, .device = 2, .upload_src = 0.5}), TRANSFER_NEVER);
    expect(transfer_even_moves(&(transfer_seconds){.host = 1.04, .device = 1, .upload_src = 0.5}), TRANSFER_NEVER);
    expect(transfer_even_moves(&(transfer_seconds){.host = 1.05 * (1 + 1e-16), .device = 1, .upload_src = 1}), TRANSFER_NEVER);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeats), cmocka_unit_test(noise), cmocka_unit_test(bytes),
                                       cmocka_unit_test(moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
