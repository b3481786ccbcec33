/* clmove tune: how work is best cut on a device, by measurement, kept in the user's file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/message.h"
#include "host/tools/common/temporary.h"
#include "host/tools/tune/file.h"
#include "host/tools/tune/maps.h"
#include "host/tools/tune/processor_wait.h"
#include "host/tools/tune/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const FILES[] = {"*", NULL};
static const option_row OPTIONS[] = {
    {"seconds", "S", OPTION_SECONDS, NULL, "measure each key for about S seconds (default: 1); the total time is printed first"},
    {"dry-run", NULL, OPTION_DRY_RUN, NULL, "write nothing"},
    {"output", "FILE", OPTION_OUTPUT, FILES,
     "write to FILE instead of clmove/tuning/DEVICE.ini in XDG_CONFIG_HOME (or ~/.config), or of the file that "
     "CLMOVE_TUNING_FILE "
     "names"},
    {"json", NULL, OPTION_JSON, NULL, "print one JSON object instead of tables"},
    {0}};

/* Of the seconds for a key, for all its values; and for each further trial of the best. */
#define FIRST_SHARE 0.6
#define AGAIN_SHARE 0.2
enum { MOST_AGAIN = 3, CLEAR_TRIALS = 2, MOST_ROUNDS = 2 };
/* Seconds for what comes beside measuring: maps are filled and compared, each plan gives its bytes once. */
#define BESIDE 15
/* How many times the seconds of a key may pass, with all rounds. */
#define MOST_TIMES 2.5
/* Noise with which a gain that matters would not have shown. */
#define NOISE_OF_DOUBT (10 * CLARITY_MATTERS / CLARITY_ERRORS)

typedef struct request {
    executor who;
    double seconds; /* for each key */
    bool as_json, is_dry;
    const char *output;
    char path[4096];
    char body[2048]; /* of the section; "" */
} request;

/* ---- measuring ---- */

static double noise_limit(const tune_score *score) {
    return score->failure[0] || score->maps == 0 ? 0 : score->found.noise;
}

/* What may be better, and is worth another trial. */
static const tune_score *find_best(const tune_score *scores, int count) {
    const tune_score *best = NULL;
    for (int i = 0; i < count; i++)
        if (tune_verdict(&scores[i]) >= CLARITY_UNCLEAR && (!best || scores[i].found.gain > best->found.gain))
            best = &scores[i];
    return best;
}

/* Tries the best value again until it was clearly better twice or cannot be any more. */
static bool try_again(tune_bench *bench, tune_report *report, size_t key, const tune_score *best, double seconds,
                      tune_trend *trend) {
    int clear = tune_verdict(best) == CLARITY_BETTER;
    *trend = (tune_trend){.last = *best};
    for (int i = 0; i < MOST_AGAIN && clear + MOST_AGAIN - i >= CLEAR_TRIALS; i++) {
        if (!tune_try(bench, key, &best->value, 1, seconds * AGAIN_SHARE, &trend->last))
            return false;
        if (bench->is_late)
            return true;
        clarity_verdict verdict = tune_verdict(&trend->last);
        clear += verdict == CLARITY_BETTER;
        trend->is_clear = clear >= CLEAR_TRIALS;
        if (!tune_report_again(report, &bench->now.values[key], &trend->last, trend->is_clear))
            return false;
        if (trend->is_clear || verdict < CLARITY_UNCLEAR)
            return true;
    }
    trend->is_doubtful = true;
    return true;
}

/* Tries one key; *changed: it has a new value. */
static bool tune_key(tune_bench *bench, tune_report *report, tune_doubt *doubt, size_t key, double seconds, bool *changed) {
    clmove_tuning_value *value = &bench->now.values[key];
    int64_t others[TUNE_OTHERS];
    tune_score scores[TUNE_OTHERS];
    tune_trend trend;
    int count = tune_others(value, others);
    if (!tune_try(bench, key, others, count, seconds * FIRST_SHARE, scores))
        return false;
    if (bench->is_late)
        return true;
    for (int i = 0; i < count; i++)
        doubt->noise = noise_limit(&scores[i]) > doubt->noise ? noise_limit(&scores[i]) : doubt->noise;
    if (!tune_report_key(report, value, scores, count))
        return false;
    const tune_score *best = find_best(scores, count);
    if (!best)
        return true;
    if (!try_again(bench, report, key, best, seconds, &trend))
        return false;
    *changed = trend.is_clear && !bench->is_late;
    if (*changed)
        value->value = best->value;
    if (trend.is_doubtful && (!doubt->key || trend.last.found.gain > doubt->gain)) {
        doubt->key = value->key;
        doubt->value = best->value;
        doubt->gain = trend.last.found.gain;
        doubt->gain_noise = trend.last.found.noise;
    }
    return true;
}

/* Each key in turn, with what was found for those before it, and at once again from where it went; then all of them once more if
 * any changed. */
