/* See bench_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/table.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *bench_time_text(double seconds, char text[16]) {
    if (seconds < 0)
        return "-";
    if (seconds < 1e-3)
        snprintf(text, 16, "%.*f us", seconds < 1e-6 ? 2 : 1, seconds * 1e6); /* a clock counts steps of 10 ns, or 1 */
    else if (seconds < 1)
        snprintf(text, 16, "%.*f ms", seconds < 0.1 ? 2 : 1, seconds * 1e3);
    else
        snprintf(text, 16, "%.2f s", seconds);
    return text;
}

const char *bench_bytes_text(int64_t bytes, char text[16]) {
    if (bytes < 1000)
        snprintf(text, 16, "%d B", (int)bytes);
    else if (bytes < 1000000)
        snprintf(text, 16, "%.1f kB", (double)bytes * 1e-3);
    else if (bytes < 1000000000)
        snprintf(text, 16, "%.1f MB", (double)bytes * 1e-6);
    else
        snprintf(text, 16, "%.2f GB", (double)bytes * 1e-9);
    return text;
}

json_t *bench_json_text(const char *text) {
    json_t *value = json_string(text);
    return value ? value : json_string("a name that is not UTF-8");
}

/* jansson escapes all but DEL, which only strings can have. */
bool bench_json_put(const json_t *value, size_t flags) {
    char *text = json_dumps(value, flags | JSON_ENSURE_ASCII);
    if (!text)
        return false;
    bool done = true;
    for (const char *at = text; done && *at;) {
        size_t plain = strcspn(at, "\x7F");
        done = fwrite(at, 1, plain, stdout) == plain && (at[plain] == '\0' || fputs("\\u007f", stdout) >= 0);
        at += plain + (at[plain] != '\0');
    }
    free(text);
    return done;
}

json_t *bench_json_number(double value) {
    return value < 0 || !isfinite(value) ? json_null() : json_real(value);
}

bool bench_json_print(const bench_json_entry *entries, size_t count) {
    json_t *object = json_object();
    int failures = !object;
    for (size_t i = 0; i < count; i++)
        failures += json_object_set_new(object, entries[i].key, entries[i].value) != 0;
    if (failures == 0)
        failures = !bench_json_put(object, JSON_COMPACT | JSON_REAL_PRECISION(6)) || putchar('\n') != '\n';
    json_decref(object);
    return failures == 0;
}

bool bench_lines_add(bench_lines *to, const char *raw) {
    const char *line = printable(raw);
    char *grown = realloc(to->text, to->length + strlen(line) + 4);
    if (!grown) {
        failed("there is no memory for the line that repeats a case: %s", line);
        return false;
    }
    to->text = grown;
    to->length += (size_t)sprintf(grown + to->length, "  %s\n", line);
    return true;
}

bool bench_is_written(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    failed("standard output cannot be written");
    return false;
}
