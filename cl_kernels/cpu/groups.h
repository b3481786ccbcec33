/* Groups of BLOCK contiguous units, which deinterleave.cl reads and splits: unit k of each goes to row k. With fewer ROWS, the
 * units behind them are read, but go nowhere.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_GROUPS_H
#define CLMOVE_GROUPS_H

#ifndef ROWS
#define ROWS BLOCK
#endif

/* Asks for LANES groups so much further on; 0: for none. */
MOVE_FUNCTION void prefetch_groups(const global unit_t *from, sindex_t ahead) {
    if (ahead != 0)
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            BLOCK <= 4 ? prefetch_line(from + ahead + k * LANES) : prefetch_line_far(from + ahead + k * LANES);
}

#if (UNIT_BITS == 8 && BLOCK > 4) || (UNIT_BITS == 16 && BLOCK > 4 && BLOCK <= 8)
/* In pieces of 16 bytes, each of one group, or of two groups of at most 8 bytes. Images by 5 to 8 on 2 cores of an Intel Xeon
 * (model 207), beside even and odd units of whole vectors: f16 1.1 to 1.4 times as fast, u8 1.1, 1.3, 1.4 and 1.0 times. */
#if UNIT_BITS == 8 && BLOCK <= 8
#define GROUP_VECTORS 8
typedef uchar group_t __attribute__((ext_vector_type(8), aligned(1)));
#define GROUP_UNITS 8
#define LOAD_GROUPS(i) load_group(from, 2 * (i)), load_group(from, 2 * (i) + 1)
UNPACK_PIECES(unpack_groups, register_t, UNPACK_REGISTERS, GROUP_VECTORS, PIECE_PASSES)
#else
#define GROUP_VECTORS PIECE_UNITS
typedef piece_t group_t;
#define GROUP_UNITS PIECE_UNITS
#define LOAD_GROUPS(i) load_group(from, i)
#define unpack_groups unpack_registers
#endif

/* The group at `from` + i groups, and what follows. Of the last group, what precedes it is read instead, so that nothing behind
 * it is. */
MOVE_FUNCTION group_t load_group(const global unit_t *from, const int i) {
    if (i < LANES - 1)
        return *(const global group_t *)(from + i * BLOCK);
    const group_t last = *(const global group_t *)(from + LANES * BLOCK - GROUP_UNITS);
#define AT(k) (GROUP_UNITS - BLOCK + (k)) % GROUP_UNITS
#if UNIT_BITS == 8 && BLOCK > 8
    return __builtin_shufflevector(last, last, AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7), AT(8), AT(9), AT(10),
                                   AT(11), AT(12), AT(13), AT(14), AT(15));
#else
    return __builtin_shufflevector(last, last, AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7));
#endif
#undef AT
}

/* LANES groups, split: v[k] has unit k of each. */
MOVE_FUNCTION void load_split_groups(lanes_t *v, const global unit_t *from, sindex_t ahead) {
    prefetch_groups(from, ahead);
#pragma unroll
    for (int part = 0; part < LINE / REGISTER_BYTES; part++) {
        register_t w[GROUP_VECTORS];
#pragma unroll
        for (int k = 0; k < GROUP_VECTORS; k++)
            w[k] = REGISTER_OF(LOAD_GROUPS, k + part * (REGISTER_BYTES / PIECE) * GROUP_VECTORS, GROUP_VECTORS);
        unpack_groups(w);
#pragma unroll
        for (int k = 0; k < GROUP_VECTORS; k++)
            ((register_t *)&v[k])[part] = w[k];
    }
}
/* f32 by 5 to 15 1.02 to 1.19 times as fast as shuffled by the compiler on 2 cores of an Intel Xeon (model 167). */
#elif (UNIT_BITS == 16 && BLOCK > 8) || (UNIT_BITS == 32 && BLOCK > 4 && BLOCK != 8 && BLOCK != 16)
#define GROUP_VECTORS 16
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
#elif UNIT_BITS == 8 && BLOCK == 3 && defined(HAS_SHUFFLE)
#define GROUP_VECTORS BLOCK
/* Looked up: pictures of RGB to planes on 2 cores of an Intel Xeon (model 207), share of the limit by constant indices and so
 * 0.66 and 0.90; but f16 0.90 and 0.85. Of 16 groups of 3 bytes: where byte i of row `row` is in piece number `piece` of them;
 * 128: it is in another piece. */
