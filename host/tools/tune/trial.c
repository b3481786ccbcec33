/* See trial.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/tune/trial.h"

#include "host/tools/common/message.h"
#include "host/tools/measured/processor_wait.h"
#include "host/tools/measured/statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Rounds on a map: at least so many and so long whatever the time, and never more. The first is not counted. */
#define LEAST_ROUNDS 4
#define LEAST_SECONDS 0.005
/* Long runs are less noisy than short ones: so many are enough where they have taken so long. */
#define LONG_ROUNDS 2
#define LONG_SECONDS 0.1
/* Nor does what takes so long, and so many times as long as the present value, need to be repeated. */
#define HOPELESS_SECONDS 0.02
#define HOPELESS_TIMES 2

enum { MOST_ROUNDS = 2000, PLANS = TUNE_OTHERS + 1, EXPLANATION = 4096, LIST = 64 * TUNING_MOST };

/* The plans of one map: the present one, and those that differ from all before them. */
typedef struct plans {
    tune_subject *subject;
    clmove_plan *plan[PLANS];
    /* Another plan of the same geometry, or itself. */
    int same_as[PLANS];
    /* A hash of the text of clmove_plan_explain for each. */
    uint64_t explained[PLANS];
    /* The time of each divided by that of the present one in the same round; of the present one, its second time by its first. */
    bench_series ratios[PLANS];
    /* The ratios. */
    double values[PLANS][MOST_ROUNDS];
    /* One run was enough. */
    bool is_hopeless[PLANS];
    int count;
} plans;

/* ---- plans ---- */

static uint64_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* The first run of a plan, which has to give what the definition gave. A plan that says the same of itself as one that did is not
 * run again for that: of 96 MiB, poisoning and comparing take longer than measuring. */
static bench_outcome verify_plan(const plans *them, int i, char *why) {
    tune_subject *subject = them->subject;
    const bench_subject *it = &subject->it;
    const unsigned char poison = 0xa5;
    clmove_times unused = {.struct_size = sizeof unused};
    clmove_error error;
    for (int known = 0; known < subject->verified_count; known++)
        if (subject->verified[known] == them->explained[i])
            return BENCH_DONE;
    if (clmove_buffer_fill(it->dst, 0, (size_t)it->info.dst_bytes, &poison, 1, &error) != CLMOVE_OK ||
        clmove_measure(them->plan[i], clmove_buffer_view(it->src, 0), clmove_buffer_view(it->dst, 0), &unused, &error) !=
            CLMOVE_OK)
        return bench_failed(why, "%s", error.text);
    bench_outcome outcome = bench_subject_compare(it, it->dst, why);
    if (outcome == BENCH_DONE && subject->verified_count < TUNE_VERIFIED)
        subject->verified[subject->verified_count++] = them->explained[i];
    return outcome;
}

static bench_outcome make_plan(const tune_bench *bench, plans *them, int i, char *why) {
    clmove_map map;
    clmove_error error;
    char list[LIST], explained[EXPLANATION];
    int length = 0, same = 0;
    for (int64_t key = 0; key < bench->now.count; key++)
        length += snprintf(list + length, (size_t)(LIST - length), "%s%s=%" PRId64, key ? "," : "", bench->now.values[key].key,
                           bench->now.values[key].value);
    bench->who->tuning = list;
    bool done = task_describe(&them->subject->of.what, &map, &error) == CLMOVE_OK &&
                chosen_device_plan(bench->who, &map, &them->plan[i], &error) == CLMOVE_OK &&
                clmove_plan_explain(them->plan[i], explained, sizeof explained, &error) == CLMOVE_OK;
    bench->who->tuning = NULL;
    if (!done)
        return bench_failed(why, "%s", error.text);
    them->explained[i] = hash_text(explained);
    while (!them->plan[same] || them->explained[same] != them->explained[i])
        same++;
    them->same_as[i] = same;
    return same == i ? verify_plan(them, i, why) : BENCH_DONE;
}

/* Plans the present value and the others. A value that cannot be done, such as groups that are too large for a kernel, only has
 * no score; the present one has to work. *differ: some plans do. */
static bool make_plans(tune_bench *bench, plans *them, int64_t key, const int64_t *others, tune_score *scores, bool *differ) {
    clmove_tuning_value *value = &bench->now.values[key];
    const int64_t present = value->value;
    const char *map = them->subject->of.name;
    char why[BENCH_WHY];
    for (int i = 0; i < them->count; i++) {
        if (i > 0 && scores[i - 1].failure[0])
            continue;
        value->value = i == 0 ? present : others[i - 1];
        bench_outcome outcome = make_plan(bench, them, i, why);
        value->value = present;
        if (outcome == BENCH_WRONG)
            failed("%s with %s=%" PRId64 " gives other bytes: %s; this is a fault of clmove or of the driver", map, value->key,
                   i == 0 ? present : others[i - 1], why);
        else if (outcome != BENCH_DONE && i == 0)
            failed("%s cannot be measured: %s", map, why);
        else if (outcome != BENCH_DONE) {
            clmove_plan_destroy(&them->plan[i]);
            snprintf(scores[i - 1].failure, sizeof scores->failure, "%.127s", why);
            continue;
        }
        if (outcome != BENCH_DONE)
            return false;
        *differ |= them->same_as[i] != 0;
    }
    return true;
}

