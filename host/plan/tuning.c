/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/tuning.h"

const char *clm_class_text(clm_tuning_class class) {
    return class == CLM_CLASS_HOST ? "host" : class == CLM_CLASS_CPU ? "cpu" : "gpu";
}

void clm_tuning_default(clm_tuning_class class, clm_tuning *tuning) {
    static const clm_tuning defaults[CLM_CLASSES] = {
#define HOST_VALUE(key, least, most, host, cpu, gpu, what) .key = host,
#define CPU_VALUE(key, least, most, host, cpu, gpu, what) .key = cpu,
#define GPU_VALUE(key, least, most, host, cpu, gpu, what) .key = gpu,
        [CLM_CLASS_HOST] = {CLM_TUNING_KEYS(HOST_VALUE)},
        [CLM_CLASS_CPU] = {CLM_TUNING_KEYS(CPU_VALUE)},
        [CLM_CLASS_GPU] = {CLM_TUNING_KEYS(GPU_VALUE)},
#undef HOST_VALUE
#undef CPU_VALUE
#undef GPU_VALUE
    };
    *tuning = defaults[class];
}