#define PLACE(piece, row, i) ((3 * (i) + (row)) / 16 == (piece) ? (3 * (i) + (row)) % 16 : 128)
#define IN_PIECES(row)                                                                                                           \
    { PLACES(0, row), PLACES(1, row), PLACES(2, row) }
static constant uchar places[BLOCK][BLOCK][PIECE] __attribute__((aligned(PIECE))) = {IN_PIECES(0), IN_PIECES(1), IN_PIECES(2)};

/* LANES groups as pieces: v[k] has piece number k of each 16 groups. */
MOVE_FUNCTION void load_groups(lanes_t *v, const global unit_t *from, sindex_t ahead) {
    prefetch_groups(from, ahead);
#define LOAD_PIECE(i) (*(const global piece_t *)(from + (i)*PIECE_UNITS))
#pragma unroll
    for (int part = 0; part < LINE / REGISTER_BYTES; part++)
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
            ((register_t *)&v[k])[part] = REGISTER_OF(LOAD_PIECE, part * (REGISTER_BYTES / PIECE) * BLOCK + k, BLOCK);
#undef LOAD_PIECE
}

/* Of those, unit `row` of each group. */
MOVE_FUNCTION lanes_t split_one(const lanes_t *v, const int row) {
    lanes_t one;
#pragma unroll
    for (int part = 0; part < LINE / REGISTER_BYTES; part++) {
        words_t made = shuffle_pieces(((const words_t *)&v[0])[part], *(const constant uint4 *)places[row][0]);
#pragma unroll
        for (int k = 1; k < BLOCK; k++)
            made |= shuffle_pieces(((const words_t *)&v[k])[part], *(const constant uint4 *)places[row][k]);
        ((words_t *)&one)[part] = made;
    }
    return one;
}

/* LANES groups, split: v[k] has unit k of each. */
MOVE_FUNCTION void load_split_groups(lanes_t *v, const global unit_t *from, sindex_t ahead) {
    lanes_t w[BLOCK];
    load_groups(w, from, ahead);
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = split_one(w, k);
}
#else
#define GROUP_VECTORS BLOCK
/* LANES groups as they are. */
MOVE_FUNCTION void load_groups(lanes_t *v, const global unit_t *from, sindex_t ahead) {
    prefetch_groups(from, ahead);
#pragma unroll
    for (int k = 0; k < BLOCK; k++)
        v[k] = LOAD_LANES(from + k * LANES);
}

/* What load_split_groups leaves in v[k]. v is overwritten. */
MOVE_FUNCTION lanes_t split_one(lanes_t *v, const int k) {
#if BLOCK == 2 || BLOCK == 4 || BLOCK == 8 || BLOCK == 16
#pragma unroll
    for (int bit = 1; bit < BLOCK; bit *= 2)
#pragma unroll
        for (int i = 0; i < BLOCK; i += 2 * bit)
            v[i] = k & bit ? ODD_UNITS(v[i], v[i + bit]) : EVEN_UNITS(v[i], v[i + bit]);
    return v[0];
#else
    lanes_t one;
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        ((value_t *)&one)[lane] = ((const value_t *)v)[lane * BLOCK + k];
    return one;
#endif
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
    MOVE_CALLED void name(const global unit_t *from, index_t vectors, sindex_t ahead, uchar *const *at, size_t offset) {         \
        for (; vectors > 0; vectors--, from += LANES * BLOCK, offset += LINE) {                                                  \
            lanes_t v[GROUP_VECTORS];                                                                                            \
            load_split_groups(v, from, ahead);                                                                                   \
            _Pragma("unroll") for (int k = 0; k < ROWS; k++) STORE(v[k], (vector_t *)(at[k] + offset));                          \
        }                                                                                                                        \
    }
SPLIT_VECTORS(split_vectors_stream, STORE_STREAM, lanes_t)
SPLIT_VECTORS(split_vectors_cached, STORE_CACHED, lanes_anywhere_t)

/* The same for groups that lie n_src apart, one after the other. */
MOVE_CALLED void split_apart(const global unit_t *from, sindex_t n_src, index_t count, uchar *const *at, size_t offset) {
    for (; count > 0; count--, from += n_src, offset += sizeof(unit_t))
#pragma unroll
        for (int k = 0; k < ROWS; k++)
            *(unit_t *)(at[k] + offset) = from[k];
}

#endif
