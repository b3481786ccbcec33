/* Calibrations as text: the section of one device in the user's file.
 *
 *     [device NAME | DRIVER]
 *     host_copy_ns = 120 245 ...        one number for each size
 *     upload_ns = 8100 9300 ...
 *     launch_ns = 28900
 *     noise_percent = 7
 *     measured_sizes = 17 17 13 ...     the measured sizes of each curve; older files lack the line
 *     host_repeat_percent = 136 120 109     of the time of copy and fill, for working sets from the cache to memory
 *
 * Numbers are whole, since the form of a fraction depends on the caller's locale. Sections of other devices are not checked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/calibration.h"
#include "host/settings/text.h"

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

static clmove_status read_line(clm_text line, const char *where, bool is_host, clm_calibration *calibration, bool given[KEYS],
                               clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_text name, value;
    key it;
    int which = 0;
    bool is_read;
    REQUIRE(clm_text_cut(line, &name, &value), INVALID_ARGUMENT, "%s: \"%.*s\" is not key = value", where, CLM_TEXT(line));
    for (; which < KEYS; which++) {
        it = find_key(calibration, is_host, which);
        if (clm_text_is(name, it.name) && (it.is_of_host || !is_host))
            break;
    }
    REQUIRE(which < KEYS, INVALID_ARGUMENT, "%s: there is no key \"%.*s\"", where, CLM_TEXT(name));
    REQUIRE(!given[which], INVALID_ARGUMENT, "%s: %s is given twice", where, it.name);
    is_read = read_numbers(value, &it);
    REQUIRE(is_read || it.count > 1, INVALID_ARGUMENT, "%s: %s must be a whole number, %" PRId64 " or more", where, it.name,
            it.least);
    REQUIRE(is_read, INVALID_ARGUMENT, "%s: %s must be %d whole numbers%s, with spaces between", where, it.name, it.count,
            it.least > 0 ? " above 0" : "");
    given[which] = true;
out:
    return status;
}

static clmove_status check_complete(clm_calibration *found, const char *where, const char *what, bool is_host,
                                    const bool given[KEYS], clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int which = 0; which < KEYS; which++) {
        key it = find_key(found, is_host, which);
        REQUIRE(given[which] || it.is_optional || (is_host && !it.is_of_host), INVALID_ARGUMENT, "%.180s: %s has no %s", where,
                what, it.name);
    }
out:
    return status;
}

static bool is_said(clm_text line) {
    return line.length > 0 && line.at[0] != '#';
}

clmove_status clm_calibration_read_lines(const char *text, size_t length, const char *what, bool is_host,
                                         clm_calibration *calibration, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool given[KEYS] = {false};
    char where[224];
    clm_calibration found = {0};
    clm_text rest = {text, length}, line;
    for (int number = 1; clm_text_next(&rest, '\n', &line); number++) {
        line = clm_text_trim(line);
        snprintf(where, sizeof where, "%.180s, line %d", what, number);
        if (is_said(line))
            TRY(read_line(line, where, is_host, &found, given, error));
    }
    TRY(check_complete(&found, what, "it", is_host, given, error));
    *calibration = found;
out:
    return status;
}

/* Whether a line is the header of a device. */
static bool is_header(clm_text line, clm_text device) {
    clm_text inside = clm_text_trim((clm_text){line.at + 1, line.length - 1});
    if (inside.length == 0 || inside.at[inside.length - 1] != ']')
        return false;
    inside.length--;
    inside = clm_text_trim(inside);
    return clm_span_take_word(&inside, "device") && inside.length == device.length &&
           memcmp(inside.at, device.at, device.length) == 0;
}

clmove_status clm_calibration_read(const char *text, size_t length, const char *path, const clmove_device_info *device,
                                   clm_calibration *calibration, bool *is_there, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool is_host = device->type == CLMOVE_DEVICE_HOST, is_ours = false, is_found = false, given[KEYS] = {false};
    char name[sizeof device->name + sizeof device->driver + 4], where[224];
    clm_calibration found = {.origin = CLMOVE_CALIBRATION_FILE};
    clm_text rest = {text, length}, line;
    int written = snprintf(name, sizeof name, "%s%s%s", device->name, device->driver[0] ? " | " : "", device->driver);
    clm_text whole = clm_text_trim((clm_text){name, (size_t)written});
    for (int number = 1; clm_text_next(&rest, '\n', &line); number++) {
        line = clm_text_trim(line);
        if (!is_said(line))
            continue;
        snprintf(where, sizeof where, "%.180s, line %d", path, number);
        if (line.at[0] == '[') {
            is_ours = is_header(line, whole);
            REQUIRE(!is_ours || !is_found, INVALID_ARGUMENT, "%s: the header of this device stands here again", where);
            is_found |= is_ours;
        } else if (is_ours)
            TRY(read_line(line, where, is_host, &found, given, error));
    }
    if (is_found)
        TRY(check_complete(&found, path, "the section of this device", is_host, given, error));
    *is_there = is_found;
    if (is_found)
        *calibration = found;
out:
    return status;
}
