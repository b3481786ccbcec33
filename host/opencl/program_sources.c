/* The embedded kernels, and the texts of each program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/program_binary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The files of cl_kernels/ that programs are made of (kernel_files of CMakeLists.txt). */
static const struct {
    const char *name, *text;
} files[] = {
#include "kernels.inc"
};

static const char *text_of(const char *name) {
    size_t i = 0;
    while (strcmp(files[i].name, name) != 0)
        i++;
    return files[i].text;
}

void clm_program_describe(clm_dialect dialect, const clm_program_key *key, clm_program_source *source) {
    const bool clang = dialect == CLM_DIALECT_CLANG;
    char file[64];
    *source = (clm_program_source){.kernel = key->source};
    source->texts[source->count++] = text_of("move.h");
    if (clang) {
        source->texts[source->count++] = text_of("cpu/lanes.h");
        source->texts[source->count++] = text_of("cpu/wc_buffer.h");
    }
    if (clang && key->unit_bits < 8) {
        source->texts[source->count++] = text_of("bit_words.h");
        source->texts[source->count++] = text_of("bit_runs.h");
    }
    snprintf(file, sizeof file, "%s/%s.cl", clang ? "cpu" : "gpu", key->source);
    source->texts[source->count++] = text_of(file);
    snprintf(source->options, sizeof source->options, "-D UNIT_BITS=%" PRIu32 " -D INDEX_BITS=%" PRIu32 " -D BLOCK=%" PRIu32 "%s",
             key->unit_bits, key->index_bits, key->block, clang ? " -D CLANG_KERNELS" : "");
}
