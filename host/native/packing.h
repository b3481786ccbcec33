/* Short runs, of 3 bytes and more, as units of 4, 8 or 16, so that they can be transposed in registers. Included by the files
 * of one level only (level.inc).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_PACKING_H
#define CLMOVE_HOST_NATIVE_PACKING_H

#include "host/native/lanes.h"

/* The bytes of the longest runs that are packed. In vectors of 32 bytes longer ones are moved faster one by one: 1633 x 1633 runs
 * of 12 bytes transposed on 2 cores of an AMD EPYC (model 17), share of the limit packed and one by one: 0.28, 0.33; of 7 bytes
 * 0.15, 0.17; of 3 bytes 0.50, 0.40. In vectors of 64 bytes 12: 0.38, 0.36; 7: 0.25, 0.18; 3: 0.60, 0.44. */
#define CLM_MOST_PACKED (CLM_CHUNK == 64 ? 16 : 4)

typedef struct clm_packing {
    /* The bytes of a unit. 0: runs are moved as they are. */
    int width;
    /* The bytes of a run. */
    int bytes;
#if CLM_LOOKUP
    /* The bytes of the runs that become a chunk of units. */
    int chunk_bytes;
    /* Where each byte of a chunk of units, or of runs, comes from in the other. */
    _Alignas(CLM_CHUNK) uint8_t unpack[CLM_CHUNK], pack[CLM_CHUNK];
#endif
} clm_packing;

static clm_packing clm_packing_of(int64_t bytes) {
    clm_packing packing = {.width = 0, .bytes = (int)bytes};
#if CLM_LOOKUP
    if (bytes < 3 || bytes > CLM_MOST_PACKED)
        return packing;
    packing.width = bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16;
    packing.chunk_bytes = CLM_CHUNK / packing.width * (int)bytes;
    for (int i = 0; i < CLM_CHUNK; i++) {
        const int unit = i / packing.width, byte = i % packing.width;
        packing.unpack[i] = (uint8_t)(byte < bytes ? unit * (int)bytes + byte : 0);
        packing.pack[i] = (uint8_t)(i / (int)bytes * packing.width + i % (int)bytes) % CLM_CHUNK;
    }
#endif
    return packing;
}

#if CLM_LOOKUP
/* A vector of runs that become units: of each chunk the runs are at once behind each other. Reads no more than the runs where a
 * vector is a chunk of 64 bytes, else 16 bytes a chunk. */
CLM_INLINE clm_vector clm_load_unpacked(const clm_packing *packing, const unsigned char *from, int64_t apart) {
#if CLM_CHUNK == 64
    (void)apart;
    return _mm512_permutexvar_epi8(_mm512_load_si512(packing->unpack), clm_load_part(from, (size_t)packing->chunk_bytes));
#else
    return clm_look_up(clm_load_chunks(from, apart), clm_each_chunk(packing->unpack));
#endif
}

/* May write up to a chunk past the runs. */
CLM_INLINE void clm_store_packed(const clm_packing *packing, unsigned char *to, clm_vector v) {
#if CLM_CHUNK == 64
    clm_store(to, _mm512_permutexvar_epi8(_mm512_load_si512(packing->pack), v));
#else
    clm_store_chunks(to, packing->chunk_bytes, clm_look_up(v, clm_each_chunk(packing->pack)));
#endif
}
#endif

#endif
