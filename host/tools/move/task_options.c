/* See task_options.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/move/task_options.h"

#include "host/tools/common/message.h"
#include "host/tools/common/suggest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const option_row TASK_OPTIONS[] = {
    {"shape", "D1,...", OPTION_SHAPE, NULL, "the source's dimensions, outermost first; '' for rank 0"},
    {"element-bytes", "N", OPTION_ELEMENT_BYTES, NULL, "the width of an element in bytes"},
    {"element-bits", "N", OPTION_ELEMENT_BITS, NULL, "the width in bits instead: 1, 2, 4 or a multiple of 8"},
    {0}};
const char *const TASK_ARGUMENTS[] = {"tile", "space-to-depth", "depth-to-space", "permute", "move", NULL};
const char TASK_OTHERS[] = "OPERATION is " OPERATION_NAMES " or move, with the options that it has as a command (the steps of a "
                           "move are done in the order given):";

/* ---- the steps of a move ---- */

/* A block size, and after a colon a mode. */
static bool take_blocks(operation *step, const char *name, const char *value) {
    char which[48], size[32];
    const char *colon = strchr(value, ':');
    snprintf(size, sizeof size, "%.*s", colon ? (int)(colon - value) : (int)strlen(value), value);
    snprintf(which, sizeof which, "%s's block size", name);
    if (!option_integer(which, size, 1, INT64_MAX, &step->block_size))
        return false;
    snprintf(which, sizeof which, "%s's mode", name);
    return !colon || operation_take_mode(step, which, colon + 1);
}

static bool take_step(task *what, operation_kind kind, const char *value) {
    const char *name = operation_name(kind);
    if (what->op.kind != OPERATION_MOVE) {
        const char *own = operation_name(what->op.kind);
        return refused("%s has no --%s, which is a step of clmove move; see clmove %s --help", own, name, own);
    }
    if (what->step_count == TASK_STEPS)
        return refused("--%s is one step too many: a move has at most %d", name, TASK_STEPS);
    operation *step = &what->steps[what->step_count++];
    *step = (operation){.kind = kind};
    if (operation_has_blocks(kind))
        return take_blocks(step, name, value);
    return kind == OPERATION_PERMUTE ? operation_take_order(step, name, value)
                                     : option_integers(name, value, &step->count, step->values);
}

/* The rules are for all steps. They have the mode that they have for the operator alone. */
static bool steps_complete(task *what) {
    if (what->step_count == 0)
        return refused("move needs at least one step, such as --permute 0,2,3,1; see clmove move --help");
    for (int32_t i = 0; i < what->step_count; i++) {
        operation *step = &what->steps[i];
        const char *name = operation_name(step->kind);
        step->rules = what->op.rules;
        if (operation_has_blocks(step->kind) && !step->has_mode && step->rules != CLMOVE_RULES_ONNX)
            return refused("--%s %" PRId64 " needs a mode: --%s %" PRId64 ":blocks_first or --%s %" PRId64 ":depth_first", name,
                           step->block_size, name, step->block_size, name, step->block_size);
    }
    return true;
}

size_t task_steps_text(const task *what, char *text, size_t capacity) {
    const operation *steps;
    size_t length = 0;
    char values[SHAPE_TEXT];
    for (int32_t i = 0, count = task_steps(what, &steps); i < count; i++) {
        const char *name = operation_name(steps[i].kind);
        if (operation_has_blocks(steps[i].kind))
            snprintf(values, sizeof values, "%" PRId64 ":%s", steps[i].block_size, OPERATION_MODES[steps[i].mode]);
        else if (steps[i].by_axis)
            snprintf(values, sizeof values, "%" PRId64 " --axis %" PRId64, steps[i].tiles, steps[i].axis);
        else
            list_text(steps[i].count, steps[i].values, ",", values);
        length += (size_t)snprintf(text + length, capacity - length, " --%s %s", steps[i].by_axis ? "tiles" : name,
                                   *values ? values : "''");
    }
    return length;
}

/* ---- all ---- */

bool task_operation_option(task *what, int id, const char *value) {
    const bool is_step = id >= OPTION_STEP && id < (int)OPTION_STEP + OPERATION_KINDS;
    return is_step ? take_step(what, (operation_kind)(id - OPTION_STEP), value) : operation_option(&what->op, id, value);
}

bool task_operation_complete(task *what) {
    return what->op.kind == OPERATION_MOVE ? steps_complete(what) : operation_complete(&what->op);
}

bool task_option(task *what, task_given *given, int id, const char *value) {
    int64_t width = 0;
    switch (id) {
    case OPTION_SHAPE:
        return given->shape = option_integers("shape", value, &what->rank, what->dims);
    case OPTION_ELEMENT_BYTES:
        given->bytes = option_integer("element-bytes", value, 1, UINT32_MAX / 8, &width);
        what->element_bits = (uint32_t)width * 8;
        return given->bytes;
    case OPTION_ELEMENT_BITS:
        given->bits = option_integer("element-bits", value, 1, UINT32_MAX, &width);
        what->element_bits = (uint32_t)width;
        return given->bits;
    default:
        return task_operation_option(what, id, value);
    }
}

bool task_complete(task *what, const task_given *given, const char *name) {
    if (given->bytes && given->bits)
        return refused("--element-bytes and --element-bits say the same; give one of them");
    if (given->shape && (given->bytes || given->bits))
        return task_operation_complete(what);
    return refused("%s needs --shape, and one of --element-bytes and --element-bits; see clmove %s --help", name, name);
}

int task_read(int argc, char **argv, const command *self, option_taker *take, void *request, task *what,
              const task_given *given) {
    const char *name = self->name;
    bool named = argc > 1 && operation_named(argv[1], &what->op.kind);
    if (!named && argc > 1 && argv[1][0] != '-') {
        char hint[SUGGESTION];
        return misused("'%s' is not an operation%s; %s knows " OPERATION_NAMES " and move", argv[1],
                       suggest(argv[1], "", self->arguments, SUGGEST_OPERATIONS, hint), name);
    }
    argc -= named;
    argv += named;
    int status = options_read(argc, argv, self, take, request);
    if (status != OPTIONS_READ)
        return status;
    if (!named)
        return misused("%s needs an operation first, such as tile; see clmove %s --help", name, name);
    if (optind < argc)
        return misused("%s takes one operation, and '%s' is one too many; see clmove %s --help", name, argv[optind], name);
    return task_complete(what, given, name) ? OPTIONS_READ : STATUS_MISUSED;
}
