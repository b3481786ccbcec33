/* Vectors of 64 bytes for compilers that are clang for a processor, and the stores that they know.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_LANES_H
#define CLMOVE_LANES_H

/* Where a processor's vectors are shorter than 64 bytes, clang warns of another calling convention wherever a function returns
 * lanes, and POCL 3.1 writes "1 warning generated." to the standard error of the program that uses it. No such function is called
 * from outside its program. */
#pragma clang diagnostic ignored "-Wpsabi"

/* LANES units that move as one vector. OpenCL's vectors have 16 units at most; clang knows longer ones. */
#define LANES (512 / (UNIT_BITS < 8 ? 8 : UNIT_BITS))
#if UNIT_BITS == 128
typedef uint16 lanes_t;
#else
typedef value_t lanes_t __attribute__((ext_vector_type(LANES)));
#endif
typedef lanes_t lanes_anywhere_t __attribute__((aligned(1)));
#define LOAD_LANES(place) (*(const global lanes_anywhere_t *)(place))

/* Of two vectors side by side: the even units, the odd units, the units of the first halves in turn, those of the second. */
#if UNIT_BITS == 128
#define EVEN_UNITS(a, b) ((lanes_t)((a).lo.lo, (a).hi.lo, (b).lo.lo, (b).hi.lo))
#define ODD_UNITS(a, b) ((lanes_t)((a).lo.hi, (a).hi.hi, (b).lo.hi, (b).hi.hi))
#define WEAVE_LOW(a, b) ((lanes_t)((a).lo.lo, (b).lo.lo, (a).lo.hi, (b).lo.hi))
#define WEAVE_HIGH(a, b) ((lanes_t)((a).hi.lo, (b).hi.lo, (a).hi.hi, (b).hi.hi))
#else
#define EVEN_UNITS(a, b) ((lanes_t)((a).even, (b).even))
#define ODD_UNITS(a, b) ((lanes_t)((a).odd, (b).odd))
MOVE_FUNCTION lanes_t weave_low(lanes_t a, lanes_t b) {
    lanes_t woven;
    woven.even = a.lo;
    woven.odd = b.lo;
    return woven;
}
MOVE_FUNCTION lanes_t weave_high(lanes_t a, lanes_t b) {
    lanes_t woven;
    woven.even = a.hi;
    woven.odd = b.hi;
    return woven;
}
#define WEAVE_LOW weave_low
#define WEAVE_HIGH weave_high
#endif

/* v holds LANES groups of `count` units in order, where count is a power of 2; afterwards v[k] holds unit k of each. Of the
 * number of a unit, the vector is the upper bits and the lane the lower. Each pass makes the lowest bit of the lane a bit of the
 * vector, and that the highest of the lane. In place: LLVM 15 keeps what is copied to another array in memory. */
MOVE_FUNCTION void split_lanes(lanes_t *v, const int count) {
#pragma unroll
    for (int bit = 1; bit < count; bit *= 2)
#pragma unroll
        for (int i = 0; i < count; i++)
            if (!(i & bit)) {
                lanes_t a = v[i], b = v[i + bit];
                v[i] = EVEN_UNITS(a, b);
                v[i + bit] = ODD_UNITS(a, b);
            }
}

#if UNIT_BITS >= 8 && UNIT_BITS <= 64
#define PIECE_UNITS (16 / (int)sizeof(unit_t))
typedef value_t piece_t __attribute__((ext_vector_type(PIECE_UNITS), aligned(1)));

/* Of each 16 bytes of two vectors, the first halves in turn, or the second: one instruction, as processors shuffle within 16
 * bytes. Parting the bytes of whole vectors takes three. `other`: the units of a vector. */
#define PAIRS_2(at, other) (at), (at) + (other), (at) + 1, (at) + 1 + (other)
#define PAIRS_4(at, other) PAIRS_2(at, other), PAIRS_2((at) + 2, other)
#if UNIT_BITS == 8
#define PAIRS(at, other) PAIRS_4(at, other), PAIRS_4((at) + 4, other)
#elif UNIT_BITS == 16
#define PAIRS(at, other) PAIRS_4(at, other)
#elif UNIT_BITS == 32
#define PAIRS(at, other) PAIRS_2(at, other)
#else
#define PAIRS(at, other) (at), (at) + (other)
#endif
#define UNPACK(a, b, at)                                                                                                         \
    __builtin_shufflevector(a, b, PAIRS(at, LANES), PAIRS((at) + PIECE_UNITS, LANES), PAIRS((at) + 2 * PIECE_UNITS, LANES),      \
                            PAIRS((at) + 3 * PIECE_UNITS, LANES))

