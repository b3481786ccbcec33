/* clmove bench: how fast operations are, beside what the device could do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/run.h"
#include "host/tools/commands.h"
#include "host/tools/common/message.h"
#include "host/tools/move/task_options.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define START_CHILD "start-child"

static const char *const WORKLOADS[] = {"*.json", NULL};
static const char *const SWEPT[] = {"tile", "space-to-depth", "depth-to-space", "permute", NULL};
static const option_row OPTIONS[] = {
    {"workloads", "FILE", OPTION_WORKLOADS, WORKLOADS,
     "the cases of a JSON file: an array of objects with name, op (tile, space_to_depth, depth_to_space, permute, move), dtype "
     "(u8, f16, f32, ...), shape, and repeats, or block_size and mode, or order, or steps. Each step is an object with op and "
     "what that op needs; reshape and expand need shape"},
    {"only", "TEXT", OPTION_ONLY, NULL,
     "only those cases of the list or the file whose name contains TEXT. ttc: the 57 permutations of TTC's benchmark, ttc01 to "
     "ttc57"},
    {"sweep", "NAME", OPTION_SWEEP, SWEPT,
     "measure one of these operations on float32 tensors of growing sizes: " OPERATION_NAMES
     ". Source and destination together have "
     "4 KiB to 1 GiB, or as much as device and memory hold"},
    {"cold", NULL, OPTION_COLD, NULL, "flush the caches before each run"},
    {"start", NULL, OPTION_START, NULL,
     "measure new processes from their start to their first result, with empty caches of programs (cold) and filled ones "
     "(warm), and then the time of another plan"},
    {START_CHILD, NULL, OPTION_START_CHILD, NULL, NULL}, /* of bench_start alone */
    {"transfer", NULL, OPTION_TRANSFER, NULL,
     "measure ways between host and device instead, in turn: (a) moved on the host, then the result is uploaded, (b) the source "
     "is uploaded, then moved on the device, (c) both stay on the device, (d) clmove_run on the device, from host memory to host "
     "memory, (e) on the host alone. For each kind of host memory it prints the faster way, from which size or repeat on, and "
     "the prediction. Ways that differ by no more than 5% are even: '=' in the table, \"tie\" in JSON"},
    {"calibrate", NULL, OPTION_CALIBRATE, NULL,
     "with --transfer: calibrate briefly before, during and after each case, and predict from the median, even if a file has a "
     "calibration (see clmove calibrate). Without such a file this is the default"},
    {"seconds", "S", OPTION_SECONDS, NULL, "measure a case for at most S seconds (default: 1)"},
    {"json", NULL, OPTION_JSON, NULL, "print one JSON object for each case, each in a line"},
    {0}};

typedef struct request {
    bench_request bench;
    task_given given;
    bool is_start, is_start_child, is_transfer;
} request;

/* ---- an interrupt ends the case that is being measured, and what was measured is printed ---- */

/* What is measured is asked for between two rounds. A driver that builds a program does not ask: Intel's compiler took minutes.
 */
#define PATIENCE_SECONDS 5

static volatile sig_atomic_t stopped_by;

static void stop(int signal_number) {
    stopped_by = signal_number;
    alarm(PATIENCE_SECONDS);
}

/* Ends the process by the signal that came, if one did. */
static void follow_signal(void) {
    if (stopped_by) {
        signal(stopped_by, SIG_DFL);
        raise(stopped_by);
    }
}

static void stop_now(int signal_number) {
    (void)signal_number;
    follow_signal();
}

/* From now on the first SIGINT, SIGTERM or SIGHUP sets the flag that is returned. The second one ends the process. So do 5
 * seconds in which the flag is not read, as while a driver builds a program. */
static const volatile sig_atomic_t *catch_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction now, wanted = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
        sigemptyset(&wanted.sa_mask);
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(signals[i], &wanted, NULL);
    }
    signal(SIGALRM, stop_now);
    return &stopped_by;
}

/* ---- all kinds of it ---- */

static int bench(bench_request *asked, bool is_transfer) {
    clmove_error error;
    int status = STATUS_FAILED;
    double start = bench_now();
    if (!chosen_device_open(&asked->who))
        return STATUS_FAILED;
    asked->open_seconds = bench_now() - start;
    asked->device.struct_size = sizeof asked->device;
    if (clmove_device_get_info(asked->who.device, &asked->device, &error) != CLMOVE_OK)
        failed("%s", error.text);
    else if (asked->is_cold && !bench_cold_open(&asked->cold, asked->who.device, &asked->device, &error))
        failed("the caches cannot be flushed: %s", error.text);
    else
        status = is_transfer ? bench_transfer(asked) : bench_operations(asked);
    bench_cold_close(&asked->cold);
    chosen_device_close(&asked->who);
    return status;
}

/* ---- the command line ---- */

/* An option of the device or the plan, or one of the operation, which must be there. */
static bool take_other(request *asked, int id, const char *value) {
    option_outcome outcome = chosen_device_option(&asked->bench.who, id, value);
    if (outcome == OPTION_UNKNOWN && asked->bench.named)
        return task_option(&asked->bench.single.what, &asked->given, id, value);
    if (outcome == OPTION_UNKNOWN)
        misused("bench needs an operation first when it has options of one, such as --shape; see clmove bench --help");
    return outcome == OPTION_TAKEN;
}

/* What a move does is not said by its name. */
static bool take_sweep(const char *value, operation_kind *kind) {
    if (operation_named(value, kind) && *kind != OPERATION_MOVE)
        return true;
    return refused("--sweep is '%s', it must be one of " OPERATION_NAMES, value);
}

