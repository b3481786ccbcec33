/* local: units of whole bytes, any strides, on a device of many short runs with 30 KiB of local memory.
 *
 * A work-group moves a tile at a time. It reads the tile's runs of the source into slots of local memory, and writes the tile's
 * runs of the destination from there. A run is contiguous; neighbouring work-items move neighbouring words of it. args.outer has,
 * behind the outer axes, the axes of a tile twice: m_rank from the source to slots, then n_rank from slots to the destination.
 * The two innermost outer axes count the tiles along m and along n; the last tile along each may be smaller.
 *
 * Compiled for one BLOCK, how words are read + 4 * how they are written: 0: single units; 1: as many as fit in group_t, which
 * have slots of their own; 2: 16 bytes whose units have slots side by side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if UNIT_BITS >= 8
#define READS (UNIT_BITS == 128 ? 0 : BLOCK % 4)
#define WRITES (UNIT_BITS == 128 ? 0 : BLOCK / 4 % 4)

/* What is moved at once is in parts of at least 32 bits, because compilers move vectors of smaller ones piece by piece. Where
 * units have slots side by side, all slots are aligned to a part. */
#if UNIT_BITS == 128
typedef uint4 part_t;
#elif UNIT_BITS == 64
typedef ulong part_t;
typedef ulong2 two_parts_t;
#else
typedef uint part_t;
typedef uint2 two_parts_t;
typedef uint4 four_parts_t;
#endif
#define IN_PART (int)(sizeof(part_t) / sizeof(value_t))

/* The parts of an access of global memory, and its units. */
#define PARTS_OF(words) ((words) == 0 ? 1 : UNIT_BITS == 64 || (UNIT_BITS == 8 && (words) == 1) ? 2 : 4)
#define READ_PARTS PARTS_OF(READS)
#define WRITE_PARTS PARTS_OF(WRITES)
#define READ_UNITS (READS == 0 ? 1 : READ_PARTS * IN_PART)
#define WRITE_UNITS (WRITES == 0 ? 1 : WRITE_PARTS * IN_PART)

/* Reads that are on their way before the first of them is waited for. */
#define AT_ONCE (READ_UNITS * UNIT_BITS < 128 ? 8 : 4)

/* Unit i of some parts; and a unit's bits in its part. By shifts, because an array of units would go through memory. */
#if UNIT_BITS < 32
#define UNIT_OF(parts, i) (value_t)((parts)[(i) / IN_PART] >> (i) % IN_PART * UNIT_BITS)
#define BITS_OF(unit, i) ((part_t)(unit) << (i) % IN_PART * UNIT_BITS)
#else
#define UNIT_OF(parts, i) (parts)[i]
#define BITS_OF(unit, i) (unit)
#endif

/* What the items of a group share. The tables have the runs of the source, those of the destination, the units of a run of the
 * source, and those of a run of the destination: where they begin in global memory, counted from the begin of the tile, and in
 * local memory. */
typedef struct {
    sindex_t at[2 * LOCAL_RUNS];
    ushort slot[2 * LOCAL_RUNS + 2 * LOCAL_UNITS];
    /* Where the tile begins. */
    sindex_t src, dst;
    /* Its steps along n and m, fewer at an edge. */
    index_t n, m;
} shared_t;

/* The runs of a tile, fewer or shorter at an edge. */
typedef struct {
    index_t units, count;
} extent_t;

/* Where a unit is on either side, counted along `rank` axes from `first` on, of which the first has no bound. */
static void find_unit(const move_args *args, index_t first, index_t rank, index_t unit, sindex_t *src, sindex_t *dst) {
    for (index_t i = first + rank; i-- > first + 1;) {
        const index_t rest = divide(unit, &args->outer[i].by);
        const sindex_t step = (sindex_t)(unit - rest * args->outer[i].extent);
        *src += step * args->outer[i].src;
        *dst += step * args->outer[i].dst;
        unit = rest;
    }
    if (rank > 0) {
        *src += (sindex_t)unit * args->outer[first].src;
        *dst += (sindex_t)unit * args->outer[first].dst;
    }
}

