/* How the command writes numbers, names and tables, for people and for programs. A table and its JSON are made of one list.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_TABLE_H
#define CLMOVE_HOST_TOOLS_COMMON_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* "12.3 us"; "-" for what is not known. Returns text, or a static string. */
const char *table_time_text(double seconds, char text[16]);
const char *table_bytes_text(int64_t bytes, char text[16]);

/* Prints a value in ASCII, so that no control character of a name reaches a terminal. flags: jansson's. False: out of memory. */
bool table_json_put(const json_t *value, size_t flags);

/* What a cell has: how it is shown, and what it is in JSON. */
typedef enum table_kind {
    /* "-"; no key. */
    TABLE_NOTHING,
    /* Any text, names of drivers and files included. Bytes that are not UTF-8 become ? in JSON; in the table, control characters
     * are written as their number. */
    TABLE_TEXT,
    /* "yes" or "no"; a boolean. */
    TABLE_FLAG,
    /* "12"; an integer. A value of this kind or a later one that is below 0 or not finite is "-", and null in JSON. */
    TABLE_COUNT,
    /* "1.2 MB"; an integer. */
    TABLE_BYTES,
    /* Seconds: "12.3 us". */
    TABLE_TIME,
    /* "0.12". */
    TABLE_RATE,
    /* A fraction: "1.2%". */
    TABLE_PERCENT,
    /* A fraction that may be below 0: "+1.2%". */
    TABLE_GAIN,
    /* Any value, in JSON alone. The row takes the reference. */
    TABLE_JSON,
} table_kind;

/* A row is an array of these: one list of what stands in the table and in JSON. The order is that of JSON; places, from 1 on, are
 * that of the table. */
typedef struct table_cell {
    /* NULL: in the table alone. */
    const char *key;
    /* NULL: in JSON alone. */
    const char *head;
    /* Characters; negative: to the left; 0: the rest of the line. */
    int place, width;
    table_kind kind;
    union {
        const char *text;
        bool flag;
        int64_t count;
        double number;
        json_t *json;
    };
    /* Shown in the table instead. NULL: the value itself. */
    const char *shown;
} table_cell;

/* The ends of a table_cell. */
#define AS_TEXT(it) .kind = TABLE_TEXT, .text = (it)
#define AS_FLAG(it) .kind = TABLE_FLAG, .flag = (it)
#define AS_COUNT(it) .kind = TABLE_COUNT, .count = (int64_t)(it)
#define AS_BYTES(it) .kind = TABLE_BYTES, .count = (int64_t)(it)
#define AS_TIME(it) .kind = TABLE_TIME, .number = (it)
#define AS_RATE(it) .kind = TABLE_RATE, .number = (it)
#define AS_PERCENT(it) .kind = TABLE_PERCENT, .number = (it)
#define AS_GAIN(it) .kind = TABLE_GAIN, .number = (it)
#define AS_JSON(it) .kind = TABLE_JSON, .json = (it)

/* An array and how many cells it has, for what follows. */
#define TABLE_CELLS(cells) (cells), sizeof(cells) / sizeof((cells)[0])

/* What is made of a row. */
typedef enum table_part { TABLE_HEAD = 1, TABLE_ROW = 2, TABLE_HEAD_AND_ROW = 3, TABLE_OBJECT = 4 } table_part;

/* Prints the heads and the cells, each in one line with a space between them; or the cells with a key as a JSON object in one
 * line. If there is a list, the object is added to it instead. False: out of memory. */
bool table_put(const table_cell *cells, size_t count, table_part part, json_t *list);

/* That object. NULL: out of memory. */
json_t *table_json(const table_cell *cells, size_t count);

/* Whether everything printed so far arrived. If not, the command ends with a sentence that says so. */
bool table_is_written(void);

#endif
