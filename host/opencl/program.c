/* Programs: compiled once for each key, or loaded if a binary is on disk.
 *
 * The first thread that needs a program adds it to the device's list, and builds it without the lock. Threads that need the same
 * program wait; all others continue.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Assembles the source of a program for a device. */
static void describe(const clm_opencl *opencl, const clm_program_key *key, clm_program_source *source) {
    const bool clang = opencl->dialect == CLM_DIALECT_CLANG;
    char file[64], rows[32] = "";
    *source = (clm_program_source){.kernel = key->source};
    source->texts[source->count++] = text_of("move.h");
    if (clang) {
        source->texts[source->count++] = text_of("cpu/lanes.h");
        source->texts[source->count++] = text_of("cpu/wc_buffer.h");
        source->texts[source->count++] = text_of("cpu/frame.h");
        source->texts[source->count++] = text_of("cpu/tile.h");
    }
    if (clang && strcmp(key->source, "deinterleave") == 0)
        source->texts[source->count++] = text_of("cpu/groups.h");
    if (clang && strcmp(key->source, "transpose_runs") == 0)
        source->texts[source->count++] = text_of("cpu/packed_runs.h");
    if (clang && strcmp(key->source, "transpose") == 0) {
        source->texts[source->count++] = text_of("cpu/panels.h");
        source->texts[source->count++] = text_of("cpu/rooms.h");
    }
    if (clang && key->unit_bits < 8) {
        source->texts[source->count++] = text_of("bit_words.h");
        source->texts[source->count++] = text_of("bit_runs.h");
    }
    if (!clang && strcmp(key->source, "local_tiles") == 0) {
        source->texts[source->count++] = text_of("gpu/local_tables.h");
        source->texts[source->count++] = text_of("gpu/local_words.h");
    }
    snprintf(file, sizeof file, "%s/%s.cl", clang ? "cpu" : "gpu", key->source);
    source->texts[source->count++] = text_of(file);
    if (key->rows > 0)
        snprintf(rows, sizeof rows, " -D ROWS=%" PRIu32, key->rows);
    snprintf(source->options, sizeof source->options,
             "-D UNIT_BITS=%" PRIu32 " -D INDEX_BITS=%" PRIu32 " -D BLOCK=%" PRIu32 "%s%s%s", key->unit_bits, key->index_bits,
             key->block, rows, clang ? " -D CLANG_KERNELS" : "", opencl->has_vbmi ? " -D HAS_VBMI" : "");
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
    return clm_raise(error, CLMOVE_BUILD_FAILED, code, "%s.cl does not build on %s: %d (%s): %.300s", name,
                     opencl->base.info.name, code, clm_opencl_code_text(code), log);
}

/* Builds of other processes may make one fail (clm_builds_collide). Each later one is less likely to meet them. */
enum { MOST_BUILDS = 4 };

/* *collided: it failed, and may succeed if it is tried again. */
static clmove_status build_once(const clm_opencl *opencl, const clm_program_source *source, cl_program *program, bool *collided,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = opencl->driver;
    cl_int code;
    *collided = false;
    cl_program built =
        driver->clCreateProgramWithSource(opencl->context, source->count, (const char **)(uintptr_t)source->texts, NULL, &code);
    if (!built) {
        status = clm_raise_opencl(error, code, "clCreateProgramWithSource");
        goto out;
    }
    code = driver->clBuildProgram(built, 1, &opencl->device, source->options, NULL, NULL);
    if (code != CL_SUCCESS) {
        *collided = code == CL_BUILD_PROGRAM_FAILURE && opencl->builds_collide;
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

static clmove_status build(const clm_opencl *opencl, const clm_program_source *source, cl_program *program, clmove_error *error) {
    clmove_status status;
    bool collided;
    int builds = 0;
    do
        status = build_once(opencl, source, program, &collided, error);
    while (collided && ++builds < MOST_BUILDS);
    return status;
}

/* Loads a program from disk, or builds it from source and keeps it. */
static clmove_status make_program(clm_opencl *opencl, const clm_program_key *key, cl_program *program, bool *loaded,
                                  clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_program_source source;
    describe(opencl, key, &source);
    *loaded = clm_program_load(opencl, &source, program);
    if (!*loaded) {
        TRY(build(opencl, &source, program, error));
        clm_program_save(opencl, &source, *program);
    }
out:
    return status;
}

static bool is_same_key(const clm_program_key *a, const clm_program_key *b) {
    return a->source == b->source && a->unit_bits == b->unit_bits && a->index_bits == b->index_bits && a->block == b->block &&
           a->rows == b->rows;
}

/* The program of a key, built or not, or NULL. The lock is held. */
static clm_program *find(const clm_opencl *opencl, const clm_program_key *key) {
    clm_program *found = opencl->programs;
    while (found && !is_same_key(&found->key, key))
        found = found->next;
    return found;
}

/* Adds a program that is not built yet. The lock is held. */
static clm_program *add(clm_opencl *opencl, const clm_program_key *key) {
    clm_program *entry = calloc(1, sizeof *entry);
    if (entry) {
        entry->key = *key;
        entry->next = opencl->programs;
        opencl->programs = entry;
    }
    return entry;
}

/* Waits until a program is built, or its build failed. The lock is held. */
static clmove_status wait_for(clm_opencl *opencl, clm_program *entry, clmove_error *error) {
    entry->waiting++;
    while (!entry->program && entry->failure.status == CLMOVE_OK)
        pthread_cond_wait(&opencl->settled, &opencl->lock);
    entry->waiting--;
    clmove_status status = entry->failure.status;
    if (status != CLMOVE_OK && error)
        *error = entry->failure;
    if (status != CLMOVE_OK && entry->waiting == 0)
        free(entry); /* no other thread uses it */
    return status;
}

/* Ends the build of a program, and removes it from the list if that failed. The lock is held. */
static void settle(clm_opencl *opencl, clm_program *entry, cl_program program, const clmove_error *failure) {
    entry->program = program;
    if (!program) {
        clm_program **at = &opencl->programs;
        while (*at != entry)
            at = &(*at)->next;
        *at = entry->next;
        entry->failure = *failure;
    }
    pthread_cond_broadcast(&opencl->settled);
    if (!program && entry->waiting == 0)
        free(entry);
}

clmove_status clm_program_get(clm_opencl *opencl, clm_program_key key, clm_program **program, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_error failure = {0};
    cl_program built = NULL;
    bool loaded = false;
    pthread_mutex_lock(&opencl->lock);
    clm_program *found = find(opencl, &key), *added = found ? NULL : add(opencl, &key);
    if (found)
        status = wait_for(opencl, found, error);
    pthread_mutex_unlock(&opencl->lock);
    TRY(status);
    REQUIRE(found || added, OUT_OF_MEMORY, "no memory for a program");
    if (added) {
        status = make_program(opencl, &key, &built, &loaded, &failure);
        pthread_mutex_lock(&opencl->lock);
        opencl->programs_loaded += status == CLMOVE_OK && loaded;
        opencl->programs_built += status == CLMOVE_OK && !loaded;
        settle(opencl, added, built, &failure);
        pthread_mutex_unlock(&opencl->lock);
        if (status != CLMOVE_OK && error)
            *error = failure;
    }
    if (status == CLMOVE_OK)
        *program = found ? found : added;
out:
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
