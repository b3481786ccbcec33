/* What is clear enough to be kept, by tables of samples and verdicts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/measured/clarity.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 4 };

static void values_are_judged_by_their_noise(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int count;
        /* Each has speed, error, twin. */
        clarity_sample samples[MOST];
        double waited;
        clarity_verdict verdict;
    } rows[] = {
        {"nothing measured", 0, {{0, 0, 0}}, 0, CLARITY_NO_GAIN},
        {"the same", 2, {{1, 0.01, 1}, {1, 0.01, 1}}, 0, CLARITY_NO_GAIN},
        {"less than matters", 2, {{1.02, 0, 1}, {1.03, 0, 1}}, 0, CLARITY_NO_GAIN},
        {"slower", 1, {{0.5, 0, 1}}, 0, CLARITY_NO_GAIN},
        {"faster without noise", 2, {{1.1, 0, 1}, {1.05, 0, 1}}, 0, CLARITY_BETTER},
        {"faster, and one map slower", 2, {{1.5, 0, 1}, {0.9, 0, 1}}, 0, CLARITY_HARMS},
        {"slower by what may be noise", 2, {{1.5, 0.01, 1}, {0.95, 0.05, 1}}, 0, CLARITY_BETTER},
        {"slower by what its twin is", 2, {{1.5, 0.01, 1}, {0.95, 0, 1.05}}, 0, CLARITY_BETTER},
        {"within 3 errors", 1, {{1.1, 0.04, 1}}, 0, CLARITY_UNCLEAR},
        {"beyond 3 errors", 1, {{1.1, 0.03, 1}}, 0, CLARITY_BETTER},
        {"four maps make the error half as large",
         4,
         {{1.1, 0.04, 1}, {1.1, 0.04, 1}, {1.1, 0.04, 1}, {1.1, 0.04, 1}},
         0,
         CLARITY_BETTER},
        {"faster, as its twin is", 1, {{1.3, 0, 1.3}}, 0, CLARITY_UNCLEAR},
        {"faster, as its twin is slower", 1, {{1.3, 0, 1 / 1.3}}, 0, CLARITY_UNCLEAR},
        {"all twins lean one way", 4, {{1.1, 0, 1.06}, {1.1, 0, 1.06}, {1.1, 0, 1.06}, {1.1, 0, 1.06}}, 0, CLARITY_UNCLEAR},
        {"twins lean both ways", 4, {{1.1, 0, 1.05}, {1.1, 0, 1 / 1.05}, {1.1, 0, 1.05}, {1.1, 0, 1 / 1.05}}, 0, CLARITY_BETTER},
        {"threads wait a little, as they always do", 1, {{1.1, 0, 1}}, 0.05, CLARITY_BETTER},
        {"steady, while others have a processor", 1, {{1.9, 0, 1}}, 0.4, CLARITY_UNCLEAR},
        {"so much faster that others do not matter", 1, {{10, 0, 1}}, 0.4, CLARITY_BETTER},
        {"others have all of it", 1, {{10, 0, 1}}, 1, CLARITY_UNCLEAR},
        {"not a number", 1, {{NAN, 0, 1}}, 0, CLARITY_NO_GAIN},
        {"its error is not known", 1, {{1.5, NAN, 1}}, 0, CLARITY_UNCLEAR},
        {"its twin is not known", 1, {{1.5, 0, NAN}}, 0, CLARITY_UNCLEAR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clarity_gain found = clarity_judge_value(rows[i].samples, rows[i].count, rows[i].waited);
        if (found.verdict != rows[i].verdict)
            fail_msg("%s: verdict %d, not %d; gain %g, noise %g", rows[i].what, (int)found.verdict, (int)rows[i].verdict,
                     found.gain, found.noise);
    }
}

static void figures_of_a_value(void **state) {
    (void)state;
    static const clarity_sample samples[] = {{2, 0.03, 1}, {0.5, 0.04, 1}, {8, 0, 1}};
    clarity_gain found = clarity_judge_value(samples, 3, 0);
    assert_true(fabs(found.gain - 1) < 1e-9);
    assert_true(fabs(found.noise - 0.05 / 3) < 1e-9);
    assert_int_equal(found.worst, 1);
    assert_int_equal(clarity_judge_value(NULL, 0, 0).worst, -1);
}

static void how_far_two_measurements_are_apart(void **state) {
    (void)state;
    static const double a[] = {1, 1, 1, 1, 1}, b[] = {1, 2, 0.5, 1, 1}, c[] = {2, 2, 0.5, 1, 1};
    assert_true(clarity_find_apart(a, a, 5) == 0);
    assert_true(clarity_find_apart(a, b, 5) == 0); /* a few are disturbed */
    assert_true(fabs(clarity_find_apart(a, c, 5) - log(2)) < 1e-9);
    assert_true(isinf(clarity_find_apart(a, b, 0))); /* nothing says that they agree */
}

static void calibrations_are_clear_or_not(void **state) {
    (void)state;
    static const struct {
        /* Each has noise, waited. */
        clarity_repeat first, second;
        double apart;
        bool is_settled;
    } rows[] = {
        {{0, 0}, {0, 0}, 0, true},
        {{0.14, 0.02}, {0.08, 0.05}, 0.06, true},
        {{0.19, 0.19}, {0.19, 0.19}, 0.19, true},
        {{0.2, 0}, {0.1, 0}, 0, false},
        {{0.1, 0}, {0.33, 0}, 0, false},
        {{0.1, 0.5}, {0.1, 0}, 0, false}, /* others had a processor all the time, evenly */
        {{0.1, 0}, {0.1, 0.2}, 0, false},
        {{0.1, 0}, {0.1, 0}, 0.2, false}, /* each is even, and they differ */
        {{NAN, 0}, {0.1, 0}, 0, false},
        {{0.1, 0}, {0.1, NAN}, 0, false},
        {{0.1, 0}, {0.1, 0}, NAN, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (clarity_is_settled(rows[i].first, rows[i].second, rows[i].apart) != rows[i].is_settled)
            fail_msg("row %zu is %s", i, rows[i].is_settled ? "not settled" : "settled");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_judged_by_their_noise),
        cmocka_unit_test(figures_of_a_value),
        cmocka_unit_test(how_far_two_measurements_are_apart),
        cmocka_unit_test(calibrations_are_clear_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
