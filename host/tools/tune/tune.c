/* clmove tune: how work is best cut on a device, by measurement, kept in the user's file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/message.h"
#include "host/tools/measured/file.h"
#include "host/tools/measured/processor_wait.h"
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
     "CLMOVE_TUNING_FILE names"},
    {"json", NULL, OPTION_JSON, NULL, "print one JSON object instead of tables"},
    {0}};

/* Of the seconds for a key, for all its values; and for each further trial of the best. */
#define FIRST_SHARE 0.6
#define AGAIN_SHARE 0.2
enum { MOST_AGAIN = 3, CLEAR_TRIALS = 2, MOST_ROUNDS = 2 };
/* Seconds for the work beside measuring: maps are filled, and the bytes of each plan are compared once. */
#define BESIDE 15
/* All rounds of a key together take at most so many times its seconds. */
#define MOST_TIMES 2.5
/* With more noise than this, a gain that matters could not be seen. */
#define NOISE_OF_DOUBT (10 * CLARITY_MATTERS / CLARITY_ERRORS)

/* The request, the measurements, and what noise may have hidden. */
typedef struct tuner {
    chosen_device who;
    /* The seconds for each key. */
    double seconds;
    bool is_dry;
    const char *output;
    char path[4096];
    /* The body of the section, or "". */
    char body[2048];
    tune_bench bench;
    tune_report results;
    /* The largest of all. */
    double noise;
    /* The key of the value that seemed best without being clear; NULL: there is none. */
    const char *doubtful;
    /* That value. */
    tune_score doubtful_one;
} tuner;

/* ---- measuring ---- */

/* The values to try in place of the present one. Returns how many. */
static int find_others(const clmove_tuning_value *present, int64_t others[TUNE_OTHERS]) {
    int count = 0;
    if (strcmp(present->key, "strips") == 0) { /* names of ways */
        for (int64_t value = 1; value <= present->most; value++)
            if (value != present->value)
                others[count++] = value;
    } else if (present->value == 0) {
        int unit = strstr(present->key, "_bytes") ? 20 : 0;
        for (int64_t value = 8; value <= 128; value *= 4)
            others[count++] = value << unit;
    } else
        for (int shift = -2; shift <= 2; shift++) {
            int64_t value = shift < 0 ? present->value >> -shift : present->value << shift;
            bool fits = shift <= 0 || present->value <= present->most >> shift;
            if (shift != 0 && fits && value >= present->least && value != 0 && (count == 0 || others[count - 1] != value))
                others[count++] = value;
        }
    return count;
}

/* Tries the best value again until it was clearly better twice, when it is taken, or cannot be any more. */
static bool try_again(tuner *it, int64_t key, const tune_score *best, bool *is_taken) {
    const clmove_tuning_value *present = &it->bench.now.values[key];
    int clear = best->found.verdict == CLARITY_BETTER;
    tune_score again;
    for (int i = 0; i < MOST_AGAIN && clear + MOST_AGAIN - i >= CLEAR_TRIALS; i++) {
        if (!tune_try(&it->bench, key, &best->value, 1, it->seconds * AGAIN_SHARE, &again))
            return false;
        if (it->bench.is_late)
            return true;
        clear += again.found.verdict == CLARITY_BETTER;
        *is_taken = clear >= CLEAR_TRIALS;
        if (!tune_report_again(&it->results, present, &again, *is_taken))
            return false;
        if (*is_taken || again.found.verdict < CLARITY_UNCLEAR)
            return true;
    }
    if (!it->doubtful || again.found.gain > it->doubtful_one.found.gain) {
        it->doubtful = present->key;
        it->doubtful_one = again;
    }
    return true;
}

