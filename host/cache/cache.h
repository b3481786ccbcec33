/* Program binaries on disk, for drivers that keep none themselves. Knows files, not OpenCL.
 *
 * A binary is one file in $XDG_CACHE_HOME/clmove or ~/.cache/clmove. Its name is a key: a hash of everything that determines the
 * compiler's output. Its content is a hash of the key and the binary, then the binary. It is written whole under another name and
 * renamed. It is read only if it belongs to the user and its hash is right. Thread-safe, also for several processes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_CACHE_CACHE_H
#define CLMOVE_HOST_CACHE_CACHE_H

#include "host/error.h"

#include <stddef.h>

/* The most bytes of all files together. The least recently used files are removed first. */
#define CLM_CACHE_BYTES ((size_t)64 << 20)

/* The capacity of `why`: the reason why a file was not read or written, "" if there is none. */
enum { CLM_CACHE_WHY = 512 };

/* Where binaries are kept, if they are. */
typedef struct clm_cache {
    bool is_on;
    char folder[1024];
} clm_cache;

typedef struct clm_binary {
    unsigned char *data;
    size_t size;
} clm_binary;

/* Decides whether the binaries of a driver are kept, and where: CLMOVE_PROGRAM_CACHE (0, off, 1 or on), else is_needed. If they
 * should be kept and no folder can be named, the cache is off, and why has the reason. */
void clm_cache_open(clm_cache *cache, bool is_needed, char why[CLM_CACHE_WHY]);

/* The key of a list of texts: key is that of the list without its last text, which is text. The key of the empty list is 0. */
uint64_t clm_cache_key(uint64_t key, const char *text);

/* Reads the binary of a key. binary->data is the caller's, to be freed. False: there is none that can be trusted; *binary is not
 * written. */
bool clm_cache_load(const clm_cache *cache, uint64_t key, clm_binary *binary, char why[CLM_CACHE_WHY]);

/* Writes the binary of a key, and replaces an earlier one. False: nothing changed, and why has the reason. */
bool clm_cache_store(const clm_cache *cache, uint64_t key, clm_binary binary, char why[CLM_CACHE_WHY]);

#endif
