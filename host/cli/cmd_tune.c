/* clmove tune: how work is best cut on a device, by measurement, kept in the user's file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "commands.h"
#include "message.h"
#include "tune_file.h"
#include "tune_maps.h"
#include "tune_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char HELP[] = "Usage: clmove tune [--device SEL] [OPTION]...\n"
                           "Measures how work is best cut on a device, and keeps what is better in a file that every\n"
                           "program with clmove reads. The keys, their bounds and what they are now:\n"
                           "clmove devices --verbose.\n"
                           "\n"
                           "One key after another, its present value and others (a quarter, half, twice and four times\n"
                           "it) are measured in turn on the same buffers: rows, short rows repeated, deinterleaving and\n"
                           "interleaving, from 16 KiB to more than the cache holds. Each first has to give the bytes of\n"
                           "the operator's definition. A value is taken when twice it is 3% faster on the whole and on\n"
                           "no map 3% slower, but for noise; then all keys are tried again, until nothing changes or\n"
                           "time is up.\n"
                           "\n"
                           "  --device SEL      which device (default: CLMOVE_DEVICE, or auto); see clmove devices\n"
                           "  --seconds S       measure for about S seconds (default: 30); each key is tried once at least\n"
                           "  --dry-run         write nothing\n"
                           "  --output FILE     the file to keep it in, instead of clmove/tuning.conf in XDG_CONFIG_HOME\n"
                           "                    (or ~/.config), or of what CLMOVE_TUNING_FILE names\n"
                           "  --json            print one JSON object instead of tables\n"
                           "  -h, --help        print this\n"
                           "\n"
                           "GAIN is the geometric mean of the speeds over those of the value before, on the maps that\n"
                           "the value changes, and WORST the least of them. The file gets a section for this device and\n"
                           "driver, whose other lines go, and keeps all other sections; it is replaced in one step.\n"
                           "\n"
                           "Examples:\n"
                           "  clmove tune --device gpu\n"
                           "  clmove tune --device cpu --seconds 120 --output tuning.conf\n"
                           "  CLMOVE_TUNING_FILE=tuning.conf clmove bench --device cpu\n";

static const struct option TABLE[] = {{"device", required_argument, NULL, OPTION_DEVICE},
                                      {"seconds", required_argument, NULL, OPTION_SECONDS},
                                      {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
                                      {"output", required_argument, NULL, OPTION_OUTPUT},
                                      {"json", no_argument, NULL, OPTION_JSON},
                                      {"help", no_argument, NULL, OPTION_HELP},
                                      {0}};

/* Of the seconds for a round over all keys: a second round then has its time. */
#define ROUND_SHARE 0.5
/* Of the seconds for a key, for all its values; the rest is to measure the best once more. */
#define FIRST_SHARE 0.7

typedef struct request {
    executor who;
    double seconds;
    bool as_json, is_dry;
    const char *output;
    char path[4096];
    char body[2048]; /* of the section; "" */
} request;

/* ---- measuring ---- */

/* Tries one key; *changed: it has a new value. */
static bool tune_key(tune_bench *bench, tune_report *report, size_t key, double seconds, bool *changed) {
    clmove_tuning_value *value = &bench->now.values[key], present = *value;
    int64_t others[TUNE_OTHERS];
    tune_score scores[TUNE_OTHERS], again;
    const tune_score *best = NULL;
    int count = tune_others(value, others);
    if (!tune_try(bench, key, others, count, seconds * FIRST_SHARE, scores))
        return false;
    for (int i = 0; i < count; i++)
        if (tune_is_better(&scores[i]) && (!best || scores[i].gain > best->gain))
            best = &scores[i];
    if (best && !tune_try(bench, key, &best->value, 1, seconds * (1 - FIRST_SHARE), &again))
        return false;
    *changed = best && tune_is_better(&again);
    if (*changed)
        value->value = best->value;
    return tune_report_key(report, &present, scores, count, best ? &again : NULL, *changed);
}