static bool tune_all(tune_bench *bench, tune_report *report, tune_doubt *doubt, double seconds) {
    bool any = true;
    for (int round = 0; round < MOST_ROUNDS && any; round++) {
        any = false;
        for (size_t key = 0; key < bench->now.count; key++)
            for (bool changed = true; changed && !bench->is_late; any |= changed) {
                changed = false;
                if (!tune_key(bench, report, doubt, key, seconds, &changed))
                    return false;
            }
    }
    return true;
}

/* Seconds that the driver took to build programs while the maps were opened, which announce leaves out. */
static double find_building(const tune_bench *bench) {
    double seconds = 0;
    for (size_t i = 0; i < bench->count; i++)
        seconds += bench->subjects[i].it.plan_seconds + bench->subjects[i].it.first_run_seconds;
    return seconds;
}

/* Says before anything is measured how long it takes. */
static double announce(const request *asked, size_t keys) {
    double measuring = asked->seconds * (double)keys, most = BESIDE + MOST_TIMES * measuring;
    report("tune measures %zu keys for about %g s each: %.0f s in all if nothing is better, at most %.0f s if much is. Programs "
           "that the driver has to build come on top",
           keys, asked->seconds, measuring + BESIDE / 3.0, most);
    return most;
}

/* ---- the file ---- */

/* The lines of the section: what the file said before, and what is new. "" when nothing is. */
static void write_body(request *asked, const tuning_view *before, const tuning_view *now) {
    size_t length = 0;
    bool any = false;
    for (size_t i = 0; i < now->count; i++) {
        bool is_new = now->values[i].value != before->values[i].value;
        any |= is_new;
        if (is_new || before->values[i].origin == CLMOVE_TUNING_FILE)
            length += (size_t)snprintf(asked->body + length, sizeof asked->body - length, "%s = %" PRId64 "\n",
                                       now->values[i].key, now->values[i].value);
    }
    if (!any)
        asked->body[0] = '\0';
}

/* Whether the device, opened again, is what was written. */
static bool read_back(const request *asked, const tuning_view *now) {
    executor who = {.selector = asked->who.selector};
    tuning_view found;
    clmove_error error;
    setenv("CLMOVE_TUNING_FILE", asked->path, 1);
    if (!executor_open(&who))
        return false;
    bool done = tuning_view_get(&found, who.device, &error) == CLMOVE_OK && found.count == now->count;
    for (size_t i = 0; done && i < now->count; i++)
        done = found.values[i].value == now->values[i].value;
    executor_close(&who);
    if (!done)
        failed("%s was written, and the device does not follow it", asked->path);
    return done;
}

/* ---- all of it ---- */

/* Nothing is kept, and whether that is for want of something better or of quiet. False: the latter. */
static bool explain_nothing(const request *asked, const tune_doubt *doubt, double waited) {
    char what[160];
    const char *kept = asked->path[0] && !asked->is_dry ? asked->path : "the file";
    if (doubt->key)
        snprintf(what, sizeof what, "%s = %" PRId64 " seemed %.0f %% faster, with a noise of %.0f %%", doubt->key, doubt->value,
                 100 * doubt->gain, 100 * doubt->gain_noise);
    else if (doubt->noise > NOISE_OF_DOUBT)
        snprintf(what, sizeof what, "the noise was up to %.0f %%, and a smaller gain would not show", 100 * doubt->noise);
    else if (doubt->is_late)
        snprintf(what, sizeof what, "the time was up before all keys were tried");
    else
        return true;
    report(
        "what was measured is not clear: %s; threads waited for a processor for %.0f %% of their time. Nothing is kept, and %s "
        "stays as it was. Tune again when the machine is quiet, or with more --seconds",
        what, 100 * waited, kept);
    return asked->is_dry;
}

static bool finish(request *asked, tune_report *results, tune_end *end, const tune_doubt *doubt, double waited) {
    write_body(asked, end->before, end->now);
    end->body = asked->body;
    end->is_written = asked->body[0] && !asked->is_dry;
    bool is_staged = end->is_written && tune_file_stage(asked->path, end->now->header, "tune", asked->body);
    bool done = is_staged || !end->is_written;
    if (doubt->is_late && asked->body[0])
        report("note: the time was up before all keys were tried; --seconds gives more");
    /* All is said before the file gets its name. */
    done = tune_report_end(results, done ? end : NULL) && done;
    if (is_staged && !done)
        temporary_remove();
    else if (is_staged)
        done = tune_file_commit(asked->path) && read_back(asked, end->now);
    return done && (asked->body[0] || explain_nothing(asked, doubt, waited));
}

