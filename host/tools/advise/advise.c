/* clmove advise: where an operation is done the fastest, predicted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/advise/calibration_view.h"
#include "host/tools/commands.h"
#include "host/tools/common/chosen_device.h"
#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"
#include "host/tools/move/task_options.h"

#include <stdio.h>

static const char *const places[3] = {"host", "device", NULL};
static const option_row OPTIONS[] = {
    {"from", "host|device", OPTION_FROM, places, "where the source is (default: both, in turn)"},
    {"to", "host|device", OPTION_TO, places, "where the result is wanted (default: both, in turn)"},
    {"json", NULL, OPTION_JSON, NULL, "print one JSON object instead of a table"},
    {0}};

typedef struct request {
    task what;
    chosen_device who;
    task_given given;
    bool as_json;
    /* -1: both. */
    int from, to;
} request;

typedef struct answer {
    clmove_device_info device;
    clmove_calibration_info calibration;
    clmove_plan_info plan;
    clmove_prediction prediction;
    clmove_advice pairs[4];
    int count;
} answer;

static bool find_answer(const request *asked, answer *found, clmove_error *error) {
    clmove_map map;
    clmove_plan *plan = NULL;
    *found = (answer){.device.struct_size = sizeof found->device,
                      .calibration.struct_size = sizeof found->calibration,
                      .plan.struct_size = sizeof found->plan,
                      .prediction.struct_size = sizeof found->prediction};
    bool done = task_describe(&asked->what, &map, error) == CLMOVE_OK &&
                chosen_device_plan(&asked->who, &map, &plan, error) == CLMOVE_OK &&
                clmove_device_get_info(asked->who.device, &found->device, error) == CLMOVE_OK &&
                clmove_device_get_calibration_info(asked->who.device, &found->calibration, error) == CLMOVE_OK &&
                clmove_plan_get_info(plan, &found->plan, error) == CLMOVE_OK &&
                clmove_plan_predict(plan, &found->prediction, error) == CLMOVE_OK;
    for (int pair = 0; pair < 4 && done; pair++) {
        int from = pair / 2, to = pair % 2;
        if ((asked->from >= 0 && asked->from != from) || (asked->to >= 0 && asked->to != to))
            continue;
        clmove_advice *advice = &found->pairs[found->count++];
        advice->struct_size = sizeof *advice;
        done = clmove_plan_advise(plan, (clmove_place)from, (clmove_place)to, advice, error) == CLMOVE_OK;
    }
    clmove_plan_destroy(&plan);
    return done;
}

static double gbps(const answer *found, const clmove_way *way) {
    double bytes = (double)(found->prediction.read_bytes + found->prediction.written_bytes);
    return way->seconds > 0 ? bytes / way->seconds * 1e-9 : 0;
}

static bool put_way(const request *asked, const answer *found, const clmove_advice *pair, int64_t which, table_part part,
                    json_t *list) {
    const clmove_way *way = &pair->ways[which];
    const bool is_host = found->device.type == CLMOVE_DEVICE_HOST;
    const table_cell cells[] = {
        {NULL, "FROM", 1, -7, AS_TEXT(is_host && asked->from < 0 ? "any" : places[pair->from])},
        {NULL, "TO", 2, -7, AS_TEXT(is_host && asked->to < 0 ? "any" : places[pair->to])},
        {NULL, "", 3, 1, AS_TEXT(which == pair->choice ? "*" : "")},
        {"way", "WAY", 4, -26, AS_TEXT(clmove_steps_text(way->steps))},
        {"moved_at", AS_TEXT(places[way->moved_at])},
        {"seconds", "TIME", 5, 11, AS_TIME(way->seconds)},
        {"gbps", "GB/S", 6, 8, AS_RATE(gbps(found, way))},
        {"upload_seconds", AS_TIME(way->upload_seconds)},
        {"move_seconds", AS_TIME(way->move_seconds)},
        {"download_seconds", AS_TIME(way->download_seconds)},
        {"link_bytes", "LINK", 7, 11, AS_BYTES(way->link_bytes)},
    };
    return table_put(TABLE_CELLS(cells), part, list);
}

/* On the host device both places are one memory, so that all questions have one answer: one row and one sentence. */
static bool print_table(const request *asked, const answer *found) {
    const bool is_host = found->device.type == CLMOVE_DEVICE_HOST;
    const int shown = is_host ? 1 : found->count;
    char read[16], written[16];
    printf("%s (%s), %s: %s, reads %s, writes %s\n", printable(found->device.name), clmove_device_type_text(found->device.type),
           calibration_origin_text(found->calibration.origin), found->plan.variant,
           table_bytes_text(found->prediction.read_bytes, read), table_bytes_text(found->prediction.written_bytes, written));
    put_way(asked, found, &found->pairs[0], 0, TABLE_HEAD, NULL);
    for (int i = 0; i < shown; i++)
        for (int64_t way = 0; way < found->pairs[i].count; way++)
            put_way(asked, found, &found->pairs[i], way, TABLE_ROW, NULL);
    printf("\n");
    for (int i = 0; i < shown && !is_host; i++)
        printf("from %s to %s: %s\n", places[found->pairs[i].from], places[found->pairs[i].to],
               printable(found->pairs[i].reason));
    if (is_host)
        printf("%s\n", printable(found->pairs[0].reason));
    return table_is_written();
}

