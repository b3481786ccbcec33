/* copy: one run of units, contiguous in source and destination.
 * rows: runs of at least 32 bytes, contiguous in source and destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#define VECTOR_BYTES 16

/* Bytes, in vectors of 16 aligned in the destination, so that they can be stored past the cache. */
static void copy_bytes(const global uchar *src, global uchar *dst, size_t bytes, bool stream) {
    size_t done = (0 - (size_t)dst) & (VECTOR_BYTES - 1);
    for (size_t i = 0; i < done; i++)
        dst[i] = src[i];
    if (stream)
        for (; done + 4 * VECTOR_BYTES <= bytes; done += 4 * VECTOR_BYTES) {
            uchar16 a = vload16(0, src + done), b = vload16(1, src + done), c = vload16(2, src + done),
                    d = vload16(3, src + done);
            global uchar16 *to = (global uchar16 *)(dst + done);
            STORE_STREAM(a, to);
            STORE_STREAM(b, to + 1);
            STORE_STREAM(c, to + 2);
            STORE_STREAM(d, to + 3);
        }
    for (; done + VECTOR_BYTES <= bytes; done += VECTOR_BYTES)
        *(global uchar16 *)(dst + done) = vload16(0, src + done);
    for (; done < bytes; done++)
        dst[done] = src[done];
}

kernel void copy_rows(const global uchar *src, global uchar *dst, const move_args args) {
    FOR_EACH_JOB(&args, job) {
        move_place place = find_place(&args, job);
        const global unit_t *from = (const global unit_t *)src + place.src;
        global unit_t *to = (global unit_t *)dst + place.dst;
        size_t bytes = (size_t)place.count * sizeof(unit_t);
        if (bytes >= 4 * VECTOR_BYTES)
            copy_bytes((const global uchar *)from, (global uchar *)to, bytes, args.stream);
        else
            for (index_t i = 0; i < place.count; i++)
                to[i] = from[i];
    }
}
