/* The clmove command: which subcommand is meant.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/message.h"
#include "host/tools/common/suggest.h"

#include <clmove/clmove.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const command HELP, CLMOVE;
static const command *const COMMANDS[] = {&COMMAND_TILE,
                                          &COMMAND_SPACE_TO_DEPTH,
                                          &COMMAND_DEPTH_TO_SPACE,
                                          &COMMAND_PERMUTE,
                                          &COMMAND_MOVE,
                                          &COMMAND_EXPLAIN,
                                          &COMMAND_DEVICES,
                                          &COMMAND_VERIFY,
                                          &COMMAND_BENCH,
                                          &COMMAND_TUNE,
                                          &COMMAND_CALIBRATE,
                                          &COMMAND_ADVISE,
                                          &HELP,
                                          NULL};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] - 1 };

static int unknown(const char *name) {
    const char *words[COMMAND_COUNT + 3] = {"--version", "--help"};
    char hint[SUGGESTION];
    for (int i = 0; i < COMMAND_COUNT; i++)
        words[2 + i] = COMMANDS[i]->name;
    if (strcmp(name, "reshape") == 0 || strcmp(name, "expand") == 0 || strcmp(name, "broadcast") == 0)
        return misused("%s is not a command, but a step: clmove move SRC.npy DST.npy --%s ...; see clmove move --help", name,
                       strcmp(name, "reshape") == 0 ? "reshape" : "expand");
    return misused("%s is not a command%s; see clmove --help", name, suggest(name, "", words, SUGGEST_OPERATIONS, hint));
}

static int dispatch(int argc, char **argv) {
    const char *name = argv[1];
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, COMMANDS[i]->name) == 0)
            return COMMANDS[i]->run(COMMANDS[i], argc - 1, argv + 1);
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0) {
        command_print_help(&CLMOVE);
        return STATUS_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("clmove %s\n", clmove_version());
        return STATUS_DONE;
    }
    if (strcmp(name, "--write-pages") == 0 && argc == 3) /* of the build alone: not in the help */
        return pages_write(&CLMOVE, argv[2]) ? STATUS_DONE : STATUS_FAILED;
    return unknown(name);
}

static int run_help(const command *self, int argc, char **argv) {
    static char help[] = "--help";
    if (argc > 2)
        return misused("%s takes one command, and '%s' is one too many; see clmove --help", self->name, argv[2]);
    return argc < 2 ? dispatch(2, (char *[]){argv[0], help, NULL}) : dispatch(3, (char *[]){argv[0], argv[1], help, NULL});
}

static const command HELP = {.name = "help", .summary = "print the help of a command, such as clmove help tile", .run = run_help};

static const option_row OPTIONS[] = {{"help", NULL, OPTION_HELP, NULL, "print this, or after a command its own help"},
                                     {"version", NULL, OPTION_VERSION, NULL, "print the version"},
                                     {0}};
static const command CLMOVE = {
    .name = "",
    .summary = "move tensor data with OpenCL, or on the host",
    .synopsis = {"COMMAND [ARGUMENT]... [OPTION]..."},
    .about = "Moves tensor data with OpenCL, or on the host, from one .npy file to another. The commands are:",
    .commands = COMMANDS,
    .options = {OPTIONS},
    .notes = "The exit status is 0 on success, 1 on failure, 2 when the command line is wrong.",
    .examples = "  clmove tile pixel.npy image.npy --repeats 1,224,224\n"
                "  clmove space-to-depth image.npy blocks.npy --block-size 2 --mode blocks_first\n"
                "  clmove permute nchw.npy nhwc.npy --order 0,2,3,1\n"
                "  clmove explain tile --shape 1,3,8 --element-bytes 4 --repeats 2,1,1\n"};

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
