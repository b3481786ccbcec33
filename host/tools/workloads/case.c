/* Cases of the benchmark in words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/workloads/case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *bench_operation_name(operation_kind kind) {
    static const char *const names[OPERATION_KINDS] = {"tile", "space_to_depth", "depth_to_space", "permute",
                                                       "move", "expand",         "reshape"};
    return names[kind];
}

void bench_name_task(const task *what, char name[BENCH_NAME]) {
    size_t length = (size_t)snprintf(name, BENCH_NAME, "%s", bench_operation_name(what->op.kind));
    for (int32_t i = 0; i < what->rank && length < BENCH_NAME - 1; i++)
        length += (size_t)snprintf(name + length, BENCH_NAME - length, "%c%" PRId64, i ? 'x' : '_', what->dims[i]);
}

/* ---- the command line ---- */

typedef struct line {
    char *text;
    size_t length;
} line;

__attribute__((format(printf, 2, 3))) static void append(line *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->length, BENCH_REPEAT - to->length, format, arguments);
    va_end(arguments);
    to->length += (size_t)length;
    if (to->length >= BENCH_REPEAT)
        to->length = BENCH_REPEAT - 1;
}

static void append_list(line *to, const char *option, int32_t count, const int64_t *values) {
    append(to, " --%s %s", option, count == 0 ? "''" : "");
    for (int32_t i = 0; i < count; i++)
        append(to, "%s%" PRId64, i ? "," : "", values[i]);
}

static void append_operation(line *to, const task *what) {
    const operation *op = &what->op;
    char steps[TASK_STEPS_TEXT];
    if (op->kind == OPERATION_MOVE && task_steps_text(what, steps, sizeof steps) > 0)
        append(to, "%s", steps);
    else if (op->kind == OPERATION_PERMUTE)
        append_list(to, "order", op->count, op->values);
    else if (op->kind != OPERATION_TILE)
        append(to, " --block-size %" PRId64 " --mode %s", op->block_size,
               op->mode == CLMOVE_BLOCKS_FIRST ? "blocks_first" : "depth_first");
    else if (op->by_axis)
        append(to, " --tiles %" PRId64 " --axis %" PRId64, op->tiles, op->axis);
    else
        append_list(to, "repeats", op->count, op->values);
    if (op->rules == CLMOVE_RULES_ONNX)
        append(to, " --rules onnx");
}

/* A word for the shell. One with a quote in it is left as it is. */
static void append_word(line *to, const char *option, const char *word) {
    bool is_plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == strlen(word);
    append(to, is_plain ? " --%s %s" : " --%s '%s'", option, word);
}

/* What was chosen by default is named, so that the line means the same elsewhere. */
static void append_device(line *to, const chosen_device *who) {
    clmove_device_info info = {.struct_size = sizeof info};
    if (who->selector)
        append_word(to, "device", who->selector);
    else if (clmove_device_get_info(who->device, &info, NULL) == CLMOVE_OK) {
        if (info.type == CLMOVE_DEVICE_HOST)
            append(to, " --device host");
        else
            append(to, " --device %" PRId64, info.index);
    }
}

void bench_repeat_text(const bench_case *one, const chosen_device *who, const char *more, char text[BENCH_REPEAT]) {
    const task *what = &one->what;
    line to = {.text = text};
    append(&to, "clmove bench %s", operation_name(what->op.kind));
    append_list(&to, "shape", what->rank, what->dims);
    if (what->element_bits % 8 == 0)
        append(&to, " --element-bytes %" PRIu32, what->element_bits / 8);
    else
        append(&to, " --element-bits %" PRIu32, what->element_bits);
    append_operation(&to, what);
    append_device(&to, who);
    if (who->variant)
        append_word(&to, "variant", who->variant);
    if (who->index_bits)
        append(&to, " --index-bits %" PRIu32, who->index_bits);
    if (who->budget)
        append(&to, " --memory-budget %" PRIu64, who->budget);
    append(&to, "%s", more);
}
