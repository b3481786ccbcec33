/* copy: one run of units, contiguous in source and destination.
 * rows: runs of at least 32 bytes, contiguous in source and destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifdef LONG_RUNS

#define ROOM 8192
/* Rows from here on are stored directly: their broken lines at both ends are few. */
#define DIRECT_BYTES 4096

typedef uint16 line_t;
typedef line_t line_anywhere_t __attribute__((aligned(1)));

/* Bytes, in whole lines of the destination. */
static void copy_bytes(const global uchar *src, global uchar *dst, size_t bytes, bool stream) {
    size_t done = min((0 - (size_t)dst) & (LINE - 1), bytes);
    for (size_t i = 0; i < done; i++)
        dst[i] = src[i];
    if (stream)
        for (; done + LINE <= bytes; done += LINE)
            STORE_STREAM(*(const global line_anywhere_t *)(src + done), (global line_t *)(dst + done));
    for (; done + LINE <= bytes; done += LINE)
        *(global line_t *)(dst + done) = *(const global line_anywhere_t *)(src + done);
    for (; done < bytes; done++)
        dst[done] = src[done];
}

/* Bytes, at least 16, that may reach past their end in the sink but not in the source. */
static void append(uchar *at, const global uchar *src, uint bytes) {
    uint done = 0;
    for (; done + LINE <= bytes; done += LINE)
        *(line_anywhere_t *)(at + done) = *(const global line_anywhere_t *)(src + done);
    for (; done + 16 <= bytes; done += 16)
        vstore16(vload16(0, src + done), 0, at + done);
    vstore16(vload16(0, src + bytes - 16), 0, at + bytes - 16);
}

kernel void copy_rows(const global uchar *src, global uchar *dst, const move_args args) {
    uchar room[ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
    sink_t sink;
    sink_start(&sink, dst);
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global uchar *from = (const global uchar *)((const global unit_t *)src + place.src);
        global uchar *to = (global uchar *)((global unit_t *)dst + place.dst);
        size_t bytes = (size_t)place.n * sizeof(unit_t);
        sindex_t src_step = args.q_src * (sindex_t)sizeof(unit_t), dst_step = args.q_dst * (sindex_t)sizeof(unit_t);
        bool direct = bytes >= DIRECT_BYTES || bytes < 16 || ((size_t)to | bytes | (size_t)dst_step) % LINE == 0;
        for (index_t row = 0; row < place.q; row++, from += src_step, to += dst_step)
            if (direct)
                copy_bytes(from, to, bytes, args.stream);
            else {
                sink_seek(&sink, room, ROOM + LINE, to, (uint)bytes, args.stream);
                append(room + sink.end, from, (uint)bytes);
                sink.end += (uint)bytes;
            }
    }
    sink_finish(&sink, room, args.stream);
}

#else

kernel void copy_rows(const global uchar *src, global uchar *dst, const move_args args) {
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        for (index_t i = 0; i < place.n; i++)
            to[i] = from[i];
    }
}
#endif
