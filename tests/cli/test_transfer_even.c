/* Where two ways take the same time, worked out from seconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/cli/bench_transfer_even.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(transfer_even found, transfer_verdict verdict, int64_t from) {
    assert_int_equal(found.verdict, verdict);
    if (verdict == TRANSFER_FROM)
        assert_int_equal(found.from, from);
}

/* A link of 1 s for the source; 10 repeats were measured. Without a link only moving would count, with an equal one only bytes.
 */
static void repeats(void **state) {
    (void)state;
    const double r = 10;
    /* Moving is the same: one byte less over the link is enough. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 3, .device = 3, .upload_src = 1, .upload_dst = 10}, r),
           TRANSFER_FROM, 2);
    /* The device is faster: always. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 11, .device = 1, .upload_src = 1, .upload_dst = 10}, r),
           TRANSFER_ALWAYS, 0);
    /* The host is faster by 0.5 s for each source's worth of bytes moved, 1 + x of them, and the link takes 1 s for each:
     * x - 1 > 0.5 (1 + x) from x = 3 on, where they are even. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 0, .device = 5.5, .upload_src = 1, .upload_dst = 10}, r),
           TRANSFER_FROM, 4);
    /* By more than the link takes: never. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 0, .device = 12, .upload_src = 1, .upload_dst = 10}, r),
           TRANSFER_NEVER, 0);
    /* No link at all: whoever moves faster. */
    expect(transfer_even_repeats(&(transfer_seconds){.host = 2, .device = 1}, r), TRANSFER_ALWAYS, 0);
    expect(transfer_even_repeats(&(transfer_seconds){.host = 1, .device = 2}, r), TRANSFER_NEVER, 0);
}

static void bytes(void **state) {
    (void)state;
    /* 1.5005 us of launch, and 1 ns a byte less: even at 1500.5 bytes. */
    expect(transfer_even_bytes(&(transfer_seconds){.host = 2e-3, .device = 1.0015005e-3, .launch = 1.5005e-6}, 1000000),
           TRANSFER_FROM, 1501);
    expect(transfer_even_bytes(&(transfer_seconds){.host = 2e-3, .device = 1e-3}, 1000000), TRANSFER_ALWAYS, 0);
    expect(transfer_even_bytes(&(transfer_seconds){.host = 1e-3, .device = 2e-3, .launch = 1e-6}, 1000000), TRANSFER_NEVER, 0);
}

static void moves(void **state) {
    (void)state;
    expect(transfer_even_moves(&(transfer_seconds){.host = 3, .device = 1, .upload_src = 5}), TRANSFER_FROM, 3);
    expect(transfer_even_moves(&(transfer_seconds){.host = 3, .device = 1, .upload_src = 0.5}), TRANSFER_ALWAYS, 0);
    expect(transfer_even_moves(&(transfer_seconds){.host = 1, .device = 1, .upload_src = 0.5}), TRANSFER_NEVER, 0);
    expect(transfer_even_moves(&(transfer_seconds){.host = 1, .device = 2, .upload_src = 0.5}), TRANSFER_NEVER, 0);
    expect(transfer_even_moves(&(transfer_seconds){.host = 1 + 1e-17, .device = 1, .upload_src = 1}), TRANSFER_NEVER, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeats), cmocka_unit_test(bytes), cmocka_unit_test(moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
