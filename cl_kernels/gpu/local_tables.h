/* The tables of a tile in local memory, and how words of it are moved (local_tiles.cl).
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#if UNIT_BITS >= 8
/* Wider units have no way 3; that of their words is the nearest. */
#define WAY_OF(way) (UNIT_BITS == 128 ? 0 : UNIT_BITS > 16 && (way) == 3 ? 2 : (way))
#define READS WAY_OF(BLOCK % 4)
#define WRITES WAY_OF(BLOCK / 4 % 4)

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
#define PARTS_OF(words) ((words) == 0 ? 1 : (words) == 3 ? 4 : UNIT_BITS == 64 || (UNIT_BITS == 8 && (words) == 1) ? 2 : 4)
#define READ_PARTS PARTS_OF(READS)
#define WRITE_PARTS PARTS_OF(WRITES)
#define READ_UNITS (READS == 0 ? 1 : READ_PARTS * IN_PART)
#define WRITE_UNITS (WRITES == 0 ? 1 : WRITE_PARTS * IN_PART)

/* Reads that are on their way before the first of them is waited for. */
#define AT_ONCE (READ_UNITS * UNIT_BITS < 128 ? 8 : READS == 3 ? 2 : 4)

/* Unit i of some parts; and a unit's bits in its part. By shifts, because an array of units would go through memory. */
#if UNIT_BITS < 32
#define UNIT_OF(parts, i) (value_t)((parts)[(i) / IN_PART] >> (i) % IN_PART * UNIT_BITS)
#define BITS_OF(unit, i) ((part_t)(unit) << (i) % IN_PART * UNIT_BITS)
#else
#define UNIT_OF(parts, i) (parts)[i]
#define BITS_OF(unit, i) (unit)
#endif

/* Where a run begins: in global memory, counted from the begin of the tile, and in local memory. With indices of 64 bits both in
 * one would be more local memory than some GPUs have. */
#if INDEX_BITS == 32
typedef int2 run_t;
#define RUN_TABLE run_t runs[2 * LOCAL_RUNS]
/* Two stores: Oclgrind 21.10 takes a vector that was put together of single values for one that was never set. */
#define SET_RUN(shared, i, begin, place)                                                                                         \
    ((local int *)(shared)->runs)[2 * (i)] = (begin), ((local int *)(shared)->runs)[2 * (i) + 1] = (int)(place)
#define GET_RUN(shared, i, begin, place)                                                                                         \
    const int2 run_##begin = (shared)->runs[i];                                                                                  \
    const sindex_t begin = run_##begin.x;                                                                                        \
    const uint place = (uint)run_##begin.y
#else
#define RUN_TABLE                                                                                                                \
    sindex_t at[2 * LOCAL_RUNS];                                                                                                 \
    ushort place[2 * LOCAL_RUNS]
#define SET_RUN(shared, i, begin, place_) (shared)->at[i] = (begin), (shared)->place[i] = (ushort)(place_)
#define GET_RUN(shared, i, begin, place_)                                                                                        \
    const sindex_t begin = (shared)->at[i];                                                                                      \
    const uint place_ = (shared)->place[i]
#endif

/* What the items of a group share. The tables have the runs of the source and those of the destination, and the slots of the
 * units of a run of the source, and of one of the destination. */
