/* clmove bench: how fast operations are, beside what the device could do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bench_report.h"
#include "bench_start.h"
#include "commands.h"
#include "message.h"
#include "task_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HELP[] =
    "Usage: clmove bench [OPTION]...\n"
    "       clmove bench OPERATION --shape D1,D2,... --element-bytes N [OPTION]...\n"
    "Measures operations on a device's own buffers, in turn with the limit: a sequential pass\n"
    "over the same buffers that reads as many bytes and writes as many, made in the fastest\n"
    "of several ways. Everything is noise. Every case is first compared with a result computed\n"
    "from the operator's definition, all bytes of it; one that differs is not measured.\n"
    "\n"
    "Without OPERATION, a built-in list is measured. OPERATION is tile, space-to-depth or\n"
    "depth-to-space, with the options that it has as a command: --repeats, --tiles, --axis,\n"
    "--block-size, --mode, --rules.\n"
    "\n" TASK_HELP "  --workloads FILE  the cases of a JSON file: an array of objects with name, op (tile,\n"
    "                    space_to_depth, depth_to_space), dtype (u8, f16, f32, c128, ...),\n"
    "                    shape, and repeats, or block_size and mode\n"
    "  --only TEXT       only cases of the list or file whose name has TEXT in it\n"
    "  --sweep OPERATION float32 from 4 KiB to 1 GiB, source and destination together, or to\n"
    "                    what device and memory hold\n"
    "  --cold            flush the caches before each run\n"
    "  --start           how long a fresh process takes to its first result, with the caches of\n"
    "                    programs empty (cold) and filled (warm), and another plan after it\n"
    "  --seconds S       measure a case for at most S seconds (default: 1)\n"
    "  --json            print a JSON object for each case, one a line\n"
    "  --device SEL      which device (default: CLMOVE_DEVICE, or auto); see clmove devices\n" EXECUTOR_HELP
    "                    (cases of a list that either does not fit are skipped)\n"
    "  -h, --help        print this\n"
    "\n"
    "MOVED counts each byte of the source that is read once, and the destination; a GB is 10^9\n"
    "bytes. MIN, MEDIAN and P95 are by the host's clock from enqueueing to the end, DEVICE is\n"
    "the median by the device's clock, from the first kernel's start. NOISE is the standard\n"
    "error of the median. GB/S is of the median; STREAM is the limit's, and ROOF their ratio:\n"
    "1 is as fast as can be. A case ends after 10 runs and 0.3 seconds when the noise of both\n"
    "is below 0.5%, or when the time is up. What was measured is printed when it is interrupted.\n"
    "\n"
    "Examples:\n"
    "  clmove bench --device cpu\n"
    "  clmove bench --device gpu --only s2d --json\n"
    "  clmove bench --sweep space-to-depth --cold\n"
    "  clmove bench --start --device gpu\n"
    "  clmove bench tile --shape 1,3,512,512 --element-bytes 4 --repeats 32,1,1,1 --device host\n";

#define START_CHILD "start-child"

static const struct option TABLE[] = {
    TASK_OPTIONS,
    EXECUTOR_OPTIONS,
    {"workloads", required_argument, NULL, OPTION_WORKLOADS},
    {"only", required_argument, NULL, OPTION_ONLY},
    {"sweep", required_argument, NULL, OPTION_SWEEP},
    {"cold", no_argument, NULL, OPTION_COLD},
    {"start", no_argument, NULL, OPTION_START},
    {START_CHILD, no_argument, NULL, OPTION_START_CHILD}, /* of bench_start alone: not in HELP */
    {"seconds", required_argument, NULL, OPTION_SECONDS},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, OPTION_HELP},
    {0}};

typedef struct request {
    executor who;
    bool named; /* an operation was */
    bench_case single;
    task_given given;
    const char *workloads, *only, *sweep;
    operation_kind swept;
    bool as_json, is_cold, is_start, is_start_child, help;
    double seconds;
    char more[64]; /* options that the line to repeat a case has, too */
} request;

/* ---- interrupts ---- */

static volatile sig_atomic_t stopped_by;

static void stop(int signal_number) {
    stopped_by = signal_number;
}

/* The first ends the case that is being measured, the second the process. */
static void catch_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction now, wanted = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
        sigemptyset(&wanted.sa_mask);
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(signals[i], &wanted, NULL);
    }
}