static bool take_option(void *user, int id, const char *value) {
    request *asked = user;
    bench_request *bench = &asked->bench;
    switch (id) {
    case OPTION_WORKLOADS:
        bench->workloads = value;
        return true;
    case OPTION_ONLY:
        bench->only = value;
        return true;
    case OPTION_SWEEP:
        bench->sweep = value;
        return take_sweep(value, &bench->swept);
    case OPTION_COLD:
        return bench->is_cold = true;
    case OPTION_START:
        return asked->is_start = true;
    case OPTION_START_CHILD:
        return asked->is_start_child = true;
    case OPTION_TRANSFER:
        return asked->is_transfer = true;
    case OPTION_CALIBRATE:
        return bench->calibrates = true;
    case OPTION_SECONDS:
        return option_seconds(value, 1e6, &bench->seconds);
    case OPTION_JSON:
        return bench->as_json = true;
    default:
        return take_other(asked, id, value);
    }
}

/* Whether the options go together. */
static bool is_clear(request *asked) {
    const char *see = "see clmove bench --help";
    bench_request *bench = &asked->bench;
    if (bench->named + !!bench->workloads + !!bench->sweep > 1)
        return refused("bench takes only one of an operation, --workloads and --sweep; %s", see);
    if (bench->only && (bench->named || bench->sweep))
        return refused("--only chooses from the built-in list or --workloads; %s", see);
    if (asked->is_start && (bench->workloads || bench->sweep || bench->only || bench->is_cold || asked->is_transfer))
        return refused(
            "--start measures one operation, and takes neither --workloads, --sweep, --only, --cold nor --transfer; %s", see);
    if (bench->calibrates && !asked->is_transfer)
        return refused("--calibrate goes with --transfer; %s", see);
    return !bench->named || task_complete(&bench->single.what, &asked->given, "bench");
}

/* What the line that repeats a case needs. */
static void name_more(bench_request *bench, bool is_transfer) {
    char seconds[32] = "";
    if (bench->seconds != 1)
        snprintf(seconds, sizeof seconds, " --seconds %g", bench->seconds);
    snprintf(bench->more, sizeof bench->more, "%s%s%s", is_transfer ? " --transfer" : "", seconds,
             bench->is_cold ? " --cold" : "");
}

static int run(const command *self, int argc, char **argv) {
    request asked = {.bench = {.seconds = 1, .who = {.profile = true, .on_device = true}}};
    bench_case *single = &asked.bench.single;
    const bool named = argc > 1 && operation_named(argv[1], &single->what.op.kind);
    asked.bench.named = named;
    if (!named && argc > 1 && argv[1][0] != '-')
        return misused("'%s' is not an operation; bench knows " OPERATION_NAMES " and move", argv[1]);
    int status = options_read(argc - named, argv + named, self, take_option, &asked);
    if (status != OPTIONS_READ)
        return status;
    if (optind < argc - named)
        return misused("bench takes at most one operation, first, and '%s' is one too many; see clmove bench --help",
                       argv[named + optind]);
    if (!is_clear(&asked))
        return STATUS_MISUSED;
    if (asked.is_start && !named)
        bench_start_default(single);
    if (named || asked.is_start)
        bench_name_task(&single->what, single->name);
    if (asked.is_start && asked.is_start_child)
        return bench_start_child(&asked.bench);
    name_more(&asked.bench, asked.is_transfer);
    asked.bench.stop = catch_signals();
    status = asked.is_start ? bench_start(&asked.bench, argc, argv, "--" START_CHILD) : bench(&asked.bench, asked.is_transfer);
    follow_signal();
    return status;
}

const command COMMAND_BENCH = {
    .name = "bench",
    .summary = "measure operations against the device's limit",
    .synopsis = {"[OPTION]...", "OPERATION --shape D1,D2,... --element-bytes N [OPTION]..."},
    .arguments = TASK_ARGUMENTS,
    .about = "Measures operations on a device's own buffers, in turn with the limit: the fastest sequential pass over the same "
             "buffers that reads as many bytes and writes as many. Without --cold, an untimed run of the same comes before each "
             "timed one. The buffers hold noise. First every byte of a case is "
             "compared with a result computed from the operator's definition. A case that differs is not measured.\n"
             "Without OPERATION, a built-in list is measured.",
    .options = {TASK_OPTIONS, OPTIONS, DEVICE_OPTIONS, PLAN_OPTIONS},
    .others = OPERATION_TABLES,
    .others_help = TASK_OTHERS,
    .notes =
        "Cases of a list that --variant or --index-bits does not fit are skipped.\n"
        "MOVED is the bytes of the source that are read, each counted once, and those of the destination; a GB is 10^9 bytes. "
        "MIN, MEDIAN and P95 are by the host's clock, from enqueueing to the end. DEVICE is the median by the device's clock, "
        "from the first kernel's start. NOISE is the standard error of the median. GB/S is MOVED divided by MEDIAN, LIMIT is the "
        "GB/S of the limit, and ROOF is their ratio: 1 is the limit. A case ends after 10 runs and 0.3 seconds when the noise of "
        "operation and limit is below 0.5%, or when its time is up. An interrupt prints what was measured.",
    .examples = "  clmove bench --device cpu\n"
                "  clmove bench --device gpu --only s2d --json\n"
                "  clmove bench --sweep permute --cold\n"
                "  clmove bench --start --device gpu\n"
                "  clmove bench --transfer --device gpu --only tile\n"
                "  clmove bench tile --shape 1,3,512,512 --element-bytes 4 --repeats 32,1,1,1 --device host\n",
    .run = run};
