/* See operation.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/move/operation.h"

#include "host/tools/common/message.h"

#include <inttypes.h>
#include <string.h>

const char *operation_name(operation_kind kind) {
    static const char *const names[OPERATION_KINDS] = {"tile", "space-to-depth", "depth-to-space", "permute",
                                                       "move", "expand",         "reshape"};
    return names[kind];
}

bool operation_named(const char *name, operation_kind *kind) {
    for (int i = 0; i < OPERATION_COMMANDS; i++) {
        if (strcmp(name, operation_name((operation_kind)i)) == 0) {
            *kind = (operation_kind)i;
            return true;
        }
    }
    return false;
}

bool operation_has_blocks(operation_kind kind) {
    return kind == OPERATION_SPACE_TO_DEPTH || kind == OPERATION_DEPTH_TO_SPACE;
}

static bool refuse(const operation *op, const char *sentence) {
    const char *name = operation_name(op->kind);
    return refused("%s %s; see clmove %s --help", name, sentence, name);
}

/* ---- options ---- */

const char *const OPERATION_MODES[3] = {"blocks_first", "depth_first", NULL};
const char *const OPERATION_RULES[3] = {"openvino", "onnx", NULL};

const option_row TILE_OPTIONS[] = {
    {"repeats", "R1,...", OPTION_REPEATS, NULL,
     "how often SRC is repeated along each dimension, outermost first. The shorter of the shape and the repeats gets 1s in "
     "front; 0 makes the "
     "result empty, and so does a negative number (OpenVINO Tile-1)"},
    {"tiles", "N", OPTION_TILES, NULL, "with --axis: N times along that dimension alone (ONNX Tile-1)"},
    {"axis", "A", OPTION_AXIS, NULL, "the dimension for --tiles, counted from 0, or from the end if negative"},
    {"rules", "RULES", OPTION_RULES, OPERATION_RULES,
     "openvino (the default), or onnx: as many repeats as dimensions, and none negative"},
    {0}};
const option_row SPACE_TO_DEPTH_OPTIONS[] = {
    {"block-size", "B", OPTION_BLOCK_SIZE, NULL, "at least 1 (the default)"},
    {"mode", "MODE", OPTION_MODE, OPERATION_MODES,
     "blocks_first: the new depth is [B, ..., B, C]; depth_first: it is [C, B, ..., B], as in PyTorch's pixel_unshuffle. "
     "Required, unless the rules are onnx"},
    {"rules", "RULES", OPTION_RULES, OPERATION_RULES,
     "openvino (the default), or onnx: four dimensions, blocks_first, and --block-size is required"},
    {0}};
const option_row DEPTH_TO_SPACE_OPTIONS[] = {
    {"block-size", "B", OPTION_BLOCK_SIZE, NULL, "at least 1 (the default)"},
    {"mode", "MODE", OPTION_MODE, OPERATION_MODES,
     "blocks_first: the depth is [B, ..., B, C] (ONNX's DCR); depth_first: it is [C, B, ..., B] (ONNX's CRD, and PyTorch's "
     "pixel_shuffle). Required, unless the rules are onnx"},
    {"rules", "RULES", OPTION_RULES, OPERATION_RULES,
     "openvino (the default), or onnx: four dimensions, --block-size is required, and the mode is blocks_first unless given"},
    {0}};
const option_row PERMUTE_OPTIONS[] = {{"order", "D1,...", OPTION_ORDER, NULL, "each of SRC's dimensions once, counted from 0"},
                                      {0}};
