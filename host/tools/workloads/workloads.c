/* Cases from a file: a JSON array of objects with name, op, dtype, shape, and repeats, or block_size and mode, or order, or
 * steps: an array of objects with op and the same attributes, where reshape and expand have shape.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/message.h"
#include "host/tools/workloads/case.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Where in the file, for what is said about it. */
typedef struct place {
    const char *path;
    /* Counted from 1. */
    size_t number;
    /* The step of a move, counted from 1. 0: none. */
    size_t step;
} place;

__attribute__((format(printf, 2, 3))) static bool refuse(const place *at, const char *format, ...) {
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (at->step > 0)
        return refused("%s: step %zu of workload %zu %s", at->path, at->step, at->number, text);
    return refused("%s: workload %zu %s", at->path, at->number, text);
}

/* ---- values ---- */

static bool get_text(const place *at, const json_t *object, const char *key, const char **text) {
    *text = json_string_value(json_object_get(object, key));
    return *text || refuse(at, "has no \"%s\" that is a string", key);
}

static bool get_list(const place *at, const json_t *object, const char *key, int32_t *count, int64_t *values) {
    const json_t *list = json_object_get(object, key);
    if (!json_is_array(list))
        return refuse(at, "has no \"%s\" that is a list of whole numbers", key);
    if (json_array_size(list) > CLMOVE_MAX_RANK)
        return refuse(at, "has %zu numbers in \"%s\", and %d are the most", json_array_size(list), key, CLMOVE_MAX_RANK);
    *count = (int32_t)json_array_size(list);
    for (int32_t i = 0; i < *count; i++) {
        const json_t *value = json_array_get(list, (size_t)i);
        if (!json_is_integer(value))
            return refuse(at, "has an entry %" PRId32 " in \"%s\" that is no whole number", i, key);
        values[i] = json_integer_value(value);
    }
    return true;
}

static bool get_name(const place *at, const json_t *object, char name[BENCH_NAME]) {
    const char *text;
    if (!get_text(at, object, "name", &text))
        return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return refuse(at, "has a \"name\" with a control character");
    if (*text == '\0' || strlen(text) >= BENCH_NAME)
        return refuse(at, "has a \"name\" of %zu bytes, it must be 1 to %d", strlen(text), BENCH_NAME - 1);
    snprintf(name, BENCH_NAME, "%s", text);
    return true;
}

/* A workload's op is a command; a step's is one of these, or another operation, but no move. */
static bool get_kind(const place *at, const json_t *object, operation_kind *kind) {
    const char *text;
    if (!get_text(at, object, "op", &text))
        return false;
    for (int i = 0; i < (at->step ? OPERATION_KINDS : OPERATION_COMMANDS); i++) {
        if (strcmp(text, bench_operation_name((operation_kind)i)) == 0 && !(at->step && i == OPERATION_MOVE)) {
            *kind = (operation_kind)i;
            return true;
        }
    }
    return refuse(at, "has the op \"%s\"; known are tile, space_to_depth, depth_to_space, permute%s", text,
                  at->step ? ", reshape and expand" : " and move");
}

static bool get_width(const place *at, const json_t *object, uint32_t *bits) {
    static const struct {
        const char *name;
        uint32_t bits;
    } types[] = {{"u8", 8},   {"i8", 8},   {"u16", 16}, {"i16", 16}, {"f16", 16}, {"bf16", 16}, {"u32", 32},
                 {"i32", 32}, {"f32", 32}, {"u64", 64}, {"i64", 64}, {"f64", 64}, {"c64", 64},  {"c128", 128}};
    const char *text;
    if (!get_text(at, object, "dtype", &text))
        return false;
    for (size_t i = 0; i < COUNT(types); i++) {
        if (strcmp(text, types[i].name) == 0) {
            *bits = types[i].bits;
            return true;
        }
    }
    return refuse(at, "has the dtype \"%s\"; known are u8 to u64, i8 to i64, f16, bf16, f32, f64, c64 and c128", text);
}

/* ---- one workload ---- */

/* The key of what an operation has a list of. NULL: it has a block size and a mode. */
static const char *const LISTS[OPERATION_KINDS] = {[OPERATION_TILE] = "repeats",
                                                   [OPERATION_PERMUTE] = "order",
                                                   [OPERATION_MOVE] = "steps",
                                                   [OPERATION_EXPAND] = "shape",
                                                   [OPERATION_RESHAPE] = "shape"};

