/* SPDX-License-Identifier: Apache-2.0 */
#include "host/tools/tune/report.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_written(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    failed("standard output cannot be written");
    return false;
}

bool tune_report_begin(tune_report *report, const clmove_device_info *device, const tune_bench *bench) {
    report->trials = report->as_json ? json_array() : NULL;
    if (report->as_json)
        return true;
    printf("%s (%s): %zu maps; every value gives the same bytes before it is measured\n", printable(device->name),
           clmove_device_type_text(device->type), bench->count);
    printf("%-18s%-12s%6s%9s%9s%9s  %s\n", "KEY", "VALUE", "MAPS", "GAIN", "NOISE", "WORST", "WORST MAP");
    return is_written();
}

static void print_score(const char *key, const tune_score *score, const char *note) {
    const clarity_gain *found = &score->found;
    if (score->failure[0])
        printf("%-18s%-12" PRId64 "%6s  %s\n", key, score->value, "-", printable(score->failure));
    else if (score->maps == 0)
        printf("%-18s%-12" PRId64 "%6d%9s%9s%9s  changes no map\n", key, score->value, 0, "-", "-", "-");
    else
        printf("%-18s%-12" PRId64 "%6d%+8.1f%%%8.1f%%%+8.1f%%  %s%s\n", key, score->value, score->maps, found->gain * 100,
               found->noise * 100, score->samples[found->worst].speed * 100 - 100, score->names[found->worst], note);
}

/* A driver's text need not be UTF-8, and JSON's must be. */
static json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    return value ? value : json_string("a text that is not UTF-8");
}

static const char *const verdicts[] = {[CLARITY_NO_GAIN] = "no gain",
                                       [CLARITY_HARMS] = "slower on a map",
                                       [CLARITY_UNCLEAR] = "not clear",
                                       [CLARITY_BETTER] = "better"};

static bool add_trial(tune_report *report, const char *key, const tune_score *score, bool taken) {
    json_t *trial = json_pack("{s:s, s:I, s:i, s:b}", "key", key, "value", (json_int_t)score->value, "maps", score->maps, "taken",
                              (int)taken);
    if (trial && score->failure[0])
        json_object_set_new(trial, "failure", json_text(score->failure));
    else if (trial && score->maps > 0) {
        const clarity_gain *found = &score->found;
        json_object_set_new(trial, "gain", json_real(found->gain));
        json_object_set_new(trial, "noise", json_real(found->noise));
        json_object_set_new(trial, "worst", json_real(score->samples[found->worst].speed - 1));
        json_object_set_new(trial, "worst_map", json_text(score->names[found->worst]));
        json_object_set_new(trial, "verdict", json_string(verdicts[found->verdict]));
    }
    if (json_array_append_new(report->trials, trial) == 0)
        return true;
    failed("there is no memory for the report");
    return false;
}

bool tune_report_key(tune_report *report, const clmove_tuning_value *present, const tune_score *scores, int count) {
    if (!report->as_json)
        printf("%-18s%-12" PRId64 "%6s%9s%9s%9s  now (%s)\n", present->key, present->value, "", "", "", "",
               tuning_origin_text(present->origin));
    for (int i = 0; i < count; i++)
        if (!report->as_json)
            print_score("", &scores[i], "");
        else if (!add_trial(report, present->key, &scores[i], false))
            return false;
    return report->as_json || is_written();
}

bool tune_report_again(tune_report *report, const clmove_tuning_value *present, const tune_score *again, bool taken) {
    if (report->as_json)
        return add_trial(report, present->key, again, taken);
    print_score("  once more", again, taken ? ": taken" : again->found.verdict == CLARITY_UNCLEAR ? ": not clear" : "");
    return is_written();
}

static bool print_json(tune_report *report, const tune_end *end) {
    json_t *values = json_object();
    for (size_t i = 0; i < end->now->count; i++)
        json_object_set_new(values, end->now->values[i].key,
                            json_pack("{s:I, s:I}", "value", (json_int_t)end->now->values[i].value, "before",
                                      (json_int_t)end->before->values[i].value));
    json_t *object =
        json_pack("{s:o, s:s, s:o, s:o, s:b, s:f, s:o, s:o}", "device", json_text(end->device->name), "device_type",
                  clmove_device_type_text(end->device->type), "header", json_text(end->now->header), "file", json_text(end->path),
                  "written", (int)end->is_written, "waited", end->waited, "values", values, "trials", report->trials);
    report->trials = NULL;
    bool done = object && bench_json_put(object, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(object);
    if (!done)
        failed("the report cannot be written as JSON");
    printf("\n");
    return done;
}

bool tune_report_end(tune_report *report, const tune_end *end) {
    bool done = true;
    if (report->as_json && end)
        done = print_json(report, end);
    else if (end && !end->body[0])
        printf("\nno other value is clearly better: nothing to write\n");
    else if (end)
        printf("\n%s%s%s\n%s", end->is_written ? "written to " : "what would be written",
               end->is_written ? printable(end->path) : "", ":", "");
    if (end && end->body[0] && !report->as_json)
        printf("%s\n%s", printable(end->now->header), end->body);
    json_decref(report->trials);
    report->trials = NULL;
    return done && is_written();
}