/* Tries one key; *changed: it has a new value. */
static bool tune_key(tuner *it, int64_t key, bool *changed) {
    clmove_tuning_value *value = &it->bench.now.values[key];
    int64_t others[TUNE_OTHERS];
    tune_score scores[TUNE_OTHERS];
    const tune_score *best = NULL; /* what may be better, and is worth another trial */
    int count = find_others(value, others);
    if (!tune_try(&it->bench, key, others, count, it->seconds * FIRST_SHARE, scores))
        return false;
    if (it->bench.is_late)
        return true;
    for (int i = 0; i < count; i++) {
        const clarity_gain *found = &scores[i].found;
        it->noise = found->noise > it->noise ? found->noise : it->noise;
        if (found->verdict >= CLARITY_UNCLEAR && (!best || found->gain > best->found.gain))
            best = &scores[i];
    }
    if (!tune_report_key(&it->results, value, scores, count) || (best && !try_again(it, key, best, changed)))
        return false;
    if (*changed)
        value->value = best->value;
    return true;
}

/* Each key in turn, with what was found for those before it, and at once again from where it went; then all of them once more if
 * any changed. */
static bool tune_all(tuner *it) {
    bool any = true;
    for (int round = 0; round < MOST_ROUNDS && any; round++) {
        any = false;
        for (int64_t key = 0; key < it->bench.now.count; key++)
            for (bool changed = tune_can_judge(&it->bench.now.values[key]); changed && !it->bench.is_late; any |= changed) {
                changed = false;
                if (!tune_key(it, key, &changed))
                    return false;
            }
    }
    return true;
}

/* ---- the file ---- */

/* The lines of the section: what the file said before, and what is new. "" when nothing is. */
static void write_body(tuner *it, const tuning_view *before) {
    size_t length = 0;
    bool any = false;
    for (int64_t i = 0; i < before->count; i++) {
        const clmove_tuning_value *now = &it->bench.now.values[i];
        bool is_new = now->value != before->values[i].value;
        any |= is_new;
        if (is_new || now->origin == CLMOVE_TUNING_FROM_FILE)
            length += (size_t)snprintf(it->body + length, sizeof it->body - length, "%s = %" PRId64 "\n", now->key, now->value);
    }
    if (!any)
        it->body[0] = '\0';
}

/* Says that nothing is kept, and why: nothing is better (true), or the machine is too busy (false). */
static bool explain_nothing(const tuner *it, double waited) {
    char what[160];
    const char *kept = it->path[0] && !it->is_dry ? it->path : "the file";
    const tune_score *one = &it->doubtful_one;
    if (it->doubtful)
        snprintf(what, sizeof what, "%s = %" PRId64 " seemed %.0f %% faster, with a noise of %.0f %%", it->doubtful, one->value,
                 100 * one->found.gain, 100 * one->found.noise);
    else if (it->noise > NOISE_OF_DOUBT)
        snprintf(what, sizeof what, "the noise was up to %.0f %%, and a smaller gain would not show", 100 * it->noise);
    else if (it->bench.is_late)
        snprintf(what, sizeof what, "the time was up before all keys were tried");
    else
        return true;
    report(
        "what was measured is not clear: %s; threads waited for a processor for %.0f %% of their time. Nothing is kept, and %s "
        "stays as it was. Tune again when the machine is quiet, or with more --seconds",
        what, 100 * waited, kept);
    return it->is_dry;
}

static bool finish(tuner *it, double waited) {
    write_body(it, it->results.before);
    bool is_written = it->body[0] && !it->is_dry;
    if (is_written && !measured_file_stage(it->path, it->bench.now.header, "tune", it->body))
        return false;
    if (it->bench.is_late && it->body[0])
        report("note: the time was up before all keys were tried; --seconds gives more");
    /* The report is printed before the file gets its name: what cannot be printed is not kept. */
    bool done = tune_report_end(&it->results, it->body, is_written, waited);
    if (is_written)
        done = measured_file_end(it->path, done);
    return done && (it->body[0] || explain_nothing(it, waited));
}

