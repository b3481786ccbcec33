/* Short runs, which transpose_runs.cl transposes in registers: there they are units of 4 or 8 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_PACKED_RUNS_H
#define CLMOVE_PACKED_RUNS_H

/* Longer runs would be units of 16 bytes, which move faster one by one. */
#define MOST_PACKED 8

/* Where each byte of a piece of units comes from in a piece of runs, and of runs in one of units. */
typedef struct {
    uchar unpack[PIECE], pack[PIECE];
} packing_t __attribute__((aligned(PIECE)));

#define PACKED_WIDTH(bytes) ((bytes) <= 4 ? 4 : 8)
#define PACKED_SIDE(bytes) (PIECE / PACKED_WIDTH(bytes)) /* runs of a piece, and rows of a panel */

MOVE_SELDOM void find_packing(packing_t *packing, uint bytes) {
    const uint width = PACKED_WIDTH(bytes);
    for (uint i = 0; i < PIECE; i++) {
        packing->unpack[i] = i % width < bytes ? (uchar)(i / width * bytes + i % width) : 128;
        packing->pack[i] = i / bytes * width < PIECE ? (uchar)(i / bytes * width + i % bytes) : 128;
    }
}

#if (UNIT_BITS == 8 || UNIT_BITS == 16) && defined(HAS_SHUFFLE)
/* Of each piece of two registers, the first words in turn, or the last; words have 4 or 8 bytes. */
#if REGISTER_BYTES == 32
#define UNPACK_WORDS_4(a, b, at)                                                                                                 \
    __builtin_shufflevector(a, b, at, 8 + (at), 1 + (at), 9 + (at), 4 + (at), 12 + (at), 5 + (at), 13 + (at))
#define UNPACK_WORDS_8(a, b, at)                                                                                                 \
    __builtin_shufflevector(a, b, at, 1 + (at), 8 + (at), 9 + (at), 4 + (at), 5 + (at), 12 + (at), 13 + (at))
#define LOAD_WORDS(from, second) (words_t)(LOAD_PIECE(from), LOAD_PIECE(second))
#else
#define UNPACK_WORDS_4(a, b, at) __builtin_shufflevector(a, b, at, 4 + (at), 1 + (at), 5 + (at))
#define UNPACK_WORDS_8(a, b, at) __builtin_shufflevector(a, b, at, 1 + (at), 4 + (at), 5 + (at))
#define LOAD_WORDS(from, second) LOAD_PIECE(from)
#endif
#define LOAD_PIECE(from) (*(const global piece_anywhere_t *)(from))

MOVE_FUNCTION void transpose_words_4(words_t *v) {
    const words_t a = UNPACK_WORDS_4(v[0], v[2], 0), b = UNPACK_WORDS_4(v[0], v[2], 2), c = UNPACK_WORDS_4(v[1], v[3], 0),
                  d = UNPACK_WORDS_4(v[1], v[3], 2);
    v[0] = UNPACK_WORDS_4(a, c, 0);
    v[1] = UNPACK_WORDS_4(a, c, 2);
    v[2] = UNPACK_WORDS_4(b, d, 0);
    v[3] = UNPACK_WORDS_4(b, d, 2);
}

MOVE_FUNCTION void transpose_words_8(words_t *v) {
    const words_t a = v[0];
    v[0] = UNPACK_WORDS_8(a, v[1], 0);
    v[1] = UNPACK_WORDS_8(a, v[1], 2);
}

/* Each piece of runs is `apart` bytes behind the one before, and may reach past its end. */
MOVE_FUNCTION void store_runs(uchar *to, const words_t v, uint apart) {
#if REGISTER_BYTES == 32
    *(piece_anywhere_t *)to = v.lo;
    *(piece_anywhere_t *)(to + apart) = v.hi;
#else
    (void)apart;
    *(piece_anywhere_t *)to = v;
#endif
}

/* `count` columns of `rows` rows, a multiple of ROWS_OF_PANEL. Reads a piece from the last runs on. over: up to a line may be
 * written past each row; else what is there stays, although it is written. */
#define MOVE_PACKED(name, ROWS_OF_PANEL, transpose_words)                                                                        \
    MOVE_CALLED void name(const packing_t *packing, uchar *into, size_t pitch, const global uchar *src, const sindex_t *column,  \
                          index_t count, uint bytes, uint rows, bool over) {                                                     \
        enum { COLUMNS = ROWS_OF_PANEL * REGISTER_BYTES / PIECE };                                                               \
        const uint4 unpack = *(const uint4 *)packing->unpack, pack = *(const uint4 *)packing->pack;                              \
        for (index_t i = 0; i < count; i += COLUMNS, column += COLUMNS, into += COLUMNS * bytes) {                               \
            const size_t there = min(count - i, (index_t)COLUMNS) * bytes;                                                       \
            const bool stays = !over && (count - i) * bytes < COLUMNS * bytes + PIECE;                                           \
            const global uchar *from[COLUMNS];                                                                                   \
            uchar *to = into;                                                                                                    \
            _Pragma("unroll") for (int k = 0; k < COLUMNS; k++) {                                                                \
                from[k] = src + (long)column[k] * (long)sizeof(unit_t);                                                          \
                for (uint b = 0; b < rows * bytes; b += LINE)                                                                    \
                    prefetch_line(from[k] + rows * bytes + LINE + b);                                                            \
            }                                                                                                                    \
            for (uint row = 0; row < rows; row += ROWS_OF_PANEL) {                                                               \
                words_t v[ROWS_OF_PANEL];                                                                                        \
                _Pragma("unroll") for (int k = 0; k < ROWS_OF_PANEL; k++) {                                                      \
                    v[k] = shuffle_pieces(LOAD_WORDS(from[k] + row * bytes, from[(k + ROWS_OF_PANEL) % COLUMNS] + row * bytes),  \
                                          unpack);                                                                               \
                }                                                                                                                \
                transpose_words(v);                                                                                              \
                _Pragma("unroll") for (int k = 0; k < ROWS_OF_PANEL; k++, to += pitch) {                                         \
                    if (stays) {                                                                                                 \
                        const line_t behind = load_line((const global uchar *)(size_t)(to + there));                             \
                        store_runs(to, shuffle_pieces(v[k], pack), ROWS_OF_PANEL *bytes);                                        \
                        *(line_anywhere_t *)(to + there) = behind;                                                               \
                    } else                                                                                                       \
                        store_runs(to, shuffle_pieces(v[k], pack), ROWS_OF_PANEL *bytes);                                        \
                }                                                                                                                \
            }                                                                                                                    \
        }                                                                                                                        \
    }
MOVE_PACKED(move_packed_4, 4, transpose_words_4)
MOVE_PACKED(move_packed_8, 2, transpose_words_8)

/* The first rows, as many as there are whole panels of, and returns how many these are; 0: none. readable: the bytes that may be
 * read from the last run of all rows on. */
MOVE_FUNCTION uint move_packed(const packing_t *packing, uchar *into, size_t pitch, const global uchar *src,
                               const sindex_t *column, index_t count, uint bytes, uint rows, size_t readable, bool over) {
    const uint packed = rows / PACKED_SIDE(bytes) * PACKED_SIDE(bytes);
    if (bytes > MOST_PACKED || readable < PIECE)
        return 0;
    if (bytes <= 4)
        move_packed_4(packing, into, pitch, src, column, count, bytes, packed, over);
    else
        move_packed_8(packing, into, pitch, src, column, count, bytes, packed, over);
    return packed;
}
#else
#define move_packed(packing, ...) ((void)(packing), 0u)
#endif

#endif
