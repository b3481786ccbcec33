/* See figures.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 8192 };

static const struct {
    const char *ending;
    double unit;
} units[] = {[FIGURE_PLAIN] = {"", 1}, [FIGURE_NS] = {"_ns", 1e-9}, [FIGURE_PERCENT] = {"_percent", 0.01}};

/* One line, without its end. False: it is no key with numbers. */
static bool read_line(const char *line, figure *to) {
    const char *sign = strstr(line, " =");
    *to = (figure){.unit = FIGURE_PLAIN};
    if (!sign || (size_t)(sign - line) >= sizeof to->key)
        return false;
    size_t length = (size_t)(sign - line);
    for (int unit = FIGURE_NS; unit <= FIGURE_PERCENT && to->unit == FIGURE_PLAIN; unit++) {
        size_t cut = strlen(units[unit].ending);
        if (length > cut && memcmp(sign - cut, units[unit].ending, cut) == 0) {
            to->unit = (figure_unit)unit;
            length -= cut;
        }
    }
    memcpy(to->key, line, length);
    const char *at = sign + 2;
    for (char *end; to->count < FIGURES_VALUES; at = end) {
        int64_t number = strtoll(at, &end, 10);
        if (end == at)
            break;
        to->values[to->count++] = (double)number * units[to->unit].unit;
    }
    return to->count > 0;
}

clmove_status figures_get(const clmove_device *device, figures *found, clmove_error *error) {
    char text[TEXT_BYTES], *rest = text;
    clmove_status status = clmove_device_get_calibration_text(device, text, sizeof text, error);
    found->count = 0;
    while (status == CLMOVE_OK && rest && found->count < FIGURES_KEYS) {
        char *line = strsep(&rest, "\n");
        found->count += line[0] != '#' && read_line(line, &found->all[found->count]);
    }
    return status;
}

clmove_status figures_set(clmove_device *device, const figures *given, clmove_error *error) {
    char text[TEXT_BYTES] = "";
    size_t length = 0;
    for (int i = 0; i < given->count; i++) {
        const figure *it = &given->all[i];
        for (int k = -1; k < it->count && length < sizeof text; k++) {
            size_t room = sizeof text - length;
            int written = k < 0
                              ? snprintf(text + length, room, "%s%s%s =", i ? "\n" : "", it->key, units[it->unit].ending)
                              : snprintf(text + length, room, " %" PRId64, (int64_t)(it->values[k] / units[it->unit].unit + 0.5));
            length += (size_t)written;
        }
    }
    return clmove_device_set_calibration_text(device, text, error);
}

const figure *figures_curve(const figures *all, int number) {
    for (int i = 0; i < all->count; i++)
        if (all->all[i].unit == FIGURE_NS && all->all[i].count > 1 && number-- == 0)
            return &all->all[i];
    return NULL;
}

int figures_measured(const figures *all, int number) {
    const figure *sizes = figures_find(all, "measured_sizes", FIGURE_PLAIN);
    return sizes && number < sizes->count ? (int)sizes->values[number] : 0;
}

const figure *figures_find(const figures *all, const char *key, int unit) {
    for (int i = 0; i < all->count; i++)
        if ((int)all->all[i].unit == unit && strcmp(all->all[i].key, key) == 0)
            return &all->all[i];
    return NULL;
}

int64_t figures_bytes(int size) {
    return (int64_t)FIGURES_LEAST << size;
}