const option_row MOVE_OPTIONS[] = {
    {"reshape", "D1,...", (int)OPTION_STEP + OPERATION_RESHAPE, NULL,
     "the same elements in another shape; one number may be -1, and is computed"},
    {"permute", "D1,...", (int)OPTION_STEP + OPERATION_PERMUTE, NULL, "as clmove permute --order"},
    {"tile", "R1,...", (int)OPTION_STEP + OPERATION_TILE, NULL, "as clmove tile --repeats"},
    {"expand", "D1,...", (int)OPTION_STEP + OPERATION_EXPAND, NULL,
     "dimensions of 1 made larger, the last ones aligned, as NumPy's broadcast_to does"},
    {"space-to-depth", "B:MODE", (int)OPTION_STEP + OPERATION_SPACE_TO_DEPTH, NULL,
     "as clmove space-to-depth --block-size B --mode MODE, where MODE is blocks_first or depth_first. With --rules onnx it may "
     "be left out, as in --space-to-depth 2, and is blocks_first"},
    {"depth-to-space", "B:MODE", (int)OPTION_STEP + OPERATION_DEPTH_TO_SPACE, NULL, "as clmove depth-to-space, likewise"},
    {"rules", "RULES", OPTION_RULES, OPERATION_RULES, "openvino (the default) or onnx, for all steps that have rules"},
    {0}};

const option_row *const OPERATION_TABLES[OPERATION_COMMANDS + 1] = {[OPERATION_TILE] = TILE_OPTIONS,
                                                                    [OPERATION_SPACE_TO_DEPTH] = SPACE_TO_DEPTH_OPTIONS,
                                                                    [OPERATION_DEPTH_TO_SPACE] = DEPTH_TO_SPACE_OPTIONS,
                                                                    [OPERATION_PERMUTE] = PERMUTE_OPTIONS,
                                                                    [OPERATION_MOVE] = MOVE_OPTIONS};

static const option_row *row_of(const option_row *list, int id) {
    while (list->name && list->id != id)
        list++;
    return list->name ? list : NULL;
}

/* Whether an option of an operation is one of this operation's; a move has a step in its place. */
static bool is_own(const operation *op, int id) {
    const char *name = operation_name(op->kind);
    const option_row *step = MOVE_OPTIONS, *row = row_of(OPERATION_TABLES[op->kind], id);
    for (int kind = 0; kind < OPERATION_MOVE && !row; kind++) {
        row = row_of(OPERATION_TABLES[kind], id);
        if (!row)
            continue;
        if (op->kind != OPERATION_MOVE)
            return refused("%s has no --%s; see clmove %s --help", name, row->name, name);
        while (strcmp(step->name, operation_name((operation_kind)kind)) != 0)
            step++;
        return refused("move has no --%s, write --%s %s; see clmove move --help", row->name, step->name, step->argument);
    }
    return true;
}

bool operation_take_mode(operation *op, const char *name, const char *value) {
    /* ONNX's words, PyTorch's and TensorFlow's operators. */
    static const suggest_alias aliases[] = {{"blocks_first", {"dcr", "blocks", "block-first", "tensorflow"}},
                                            {"depth_first", {"crd", "pixel-shuffle", "pixel-unshuffle", "depth", "pytorch"}},
                                            {0}};
    int which = 0;
    op->has_mode = option_choice(name, value, OPERATION_MODES, aliases, &which);
    op->mode = which == 0 ? CLMOVE_BLOCKS_FIRST : CLMOVE_DEPTH_FIRST;
    return op->has_mode;
}

bool operation_has_order(const operation *op) {
    bool used[CLMOVE_MAX_RANK] = {false};
    for (int32_t i = 0; i < op->count; i++) {
        if (op->values[i] < 0 || op->values[i] >= op->count || used[op->values[i]])
            return false;
        used[op->values[i]] = true;
    }
    return true;
}

bool operation_take_order(operation *op, const char *name, const char *value) {
    if (!option_integers(name, value, &op->count, op->values))
        return false;
    op->has_order = operation_has_order(op);
    return op->has_order || refused("--%s is '%s', it must have each of 0 to %" PRId32 " once", name, value, op->count - 1);
}

static bool take_rules(operation *op, const char *value) {
    int which = 0;
    op->has_rules = option_choice("rules", value, OPERATION_RULES, NULL, &which);
    op->rules = which == 0 ? CLMOVE_RULES_OPENVINO : CLMOVE_RULES_ONNX;
    return op->has_rules;
}

