/* Reading the command line: options by getopt_long with this command's messages, and strict values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_OPTIONS_H
#define CLMOVE_HOST_TOOLS_COMMON_OPTIONS_H

#include "host/tools/common/suggest.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every option of every subcommand, as the val of its struct option. */
enum option_id {
    OPTION_HELP = 256,
    /* an operation: operation.h */
    OPTION_REPEATS,
    OPTION_TILES,
    OPTION_AXIS,
    OPTION_BLOCK_SIZE,
    OPTION_MODE,
    OPTION_RULES,
    OPTION_ORDER,
    /* a step of clmove move: task_options.h */
    OPTION_STEP_RESHAPE,
    OPTION_STEP_PERMUTE,
    OPTION_STEP_TILE,
    OPTION_STEP_EXPAND,
    OPTION_STEP_SPACE_TO_DEPTH,
    OPTION_STEP_DEPTH_TO_SPACE,
    /* who does it, and how: executor.h */
    OPTION_DEVICE,
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

/* The next option in argv, or -1 after the last, or '?' when one is misused and a sentence has been printed. command is what the
 * user called, such as "tile". -h stands for OPTION_HELP. */
int option_next(int argc, char **argv, const char *command, const struct option *table);

/* How a subcommand reads its options. */
typedef struct option_reader {
    const char *command, *help; /* what the user called, such as "verify", and what --help prints */
    const struct option *table;
    bool (*take)(void *request, int id,
                 const char *value); /* makes of an option what it means; on false a sentence was printed */
} option_reader;

enum { OPTIONS_READ = -1 };

/* Reads all options. OPTIONS_READ, optind is then the first argument; or the exit status to end with, since the help or a
 * sentence was printed. */
int options_read(int argc, char **argv, const option_reader *reader, void *request);

/* The same for a subcommand that takes no arguments. */
int options_read_alone(int argc, char **argv, const option_reader *reader, void *request);

/* Strict values: decimal, no white space, nothing after. On false a sentence that begins with the option's name was printed. */
bool option_integer(const char *name, const char *text, int64_t least, int64_t most, int64_t *value);
bool option_unsigned(const char *name, const char *text, uint64_t *value);

/* A number of bytes above 0, perhaps with K, M or G for 2^10, 2^20 or 2^30. */
bool option_bytes(const char *name, const char *text, uint64_t *bytes);

/* --seconds: above 0 and at most `most`. */
bool option_seconds(const char *text, double most, double *seconds);

/* Comma-separated whole numbers; "" is none of them. */
bool option_integers(const char *name, const char *text, int32_t capacity, int32_t *count, int64_t *values);

/* One of two words, which a NULL follows; *which is its place. aliases, other people's words for them, may be NULL: the sentence
 * that refuses a word suggests one. */
bool option_choice(const char *name, const char *text, const char *const words[3], const suggest_alias *aliases, int *which);

#endif
