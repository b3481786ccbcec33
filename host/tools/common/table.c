/* See table.h. It is not libsmartcols, which knows the rows before it prints one, and makes JSON of what the table shows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/table.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *table_time_text(double seconds, char text[16]) {
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

const char *table_bytes_text(int64_t bytes, char text[16]) {
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

/* jansson escapes all but DEL, which only strings can have. */
bool table_json_put(const json_t *value, size_t flags) {
    char *text = json_dumps(value, flags | JSON_ENSURE_ASCII);
    const bool done = text != NULL;
    for (const char *at = text; done && *at; at++)
        if (*at == '\x7F')
            fputs("\\u007f", stdout);
        else
            putchar(*at);
    free(text);
    return done;
}

/* ---- tables ---- */

static bool is_number(const table_cell *cell) {
    return cell->kind >= TABLE_TIME && cell->kind <= TABLE_GAIN;
}

/* What is not known is below 0. */
static bool is_known(const table_cell *cell) {
    if (is_number(cell))
        return isfinite(cell->number) && (cell->number >= 0 || cell->kind == TABLE_GAIN);
    return (cell->kind != TABLE_COUNT && cell->kind != TABLE_BYTES) || cell->count >= 0;
}

static const char *shown_of(const table_cell *cell, char text[32]) {
    static const char *const formats[] = {[TABLE_RATE] = "%.2f", [TABLE_PERCENT] = "%.1f%%", [TABLE_GAIN] = "%+.1f%%"};
    if (cell->shown || cell->kind == TABLE_TEXT)
        return printable(cell->shown ? cell->shown : cell->text);
    if (cell->kind == TABLE_FLAG)
        return cell->flag ? "yes" : "no";
    if (cell->kind == TABLE_NOTHING || cell->kind == TABLE_JSON || !is_known(cell))
        return "-";
    if (cell->kind == TABLE_BYTES || cell->kind == TABLE_TIME)
        return cell->kind == TABLE_TIME ? table_time_text(cell->number, text) : table_bytes_text(cell->count, text);
    if (cell->kind == TABLE_COUNT)
        snprintf(text, 32, "%" PRId64, cell->count);
    else
        snprintf(text, 32, formats[cell->kind], cell->number * (cell->kind == TABLE_RATE ? 1 : 100));
    return text;
}

static void print_line(const table_cell *cells, size_t count, bool is_head) {
    char text[32];
    const table_cell *cell = cells;
    for (int place = 1; cell; place++) {
        cell = NULL;
        for (size_t i = 0; i < count && !cell; i++)
            cell = cells[i].place == place ? &cells[i] : NULL;
        if (cell)
            printf("%s%*s", place > 1 ? " " : "", cell->width, is_head ? cell->head : shown_of(cell, text));
    }
    putchar('\n');
}

/* A driver's text need not be UTF-8, and JSON's must be. */
static json_t *json_of_text(const char *text) {
    json_t *value = json_string(text);
    char ascii[4096];
    size_t length = 0;
    for (; !value && text[length] && length < sizeof ascii; length++)
        ascii[length] = (unsigned char)text[length] < 128 ? text[length] : '?';
    return value ? value : json_stringn(ascii, length);
}

static json_t *json_of(const table_cell *cell) {
    if (cell->kind == TABLE_TEXT)
        return json_of_text(cell->text);
    if (cell->kind == TABLE_FLAG)
        return json_boolean(cell->flag);
    if (cell->kind == TABLE_JSON)
        return cell->json;
    return !is_known(cell) ? json_null() : is_number(cell) ? json_real(cell->number) : json_integer(cell->count);
}

json_t *table_json(const table_cell *cells, size_t count) {
    json_t *object = json_object();
    int failures = !object;
    for (size_t i = 0; i < count; i++)
        if (cells[i].key && cells[i].kind != TABLE_NOTHING)
            failures += json_object_set_new(object, cells[i].key, json_of(&cells[i])) != 0;
    if (failures == 0)
        return object;
    json_decref(object);
    return NULL;
}

bool table_put(const table_cell *cells, size_t count, table_part part, json_t *list) {
    if (part & TABLE_HEAD)
        print_line(cells, count, true);
    if (part & TABLE_ROW)
        print_line(cells, count, false);
    if (!(part & TABLE_OBJECT))
        return true;
    json_t *object = table_json(cells, count);
    if (list)
        return json_array_append_new(list, object) == 0;
    bool done = object && table_json_put(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(object);
    putchar('\n');
    return done;
}

bool table_is_written(void) {
    return fflush(stdout) == 0 && !ferror(stdout);
}
