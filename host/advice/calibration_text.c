/* Calibrations as text: the section of one device in the user's file (host/settings/ini.h).
 *
 *     [device NAME | DRIVER]
 *     host_copy_ns = 120 245 ...        one number for each size
 *     upload_ns = 8100 9300 ...
 *     launch_ns = 28900
 *     noise_percent = 7
 *     measured_sizes = 17 17 13 ...     the measured sizes of each curve; older files lack the line
 *     host_repeat_percent = 136 120 109     of the time of copy and fill, for working sets from the cache to memory
 *
 * Whole numbers, since how a fraction is written depends on the caller's locale. What sections of other devices say is not looked
 * at.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/calibration.h"
#include "host/settings/ini.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { LAUNCH = CLM_CURVES, NOISE, MEASURED, SLOWDOWNS, KEYS = SLOWDOWNS + 2 * CLM_PATTERNS, KEY_NAME = 48 };

/* More than any figure can be: 10^6 s in ns. */
#define MOST INT64_C(1000000000000000)

/* One key: its numbers and their unit. */
typedef struct key {
    char name[KEY_NAME];
    double *values;
    int count;
    double unit;
    int64_t least, most; /* the bounds of its numbers */
    bool is_of_host, is_optional;
} key;

static key find_key(clm_calibration *calibration, bool is_host, int which) {
    key found = {.unit = 1e-9, .least = 1, .most = MOST, .count = CLM_CALIBRATION_SIZES};
    if (which < CLM_CURVES) {
        found.values = calibration->curves[which];
        found.is_of_host = which <= CLM_CURVE_HOST_FILL;
        snprintf(found.name, KEY_NAME, "%s_ns", clm_curve_name((clm_curve)which));
    } else if (which == LAUNCH) {
        found.values = &calibration->launch;
        found.count = 1;
        snprintf(found.name, KEY_NAME, "launch_ns");
    } else if (which == NOISE) {
        found.values = &calibration->noise;
        found.count = 1;
        found.unit = 0.01;
        found.least = 0; /* not known */
        found.is_of_host = true;
        snprintf(found.name, KEY_NAME, "noise_percent");
    } else if (which == MEASURED) {
        found.values = calibration->measured_sizes;
        found.count = is_host ? CLM_CURVE_HOST_FILL + 1 : CLM_CURVES;
        found.unit = 1;
        found.least = 0; /* not known */
        found.most = CLM_CALIBRATION_SIZES;
        found.is_of_host = found.is_optional = true;
        snprintf(found.name, KEY_NAME, "measured_sizes");
    } else {
        int place = (which - SLOWDOWNS) / CLM_PATTERNS, pattern = (which - SLOWDOWNS) % CLM_PATTERNS;
        found.values = calibration->slowdown[place][pattern];
        found.count = CLM_CALIBRATION_WORKING_SETS;
        found.unit = 0.01;
        found.is_of_host = place == CLMOVE_AT_HOST;
        snprintf(found.name, KEY_NAME, "%s_%s_percent", place == CLMOVE_AT_HOST ? "host" : "device",
                 clm_pattern_name((clm_pattern)pattern));
    }
    return found;
}

/* ---- writing ---- */

static void append(char *text, size_t capacity, size_t *length, const char *format, ...) __attribute__((format(printf, 4, 5)));

static void append(char *text, size_t capacity, size_t *length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written =
        vsnprintf(*length < capacity ? text + *length : NULL, *length < capacity ? capacity - *length : 0, format, arguments);
    va_end(arguments);
    *length += written > 0 ? (size_t)written : 0;
}

size_t clm_calibration_write(const clm_calibration *calibration, bool is_host, char *text, size_t capacity) {
    clm_calibration copy = *calibration;
    size_t length = 0;
    append(text, capacity, &length, "# for 4 KiB, 8 KiB and so on to 256 MiB:\n");
    for (int which = 0; which < KEYS; which++) {
        key it = find_key(&copy, is_host, which);
        if (is_host && !it.is_of_host)
            continue;
        if (which == SLOWDOWNS)
            append(text, capacity, &length, "# of what copy and fill take for 8, 32 and 128 MiB:\n");
        append(text, capacity, &length, "%s =", it.name);
        for (int i = 0; i < it.count; i++) {
            double number = it.values[i] / it.unit + 0.5;
            append(text, capacity, &length, " %" PRId64, number < (double)it.least ? it.least : (int64_t)number);
        }
        append(text, capacity, &length, "\n");
    }
    return length;
}

