/* One operator with its attributes: read from options, told in words, put into a map, and as the oracle has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MOVE_OPERATION_H
#define CLMOVE_HOST_TOOLS_MOVE_OPERATION_H

#include "host/tools/common/options.h"
#include "tests/oracle/chain.h"

#include <clmove/clmove.h>

/* The first OPERATION_COMMANDS are subcommands. All but OPERATION_MOVE can be steps of a move. */
typedef enum operation_kind {
    OPERATION_TILE,
    OPERATION_SPACE_TO_DEPTH,
    OPERATION_DEPTH_TO_SPACE,
    OPERATION_PERMUTE,
    /* Several of the others in turn: task.h. */
    OPERATION_MOVE,
    OPERATION_COMMANDS,
    OPERATION_EXPAND = OPERATION_COMMANDS,
    OPERATION_RESHAPE,
    OPERATION_KINDS
} operation_kind;

typedef struct operation {
    operation_kind kind;
    clmove_rules rules;
    /* tile: repeats, unless by_axis: ONNX Tile-1's tiles and axis. permute: the order. expand and reshape: the new shape. */
    int32_t count;
    int64_t values[CLMOVE_MAX_RANK];
    bool by_axis;
    int64_t tiles, axis;
    /* space-to-depth and depth-to-space; 0 until it is given */
    int64_t block_size;
    clmove_mode mode;
    /* which options were given */
    bool has_rules, has_repeats, has_tiles, has_axis, has_mode, has_order;
} operation;

/* The subcommands' names but "move", for sentences that list them. */
#define OPERATION_NAMES "tile, space-to-depth, depth-to-space, permute"

/* The name of a kind, as on the command line. */
const char *operation_name(operation_kind kind);

/* Finds the kind of a name, of those that are subcommands. */
bool operation_named(const char *name, operation_kind *kind);

/* Whether the operation has a block size and a mode. */
bool operation_has_blocks(operation_kind kind);

/* What --mode and --rules take. */
extern const char *const OPERATION_MODES[3], *const OPERATION_RULES[3];

/* The options that each operation alone has; and all of them by kind, a NULL after them. */
extern const option_row TILE_OPTIONS[], SPACE_TO_DEPTH_OPTIONS[], DEPTH_TO_SPACE_OPTIONS[], PERMUTE_OPTIONS[], MOVE_OPTIONS[];
extern const option_row *const OPERATION_TABLES[OPERATION_COMMANDS + 1];

/* Makes of one option what it means for an operation; others mean nothing. False: a sentence has been printed, since the value is
 * wrong, or the option is one of another kind of operation. */
bool operation_option(operation *op, int id, const char *value);

/* After the last option: whether they are complete and agree, with what was left out filled in. */
bool operation_complete(operation *op);

/* The value of an option or a file. name is what a refusal begins with, after "--". */
bool operation_take_mode(operation *op, const char *name, const char *value);
bool operation_take_order(operation *op, const char *name, const char *value);

/* Whether the values are an order: each of 0 to count - 1 once. */
bool operation_has_order(const operation *op);

/* Adds the operation to a map. It is no move. */
clmove_status operation_describe(const operation *op, clmove_map *map, clmove_error *error);

/* The operation, no move, as the oracle has it. */
oracle_step operation_definition(const operation *op);

#endif
