/* transpose: destination contiguous along an axis of at least 64 bytes, source along another of at least 16 units or 64 bytes; if
 * that one is groups side by side, they have more than 16 units, and the first at least 1024 bytes. n is either axis, m the
 * other. Panels of LANES by SIDE units are read as pieces of SIDE units of the source, transposed in registers, and stored as
 * vectors of SIDE rows of the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Units of a piece: at most a line, and no more rows than there are registers for. */
#define SIDE (LANES < 16 ? LANES : 16)

#if UNIT_BITS >= 32
#define LOAD_PANEL(from, apart, k) LOAD_LANES((from) + (k) * (apart))
#else
typedef value_t piece_t __attribute__((ext_vector_type(SIDE), aligned(1)));
#define LOAD_PIECE(from, apart, i) (*(const global piece_t *)((from) + (i) * (apart)))
#if UNIT_BITS == 16
#define LOAD_PANEL(from, apart, k) ((lanes_t)(LOAD_PIECE(from, apart, 2 * (k)), LOAD_PIECE(from, apart, 2 * (k) + 1)))
#else
#define LOAD_PANEL(from, apart, k)                                                                                               \
    ((lanes_t)(LOAD_PIECE(from, apart, 4 * (k)), LOAD_PIECE(from, apart, 4 * (k) + 1), LOAD_PIECE(from, apart, 4 * (k) + 2),     \
               LOAD_PIECE(from, apart, 4 * (k) + 3)))
#endif
#endif

/* `panels` times LANES pieces, `apart` units apart, to as many lines of each row. Two functions, because of what STORE_CACHED
 * says. */
#define TRANSPOSE_PANELS(name, STORE, vector_t)                                                                                  \
    static __attribute__((noinline)) void name(const global unit_t *from, sindex_t apart, index_t panels, uchar *const *at,      \
                                               size_t offset) {                                                                  \
        for (; panels > 0; panels--, from += LANES * apart, offset += LINE) {                                                    \
            lanes_t v[SIDE];                                                                                                     \
            _Pragma("unroll") for (int k = 0; k < SIDE; k++) v[k] = LOAD_PANEL(from, apart, k);                                  \
            split_lanes(v, SIDE);                                                                                                \
            _Pragma("unroll") for (int k = 0; k < SIDE; k++) STORE(v[k], (vector_t *)(at[k] + offset));                          \
        }                                                                                                                        \
    }
TRANSPOSE_PANELS(transpose_stream, STORE_STREAM, lanes_t)
TRANSPOSE_PANELS(transpose_cached, STORE_CACHED, lanes_anywhere_t)

/* `count` pieces. What is no whole panel at the end overlaps the panel before, or goes unit by unit. */
static __attribute__((noinline)) void transpose_pieces(const global unit_t *from, sindex_t apart, index_t count, uchar *const *at,
                                                       bool stream) {
    if (stream)
        transpose_stream(from, apart, count / LANES, at, 0);
    else
        transpose_cached(from, apart, count / LANES, at, 0);
    if (count >= LANES) {
        if (count % LANES != 0)
            transpose_cached(from + (sindex_t)(count - LANES) * apart, apart, 1, at, (count - LANES) * sizeof(unit_t));
        return;
    }
    for (index_t i = 0; i < count; i++, from += apart)
        for (int k = 0; k < SIDE; k++)
            ((unit_t *)at[k])[i] = from[k];
}

/* A write-combining buffer for each row of a tile. */
#define ROOM 512

kernel void transpose(KERNEL_PARAMETERS) {
    src += src_base;
    dst += dst_base;
    uchar room[SIDE][ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
    wc_buffer_t wc_buffer[SIDE];
    for (int k = 0; k < SIDE; k++)
        wc_buffer_start(&wc_buffer[k], dst);
    const bool along_dst = args.n_dst == 1;
    const sindex_t apart = along_dst ? args.n_src : args.m_src, row = along_dst ? args.m_dst : args.n_dst;
    FOR_EACH_JOB(&args, job) {
        const move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        const index_t columns = along_dst ? place.n : args.m, rows = along_dst ? args.m : place.n;
        const bool lined_up = (((size_t)to | (size_t)row * sizeof(unit_t)) & (LINE - 1)) == 0;
        const bool by_buffers = args.stream && !lined_up;
        const index_t most = by_buffers ? ROOM / sizeof(unit_t) : columns;
        for (index_t next = 0; next < rows; next += SIDE) {
            const index_t first = min(next, rows - SIDE); /* the last rows overlap those before */
            for (index_t done = 0, count; done < columns; done += count) {
                uchar *at[SIDE];
                count = min(columns - done, most);
                for (int k = 0; k < SIDE; k++) {
                    global uchar *place_of_row = (global uchar *)(to + (sindex_t)(first + k) * row + done);
                    if (by_buffers) {
                        wc_buffer_seek(&wc_buffer[k], room[k], ROOM + LINE, place_of_row, (uint)(count * sizeof(unit_t)), true);
                        at[k] = room[k] + wc_buffer[k].end;
                        wc_buffer[k].end += count * sizeof(unit_t);
                    } else
                        at[k] = (uchar *)(size_t)place_of_row; /* on a processor there is one address space */
                }
                transpose_pieces(from + first + (sindex_t)done * apart, apart, count, at, args.stream && lined_up);
                for (int k = 0; k < SIDE && by_buffers; k++)
                    wc_buffer_drain(&wc_buffer[k], room[k], true);
            }
        }
    }
    for (int k = 0; k < SIDE; k++)
        wc_buffer_finish(&wc_buffer[k], room[k], args.stream);
}
