/* Cold and warm starts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/run.h"
#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"
#include "host/tools/start/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_STARTS = 5, MOST_STARTS = 10000 };

/* The keys of the times that a start prints. */
static const char *const TIMES[] = {"seconds",           "open_seconds",     "plan_seconds", "run_seconds", "plan_again_seconds",
                                    "run_again_seconds", "self_test_seconds"};
enum { TIME_COUNT = sizeof TIMES / sizeof TIMES[0] };

typedef struct starts {
    /* Cold or warm. */
    const char *kind;
    bench_series times[TIME_COUNT];
    /* The output of the last one. NULL: there is none. */
    json_t *last;
} starts;

/* ---- starts ---- */

static bool take(starts *to, json_t *said) {
    if (!said) /* a signal of the terminal ends the process under way too: what was measured before stays */
        return false;
    bool taken = true;
    for (int i = 0; i < TIME_COUNT && taken; i++)
        taken = bench_series_add(&to->times[i], json_real_value(json_object_get(said, TIMES[i])));
    if (!taken)
        failed("there is no memory for its measurements");
    json_decref(to->last);
    to->last = said;
    return taken;
}

static bool start_cold(starts *cold, char *const *arguments, const char *folder) {
    char caches[BENCH_FOLDER];
    if (!bench_caches_make(folder, cold->kind, caches))
        return false;
    bool done = take(cold, bench_process_run(arguments, caches));
    bench_folder_remove(caches);
    return done;
}

/* Twice, since some caches fill in two steps: clmove's keeps a binary in the first, and POCL what it makes of one in the next. */
static bool fill(char *const *arguments, const char *caches) {
    bool done = true;
    for (int i = 0; i < 2 && done; i++) {
        json_t *said = bench_process_run(arguments, caches);
        done = said != NULL;
        json_decref(said);
    }
    return done;
}

/* Cold and warm in turn, so that what slows the machine down for a while slows both. */
static bool start_all(const bench_request *asked, char *const *arguments, const char *folder, starts *cold, starts *warm) {
    char caches[BENCH_FOLDER];
    bool done = bench_caches_make(folder, warm->kind, caches) && fill(arguments, caches);
    double begin = bench_now();
    for (int i = 0; i < MOST_STARTS && done && !*asked->stop; i++) {
        if (i >= LEAST_STARTS && bench_now() - begin >= asked->seconds)
            break;
        done = start_cold(cold, arguments, folder) && take(warm, bench_process_run(arguments, caches));
    }
    return done;
}

/* ---- what is printed ---- */

static const char *text_of(const starts *it, const char *key) {
    const char *text = json_string_value(json_object_get(it->last, key));
    return text ? text : "-";
}

static int number_of(const starts *it, const char *key) {
    return (int)json_integer_value(json_object_get(it->last, key));
}

static bool print_start(const bench_request *asked, const starts *it, table_part part) {
    bench_summary of[TIME_COUNT];
    for (int i = 0; i < TIME_COUNT; i++)
        if (!bench_series_summarise(&it->times[i], &of[i]))
            return refused("there is no memory for its measurements");
    const bool is_tested = number_of(it, "self_tests") > 0;
    const table_cell cells[] = {
        {"name", AS_TEXT(asked->single.name)},
        {"op", AS_TEXT(bench_operation_name(asked->single.what.op.kind))},
        {"device", AS_TEXT(text_of(it, "device"))},
        {"device_type", AS_TEXT(text_of(it, "device_type"))},
        {"variant", AS_TEXT(text_of(it, "variant"))},
        {"start", "START", 1, -5, AS_TEXT(it->kind)},
        {"runs", "RUNS", 2, 6, AS_COUNT(it->times[0].count)},
        {"seconds_min", "MIN", 3, 10, AS_TIME(of[0].min)},
        {"seconds_median", "MEDIAN", 4, 10, AS_TIME(of[0].median)},
        {"open_seconds_median", "OPEN", 5, 10, AS_TIME(of[1].median)},
        {"plan_seconds_median", "PLAN", 6, 10, AS_TIME(of[2].median)},
        {"run_seconds_median", "RUN", 7, 10, AS_TIME(of[3].median)},
        {"plan_again_seconds_median", "PLAN AGAIN", 8, 10, AS_TIME(of[4].median)},
        {"run_again_seconds_median", "RUN AGAIN", 9, 10, AS_TIME(of[5].median)},
        {"programs_built", "BUILT", 10, 6, AS_COUNT(number_of(it, "programs_built"))},
        {"programs_loaded", "LOADED", 11, 6, AS_COUNT(number_of(it, "programs_loaded"))},
        {"self_tests", "TESTS", 12, 6, AS_COUNT(number_of(it, "self_tests"))},
        {"self_test_seconds_median", "SELF-TEST", 13, 10, AS_TIME(of[6].median), .shown = is_tested ? NULL : "-"},
        {"verified", AS_FLAG(true)},
        {"repro", AS_TEXT(text_of(it, "repro"))},
    };
    return table_put(TABLE_CELLS(cells), part, NULL) || refused("the %s start cannot be written as JSON", it->kind);
}

static bool print_starts(const bench_request *asked, const starts *cold, const starts *warm) {
    if (asked->as_json)
        return print_start(asked, cold, TABLE_OBJECT) && print_start(asked, warm, TABLE_OBJECT) && table_is_written();
    printf("%s on %s (%s), variant %s: fresh processes, up to the first result\n", asked->single.name,
           printable(text_of(cold, "device")), text_of(cold, "device_type"), text_of(cold, "variant"));
    if (!print_start(asked, cold, TABLE_HEAD_AND_ROW) || !print_start(asked, warm, TABLE_ROW))
        return false;
    printf("\nto repeat it:\n  %s\n", printable(text_of(cold, "repro")));
    return table_is_written();
}

/* ---- all ---- */

static void forget(starts *it) {
    for (int i = 0; i < TIME_COUNT; i++)
        free(it->times[i].values);
    json_decref(it->last);
}

int bench_start(const bench_request *asked, int argc, char **argv, const char *child) {
    static char program[] = "clmove";
    char folder[BENCH_FOLDER];
    starts cold = {.kind = "cold"}, warm = {.kind = "warm"};
    bool done = false;
    char **arguments = calloc((size_t)argc + 3, sizeof *arguments);
    if (!arguments)
        return failed("there is no memory for another process");
    arguments[0] = program;
    memcpy(arguments + 1, argv, (size_t)argc * sizeof *argv);
    arguments[argc + 1] = (char *)(uintptr_t)child;
    if (bench_folder_make(folder)) {
        done = start_all(asked, arguments, folder, &cold, &warm);
        bench_folder_remove(folder);
    }
    if (warm.last && (done || *asked->stop)) /* interrupted: what there is */
        done = print_starts(asked, &cold, &warm) && done;
    forget(&cold);
    forget(&warm);
    free(arguments);
    return done && !*asked->stop ? STATUS_DONE : STATUS_FAILED;
}
