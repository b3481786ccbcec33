/* See options.h. Options are read by getopt_long. argp would read them as well, but its help cannot have the layout that the man
 * pages share, it knows no completion, and musl does not have it: a table of our own stays either way.
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

/* ---- a command's table ---- */

size_t command_options(const command *self, bool more, const option_row *rows[MOST_OPTIONS]) {
    static const option_row help[] = {{"help", NULL, OPTION_HELP, NULL, "print this"}, {0}};
    const option_row *const own[] = {help, NULL}, *const none[] = {NULL};
    const option_row *const *const parts[] = {self->options, more && self->others ? self->others : none, own};
    size_t count = 0;
    for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++)
        for (const option_row *const *list = parts[part]; *list; list++)
            for (const option_row *row = *list; row->name; row++) {
                size_t same = 0;
                while (same < count && rows[same]->id != row->id)
                    same++;
                if (same == count && count < MOST_OPTIONS)
                    rows[count++] = row;
            }
    return count;
}

const char *command_others(const command *self, char text[OTHERS_TEXT]) {
    const option_row *rows[MOST_OPTIONS];
    size_t own = command_options(self, false, rows) - 1, count = command_options(self, true, rows) - 1, length = 0;
    text[0] = '\0';
    for (size_t i = own; self->others_help && i < count && length < OTHERS_TEXT; i++)
        length += (size_t)snprintf(text + length, OTHERS_TEXT - length, "%s --%s%s", i == own ? self->others_help : "",
                                   rows[i]->name, i + 1 < count ? "," : "");
    return text;
}

/* Prints text from a column on, which its further lines begin at. */
static void print_wrapped(const char *text, int indent) {
    enum { WIDTH = 80 };
    for (int column = indent; *text;) {
        int length = (int)strcspn(text, " \n");
        bool breaks = column > indent && column + 1 + length > WIDTH;
        column = breaks ? indent : column + (column > indent);
        printf("%s%*s%.*s", breaks ? "\n" : "", breaks ? indent : column > indent, "", length, text);
        column += length;
        text += length;
        if (*text == '\n')
            printf("\n\n%*s", column = indent, "");
        text += *text != '\0';
    }
    putchar('\n');
}

static void print_row(const char *name, const char *argument, const char *help) {
    enum { COLUMN = 20 };
    int length = printf("  %s%s%s", name, argument ? " " : "", argument ? argument : "");
    printf("%s%*s", length < COLUMN ? "" : "\n", length < COLUMN ? COLUMN - length : COLUMN, "");
    print_wrapped(help, COLUMN);
}

void command_print_help(const command *self) {
    const option_row *rows[MOST_OPTIONS];
    size_t count = command_options(self, false, rows);
    char name[64], others[OTHERS_TEXT];
    for (int i = 0; i < 2 && self->synopsis[i]; i++)
        printf("%s clmove %s%s%s\n", i == 0 ? "Usage:" : "      ", self->name, *self->name ? " " : "", self->synopsis[i]);
    print_wrapped(self->about, 0);
    putchar('\n');
    if (*command_others(self, others)) {
        print_wrapped(others, 0);
        putchar('\n');
    }
    for (const command *const *one = self->commands; one && *one; one++)
        print_row((*one)->name, NULL, (*one)->summary);
    printf("%s", self->commands ? "\n" : "");
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s--%s", rows[i]->id == OPTION_HELP ? "-h, " : "", rows[i]->name);
        if (rows[i]->help)
            print_row(name, rows[i]->argument, rows[i]->help);
    }
    if (self->notes) {
        putchar('\n');
        print_wrapped(self->notes, 0);
    }
    if (self->examples)
        printf("\nExamples:\n%s", self->examples);
}

/* ---- reading options ---- */

/* Says why getopt_long did not take an option: id is what it returned, text where it stands. It accepts the beginning of one
 * option; the text may be how several begin. */
static int refuse_option(int id, const char *text, const command *self, const struct option *table) {
    const char *words[MOST_OPTIONS + 1] = {NULL}, *known = NULL;
    char hint[SUGGESTION] = "", name[SUGGESTION];
    int found = 0;
    if (optopt != 0 && optopt < OPTION_HELP)
        return misused("-%c is not an option; see clmove %s --help", optopt, self->name);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    for (size_t i = 0; table[i].name; i++) {
        words[i] = table[i].name;
        known = table[i].val == optopt ? table[i].name : known;
        found += strncmp(table[i].name, name, strlen(name)) == 0;
    }
    if (id == ':')
        return misused("--%s needs a value; see clmove %s --help", known, self->name);
    if (known)
        return misused("--%s takes no value; see clmove %s --help", known, self->name);
    if (found < 2)
        suggest(name, "--", words, NULL, hint);
    return misused("%s %s%s; see clmove %s --help", text, found < 2 ? "is not an option" : "is how several options begin", hint,
                   self->name);
}

