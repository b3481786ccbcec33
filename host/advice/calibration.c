/* Calibrations: guesses, and the section of one device in the user's file (host/settings/file.h).
 *
 *     [device NAME | DRIVER]
 *     host_copy_ns = 120 245 ...        one number for each size
 *     upload_ns = 8100 9300 ...
 *     launch_ns = 28900
 *     noise_percent = 7
 *     measured_sizes = 17 17 13 ...     the measured sizes of each curve
 *     host_repeat_percent = 136 120 109     of the time of copy and fill, for working sets from the cache to memory
 *
 * Whole numbers, since how a fraction is written depends on the caller's locale. What sections of other devices say is not looked
 * at.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/calibration.h"

#include "host/settings/file.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

const char *const clm_pattern_names[CLM_PATTERNS] = {
#define PATTERN_NAME(name, key) key,
    CLM_PATTERN_LIST(PATTERN_NAME)
#undef PATTERN_NAME
};

/* Orders of magnitude. Measured with POCL 3.1 on 2 cores (Zen 5): a launch takes 30 us, copies run at 20 to 50 GB/s, uploads
 * at 10. Links: PCIe 3.0 from pageable memory. */
void clm_calibration_guess(clm_calibration *calibration, clm_guess_class class) {
    enum { LINES = CLM_CURVE_DEVICE_RUN }; /* a run is the sum of its steps */
    static const struct {
        double start, gbps;
    } lines[][LINES] = {
        [CLM_GUESS_HOST] = {{1e-6, 20}, {1e-6, 25}},
        [CLM_GUESS_CPU] = {{1e-6, 20}, {1e-6, 25}, {5e-6, 10}, {5e-6, 10}, {30e-6, 20}, {30e-6, 25}},
        [CLM_GUESS_UNIFIED] = {{1e-6, 20}, {1e-6, 25}, {15e-6, 10}, {15e-6, 10}, {30e-6, 15}, {30e-6, 25}},
        [CLM_GUESS_DISCRETE] = {{1e-6, 20}, {1e-6, 25}, {20e-6, 6}, {20e-6, 6}, {20e-6, 150}, {20e-6, 300}},
    };
    static const double run_starts[] = {0, 10e-6, 20e-6, 20e-6};
    *calibration = (clm_calibration){.origin = CLMOVE_CALIBRATION_GUESS, .launch = lines[class][CLM_CURVE_DEVICE_COPY].start};
    for (int place = 0; place < 2; place++)
        for (int pattern = 0; pattern < CLM_PATTERNS; pattern++)
            for (int set = 0; set < CLM_CALIBRATION_WORKING_SETS; set++)
                calibration->slowdown[place][pattern][set] = pattern == CLM_PATTERN_GATHER ? 3
                                                             : pattern == CLM_PATTERN_BITS ? 10
                                                                                           : 1;
    for (int size = 0; size < CLM_CALIBRATION_SIZES; size++) {
        double *run = &calibration->curves[CLM_CURVE_DEVICE_RUN][size];
        for (int curve = 0; curve < LINES && lines[class][curve].gbps > 0; curve++)
            calibration->curves[curve][size] =
                lines[class][curve].start + (double)clm_calibration_bytes(size) / (lines[class][curve].gbps * 1e9);
        *run = run_starts[class] + calibration->curves[CLM_CURVE_DEVICE_COPY][size];
        if (class != CLM_GUESS_CPU)
            *run += calibration->curves[CLM_CURVE_UPLOAD][size] + calibration->curves[CLM_CURVE_DOWNLOAD][size];
    }
}

/* ---- text ---- */

/* One key: its numbers, how many of them the host has too, what they count, and their bounds. */
typedef struct key {
    const char *name;
    size_t at;
    int count, host_count;
    double unit;
    int64_t least, most;
} key;

enum { SIZES = CLM_CALIBRATION_SIZES, SETS = CLM_CALIBRATION_WORKING_SETS };
enum { SLOWDOWNS = CLM_CURVES + 3, KEYS = SLOWDOWNS + 2 * CLM_PATTERNS };

/* 10^6 seconds, and 10^6 times. */
#define MOST_NS INT64_C(1000000000000000)
#define MOST_PERCENT 100000000

#define KEY(name, field, ...)                                                                                                    \
    { name, offsetof(clm_calibration, field), __VA_ARGS__ }
