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
                           "  permute         put the dimensions in another order\n"
                           "  move            do several of these, and reshape and expand, at once\n"
                           "  explain         show how an operation would run, and why\n"
                           "  devices         list the devices\n"
                           "  verify          check a device against an independent computation\n"
                           "  bench           measure operations against the device's limit\n"
                           "  tune            measure which tuning is the fastest on a device, and keep it\n"
                           "  calibrate       measure how fast a device and the host are, and keep it\n"
                           "  advise          predict where an operation runs the fastest\n"
                           "  help            print the help of a command, such as clmove help tile\n"
                           "\n"
                           "Options:\n"
                           "  -h, --help      print this, or after a command its own help\n"
                           "      --version   print the version\n"
                           "\n"
                           "Examples:\n"
                           "  clmove tile pixel.npy image.npy --repeats 1,224,224\n"
                           "  clmove space-to-depth image.npy blocks.npy --block-size 2 --mode blocks_first\n"
                           "  clmove permute nchw.npy nhwc.npy --order 0,2,3,1\n"
                           "  clmove explain tile --shape 1,3,8 --element-bytes 4 --repeats 2,1,1\n"
                           "\n"
                           "The exit status is 0 on success, 1 on failure, 2 when the command line is wrong.\n";

static int unknown(const char *name) {
    static const char *const words[] = {"tile",    "space-to-depth", "depth-to-space", "permute", "move",      "explain",
                                        "devices", "verify",         "bench",          "tune",    "calibrate", "advise",
                                        "help",    "--version",      "--help",         NULL};
    char hint[SUGGESTION];
    if (strcmp(name, "reshape") == 0 || strcmp(name, "expand") == 0 || strcmp(name, "broadcast") == 0)
        return misused("%s is not a command, but a step: clmove move SRC.npy DST.npy --%s ...; see clmove move --help", name,
                       strcmp(name, "reshape") == 0 ? "reshape" : "expand");
    return misused("%s is not a command%s; see clmove --help", name, suggest(name, "", words, SUGGEST_OPERATIONS, hint));
}

static int dispatch(int argc, char **argv) {
    static char help[] = "--help";
    const char *name = argv[1];
    operation_kind kind;
    if (strcmp(name, "help") == 0 && argc > 3)
        return misused("help wants one command, and '%s' is one too many; see clmove --help", argv[3]);
    if (strcmp(name, "help") == 0)
        return dispatch(argc, argc == 2 ? (char *[]){argv[0], help, NULL} : (char *[]){argv[0], argv[2], help, NULL});
    if (operation_named(name, &kind))
        return command_move(kind, argc - 1, argv + 1);
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
