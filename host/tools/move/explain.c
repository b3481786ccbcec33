/* clmove explain: how an operation would be done, and why.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/executor.h"
#include "host/tools/common/message.h"
#include "host/tools/move/task_options.h"

#include <stdio.h>

static const option_row DEVICE[] = {
    {"device", "SEL", OPTION_DEVICE, DEVICE_SELECTORS, "for which device to plan (default: host); see clmove devices"}, {0}};

typedef struct request {
    task what;
    executor who;
    task_given given;
} request;

static bool take_option(void *user, int id, const char *value) {
    request *asked = user;
    return task_option(&asked->what, &asked->given, id, value) != OPTION_REFUSED &&
           executor_option(&asked->who, id, value) != OPTION_REFUSED;
}

static bool explain(request *asked) {
    char text[16384];
    clmove_error error;
    clmove_map map;
    clmove_plan *plan = NULL;
    if (task_describe(&asked->what, &map, &error) != CLMOVE_OK) {
        failed("%s", error.text);
        return false;
    }
    if (!executor_open(&asked->who))
        return false;
    bool done = executor_plan(&asked->who, &map, &plan, &error) == CLMOVE_OK &&
                clmove_plan_explain(plan, text, sizeof text, &error) == CLMOVE_OK;
    if (done)
        fputs(text, stdout);
    else
        failed("%s", error.text);
    clmove_plan_destroy(&plan);
    executor_close(&asked->who);
    return done;
}

static int run(const command *self, int argc, char **argv) {
    request asked = {.who.selector = "host"};
    int status = task_read(argc, argv, self, take_option, &asked, &asked.what, &asked.given);
    if (status != OPTIONS_READ)
        return status;
    return explain(&asked) ? STATUS_DONE : STATUS_FAILED;
}

const command COMMAND_EXPLAIN = {
    .name = "explain",
    .summary = "show how an operation would run, and why",
    .synopsis = {"OPERATION --shape D1,D2,... --element-bytes N [OPTION]..."},
    .arguments = TASK_ARGUMENTS,
    .about =
        "Prints the index map of an operation as described and as normalised, the variant that moves it, and why it was chosen. "
        "No data is read. Without --device, OpenCL is not used.",
    .options = {TASK_OPTIONS, DEVICE, EXECUTOR_OPTIONS},
    .others = OPERATION_TABLES,
    .others_help = TASK_OTHERS,
    .examples = "  clmove explain tile --shape 16,3 --element-bytes 1 --repeats 1,8\n"
                "  clmove explain space-to-depth --shape 1,3,224,224 --element-bytes 4 \\\n"
                "      --block-size 2 --mode blocks_first --device cpu\n"
                "  clmove explain depth-to-space --shape 1,16,8,8 --element-bits 4 \\\n"
                "      --block-size 4 --mode depth_first\n"
                "  clmove explain permute --shape 8,64,56,56 --element-bytes 4 --order 0,2,3,1\n"
                "  clmove explain move --shape 1,3,224,224 --element-bytes 1 \\\n"
                "      --reshape 1,3,14,16,14,16 --permute 0,2,4,3,5,1 --reshape 1,196,-1\n",
    .run = run};
