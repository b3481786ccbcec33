/* See options.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/options.h"

#include "host/tools/common/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct option *table, int id) {
    while (table->name && table->val != id)
        table++;
    return table->name;
}

/* Whether text is how more than one option begins; getopt_long accepts the beginning of one. */
static bool is_ambiguous(const struct option *table, const char *text) {
    size_t length = strcspn(text + 2, "=");
    int found = 0;
    for (; table->name; table++)
        found += strncmp(table->name, text + 2, length) == 0;
    return found > 1;
}

static void refuse_unknown(const char *text, const char *command, const struct option *table) {
    enum { MOST = 32 };
    const char *words[MOST + 1] = {NULL};
    char hint[SUGGESTION] = "", name[SUGGESTION];
    bool is_beginning = is_ambiguous(table, text);
    for (size_t i = 0; i < MOST && table[i].name; i++)
        words[i] = table[i].name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    if (!is_beginning)
        suggest(name, "--", words, NULL, hint);
    misused("%s %s%s; see clmove %s --help", text, is_beginning ? "is how several options begin" : "is not an option", hint,
            command);
}

int option_next(int argc, char **argv, const char *command, const struct option *table) {
    opterr = 0;
    int id = getopt_long(argc, argv, ":h", table, NULL);
    const char *name = name_of(table, optopt);
    if (id == 'h')
        return OPTION_HELP;
    if (id == ':')
        misused("--%s wants a value; see clmove %s --help", name, command);
    else if (id == '?' && name)
        misused("--%s takes no value; see clmove %s --help", name, command);
    else if (id == '?' && optopt != 0)
        misused("-%c is not an option; see clmove %s --help", optopt, command);
    else if (id == '?')
        refuse_unknown(argv[optind - 1], command, table);
    return id == ':' ? '?' : id;
}

int options_read(int argc, char **argv, const option_reader *reader, void *request) {
    for (int id; (id = option_next(argc, argv, reader->command, reader->table)) != -1;) {
        if (id == OPTION_HELP) {
            fputs(reader->help, stdout);
            return STATUS_DONE;
        }
        if (id == '?' || !reader->take(request, id, optarg))
            return STATUS_MISUSED;
    }
    return OPTIONS_READ;
}

int options_read_alone(int argc, char **argv, const option_reader *reader, void *request) {
    int status = options_read(argc, argv, reader, request);
    if (status == OPTIONS_READ && optind < argc)
        return misused("%s wants no arguments, and '%s' is one; see clmove %s --help", reader->command, argv[optind],
                       reader->command);
    return status;
}

typedef enum number_kind { NUMBER, NO_NUMBER, NUMBER_TOO_LARGE } number_kind;

/* Reads a whole number up to end, which must be the end of text or a comma. One that 64 bits do not hold is the nearest that they
 * do. */
static number_kind integer(const char *text, const char **end, int64_t *value) {
    const char *digits = text + (*text == '-');
    char *stop = NULL;
    if (*digits < '0' || *digits > '9')
        return NO_NUMBER;
    errno = 0;
    long long number = strtoll(text, &stop, 10);
    if (*stop != '\0' && *stop != ',')
        return NO_NUMBER;
    *value = number;
    *end = stop;
    return errno == 0 ? NUMBER : NUMBER_TOO_LARGE;
}

bool option_integer(const char *name, const char *text, int64_t least, int64_t most, int64_t *value) {
    const char *end = NULL;
    int64_t number = 0;
    number_kind kind = integer(text, &end, &number);
    if (kind == NO_NUMBER || *end != '\0')
        misused("--%s is '%s', not a whole number", name, text);
    else if (number < least || (kind == NUMBER_TOO_LARGE && number < 0))
        misused("--%s is %s, it must be at least %" PRId64, name, text, least);
    else if (number > most || kind == NUMBER_TOO_LARGE)
        misused("--%s is %s, it must be at most %" PRId64, name, text, most);
    else {
        *value = number;
        return true;
    }
    return false;
}

static number_kind unsigned_integer(const char *text, char **end, uint64_t *value) {
    if (*text < '0' || *text > '9')
        return NO_NUMBER;
    errno = 0;
    *value = strtoull(text, end, 10);
    return errno == 0 ? NUMBER : NUMBER_TOO_LARGE;
}

bool option_unsigned(const char *name, const char *text, uint64_t *value) {
    char *end = NULL;
    uint64_t number = 0;
    number_kind kind = unsigned_integer(text, &end, &number);
    if (kind == NO_NUMBER || *end != '\0')
        misused("--%s is '%s', not a whole number from 0 to %" PRIu64, name, text, UINT64_MAX);
    else if (kind == NUMBER_TOO_LARGE)
        misused("--%s is %s, it must be at most %" PRIu64, name, text, UINT64_MAX);
    else {
        *value = number;
        return true;
    }
    return false;
}

bool option_bytes(const char *name, const char *text, uint64_t *bytes) {
    char *end = NULL;
    uint64_t number = 0;
    number_kind kind = unsigned_integer(text, &end, &number);
    unsigned shift = kind == NO_NUMBER ? 0 : *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (kind == NO_NUMBER || number == 0 || end[shift ? 1 : 0] != '\0')
        misused("--%s is '%s', not a number of bytes above 0, such as 4096, or with K, M or G for 2^10, 2^20 or 2^30", name,
                text);
    else if (kind == NUMBER_TOO_LARGE || number > UINT64_MAX >> shift)
        misused("--%s is %s, which is too large: it must be at most %" PRIu64 "%s", name, text, UINT64_MAX >> shift, end);
    else {
        *bytes = number << shift;
        return true;
    }
    return false;
}

bool option_seconds(const char *text, double most, double *seconds) {
    char *end = NULL;
    *seconds = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    if (end && *end == '\0' && *seconds > 0 && *seconds <= most)
        return true;
    misused("--seconds is '%s', it must be a number above 0, and at most %.0f", text, most);
    return false;
}

bool option_integers(const char *name, const char *text, int32_t capacity, int32_t *count, int64_t *values) {
    *count = 0;
    for (const char *at = text, *end = NULL; *text != '\0'; at = end + 1) {
        int64_t value = 0;
        number_kind kind = integer(at, &end, &value);
        if (kind == NO_NUMBER) {
            misused("--%s is '%s', not whole numbers with commas between them, such as 1,2,3", name, text);
            return false;
        }
        if (kind == NUMBER_TOO_LARGE) {
            misused("--%s has %.*s, it must be from %" PRId64 " to %" PRId64, name, (int)(end - at), at, INT64_MIN, INT64_MAX);
            return false;
        }
        if (*count == capacity) {
            misused("--%s has more than %" PRId32 " numbers", name, capacity);
            return false;
        }
        values[(*count)++] = value;
        if (*end == '\0')
            break;
    }
    return true;
}

bool option_choice(const char *name, const char *text, const char *const words[3], const suggest_alias *aliases, int *which) {
    char hint[SUGGESTION];
    for (int i = 0; i < 2; i++) {
        if (strcmp(text, words[i]) == 0) {
            *which = i;
            return true;
        }
    }
    misused("--%s is '%s', it must be %s or %s%s", name, text, words[0], words[1], suggest(text, "", words, aliases, hint));
    return false;
}
