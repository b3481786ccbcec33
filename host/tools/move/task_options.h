/* A task from the command line: clmove explain, advise and bench take one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MOVE_TASK_OPTIONS_H
#define CLMOVE_HOST_TOOLS_MOVE_TASK_OPTIONS_H

#include "host/tools/move/task.h"

/* Which options were given. */
typedef struct task_given {
    bool shape, bytes, bits;
} task_given;

/* For the table of getopt_long. */
#define TASK_OPTIONS                                                                                                             \
    OPERATION_OPTIONS, {"shape", required_argument, NULL, OPTION_SHAPE},                                                         \
        {"element-bytes", required_argument, NULL, OPTION_ELEMENT_BYTES}, {                                                      \
        "element-bits", required_argument, NULL, OPTION_ELEMENT_BITS                                                             \
    }

/* The same for the help. */
#define TASK_HELP                                                                                                                \
    "  --shape D1,...    the source's dimensions, outermost first; '' for rank 0\n"                                              \
    "  --element-bytes N the width of an element in bytes, or\n"                                                                 \
    "  --element-bits N  in bits: 1, 2, 4 or a multiple of 8\n"

/* Finds the operation of a name, of those that are commands. It comes first on the command line, since the options that follow
 * depend on it. */
bool task_operation_named(const char *name, operation_kind *kind);

/* Makes of one option what it means for a task. */
option_outcome task_option(task *what, task_given *given, int id, const char *value);

/* After the last option: whether everything is there and agrees. command is what the user called, such as "explain". On false a
 * sentence has been printed. */
bool task_complete(task *what, const task_given *given, const char *command);

/* Reads a whole command line that begins with an operation, of which `what` and `given` are part of the request. OPTIONS_READ, or
 * the exit status to end with. */
int task_read(int argc, char **argv, const option_reader *reader, void *request, task *what, const task_given *given);

#endif
