/* The embedded kernels, and the texts of each program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/program_binary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char move_h[] = {
#include "move.h.inc"
};
static const char bit_words_h[] = {
#include "bit_words.h.inc"
};
static const char bit_runs_h[] = {
#include "bit_runs.h.inc"
};
static const char lanes_h[] = {
#include "cpu/lanes.h.inc"
};
static const char wc_buffer_h[] = {
#include "cpu/wc_buffer.h.inc"
};
static const char cpu_copy_rows_cl[] = {
#include "cpu/copy_rows.cl.inc"
};
static const char cpu_repeat_cl[] = {
#include "cpu/repeat.cl.inc"
};
static const char cpu_deinterleave_cl[] = {
#include "cpu/deinterleave.cl.inc"
};
static const char cpu_interleave_cl[] = {
#include "cpu/interleave.cl.inc"
};
static const char cpu_gather_cl[] = {
#include "cpu/gather.cl.inc"
};
static const char cpu_bits_cl[] = {
#include "cpu/bits.cl.inc"
};
static const char gpu_copy_rows_cl[] = {
#include "gpu/copy_rows.cl.inc"
};
static const char gpu_repeat_cl[] = {
#include "gpu/repeat.cl.inc"
};
static const char gpu_deinterleave_cl[] = {
#include "gpu/deinterleave.cl.inc"
};
static const char gpu_interleave_cl[] = {
#include "gpu/interleave.cl.inc"
};
static const char gpu_gather_cl[] = {
#include "gpu/gather.cl.inc"
};
static const char gpu_bits_cl[] = {
#include "gpu/bits.cl.inc"
};

static const struct {
    const char *name, *clang, *plain;
} sources[] = {
    {"copy_rows", cpu_copy_rows_cl, gpu_copy_rows_cl},
    {"repeat", cpu_repeat_cl, gpu_repeat_cl},
    {"deinterleave", cpu_deinterleave_cl, gpu_deinterleave_cl},
    {"interleave", cpu_interleave_cl, gpu_interleave_cl},
    {"gather", cpu_gather_cl, gpu_gather_cl},
    {"bits", cpu_bits_cl, gpu_bits_cl},
};

static const char *find_source(const char *name, clm_dialect dialect) {
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(sources[i].name, name) == 0)
            return dialect == CLM_DIALECT_CLANG ? sources[i].clang : sources[i].plain;
    return NULL;
}

bool clm_program_describe(clm_dialect dialect, const clm_program_key *key, clm_program_source *source) {
    const char *text = find_source(key->source, dialect);
    const bool clang = dialect == CLM_DIALECT_CLANG, by_words = clang && key->unit_bits < 8;
    if (!text)
        return false;
    *source = (clm_program_source){.kernel = key->source};
    snprintf(source->line, sizeof source->line, "\n#line 1 \"%s/%s.cl\"\n", clang ? "cpu" : "gpu", key->source);
    snprintf(source->options, sizeof source->options, "-D UNIT_BITS=%" PRIu32 " -D INDEX_BITS=%" PRIu32 " -D BLOCK=%" PRIu32 "%s",
             key->unit_bits, key->index_bits, key->block, clang ? " -D CLANG_KERNELS" : "");
    const char *texts[CLM_PROGRAM_TEXTS] = {"#line 1 \"move.h\"\n",
                                            move_h,
                                            clang ? "\n#line 1 \"cpu/lanes.h\"\n" : "",
                                            clang ? lanes_h : "",
                                            clang ? "\n#line 1 \"cpu/wc_buffer.h\"\n" : "",
                                            clang ? wc_buffer_h : "",
                                            by_words ? "\n#line 1 \"bit_words.h\"\n" : "",
                                            by_words ? bit_words_h : "",
                                            by_words ? "\n#line 1 \"bit_runs.h\"\n" : "",
                                            by_words ? bit_runs_h : "",
                                            source->line,
                                            text};
    memcpy(source->texts, texts, sizeof texts);
    return true;
}