int options_read(int argc, char **argv, const command *self, option_taker *take, void *request) {
    const option_row *rows[MOST_OPTIONS];
    struct option table[MOST_OPTIONS + 1] = {0};
    for (size_t i = 0, count = command_options(self, true, rows); i < count; i++)
        table[i] = (struct option){rows[i]->name, rows[i]->argument ? required_argument : no_argument, NULL, rows[i]->id};
    opterr = 0;
    for (int id; (id = getopt_long(argc, argv, ":h", table, NULL)) != -1;) {
        if (id == OPTION_HELP || id == 'h') {
            command_print_help(self);
            return STATUS_DONE;
        }
        if (id == '?' || id == ':')
            return refuse_option(id, argv[optind - 1], self, table);
        if (!take(request, id, optarg))
            return STATUS_MISUSED;
    }
    return OPTIONS_READ;
}

int options_read_alone(int argc, char **argv, const command *self, option_taker *take, void *request) {
    int status = options_read(argc, argv, self, take, request);
    if (status == OPTIONS_READ && optind < argc)
        return misused("%s takes no arguments, and '%s' is one; see clmove %s --help", self->name, argv[optind], self->name);
    return status;
}

/* ---- values ---- */

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
        return refused("--%s is '%s', not a whole number", name, text);
    if (number < least || (kind == NUMBER_TOO_LARGE && number < 0))
        return refused("--%s is %s, it must be at least %" PRId64, name, text, least);
    if (number > most || kind == NUMBER_TOO_LARGE)
        return refused("--%s is %s, it must be at most %" PRId64, name, text, most);
    *value = number;
    return true;
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
        return refused("--%s is '%s', not a whole number from 0 to %" PRIu64, name, text, UINT64_MAX);
    if (kind == NUMBER_TOO_LARGE)
        return refused("--%s is %s, it must be at most %" PRIu64, name, text, UINT64_MAX);
    *value = number;
    return true;
}

bool option_bytes(const char *name, const char *text, uint64_t *bytes) {
    char *end = NULL;
    uint64_t number = 0;
    number_kind kind = unsigned_integer(text, &end, &number);
    unsigned shift = kind == NO_NUMBER ? 0 : *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : *end == 'T' ? 40 : 0;
    if (kind == NO_NUMBER || number == 0 || end[shift ? 1 : 0] != '\0')
        return refused(
            "--%s is '%s', not a number of bytes above 0, such as 4096, or with K, M, G or T for 2^10, 2^20, 2^30 or 2^40", name,
            text);
    if (kind == NUMBER_TOO_LARGE || number > UINT64_MAX >> shift)
        return refused("--%s is %s, which is too large: it must be at most %" PRIu64 "%s", name, text, UINT64_MAX >> shift, end);
    *bytes = number << shift;
    return true;
}

bool option_seconds(const char *text, double most, double *seconds) {
    char *end = NULL;
    const char first = *text == '.' ? text[1] : *text;
    *seconds = first >= '0' && first <= '9' ? strtod(text, &end) : 0;
    if (end && *end == '\0' && *seconds > 0 && *seconds <= most)
        return true;
    return refused("--seconds is '%s', it must be a number above 0, and at most %.0f", text, most);
}

bool option_integers(const char *name, const char *text, int32_t *count, int64_t values[CLMOVE_MAX_RANK]) {
    *count = 0;
    for (const char *at = text, *end = NULL; *text != '\0'; at = end + 1) {
        int64_t value = 0;
        number_kind kind = integer(at, &end, &value);
        if (kind == NO_NUMBER)
            return refused("--%s is '%s', not whole numbers with commas between them, such as 1,2,3", name, text);
        if (kind == NUMBER_TOO_LARGE)
            return refused("--%s has %.*s, it must be from %" PRId64 " to %" PRId64, name, (int)(end - at), at, INT64_MIN,
                           INT64_MAX);
        if (*count == CLMOVE_MAX_RANK)
            return refused("--%s has more than %d numbers", name, CLMOVE_MAX_RANK);
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
    return refused("--%s is '%s', it must be %s or %s%s", name, text, words[0], words[1],
                   suggest(text, "", words, aliases, hint));
}
