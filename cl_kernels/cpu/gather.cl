/* gather: units of whole bytes, any strides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#define ROOM 2048 /* at most 16 units of 16 bytes fit several times */

MOVE_CALLED void move_jobs(MOVE_PARAMETERS) {
    uchar room[ROOM + LINE + OVERRUN] __attribute__((aligned(LINE)));
    wc_buffer_t wc_buffer;
    wc_buffer_start(&wc_buffer, dst);
    /* Whether a row is one stretch of the destination. m is at most 16 units. */
    bool dense = args.m == 1 ? args.n_dst == 1 : args.m_dst == 1 && args.n_dst == (sindex_t)args.m;
    const index_t most = ROOM / 2 / (args.m * sizeof(unit_t));
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        for (index_t row = 0; row < place.q; row++, from += args.q_src, to += args.q_dst) {
            if (!dense) {
                for (index_t i = 0; i < place.n; i++)
                    for (index_t j = 0; j < args.m; j++)
                        to[(sindex_t)i * args.n_dst + (sindex_t)j * args.m_dst] =
                            from[(sindex_t)i * args.n_src + (sindex_t)j * args.m_src];
                continue;
            }
            for (index_t done = 0; done < place.n;) {
                index_t count = min(place.n - done, most);
                uint bytes = (uint)(count * args.m * sizeof(unit_t));
                wc_buffer_seek(&wc_buffer, room, ROOM + LINE, (global uchar *)(to + (sindex_t)done * args.n_dst), bytes,
                               args.stream);
                unit_t *at = (unit_t *)(room + wc_buffer.end);
                const global unit_t *part = from + (sindex_t)done * args.n_src;
                if (args.m == 1)
                    for (index_t i = 0; i < count; i++)
                        at[i] = part[(sindex_t)i * args.n_src];
                else
                    for (index_t i = 0; i < count; i++, part += args.n_src)
                        for (index_t j = 0; j < args.m; j++)
                            *at++ = part[(sindex_t)j * args.m_src];
                wc_buffer.end += bytes;
                if (wc_buffer.end - wc_buffer.done >= DRAIN_BYTES)
                    wc_buffer_drain(&wc_buffer, room, args.stream);
                done += count;
            }
        }
    }
    wc_buffer_finish(&wc_buffer, room, args.stream);
}

kernel void gather(KERNEL_PARAMETERS) {
    MOVE_BY(move_jobs);
}
