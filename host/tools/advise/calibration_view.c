/* See calibration_view.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/advise/calibration_view.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"

#include <stdio.h>
#include <string.h>

const char *calibration_origin_text(clmove_calibration_origin origin) {
    static const char *const texts[] = {"a guess", "the file", "measured", "given"};
    return origin <= CLMOVE_CALIBRATION_GIVEN ? texts[origin] : "unknown";
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
        bool is_large = figures_bytes(size) >= 1 << 20;
        snprintf(text, sizeof text, "%d %s", (int)(figures_bytes(size) >> (is_large ? 20 : 10)), is_large ? "MiB" : "KiB");
        printf("%-8s", text);
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

/* The number-th line that says how slow a pattern is at a place, and the pattern's name. NULL: there are no more. */
static const figure *find_slowdown(const figures *found, const char *place, int number, const char **pattern) {
    size_t length = strlen(place);
    for (int i = 0; i < found->count; i++) {
        const figure *line = &found->all[i];
        *pattern = line->key + length;
        if (line->unit == FIGURE_PERCENT && line->count > 1 && strncmp(line->key, place, length) == 0 && number-- == 0)
            return line;
    }
    return NULL;
}

static void print_slowdown(const figure *line) {
    for (int i = 0; line && i < line->count; i++)
        printf("%9.2f", line->values[i]);
}

bool calibration_view_print(const calibration_view *view) {
    char text[16];
    const figure *launch = figures_find(view->found, "launch", FIGURE_NS), *line;
    const char *pattern, *same;
    bool is_host = view->of->device.type == CLMOVE_DEVICE_HOST;
    printf("%s (%s): GB/s, of the bytes that are copied, filled or moved between host and device\n",
           printable(view->of->device.name), clmove_device_type_text(view->of->device.type));
    print_curves(view->found);
    if (launch)
        printf("a launch takes %s\n", table_time_text(launch->values[0], text));
    printf("\ntimes as long as copy and fill, for 8, 32 and 128 MiB\n%-18s%27s%*s\n", "PATTERN", "HOST", is_host ? 0 : 27,
           is_host ? "" : "DEVICE");
    for (int i = 1; (line = find_slowdown(view->found, "host_", i, &pattern)); i++) { /* the first one is copy */
        printf("%-18s", pattern);
        print_slowdown(line);
        print_slowdown(find_slowdown(view->found, "device_", i, &same));
        printf("\n");
    }
    printf("\nruns of the same work differed by %.0f %%\n", 100 * view->noise);
    if (view->is_written)
        printf("\nwriting to %s: %s\n", printable(view->path), printable(view->of->header));
    return table_is_written();
}

static json_t *list_numbers(const figure *line) {
    json_t *all = json_array();
    for (int i = 0; i < line->count; i++)
        json_array_append_new(all, json_real(line->values[i]));
    return all;
}

static json_t *list_slowdowns(const figures *found, const char *place) {
    const figure *line;
    const char *pattern;
    json_t *all = json_object();
    for (int i = 0; (line = find_slowdown(found, place, i, &pattern)); i++)
        json_object_set_new(all, pattern, list_numbers(line));
    return all;
}

bool calibration_view_json(const calibration_view *view) {
    const figure *launch = figures_find(view->found, "launch", FIGURE_NS), *curve;
    json_t *sizes = json_array(), *all = json_object(), *slowdown = json_object(), *measured = json_object();
    for (int size = 0; size < figures_curve(view->found, 0)->count; size++)
        json_array_append_new(sizes, json_integer((json_int_t)figures_bytes(size)));
    for (int i = 0; (curve = figures_curve(view->found, i)); i++) {
        json_object_set_new(all, curve->key, list_numbers(curve));
        json_object_set_new(measured, curve->key, json_integer(figures_measured(view->found, i)));
    }
    json_object_set_new(slowdown, "host", list_slowdowns(view->found, "host_"));
    if (view->of->device.type != CLMOVE_DEVICE_HOST)
        json_object_set_new(slowdown, "device", list_slowdowns(view->found, "device_"));
    const table_cell cells[] = {
        {"device", AS_TEXT(view->of->device.name)},
        {"device_type", AS_TEXT(clmove_device_type_text(view->of->device.type))},
        {"header", AS_TEXT(view->of->header)},
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
    return table_put(TABLE_CELLS(cells), TABLE_OBJECT, NULL) ? table_is_written()
                                                             : refused("the calibration cannot be written as JSON");
}
