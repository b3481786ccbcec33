/* SPDX-License-Identifier: Apache-2.0 */
#include "host/tools/tune/report.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const verdicts[] = {[CLARITY_NO_GAIN] = "no gain",
                                       [CLARITY_HARMS] = "slower on a map",
                                       [CLARITY_UNCLEAR] = "not clear",
                                       [CLARITY_BETTER] = "better"};

/* shown: the key in the table, which names it once; note: the end of the line. */
static bool put_trial(const tune_report *report, const char *key, const char *shown, const tune_score *score, const char *note,
                      bool taken, table_part part) {
    const clarity_gain *found = &score->found;
    const bool is_failed = score->failure[0], is_measured = !is_failed && score->maps > 0;
    const table_kind gain = is_measured ? TABLE_GAIN : TABLE_NOTHING, text = is_measured ? TABLE_TEXT : TABLE_NOTHING;
    const char *map = is_measured ? score->names[found->worst] : is_failed ? score->failure : "changes no map";
    char said[256];
    snprintf(said, sizeof said, " %s%s", map, is_measured ? note : "");
    const table_cell cells[] = {
        {"key", "KEY", 1, -17, AS_TEXT(key), .shown = shown},
        {"value", "VALUE", 2, -11, AS_COUNT(score->value)},
        {"maps", "MAPS", 3, 6, AS_COUNT(score->maps)},
        {"taken", AS_FLAG(taken)},
        {"failure", .kind = is_failed ? TABLE_TEXT : TABLE_NOTHING, .text = score->failure},
        {"gain", "GAIN", 4, 8, .kind = gain, .number = found->gain},
        {"noise", "NOISE", 5, 8, .kind = is_measured ? TABLE_PERCENT : TABLE_NOTHING, .number = found->noise},
        {"worst", "WORST", 6, 8, .kind = gain, .number = is_measured ? score->samples[found->worst].speed - 1 : 0},
        {"worst_map", " WORST MAP", 7, 0, .kind = text, .text = map, .shown = said},
        {"verdict", .kind = text, .text = verdicts[found->verdict]},
    };
    if (table_put(TABLE_CELLS(cells), report->as_json ? TABLE_OBJECT : part, report->trials))
        return report->as_json || table_is_written();
    return refused("there is no memory for the report");
}

bool tune_report_begin(tune_report *report, size_t maps) {
    const tune_score none = {0};
    report->trials = report->as_json ? json_array() : NULL;
    if (report->as_json)
        return true;
    printf("%s (%s): %zu maps; every value gives the same bytes before it is measured\n", printable(report->now->device.name),
           clmove_device_type_text(report->now->device.type), maps);
    for (int64_t i = 0; i < report->now->count; i++)
        if (!tune_can_judge(&report->now->values[i]))
            printf("%s = %" PRId64 " is not tuned: it changes none of the maps\n", report->now->values[i].key,
                   report->now->values[i].value);
    return put_trial(report, "", NULL, &none, "", false, TABLE_HEAD);
}

bool tune_report_key(tune_report *report, const clmove_tuning_value *present, const tune_score *scores, int count) {
    bool done = true;
    if (!report->as_json)
        printf("%-17s %-11" PRId64 "%34s  now (%s)\n", present->key, present->value, "", tuning_origin_text(present->origin));
    for (int i = 0; i < count && done; i++)
        done = put_trial(report, present->key, "", &scores[i], "", false, TABLE_ROW);
    return done;
}

bool tune_report_again(tune_report *report, const clmove_tuning_value *present, const tune_score *again, bool taken) {
    const char *note = taken ? ": taken" : again->found.verdict == CLARITY_UNCLEAR ? ": not clear" : "";
    return put_trial(report, present->key, "  once more", again, note, taken, TABLE_ROW);
}

bool tune_report_end(tune_report *report, const char *body, bool is_written, double waited) {
    const tuning_view *now = report->now;
    if (!report->as_json) {
        if (!body[0])
            printf("\nno other value is clearly better: nothing to write\n");
        else
            printf("\n%s%s:\n%s\n%s", is_written ? "writing to " : "what would be written",
                   is_written ? printable(report->path) : "", printable(now->header), body);
        return table_is_written();
    }
    json_t *values = json_object(), *left_out = json_array();
    for (int64_t i = 0; i < now->count; i++) {
        if (!tune_can_judge(&now->values[i]))
            json_array_append_new(left_out, json_string(now->values[i].key));
        json_object_set_new(values, now->values[i].key,
                            json_pack("{s:I, s:I}", "value", (json_int_t)now->values[i].value, "before",
                                      (json_int_t)report->before->values[i].value));
    }
    const table_cell cells[] = {
        {"device", AS_TEXT(now->device.name)},
        {"device_type", AS_TEXT(clmove_device_type_text(now->device.type))},
        {"header", AS_TEXT(now->header)},
        {"file", AS_TEXT(report->path)},
        {"written", AS_FLAG(is_written)},
        {"waited", AS_PERCENT(waited)},
        {"values", AS_JSON(values)},
        {"not_tuned", AS_JSON(left_out)},
        {"trials", AS_JSON(json_incref(report->trials))},
    };
    return table_put(TABLE_CELLS(cells), TABLE_OBJECT, NULL) ? table_is_written()
                                                             : refused("the report cannot be written as JSON");
}
