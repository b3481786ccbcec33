/* The clmove command: which subcommand is meant.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/message.h"
#include "host/tools/common/suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char HELP[] = "Usage: clmove COMMAND [ARGUMENT]... [OPTION]...\n"
                           "Moves tensor data with OpenCL, or on the host, from one .npy file to another.\n"
                           "\n"
                           "Commands:\n"
                           "  tile            repeat a tensor along its dimensions\n"
                           "  space-to-depth  move blocks of the spatial dimensions into depth\n"
                           "  depth-to-space  move depth into blocks of the spatial dimensions\n"
                           "  explain         show how an operation would run, and why\n"
                           "  devices         list the devices\n"
                           "  verify          check a device against an independent computation\n"
                           "  bench           measure operations against the device's limit\n"
                           "  tune            measure which tuning is the fastest on a device, and keep it\n"
                           "  calibrate       measure how fast a device and the host are, and keep it\n"
                           "  advise          predict where an operation runs the fastest\n"
                           "\n"
                           "Options:\n"
                           "  -h, --help      print this, or after a command its own help\n"
                           "      --version   print the version\n"
                           "\n"
                           "Examples:\n"
                           "  clmove tile pixel.npy image.npy --repeats 1,224,224\n"
                           "  clmove space-to-depth image.npy blocks.npy --block-size 2 --mode blocks_first\n"
                           "  clmove explain tile --shape 1,3,8 --element-bytes 4 --repeats 2,1,1\n"
                           "\n"
                           "The exit status is 0 on success, 1 on failure, 2 when the command line is wrong.\n";

static int unknown(const char *name) {
    static const char *const words[] = {"tile", "space-to-depth", "depth-to-space", "explain",   "devices", "verify", "bench",
                                        "tune", "calibrate",      "advise",         "--version", "--help",  NULL};
    char hint[SUGGESTION];
    const char *function = strcmp(name, "permute") == 0 || strcmp(name, "transpose") == 0  ? "clmove_map_permute"
                           : strcmp(name, "expand") == 0 || strcmp(name, "broadcast") == 0 ? "clmove_map_expand"
                                                                                           : NULL;
    if (function)
        return misused("%s is not a command; programs have it as %s, and clmove --help lists what there is here", name, function);
    return misused("%s is not a command%s; see clmove --help", name, suggest(name, "", words, SUGGEST_OPERATIONS, hint));
}

static int dispatch(int argc, char **argv) {
    const char *name = argv[1];
    for (int kind = OPERATION_TILE; kind <= OPERATION_DEPTH_TO_SPACE; kind++)
        if (strcmp(name, operation_name((operation_kind)kind)) == 0)
            return command_move((operation_kind)kind, argc - 1, argv + 1);
    if (strcmp(name, "explain") == 0)
        return command_explain(argc - 1, argv + 1);
    if (strcmp(name, "devices") == 0)
        return command_devices(argc - 1, argv + 1);
    if (strcmp(name, "verify") == 0)
        return command_verify(argc - 1, argv + 1);
    if (strcmp(name, "bench") == 0)
        return command_bench(argc - 1, argv + 1);
    if (strcmp(name, "tune") == 0)
        return command_tune(argc - 1, argv + 1);
    if (strcmp(name, "calibrate") == 0)
        return command_calibrate(argc - 1, argv + 1);
    if (strcmp(name, "advise") == 0)
        return command_advise(argc - 1, argv + 1);
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0) {
        fputs(HELP, stdout);
        return STATUS_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("clmove %s\n", clmove_version());
        return STATUS_DONE;
    }
    return unknown(name);
}

/* A file that is opened must not get the number that messages go to, drivers' included, when the parent closed that. Opened the
 * wrong way around, so that using it is an error as before. */
static bool open_standard(void) {
    static const int contrary[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) == -1 && open("/dev/null", contrary[i]) != i)
            return false;
    return true;
}

int main(int argc, char **argv) {
    if (!open_standard())
        return failed("/dev/null cannot be opened: %s", strerror(errno));
    if (argc < 2)
        return misused("a command is missing, such as tile or devices; see clmove --help");
    int status = dispatch(argc, argv);
    if (ferror(stdout) | fclose(stdout))
        return failed("standard output cannot be written: %s", strerror(errno));
    return status;
}
