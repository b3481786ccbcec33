/* See tune_trial.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tune_trial.h"

#include "bench_statistics.h"
#include "message.h"
#include "verify_case.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What counts as a gain, and as a loss. */
#define MATTERS 0.03

/* Of the standard errors of a median: what is beyond is no noise. */
#define ERRORS 2

/* Rounds on a map: at least so many and so long whatever the time, and never more. */
#define LEAST_ROUNDS 5
#define LEAST_SECONDS 0.01
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

bool tune_is_better(const tune_score *score) {
    return !score->failure[0] && score->maps > 0 && score->gain > MATTERS && !score->harms;
}

/* ---- one map ---- */

/* The plans of one map: the present one, and those that differ from all before them. */
typedef struct plans {
    tune_subject *subject;
    clmove_plan *plan[PLANS];
    int same_as[PLANS]; /* another plan of the same geometry, or itself */
    char explained[PLANS][EXPLANATION];
    bench_series ratios[PLANS]; /* of the time of each to that of the present one in the same round */
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

/* The first run of a plan, which has to give what the definition gave. */
static clmove_status verify_plan(const plans *them, int i, bool *is_right, clmove_error *error) {
    const bench_subject *it = &them->subject->it;
    uint64_t hash = 0;
    clmove_times unused;
    clmove_plan_info info;
    clmove_status status = poison_dst(it, error);
    if (status == CLMOVE_OK)
        status = clmove_measure(them->plan[i], it->src, it->dst, &unused, error);
    if (status == CLMOVE_OK)
        status = clmove_plan_get_info(them->plan[i], &info, error);
    if (status == CLMOVE_OK)
        status = hash_dst(it, &hash, error);
    *is_right = hash == them->subject->hash;
    return status;
}

/* In turn, so that what slows the machine down for a while slows all of them. */
static clmove_status run_rounds(tune_bench *bench, plans *them, double seconds, clmove_error *error) {
    const bench_subject *it = &them->subject->it;
    double start = bench_now();
    for (int round = 0; round <= MOST_ROUNDS; round++) {
        double present = 0;
        double elapsed = bench_now() - start;
        if (round > LEAST_ROUNDS && elapsed > seconds && elapsed > LEAST_SECONDS)
            break;
        for (int i = 0; i < them->count; i++) {
            clmove_times times;
            if (!them->plan[i] || them->same_as[i] != i)
                continue;
            clmove_status status = clmove_measure(them->plan[i], it->src, it->dst, &times, error);
            if (status != CLMOVE_OK)
                return status;
            double taken = bench->by_device && times.device_seconds > 0 ? times.device_seconds : times.host_seconds;
            present = i == 0 ? taken : present;
            if (round > 0 && present > 0 && !bench_series_add(&them->ratios[i], taken / present)) {
                *error = (clmove_error){.status = CLMOVE_OUT_OF_MEMORY, .text = "there is no memory for measurements"};
                return CLMOVE_OUT_OF_MEMORY;
            }
        }
    }
    bench->measured += bench_now() - start;
    return CLMOVE_OK;
}

/* Adds what was found on this map to the scores, whose gain is a sum of logarithms until all maps are done. */
static bool add_scores(const plans *them, tune_score *scores) {
    for (int i = 1; i < them->count; i++) {
        bench_summary summary;
        int same = them->same_as[i];
        if (!them->plan[i] || same == 0 || them->ratios[same].count == 0)
            continue;
        if (!bench_series_summarise(&them->ratios[same], &summary)) {
            failed("there is no memory for measurements");
            return false;
        }
        tune_score *score = &scores[i - 1];
        double speed = 1 / summary.median;
        score->gain += log(speed);
        score->harms |= speed * (1 + ERRORS * summary.noise) < 1 - MATTERS;
        if (score->maps++ == 0 || speed - 1 < score->worst) {
            score->worst = speed - 1;
            score->worst_map = them->subject->of->name;
        }
    }
    return true;
}

/* Plans and verifies the present value and the others. *differ: some do. */
static bool prepare(tune_bench *bench, plans *them, size_t key, const int64_t *others, tune_score *scores, bool *differ) {
    clmove_tuning_value *value = &bench->now.values[key];
    int64_t present = value->value;
    clmove_error error;
    *differ = false;
    for (int i = 0; i < them->count; i++) {
        bool is_right = true;
        if (i > 0 && scores[i - 1].failure[0])
            continue;
        value->value = i == 0 ? present : others[i - 1];
        clmove_status status = make_plan(bench, them, i, &error);
        if (status == CLMOVE_OK && them->same_as[i] == i)
            status = verify_plan(them, i, &is_right, &error);
        value->value = present;
        if (status == CLMOVE_OK && !is_right) {
            failed("%s with %s=%" PRId64 " gives other bytes: this is a fault of clmove or of the driver",
                   them->subject->of->name, value->key, i == 0 ? present : others[i - 1]);
            return false;
        }
        if (status != CLMOVE_OK && i == 0) {
            failed("%s cannot be measured: %s", them->subject->of->name, error.text);
            return false;
        }
        if (status != CLMOVE_OK) { /* such as groups that are too large for a kernel */
            snprintf(scores[i - 1].failure, sizeof scores->failure, "%.127s", error.text);
            clmove_plan_destroy(&them->plan[i]);
        }
        *differ |= status == CLMOVE_OK && them->same_as[i] != 0;
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
    bool done = prepare(bench, &them, key, others, scores, &differ);
    if (done && differ) {
        done = run_rounds(bench, &them, seconds, &error) == CLMOVE_OK;
        if (!done)
            failed("%s cannot be measured: %s", subject->of->name, error.text);
        done = done && add_scores(&them, scores);
    }
    for (int i = 0; i < them.count; i++) {
        clmove_plan_destroy(&them.plan[i]);
        free(them.ratios[i].values);
    }
    return done;
}

bool tune_try(tune_bench *bench, size_t key, const int64_t *others, int count, double seconds, tune_score *scores) {
    double end = bench->measured + seconds;
    memset(scores, 0, (size_t)count * sizeof *scores);
    for (int i = 0; i < count; i++)
        scores[i].value = others[i];
    for (size_t i = 0; i < bench->count; i++) {
        double share = (end - bench->measured) / (double)(bench->count - i);
        if (!try_map(bench, &bench->subjects[i], key, others, count, share > 0 ? share : 0, scores))
            return false;
    }
    for (int i = 0; i < count; i++)
        scores[i].gain = scores[i].maps > 0 ? exp(scores[i].gain / scores[i].maps) - 1 : 0;
    return true;
}
