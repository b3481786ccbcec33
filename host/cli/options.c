/* See options.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include "message.h"

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
        misused("%s %s; see clmove %s --help", argv[optind - 1],
                is_ambiguous(table, argv[optind - 1]) ? "is how several options begin" : "is not an option", command);
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

/* Reads a whole number up to end, which must be the end of text or a comma. */
static bool integer(const char *text, const char **end, int64_t *value) {
    const char *digits = text + (*text == '-');
    char *stop = NULL;
    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    long long number = strtoll(text, &stop, 10);
    if (errno != 0 || (*stop != '\0' && *stop != ','))
        return false;
    *value = number;
    *end = stop;
    return true;
}

bool option_integer(const char *name, const char *text, int64_t least, int64_t most, int64_t *value) {
    const char *end = NULL;
    int64_t number = 0;
    if (!integer(text, &end, &number) || *end != '\0')
        misused("--%s is '%s', not a whole number that fits in 64 bits", name, text);
    else if (number < least)
        misused("--%s is %" PRId64 ", it must be at least %" PRId64, name, number, least);
    else if (number > most)
        misused("--%s is %" PRId64 ", it must be at most %" PRId64, name, number, most);
    else {
        *value = number;
        return true;
    }
    return false;
}

bool option_unsigned(const char *name, const char *text, uint64_t *value) {
    char *end = NULL;
    errno = 0;
    unsigned long long number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (!end || errno != 0 || *end != '\0') {
        misused("--%s is '%s', not a whole number from 0 to %" PRIu64, name, text, UINT64_MAX);
        return false;
    }
    *value = number;
    return true;
}

bool option_bytes(const char *name, const char *text, uint64_t *bytes) {
    char *end = NULL;
    errno = 0;
    unsigned long long number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    bool failed_so_far = !end || errno != 0 || number == 0;
    unsigned shift = failed_so_far ? 0 : *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (failed_so_far || end[shift ? 1 : 0] != '\0' || number > UINT64_MAX >> shift) {
        misused("--%s is '%s', not a number of bytes above 0, such as 4096, or with K, M or G for 2^10, 2^20 or 2^30", name,
                text);
        return false;
    }
    *bytes = (uint64_t)number << shift;
    return true;
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
        if (!integer(at, &end, &value)) {
            misused("--%s is '%s', not whole numbers of at most 64 bits with commas between them, such as 1,2,3", name, text);
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

bool option_choice(const char *name, const char *text, const char *const words[2], int *which) {
    for (int i = 0; i < 2; i++) {
        if (strcmp(text, words[i]) == 0) {
            *which = i;
            return true;
        }
    }
    misused("--%s is '%s', it must be %s or %s", name, text, words[0], words[1]);
    return false;
}
