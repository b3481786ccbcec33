/* Programs: the embedded kernel sources, compiled once for each key, or not even that where a binary of it is on disk.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/program_binary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char move_h[] = {
#include "move.h.inc"
};
static const char sink_h[] = {
#include "sink.h.inc"
};
static const char copy_rows_cl[] = {
#include "copy_rows.cl.inc"
};
static const char repeat_cl[] = {
#include "repeat.cl.inc"
};
static const char deinterleave_cl[] = {
#include "deinterleave.cl.inc"
};
static const char interleave_cl[] = {
#include "interleave.cl.inc"
};
static const char gather_cl[] = {
#include "gather.cl.inc"
};
static const char bit_words_h[] = {
#include "bit_words.h.inc"
};
static const char bit_runs_h[] = {
#include "bit_runs.h.inc"
};
static const char bits_cl[] = {
#include "bits.cl.inc"
};

static const struct {
    const char *name, *text;
} sources[] = {
    {"copy_rows", copy_rows_cl},   {"repeat", repeat_cl}, {"deinterleave", deinterleave_cl},
    {"interleave", interleave_cl}, {"gather", gather_cl}, {"bits", bits_cl},
};

static const char *find_source(const char *name) {
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(sources[i].name, name) == 0)
            return sources[i].text;
    return NULL;
}

/* Raises BUILD_FAILED with the end of the sentence taken from the driver's log. */
static clmove_status raise_build_failure(const clm_opencl *opencl, cl_program program, cl_int code, const char *name,
                                         clmove_error *error) {
    char log[4096] = "";
    if (opencl->driver->clGetProgramBuildInfo(program, opencl->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL) !=
        CL_SUCCESS)
        snprintf(log, sizeof log, "there is no build log");
    for (char *place = log; *place; place++)
        if (*place == '\n') /* one sentence, one line */
            *place = ' ';
    return clm_raise(error, CLMOVE_BUILD_FAILED, code, "%s.cl does not build on %s: %d (%s): %.300s", name, opencl->info.name,
                     code, clm_opencl_code_text(code), log);
}

static void describe(const clm_opencl *opencl, const clm_program_key *key, const char *text, clm_program_source *source) {
    *source = (clm_program_source){.kernel = key->source};
    snprintf(source->line, sizeof source->line, "\n#line 1 \"%s.cl\"\n", key->source);
    snprintf(source->options, sizeof source->options, "-D UNIT_BITS=%" PRIu32 " -D INDEX_BITS=%" PRIu32 " -D BLOCK=%" PRIu32 "%s",
             key->unit_bits, key->index_bits, key->block, clm_is_cpu_like(opencl) ? " -D LONG_RUNS" : "");
    const bool by_words = key->unit_bits < 8 && clm_is_cpu_like(opencl);
    const char *texts[CLM_PROGRAM_TEXTS] = {"#line 1 \"move.h\"\n",
                                            move_h,
                                            "\n#line 1 \"sink.h\"\n",
                                            sink_h,
                                            "\n#line 1 \"bit_words.h\"\n",
                                            by_words ? bit_words_h : "",
                                            "\n#line 1 \"bit_runs.h\"\n",
                                            by_words ? bit_runs_h : "",
                                            source->line,
                                            text};
    memcpy(source->texts, texts, sizeof texts);
}

static clmove_status build(const clm_opencl *opencl, const clm_program_source *source, cl_program *program, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = opencl->driver;
    cl_int code;
    cl_program built = driver->clCreateProgramWithSource(opencl->context, CLM_PROGRAM_TEXTS,
                                                         (const char **)(uintptr_t)source->texts, NULL, &code);
    if (!built) {
        status = clm_raise_opencl(error, code, "clCreateProgramWithSource");
        goto out;
    }
    code = driver->clBuildProgram(built, 1, &opencl->device, source->options, NULL, NULL);
    if (code != CL_SUCCESS) {
        status = raise_build_failure(opencl, built, code, source->kernel, error);
        goto out;
    }
    *program = built;
    built = NULL;
out:
    if (built)
        driver->clReleaseProgram(built);
    return status;
}

/* From disk, or else from source, and then it is kept. why: what is wrong with what is on disk, or "". */
static clmove_status make_program(clm_opencl *opencl, const clm_program_key *key, cl_program *program,
                                  char why[CLM_PROGRAM_CACHE_WHY], clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_program_source source;
    char why_not_kept[CLM_PROGRAM_CACHE_WHY];
    const char *text = find_source(key->source);
    REQUIRE(text, BUILD_FAILED, "there is no kernel source %s.cl", key->source);
    describe(opencl, key, text, &source);
    if (clm_program_load(opencl, &source, program, why)) {
        opencl->programs_loaded++;
        goto out;
    }
    TRY(build(opencl, &source, program, error));
    opencl->programs_built++;
    clm_program_save(opencl, &source, *program, why_not_kept);
    if (!*why)
        memcpy(why, why_not_kept, sizeof why_not_kept);
out:
    return status;
}

void clm_note_cache(clm_opencl *opencl, const char *why) {
    char text[CLM_PROGRAM_CACHE_WHY + 16];
    if (!*why || !opencl->log.write)
        return;
    pthread_mutex_lock(&opencl->lock);
    bool noted = opencl->has_noted;
    opencl->has_noted = true;
    pthread_mutex_unlock(&opencl->lock);
    snprintf(text, sizeof text, "program cache: %s", why);
    if (!noted)
        opencl->log.write(opencl->log.user, text);
}

static bool is_same_key(const clm_program_key *a, const clm_program_key *b) {
    return a->source == b->source && a->unit_bits == b->unit_bits && a->index_bits == b->index_bits && a->block == b->block;
}

clmove_status clm_program_get(clm_opencl *opencl, clm_program_key key, cl_program *program, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_program *entry = NULL;
    char why[CLM_PROGRAM_CACHE_WHY] = "";
    pthread_mutex_lock(&opencl->lock);
    for (clm_program *p = opencl->programs; p; p = p->next)
        if (is_same_key(&p->key, &key)) {
            *program = p->program;
            goto out;
        }
    entry = calloc(1, sizeof *entry);
    REQUIRE(entry, OUT_OF_MEMORY, "no memory for a program");
    entry->key = key;
    TRY(make_program(opencl, &key, &entry->program, why, error));
    entry->next = opencl->programs;
    opencl->programs = entry;
    *program = entry->program;
    entry = NULL;
out:
    pthread_mutex_unlock(&opencl->lock);
    free(entry);
    clm_note_cache(opencl, why);
    return status;
}

void clm_programs_release(clm_opencl *opencl) {
    while (opencl->programs) {
        clm_program *program = opencl->programs;
        opencl->programs = program->next;
        opencl->driver->clReleaseProgram(program->program);
        free(program);
    }
}
