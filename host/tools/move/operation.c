/* See operation.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/move/operation.h"

#include "host/tools/common/message.h"
#include "tests/oracle/oracle.h"

const char *operation_name(operation_kind kind) {
    static const char *const names[OPERATION_KINDS] = {"tile", "space-to-depth", "depth-to-space", "permute", "expand"};
    return names[kind];
}

static bool refuse(const operation *op, const char *sentence) {
    const char *name = operation_name(op->kind);
    misused("%s %s; see clmove %s --help", name, sentence, name);
    return false;
}

static option_outcome outcome(bool good) {
    return good ? OPTION_TAKEN : OPTION_REFUSED;
}

option_outcome operation_option(operation *op, int id, const char *value) {
    static const char *const rules[] = {"openvino", "onnx", NULL}, *const modes[] = {"blocks_first", "depth_first", NULL};
    /* ONNX's words, PyTorch's and TensorFlow's operators. */
    static const suggest_alias aliases[] = {{"dcr", "blocks_first"},          {"crd", "depth_first"},
                                            {"pixel-shuffle", "depth_first"}, {"pixel-unshuffle", "depth_first"},
                                            {"block-first", "blocks_first"},  {"tensorflow", "blocks_first"},
                                            {"pytorch", "depth_first"},       {0}};
    int which = 0;
    bool good = false, is_tile = op->kind == OPERATION_TILE;
    if (is_tile && (id == OPTION_BLOCK_SIZE || id == OPTION_MODE))
        return outcome(refuse(op, "has no --block-size and no --mode"));
    if (!is_tile && (id == OPTION_REPEATS || id == OPTION_TILES || id == OPTION_AXIS))
        return outcome(refuse(op, "has no --repeats, no --tiles and no --axis"));
    switch (id) {
    case OPTION_REPEATS:
        op->has_repeats = true;
        return outcome(option_integers("repeats", value, CLMOVE_MAX_RANK, &op->count, op->values));
    case OPTION_TILES:
        op->has_tiles = true;
        return outcome(option_integer("tiles", value, INT64_MIN, INT64_MAX, &op->tiles));
    case OPTION_AXIS:
        op->has_axis = true;
        return outcome(option_integer("axis", value, INT64_MIN, INT64_MAX, &op->axis));
    case OPTION_BLOCK_SIZE:
        op->has_block_size = true;
        return outcome(option_integer("block-size", value, 1, INT64_MAX, &op->block_size));
    case OPTION_MODE:
        op->has_mode = true;
        good = option_choice("mode", value, modes, aliases, &which);
        op->mode = which == 0 ? CLMOVE_BLOCKS_FIRST : CLMOVE_DEPTH_FIRST;
        return outcome(good);
    case OPTION_RULES:
        op->has_rules = true;
        good = option_choice("rules", value, rules, NULL, &which);
        op->rules = which == 0 ? CLMOVE_RULES_OPENVINO : CLMOVE_RULES_ONNX;
        return outcome(good);
    default:
        return OPTION_UNKNOWN;
    }
}

static bool tile_complete(operation *op) {
    op->by_axis = op->has_tiles || op->has_axis;
    if (op->has_repeats && op->by_axis)
        return refuse(op, "wants either --repeats, or --tiles and --axis");
    if (!op->has_repeats && !op->by_axis)
        return refuse(op, "wants --repeats");
    if (op->by_axis && !(op->has_tiles && op->has_axis))
        return refuse(op, "wants --tiles and --axis together");
    if (op->by_axis && op->has_rules && op->rules == CLMOVE_RULES_OPENVINO)
        return refuse(op, "with --tiles and --axis is ONNX Tile-1, which --rules openvino does not have");
    return true;
}

bool operation_complete(operation *op) {
    if (op->kind == OPERATION_TILE)
        return tile_complete(op);
    bool is_onnx = op->rules == CLMOVE_RULES_ONNX;
    if (!op->has_mode && !is_onnx)
        return refuse(op, "wants --mode blocks_first or --mode depth_first");
    if (!op->has_block_size && is_onnx)
        return refuse(op, "with --rules onnx wants --block-size");
    if (!op->has_block_size)
        op->block_size = 1;
    return true; /* ONNX's mode, when not given, is blocks_first, which is 0 */
}

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
    case OPERATION_TILE:
    case OPERATION_KINDS:
        break;
    }
    return op->by_axis ? clmove_map_tile_axis(map, op->tiles, op->axis, error)
                       : clmove_map_tile(map, op->count, op->values, op->rules, error);
}

static bool compute_tile_axis(const operation *op, uint32_t element_bits, int32_t rank, const int64_t *dims, const void *src,
                              void *dst) {
    int64_t repeats[CLMOVE_MAX_RANK];
    for (int32_t i = 0; i < rank; i++)
        repeats[i] = i == (op->axis < 0 ? op->axis + rank : op->axis) ? op->tiles : 1;
    return oracle_tile(element_bits, rank, dims, rank, repeats, src, dst);
}

bool operation_compute(const operation *op, uint32_t element_bits, int32_t rank, const int64_t *dims, const void *src,
                       void *dst) {
    int32_t order[CLMOVE_MAX_RANK];
    switch (op->kind) {
    case OPERATION_SPACE_TO_DEPTH:
        return oracle_space_to_depth(element_bits, rank, dims, op->block_size, op->mode, src, dst);
    case OPERATION_DEPTH_TO_SPACE:
        return oracle_depth_to_space(element_bits, rank, dims, op->block_size, op->mode, src, dst);
    case OPERATION_PERMUTE:
        for (int32_t i = 0; i < op->count; i++)
            order[i] = (int32_t)op->values[i];
        return oracle_permute(element_bits, rank, dims, order, src, dst);
    case OPERATION_EXPAND:
        return oracle_expand(element_bits, rank, dims, op->count, op->values, src, dst);
    case OPERATION_TILE:
    case OPERATION_KINDS:
        break;
    }
    return op->by_axis ? compute_tile_axis(op, element_bits, rank, dims, src, dst)
                       : oracle_tile(element_bits, rank, dims, op->count, op->values, src, dst);
}