static bool print_json(const request *asked, const answer *found) {
    json_t *pairs = json_array();
    for (int i = 0; i < found->count; i++) {
        const clmove_advice *pair = &found->pairs[i];
        json_t *ways = json_array();
        for (int64_t way = 0; way < pair->count; way++)
            put_way(asked, found, pair, way, TABLE_OBJECT, ways);
        const table_cell cells[] = {
            {"from", AS_TEXT(places[pair->from])},
            {"to", AS_TEXT(places[pair->to])},
            {"choice", AS_TEXT(clmove_steps_text(pair->ways[pair->choice].steps))},
            {"reason", AS_TEXT(pair->reason)},
            {"ways", AS_JSON(ways)},
        };
        table_put(TABLE_CELLS(cells), TABLE_OBJECT, pairs);
    }
    const table_cell cells[] = {
        {"device", AS_TEXT(found->device.name)},
        {"device_type", AS_TEXT(clmove_device_type_text(found->device.type))},
        {"calibrated", AS_FLAG(found->prediction.is_calibrated)},
        {"calibration", AS_TEXT(calibration_origin_text(found->calibration.origin))},
        {"variant", AS_TEXT(found->plan.variant)},
        {"bytes_read", AS_BYTES(found->prediction.read_bytes)},
        {"bytes_written", AS_BYTES(found->prediction.written_bytes)},
        {"advice", AS_JSON(pairs)},
    };
    return table_put(TABLE_CELLS(cells), TABLE_OBJECT, NULL) ? table_is_written()
                                                             : refused("the advice cannot be written as JSON");
}

static bool advise(request *asked) {
    clmove_error error;
    answer found;
    if (!chosen_device_open(&asked->who))
        return false;
    bool done = (find_answer(asked, &found, &error) || refused("%s", error.text)) &&
                (asked->as_json ? print_json(asked, &found) : print_table(asked, &found));
    chosen_device_close(&asked->who);
    return done;
}

static bool take_option(void *user, int id, const char *value) {
    request *asked = user;
    switch (id) {
    case OPTION_JSON:
        return asked->as_json = true;
    case OPTION_FROM:
        return option_choice("from", value, places, NULL, &asked->from);
    case OPTION_TO:
        return option_choice("to", value, places, NULL, &asked->to);
    default:
        return task_option(&asked->what, &asked->given, id, value) &&
               chosen_device_option(&asked->who, id, value) != OPTION_REFUSED;
    }
}

static int run(const command *self, int argc, char **argv) {
    request asked = {.from = -1, .to = -1};
    int status = task_read(argc, argv, self, take_option, &asked, &asked.what, &asked.given);
    if (status != OPTIONS_READ)
        return status;
    return advise(&asked) ? STATUS_DONE : STATUS_FAILED;
}

const command COMMAND_ADVISE = {
    .name = "advise",
    .summary = "predict where an operation runs the fastest",
    .synopsis = {"OPERATION --shape D1,D2,... --element-bytes N [OPTION]..."},
    .arguments = TASK_ARGUMENTS,
    .about =
        "Says whether an operation is faster on the host or on the device. That depends on where the source is, and on where the "
        "result is wanted. advise prints the time of each way, predicted from what clmove calibrate measured, and the choice "
        "with "
        "its reason. It reads no data and measures nothing.",
    .options = {TASK_OPTIONS, DEVICE_OPTIONS, PLAN_OPTIONS, OPTIONS},
    .others = OPERATION_TABLES,
    .others_help = TASK_OTHERS,
    .notes =
        "TIME is that of a whole way. GB/S is the bytes read and written, divided by TIME. LINK is the bytes that are copied "
        "between host and device; '*' marks the choice.",
    .examples = "  clmove advise tile --shape 1,3,512,512 --element-bytes 4 --repeats 32,1,1,1 \\\n"
                "      --from host --to device --device gpu\n"
                "  clmove advise space-to-depth --shape 1,3,224,224 --element-bytes 4 \\\n"
                "      --block-size 2 --mode blocks_first --device cpu\n"
                "  clmove advise permute --shape 64,56,56 --element-bytes 4 --order 1,2,0 --from device\n",
    .run = run};