static bool tune(tuner *it) {
    clmove_error error;
    tuning_view before;
    if (tuning_view_get(&before, it->who.device, &error) != CLMOVE_OK)
        return refused("%s", error.text);
    snprintf(it->path, sizeof it->path, "%s", it->output ? it->output : before.path);
    if (!it->is_dry && !measured_file_prepare(it->path, before.header,
                                              "CLMOVE_TUNING_FILE is empty or there is no HOME; name one with --output"))
        return false;
    it->bench.now = before;
    it->bench.by_device = before.device.type == CLMOVE_DEVICE_GPU || before.device.type == CLMOVE_DEVICE_ACCELERATOR;
    it->results.before = &before;
    it->results.now = &it->bench.now;
    it->results.path = it->path;
    int64_t keys = 0;
    for (int64_t i = 0; i < before.count; i++)
        keys += tune_can_judge(&before.values[i]);
    double measuring = it->seconds * (double)keys, most = BESIDE + MOST_TIMES * measuring;
    report("tune measures %" PRId64
           " keys for about %g s each: %.0f s in all if nothing is better, at most %.0f s if much is. Programs "
           "that the driver has to build take additional time",
           keys, it->seconds, measuring + BESIDE / 3.0, most);
    it->bench.deadline = bench_now() + most;
    if (!tune_bench_open(&it->bench))
        return false;
    processor_wait since = processor_wait_now();
    return tune_report_begin(&it->results, it->bench.count) && tune_all(it) && finish(it, processor_wait_share(since));
}

static bool take_option(void *user, int id, const char *value) {
    tuner *it = user;
    switch (id) {
    case OPTION_SECONDS:
        return option_seconds(value, 1e6, &it->seconds);
    case OPTION_DRY_RUN:
        return it->is_dry = true;
    case OPTION_OUTPUT:
        it->output = value;
        return (*value && strlen(value) < sizeof it->path) ||
               refused("--output is '%.32s', it must be the name of a file", value);
    case OPTION_JSON:
        return it->results.as_json = true;
    default:
        return chosen_device_option(&it->who, id, value) == OPTION_TAKEN;
    }
}

static int run(const command *self, int argc, char **argv) {
    static tuner it = {.seconds = 1, .who.profile = true, .bench.who = &it.who}; /* too large for a stack */
    const char *over = getenv("CLMOVE_TUNING");
    int status = options_read_alone(argc, argv, self, take_option, &it);
    if (status != OPTIONS_READ)
        return status;
    if (over && *over)
        return misused("CLMOVE_TUNING is '%.200s', and overrides the values that tune measures; unset it", over);
    if (it.output) /* what it says now is where tuning starts */
        setenv("CLMOVE_TUNING_FILE", access(it.output, F_OK) == 0 ? it.output : "", 1);
    if (!chosen_device_open(&it.who))
        return STATUS_FAILED;
    bool done = tune(&it);
    json_decref(it.results.trials);
    tune_bench_close(&it.bench);
    chosen_device_close(&it.who);
    return done ? STATUS_DONE : STATUS_FAILED;
}

const command COMMAND_TUNE = {
    .name = "tune",
    .summary = "measure which tuning is the fastest on a device, and keep it",
    .synopsis = {"[--device SEL] [OPTION]..."},
    .about =
        "Measures which tuning is the fastest on a device, and writes better values to a file that every program with clmove "
        "reads. clmove devices --verbose lists the keys, their bounds and their present values. piece_bytes is not tuned: it is "
        "for tensors in host memory that are moved in pieces, and tune measures none. Nor is chunk_bytes, which is for maps that "
        "take two passes.\n"
        "Tuning takes one key after another. The present value and others (a quarter, half, twice and four times it; of strips "
        "all) run in turn on the same buffers: rows, short rows repeated, deinterleaving, interleaving and transposing, from 16 "
        "KiB to more than the cache holds. Every value must first give the bytes of the operator's definition. The present value "
        "runs twice in each round; "
        "the difference of the two is the noise. A value is taken if it is faster in two trials by more than 3%, by more than 3 "
        "times the noise, and not more than 3% slower on any map. Then all keys are tried once more.",
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
