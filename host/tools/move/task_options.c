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
    {"element-bytes", "N", OPTION_ELEMENT_BYTES, NULL, "the width of an element in bytes, or"},
    {"element-bits", "N", OPTION_ELEMENT_BITS, NULL, "in bits: 1, 2, 4 or a multiple of 8"},
    {0}};
const char *const TASK_ARGUMENTS[] = {"tile", "space-to-depth", "depth-to-space", "permute", "move", NULL};
const char TASK_OTHERS[] = "OPERATION is " OPERATION_NAMES " or move, with the options that it has as a command (the steps of a "
                           "move are done in the order given):";

/* ---- the steps of a move ---- */

static bool is_step(int id, operation_kind *kind) {
    static const struct {
        int id;
        operation_kind kind;
    } rows[] = {{OPTION_STEP_RESHAPE, OPERATION_RESHAPE},
                {OPTION_STEP_PERMUTE, OPERATION_PERMUTE},
                {OPTION_STEP_TILE, OPERATION_TILE},
                {OPTION_STEP_EXPAND, OPERATION_EXPAND},
                {OPTION_STEP_SPACE_TO_DEPTH, OPERATION_SPACE_TO_DEPTH},
                {OPTION_STEP_DEPTH_TO_SPACE, OPERATION_DEPTH_TO_SPACE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].id == id) {
            *kind = rows[i].kind;
            return true;
        }
    }
    return false;
}

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
        misused("%s has no --%s, which is a step of clmove move; see clmove %s --help", own, name, own);
        return false;
    }
    if (what->step_count == TASK_STEPS)
        return refused("--%s is one step too many: a move has at most %d", name, TASK_STEPS);
    operation *step = &what->steps[what->step_count++];
    *step = (operation){.kind = kind};
    if (operation_has_blocks(kind))
        return take_blocks(step, name, value);
    return kind == OPERATION_PERMUTE ? operation_take_order(step, name, value)
                                     : option_integers(name, value, CLMOVE_MAX_RANK, &step->count, step->values);
}

/* The rules are for all steps. They have the mode that they have for the operator alone. */
static bool steps_complete(task *what) {
    if (what->step_count == 0) {
        misused("move wants at least one step, such as --permute 0,2,3,1; see clmove move --help");
        return false;
    }
    for (int32_t i = 0; i < what->step_count; i++) {
        operation *step = &what->steps[i];
        const char *name = operation_name(step->kind);
        step->rules = what->op.rules;
        if (operation_has_blocks(step->kind) && !step->has_mode && step->rules != CLMOVE_RULES_ONNX)
            return refused("--%s %" PRId64 " wants a mode: --%s %" PRId64 ":blocks_first or --%s %" PRId64 ":depth_first", name,
                           step->block_size, name, step->block_size, name, step->block_size);
    }
    return true;
}

size_t task_steps_text(const task *what, char *text, size_t capacity) {
    size_t length = 0;
    text[0] = '\0';
#define APPEND(...) length += length < capacity ? (size_t)snprintf(text + length, capacity - length, __VA_ARGS__) : 0
    for (int32_t i = 0; i < what->step_count; i++) {
        const operation *step = &what->steps[i];
        APPEND(" --%s ", operation_name(step->kind));
        if (operation_has_blocks(step->kind))
            APPEND("%" PRId64 ":%s", step->block_size, step->mode == CLMOVE_BLOCKS_FIRST ? "blocks_first" : "depth_first");
        else if (step->count == 0)
            APPEND("''");
        for (int32_t k = 0; k < step->count; k++)
            APPEND("%s%" PRId64, k ? "," : "", step->values[k]);
    }
#undef APPEND
    return length;
}

/* ---- all ---- */

option_outcome task_operation_option(task *what, int id, const char *value) {
    operation_kind kind;
    if (!is_step(id, &kind))
        return operation_option(&what->op, id, value);
    return take_step(what, kind, value) ? OPTION_TAKEN : OPTION_REFUSED;
}

bool task_operation_complete(task *what) {
    return what->op.kind == OPERATION_MOVE ? steps_complete(what) : operation_complete(&what->op);
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
        return task_operation_option(what, id, value);
    }
    return good ? OPTION_TAKEN : OPTION_REFUSED;
}

bool task_complete(task *what, const task_given *given, const char *name) {
    if (given->shape && given->bytes != given->bits)
        return task_operation_complete(what);
    misused("%s wants --shape, and one of --element-bytes and --element-bits; see clmove %s --help", name, name);
    return false;
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
        return misused("%s wants an operation first, such as tile; see clmove %s --help", name, name);
    if (optind < argc)
        return misused("%s wants one operation, and '%s' is one too many; see clmove %s --help", name, argv[optind], name);
    return task_complete(what, given, name) ? OPTIONS_READ : STATUS_MISUSED;
}