/* Each key in turn, with what was found for those before it, until nothing changes. */
static bool tune_all(tune_bench *bench, tune_report *report, double seconds) {
    bool any = true;
    for (int round = 0; any; round++) {
        any = false;
        for (size_t key = 0; key < bench->now.count; key++) {
            bool changed = false;
            if (round > 0 && bench->measured >= seconds)
                return true;
            if (!tune_key(bench, report, key, seconds * ROUND_SHARE / (double)bench->now.count, &changed))
                return false;
            any |= changed;
        }
    }
    return true;
}

/* ---- the file ---- */

/* The lines of the section: what the file said before, and what is new. "" when nothing is. */
static void write_body(request *asked, const tuning_view *before, const tuning_view *now) {
    char date[16] = "";
    time_t seconds = time(NULL);
    struct tm day;
    size_t length = 0;
    bool any = false;
    if (localtime_r(&seconds, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    length += (size_t)snprintf(asked->body, sizeof asked->body, "# clmove %s tune, %s\n", clmove_version(), date);
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

/* Which file is read and written. What it says now is where tuning starts. */
static bool find_file(request *asked) {
    clmove_error error;
    if (asked->output) {
        snprintf(asked->path, sizeof asked->path, "%s", asked->output);
        setenv("CLMOVE_TUNING_FILE", access(asked->output, F_OK) == 0 ? asked->output : "", 1);
    } else if (clmove_tuning_path(asked->path, sizeof asked->path, &error) != CLMOVE_OK) {
        failed("%s", error.text);
        return false;
    }
    if (asked->path[0] || asked->is_dry)
        return true;
    failed("there is no file to keep it in, since CLMOVE_TUNING_FILE is empty or there is no HOME; name one with --output");
    return false;
}

/* ---- all of it ---- */

static bool tune(request *asked, tune_bench *bench, bench_list *list) {
    clmove_error error;
    clmove_device_info device;
    tuning_view before;
    tune_report results = {.as_json = asked->as_json};
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
    bench->now = before;
    bench->by_device = device.type == CLMOVE_DEVICE_GPU || device.type == CLMOVE_DEVICE_ACCELERATOR;
    if (!tune_maps_make(list, &device, &left_out) || !tune_bench_open(bench, list))
        return false;
    if (left_out > 0)
        report("note: %d maps are left out, since there is not enough memory for them", left_out);
    if (!tune_report_begin(&results, &device, bench) || !tune_all(bench, &results, asked->seconds)) {
        tune_report_end(&results, NULL);
        return false;
    }
    write_body(asked, &before, &bench->now);
    bool is_written = asked->body[0] && !asked->is_dry;
    bool done = !is_written || (tune_file_write(asked->path, bench->now.header, asked->body) && read_back(asked, &bench->now));
    tune_end end = {.device = &device,
                    .before = &before,
                    .now = &bench->now,
                    .path = asked->path,
                    .body = asked->body,
                    .is_written = is_written};
    return tune_report_end(&results, done ? &end : NULL) && done;
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

int command_tune(int argc, char **argv) {
    static const option_reader reader = {"tune", HELP, TABLE, take_option};
    request asked = {.seconds = 30, .who.profile = true};
    const char *over = getenv("CLMOVE_TUNING");
    int status = options_read_alone(argc, argv, &reader, &asked);
    if (status != OPTIONS_READ)
        return status;
    if (over && *over)
        return misused("CLMOVE_TUNING is '%.200s', and would go over what tune measures; unset it", over);
    if (!find_file(&asked) || (!asked.is_dry && !tune_file_prepare(asked.path)) || !executor_open(&asked.who))
        return STATUS_FAILED;
    tune_bench bench = {.who = &asked.who};
    bench_list list = {0};
    bool done = tune(&asked, &bench, &list);
    tune_bench_close(&bench);
    free(list.cases);
    executor_close(&asked.who);
    return done ? STATUS_DONE : STATUS_FAILED;
}
