/* See help.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/move/help.h"

#include "host/tools/common/executor.h"

#include <stdio.h>

static const char TILE_HELP[] = "Usage: clmove tile SRC.npy DST.npy --repeats R1,R2,... [OPTION]...\n"
                                "       clmove tile SRC.npy DST.npy --tiles N --axis A [OPTION]...\n"
                                "Repeats a tensor: dimension i of DST is dimension i of SRC times Ri.\n"
                                "\n"
                                "  --repeats R1,...  how often along each dimension, outermost first. The shorter of\n"
                                "                    the shape and the repeats gets 1s in front; 0 makes the result\n"
                                "                    empty, and so does a negative number (OpenVINO Tile-1)\n"
                                "  --tiles N --axis A\n"
                                "                    N times along dimension A alone, which is counted from the end\n"
                                "                    when negative (ONNX Tile-1)\n"
                                "  --rules RULES     openvino (the default), or onnx: as many repeats as dimensions,\n"
                                "                    and none negative\n";

static const char SPACE_TO_DEPTH_HELP[] = "Usage: clmove space-to-depth SRC.npy DST.npy --block-size B --mode MODE [OPTION]...\n"
                                          "Moves blocks of the spatial dimensions into depth: [N, C, D1, ..., DK] becomes\n"
                                          "[N, C * B^K, D1 / B, ..., DK / B], where each Di must be a multiple of B.\n"
                                          "\n"
                                          "  --block-size B    at least 1 (the default)\n"
                                          "  --mode MODE       blocks_first: the new depth is [B, ..., B, C];\n"
                                          "                    depth_first: it is [C, B, ..., B], as in PyTorch's\n"
                                          "                    pixel_unshuffle. Required, unless the rules are onnx\n"
                                          "  --rules RULES     openvino (the default), or onnx: four dimensions, blocks_first,\n"
                                          "                    and --block-size is required\n";

static const char DEPTH_TO_SPACE_HELP[] =
    "Usage: clmove depth-to-space SRC.npy DST.npy --block-size B --mode MODE [OPTION]...\n"
    "Moves depth into blocks of the spatial dimensions: [N, C, D1, ..., DK] becomes\n"
    "[N, C / B^K, D1 * B, ..., DK * B], where C must be a multiple of B^K.\n"
    "\n"
    "  --block-size B    at least 1 (the default)\n"
    "  --mode MODE       blocks_first: the depth is [B, ..., B, C] (ONNX's DCR);\n"
    "                    depth_first: it is [C, B, ..., B] (ONNX's CRD, and PyTorch's\n"
    "                    pixel_shuffle). Required, unless the rules are onnx\n"
    "  --rules RULES     openvino (the default), or onnx: four dimensions, --block-size is\n"
    "                    required, and the mode is blocks_first unless given\n";

static const char PERMUTE_HELP[] = "Usage: clmove permute SRC.npy DST.npy --order D1,D2,... [OPTION]...\n"
                                   "Puts the dimensions in another order, as NumPy's transpose does: dimension i of DST is\n"
                                   "dimension Di of SRC, counted from 0, outermost first.\n"
                                   "\n"
                                   "  --order D1,...    each of SRC's dimensions once\n";

static const char MOVE_HELP[] = "Usage: clmove move SRC.npy DST.npy STEP... [OPTION]...\n"
                                "Does several operations at once: the steps are applied in the order given, and the data\n"
                                "is moved once, with nothing in between. There are at most 16. Not every chain is one\n"
                                "movement: a --reshape that cuts across what a --permute before it left apart is refused.\n"
                                "Move up to there, and from there on with another command.\n"
                                "\n"
                                "  --reshape D1,...  the same elements in another shape; one number may be -1, and is\n"
                                "                    computed\n"
                                "  --permute D1,...  as clmove permute --order\n"
                                "  --tile R1,...     as clmove tile --repeats\n"
                                "  --expand D1,...   dimensions of 1 made larger, the last ones aligned, as NumPy's\n"
                                "                    broadcast_to does\n"
                                "  --space-to-depth B:MODE\n"
                                "                    as clmove space-to-depth --block-size B --mode MODE, where MODE is\n"
                                "                    blocks_first or depth_first. With --rules onnx it may be left out,\n"
                                "                    as in --space-to-depth 2, and is blocks_first\n"
                                "  --depth-to-space B:MODE\n"
                                "                    as clmove depth-to-space, likewise\n"
                                "  --rules RULES     openvino (the default) or onnx, for all steps that have rules\n";

static const char COMMON_HELP[] =
    "  --device SEL      auto (the default: a GPU or accelerator if there is one, else the\n"
    "                    host), host, gpu, cpu, accelerator, an index, or part of a name;\n"
    "                    see clmove devices. CLMOVE_DEVICE in the environment sets\n"
    "                    another default\n"
    "  --allow-fallback  let the host do it, with a note, when the device cannot; auto\n"
    "                    always does\n"
    "  --verify          compare the result with one computed from the operator's\n"
    "                    definition before DST gets its name\n"
    "  --verbose         print shapes, device, variant, and the time and rate of the move,\n"
    "                    in which first touching the files' pages counts, on stderr;\n"
    "                    and in which pieces it went, and the most memory that was resident\n"
    "  --quiet           print nothing but errors; otherwise work of more than half a second\n"
    "                    shows on a terminal how far it is\n" EXECUTOR_HELP "  -h, --help        print this\n"
    "\n"
    "SRC is a .npy file of any fixed-size dtype, or - for standard input; one that changes\n"
    "while it is used is an error. DST is whole or absent: a DST that exists is replaced\n"
    "when all is done and said, and survives a failure. Its dtype is SRC's, byte order\n"
    "included; its data is in C order. Files may be larger than\n"
    "memory: they are mapped, and what exceeds the device, or the memory budget that\n"
    "CLMOVE_MEMORY_BUDGET sets, is moved in pieces.\n"
    "\n"
    "Examples:\n";

/* What a command says of itself, and its examples. */
static const struct {
    const char *help, *examples;
} HELPS[OPERATION_COMMANDS] = {
    [OPERATION_TILE] = {TILE_HELP, "  clmove tile row.npy table.npy --repeats 1000,1\n"
                                   "  clmove tile row.npy table.npy --tiles 4 --axis -1 --device gpu --verify\n"},
    [OPERATION_SPACE_TO_DEPTH] = {SPACE_TO_DEPTH_HELP,
                                  "  clmove space-to-depth image.npy blocks.npy --block-size 2 --mode blocks_first\n"
                                  "  clmove space-to-depth image.npy blocks.npy --rules onnx --block-size 2 --verbose\n"},
    [OPERATION_DEPTH_TO_SPACE] = {DEPTH_TO_SPACE_HELP,
                                  "  clmove depth-to-space blocks.npy image.npy --block-size 2 --mode depth_first\n"
                                  "  clmove depth-to-space blocks.npy image.npy --rules onnx --block-size 2 --verify\n"},
    [OPERATION_PERMUTE] = {PERMUTE_HELP, "  clmove permute nchw.npy nhwc.npy --order 0,2,3,1\n"
                                         "  clmove permute matrix.npy transposed.npy --order 1,0 --verify --verbose\n"},
    [OPERATION_MOVE] = {MOVE_HELP, "  clmove move image.npy patches.npy --space-to-depth 16:depth_first \\\n"
                                   "      --permute 0,2,3,1 --reshape 1,196,768 --verify\n"
                                   "  clmove move row.npy table.npy --reshape 1,-1 --tile 1000,1 --permute 1,0\n"},
};

void move_help_print(operation_kind kind) {
    printf("%s%s%s", HELPS[kind].help, COMMON_HELP, HELPS[kind].examples);
}
