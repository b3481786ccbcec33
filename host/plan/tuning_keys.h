/* The table of tuning.h as data, for the two files that walk it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_TUNING_KEYS_H
#define CLMOVE_HOST_PLAN_TUNING_KEYS_H

#include "host/plan/tuning.h"

typedef struct clm_tuning_key {
    const char *name;
    int64_t least, most;
    int64_t built_in[CLM_CLASSES];
    const char *what;
} clm_tuning_key;

extern const clm_tuning_key clm_tuning_keys[CLM_TUNING_COUNT];

/* The field of a key. */
int64_t *clm_tuning_field(clm_tuning *tuning, int key);

/* The largest value of a key on this device. */
int64_t clm_tuning_most(const clm_tuned *tuned, int key);

#endif
