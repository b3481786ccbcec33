/* For LD_PRELOAD, before clmove tune and clmove calibrate: the machine is as quiet, or as busy, as CLMOVE_TEST_TIMES says,
 * whatever else it does.
 *
 * All runs are real, and so are their bytes. The times that clmove_measure returns are planted: a plan takes 100 us and, divided
 * by its segment_bytes, 800 us more. So of four times the segment_bytes each, from 16 on, 64 and 256 are better by more than 3 %,
 * and 1024 is not; no other key makes a difference. CLMOVE_TEST_TIMES is one of:
 * - quiet: no thread waits for a processor, and equal plans take equal times;
 * - waited: threads wait for a processor for half of their time;
 * - twins: what runs first and last in a round takes twice as long the second time;
 * - once: plans differ only while more than two are there, as in the first trial of a key.
 * The last-level cache is said to have 1 MiB, so that the maps are small.
 *
 * A calibration is not measured, but planted. The nth one has the times of a guess, all sizes, and a noise of 9 - n %, and
 * - noisy: a noise of 30 %;
 * - apart: n times these times;
 * - settles: twice these times and a noise of 50 % the first time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/advice.h>
#include <clmove/clmove.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets `real` to the function behind this one. */
#define FIND_REAL(name)                                                                                                          \
    __typeof__(&name) real;                                                                                                      \
    void *symbol = dlsym(RTLD_NEXT, #name);                                                                                      \
    memcpy(&real, &symbol, sizeof real)

static bool is_set(const char *word) {
    const char *given = getenv("CLMOVE_TEST_TIMES");
    return given && strcmp(given, word) == 0;
}

/* ---- plans, and which segment_bytes each was made with ---- */

enum { PLANS = 256 };
static struct {
    const clmove_plan *plan;
    /* 0: its parameters name none. */
    double segment_bytes;
} plans[PLANS];

static size_t find(const clmove_plan *plan) {
    size_t i = 0;
    while (i < PLANS && plans[i].plan != plan)
        i++;
    return i;
}

clmove_status clmove_plan_create(clmove_device *device, const clmove_map *map, const clmove_plan_params *params,
                                 clmove_plan **plan, clmove_error *error) {
    static const char KEY[] = "segment_bytes=";
    FIND_REAL(clmove_plan_create);
    clmove_status status = real(device, map, params, plan, error);
    size_t free_place = find(NULL);
    if (status != CLMOVE_OK)
        return status;
    if (free_place == PLANS)
        abort();
    const char *at = params && params->tuning ? strstr(params->tuning, KEY) : NULL;
    plans[free_place].plan = *plan;
    plans[free_place].segment_bytes = at ? strtod(at + strlen(KEY), NULL) : 0;
    return CLMOVE_OK;
}

void clmove_plan_destroy(clmove_plan **plan) {
    FIND_REAL(clmove_plan_destroy);
    size_t place = plan && *plan ? find(*plan) : PLANS;
    if (place < PLANS)
        plans[place].plan = NULL;
    real(plan);
}

/* Of those that were made with a segment_bytes. */
static size_t count_plans(void) {
    size_t count = 0;
    for (size_t i = 0; i < PLANS; i++)
        count += plans[i].plan && plans[i].segment_bytes > 0;
    return count;
}

/* ---- times ---- */

/* The plan that began a round, which it also ends; NULL between two rounds. */
static const clmove_plan *first_of_round;

clmove_status clmove_measure(clmove_plan *plan, clmove_view src, clmove_view dst, clmove_times *times, clmove_error *error) {
    FIND_REAL(clmove_measure);
    clmove_status status = real(plan, src, dst, times, error);
    size_t place = find(plan);
    bool ends_round = plan == first_of_round;
    if (status != CLMOVE_OK || place == PLANS || plans[place].segment_bytes == 0)
        return status;
    double seconds = 100e-6 + 800e-6 / (is_set("once") && count_plans() < 3 ? 16 : plans[place].segment_bytes);
    if (ends_round && is_set("twins"))
        seconds *= 2;
    if (ends_round || !first_of_round)
        first_of_round = ends_round ? NULL : plan;
    *times = (clmove_times){.host_seconds = seconds, .device_seconds = seconds};
    return CLMOVE_OK;
}

/* What is read after a run was run to be compared, and is no part of a round. */
clmove_status clmove_buffer_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_error *error) {
    FIND_REAL(clmove_buffer_read);
    first_of_round = NULL;
    return real(buffer, offset, dst, bytes, error);
}

/* ---- calibrations ---- */

enum { TEXT = 8192, SIZES = 17 };

/* Copies the lines of a calibration's text, with all times multiplied, and another noise. */
static void change(const char *from, char *to, double factor, int noise) {
    for (size_t length; *from; from += length) {
        length = strcspn(from, "\n") + 1;
        const char *values = strchr(from, '=');
        const bool has_values = values && values < from + length;
        const int name = has_values ? (int)(values + 1 - from) : (int)length;
        const bool is_noise = strncmp(from, "noise", 5) == 0, is_sizes = strncmp(from, "measured", 8) == 0;
        const bool is_time = has_values && memmem(from, (size_t)name, "_ns ", 4);
        to += sprintf(to, "%.*s", name, from);
        for (char *end; has_values && values + 1 < from + length - 1; values = end - 1) {
            const double value = strtod(values + 1, &end);
            to += sprintf(to, " %.0f", is_noise ? noise : is_sizes ? (double)SIZES : is_time ? value * factor : value);
            end++;
        }
        if (has_values)
            to += sprintf(to, "\n");
    }
}

clmove_status clmove_device_calibrate(clmove_device *device, double seconds, clmove_error *error) {
    static char guess[TEXT], text[4 * TEXT];
    static int calls = 0;
    (void)seconds;
    if (calls++ == 0 && clmove_device_get_calibration_text(device, guess, sizeof guess, error) != CLMOVE_OK)
        abort();
    const bool is_odd = is_set("settles") && calls == 1;
    change(guess, text, is_set("apart") ? calls : is_odd ? 2 : 1, is_set("noisy") ? 30 : is_odd ? 50 : 9 - calls);
    return clmove_device_set_calibration_text(device, text, error);
}

/* ---- the machine ---- */

clmove_status clmove_device_get_info(const clmove_device *device, clmove_device_info *info, clmove_error *error) {
    FIND_REAL(clmove_device_get_info);
    clmove_status status = real(device, info, error);
    if (status == CLMOVE_OK)
        info->cache_bytes = 1 << 20;
    return status;
}

/* How long threads ran and waited, in ns: /proc/self/task/N/schedstat. */
static FILE *open_schedstat(void) {
    static unsigned long long ran = 0;
    static char text[64];
    ran += 1000000;
    snprintf(text, sizeof text, "%llu %llu 1\n", ran, is_set("waited") ? ran : 0);
    return fmemopen(text, strlen(text), "r");
}

/* By the name that every file here is compiled to call: large files on 32-bit hosts, too. */
__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode) {
    __typeof__(&fopen) real;
    void *symbol = dlsym(RTLD_NEXT, "fopen64");
    memcpy(&real, &symbol, sizeof real);
    return strncmp(path, "/proc/self/task/", 16) == 0 ? open_schedstat() : real(path, mode);
}
