/* A subcommand as a table, of which its help, its man page, the completion of shells and the reading of its options are made; and
 * strict values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_OPTIONS_H
#define CLMOVE_HOST_TOOLS_COMMON_OPTIONS_H

#include "host/tools/common/suggest.h"

#include <clmove/clmove.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every option of every subcommand. */
enum option_id {
    OPTION_HELP = 256,
    OPTION_VERSION,
    /* an operation: operation.h */
    OPTION_REPEATS,
    OPTION_TILES,
    OPTION_AXIS,
    OPTION_BLOCK_SIZE,
    OPTION_MODE,
    OPTION_RULES,
    OPTION_ORDER,
    /* a step of clmove move is this and its operation_kind: operation.h */
    OPTION_STEP,
    /* who does it, and how: chosen_device.h */
    OPTION_DEVICE = OPTION_STEP + 16,
    OPTION_VARIANT,
    OPTION_INDEX_BITS,
    OPTION_MEMORY_BUDGET,
    /* one subcommand's own */
    OPTION_ALLOW_FALLBACK,
    OPTION_VERIFY,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_SHAPE,
    OPTION_ELEMENT_BYTES,
    OPTION_ELEMENT_BITS,
    OPTION_JSON,
    OPTION_CASES,
    OPTION_CASE,
    OPTION_SEED,
    OPTION_WORKLOADS,
    OPTION_ONLY,
    OPTION_SWEEP,
    OPTION_COLD,
    OPTION_SECONDS,
    OPTION_START,
    OPTION_START_CHILD,
    OPTION_TRANSFER,
    OPTION_CALIBRATE,
    OPTION_DRY_RUN,
    OPTION_OUTPUT,
    OPTION_FROM,
    OPTION_TO,
};

/* What a module that knows some of the options made of one. */
typedef enum option_outcome { OPTION_TAKEN, OPTION_UNKNOWN, OPTION_REFUSED } option_outcome;

/* One option. A list of them ends with one without a name. */
typedef struct option_row {
    /* "mode", "MODE"; an option that takes no value has no argument. */
    const char *name, *argument;
    int id;
    /* What completes its value, or NULL: words, or one pattern of file names, such as "*.npy". */
    const char *const *values;
    /* One paragraph, or NULL: the option is not shown. */
    const char *help;
} option_row;

/* A subcommand. Text has no line breaks but between paragraphs; synopsis and examples are printed as they are. */
typedef struct command {
    /* The name of clmove itself is "". */
    const char *name, *summary;
    /* What follows the name, in one way or two. */
    const char *synopsis[2];
    /* What completes an argument, as in option_row; words: the first one alone. */
    const char *const *arguments;
    /* Printed before the options. */
    const char *about;
    const option_row *options[5];
    /* Lists of options that are read as well, or NULL. */
    const option_row *const *others;
    /* The text before their names. NULL: they are not shown. */
    const char *others_help;
    /* Printed after the options. NULL: none. */
    const char *notes, *examples;
    /* The subcommands, for clmove itself. */
    const struct command *const *commands;
    /* Gets its arguments from its own name on, returns the exit status. */
    int (*run)(const struct command *self, int argc, char **argv);
} command;

/* The options of a command in the order of its lists, each once, --help last; more: the others, too. Returns their number. */
enum { MOST_OPTIONS = 48 };
size_t command_options(const command *self, bool more, const option_row *rows[MOST_OPTIONS]);

/* What others_help and the others are to a reader; "" when they are not shown. */
enum { OTHERS_TEXT = 512 };
const char *command_others(const command *self, char text[OTHERS_TEXT]);

/* Prints what --help prints. */
void command_print_help(const command *self);

enum { OPTIONS_READ = -1 };

/* Makes of one option what it means; on false a sentence was printed. */
typedef bool option_taker(void *request, int id, const char *value);

/* Reads all options. OPTIONS_READ, optind is then the first argument; or the exit status to end with, since the help or a
 * sentence was printed. */
int options_read(int argc, char **argv, const command *self, option_taker *take, void *request);

/* The same for a subcommand that takes no arguments. */
int options_read_alone(int argc, char **argv, const command *self, option_taker *take, void *request);

/* Strict values: decimal, no white space, nothing after. On false a sentence that begins with the option's name was printed. */
bool option_integer(const char *name, const char *text, int64_t least, int64_t most, int64_t *value);
bool option_unsigned(const char *name, const char *text, uint64_t *value);

/* A number of bytes above 0, perhaps with K, M, G or T for 2^10, 2^20, 2^30 or 2^40. */
bool option_bytes(const char *name, const char *text, uint64_t *bytes);

/* --seconds: above 0 and at most `most`. */
bool option_seconds(const char *text, double most, double *seconds);

/* Comma-separated whole numbers, as many as a tensor may have dimensions; "" is none of them. */
bool option_integers(const char *name, const char *text, int32_t *count, int64_t values[CLMOVE_MAX_RANK]);

/* One of two words, which a NULL follows; *which is its place. aliases are other names of them, from which the sentence that
 * refuses a word suggests one. NULL: there are none. */
bool option_choice(const char *name, const char *text, const char *const words[3], const suggest_alias *aliases, int *which);

#endif
