/* The commands that move one .npy file to another, as tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/chosen_device.h"
#include "host/tools/move/operation.h"

static const option_row FILE_OPTIONS[] = {
    {"device", "SEL", OPTION_DEVICE, DEVICE_SELECTORS,
     "auto (the default: a GPU or accelerator if there is one, else the host), host, gpu, cpu, accelerator, an index, or part of "
     "a name; or several of these, such as 0,1,host, which share the work; see clmove devices. CLMOVE_DEVICE in the environment "
     "sets another default"},
    {"allow-fallback", NULL, OPTION_ALLOW_FALLBACK, NULL,
     "if the device fails, the host does the work, and a note says so; auto always allows this"},
    {"verify", NULL, OPTION_VERIFY, NULL,
     "compute the result once more on the host, from the operator's definition, and compare every byte. If one differs, DST "
     "stays as it was"},
    {"verbose", NULL, OPTION_VERBOSE, NULL,
     "print on stderr: shapes, device, variant, time and rate (first access to the files' pages included), pieces, peak memory"},
    {"quiet", NULL, OPTION_QUIET, NULL,
     "print errors only. Without it, work of more than half a second shows its progress on a terminal"},
    {0}};

static const char *const FILES[] = {"*.npy", NULL};

/* What these have in common. The options of the other operations are read too: the sentence that refuses them says whose they
 * are. */
#define MOVES(NAME, OPTIONS)                                                                                                     \
    .name = (NAME), .arguments = FILES, .options = {(OPTIONS), FILE_OPTIONS, PLAN_OPTIONS}, .others = OPERATION_TABLES,          \
    .run = command_move,                                                                                                         \
    .notes = "SRC is a .npy file of any fixed-size dtype, or - for standard input. If SRC is seen to change while the "          \
             "command runs, the command fails. DST is whole or absent. An existing DST is replaced last, after all messages "    \
             "are printed; a failure leaves it as it was. DST has SRC's dtype, byte order included; its data is in C order. "    \
             "Files may be larger than memory: they are mapped, and a tensor that exceeds the memory of the device, or its "     \
             "budget, is moved in pieces."

const command COMMAND_TILE = {
    MOVES("tile", TILE_OPTIONS), .summary = "repeat a tensor along its dimensions",
    .synopsis = {"SRC.npy DST.npy --repeats R1,R2,... [OPTION]...", "SRC.npy DST.npy --tiles N --axis A [OPTION]..."},
    .about = "Repeats a tensor: dimension i of DST is dimension i of SRC times Ri.",
    .examples = "  clmove tile row.npy table.npy --repeats 1000,1\n"
                "  clmove tile row.npy table.npy --tiles 4 --axis -1 --device gpu --verify\n"};

const command COMMAND_SPACE_TO_DEPTH = {
    MOVES("space-to-depth", SPACE_TO_DEPTH_OPTIONS), .summary = "move blocks of the spatial dimensions into depth",
    .synopsis = {"SRC.npy DST.npy --block-size B --mode MODE [OPTION]..."},
    .about =
        "Moves blocks of the spatial dimensions into depth: [N, C, D1, ..., DK] becomes [N, C * B^K, D1 / B, ..., DK / B], where "
        "each Di must be a multiple of B.",
    .examples = "  clmove space-to-depth image.npy blocks.npy --block-size 2 --mode blocks_first\n"
                "  clmove space-to-depth image.npy blocks.npy --rules onnx --block-size 2 --verbose\n"};

const command COMMAND_DEPTH_TO_SPACE = {
    MOVES("depth-to-space", DEPTH_TO_SPACE_OPTIONS), .summary = "move depth into blocks of the spatial dimensions",
    .synopsis = {"SRC.npy DST.npy --block-size B --mode MODE [OPTION]..."},
    .about =
        "Moves depth into blocks of the spatial dimensions: [N, C, D1, ..., DK] becomes [N, C / B^K, D1 * B, ..., DK * B], where "
        "C must be a multiple of B^K.",
    .examples = "  clmove depth-to-space blocks.npy image.npy --block-size 2 --mode depth_first\n"
                "  clmove depth-to-space blocks.npy image.npy --rules onnx --block-size 2 --verify\n"};

const command COMMAND_PERMUTE = {
    MOVES("permute", PERMUTE_OPTIONS), .summary = "put the dimensions in another order",
    .synopsis = {"SRC.npy DST.npy --order D1,D2,... [OPTION]..."},
    .about =
        "Puts the dimensions in another order, as NumPy's transpose does: dimension i of DST is dimension Di of SRC, counted "
        "from 0, outermost first.",
    .examples = "  clmove permute nchw.npy nhwc.npy --order 0,2,3,1\n"
                "  clmove permute matrix.npy transposed.npy --order 1,0 --verify --verbose\n"};

const command COMMAND_MOVE = {
    MOVES("move", MOVE_OPTIONS), .summary = "do several of these in one pass, with reshape and expand",
    .synopsis = {"SRC.npy DST.npy STEP... [OPTION]..."},
    .about =
        "Applies the steps in the order given, and moves the data once, without an intermediate tensor. There are at most 16 "
        "steps. A --reshape that cuts across dimensions that an earlier step separated is refused: run the steps before it "
        "first, and the rest with a second command.",
    .examples = "  clmove move image.npy patches.npy --space-to-depth 16:depth_first \\\n"
                "      --permute 0,2,3,1 --reshape 1,196,768 --verify\n"
                "  clmove move row.npy table.npy --reshape 1,-1 --tile 1000,1 --permute 1,0\n"};