/* ---- reading ---- */

/* As many numbers as the key has, with white space between them. */
static bool read_numbers(clm_text text, const key *to) {
    int count = 0;
    for (clm_text rest = text, piece; clm_text_next(&rest, ' ', &piece);) {
        int64_t number;
        piece = clm_text_trim(piece);
        if (piece.length == 0)
            continue;
        if (count == to->count || !clm_text_number(piece, &number) || number < to->least || number > to->most)
            return false;
        to->values[count++] = (double)number * to->unit;
    }
    return count == to->count;
}

/* Who reads the lines of a section. */
typedef struct reader {
    const clmove_device_info *device;
    clm_calibration_form form;
    bool is_host, is_ours, is_found, given[KEYS];
    clm_calibration found;
} reader;

static clmove_status take_line(void *user, const clm_ini_line *line, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    reader *to = user;
    key it;
    int which = 0;
    bool is_read;
    if (!line->key.at) {
        REQUIRE(to->form != CLM_CALIBRATION_LINES, INVALID_ARGUMENT, "%s: there is a header, [%.*s]", line->where,
                CLM_TEXT(line->header));
        to->is_ours = clm_ini_is_device(line->header, to->device);
        REQUIRE(!to->is_ours || !to->is_found, INVALID_ARGUMENT, "%s: the header of this device stands here again", line->where);
        to->is_found |= to->is_ours;
    }
    if (!line->key.at || !to->is_ours)
        goto out;
    for (; which < KEYS; which++) {
        it = find_key(&to->found, to->is_host, which);
        if (clm_text_is(line->key, it.name) && (it.is_of_host || !to->is_host))
            break;
    }
    REQUIRE(which < KEYS, INVALID_ARGUMENT, "%s: there is no key \"%.*s\"", line->where, CLM_TEXT(line->key));
    REQUIRE(!to->given[which], INVALID_ARGUMENT, "%s: %s is given twice", line->where, it.name);
    is_read = read_numbers(line->value, &it);
    REQUIRE(is_read || it.count > 1, INVALID_ARGUMENT, "%s: %s must be a whole number, %" PRId64 " or more", line->where, it.name,
            it.least);
    REQUIRE(is_read, INVALID_ARGUMENT, "%s: %s must be %d whole numbers%s, with spaces between", line->where, it.name, it.count,
            it.least > 0 ? " above 0" : "");
    to->given[which] = true;
out:
    return status;
}

clmove_status clm_calibration_read(const char *text, size_t length, const char *what, const clmove_device_info *device,
                                   clm_calibration_form form, clm_calibration *calibration, bool *is_there, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char name[CLM_INI_DEVICE];
    reader it = {
        .device = device, .form = form, .is_host = device->type == CLMOVE_DEVICE_HOST, .found.origin = CLMOVE_CALIBRATION_FILE};
    it.is_ours = it.is_found = form == CLM_CALIBRATION_LINES;
    TRY(clm_ini_read(text, length, what, take_line, &it, error));
    REQUIRE(it.is_found || form == CLM_CALIBRATION_OF_ALL, INVALID_ARGUMENT, "%.200s has no section [device %s]", what,
            clm_ini_device(device, name));
    for (int which = 0; which < KEYS && it.is_found; which++) {
        key wanted = find_key(&it.found, it.is_host, which);
        REQUIRE(it.given[which] || wanted.is_optional || (it.is_host && !wanted.is_of_host), INVALID_ARGUMENT,
                "%.180s: there is no %s", what, wanted.name);
    }
    *is_there = it.is_found;
    if (it.is_found)
        *calibration = it.found;
out:
    return status;
}