static void fill_tables(const move_args *args, local shared_t *shared) {
    const index_t src_units = args->src_run <= LOCAL_UNITS ? args->src_run : 0;
    const index_t dst_units = args->dst_run <= LOCAL_UNITS ? args->dst_run : 0;
    const index_t dst_runs = args->src_runs, units = dst_runs + args->dst_runs, all = units + src_units + dst_units;
    for (index_t i = (index_t)get_local_id(0); i < all; i += (index_t)get_local_size(0)) {
        const bool is_src = i < dst_runs || (i >= units && i < units + src_units);
        const index_t unit = i < dst_runs            ? i * args->src_run
                             : i < units             ? (i - dst_runs) * args->dst_run
                             : i < units + src_units ? i - units
                                                     : i - units - src_units;
        sindex_t src = 0, dst = 0;
        find_unit(args, args->outer_rank + (is_src ? 0 : args->m_rank), is_src ? args->m_rank : args->n_rank, unit, &src, &dst);
        if (i < units)
            shared->at[i] = is_src ? src : dst;
        shared->slot[i] = (ushort)(is_src ? dst : src);
    }
}

static void find_tile(const move_args *args, index_t job, local shared_t *shared) {
    const index_t along_n = args->outer_rank - 1, along_m = args->outer_rank - 2;
    const index_t rest = divide(job, &args->outer[along_n].by), rows = divide(rest, &args->outer[along_m].by);
    const index_t step_n = job - rest * args->outer[along_n].extent, step_m = rest - rows * args->outer[along_m].extent;
    sindex_t src = args->src_offset + (sindex_t)step_n * args->outer[along_n].src + (sindex_t)step_m * args->outer[along_m].src;
    sindex_t dst = args->dst_offset + (sindex_t)step_n * args->outer[along_n].dst + (sindex_t)step_m * args->outer[along_m].dst;
    find_unit(args, 0, along_m, rows, &src, &dst);
    shared->src = src;
    shared->dst = dst;
    shared->n = min(args->segment, args->n - step_n * args->segment);
    shared->m = min(args->band, args->m - step_m * args->band);
}

/* The slots of `count` units of a run, from its table, or, of runs that have none, by division. */
static void find_slots(const move_args *args, bool is_src, const local ushort *units, index_t unit, int count, index_t *slots) {
    if ((is_src ? args->src_run : args->dst_run) <= LOCAL_UNITS) {
#pragma unroll
        for (int k = 0; k < count; k++)
            slots[k] = units[unit + k];
        return;
    }
    for (int k = 0; k < count; k++) {
        sindex_t src = 0, dst = 0;
        find_unit(args, args->outer_rank + (is_src ? 0 : args->m_rank), is_src ? args->m_rank : args->n_rank, unit + k, &src,
                  &dst);
        slots[k] = (index_t)(is_src ? dst : src);
    }
}

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

static void put_units(local value_t *to, const index_t *place, const part_t *parts) {
#if READS == 2
#pragma unroll
    for (int i = 0; i < READ_PARTS; i++)
        ((local part_t *)(to + place[0]))[i] = parts[i];
#else
#pragma unroll
    for (int i = 0; i < READ_UNITS; i++)
        to[place[i]] = UNIT_OF(parts, i);
#endif
}

static void get_units(const local value_t *from, const index_t *place, part_t *parts) {
#if WRITES == 2
#pragma unroll
    for (int i = 0; i < WRITE_PARTS; i++)
        parts[i] = ((const local part_t *)(from + place[0]))[i];
#else
#pragma unroll
    for (int i = 0; i < WRITE_UNITS; i++)
        if (i % IN_PART == 0)
            parts[i / IN_PART] = BITS_OF(from[place[i]], i);
        else
            parts[i / IN_PART] |= BITS_OF(from[place[i]], i);
#endif
}

