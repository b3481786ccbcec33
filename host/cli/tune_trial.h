/* One key of a tuning, measured: its present value and others in turn on the same buffers, on every map that they change.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLI_TUNE_TRIAL_H
#define CLMOVE_CLI_TUNE_TRIAL_H

#include "bench_subject.h"
#include "tuning_view.h"

enum { TUNE_OTHERS = 4 };

/* A map on the device, verified. */
typedef struct tune_subject {
    bench_subject it;
    const bench_case *of;
    uint64_t hash; /* of what must come out */
} tune_subject;

typedef struct tune_bench {
    executor *who;
    bool by_device; /* measured by the device's clock */
    tuning_view now;
    tune_subject *subjects;
    size_t count;
    double measured; /* seconds so far */
} tune_bench;

/* How another value did, beside the present one. */
typedef struct tune_score {
    int64_t value;
    int maps;              /* that it changes */
    double gain;           /* geometric mean of the speeds, over the present ones, less 1 */
    double worst;          /* the least of them */
    bool harms;            /* a map, beyond what may be noise */
    const char *worst_map; /* NULL: no map is changed */
    char failure[128];     /* why it cannot be done; "" */
} tune_score;

/* Opens all maps of a list, which is to outlive the bench, on a device: each is compared with its operator's definition. The
 * bench is to be closed in any case. On false, here and below, a sentence has been printed. */
bool tune_bench_open(tune_bench *bench, const bench_list *list);

void tune_bench_close(tune_bench *bench);

/* The values to try in place of the present one. Returns how many. */
int tune_others(const clmove_tuning_value *present, int64_t others[TUNE_OTHERS]);

/* Measures values of a key for about so many seconds. Every one has to give the same bytes. */
bool tune_try(tune_bench *bench, size_t key, const int64_t *others, int count, double seconds, tune_score *scores);

/* Whether a value is better: 3 % faster on the whole, and no map is slower by more, as far as noise lets one tell. */
bool tune_is_better(const tune_score *score);

#endif