typedef struct {
    RUN_TABLE;
    ushort slot[2 * LOCAL_UNITS];
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

/* Whether the slots of a run's units follow from their numbers. */
static bool is_even(const move_args *args, bool is_src) {
    const index_t of_src = UNIT_BITS < 32 ? LOCAL_DENSE_SRC | LOCAL_EVEN_SRC : LOCAL_DENSE_SRC,
                  of_dst = UNIT_BITS < 32 ? LOCAL_DENSE_DST | LOCAL_EVEN_DST : LOCAL_DENSE_DST;
    return args->cuts & (is_src ? of_src : of_dst);
}

/* Units of a line have slots side by side, so that the table has one place for them. */
#define READ_STEP (READS >= 2 ? READ_UNITS : 1)
#define WRITE_STEP (WRITES == 2 ? WRITE_UNITS : 1)

/* The places in the table of a run's units. */
static index_t find_table(const move_args *args, bool is_src) {
    const index_t units = is_src ? args->src_run : args->dst_run, step = is_src ? READ_STEP : WRITE_STEP;
    if (is_even(args, is_src))
        return 0;
    return units <= (is_even(args, !is_src) ? 2 * LOCAL_UNITS : LOCAL_UNITS) ? (units + step - 1) / step : 0;
}

/* Of even runs, the slots from one unit to the next, and those that are left out after each group of units. */
static void find_steps(const move_args *args, bool is_src, uint *step, uint *skew) {
    const index_t inner = args->outer_rank + args->m_rank + (is_src ? 0 : args->n_rank) - 1;
    *step = (uint)(is_src ? args->outer[inner].dst : args->outer[inner].src);
    *skew = 0;
    if (args->cuts & (is_src ? LOCAL_SKEWED_SRC : LOCAL_SKEWED_DST))
        *skew =
            (uint)(is_src ? args->outer[inner - 1].dst : args->outer[inner - 1].src) - *step * (uint)args->outer[inner].extent;
}

static void fill_tables(const move_args *args, local shared_t *shared) {
    const index_t src_units = find_table(args, true), dst_units = find_table(args, false);
    const index_t dst_runs = args->src_runs, units = dst_runs + args->dst_runs, all = units + src_units + dst_units;
    for (index_t i = (index_t)get_local_id(0); i < all; i += (index_t)get_local_size(0)) {
        const bool is_src = i < dst_runs || (i >= units && i < units + src_units);
        const index_t unit = i < dst_runs            ? i * args->src_run
                             : i < units             ? (i - dst_runs) * args->dst_run
                             : i < units + src_units ? (i - units) * READ_STEP
                                                     : (i - units - src_units) * WRITE_STEP;
        sindex_t src = 0, dst = 0;
        find_unit(args, args->outer_rank + (is_src ? 0 : args->m_rank), is_src ? args->m_rank : args->n_rank, unit, &src, &dst);
        if (i < units)
            SET_RUN(shared, i, is_src ? src : dst, is_src ? dst : src);
        else
            shared->slot[i - units] = (ushort)(is_src ? dst : src);
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

/* Where the unit of a run lies from the begin of its run, of runs that have no table. Of even runs find_steps would take fewer
 * divisions; but POCL 6.0 (LLVM 18.1.8) ends the process over that: "Instruction Combining did not reach a fixpoint". */
static size_t find_slot(const move_args *args, bool is_src, index_t unit) {
    sindex_t src = 0, dst = 0;
    if (args->cuts & (is_src ? LOCAL_DENSE_SRC : LOCAL_DENSE_DST))
        return (size_t)unit;
    find_unit(args, args->outer_rank + (is_src ? 0 : args->m_rank), is_src ? args->m_rank : args->n_rank, unit, &src, &dst);
    return (size_t)(is_src ? dst : src);
}

/* The slots from one to the next of so many units that are moved at once, if these are always as far apart; else 0. */
static size_t find_apart(const move_args *args, bool is_src, index_t units) {
    const index_t inner = args->outer_rank + args->m_rank + (is_src ? 0 : args->n_rank) - 1;
    uint step, skew;
    if (args->cuts & (is_src ? LOCAL_DENSE_SRC : LOCAL_DENSE_DST))
        return 1;
    if (UNIT_BITS >= 32 || !is_even(args, is_src) ||
        ((args->cuts & (is_src ? LOCAL_SKEWED_SRC : LOCAL_SKEWED_DST)) && (args->outer[inner].extent & (units - 1)) != 0))
        return 0;
    find_steps(args, is_src, &step, &skew);
    return step;
}

#endif
