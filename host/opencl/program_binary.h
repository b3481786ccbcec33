/* Programs from the binaries that an earlier process kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_PROGRAM_BINARY_H
#define CLMOVE_HOST_OPENCL_PROGRAM_BINARY_H

#include "host/opencl/objects.h"

enum { CLM_PROGRAM_TEXTS = 6 };

/* What a program is built from. */
typedef struct clm_program_source {
    /* Its name */
    const char *kernel;
    /* So many texts, at most CLM_PROGRAM_TEXTS */
    cl_uint count;
    const char *texts[CLM_PROGRAM_TEXTS];
    char options[128];
} clm_program_source;

/* Decides whether and where the device's programs are kept. Here and below, the first fault of the cache is logged; no lock may
 * be held. Raises as clm_cache_open. */
clmove_status clm_program_cache_open(clm_opencl *opencl, clmove_error *error);

/* Makes and builds the program of a source from the binary on disk. False: it must be built from the source. */
bool clm_program_load(clm_opencl *opencl, const clm_program_source *source, cl_program *program);

/* Keeps a program that was built from its source. */
void clm_program_save(clm_opencl *opencl, const clm_program_source *source, cl_program program);

#endif
