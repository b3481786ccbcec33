/* See calibration_view.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/tune/calibration_view.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const curves[CLMOVE_CURVES] = {
#define CURVE_KEY(name, key) key,
    CLMOVE_CURVE_LIST(CURVE_KEY)
#undef CURVE_KEY
};

static const char *const patterns[CLMOVE_PATTERNS] = {
#define PATTERN_KEY(name, key) key,
    CLMOVE_PATTERN_LIST(PATTERN_KEY)
#undef PATTERN_KEY
};

const char *calibration_origin_text(clmove_calibration_origin origin) {
    switch (origin) {
    case CLMOVE_CALIBRATION_GUESS:
        return "a guess";
    case CLMOVE_CALIBRATION_FILE:
        return "the file";
    case CLMOVE_CALIBRATION_MEASURED:
        return "measured";
    case CLMOVE_CALIBRATION_GIVEN:
        return "given";
    }
    return "unknown";
}

static int count_curves(const calibration_view *view) {
    return view->device.type == CLMOVE_DEVICE_HOST ? CLMOVE_CURVE_HOST_FILL + 1 : CLMOVE_CURVES;
}

static int64_t size_bytes(int size) {
    return (int64_t)CLMOVE_CALIBRATION_LEAST << size;
}

static const char *size_text(int64_t bytes, char text[16]) {
    if (bytes < 1 << 20)
        snprintf(text, 16, "%d KiB", (int)(bytes >> 10));
    else
        snprintf(text, 16, "%d MiB", (int)(bytes >> 20));
    return text;
}

bool calibration_view_print(const calibration_view *view) {
    char text[16];
    bool is_host = view->device.type == CLMOVE_DEVICE_HOST, any_drawn_on = false;
    printf("%s (%s): GB/s, of the bytes that are copied, filled or moved between host and device\n", printable(view->device.name),
           clmove_device_type_text(view->device.type));
    printf("%-8s", "SIZE");
    for (int curve = 0; curve < count_curves(view); curve++)
        printf("%13s", curves[curve]);
    printf("\n");
    for (int size = 0; size < CLMOVE_CALIBRATION_SIZES; size++) {
        printf("%-8s", size_text(size_bytes(size), text));
        for (int curve = 0; curve < count_curves(view); curve++) {
            bool is_drawn_on = size >= view->found.measured_sizes[curve];
            snprintf(text, sizeof text, "%s%.2f", is_drawn_on ? "~" : "",
                     (double)size_bytes(size) / view->found.curves[curve][size] * 1e-9);
            printf("%13s", text);
            any_drawn_on = any_drawn_on || is_drawn_on;
        }
        printf("\n");
    }
    if (any_drawn_on)
        printf("~: not measured, for lack of time or memory, but extrapolated from smaller sizes\n");
    if (!is_host)
        printf("a launch takes %s\n", bench_time_text(view->found.launch, text));
    printf("\ntimes as long as copy and fill, for 8, 32 and 128 MiB\n%-18s%27s%*s\n", "PATTERN", "HOST", is_host ? 0 : 27,
           is_host ? "" : "DEVICE");
    for (int pattern = 1; pattern < CLMOVE_PATTERNS; pattern++) {
        printf("%-18s", patterns[pattern]);
        for (int place = 0; place < (is_host ? 1 : 2); place++)
            for (int reach = 0; reach < CLMOVE_CALIBRATION_REACHES; reach++)
                printf("%9.2f", view->found.slowdown[place][pattern][reach]);
        printf("\n");
    }
    printf("\nruns of the same differed by %.0f %%\n", 100 * view->found.noise);
    if (view->is_written)
        printf("\nwritten to %s: %s\n", printable(view->path), printable(view->header));
    return bench_is_written();
}

static json_t *list_numbers(const double *numbers, int count) {
    json_t *all = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(all, json_real(numbers[i]));
    return all;
}

static json_t *list_slowdowns(const calibration_view *view, int place) {
    json_t *all = json_object();
    for (int pattern = 0; pattern < CLMOVE_PATTERNS; pattern++)
        json_object_set_new(all, patterns[pattern],
                            list_numbers(view->found.slowdown[place][pattern], CLMOVE_CALIBRATION_REACHES));
    return all;
}

bool calibration_view_json(const calibration_view *view) {
    bool is_host = view->device.type == CLMOVE_DEVICE_HOST;
    json_t *sizes = json_array(), *all = json_object(), *slowdown = json_object(), *measured = json_object();
    for (int size = 0; size < CLMOVE_CALIBRATION_SIZES; size++)
        json_array_append_new(sizes, json_integer((json_int_t)size_bytes(size)));
    for (int curve = 0; curve < count_curves(view); curve++) {
        json_object_set_new(all, curves[curve], list_numbers(view->found.curves[curve], CLMOVE_CALIBRATION_SIZES));
        json_object_set_new(measured, curves[curve], json_integer(view->found.measured_sizes[curve]));
    }
    json_object_set_new(slowdown, "host", list_slowdowns(view, CLMOVE_AT_HOST));
    if (!is_host)
        json_object_set_new(slowdown, "device", list_slowdowns(view, CLMOVE_AT_DEVICE));
    const bench_json_entry entries[] = {
        {"device", bench_json_text(view->device.name)},
        {"device_type", json_string(clmove_device_type_text(view->device.type))},
        {"header", bench_json_text(view->header)},
        {"file", bench_json_text(view->path)},
        {"clear", json_boolean(view->is_clear)},
        {"written", json_boolean(view->is_written)},
        {"launch_seconds", is_host ? json_null() : json_real(view->found.launch)},
        {"sizes", sizes},
        {"seconds", all},
        {"measured_sizes", measured},
        {"slowdown", slowdown},
        {"noise", json_real(view->found.noise)},
    };
    if (!bench_json_print(entries, sizeof entries / sizeof entries[0])) {
        failed("the calibration cannot be written as JSON");
        return false;
    }
    return bench_is_written();
}
