/* Words of 64 bits as a row of sub-byte units, and a stream of them into memory; the same text for the host's C and OpenCL C.
 *
 * Memory is a sequence of bits whose first is the most significant of byte 0 where msb is set, else the least significant. A word
 * holds 64 of them in the same order, the first at the end that the byte's is, so that shifting a word moves bits earlier or
 * later in memory. Functions take msb as a constant, and places and lengths in bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_BIT_WORDS_H
#define CLMOVE_BIT_WORDS_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define BITS_MEMORY global
#define BITS_MAX_AXES MOVE_OUTER_64
typedef uchar bits_byte;
typedef ulong bits_word;
typedef long bits_place;
#define BITS_SWAP_BYTES(word) as_ulong(as_uchar8(word).s76543210)
#else
#include <stdbool.h>
#include <stdint.h>
#define BITS_MEMORY
#define BITS_MAX_AXES CLM_MAX_AXES
typedef uint8_t __attribute__((may_alias)) bits_byte;
typedef uint64_t bits_word;
typedef int64_t bits_place;
#define BITS_SWAP_BYTES(word) __builtin_bswap64(word)
#endif

typedef bits_word __attribute__((may_alias, aligned(1))) bits_word_anywhere;
#define BITS_INLINE static inline __attribute__((always_inline))
/* For long work, of which several copies would be more to compile and no faster. */
#define BITS_CALLED static __attribute__((noinline))

/* A word as memory has it, where byte 0 is the one with the first bits; and the way back. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BITS_IN_MEMORY(word, msb) ((msb) ? (word) : BITS_SWAP_BYTES(word))
#else
#define BITS_IN_MEMORY(word, msb) ((msb) ? BITS_SWAP_BYTES(word) : (word))
#endif
#define BITS_ALL (~(bits_word)0)

/* Parallel extraction and deposit. Steps of 1 << i bits replace them elsewhere: Hacker's Delight, 7-4 and 7-5. */
#if defined(__BMI2__) && defined(__x86_64__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_pext_di) && __has_builtin(__builtin_ia32_pdep_di)
#define BITS_HAS_PEXT
#endif
#endif

BITS_INLINE bits_place bits_at_most(bits_place a, bits_place most) {
    return a < most ? a : most;
}

/* ---- words ---- */

BITS_INLINE bits_word bits_later(bits_word word, bits_place by, bool msb) {
    return msb ? word >> by : word << by;
}

BITS_INLINE bits_word bits_earlier(bits_word word, bits_place by, bool msb) {
    return msb ? word << by : word >> by;
}

/* The first 1 to 64 bits. */
BITS_INLINE bits_word bits_keep(bits_word word, bits_place count, bool msb) {
    return word & (msb ? BITS_ALL << (64 - count) : BITS_ALL >> (64 - count));
}

BITS_INLINE bits_word bits_load_byte(const BITS_MEMORY bits_byte *from, int place, bool msb) {
    return (bits_word)from[place] << (msb ? 56 - 8 * place : 8 * place);
}

/* The source: bytes up to here may be read. */
typedef struct {
    const BITS_MEMORY bits_byte *bytes;
    bits_place count;
} bits_source;

/* 64 bits from a place on. What lies past the end of the source is 0. */
BITS_INLINE bits_word bits_load(const bits_source *src, bits_place place, bool msb) {
    const BITS_MEMORY bits_byte *from = src->bytes + (place >> 3);
    const bits_place off = place & 7, there = src->count - (place >> 3);
    bits_word word = 0, rest = 0;
    if (there > 8) {
        word = *(const BITS_MEMORY bits_word_anywhere *)from;
        word = BITS_IN_MEMORY(word, msb);
        rest = from[8];
    } else
        for (int i = 0; i < there; i++)
            word |= bits_load_byte(from, i, msb);
    return bits_earlier(word, off, msb) | (msb ? rest >> (8 - off) : rest << 56 << (8 - off));
}

/* The units of a word in reverse. */
BITS_INLINE bits_word bits_reverse(bits_word word, int unit) {
    word = BITS_SWAP_BYTES(word);
    if (unit <= 4)
        word = (word >> 4 & 0x0f0f0f0f0f0f0f0f) | (word & 0x0f0f0f0f0f0f0f0f) << 4;
    if (unit <= 2)
        word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    if (unit == 1)
        word = (word >> 1 & 0x5555555555555555) | (word & 0x5555555555555555) << 1;
    return word;
}

/* ---- combs ---- */

/* A mask that selects units at equal distances, from the first bit on: those to pick from a word, or the places of its units. */
typedef struct {
    bits_word teeth;
    /* How many bits are selected. */
    bits_place bits;
#ifndef BITS_HAS_PEXT
    bits_word moves[6];
#endif
} bits_comb;

