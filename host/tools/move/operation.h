/* One operator with its attributes: read from options, told in words, put into a map, and computed from its definition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MOVE_OPERATION_H
#define CLMOVE_HOST_TOOLS_MOVE_OPERATION_H

#include "host/tools/common/options.h"

#include <clmove/clmove.h>

/* The first three are subcommands; `clmove verify` checks all of them. */
typedef enum operation_kind {
    OPERATION_TILE,
    OPERATION_SPACE_TO_DEPTH,
    OPERATION_DEPTH_TO_SPACE,
    OPERATION_PERMUTE,
    OPERATION_EXPAND,
    OPERATION_KINDS
} operation_kind;

typedef struct operation {
    operation_kind kind;
    clmove_rules rules;
    /* tile: repeats, unless by_axis: ONNX Tile-1's tiles and axis. permute: the order. expand: the target shape. */
    int32_t count;
    int64_t values[CLMOVE_MAX_RANK];
    bool by_axis;
    int64_t tiles, axis;
    /* space-to-depth and depth-to-space */
    int64_t block_size;
    clmove_mode mode;
    /* which options were given */
    bool has_rules, has_repeats, has_tiles, has_axis, has_block_size, has_mode;
} operation;

/* The name of a kind, as on the command line. */
const char *operation_name(operation_kind kind);

/* For the table of getopt_long: the options of all operations. */
#define OPERATION_OPTIONS                                                                                                        \
    {"repeats", required_argument, NULL, OPTION_REPEATS}, {"tiles", required_argument, NULL, OPTION_TILES},                      \
        {"axis", required_argument, NULL, OPTION_AXIS}, {"block-size", required_argument, NULL, OPTION_BLOCK_SIZE},              \
        {"mode", required_argument, NULL, OPTION_MODE}, {                                                                        \
        "rules", required_argument, NULL, OPTION_RULES                                                                           \
    }

/* Makes of one option what it means for an operation; an option of another kind of operation is refused. */
option_outcome operation_option(operation *op, int id, const char *value);

/* After the last option: whether they are complete and agree, with what was left out filled in. */
bool operation_complete(operation *op);

/* Adds the operation to a map. */
clmove_status operation_describe(const operation *op, clmove_map *map, clmove_error *error);

/* Computes the operation on a dense source of the shape given from its definition, without the library. False: out of memory. */
bool operation_compute(const operation *op, uint32_t element_bits, int32_t rank, const int64_t *dims, const void *src, void *dst);

#endif
