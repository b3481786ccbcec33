/* Groups of BLOCK contiguous units, which deinterleave.cl reads and splits: unit k of each goes to row k.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_GROUPS_H
#define CLMOVE_GROUPS_H

/* Asks for LANES groups so much further on; 0: for none. */
MOVE_FUNCTION void prefetch_groups(const global unit_t *from, sindex_t ahead) {
    if (ahead != 0)
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            BLOCK <= 4 ? prefetch_line(from + ahead + k * LANES) : prefetch_line_far(from + ahead + k * LANES);
}

#if UNIT_BITS == 8 && BLOCK > 8
#define PANEL 16
#define LOAD_PIECE(place) (*(const global piece_t *)(place))
/* The group at `from` + i groups, as 16 bytes of which the first are its own. Of the last group they are the last at first, so
 * that nothing behind it is read. */
MOVE_FUNCTION piece_t load_group(const global unit_t *from, const int i) {
    if (i < LANES - 1)
        return LOAD_PIECE(from + i * BLOCK);
#define AT(k) (16 - BLOCK + (k)) % 16
    const piece_t last = LOAD_PIECE(from + LANES * BLOCK - 16);
    return __builtin_shufflevector(last, last, AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7), AT(8), AT(9), AT(10),
                                   AT(11), AT(12), AT(13), AT(14), AT(15));
#undef AT
}

/* LANES groups, split: v[k] has unit k of each. */
MOVE_FUNCTION void load_split_groups(lanes_t *v, const global unit_t *from, sindex_t ahead) {
    prefetch_groups(from, ahead);
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[k] = (lanes_t)(load_group(from, k), load_group(from, k + 16), load_group(from, k + 32), load_group(from, k + 48));
    unpack_pieces(v);
}
/* f32 by 5 to 15 1.02 to 1.19 times as fast as shuffled by the compiler on 2 cores of an Intel Xeon (model 167). */
#elif (UNIT_BITS == 16 && BLOCK > 8) || (UNIT_BITS == 32 && BLOCK > 4 && BLOCK != 8 && BLOCK != 16)
#define PANEL 16
/* Units first to first + PIECE_UNITS - 1 of LANES groups, split. */
MOVE_FUNCTION void load_split_part(lanes_t *v, const global unit_t *from, const int first) {
#define LOAD_PIECE(i) (*(const global piece_t *)(from + first + (i)*BLOCK))
#pragma unroll
    for (int k = 0; k < PIECE_UNITS; k++)
        v[first + k] = (lanes_t)(LOAD_PIECE(k), LOAD_PIECE(k + PIECE_UNITS), LOAD_PIECE(k + 2 * PIECE_UNITS),
                                 LOAD_PIECE(k + 3 * PIECE_UNITS));
#undef LOAD_PIECE
    unpack_pieces(v + first);
}

/* LANES groups, split: v[k] has unit k of each. The last part may overlap the one before. */
MOVE_FUNCTION void load_split_groups(lanes_t *v, const global unit_t *from, sindex_t ahead) {
    prefetch_groups(from, ahead);
#pragma unroll
    for (int first = 0; first < BLOCK; first += PIECE_UNITS)
        load_split_part(v, from, min(first, BLOCK - PIECE_UNITS));
}
#else
#define PANEL BLOCK
/* LANES groups as they are. */
MOVE_FUNCTION void load_groups(lanes_t *v, const global unit_t *from, sindex_t ahead) {
    prefetch_groups(from, ahead);
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = LOAD_LANES(from + k * LANES);
}

/* LANES groups, split: v[k] has unit k of each. */
MOVE_FUNCTION void load_split_groups(lanes_t *v, const global unit_t *from, sindex_t ahead) {
    load_groups(v, from, ahead);
#if BLOCK == 2 || BLOCK == 4 || BLOCK == 8 || BLOCK == 16
    split_lanes(v, BLOCK);
#else
    /* Constant indices after unrolling, which the compiler makes shuffles of. */
    lanes_t w[BLOCK];
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            ((value_t *)&w[k])[lane] = ((const value_t *)v)[lane * BLOCK + k];
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = w[k];
#endif
}
#endif

/* Splits `vectors` times LANES groups that follow each other. Unit k of each goes to at[k] + offset and what follows, `vectors`
 * lines of it. Only these two are compiled for each BLOCK, and called for everything: inlined where they are needed, bytes by
 * blocks of 16 took POCL 3.1 13 seconds to build. Two functions, because of what STORE_CACHED says. */
#define SPLIT_VECTORS(name, STORE, vector_t)                                                                                     \
    static __attribute__((noinline WIDE_VECTORS)) void name(const global unit_t *from, index_t vectors, sindex_t ahead,          \
                                                            uchar *const *at, size_t offset) {                                   \
        for (; vectors > 0; vectors--, from += LANES * BLOCK, offset += LINE) {                                                  \
            lanes_t v[PANEL];                                                                                                    \
            load_split_groups(v, from, ahead);                                                                                   \
            _Pragma("unroll") for (int k = 0; k < BLOCK; k++) STORE(v[k], (vector_t *)(at[k] + offset));                         \
        }                                                                                                                        \
    }
SPLIT_VECTORS(split_vectors_stream, STORE_STREAM, lanes_t)
SPLIT_VECTORS(split_vectors_cached, STORE_CACHED, lanes_anywhere_t)

/* The same for groups that lie n_src apart, one after the other. */
MOVE_CALLED void split_apart(const global unit_t *from, sindex_t n_src, index_t count, uchar *const *at, size_t offset) {
    for (; count > 0; count--, from += n_src, offset += sizeof(unit_t))
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            *(unit_t *)(at[k] + offset) = from[k];
}

#endif