bool operation_option(operation *op, int id, const char *value) {
    if (!is_own(op, id))
        return false;
    switch (id) {
    case OPTION_REPEATS:
        return op->has_repeats = option_integers("repeats", value, &op->count, op->values);
    case OPTION_TILES:
        return op->has_tiles = option_integer("tiles", value, INT64_MIN, INT64_MAX, &op->tiles);
    case OPTION_AXIS:
        return op->has_axis = option_integer("axis", value, INT64_MIN, INT64_MAX, &op->axis);
    case OPTION_BLOCK_SIZE:
        return option_integer("block-size", value, 1, INT64_MAX, &op->block_size);
    case OPTION_MODE:
        return operation_take_mode(op, "mode", value);
    case OPTION_RULES:
        return take_rules(op, value);
    case OPTION_ORDER:
        return operation_take_order(op, "order", value);
    default:
        return true;
    }
}

static bool tile_complete(operation *op) {
    op->by_axis = op->has_tiles || op->has_axis;
    if (op->has_repeats && op->by_axis)
        return refuse(op, "needs either --repeats, or --tiles and --axis");
    if (!op->has_repeats && !op->by_axis)
        return refuse(op, "needs --repeats");
    if (op->by_axis && !(op->has_tiles && op->has_axis))
        return refuse(op, "needs --tiles and --axis together");
    if (op->by_axis && op->has_rules && op->rules == CLMOVE_RULES_OPENVINO)
        return refuse(op, "with --tiles and --axis is ONNX Tile-1, which --rules openvino does not have");
    return true;
}

bool operation_complete(operation *op) {
    if (op->kind == OPERATION_TILE)
        return tile_complete(op);
    if (op->kind == OPERATION_PERMUTE)
        return op->has_order || refuse(op, "needs --order, such as --order 0,2,3,1");
    bool is_onnx = op->rules == CLMOVE_RULES_ONNX;
    if (!op->has_mode && !is_onnx)
        return refuse(op, "needs --mode blocks_first or --mode depth_first");
    if (op->block_size == 0 && is_onnx)
        return refuse(op, "with --rules onnx needs --block-size");
    op->block_size = op->block_size ? op->block_size : 1;
    return true; /* ONNX's mode, when not given, is blocks_first, which is 0 */
}

/* ---- what it means ---- */

clmove_status operation_describe(const operation *op, clmove_map *map, clmove_error *error) {
    switch (op->kind) {
    case OPERATION_SPACE_TO_DEPTH:
        return clmove_map_space_to_depth(map, op->block_size, op->mode, op->rules, error);
    case OPERATION_DEPTH_TO_SPACE:
        return clmove_map_depth_to_space(map, op->block_size, op->mode, op->rules, error);
    case OPERATION_PERMUTE:
        return clmove_map_permute(map, op->count, op->values, error);
    case OPERATION_EXPAND:
        return clmove_map_expand(map, op->count, op->values, op->rules, error);
    case OPERATION_RESHAPE:
        return clmove_map_reshape(map, op->count, op->values, error);
    default:
        return op->by_axis ? clmove_map_tile_axis(map, op->tiles, op->axis, error)
                           : clmove_map_tile(map, op->count, op->values, op->rules, error);
    }
}

oracle_step operation_definition(const operation *op) {
    static const oracle_operator operators[OPERATION_KINDS] = {
        [OPERATION_TILE] = ORACLE_TILE,       [OPERATION_SPACE_TO_DEPTH] = ORACLE_SPACE_TO_DEPTH,
        [OPERATION_PERMUTE] = ORACLE_PERMUTE, [OPERATION_DEPTH_TO_SPACE] = ORACLE_DEPTH_TO_SPACE,
        [OPERATION_EXPAND] = ORACLE_EXPAND,   [OPERATION_RESHAPE] = ORACLE_RESHAPE,
    };
    oracle_step step = {.what = operators[op->kind], .mode = op->mode, .count = op->count};
    if (op->by_axis)
        step = (oracle_step){.what = ORACLE_TILE_AXIS, .count = 2, .values = {op->tiles, op->axis}};
    else if (operation_has_blocks(op->kind))
        step.values[0] = op->block_size;
    else
        memcpy(step.values, op->values, sizeof step.values);
    return step;
}
