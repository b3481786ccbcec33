/* Programs from the binaries that an earlier process kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_PROGRAM_BINARY_H
#define CLMOVE_HOST_OPENCL_PROGRAM_BINARY_H

#include "host/opencl/objects.h"

enum { CLM_PROGRAM_TEXTS = 12 };

/* What a program is built from. */
typedef struct clm_program_source {
    /* Its name */
    const char *kernel;
    const char *texts[CLM_PROGRAM_TEXTS];
    char line[64], options[128];
} clm_program_source;

/* Assembles the source of a program in a dialect. False: there is no such kernel. */
bool clm_program_describe(clm_dialect dialect, const clm_program_key *key, clm_program_source *source);

/* Decides whether and where the device's programs are kept. why: as for clm_cache_open. */
clmove_status clm_program_cache_open(clm_opencl *opencl, char why[CLM_CACHE_WHY], clmove_error *error);

/* Makes and builds the program of a source from the binary on disk. False: it must be built from the source. why: the fault of
 * the file on disk, or "". */
bool clm_program_load(const clm_opencl *opencl, const clm_program_source *source, cl_program *program, char why[CLM_CACHE_WHY]);

/* Keeps a program that was built from its source. why: the reason why it is not kept, or "". */
void clm_program_save(const clm_opencl *opencl, const clm_program_source *source, cl_program program, char why[CLM_CACHE_WHY]);

#endif