/* ---- all cases ---- */

static bool get_list(const request *asked, bench_list *list) {
    clmove_device_info device;
    if (asked->workloads)
        return bench_list_read(list, asked->workloads);
    if (asked->sweep)
        return clmove_device_get_info(asked->who.device, &device, NULL) == CLMOVE_OK &&
               bench_list_sweep(list, asked->swept, bench_room(&device));
    return asked->named ? bench_list_single(list, &asked->single) : bench_list_builtin(list);
}

/* How it went so far. */
typedef struct tally {
    size_t found, done, skipped, wrong;
    bool is_broken; /* what was measured cannot be printed */
} tally;

/* Measures one case, and prints its line or what went wrong. */
static void bench_one(const request *asked, const bench_case *one, const bench_manner *manner, bench_report *results,
                      tally *so_far) {
    char why[BENCH_WHY], repeat[BENCH_REPEAT];
    bench_result result;
    bench_outcome outcome = bench_measure(&asked->who, one, manner, &result, why);
    bool is_skipped = outcome == BENCH_SKIPPED && !asked->named;
    bench_repeat_text(one, &asked->who, asked->more, repeat);
    so_far->found++;
    so_far->done += outcome == BENCH_DONE;
    so_far->skipped += is_skipped;
    so_far->wrong += outcome != BENCH_DONE && !is_skipped;
    if (outcome == BENCH_DONE)
        so_far->is_broken = result.runs >= BENCH_LEAST && !bench_report_add(results, one, &result);
    else if (outcome == BENCH_WRONG)
        failed("%s is wrong, and was not measured: %s; repeat it with: %s", one->name, why, repeat);
    else if (!is_skipped)
        failed("%s cannot be measured: %s", one->name, why);
}

static int bench_all(const request *asked, const bench_list *list, const bench_manner *manner, bench_report *results) {
    tally so_far = {0};
    if (!bench_report_begin(results))
        return STATUS_FAILED;
    for (size_t i = 0; i < list->count && !stopped_by && !so_far.is_broken; i++)
        if (!asked->only || strstr(list->cases[i].name, asked->only))
            bench_one(asked, &list->cases[i], manner, results, &so_far);
    so_far.is_broken |= !bench_report_end(results);
    if (so_far.is_broken || so_far.wrong > 0 || stopped_by)
        return STATUS_FAILED;
    if (so_far.found == 0)
        return failed("no case has '%s' in its name", asked->only);
    if (so_far.done == 0)
        return failed("nothing was measured, since the variant or the index width fits no case");
    if (so_far.skipped > 0)
        report("note: %zu cases were skipped, since the variant or the index width does not fit them", so_far.skipped);
    return STATUS_DONE;
}

static int bench(request *asked) {
    clmove_error error;
    bench_list list = {0};
    bench_manner manner = {.seconds = asked->seconds, .stop = &stopped_by};
    int status = STATUS_FAILED;
    double start = bench_now();
    if (!executor_open(&asked->who))
        return STATUS_FAILED;
    bench_report results = {.as_json = asked->as_json,
                            .is_cold = asked->is_cold,
                            .who = &asked->who,
                            .more = asked->more,
                            .open_seconds = bench_now() - start};
    catch_signals();
    if (executor_knows_variant(&asked->who) && get_list(asked, &list)) {
        if (asked->is_cold && bench_cold_open(&manner.cold, asked->who.device, &error) != CLMOVE_OK)
            failed("the caches cannot be flushed: %s", error.text);
        else
            status = bench_all(asked, &list, &manner, &results);
    }
    bench_cold_close(&manner.cold);
    free(list.cases);
    executor_close(&asked->who);
    if (stopped_by) {
        signal(stopped_by, SIG_DFL);
        raise(stopped_by);
    }
    return status;
}

/* ---- starts ---- */

static int bench_starts(request *asked, int argc, char **argv) {
    bench_start_manner manner = {.kind = asked->single.what.op.kind,
                                 .name = asked->single.name,
                                 .as_json = asked->as_json,
                                 .seconds = asked->seconds,
                                 .stop = &stopped_by};
    if (asked->is_start_child)
        return bench_start_child(&asked->who, &asked->single);
    catch_signals();
    int status = bench_start(&manner, argc, argv, "--" START_CHILD);
    if (stopped_by) {
        signal(stopped_by, SIG_DFL);
        raise(stopped_by);
    }
    return status;
}

