/* See task_options.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/move/task_options.h"

#include "host/tools/common/message.h"
#include "host/tools/common/suggest.h"

#include <string.h>

bool task_operation_named(const char *name, operation_kind *kind) {
    for (int i = OPERATION_TILE; i <= OPERATION_DEPTH_TO_SPACE; i++) {
        if (strcmp(name, operation_name((operation_kind)i)) == 0) {
            *kind = (operation_kind)i;
            return true;
        }
    }
    return false;
}

option_outcome task_option(task *what, task_given *given, int id, const char *value) {
    int64_t width = 0;
    bool good = false;
    switch (id) {
    case OPTION_SHAPE:
        given->shape = true;
        good = option_integers("shape", value, CLMOVE_MAX_RANK, &what->rank, what->dims);
        break;
    case OPTION_ELEMENT_BYTES:
        given->bytes = true;
        good = option_integer("element-bytes", value, 1, UINT32_MAX / 8, &width);
        what->element_bits = (uint32_t)width * 8;
        break;
    case OPTION_ELEMENT_BITS:
        given->bits = true;
        good = option_integer("element-bits", value, 1, UINT32_MAX, &width);
        what->element_bits = (uint32_t)width;
        break;
    default:
        return operation_option(&what->op, id, value);
    }
    return good ? OPTION_TAKEN : OPTION_REFUSED;
}

bool task_complete(task *what, const task_given *given, const char *command) {
    if (given->shape && given->bytes != given->bits)
        return operation_complete(&what->op);
    misused("%s wants --shape, and one of --element-bytes and --element-bits; see clmove %s --help", command, command);
    return false;
}

int task_read(int argc, char **argv, const option_reader *reader, void *request, task *what, const task_given *given) {
    const char *command = reader->command;
    bool named = argc > 1 && task_operation_named(argv[1], &what->op.kind);
    if (!named && argc > 1 && argv[1][0] != '-') {
        static const char *const words[] = {"tile", "space-to-depth", "depth-to-space", NULL};
        char hint[SUGGESTION];
        return misused("'%s' is not an operation%s; %s knows tile, space-to-depth and depth-to-space", argv[1],
                       suggest(argv[1], "", words, SUGGEST_OPERATIONS, hint), command);
    }
    argc -= named;
    argv += named;
    int status = options_read(argc, argv, reader, request);
    if (status != OPTIONS_READ)
        return status;
    if (!named)
        return misused("%s wants an operation first, such as tile; see clmove %s --help", command, command);
    if (optind < argc)
        return misused("%s wants one operation, and '%s' is one too many; see clmove %s --help", command, argv[optind], command);
    return task_complete(what, given, command) ? OPTIONS_READ : STATUS_MISUSED;
}
