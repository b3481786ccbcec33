/* A task from the command line: an operation and, for explain, advise and bench, a shape and a width.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MOVE_TASK_OPTIONS_H
#define CLMOVE_HOST_TOOLS_MOVE_TASK_OPTIONS_H

#include "host/tools/move/task.h"
#include "host/tools/npy/npy.h"

/* Which options were given. */
typedef struct task_given {
    bool shape, bytes, bits;
} task_given;

/* Of a command that takes an operation: --shape and the width, what completes its first argument, and what its others_help says.
 */
extern const option_row TASK_OPTIONS[];
extern const char *const TASK_ARGUMENTS[], TASK_OTHERS[];

/* Makes of one option what it means for a task's operation, which comes first on the command line: of a move, the next step.
 * False: a sentence has been printed. */
bool task_operation_option(task *what, int id, const char *value);

/* After the last option: whether the operation is complete. On false a sentence has been printed. */
bool task_operation_complete(task *what);

/* Makes of one option what it means for a task. False: a sentence has been printed. */
bool task_option(task *what, task_given *given, int id, const char *value);

/* After the last option: whether everything is there and agrees. name is what the user called, such as "explain". On false a
 * sentence has been printed. */
bool task_complete(task *what, const task_given *given, const char *name);

/* Reads a whole command line that begins with an operation, of which `what` and `given` are part of the request. OPTIONS_READ, or
 * the exit status to end with. */
int task_read(int argc, char **argv, const command *self, option_taker *take, void *request, task *what, const task_given *given);

/* Writes the steps of a move as options, such as " --reshape 2,-1 --tile 3,1". Another operation is written as one step, or as
 * its options, such as " --tiles 2 --axis -1". Returns the length, at least 1. Every task fits in TASK_STEPS_TEXT characters. */
enum { TASK_STEPS_TEXT = TASK_STEPS * (SHAPE_TEXT + 20) };
size_t task_steps_text(const task *what, char *text, size_t capacity);

#endif