/* ---- the command line ---- */

static bool take_seconds(const char *value, double *seconds) {
    char *end = NULL;
    *seconds = *value >= '0' && *value <= '9' ? strtod(value, &end) : 0;
    if (end && *end == '\0' && *seconds > 0 && *seconds <= 1e6)
        return true;
    misused("--seconds is '%s', it must be a number above 0, and at most 1000000", value);
    return false;
}

/* An option of the executor, or one of the operation, which must be there. */
static bool take_other(request *asked, int id, const char *value) {
    option_outcome outcome = executor_option(&asked->who, id, value);
    if (outcome == OPTION_UNKNOWN && asked->named)
        outcome = task_option(&asked->single.what, &asked->given, id, value);
    if (outcome == OPTION_UNKNOWN)
        misused("bench wants an operation first when it has options of one, such as --shape; see clmove bench --help");
    return outcome == OPTION_TAKEN;
}

static bool take_option(request *asked, int id, const char *value) {
    switch (id) {
    case OPTION_HELP:
        return asked->help = true;
    case OPTION_WORKLOADS:
        asked->workloads = value;
        return true;
    case OPTION_ONLY:
        asked->only = value;
        return true;
    case OPTION_SWEEP:
        asked->sweep = value;
        if (!task_operation_named(value, &asked->swept))
            misused("--sweep is '%s', it must be tile, space-to-depth or depth-to-space", value);
        return task_operation_named(value, &asked->swept);
    case OPTION_COLD:
        return asked->is_cold = true;
    case OPTION_START:
        return asked->is_start = true;
    case OPTION_START_CHILD:
        return asked->is_start_child = true;
    case OPTION_SECONDS:
        return take_seconds(value, &asked->seconds);
    case OPTION_JSON:
        return asked->as_json = true;
    case '?':
        return false;
    default:
        return take_other(asked, id, value);
    }
}

/* Whether the options go together. */
static bool is_clear(request *asked) {
    const char *see = "see clmove bench --help";
    if (asked->named + !!asked->workloads + !!asked->sweep > 1)
        misused("bench wants only one of an operation, --workloads and --sweep; %s", see);
    else if (asked->only && (asked->named || asked->sweep))
        misused("--only chooses from the built-in list or --workloads; %s", see);
    else if (asked->is_start && (asked->workloads || asked->sweep || asked->only || asked->is_cold))
        misused("--start measures one operation, and takes neither --workloads, --sweep, --only nor --cold; %s", see);
    else
        return !asked->named || task_complete(&asked->single.what, &asked->given, "bench");
    return false;
}

int command_bench(int argc, char **argv) {
    request asked = {.seconds = 1, .who = {.profile = true, .on_device = true}};
    int all_count = argc;
    char **all = argv;
    asked.named = argc > 1 && task_operation_named(argv[1], &asked.single.what.op.kind);
    if (!asked.named && argc > 1 && argv[1][0] != '-')
        return misused("'%s' is not an operation; bench knows tile, space-to-depth and depth-to-space", argv[1]);
    argc -= asked.named;
    argv += asked.named;
    for (int id; !asked.help && (id = option_next(argc, argv, "bench", TABLE)) != -1;)
        if (!take_option(&asked, id, optarg))
            return STATUS_MISUSED;
    if (asked.help) {
        fputs(HELP, stdout);
        return STATUS_DONE;
    }
    if (optind < argc)
        return misused("bench wants at most one operation, first, and '%s' is one too many; see clmove bench --help",
                       argv[optind]);
    if (!is_clear(&asked))
        return STATUS_MISUSED;
    if (asked.is_start && !asked.named)
        bench_start_default(&asked.single);
    if (asked.named || asked.is_start)
        bench_name_task(&asked.single.what, asked.single.name);
    if (asked.is_start)
        return bench_starts(&asked, all_count, all);
    if (asked.seconds == 1)
        snprintf(asked.more, sizeof asked.more, "%s", asked.is_cold ? " --cold" : "");
    else
        snprintf(asked.more, sizeof asked.more, " --seconds %g%s", asked.seconds, asked.is_cold ? " --cold" : "");
    return bench(&asked);
}