/* ---- rounds ---- */

static clmove_status run_plan(const tune_bench *bench, const plans *them, int i, double *seconds, clmove_error *error) {
    clmove_times times = {.struct_size = sizeof times};
    clmove_status status = clmove_measure(them->plan[i], clmove_buffer_view(them->subject->it.src, 0),
                                          clmove_buffer_view(them->subject->it.dst, 0), &times, error);
    if (status == CLMOVE_OK)
        *seconds = bench->by_device && times.device_seconds > 0 ? times.device_seconds : times.host_seconds;
    return status;
}

/* Each plan once and the present one twice, before and after the others, which are compared with the mean of both. */
static clmove_status run_round(const tune_bench *bench, plans *them, bool counts, clmove_error *error) {
    double seconds[PLANS] = {0}, twin = 0;
    clmove_status status = CLMOVE_OK;
    for (int i = 0; i < them->count && status == CLMOVE_OK; i++)
        if (them->plan[i] && them->same_as[i] == i && !them->is_hopeless[i])
            status = run_plan(bench, them, i, &seconds[i], error);
    if (status == CLMOVE_OK)
        status = run_plan(bench, them, 0, &twin, error);
    if (status != CLMOVE_OK || !(seconds[0] > 0) || !(twin > 0))
        return status;
    const double mean = (seconds[0] + twin) / 2;
    if (counts)
        bench_series_add(&them->ratios[0], twin / seconds[0]);
    for (int i = 1; i < them->count; i++) {
        if (!counts)
            them->is_hopeless[i] = seconds[i] > HOPELESS_SECONDS && seconds[i] > HOPELESS_TIMES * mean;
        if (seconds[i] > 0 && (counts || them->is_hopeless[i]))
            bench_series_add(&them->ratios[i], seconds[i] / mean);
    }
    return CLMOVE_OK;
}

/* In turn, so that what slows the machine down for a while slows all of them. */
static bool run_rounds(tune_bench *bench, plans *them, double seconds) {
    double start = bench_now();
    for (int round = 0; round <= MOST_ROUNDS; round++) {
        clmove_error error;
        double elapsed = bench_now() - start;
        bench->is_late |= bench_now() > bench->deadline;
        bool is_enough = round > LEAST_ROUNDS || (round > LONG_ROUNDS && elapsed > LONG_SECONDS);
        if (bench->is_late || (is_enough && elapsed > seconds && elapsed > LEAST_SECONDS))
            break;
        if (run_round(bench, them, round > 0, &error) != CLMOVE_OK)
            return refused("%s cannot be measured: %s", them->subject->of.name, error.text);
    }
    return true;
}

/* Adds what was found on this map to the scores. */
static bool add_samples(const plans *them, tune_score *scores) {
    bench_summary twins = {0}, summary = {0};
    bool has_memory = them->ratios[0].count == 0 || bench_series_summarise(&them->ratios[0], &twins);
    for (int i = 1; i < them->count && has_memory; i++) {
        int same = them->same_as[i];
        tune_score *score = &scores[i - 1];
        if (!them->plan[i] || same == 0 || them->ratios[same].count == 0)
            continue;
        has_memory = bench_series_summarise(&them->ratios[same], &summary);
        score->names[score->maps] = them->subject->of.name;
        score->samples[score->maps++] =
            (clarity_sample){.speed = 1 / summary.median, .error = summary.noise, .twin = 1 / twins.median};
    }
    return has_memory || refused("there is no memory for measurements");
}

/* ---- all maps ---- */

static bool try_map(tune_bench *bench, tune_subject *subject, int64_t key, const int64_t *others, int count, double seconds,
                    tune_score *scores) {
    static plans them; /* too large for a stack */
    bool differ = false;
    memset(&them, 0, sizeof them);
    them.subject = subject;
    them.count = count + 1;
    for (int i = 0; i < PLANS; i++)
        them.ratios[i] = (bench_series){.values = them.values[i], .capacity = MOST_ROUNDS};
    bool done = make_plans(bench, &them, key, others, scores, &differ);
    if (done && differ)
        done = run_rounds(bench, &them, seconds) && add_samples(&them, scores);
    for (int i = 0; i < them.count; i++)
        clmove_plan_destroy(&them.plan[i]);
    return done;
}

bool tune_can_judge(const clmove_tuning_value *key) {
    return strcmp(key->key, "piece_bytes") != 0 && strcmp(key->key, "chunk_bytes") != 0;
}

bool tune_try(tune_bench *bench, int64_t key, const int64_t *others, int count, double seconds, tune_score *scores) {
    double end = bench_now() + seconds;
    processor_wait before = processor_wait_now();
    memset(scores, 0, (size_t)count * sizeof *scores);
    for (int i = 0; i < count; i++)
        scores[i].value = others[i];
    for (size_t i = 0; i < bench->count; i++) {
        double share = (end - bench_now()) / (double)(bench->count - i);
        if (!bench->is_late && !try_map(bench, &bench->subjects[i], key, others, count, share > 0 ? share : 0, scores))
            return false;
    }
    double waited = processor_wait_share(before);
    for (int i = 0; i < count; i++)
        if (!scores[i].failure[0])
            scores[i].found = clarity_judge_value(scores[i].samples, scores[i].maps, waited);
    return true;
}
