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

static const char *size_text(int64_t bytes, char text[16]) {
    if (bytes < 1 << 20)
        snprintf(text, 16, "%d KiB", (int)(bytes >> 10));
    else
        snprintf(text, 16, "%d MiB", (int)(bytes >> 20));
    return text;
}

static void print_curves(const figures *found) {
    char text[16];
    const figure *curve;
    bool any_drawn_on = false;
    printf("%-8s", "SIZE");
    for (int i = 0; (curve = figures_curve(found, i)); i++)
        printf("%13s", curve->key);
    printf("\n");
    for (int size = 0; size < figures_curve(found, 0)->count; size++) {
        printf("%-8s", size_text(figures_bytes(size), text));
        for (int i = 0; (curve = figures_curve(found, i)); i++) {
            bool is_drawn_on = size >= figures_measured(found, i);
            snprintf(text, sizeof text, "%s%.2f", is_drawn_on ? "~" : "",
                     (double)figures_bytes(size) / curve->values[size] * 1e-9);
            printf("%13s", text);
            any_drawn_on = any_drawn_on || is_drawn_on;
        }
        printf("\n");
    }
    if (any_drawn_on)
        printf("~: not measured, for lack of time or memory, but extrapolated from smaller sizes\n");
}

static const char *const places[] = {"host_", "device_"};

/* The name of a pattern where the line says how slow it is at a place, else NULL. */
static const char *pattern_of(const figure *line, int place) {
    size_t length = strlen(places[place]);
    return line->unit == FIGURE_PERCENT && line->count > 1 && strncmp(line->key, places[place], length) == 0 ? line->key + length
                                                                                                             : NULL;
}

static void print_slowdown(const figure *line) {
    for (int i = 0; i < line->count; i++)
        printf("%9.2f", line->values[i]);
}

bool calibration_view_print(const calibration_view *view) {
    char text[16];
    const figure *launch = figures_find(&view->found, "launch", FIGURE_NS);
    bool is_host = view->device.type == CLMOVE_DEVICE_HOST;
    printf("%s (%s): GB/s, of the bytes that are copied, filled or moved between host and device\n", printable(view->device.name),
           clmove_device_type_text(view->device.type));
    print_curves(&view->found);
    if (launch)
        printf("a launch takes %s\n", bench_time_text(launch->values[0], text));
    printf("\ntimes as long as copy and fill, for 8, 32 and 128 MiB\n%-18s%27s%*s\n", "PATTERN", "HOST", is_host ? 0 : 27,
           is_host ? "" : "DEVICE");
    for (int i = 0; i < view->found.count; i++) {
        const figure *line = &view->found.all[i], *other;
        const char *pattern = pattern_of(line, 0);
        char key[sizeof line->key + 8];
        if (!pattern || strcmp(pattern, "copy") == 0)
            continue;
        printf("%-18s", pattern);
        print_slowdown(line);
        snprintf(key, sizeof key, "%s%s", places[1], pattern);
        if ((other = figures_find(&view->found, key, FIGURE_PERCENT)))
            print_slowdown(other);
        printf("\n");
    }
    printf("\nruns of the same differed by %.0f %%\n", 100 * view->noise);
    if (view->is_written)
        printf("\nwritten to %s: %s\n", printable(view->path), printable(view->header));
    return bench_is_written();
}

static json_t *list_numbers(const figure *line) {
    json_t *all = json_array();
    for (int i = 0; i < line->count; i++)
        json_array_append_new(all, json_real(line->values[i]));
    return all;
}

static json_t *list_slowdowns(const calibration_view *view, int place) {
    json_t *all = json_object();
    for (int i = 0; i < view->found.count; i++) {
        const char *pattern = pattern_of(&view->found.all[i], place);
        if (pattern)
            json_object_set_new(all, pattern, list_numbers(&view->found.all[i]));
    }
    return all;
}

bool calibration_view_json(const calibration_view *view) {
    bool is_host = view->device.type == CLMOVE_DEVICE_HOST;
    const figure *launch = figures_find(&view->found, "launch", FIGURE_NS), *curve;
    json_t *sizes = json_array(), *all = json_object(), *slowdown = json_object(), *measured = json_object();
    for (int size = 0; size < figures_curve(&view->found, 0)->count; size++)
        json_array_append_new(sizes, json_integer((json_int_t)figures_bytes(size)));
    for (int i = 0; (curve = figures_curve(&view->found, i)); i++) {
        json_object_set_new(all, curve->key, list_numbers(curve));
        json_object_set_new(measured, curve->key, json_integer(figures_measured(&view->found, i)));
    }
    json_object_set_new(slowdown, "host", list_slowdowns(view, 0));
    if (!is_host)
        json_object_set_new(slowdown, "device", list_slowdowns(view, 1));
    const table_cell cells[] = {
        {"device", AS_TEXT(view->device.name)},
        {"device_type", AS_TEXT(clmove_device_type_text(view->device.type))},
        {"header", AS_TEXT(view->header)},
        {"file", AS_TEXT(view->path)},
        {"clear", AS_FLAG(view->is_clear)},
        {"written", AS_FLAG(view->is_written)},
        {"launch_seconds", AS_TIME(launch ? launch->values[0] : -1)},
        {"sizes", AS_JSON(sizes)},
        {"seconds", AS_JSON(all)},
        {"measured_sizes", AS_JSON(measured)},
        {"slowdown", AS_JSON(slowdown)},
        {"noise", AS_PERCENT(view->noise)},
    };
    if (!table_put(TABLE_CELLS(cells), TABLE_OBJECT, NULL)) {
        failed("the calibration cannot be written as JSON");
        return false;
    }
    return bench_is_written();
}
