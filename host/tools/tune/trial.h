/* One key of a tuning, measured: its present value and others in turn on the same buffers, on every map that they change.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TUNE_TRIAL_H
#define CLMOVE_HOST_TOOLS_TUNE_TRIAL_H

#include "host/tools/bench/subject.h"
#include "host/tools/tune/clarity.h"
#include "host/tools/tune/maps.h"
#include "host/tools/tune/tuning_view.h"

enum { TUNE_OTHERS = 4, TUNE_VERIFIED = 64 };

/* A map on the device, verified. */
typedef struct tune_subject {
    bench_subject it;
    const bench_case *of;
    uint64_t hash;                    /* of what must come out */
    uint64_t verified[TUNE_VERIFIED]; /* explanations, hashed, of plans that gave that */
    int verified_count;
} tune_subject;

typedef struct tune_bench {
    executor *who;
    bool by_device; /* measured by the device's clock */
    tuning_view now;
    tune_subject *subjects;
    size_t count;
    double deadline; /* by bench_now; what is measured then is left as it is */
    bool is_late;    /* the deadline passed, and a trial was left */
} tune_bench;

/* How another value did, beside the present one. */
typedef struct tune_score {
    int64_t value;
    int maps; /* that it changes */
    clarity_sample samples[TUNE_MAPS];
    const char *names[TUNE_MAPS]; /* of the maps */
    clarity_gain found;
    char failure[128]; /* why it cannot be done; "" */
} tune_score;

/* The best value of a key, tried again. */
typedef struct tune_trend {
    tune_score last;
    bool is_clear;    /* it was clearly better twice */
    bool is_doubtful; /* it seemed better to the end, and was not */
} tune_trend;

/* What noise may have hidden, or made. */
typedef struct tune_doubt {
    const char *key; /* of the value that seemed best without being clear; NULL: there is none */
    int64_t value;
    double gain, gain_noise;
    double noise; /* the largest of all */
    bool is_late;
} tune_doubt;

/* Opens all maps of a list, which is to outlive the bench, on a device: each is compared with its operator's definition. The
 * bench is to be closed in any case. On false, here and below, a sentence has been printed. */
bool tune_bench_open(tune_bench *bench, const bench_list *list);

void tune_bench_close(tune_bench *bench);

/* The values to try in place of the present one. Returns how many. */
int tune_others(const clmove_tuning_value *present, int64_t others[TUNE_OTHERS]);

/* Measures values of a key for about so many seconds, and the present one twice. Every one has to give the same bytes. Where the
 * deadline passes, bench->is_late and the scores mean nothing. */
bool tune_try(tune_bench *bench, size_t key, const int64_t *others, int count, double seconds, tune_score *scores);

/* What clarity_judge_value made of a value; CLARITY_NO_GAIN where it cannot be done. */
clarity_verdict tune_verdict(const tune_score *score);

#endif
