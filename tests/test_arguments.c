/* Division by multiplication: the constants that kernels are given, against the definition of division.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* What OpenCL calls mul_hi, of halves. */
static uint64_t mul_hi_64(uint64_t a, uint64_t b) {
    const uint64_t low = UINT32_MAX, a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & low);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* As divide() in cl_kernels/move.h. */
static uint64_t divide_64(uint64_t x, const move_divisor_64 *by) {
    return by->magic ? mul_hi_64(x, by->magic) >> by->shift : x;
}

static uint32_t divide_32(uint32_t x, const move_divisor_32 *by) {
    return by->magic ? (uint32_t)((uint64_t)x * by->magic >> 32) >> by->shift : x;
}

static clm_arguments arguments_for(int64_t segments, uint32_t bits) {
    clm_arguments arguments;
    clm_launch_plan launch_plan;
    memset(&launch_plan, 0, sizeof launch_plan);
    launch_plan.index_bits = bits;
    launch_plan.unit_bits = 8;
    launch_plan.segments = segments;
    clm_arguments_set(&arguments, &launch_plan, 0, 0);
    return arguments;
}

static void check(uint64_t d, uint64_t x, uint32_t bits, const clm_arguments *arguments) {
    const uint64_t most = ((uint64_t)1 << (bits - 1)) - 1;
    if (x > most)
        return;
    const uint64_t got =
        bits == 64 ? divide_64(x, &arguments->as.wide.segments) : divide_32((uint32_t)x, &arguments->as.narrow.segments);
    if (got != x / d)
        fail_msg("%u bits: %llu / %llu is %llu, and the constants make it %llu", (unsigned)bits, (unsigned long long)x,
                 (unsigned long long)d, (unsigned long long)(x / d), (unsigned long long)got);
}

static uint64_t noise(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Dividends where quotients change, at both ends of the range and anywhere. */
static void check_divisor(uint64_t d, uint32_t bits) {
    const uint64_t most = ((uint64_t)1 << (bits - 1)) - 1;
    uint64_t state = d * 2 + 1;
    if (d < 1 || d > most)
        return;
    const clm_arguments arguments = arguments_for((int64_t)d, bits);
    assert_true((bits == 64 ? arguments.as.wide.segments.divisor : arguments.as.narrow.segments.divisor) == d);
    for (uint64_t near = 0; near < 3; near++) {
        check(d, near, bits, &arguments);
        check(d, most - near, bits, &arguments);
        check(d, d - 1 + near, bits, &arguments);
        check(d, most / d * d - 1 + near, bits, &arguments); /* beside the last multiple */
        check(d, most / d / 2 * d - 1 + near, bits, &arguments);
    }
    for (int i = 0; i < 32; i++) {
        const uint64_t multiple = noise(&state) % (most / d + 1) * d;
        check(d, multiple, bits, &arguments);
        check(d, multiple - 1, bits, &arguments);
        check(d, multiple + d - 1, bits, &arguments);
        check(d, noise(&state) & most, bits, &arguments);
    }
}

static void check_divisors(uint32_t bits) {
    uint64_t state = 0x9e3779b97f4a7c15;
    for (uint64_t d = 1; d < 5000; d++)
        check_divisor(d, bits);
    for (uint32_t power = 1; power < bits; power++)
        for (uint64_t near = 0; near < 9; near++)
            check_divisor(((uint64_t)1 << power) - 4 + near, bits);
    for (uint64_t near = 0; near < 9; near++)
        check_divisor((((uint64_t)1 << (bits - 1)) - 1) / (near + 2) + near % 3, bits);
    for (int i = 0; i < 20000; i++)
        check_divisor(noise(&state) >> (i % 64), bits);
}

static void test_divides_in_32_bits(void **state) {
    (void)state;
    check_divisors(32);
}

static void test_divides_in_64_bits(void **state) {
    (void)state;
    check_divisors(64);
}

/* Axes divide by their extents; units of less than a byte, by where they go. */
static void test_axes(void **state) {
    (void)state;
    clm_arguments arguments;
    clm_launch_plan launch_plan;
    memset(&launch_plan, 0, sizeof launch_plan);
    launch_plan.index_bits = 64;
    launch_plan.unit_bits = 8;
    launch_plan.segments = 1;
    launch_plan.outer_rank = 1;
    launch_plan.outer[0] = (clm_axis){.extent = 7, .src = 3, .dst = 11};
    clm_arguments_set(&arguments, &launch_plan, 0, 0);
    assert_true(arguments.as.wide.segments.magic == 0);
    assert_true(divide_64(76, &arguments.as.wide.outer[0].by) == 10);
    launch_plan.unit_bits = 1;
    clm_arguments_set(&arguments, &launch_plan, 0, 0);
    assert_true(divide_64(76, &arguments.as.wide.outer[0].by) == 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divides_in_32_bits),
        cmocka_unit_test(test_divides_in_64_bits),
        cmocka_unit_test(test_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
