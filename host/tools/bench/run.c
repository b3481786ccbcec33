/* See bench_run.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/run.h"

#include "host/tools/common/message.h"

#include <stdlib.h>
#include <string.h>

/* What is asked for, and how it went so far. */
typedef struct run {
    const bench_choice *choice;
    const executor *who;
    const bench_settings *settings;
    const char *more;
    const bench_kind *kind;
    size_t found, done, skipped, wrong;
    bool is_broken; /* what was measured cannot be printed */
} run;

static bool get_list(const run *it, bench_list *list) {
    const bench_choice *choice = it->choice;
    clmove_device_info device = {.struct_size = sizeof device};
    if (choice->workloads)
        return bench_list_read(list, choice->workloads);
    if (choice->sweep)
        return clmove_device_get_info(it->who->device, &device, NULL) == CLMOVE_OK &&
               bench_list_sweep(list, choice->swept, bench_room(&device, it->kind->copies));
    return choice->named ? bench_list_single(list, &choice->single) : bench_list_builtin(list);
}

/* Measures one case, and says what went wrong. */
static void run_one(run *it, const bench_case *one) {
    char why[BENCH_WHY], repeat[BENCH_REPEAT];
    bench_repeat_text(one, it->who, it->more, repeat);
    bench_outcome outcome = it->kind->one(it->kind->user, one, it->settings, repeat, &it->is_broken, why);
    bool is_skipped = outcome == BENCH_SKIPPED && !it->choice->named;
    it->found++;
    it->done += outcome == BENCH_DONE;
    it->skipped += is_skipped;
    it->wrong += outcome != BENCH_DONE && !is_skipped;
    if (outcome == BENCH_WRONG)
        failed("%s is wrong, and was not measured: %s; repeat it with: %s", one->name, why, repeat);
    else if (outcome != BENCH_DONE && !is_skipped)
        failed("%s cannot be measured: %s", one->name, why);
}

static int run_all(run *it, const bench_list *list) {
    const char *only = it->choice->only;
    for (size_t i = 0; i < list->count && !*it->settings->stop && !it->is_broken; i++)
        if (!only || strstr(list->cases[i].name, only))
            run_one(it, &list->cases[i]);
    it->is_broken |= !it->kind->end(it->kind->user);
    if (it->is_broken || it->wrong > 0 || *it->settings->stop)
        return STATUS_FAILED;
    if (it->found == 0)
        return failed("no case has '%s' in its name", only);
    if (it->done == 0)
        return failed("nothing was measured, since the variant or the index width fits no case");
    if (it->skipped > 0)
        report("note: %zu cases were skipped, since the variant or the index width does not fit them", it->skipped);
    return STATUS_DONE;
}

int bench_run(const bench_choice *choice, const executor *who, const bench_settings *settings, const char *more,
              const bench_kind *kind) {
    run it = {.choice = choice, .who = who, .settings = settings, .more = more, .kind = kind};
    bench_list list = {0};
    if (!get_list(&it, &list))
        return STATUS_FAILED;
    int status = run_all(&it, &list);
    free(list.cases);
    return status;
}
