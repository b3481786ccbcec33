/* clmove explain: how an operation would be done, and why.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/chosen_device.h"
#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"
#include "host/tools/move/task_options.h"

#include <clmove/advice.h>

#include <stdio.h>
#include <string.h>

static const option_row DEVICE[] = {
    {"device", "SEL", OPTION_DEVICE, DEVICE_SELECTORS, "for which device to plan (default: host); see clmove devices"},
    {"verbose", NULL, OPTION_VERBOSE, NULL,
     "print after an empty line the map, its normal form, the nest of loops, how the launch is cut, and all variants that were "
     "passed over"},
    {0}};

/* Of a plan in words, with its final 0. */
enum { EXPLANATION = 16384 };

typedef struct request {
    task what;
    chosen_device who;
    task_given given;
    bool verbose;
} request;

static bool take_option(void *user, int id, const char *value) {
    request *asked = user;
    asked->verbose |= id == OPTION_VERBOSE;
    return task_option(&asked->what, &asked->given, id, value) && chosen_device_option(&asked->who, id, value) != OPTION_REFUSED;
}

/* Completes the line of what to expect. An empty tensor takes no time; several devices have no predictions. */
static bool print_prediction(const clmove_plan *plan, clmove_error *error) {
    clmove_plan_info info = {.struct_size = sizeof info};
    clmove_prediction times = {.struct_size = sizeof times};
    char text[16];
    if (clmove_plan_get_info(plan, &info, error) != CLMOVE_OK)
        return false;
    if (info.executor == CLMOVE_EXECUTOR_SEVERAL)
        return true;
    if (clmove_plan_predict(plan, &times, error) != CLMOVE_OK)
        return false;
    bool on_host = info.executor == CLMOVE_EXECUTOR_HOST;
    double seconds = on_host ? times.host_seconds : times.device_seconds;
    if (!(seconds > 0))
        return true;
    double rate = (double)(times.read_bytes + times.written_bytes) / seconds * 1e-9;
    const bool is_launch = !on_host && times.launch_seconds > seconds / 2;
    printf(". %s %s%s, ", info.is_below_copy ? "At least" : "About", table_time_text(seconds, text),
           on_host ? "" : " on buffers");
    if (is_launch)
        fputs("most of it for the launch", stdout);
    else
        printf("%s%.*f GB/s%s", info.is_below_copy ? "at most " : "",
               rate < 0.1  ? 4
               : rate < 10 ? 2
                           : 1,
               rate, on_host ? " read and written" : "");
    if (!on_host)
        printf("; clmove_run takes %s%s", table_time_text(times.run_seconds, text),
               info.run_executor == CLMOVE_EXECUTOR_HOST ? " on the host"
               : times.in_place                          ? " in place"
                                                         : " with its transfers");
    fputs(times.is_calibrated ? " (by its calibration)" : " (a guess: try clmove calibrate)", stdout);
    return true;
}

/* Prints lines, up to an end. They have names of devices. */
static void print_lines(const char *text, const char *end) {
    static char line[EXPLANATION], shown[PRINTABLE_GROWTH * EXPLANATION];
    while (text < end) {
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        fputs(printable_text(line, shown, sizeof shown), stdout);
        text += length;
        if (text < end)
            putchar(*text++);
    }
}

/* Prints the summary, with the prediction at its end, and the rest if that is asked for. */
static bool print_text(const request *asked, const clmove_plan *plan, const char *text, clmove_error *error) {
    const char *const all = text + strlen(text), *const blank = strstr(text, "\n\n"), *const end = blank ? blank : all;
    print_lines(text, end);
    const bool done = print_prediction(plan, error);
    if (end < all && asked->verbose)
        print_lines(end, all);
    else
        putchar('\n');
    return done;
}

static int explain(request *asked) {
    char text[EXPLANATION];
    clmove_error error;
    clmove_map map;
    clmove_plan *plan = NULL;
    if (task_describe(&asked->what, &map, &error) != CLMOVE_OK)
        return failed("%s", error.text);
    if (!chosen_device_open(&asked->who))
        return STATUS_FAILED;
    bool done = chosen_device_plan(&asked->who, &map, &plan, &error) == CLMOVE_OK &&
                clmove_plan_explain(plan, text, sizeof text, &error) == CLMOVE_OK && print_text(asked, plan, text, &error);
    clmove_plan_destroy(&plan);
    chosen_device_close(&asked->who);
    return done ? STATUS_DONE : failed("%s", error.text);
}

static int run(const command *self, int argc, char **argv) {
    request asked = {.who.selector = "host"};
    int status = task_read(argc, argv, self, take_option, &asked, &asked.what, &asked.given);
    return status == OPTIONS_READ ? explain(&asked) : status;
}

const command COMMAND_EXPLAIN = {
    .name = "explain",
    .summary = "show how an operation would run, and why",
    .synopsis = {"OPERATION --shape D1,D2,... --element-bytes N [OPTION]..."},
    .arguments = TASK_ARGUMENTS,
    .about = "Says in four lines why an operation is fast or slow: what is contiguous in the source and in the destination; the "
             "variant that moves it, and why not a faster one; how many bytes; and what to expect, predicted from the device's "
             "calibration or from typical figures. No data is read. Without --device, OpenCL is not used.",
    .options = {TASK_OPTIONS, DEVICE, PLAN_OPTIONS},
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
