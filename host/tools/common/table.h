/* How the benchmark writes numbers and names, for people and for programs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_TABLE_H
#define CLMOVE_HOST_TOOLS_COMMON_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* "12.3 us"; "-" for what is not known. Returns text, or a static string. */
const char *bench_time_text(double seconds, char text[16]);
const char *bench_bytes_text(int64_t bytes, char text[16]);

/* A driver's text need not be UTF-8, and JSON's must be. NULL: out of memory. */
json_t *bench_json_text(const char *text);

/* Prints a value in ASCII, so that no control character of a name reaches a terminal. flags: jansson's. False: it cannot be
 * written.
 */
bool bench_json_put(const json_t *value, size_t flags);

/* What is not known is null. */
json_t *bench_json_number(double value);

typedef struct bench_json_entry {
    const char *key;
    json_t *value; /* is taken over */
} bench_json_entry;

/* Prints an object, in one line. False: something was NULL, or it cannot be written. */
bool bench_json_print(const bench_json_entry *entries, size_t count);

/* Lines for later. Starts as {0}; free text. */
typedef struct bench_lines {
    char *text;
    size_t length;
} bench_lines;

/* Adds two spaces, a line and its end. On false a sentence has been printed. */
bool bench_lines_add(bench_lines *to, const char *line);

/* Whether everything printed so far arrived. On false a sentence has been printed. */
bool bench_is_written(void);

#endif
