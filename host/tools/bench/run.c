/* See run.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/run.h"

#include "host/tools/common/message.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How it went so far. */
typedef struct run {
    const bench_request *asked;
    const bench_kind *kind;
    size_t found, skipped, wrong, reported;
    /* What was measured cannot be printed. */
    bool is_broken;
} run;

/* While a list is read, there are no measurements that an interrupt could print. So an interrupt ends the process at once, also
 * if the list is a pipe that has no writer. */
static bool read_list(const bench_request *asked, bench_list *list) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    enum { SIGNALS = sizeof signals / sizeof signals[0] };
    struct sigaction before[SIGNALS] = {0}, usual = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &usual, NULL);
    const bool done = !*asked->stop && bench_list_read(list, asked->workloads);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    return done;
}

static bool get_list(const bench_request *asked, int copies, bench_list *list) {
    if (asked->workloads)
        return read_list(asked, list);
    if (asked->sweep)
        return bench_list_sweep(list, asked->swept, bench_room(&asked->device, copies));
    if (asked->named)
        return bench_list_single(list, &asked->single);
    const bool is_ttc = asked->only && strncmp(asked->only, "ttc", 3) == 0;
    return is_ttc ? bench_list_ttc(list) : bench_list_builtin(list);
}

static bench_outcome measure(run *it, bench_case *one, const char *repeat, char *why) {
    clmove_error error;
    bench_subject subject;
    bench_outcome outcome = bench_subject_open(&subject, &it->asked->who, one, why);
    if (outcome == BENCH_DONE)
        outcome = it->kind->measure(it->kind->user, &subject, why);
    if (outcome == BENCH_DONE && !bench_subject_check(&subject, &error))
        outcome = bench_failed(why, "%s", error.text);
    if (outcome == BENCH_DONE) {
        it->is_broken = !it->kind->print(it->kind->user, &subject, repeat);
        it->reported++;
        one->reported = true;
    }
    bench_subject_close(&subject);
    return outcome;
}

/* Measures one case, and says what went wrong. */
static void run_one(run *it, bench_case *one) {
    char why[BENCH_WHY], repeat[BENCH_REPEAT];
    bench_repeat_text(one, &it->asked->who, it->asked->more, repeat);
    bench_outcome outcome = measure(it, one, repeat, why);
    bool is_done = outcome == BENCH_DONE || outcome == BENCH_STOPPED;
    bool is_skipped = outcome == BENCH_SKIPPED && !it->asked->named;
    it->found++;
    it->skipped += is_skipped;
    it->wrong += !is_done && !is_skipped;
    if (outcome == BENCH_WRONG)
        failed("%s is wrong, and was not measured: %s; repeat it with: %s", one->name, why, repeat);
    else if (!is_done && !is_skipped)
        failed("%s cannot be measured: %s", one->name, why);
}

static bool end(const run *it, const bench_list *list) {
    char repeat[BENCH_REPEAT];
    if (it->reported == 0)
        return true;
    bool done = it->kind->end(it->kind->user);
    if (!it->asked->as_json)
        printf("to repeat a case:\n");
    for (size_t i = 0; i < list->count && !it->asked->as_json; i++)
        if (list->cases[i].reported) {
            bench_repeat_text(&list->cases[i], &it->asked->who, it->asked->more, repeat);
            printf("  %s\n", printable(repeat));
        }
    return done && table_is_written();
}

static int run_all(run *it, const bench_list *list) {
    const char *only = it->asked->only;
    for (size_t i = 0; i < list->count && !*it->asked->stop && !it->is_broken; i++)
        if (!only || strstr(list->cases[i].name, only))
            run_one(it, &list->cases[i]);
    it->is_broken |= !end(it, list);
    if (it->is_broken || it->wrong > 0 || *it->asked->stop)
        return STATUS_FAILED;
    if (it->found == 0)
        return failed("no case has '%s' in its name", only);
    if (it->reported == 0)
        return failed("nothing was measured, since the variant or the index width fits no case");
    if (it->skipped > 0)
        report("note: the variant or the index width does not fit all cases: %zu skipped", it->skipped);
    return STATUS_DONE;
}

int bench_run(const bench_request *asked, const bench_kind *kind) {
    run it = {.asked = asked, .kind = kind};
    bench_list list = {0};
    if (!get_list(asked, kind->copies, &list))
        return STATUS_FAILED;
    int status = run_all(&it, &list);
    free(list.cases);
    return status;
}