static bool is_key(const place *at, operation_kind kind, const char *key) {
    static const char *const workload_keys[] = {"op", "name", "dtype", "shape"};
    for (size_t i = 0; i < (at->step ? 1 : COUNT(workload_keys)); i++)
        if (strcmp(key, workload_keys[i]) == 0)
            return true;
    if (LISTS[kind])
        return strcmp(key, LISTS[kind]) == 0;
    return strcmp(key, "block_size") == 0 || strcmp(key, "mode") == 0;
}

static bool check_keys(const place *at, json_t *object, operation_kind kind) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        if (!is_key(at, kind, key))
            return refuse(at, "has the key \"%s\", which %s does not have", key, bench_operation_name(kind));
    }
    return true;
}

static bool get_blocks(const place *at, const json_t *object, operation *op) {
    const json_t *size = json_object_get(object, "block_size");
    const char *mode;
    if (!json_is_integer(size))
        return refuse(at, "has no \"block_size\" that is a whole number");
    op->block_size = json_integer_value(size);
    if (!get_text(at, object, "mode", &mode))
        return false;
    if (strcmp(mode, "blocks_first") != 0 && strcmp(mode, "depth_first") != 0)
        return refuse(at, "has the mode \"%s\"; known are blocks_first and depth_first", mode);
    op->mode = strcmp(mode, "blocks_first") == 0 ? CLMOVE_BLOCKS_FIRST : CLMOVE_DEPTH_FIRST;
    return true;
}

static bool get_operation(const place *at, const json_t *object, operation *op) {
    if (!LISTS[op->kind])
        return get_blocks(at, object, op);
    if (!get_list(at, object, LISTS[op->kind], &op->count, op->values))
        return false;
    return op->kind != OPERATION_PERMUTE || operation_has_order(op) ||
           refuse(at, "has an \"order\" that does not have each of 0 to %" PRId32 " once", op->count - 1);
}

static bool get_steps(const place *at, const json_t *object, task *what) {
    const json_t *list = json_object_get(object, "steps");
    size_t count = json_array_size(list); /* 0 for what is no array */
    if (count == 0)
        return refuse(
            at, "has no \"steps\" that is a list of one or more, such as [{\"op\": \"permute\", \"order\": [0, 2, 1]}, ...]");
    if (count > TASK_STEPS)
        return refuse(at, "has %zu steps, and %d are the most", count, TASK_STEPS);
    for (size_t i = 0; i < count; i++) {
        const place here = {.path = at->path, .number = at->number, .step = i + 1};
        json_t *step = json_array_get(list, i);
        if (!json_is_object(step))
            return refuse(&here, "is no object, such as {\"op\": \"permute\", \"order\": [0, 2, 1]}");
        operation *op = &what->steps[what->step_count++];
        if (!get_kind(&here, step, &op->kind) || !check_keys(&here, step, op->kind) || !get_operation(&here, step, op))
            return false;
    }
    return true;
}

static bool get_case(const place *at, json_t *object, bench_case *one) {
    task *what = &one->what;
    clmove_error error;
    clmove_map map;
    if (!json_is_object(object))
        return refuse(at, "is no object, such as {\"name\": \"...\", \"op\": \"tile\", ...}");
    if (!get_kind(at, object, &what->op.kind) || !check_keys(at, object, what->op.kind) || !get_name(at, object, one->name) ||
        !get_width(at, object, &what->element_bits) || !get_list(at, object, "shape", &what->rank, what->dims))
        return false;
    if (what->op.kind == OPERATION_MOVE ? !get_steps(at, object, what) : !get_operation(at, object, &what->op))
        return false;
    return task_describe(what, &map, &error) == CLMOVE_OK || refuse(at, "(%s) is not possible: %s", one->name, error.text);
}

/* ---- the file ---- */

static json_t *load(const char *path) {
    bool is_input = strcmp(path, "-") == 0;
    json_error_t error;
    FILE *file = is_input ? stdin : fopen(path, "r");
    if (!file) {
        failed("%s cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (!is_input)
        fclose(file);
    if (!root)
        failed("%s is not JSON: %s (line %d, column %d)", path, error.text, error.line, error.column);
    return root;
}

bool bench_list_read(bench_list *list, const char *path) {
    json_t *root = load(path);
    size_t count = json_array_size(root); /* 0 for what is no array */
    bool done = count > 0 && bench_list_reserve(list, count);
    for (size_t i = 0; i < count && done; i++) {
        done = get_case(&(place){.path = path, .number = i + 1}, json_array_get(root, i), &list->cases[i]);
        if (!done)
            free(list->cases);
    }
    if (root && count == 0)
        failed("%s is not a list of workloads, such as [{\"name\": \"...\", \"op\": \"tile\", ...}, ...]", path);
    json_decref(root);
    return done;
}