static void write_word(global value_t *at, const part_t *parts, bool is_aligned) {
#if WRITES > 0 && WRITE_PARTS == 4
    if (is_aligned) {
        *(global four_parts_t *)at = (four_parts_t)(parts[0], parts[1], parts[2], parts[3]);
        return;
    }
#elif WRITES > 0
    if (is_aligned) {
        *(global two_parts_t *)at = (two_parts_t)(parts[0], parts[1]);
        return;
    }
#else
    (void)is_aligned;
#endif
#pragma unroll
    for (int i = 0; i < WRITE_UNITS; i++)
        at[i] = UNIT_OF(parts, i);
}

static void read_runs(const move_args *args, const global value_t *from, index_t run_units, index_t runs,
                      const local shared_t *shared, local value_t *slots, bool is_aligned) {
    const index_t item = (index_t)get_local_id(0), lanes = (index_t)1 << args->src_lanes;
    const index_t step = (index_t)get_local_size(0) >> args->src_lanes, last = runs - 1;
    const local ushort *units = shared->slot + args->src_runs + args->dst_runs;
    for (index_t unit = (item & (lanes - 1)) * READ_UNITS; unit < run_units; unit += lanes * READ_UNITS) {
        index_t place[READ_UNITS];
        find_slots(args, true, units, unit, READS == 1 ? READ_UNITS : 1, place);
        if (!is_aligned) {
            for (index_t run = item >> args->src_lanes; run <= last; run += step) {
                part_t parts[READ_PARTS];
                read_units(from + (shared->at[run] + (sindex_t)unit), parts);
                put_units(slots + shared->slot[run], place, parts);
            }
            continue;
        }
        for (index_t run = item >> args->src_lanes; run <= last; run += AT_ONCE * step) {
            part_t parts[AT_ONCE * READ_PARTS];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) /* past the last run, the last once more, so that no read waits for a test */
                read_word(from + (shared->at[min(run + k * step, last)] + (sindex_t)unit), parts + k * READ_PARTS);
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                if (run + k * step <= last)
                    put_units(slots + shared->slot[run + k * step], place, parts + k * READ_PARTS);
        }
    }
}

static void write_runs(const move_args *args, global value_t *to, index_t run_units, index_t runs, const local shared_t *shared,
                       const local value_t *slots, bool is_aligned) {
    const index_t item = (index_t)get_local_id(0), lanes = (index_t)1 << args->dst_lanes;
    const index_t step = (index_t)get_local_size(0) >> args->dst_lanes, first = args->src_runs;
    const local ushort *units = shared->slot + first + args->dst_runs + (args->src_run <= LOCAL_UNITS ? args->src_run : 0);
    for (index_t unit = (item & (lanes - 1)) * WRITE_UNITS; unit < run_units; unit += lanes * WRITE_UNITS) {
        index_t place[WRITE_UNITS];
        find_slots(args, false, units, unit, WRITES == 1 ? WRITE_UNITS : 1, place);
        for (index_t run = item >> args->dst_lanes; run < runs; run += step) {
            part_t parts[WRITE_PARTS];
            get_units(slots + shared->slot[first + run], place, parts);
            write_word(to + (shared->at[first + run] + (sindex_t)unit), parts, is_aligned);
        }
    }
}

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
    local part_t room[LOCAL_BYTES / sizeof(part_t)];
    local shared_t shared;
    local value_t *slots = (local value_t *)room;
    src += src_base;
    dst += dst_base;
    /* Where the memory is the host's, it begins anywhere. */
    const bool src_aligned = (size_t)src % (READ_UNITS * sizeof(value_t)) == 0,
               dst_aligned = (size_t)dst % (WRITE_UNITS * sizeof(value_t)) == 0;
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
        read_runs(&args, from, read.units, read.count, &shared, slots, src_aligned);
        barrier(CLK_LOCAL_MEM_FENCE);
        write_runs(&args, to, written.units, written.count, &shared, slots, dst_aligned);
    }
}

#endif