/* Each pass unpacks vector k of COUNT with vector k + COUNT / 2; there are PASSES. Where piece j of v[k], of 16 bytes, is group k
 * + j * COUNT, or groups 2 * (k + j * COUNT) and the next one of half as many units, v[k] has unit k of each group after as many
 * passes as double 1 to PIECE_UNITS. Where v[k] is row k, each piece of v[k] is the group of its unit k, or those of units 2 * k
 * and 2 * k + 1, after as many as double 1 to COUNT. */
#define UNPACK_PIECES(name, vector_t, UNPACK, COUNT, PASSES)                                                                     \
    MOVE_FUNCTION void name(vector_t *v) {                                                                                       \
        _Pragma("unroll") for (int pass = 0; pass < (PASSES); pass++) {                                                          \
            vector_t w[COUNT];                                                                                                   \
            _Pragma("unroll") for (int k = 0; k < COUNT / 2; k++) {                                                              \
                w[2 * k] = UNPACK(v[k], v[k + COUNT / 2], 0);                                                                    \
                w[2 * k + 1] = UNPACK(v[k], v[k + COUNT / 2], PIECE_UNITS / 2);                                                  \
            }                                                                                                                    \
            _Pragma("unroll") for (int k = 0; k < COUNT; k++) v[k] = w[k];                                                       \
        }                                                                                                                        \
    }
#define PIECE_PASSES (UNIT_BITS == 8 ? 4 : UNIT_BITS == 16 ? 3 : UNIT_BITS == 32 ? 2 : 1) /* which double 1 to PIECE_UNITS */
UNPACK_PIECES(unpack_pieces, lanes_t, UNPACK, PIECE_UNITS, PIECE_PASSES)

/* Integers are shuffled in registers of so many bytes, by UNPACK of such vectors. With AVX-512 they are 32, too: POCL's compiler
 * prefers vectors of 32 bytes and splits longer ones in its own way. Images on 2 cores of an Intel Xeon (model 207), with 32
 * beside 64: interleaved by 8, 12 and 16 u8 1.5, 1.2 and 1.2 times as fast, by 16 f16 and f32 1.4 and 1.2 times; transposed by 16
 * and more 1.02 times. */
#if defined(__AVX2__)
#define REGISTER_BYTES 32
#define UNPACK_REGISTERS(a, b, at)                                                                                               \
    __builtin_shufflevector(a, b, PAIRS(at, 2 * PIECE_UNITS), PAIRS((at) + PIECE_UNITS, 2 * PIECE_UNITS))
#define REGISTER_OF(PIECE_AT, i, apart) (register_t)(PIECE_AT(i), PIECE_AT((i) + (apart)))
#else
#define REGISTER_BYTES 16
#define UNPACK_REGISTERS(a, b, at) __builtin_shufflevector(a, b, PAIRS(at, PIECE_UNITS))
#define REGISTER_OF(PIECE_AT, i, apart) (register_t)(PIECE_AT(i))
#endif
/* REGISTER_OF is made of as many pieces as it has room for, PIECE_AT(i) and those `apart` further on. */
typedef value_t register_t __attribute__((ext_vector_type(REGISTER_BYTES / (UNIT_BITS / 8))));
UNPACK_PIECES(unpack_registers, register_t, UNPACK_REGISTERS, PIECE_UNITS, PIECE_PASSES)
#endif

/* Where the 16 bytes of a piece come from, for those: PLACE(piece, row, i) of each. */
#define PLACES(piece, row)                                                                                                       \
    {                                                                                                                            \
        PLACE(piece, row, 0), PLACE(piece, row, 1), PLACE(piece, row, 2), PLACE(piece, row, 3), PLACE(piece, row, 4),            \
            PLACE(piece, row, 5), PLACE(piece, row, 6), PLACE(piece, row, 7), PLACE(piece, row, 8), PLACE(piece, row, 9),        \
            PLACE(piece, row, 10), PLACE(piece, row, 11), PLACE(piece, row, 12), PLACE(piece, row, 13), PLACE(piece, row, 14),   \
            PLACE(piece, row, 15)                                                                                                \
    }

/* Shuffles of any 16 bytes, several times at once. */
#if defined(__SSSE3__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_pshufb128)
#define HAS_SHUFFLE
/* Byte i of the result is byte places[i] of the window, 16 bytes. */
MOVE_FUNCTION uint4 shuffle_16(uint4 window, uint4 places) {
    return as_uint4(__builtin_ia32_pshufb128(as_char16(window), as_char16(places)));
}
#if defined(__AVX512BW__) && __has_builtin(__builtin_ia32_pshufb512)
typedef char char64_ __attribute__((ext_vector_type(64)));
#define WIDE 64
typedef uint16 wide_t;
MOVE_FUNCTION wide_t shuffle_wide(uint4 window, wide_t places) {
    wide_t windows = (uint16)(window, window, window, window);
    return __builtin_astype(__builtin_ia32_pshufb512(__builtin_astype(windows, char64_), __builtin_astype(places, char64_)),
                            uint16);
}
#elif defined(__AVX2__) && __has_builtin(__builtin_ia32_pshufb256)
typedef char char32_ __attribute__((ext_vector_type(32)));
#define WIDE 32
typedef uint8 wide_t;
MOVE_FUNCTION wide_t shuffle_wide(uint4 window, wide_t places) {
    wide_t windows = (uint8)(window, window);
    return __builtin_astype(__builtin_ia32_pshufb256(__builtin_astype(windows, char32_), __builtin_astype(places, char32_)),
                            uint8);
}
#else
#define WIDE 16
typedef uint4 wide_t;
#define shuffle_wide shuffle_16
#endif
typedef wide_t wide_anywhere_t __attribute__((aligned(1)));

