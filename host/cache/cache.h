/* Program binaries on disk, for drivers that keep none themselves. Knows files, not OpenCL.
 *
 * A binary is one file in $XDG_CACHE_HOME/clmove, or ~/.cache/clmove. Its name is a hash of all that decides what the compiler
 * makes, and its content a hash of that and of the binary, then the binary. It is written whole under another name and renamed,
 * and read only when it is the user's own and as it was written. Any number of threads and processes may use the folder at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_CACHE_CACHE_H
#define CLMOVE_HOST_CACHE_CACHE_H

#include "host/error.h"

#include <stddef.h>

/* The files together; the ones that were not used for longest go first. */
#define CLM_CACHE_BYTES ((size_t)64 << 20)

/* Why a file was not read or written, "" where nothing is wrong. */
enum { CLM_CACHE_WHY = 512 };

typedef struct clm_cache {
    bool is_on;
    char folder[1024];
} clm_cache;

typedef struct clm_bytes {
    unsigned char *data;
    size_t size;
} clm_bytes;

/* Decides for a platform, by its name, whether its binaries are kept, and where. CLMOVE_PROGRAM_CACHE decides before the name
 * does: 0 or off, 1 or on. Raises INVALID_ARGUMENT for any other value. Where they should be kept and no folder can be named,
 * the cache is off and why says so. */
clmove_status clm_cache_open(clm_cache *cache, const char *platform, char why[CLM_CACHE_WHY], clmove_error *error);

/* The key of a list of texts, from that of the list without the last one; that of no text is 0. */
uint64_t clm_cache_key(uint64_t key, const char *text);

/* Reads what was kept for a key. False: there is nothing, or nothing that can be trusted; *binary is untouched. The caller frees
 * binary->data. */
bool clm_cache_load(const clm_cache *cache, uint64_t key, clm_bytes *binary, char why[CLM_CACHE_WHY]);

/* Keeps a binary for a key, in place of what was there. False, with the reason: nothing changed. */
bool clm_cache_store(const clm_cache *cache, uint64_t key, clm_bytes binary, char why[CLM_CACHE_WHY]);

#endif
