/* local: units of whole bytes, any strides, on a device of many short runs with 30 KiB of local memory.
 *
 * A work-group moves a tile at a time. It reads the tile's runs of the source into slots of local memory, and writes the tile's
 * runs of the destination from there. A run is contiguous; neighbouring work-items move neighbouring words of it. args.outer has,
 * behind the outer axes, the axes of a tile twice: m_rank from the source to slots, then n_rank from slots to the destination.
 * The two innermost outer axes count the tiles along m and along n; the last tile along each may be smaller.
 *
 * Compiled for one BLOCK, how words are read + 4 * how they are written: 0: single units, of 1 and 2 bytes whole words of 32
 * bits wherever runs begin; 1: 8 or 16 bytes whose units have slots of their own; 2: 16 bytes whose units have slots side by
 * side; 3: the same of 1 and 2 bytes, wherever runs begin.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if UNIT_BITS >= 8
/* Reads what is moved at once. No function gives or takes a struct: where compilers inline those, Oclgrind 21.10 stops at what
 * they say of aliases. */
static void read_word(const global value_t *at, part_t *parts) {
#if READS == 0
    parts[0] = *at;
#elif READ_PARTS == 4
    const four_parts_t all = *(const global four_parts_t *)at;
    parts[0] = all.x;
    parts[1] = all.y;
    parts[2] = all.z;
    parts[3] = all.w;
#else
    const two_parts_t all = *(const global two_parts_t *)at;
    parts[0] = all.x;
    parts[1] = all.y;
#endif
}

/* The same at an address that is aligned to a unit alone. */
static void read_units(const global value_t *at, part_t *parts) {
    for (int i = 0; i < READ_UNITS; i++)
        parts[i / IN_PART] = i % IN_PART == 0 ? BITS_OF(at[i], i) : parts[i / IN_PART] | BITS_OF(at[i], i);
}

/* place: where the units have slots from the begin of their run; slot: where that is. */
static void put_units(local value_t *const *place, size_t slot, const part_t *parts) {
#if READS == 2
#pragma unroll
    for (int i = 0; i < READ_PARTS; i++)
        ((local part_t *)(place[0] + slot))[i] = parts[i];
#else
#pragma unroll
    for (int i = 0; i < READ_UNITS; i++)
        place[i][slot] = UNIT_OF(parts, i);
#endif
}

static void get_units(const local value_t *const *place, size_t slot, part_t *parts) {
#if WRITES == 2
#pragma unroll
    for (int i = 0; i < WRITE_PARTS; i++)
        parts[i] = ((const local part_t *)(place[0] + slot))[i];
#else
#pragma unroll
    for (int i = 0; i < WRITE_UNITS; i++)
        if (i % IN_PART == 0)
            parts[i / IN_PART] = BITS_OF(place[i][slot], i);
        else
            parts[i / IN_PART] |= BITS_OF(place[i][slot], i);
#endif
}

/* A vector is never the last step of putting parts together one by one: Oclgrind 21.10 then stores it twice, undefined first. */
static void write_word(global value_t *at, const part_t *parts, bool is_aligned) {
#if WRITES > 0 && WRITE_PARTS == 4
    if (is_aligned) {
        *(global four_parts_t *)at = (four_parts_t)((two_parts_t)(parts[0], parts[1]), (two_parts_t)(parts[2], parts[3]));
        return;
    }
#elif WRITES > 0 && UNIT_BITS == 64
    if (is_aligned) {
        *(global uint4 *)at = (uint4)(as_uint2(parts[0]), as_uint2(parts[1]));
        return;
    }
#elif WRITES > 0
    if (is_aligned) {
        const uint most = 0x00ffffff;
        *(global uint2 *)at = (uint2)(parts[0] & most, parts[1] & most) | (uint2)(parts[0] & ~most, parts[1] & ~most);
        return;
    }
#else
    (void)is_aligned;
#endif
#pragma unroll
    for (int i = 0; i < WRITE_UNITS; i++)
        at[i] = UNIT_OF(parts, i);
}

/* Slots that are found for what is moved at once. */
#define READ_PLACES (READS == 1 ? READ_UNITS : 1)
#define WRITE_PLACES (WRITES == 1 ? WRITE_UNITS : 1)