#define CURVE(name, text)                                                                                                        \
    KEY(text "_ns", curves[CLM_CURVE_##name], SIZES, CLM_CURVE_##name <= CLM_CURVE_HOST_FILL ? SIZES : 0, 1e-9, 1, MOST_NS),
#define ON_HOST(name, text)                                                                                                      \
    KEY("host_" text "_percent", slowdown[CLMOVE_AT_HOST][CLM_PATTERN_##name], SETS, SETS, 0.01, 1, MOST_PERCENT),
#define ON_DEVICE(name, text)                                                                                                    \
    KEY("device_" text "_percent", slowdown[CLMOVE_AT_DEVICE][CLM_PATTERN_##name], SETS, 0, 0.01, 1, MOST_PERCENT),
/* clang-format off */
/* A noise of 0 and a measured size of 0 are not known. */
static const key keys[KEYS] = {
    CLM_CURVE_LIST(CURVE)
    KEY("launch_ns", launch, 1, 0, 1e-9, 1, MOST_NS),
    KEY("noise_percent", noise, 1, 1, 0.01, 0, MOST_PERCENT),
    KEY("measured_sizes", measured_sizes, CLM_CURVES, CLM_CURVE_HOST_FILL + 1, 1, 0, SIZES),
    CLM_PATTERN_LIST(ON_HOST)
    CLM_PATTERN_LIST(ON_DEVICE)
};
/* clang-format on */

static int count_of(const key *it, bool is_host) {
    return is_host ? it->host_count : it->count;
}

size_t clm_calibration_write(const clm_calibration *calibration, bool is_host, char text[CLM_CALIBRATION_TEXT]) {
    size_t length = (size_t)sprintf(text, "# for 4 KiB, 8 KiB and so on to 256 MiB:\n");
    for (int which = 0; which < KEYS; which++) {
        const key *it = &keys[which];
        const double *values = (const double *)(const void *)((const char *)calibration + it->at);
        int count = count_of(it, is_host);
        if (count == 0)
            continue;
        if (which == SLOWDOWNS)
            length += (size_t)sprintf(text + length, "# of what copy and fill take for 8, 32 and 128 MiB:\n");
        length += (size_t)sprintf(text + length, "%s =", it->name);
        for (int i = 0; i < count; i++) {
            double number = values[i] / it->unit + 0.5;
            int64_t whole = number < (double)it->least ? it->least : number > (double)it->most ? it->most : (int64_t)number;
            length += (size_t)sprintf(text + length, " %" PRId64, whole);
        }
        length += (size_t)sprintf(text + length, "\n");
    }
    return length;
}

/* As many numbers as the key has, with white space between them. */
static bool read_numbers(clm_text rest, const key *it, int wanted, double *values) {
    int count = 0;
    for (clm_text piece; clm_text_next(&rest, ' ', &piece);) {
        int64_t number;
        piece = clm_text_trim(piece);
        if (piece.length == 0)
            continue;
        if (count == wanted || !clm_text_number(piece, &number) || number < it->least || number > it->most)
            return false;
        values[count++] = (double)number * it->unit;
    }
    return count == wanted;
}

/* Who reads the lines of a section. */
typedef struct reader {
    const clmove_device_info *device;
    clm_calibration_form form;
    bool is_host, is_ours, is_found, given[KEYS];
    clm_calibration found;
} reader;

static clmove_status read_key(reader *to, const clm_ini_line *line, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    int which = 0;
    while (which < KEYS && (!clm_text_is(line->key, keys[which].name) || count_of(&keys[which], to->is_host) == 0))
        which++;
    REQUIRE(which < KEYS, INVALID_ARGUMENT, "%s: there is no key \"%.*s\"", line->where, CLM_TEXT(line->key));
    const key *it = &keys[which];
    int count = count_of(it, to->is_host);
    REQUIRE(!to->given[which], INVALID_ARGUMENT, "%s: %s is given twice", line->where, it->name);
    REQUIRE(read_numbers(line->value, it, count, (double *)(void *)((char *)&to->found + it->at)), INVALID_ARGUMENT,
            "%s: %s must be %d whole number%s from %" PRId64 " to %" PRId64 "%s", line->where, it->name, count,
            count > 1 ? "s" : "", it->least, it->most, count > 1 ? ", with spaces between" : "");
    to->given[which] = true;
out:
    return status;
}

static clmove_status take_line(void *user, const clm_ini_line *line, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    reader *to = user;
    if (!line->key.at) {
        REQUIRE(to->form != CLM_CALIBRATION_LINES, INVALID_ARGUMENT, "%s: there is a header, [%.*s]", line->where,
                CLM_TEXT(line->header));
        to->is_ours = clm_ini_is_device(line->header, to->device);
        REQUIRE(!to->is_ours || !to->is_found, INVALID_ARGUMENT, "%s: the header of this device stands here again", line->where);
        to->is_found |= to->is_ours;
    } else if (to->is_ours)
        TRY(read_key(to, line, error));
out:
    return status;
}

clmove_status clm_calibration_read(const char *text, size_t length, const char *what, const clmove_device_info *device,
                                   clm_calibration_form form, clm_calibration *calibration, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char name[CLM_INI_DEVICE];
    reader it = {.device = device,
                 .form = form,
                 .is_host = device->type == CLMOVE_DEVICE_HOST,
                 .found.origin = CLMOVE_CALIBRATION_FROM_FILE};
    it.is_ours = it.is_found = form == CLM_CALIBRATION_LINES;
    TRY(clm_ini_read(text, length, what, take_line, &it, error));
    REQUIRE(it.is_found || form == CLM_CALIBRATION_OF_ALL, INVALID_ARGUMENT, "%.200s has no section [device %s]", what,
            clm_ini_device(device, name));
    for (int which = 0; which < KEYS && it.is_found; which++)
        REQUIRE(it.given[which] || count_of(&keys[which], it.is_host) == 0, INVALID_ARGUMENT, "%.180s: there is no %s", what,
                keys[which].name);
    if (it.is_found)
        *calibration = it.found;
out:
    return status;
}