/* Registers as words of 4 bytes, and of each of their pieces the same shuffle. */
#if UNIT_BITS >= 8 && UNIT_BITS <= 64
#if REGISTER_BYTES == 32
typedef uint8 words_t;
MOVE_FUNCTION words_t shuffle_pieces(const words_t v, const uint4 places) {
    typedef char char32_t __attribute__((ext_vector_type(32)));
    const uint8 both = (uint8)(places, places);
    return __builtin_astype(__builtin_ia32_pshufb256(__builtin_astype(v, char32_t), __builtin_astype(both, char32_t)), words_t);
}
#else
typedef uint4 words_t;
#define shuffle_pieces shuffle_16
#endif
#endif

/* Shuffles of any 64 bytes at once. POCL 3.1 of Debian compiles for a processor without them, whatever the processor has: clang
 * refuses the function then, but takes the instruction. HAS_VBMI says that the processor knows it. */
#if WIDE == 64 && defined(HAS_VBMI)
#define HAS_LINE_SHUFFLE
/* Byte i of the result is byte places[i] % 64 of the window. */
MOVE_FUNCTION uint16 shuffle_window(uint16 window, uint16 places) {
    uint16 line;
    __asm__("vpermb %1, %2, %0" : "=v"(line) : "v"(window), "v"(places));
    return line;
}
/* The same for the bytes whose bits are set in `taken`; the others are those of `line`. */
MOVE_FUNCTION uint16 shuffle_some(uint16 line, ulong taken, uint16 window, uint16 places) {
    __asm__("vpermb %1, %2, %0%{%3%}" : "+v"(line) : "v"(window), "v"(places), "Yk"(taken));
    return line;
}
#endif

/* A line of four windows: byte i is byte places[i] of window i / 16, or 0 where the upper bit of places[i] is set. */
MOVE_FUNCTION uint16 shuffle_line(const uint4 *windows, const uchar *places) {
#if WIDE == 64
    const uint16 all = (uint16)(windows[0], windows[1], windows[2], windows[3]);
    return __builtin_astype(__builtin_ia32_pshufb512(__builtin_astype(all, char64_), *(const char64_ *)places), uint16);
#elif WIDE == 32
    const uint8 low = (uint8)(windows[0], windows[1]), high = (uint8)(windows[2], windows[3]);
    return (uint16)(__builtin_astype(__builtin_ia32_pshufb256(__builtin_astype(low, char32_), *(const char32_ *)places), uint8),
                    __builtin_astype(__builtin_ia32_pshufb256(__builtin_astype(high, char32_), *(const char32_ *)(places + 32)),
                                     uint8));
#else
    const uint4 *at = (const uint4 *)places;
    return (uint16)(shuffle_16(windows[0], at[0]), shuffle_16(windows[1], at[1]), shuffle_16(windows[2], at[2]),
                    shuffle_16(windows[3], at[3]));
#endif
}
#endif
#endif

/* A store that does not pull its line into the cache, and one that does. The place must be aligned to the type. Never choose
 * between the two for types of the same alignment: LLVM 15 merges them into one store, which does not stream. */
#define STORE_STREAM(value, place) __builtin_nontemporal_store(value, place)
#define STORE_CACHED(value, place) (*(place) = (value))

/* Asks for a line that will be read soon, which hardware does not foresee where rows lie apart. One at a time, beside the
 * reading: a processor has room for few such wishes, and waits when it has no more. */
MOVE_FUNCTION void prefetch_line(const global void *line) {
    __builtin_prefetch((const void *)(size_t)line); /* one address space on a CPU */
}

/* The same of lines that many others are read before: into the second-level cache, which takes more at once. */
MOVE_FUNCTION void prefetch_line_far(const global void *line) {
    __builtin_prefetch((const void *)(size_t)line, 0, 2);
}

/* Whether `units` from `from` on may be read, though not all of them are moved. */
MOVE_FUNCTION bool may_read(const move_args *args, const global uchar *src, const global unit_t *from, index_t units) {
    return (size_t)((const global uchar *)from - src) / sizeof(unit_t) + units <= args->src_end;
}

#endif