/* Selects units `apart` bits from one to the next: as many as have `length` bits from their first bit to the end of a word. */
BITS_INLINE void bits_start_comb(bits_comb *comb, int unit, bits_place apart, bits_place length, bool msb) {
    comb->teeth = 0;
    comb->bits = 0;
    for (bits_place place = 0; place + length <= 64; place += apart, comb->bits += unit)
        comb->teeth |= bits_later(bits_keep(BITS_ALL, unit, msb), place, msb);
#ifndef BITS_HAS_PEXT
    bits_word left = comb->teeth, gaps = ~left << 1;
    for (int i = 0; i < 6; i++) {
        bits_word odd = gaps; /* where the number of gaps below is odd */
        for (int j = 1; j < 64; j *= 2)
            odd ^= odd << j;
        comb->moves[i] = odd & left;
        left = (left ^ comb->moves[i]) | comb->moves[i] >> (1 << i);
        gaps &= ~odd;
    }
#endif
}

/* The selected bits, side by side at the start of a word. */
BITS_INLINE bits_word bits_pick(const bits_comb *comb, bits_word word, bool msb) {
#ifdef BITS_HAS_PEXT
    word = __builtin_ia32_pext_di(word, comb->teeth);
#else
    word &= comb->teeth;
    for (int i = 0; i < 6; i++) {
        bits_word moved = word & comb->moves[i];
        word = (word ^ moved) | moved >> (1 << i);
    }
#endif
    return msb ? word << (64 - comb->bits) : word;
}

/* The other way round; what follows in the word is left out. */
BITS_INLINE bits_word bits_spread(const bits_comb *comb, bits_word word, bool msb) {
    word = msb ? word >> (64 - comb->bits) : word;
#ifdef BITS_HAS_PEXT
    return __builtin_ia32_pdep_di(word, comb->teeth);
#else
    for (int i = 5; i >= 0; i--)
        word = (word & ~comb->moves[i]) | (word << (1 << i) & comb->moves[i]);
    return word & comb->teeth;
#endif
}

/* ---- a stream into memory ---- */

/* word holds the first `have` bits from byte `at` on, fewer than 64. */
typedef struct {
    BITS_MEMORY bits_byte *at;
    bits_word word;
    bits_place have;
} bits_stream;

/* Bits of the first byte that lie before the place are taken from memory, to keep their value. */
BITS_INLINE void bits_seek(bits_stream *out, BITS_MEMORY bits_byte *dst, bits_place place, bool msb) {
    out->at = dst + (place >> 3);
    out->have = place & 7;
    out->word = out->have ? bits_keep(bits_load_byte(out->at, 0, msb), out->have, msb) : 0;
}

/* 1 to 64 bits; the others of the word are 0. */
BITS_INLINE void bits_append(bits_stream *out, bits_word word, bits_place count, bool msb) {
    const bits_place have = out->have + count;
    out->word |= bits_later(word, out->have, msb);
    if (have >= 64) {
        *(BITS_MEMORY bits_word_anywhere *)out->at = BITS_IN_MEMORY(out->word, msb);
        out->at += 8;
        out->word = bits_earlier(bits_earlier(word, 1, msb), 63 - out->have, msb);
    }
    out->have = have & 63;
}

/* What is not yet in memory. Bits of the last byte that lie behind keep their value. */
BITS_INLINE void bits_flush(bits_stream *out, bool msb) {
    for (; out->have >= 8; out->have -= 8) {
        *out->at++ = (bits_byte)(msb ? out->word >> 56 : out->word);
        out->word = bits_earlier(out->word, 8, msb);
    }
    if (out->have) {
        const bits_word mine = bits_keep(BITS_ALL, out->have, msb);
        const bits_word byte = (out->word & mine) | (bits_load_byte(out->at, 0, msb) & ~mine);
        *out->at = (bits_byte)(msb ? byte >> 56 : byte);
    }
}

/* Whole bytes of a long run, from the bit `off` of the first byte on. */
BITS_INLINE void bits_copy_bytes(BITS_MEMORY bits_byte *to, const BITS_MEMORY bits_byte *from, int off, bits_place count,
                                 bool msb) {
    if (off == 0)
        for (bits_place i = 0; i < count; i++)
            to[i] = from[i];
    else
        for (bits_place i = 0; i < count; i++)
            to[i] = (bits_byte)(msb ? from[i] << off | from[i + 1] >> (8 - off) : from[i] >> off | from[i + 1] << (8 - off));
}

#endif
