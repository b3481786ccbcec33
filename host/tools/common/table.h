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
    TABLE_NOTHING, /* "-"; no key */
    TABLE_TEXT,    /* of others, too: what is not UTF-8 has ? in JSON, and what moves a cursor is shown by number */
    TABLE_FLAG,    /* "yes" or "no"; a boolean */
    TABLE_COUNT,   /* this and what follows is "-" and null where it is below 0 or not finite. "12"; an integer */
    TABLE_BYTES,   /* "1.2 MB"; an integer */
    TABLE_TIME,    /* seconds: "12.3 us" */
    TABLE_RATE,    /* "0.12" */
    TABLE_PERCENT, /* a fraction: "1.2%" */
    TABLE_GAIN,    /* a fraction, which may be below 0 all the same: "+1.2%" */
    TABLE_JSON,    /* any value, which is taken over: in JSON alone */
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
