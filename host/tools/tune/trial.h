/* One key of a tuning, measured: its present value and others in turn on the same buffers, on every map that they change.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TUNE_TRIAL_H
#define CLMOVE_HOST_TOOLS_TUNE_TRIAL_H

#include "host/tools/bench/subject.h"
#include "host/tools/measured/clarity.h"
#include "host/tools/measured/tuning_view.h"

enum { TUNE_MAPS = 35, TUNE_OTHERS = 4, TUNE_VERIFIED = 64 }; /* at most */

/* A map on the device, verified. */
typedef struct tune_subject {
    bench_subject it;
    bench_case of;
    /* Hashes of the explanations of plans whose bytes were right. */
    uint64_t verified[TUNE_VERIFIED];
    int verified_count;
} tune_subject;

typedef struct tune_bench {
    chosen_device *who;
    /* Measured by the device's clock. */
    bool by_device;
    tuning_view now;
    tune_subject subjects[TUNE_MAPS];
    size_t count;
    /* By bench_now. What is not measured by then is left as it is. */
    double deadline;
    /* The deadline passed, and a trial was left. */
    bool is_late;
} tune_bench;

/* How another value did, beside the present one. */
typedef struct tune_score {
    int64_t value;
    /* The number of maps that it changes. */
    int maps;
    clarity_sample samples[TUNE_MAPS];
    /* The names of the maps. */
    const char *names[TUNE_MAPS];
    clarity_gain found;
    /* Why it cannot be done; "". */
    char failure[128];
} tune_score;

/* Makes the maps for the device, and opens them: each is compared with its operator's definition. What the device or the memory
 * cannot hold is left out, and a note says so. The deadline is put off by what drivers build for them. The bench is to be closed
 * in any case. On false, here and below, a sentence has been printed. */
bool tune_bench_open(tune_bench *bench);

void tune_bench_close(tune_bench *bench);

/* Whether the maps can show what a key does. They are moved from buffer to buffer, and piece_bytes is for host memory alone. */
bool tune_can_judge(const clmove_tuning_value *key);

/* Measures values of a key for about so many seconds, and the present one twice. Every one has to give the same bytes. Where the
 * deadline passes, bench->is_late and the scores mean nothing. */
bool tune_try(tune_bench *bench, int64_t key, const int64_t *others, int count, double seconds, tune_score *scores);

#endif