static bool tune(request *asked, tune_bench *bench, bench_list *list) {
    clmove_error error;
    clmove_device_info device = {.struct_size = sizeof device};
    tuning_view before;
    tune_report results = {.as_json = asked->as_json};
    tune_doubt doubt = {0};
    int left_out = 0;
    if (clmove_device_get_info(asked->who.device, &device, &error) != CLMOVE_OK ||
        tuning_view_get(&before, asked->who.device, &error) != CLMOVE_OK) {
        failed("%s", error.text);
        return false;
    }
    if (strpbrk(before.header, "\r\n")) {
        failed("the name of the device has more than one line, so a file cannot name it");
        return false;
    }
    snprintf(asked->path, sizeof asked->path, "%s", asked->output ? asked->output : before.path);
    if (!asked->is_dry &&
        !tune_file_prepare(asked->path, before.header, "CLMOVE_TUNING_FILE is empty or there is no HOME; name one with --output"))
        return false;
    bench->now = before;
    bench->by_device = device.type == CLMOVE_DEVICE_GPU || device.type == CLMOVE_DEVICE_ACCELERATOR;
    double most = announce(asked, before.count), start = bench_now();
    if (!tune_maps_make(list, &device, &left_out) || !tune_bench_open(bench, list))
        return false;
    if (left_out > 0)
        report("note: %d maps are left out, since there is not enough memory for them", left_out);
    processor_wait since = processor_wait_now();
    bench->deadline = start + most + find_building(bench);
    if (!tune_report_begin(&results, &device, bench) || !tune_all(bench, &results, &doubt, asked->seconds)) {
        tune_report_end(&results, NULL);
        return false;
    }
    double waited = processor_wait_share(since);
    doubt.is_late = bench->is_late;
    tune_end end = {.device = &device, .before = &before, .now = &bench->now, .path = asked->path, .waited = waited};
    return finish(asked, &results, &end, &doubt, waited);
}

static bool take_option(void *user, int id, const char *value) {
    request *asked = user;
    switch (id) {
    case OPTION_SECONDS:
        return option_seconds(value, 1e6, &asked->seconds);
    case OPTION_DRY_RUN:
        return asked->is_dry = true;
    case OPTION_OUTPUT:
        asked->output = value;
        if (*value == '\0' || strlen(value) >= sizeof asked->path)
            misused("--output is '%.32s', it must be the name of a file", value);
        return *value != '\0' && strlen(value) < sizeof asked->path;
    case OPTION_JSON:
        return asked->as_json = true;
    default:
        return executor_option(&asked->who, id, value) == OPTION_TAKEN;
    }
}

static int run(const command *self, int argc, char **argv) {
    request asked = {.seconds = 1, .who.profile = true};
    const char *over = getenv("CLMOVE_TUNING");
    int status = options_read_alone(argc, argv, self, take_option, &asked);
    if (status != OPTIONS_READ)
        return status;
    if (over && *over)
        return misused("CLMOVE_TUNING is '%.200s', and would go over what tune measures; unset it", over);
    if (asked.output) /* what it says now is where tuning starts */
        setenv("CLMOVE_TUNING_FILE", access(asked.output, F_OK) == 0 ? asked.output : "", 1);
    if (!executor_open(&asked.who))
        return STATUS_FAILED;
    tune_bench bench = {.who = &asked.who};
    bench_list list = {0};
    bool done = tune(&asked, &bench, &list);
    tune_bench_close(&bench);
    free(list.cases);
    executor_close(&asked.who);
    return done ? STATUS_DONE : STATUS_FAILED;
}

const command COMMAND_TUNE = {
    .name = "tune",
    .summary = "measure which tuning is the fastest on a device, and keep it",
    .synopsis = {"[--device SEL] [OPTION]..."},
    .about =
        "Measures which tuning is the fastest on a device, and writes better values to a file that every program with clmove "
        "reads. clmove devices --verbose lists the keys, their bounds and their present values.\n"
        "Tuning takes one key after another. The present value and others (a quarter, half, twice and four times it) run in turn "
        "on the same buffers: rows, short rows repeated, deinterleaving and interleaving, from 16 KiB to more than the cache "
        "holds. Every value must first give the bytes of the operator's definition. The present value runs twice in each round; "
        "the difference of the two is the noise. A value is taken if it is faster in two trials by more than 3%, by more than 3 "
        "times the noise, and on no map clearly slower by 3%. Then all keys are tried once more.",
    .options = {DEVICE_OPTIONS, OPTIONS},
    .notes =
        "GAIN is the geometric mean of the speeds relative to the present value, on the maps that the value changes. NOISE is "
        "the uncertainty of GAIN, and WORST the least of the speeds. If other programs keep the machine busy, no value is "
        "clearly faster: the file stays as it was, a sentence says why, and the exit status is 1 (0 with --dry-run). Otherwise "
        "the file is replaced in one step. It has the section of this device and driver alone: tune refuses a file with other "
        "sections.",
    .examples = "  clmove tune --device gpu\n"
                "  clmove tune --device cpu --seconds 5 --output cpu.ini\n"
                "  CLMOVE_TUNING_FILE=cpu.ini clmove bench --device cpu\n",
    .run = run};
