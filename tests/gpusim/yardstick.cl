/* Kernels whose speed on real GPUs is well known, and the techniques that clmove's kernels may want, measured alike. width and
 * height count what a kernel calls its unit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define PARAMETERS const global uchar *src, global uchar *dst, const uint width, const uint height

kernel void copy_16(PARAMETERS) {
    size_t i = get_global_id(0);
    ((global uint4 *)dst)[i] = ((const global uint4 *)src)[i];
}

/* Four independent loads of 16 bytes, then the stores. */
kernel void copy_16_by_4(PARAMETERS) {
    const size_t first = get_group_id(0) * get_local_size(0) * 4 + get_local_id(0), step = get_local_size(0);
    const global uint4 *from = (const global uint4 *)src + first;
    global uint4 *to = (global uint4 *)dst + first;
    uint4 a = from[0], b = from[step], c = from[2 * step], d = from[3 * step];
    to[0] = a;
    to[step] = b;
    to[2 * step] = c;
    to[3 * step] = d;
}

/* height rows of width units of 4 bytes, transposed: whole runs are read, single units stored. */
kernel void transpose_naive(PARAMETERS) {
    const uint i = (uint)get_global_id(0), row = i / width, column = i % width;
    ((global uint *)dst)[column * height + row] = ((const global uint *)src)[i];
}

#define TILE 32
#define TRANSPOSE(name, pitch)                                                                                                   \
    kernel void name(PARAMETERS) {                                                                                               \
        local uint tile[TILE * (pitch)];                                                                                         \
        const uint tiles = width / TILE, group = (uint)get_group_id(0), item = (uint)get_local_id(0);                            \
        const uint left = group % tiles * TILE, top = group / tiles * TILE, x = item % TILE, y = item / TILE;                    \
        for (uint i = 0; i < TILE; i += 8)                                                                                       \
            tile[(y + i) * (pitch) + x] = ((const global uint *)src)[(top + y + i) * width + left + x];                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                            \
        for (uint i = 0; i < TILE; i += 8)                                                                                       \
            ((global uint *)dst)[(left + y + i) * height + top + x] = tile[x * (pitch) + y + i];                                 \
    }
TRANSPOSE(transpose_tile, TILE)
TRANSPOSE(transpose_tile_padded, TILE + 1)

/* What a block of 2 does to units of 4 bytes: the even ones first, then the odd ones. Neighbours load 8 bytes each, side by side,
 * and store 4 each, side by side; four times, the loads before the stores. */
kernel void split_2(PARAMETERS) {
    const size_t first = get_group_id(0) * get_local_size(0) * 4 + get_local_id(0), step = get_local_size(0);
    const size_t half_of = (size_t)width * height / 2;
    const global uint2 *from = (const global uint2 *)src + first;
    global uint *even = (global uint *)dst + first, *odd = even + half_of;
    uint2 v[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        v[i] = from[i * step];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        even[i * step] = v[i].x;
        odd[i * step] = v[i].y;
    }
}

/* The same with 16 bytes everywhere: the loads are 32 bytes apart, which the first-level cache makes good. */
kernel void split_2_vectors(PARAMETERS) {
    const size_t i = get_global_id(0), half_of = (size_t)width * height / 8;
    const uint4 a = ((const global uint4 *)src)[2 * i], b = ((const global uint4 *)src)[2 * i + 1];
    ((global uint4 *)dst)[i] = (uint4)(a.x, a.z, b.x, b.z);
    ((global uint4 *)dst)[half_of + i] = (uint4)(a.y, a.w, b.y, b.w);
}

/* A pattern of 3 units of 4 bytes, 8 times in a row: neighbours store neighbouring 16 bytes, and look up what belongs there. */
kernel void repeat_3_by_8(PARAMETERS) {
    const uint i = (uint)get_global_id(0), row = i / 6, first = i % 6 * 4;
    const global uint *pattern = (const global uint *)src + row * 3;
    uint4 v = (uint4)(pattern[first % 3], pattern[(first + 1) % 3], pattern[(first + 2) % 3], pattern[first % 3]);
    ((global uint4 *)dst)[i] = v;
}
