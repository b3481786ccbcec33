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

/* For the table of getopt_long: the options of all operations. */
#define TASK_OPERATION_OPTIONS                                                                                                   \
    OPERATION_OPTIONS, {"reshape", required_argument, NULL, OPTION_STEP_RESHAPE},                                                \
        {"permute", required_argument, NULL, OPTION_STEP_PERMUTE}, {"tile", required_argument, NULL, OPTION_STEP_TILE},          \
        {"expand", required_argument, NULL, OPTION_STEP_EXPAND},                                                                 \
        {"space-to-depth", required_argument, NULL, OPTION_STEP_SPACE_TO_DEPTH}, {                                               \
        "depth-to-space", required_argument, NULL, OPTION_STEP_DEPTH_TO_SPACE                                                    \
    }

/* And those that say on what. */
#define TASK_OPTIONS                                                                                                             \
    TASK_OPERATION_OPTIONS, {"shape", required_argument, NULL, OPTION_SHAPE},                                                    \
        {"element-bytes", required_argument, NULL, OPTION_ELEMENT_BYTES}, {                                                      \
        "element-bits", required_argument, NULL, OPTION_ELEMENT_BITS                                                             \
    }

/* The same for the help. */
#define TASK_OPERATION_HELP                                                                                                      \
    "OPERATION is tile, space-to-depth, depth-to-space, permute or move, with the options that\n"                                \
    "it has as a command: --repeats, --tiles, --axis, --block-size, --mode, --rules, --order,\n"                                 \
    "and the steps of a move: --reshape, --permute, --tile, --expand, --space-to-depth and\n"                                    \
    "--depth-to-space, in the order given.\n"
#define TASK_HELP                                                                                                                \
    "  --shape D1,...    the source's dimensions, outermost first; '' for rank 0\n"                                              \
    "  --element-bytes N the width of an element in bytes, or\n"                                                                 \
    "  --element-bits N  in bits: 1, 2, 4 or a multiple of 8\n"

/* Makes of one option what it means for a task's operation, which comes first on the command line: of a move, the next step. */
option_outcome task_operation_option(task *what, int id, const char *value);

/* After the last option: whether the operation is complete. On false a sentence has been printed. */
bool task_operation_complete(task *what);

/* Makes of one option what it means for a task. */
option_outcome task_option(task *what, task_given *given, int id, const char *value);

/* After the last option: whether everything is there and agrees. command is what the user called, such as "explain". On false a
 * sentence has been printed. */
bool task_complete(task *what, const task_given *given, const char *command);

/* Reads a whole command line that begins with an operation, of which `what` and `given` are part of the request. OPTIONS_READ, or
 * the exit status to end with. */
int task_read(int argc, char **argv, const option_reader *reader, void *request, task *what, const task_given *given);

/* Writes the steps of a move as options, such as " --reshape 2,-1 --tile 3,1"; returns their length. Every move fits in
 * TASK_STEPS_TEXT characters. */
enum { TASK_STEPS_TEXT = TASK_STEPS * (SHAPE_TEXT + 20) };
size_t task_steps_text(const task *what, char *text, size_t capacity);

#endif