#if READS != 3 && !(READS == 0 && UNIT_BITS < 32)
static void read_runs(const move_args *args, const global value_t *from, index_t run_units, index_t runs,
                      const local shared_t *shared, local value_t *slots, bool is_aligned) {
    const index_t item = (index_t)get_local_id(0), lanes = (index_t)1 << args->src_lanes;
    const uint step = (uint)get_local_size(0) >> args->src_lanes, end = (uint)runs;
    const size_t apart = find_apart(args, true, READ_PLACES);
    for (index_t unit = (item & (lanes - 1)) * READ_UNITS; unit < run_units; unit += lanes * READ_UNITS) {
        local value_t *place[READ_PLACES];
        if (find_table(args, true) > 0) {
#pragma unroll
            for (int k = 0; k < READ_PLACES; k++)
                place[k] = slots + shared->slot[unit / READ_STEP + k];
        } else if (apart > 0) {
            place[0] = slots + find_slot(args, true, unit);
#pragma unroll
            for (int k = 1; k < READ_PLACES; k++)
                place[k] = place[k - 1] + apart;
        } else {
#pragma unroll
            for (int k = 0; k < READ_PLACES; k++)
                place[k] = slots + find_slot(args, true, unit + k);
        }
        const global value_t *const at = from + unit;
        uint run = (uint)item >> args->src_lanes;
        if (!is_aligned) {
            for (; run < end; run += step) {
                part_t parts[READ_PARTS];
                GET_RUN(shared, run, begin, slot);
                read_units(at + begin, parts);
                put_units(place, slot, parts);
            }
            continue;
        }
        for (; run + (AT_ONCE - 1) * step < end; run += AT_ONCE * step) {
            part_t parts[AT_ONCE * READ_PARTS];
            uint slot[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) {
                GET_RUN(shared, run + k * step, begin, to);
                read_word(at + begin, parts + k * READ_PARTS);
                slot[k] = to;
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                put_units(place, slot[k], parts + k * READ_PARTS);
        }
        if (run < end) {
            part_t parts[(AT_ONCE - 1) * READ_PARTS];
            uint slot[AT_ONCE - 1];
#pragma unroll
            for (int k = 0; k < AT_ONCE - 1; k++) { /* past the last run, the last once more, so that no read waits for a test */
                const uint one = run + k * step;
                GET_RUN(shared, one < end ? one : end - 1, begin, to);
                read_word(at + begin, parts + k * READ_PARTS);
                slot[k] = to;
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE - 1; k++)
                if (run + k * step < end)
                    put_units(place, slot[k], parts + k * READ_PARTS);
        }
    }
}

#endif

#if WRITES != 3 && !(WRITES == 0 && UNIT_BITS < 32)
static void write_runs(const move_args *args, global value_t *to, index_t run_units, index_t runs, const local shared_t *shared,
                       local value_t *slots, bool is_aligned) {
    const index_t item = (index_t)get_local_id(0), lanes = (index_t)1 << args->dst_lanes;
    const uint step = (uint)get_local_size(0) >> args->dst_lanes, first = (uint)args->src_runs, end = first + (uint)runs;
    const local ushort *units = shared->slot + find_table(args, true);
    const size_t apart = find_apart(args, false, WRITE_PLACES);
    for (index_t unit = (item & (lanes - 1)) * WRITE_UNITS; unit < run_units; unit += lanes * WRITE_UNITS) {
        const local value_t *place[WRITE_PLACES];
        if (find_table(args, false) > 0) {
#pragma unroll
            for (int k = 0; k < WRITE_PLACES; k++)
                place[k] = slots + units[unit / WRITE_STEP + k];
        } else if (apart > 0) {
            place[0] = slots + find_slot(args, false, unit);
#pragma unroll
            for (int k = 1; k < WRITE_PLACES; k++)
                place[k] = place[k - 1] + apart;
        } else {
#pragma unroll
            for (int k = 0; k < WRITE_PLACES; k++)
                place[k] = slots + find_slot(args, false, unit + k);
        }
        global value_t *const at = to + unit;
        for (uint run = first + ((uint)item >> args->dst_lanes); run < end; run += step) {
            part_t parts[WRITE_PARTS];
            GET_RUN(shared, run, begin, slot);
            get_units(place, slot, parts);
            write_word(at + begin, parts, is_aligned);
        }
    }
}

#endif

/* Leaves `steps` of `all`. */
static void cut(index_t cuts, index_t all, index_t steps, extent_t *read, extent_t *written) {
    if (cuts & LOCAL_CUTS_SRC_RUN)
        read->units = read->units / all * steps;
    if (cuts & LOCAL_CUTS_SRC_RUNS)
        read->count = read->count / all * steps;
    if (cuts & LOCAL_CUTS_DST_RUN)
        written->units = written->units / all * steps;
    if (cuts & LOCAL_CUTS_DST_RUNS)
        written->count = written->count / all * steps;
}

kernel void local_tiles(KERNEL_PARAMETERS) {
    local uint4 room[LOCAL_BYTES / sizeof(uint4) + 1]; /* of units of 1 or 2 bytes one word more may be read */
    local shared_t shared;
    local value_t *slots = (local value_t *)room;
    src += src_base;
    dst += dst_base;
    /* Where the memory is the host's, it begins anywhere. */
    const bool src_aligned = (size_t)src % (READ_UNITS * sizeof(value_t)) == 0,
               dst_aligned = (size_t)dst % (WRITE_UNITS * sizeof(value_t)) == 0;
#if WRITES == 3
    /* Words are read whole, also where a run ends within one. */
    for (size_t i = get_local_id(0); i < sizeof(room) / sizeof(room[0]); i += get_local_size(0))
        room[i] = 0;
#endif
    fill_tables(&args, &shared);
    for (index_t job = (index_t)get_group_id(0); job < args.jobs; job += (index_t)get_num_groups(0)) {
        if (get_local_id(0) == get_local_size(0) - 1)
            find_tile(&args, job, &shared);
        barrier(CLK_LOCAL_MEM_FENCE); /* what was in the slots has been written, too */
        extent_t read = {args.src_run, args.src_runs}, written = {args.dst_run, args.dst_runs};
        if (shared.n < args.segment)
            cut(args.cuts >> LOCAL_N_CUTS, args.segment, shared.n, &read, &written);
        if (shared.m < args.band)
            cut(args.cuts >> LOCAL_M_CUTS, args.band, shared.m, &read, &written);
        const global value_t *from = (const global value_t *)src + shared.src;
        global value_t *to = (global value_t *)dst + shared.dst;
#if READS == 3
        (void)src_aligned;
        read_any_runs(&args, from, read.units, read.count, &shared, slots, (const global value_t *)src,
                      (const global value_t *)src + args.src_end);
#else
        read_runs(&args, from, read.units, read.count, &shared, slots, src_aligned);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        write_runs(&args, to, written.units, written.count, &shared, slots, dst_aligned);
    }
}

#endif
