/* See tune_trial.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/tune/trial.h"

#include "host/tools/bench/statistics.h"
#include "host/tools/common/message.h"
#include "host/tools/tune/processor_wait.h"
#include "host/tools/verify/case.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
#define MOST_ROUNDS 2000

enum { PLANS = TUNE_OTHERS + 1, EXPLANATION = 4096, CHUNK = 1 << 20 };

/* ---- maps ---- */

/* Of the bytes that lie in the destination. */
static clmove_status hash_dst(const bench_subject *it, uint64_t *hash, clmove_error *error) {
    static unsigned char chunk[CHUNK];
    size_t bytes = (size_t)it->info.dst_bytes;
    *hash = 0;
    for (size_t at = 0; at < bytes; at += CHUNK) {
        size_t count = bytes - at < CHUNK ? bytes - at : CHUNK;
        if (count < CHUNK)
            memset(chunk + count / 8 * 8, 0, 8);
        clmove_status status = clmove_buffer_read(it->dst, at, chunk, count, error);
        if (status != CLMOVE_OK)
            return status;
        for (size_t i = 0; i < count; i += 8) {
            uint64_t word;
            memcpy(&word, chunk + i, 8);
            *hash = (*hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            *hash ^= *hash >> 29;
        }
    }
    return CLMOVE_OK;
}

static clmove_status poison_dst(const bench_subject *it, clmove_error *error) {
    static unsigned char noise[CHUNK];
    size_t bytes = (size_t)it->info.dst_bytes;
    clmove_status status = CLMOVE_OK;
    verify_noise(noise, CHUNK, 5);
    for (size_t at = 0; at < bytes && status == CLMOVE_OK; at += CHUNK)
        status = clmove_buffer_write(it->dst, at, noise, bytes - at < CHUNK ? bytes - at : CHUNK, error);
    return status;
}

bool tune_bench_open(tune_bench *bench, const bench_list *list) {
    bench->subjects = calloc(list->count, sizeof *bench->subjects);
    if (!bench->subjects) {
        failed("there is no memory for %zu maps", list->count);
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        tune_subject *subject = &bench->subjects[bench->count++];
        char why[BENCH_WHY];
        clmove_error error;
        bench_outcome outcome = bench_subject_open(&subject->it, bench->who, &list->cases[i], why);
        subject->of = &list->cases[i];
        free(subject->it.noise);
        subject->it.noise = NULL;
        if (outcome == BENCH_DONE && hash_dst(&subject->it, &subject->hash, &error) != CLMOVE_OK) {
            snprintf(why, sizeof why, "%s", error.text);
            outcome = BENCH_FAILED;
        }
        if (outcome != BENCH_DONE) {
            failed("%s %s: %s", subject->of->name, outcome == BENCH_WRONG ? "is wrong" : "cannot be measured", why);
            return false;
        }
    }
    return true;
}

void tune_bench_close(tune_bench *bench) {
    for (size_t i = 0; i < bench->count; i++)
        bench_subject_close(&bench->subjects[i].it);
    free(bench->subjects);
    bench->subjects = NULL;
    bench->count = 0;
}

/* ---- values ---- */

int tune_others(const clmove_tuning_value *present, int64_t others[TUNE_OTHERS]) {
    static const int64_t from_nothing[] = {8, 32, 128};
    int count = 0;
    if (present->value == 0)
        for (size_t i = 0; i < sizeof from_nothing / sizeof *from_nothing; i++)
            others[count++] = from_nothing[i] << (strstr(present->key, "_bytes") ? 20 : 0);
    else
        for (int shift = -2; shift <= 2; shift++) {
            int64_t value = shift < 0 ? present->value >> -shift : present->value << shift;
            bool fits = shift <= 0 || present->value <= present->most >> shift;
            if (shift != 0 && fits && value >= present->least && value != 0 && (count == 0 || others[count - 1] != value))
                others[count++] = value;
        }
    return count;
}

clarity_verdict tune_verdict(const tune_score *score) {
    return score->failure[0] ? CLARITY_NO_GAIN : score->found.verdict;
}

/* ---- one map ---- */

/* The plans of one map: the present one, and those that differ from all before them. */
typedef struct plans {
    tune_subject *subject;
    clmove_plan *plan[PLANS];
    int same_as[PLANS]; /* another plan of the same geometry, or itself */
    char explained[PLANS][EXPLANATION];
    bench_series ratios[PLANS]; /* of the time of each to that of the present one in the same round */
    bool is_hopeless[PLANS];    /* one run was enough */
    bench_series twins;         /* of the second time of the present one to its first */
    int count;
} plans;

static clmove_status make_plan(tune_bench *bench, plans *them, int i, clmove_error *error) {
    clmove_map map;
    char list[TUNING_LIST];
    tuning_view_list(&bench->now, list);
    bench->who->tuning = list;
    clmove_status status = task_describe(&them->subject->of->what, &map, error);
    if (status == CLMOVE_OK)
        status = executor_plan(bench->who, &map, &them->plan[i], error);
    bench->who->tuning = NULL;
    if (status == CLMOVE_OK)
        status = clmove_plan_explain(them->plan[i], them->explained[i], EXPLANATION, error);
    int same = 0;
    while (same < i && !(them->plan[same] && strcmp(them->explained[i], them->explained[same]) == 0))
        same++;
    them->same_as[i] = same;
    return status;
}

static uint64_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* The first run of a plan, which has to give what the definition gave. A plan that says the same of itself as one that did is not
 * run again for that: of 96 MiB, poisoning and comparing take longer than measuring. */
static clmove_status verify_plan(const plans *them, int i, bool *is_right, clmove_error *error) {
    tune_subject *subject = them->subject;
    const bench_subject *it = &subject->it;
    uint64_t hash = 0, plan = hash_text(them->explained[i]);
    clmove_times unused = {.struct_size = sizeof unused};
    *is_right = true;
    for (int known = 0; known < subject->verified_count; known++)
        if (subject->verified[known] == plan)
            return CLMOVE_OK;
    clmove_status status = poison_dst(it, error);
    if (status == CLMOVE_OK)
        status = clmove_measure(them->plan[i], it->src, it->dst, &unused, error);
    if (status == CLMOVE_OK)
        status = hash_dst(it, &hash, error);
    *is_right = hash == subject->hash;
    if (status == CLMOVE_OK && *is_right && subject->verified_count < TUNE_VERIFIED)
        subject->verified[subject->verified_count++] = plan;
    return status;
}

static clmove_status run_plan(const tune_bench *bench, const plans *them, int i, double *seconds, clmove_error *error) {
    clmove_times times = {.struct_size = sizeof times};
    clmove_status status = clmove_measure(them->plan[i], them->subject->it.src, them->subject->it.dst, &times, error);
    if (status == CLMOVE_OK)
        *seconds = bench->by_device && times.device_seconds > 0 ? times.device_seconds : times.host_seconds;
    return status;
}

/* Each plan once and the present one twice, before and after the others, which are compared with the mean of both. */
static clmove_status run_round(const tune_bench *bench, plans *them, bool counts, clmove_error *error) {
    double seconds[PLANS] = {0}, twin = 0;
    for (int i = 0; i < them->count; i++) {
        clmove_status status = CLMOVE_OK;
        if (them->plan[i] && them->same_as[i] == i && !them->is_hopeless[i])
            status = run_plan(bench, them, i, &seconds[i], error);
        if (status != CLMOVE_OK)
            return status;
    }
    clmove_status status = run_plan(bench, them, 0, &twin, error);
    if (status != CLMOVE_OK || !(seconds[0] > 0) || !(twin > 0))
        return status;
    for (int i = 1; i < them->count && !counts; i++) {
        them->is_hopeless[i] = seconds[i] > HOPELESS_SECONDS && seconds[i] > HOPELESS_TIMES * (seconds[0] + twin) / 2;
        seconds[i] = them->is_hopeless[i] ? seconds[i] : 0;
    }
    bool has_room = !counts || bench_series_add(&them->twins, twin / seconds[0]);
    for (int i = 1; i < them->count && has_room; i++)
        if (seconds[i] > 0)
            has_room = bench_series_add(&them->ratios[i], seconds[i] / ((seconds[0] + twin) / 2));
    if (!has_room) {
        *error = (clmove_error){.status = CLMOVE_OUT_OF_MEMORY, .text = "there is no memory for measurements"};
        return CLMOVE_OUT_OF_MEMORY;
    }
    return CLMOVE_OK;
}

/* In turn, so that what slows the machine down for a while slows all of them. */
static clmove_status run_rounds(tune_bench *bench, plans *them, double seconds, clmove_error *error) {
    double start = bench_now();
    for (int round = 0; round <= MOST_ROUNDS; round++) {
        double elapsed = bench_now() - start;
        bench->is_late |= bench_now() > bench->deadline;
        bool is_enough = round > LEAST_ROUNDS || (round > LONG_ROUNDS && elapsed > LONG_SECONDS);
        if (bench->is_late || (is_enough && elapsed > seconds && elapsed > LEAST_SECONDS))
            break;
        clmove_status status = run_round(bench, them, round > 0, error);
        if (status != CLMOVE_OK)
            return status;
    }
    return CLMOVE_OK;
}

/* Adds what was found on this map to the scores. */
static bool add_samples(const plans *them, tune_score *scores) {
    bench_summary twins, summary;
    bool has_memory = them->twins.count == 0 || bench_series_summarise(&them->twins, &twins);
    for (int i = 1; i < them->count && has_memory; i++) {
        int same = them->same_as[i];
        tune_score *score = &scores[i - 1];
        if (!them->plan[i] || same == 0 || them->ratios[same].count == 0)
            continue;
        has_memory = bench_series_summarise(&them->ratios[same], &summary);
        if (!has_memory)
            break;
        score->names[score->maps] = them->subject->of->name;
        score->samples[score->maps++] =
            (clarity_sample){.speed = 1 / summary.median, .error = summary.noise, .twin = 1 / twins.median};
    }
    if (!has_memory)
        failed("there is no memory for measurements");
    return has_memory;
}

/* A value that cannot be done, such as groups that are too large for a kernel, only has no score; the present one has to work. */
static bool note_failure(const plans *them, int i, tune_score *scores, const clmove_error *error) {
    if (i == 0)
        failed("%s cannot be measured: %s", them->subject->of->name, error->text);
    else
        snprintf(scores[i - 1].failure, sizeof scores->failure, "%.127s", error->text);
    return i > 0;
}

/* Plans the present value and the others. *differ: some do. */
static bool make_plans(tune_bench *bench, plans *them, size_t key, const int64_t *others, tune_score *scores, bool *differ) {
    clmove_tuning_value *value = &bench->now.values[key];
    int64_t present = value->value;
    clmove_error error;
    *differ = false;
    for (int i = 0; i < them->count; i++) {
        if (i > 0 && scores[i - 1].failure[0])
            continue;
        value->value = i == 0 ? present : others[i - 1];
        clmove_status status = make_plan(bench, them, i, &error);
        value->value = present;
        if (status != CLMOVE_OK) {
            clmove_plan_destroy(&them->plan[i]);
            if (!note_failure(them, i, scores, &error))
                return false;
        }
        *differ |= status == CLMOVE_OK && them->same_as[i] != 0;
    }
    return true;
}

static bool verify_plans(tune_bench *bench, plans *them, size_t key, const int64_t *others, tune_score *scores) {
    const clmove_tuning_value *value = &bench->now.values[key];
    clmove_error error;
    for (int i = 0; i < them->count; i++) {
        bool is_right = true;
        if (!them->plan[i] || them->same_as[i] != i)
            continue;
        clmove_status status = verify_plan(them, i, &is_right, &error);
        if (status == CLMOVE_OK && !is_right) {
            failed("%s with %s=%" PRId64 " gives other bytes: this is a fault of clmove or of the driver",
                   them->subject->of->name, value->key, i == 0 ? value->value : others[i - 1]);
            return false;
        }
        if (status != CLMOVE_OK) {
            clmove_plan_destroy(&them->plan[i]);
            if (!note_failure(them, i, scores, &error))
                return false;
        }
    }
    return true;
}

static bool try_map(tune_bench *bench, tune_subject *subject, size_t key, const int64_t *others, int count, double seconds,
                    tune_score *scores) {
    static plans them; /* too large for a stack */
    clmove_error error;
    bool differ = false;
    memset(&them, 0, sizeof them);
    them.subject = subject;
    them.count = count + 1;
    bool done = make_plans(bench, &them, key, others, scores, &differ);
    if (done && differ) {
        done = verify_plans(bench, &them, key, others, scores);
        if (done && run_rounds(bench, &them, seconds, &error) != CLMOVE_OK)
            done = failed("%s cannot be measured: %s", subject->of->name, error.text) == STATUS_DONE;
        done = done && add_samples(&them, scores);
    }
    for (int i = 0; i < them.count; i++) {
        clmove_plan_destroy(&them.plan[i]);
        free(them.ratios[i].values);
    }
    free(them.twins.values);
    return done;
}

bool tune_try(tune_bench *bench, size_t key, const int64_t *others, int count, double seconds, tune_score *scores) {
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
        scores[i].found = clarity_judge_value(scores[i].samples, scores[i].maps, waited);
    return true;
}
