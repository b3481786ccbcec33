/* A launch plan: a normal form in the shape that one kernel performs, with its geometry. Its type is clm_launch_plan.
 *
 * With every variant it is `rows` times a nest of three loops:
 *
 *     for each row (the outer axes give row.src and row.dst)
 *         for h < q, for i < n, for j < m:
 *             dst[row.dst + h * q_dst + i * n_dst + j * m_dst] = src[row.src + h * q_src + i * n_src + j * m_src]
 *
 * A variant requires certain strides of n and m. q is the innermost outer axis if one worker does several rows together, else 1.
 * All numbers count units. Strides may be negative, those of the destination, too; the offsets are those of the first unit that
 * the loops move. Work is cut into segments along q, or along n if q is 1. A job is one segment of one row. A work-item,
 * or an item of the host's threads, does `item_jobs` jobs.
 *
 * `transpose` cuts along n and m. There n is the product of n_rank axes along which the destination is contiguous, the columns of
 * a tile, and m the product of m_rank axes along which the source is, its rows. A job is one tile of one row of the outer axes.
 * `transpose_runs` does so with runs of run_units units in the place of single ones.
 *
 * `local` cuts along n and m too, which are one axis each. A job is a tile that a work-group moves, which has all of some axes,
 * and a segment of n and a band of m, if these are cut. outer has, behind the outer axes, the tile's axes from the source to
 * slots of local memory, m_rank, and from slots to the destination, n_rank.
 *
 * `period` makes blocks of the destination. There n is the product of n_rank axes, the units of a block, which are contiguous in
 * the destination, and m is 1. A job is one segment of q, or the only block of a row.
 *
 * `shuffle` makes such blocks too, the source of which lies close together. `two_passes` has larger blocks, which need not be
 * contiguous, and moves them by two launch plans of their own, by way of a room in the cache. On the host a worker does both for
 * a few blocks; a device does one after the other for all blocks of a chunk (chunks.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_LAUNCH_PLAN_H
#define CLMOVE_HOST_PLAN_LAUNCH_PLAN_H

#include "host/map/normal_form.h"
#include "host/plan/tuning.h"

/* The properties of an executor that a choice depends on. */
typedef struct clm_traits {
    /* Like a CPU: few workers, each with long runs. Else like a GPU: many work-items with short runs. */
    bool few_long_runs;
    /* An item may do several rows together: q of the nest. */
    bool takes_rows;
    /* Memory may begin at any byte, whatever the unit. */
    bool any_alignment;
    /* Compute units, or threads. */
    uint32_t workers;
    /* The outer axes that one launch can have, and those with indices of 32 bits and units of whole bytes, which are more. */
    int32_t max_outer, max_outer_narrow;
    /* The bytes of the last-level cache that the workers can count on. 0: never bypass it. */
    uint64_t cache_bytes;
    /* The bytes in which one instruction looks bytes up. 0: there is none, and the variant `shuffle` is taken only if asked for.
     */
    int32_t shuffle_window;
    /* Vectors in which bytes are looked up are shorter than a line, so that more is parted than transposed. */
    bool has_short_vectors;
    /* Each of its work-items makes a table of its own, which else is made with the kernel. */
    bool items_make_tables;
    /* Fewer rows than fill a square can be transposed. */
    bool part_squares;
    /* Runs of more than 16 to CLM_MOST_IMAGE bytes are repeated as runs of few units are. */
    bool has_images;
    /* Blocks may be moved in two passes. */
    bool has_passes;
    /* What is planned is one of the two: what it reads or writes is in the cache, and its blocks small. */
    bool is_pass;
    /* The executor always uses 64-bit indices, so that index_bits is not chosen. */
    bool indexes_in_64_bit;
    /* The largest work-group. 0: unknown. */
    uint64_t max_local_size;
    /* The bytes of a work-group's local memory. */
    uint64_t local_bytes;
    clm_tuning tuning;
} clm_traits;

/* The axes of a launch plan, at most. `local` has those of a tile twice, at most 11, and two that count tiles. */
#define CLM_MAX_PLAN_AXES (CLM_MAX_AXES + 24)

/* Longer runs are not repeated by images (host/native/rows.inc). */
#define CLM_MOST_IMAGE 512

/* Units of a group that stays in registers, at most. */
#define CLM_MOST_GROUP 16

/* A launch plan. */
typedef struct clm_launch_plan {
    const struct clm_variant *variant;
    uint32_t unit_bits;
    bool msb_first;
    /* 32 or 64. */
    uint32_t index_bits;
    int64_t src_offset, dst_offset;

    /* The first lead_rank outer axes do not fit in a launch: each step along them is a launch of its own. */
    int32_t lead_rank;
    /* All outer axes, the leading ones included. */
    int32_t outer_rank;
    /* The axes of n and m of a variant that makes tiles, and of n of one that makes blocks, else 0: outer has them behind the
     * outer axes, each from the outside in. */
    int32_t n_rank, m_rank;
    clm_axis outer[CLM_MAX_PLAN_AXES];
    /* The innermost outer axes whose rows are in turn: all of them do one segment before any does the next. */
    int32_t turn_rank;

    /* The nest: extents and strides. */
    int64_t q, q_src, q_dst;
    int64_t n, n_src, n_dst;
    int64_t m, m_src, m_dst;

    /* The product of the leading extents; of `two_passes` in launches two for each chunk, or as many as its passes have. */
    int64_t launches;
    /* The product of the other outer extents. */
    int64_t rows;
    /* Steps of q in one job, or of n if q is 1. */
    int64_t segment;
    /* Steps of m in one job of a variant that makes tiles, else 0. */
    int64_t band;
    /* Units that a column has in a row, contiguous on both sides: 1 but with `transpose_runs`. */
    int64_t run_units;
    /* Segments of a row; with tiles, those of n times the bands. */
    int64_t segments;
    /* Of a tile that goes through local memory, else 0: the units of a run of either side, and the runs; the base 2 logarithm of
     * the work-items that move a run; and what the last tiles along n and m have less of (cl_kernels/move.h). */
    int64_t src_run, src_runs, src_lanes, dst_run, dst_runs, dst_lanes, cuts;
    /* Of `shuffle` the blocks that are made together, by one table; and where work-items make it, the bytes of a window; else 0.
     */
    int64_t blocks_together, window;
    /* Of `two_passes` in launches: about so many bytes are moved by two of them; else 0. */
    int64_t chunk_bytes;
    /* rows * segments: the jobs of one launch. */
    int64_t jobs;
    /* A frame is a contiguous part of the source that several jobs read together, but not one after the other: those of a row,
     * or, with a frame_rank of 1, of the innermost outer axis. Meanwhile each asks for its part, in the order of the source, of
     * what is read frame_ahead units behind, which are whole frames. A part has so many units. 0: there are no frames. */
    int64_t frame_part, frame_ahead;
    int32_t frame_rank;
    /* The jobs of one work-item; of `local`, those of a work-group. */
    int64_t item_jobs;
    /* The work-items of one launch. */
    int64_t items;
    /* The work-items of a work-group. */
    int64_t local_size;
    /* The jobs of a work-item are `items` apart (of a work-group with `local`, as many as there are groups), so that neighbouring
     * work-items do neighbouring jobs. Else they are consecutive. */
    bool neighbours;
    /* So much is read and written (clm_stream_min_bytes) that stores may be non-temporal. */
    bool stream;
    /* What is written past the cache is moved in strips: a cache line's columns of a tile down all rows, or lines of several rows
     * in turn. Else rows are moved one by one, and tiles in panels of 16 rows along all columns on the host, in strips by
     * kernels. And more is transposed than shuffled in blocks. */
    bool in_strips;
    /* Those tiles in strips whose rows share channels of memory go by way of two rooms, with some lines of each row: 4 to 16. */
    bool in_rooms;
    /* Strips of tiles have two lines of columns. */
    bool in_wide_strips;
    /* Those of the executor's traits; and whether it has variants that go through local memory. */
    bool takes_rows, part_squares, has_images, has_passes, is_pass, has_local;
    bool has_short_vectors;
    /* The variants that fit and were passed over as poor, a bit for each clm_source. */
    uint32_t passed_over;
    /* What the kernel is compiled for: the units of a group, where the variant says so; how tiles in local memory are read and
     * written; of units below a byte the case, on executors that take rows (cl_kernels/bit_runs.h); else 1. */
    uint32_t constant;
} clm_launch_plan;

/* The kernels of variants. Two variants may have one. */
typedef enum clm_source {
    CLM_COPY_ROWS,
    CLM_LOCAL_TILES,
    CLM_PERIOD,
    CLM_REPEAT,
    CLM_SHUFFLE_BYTES,
    CLM_TWO_PASSES,
    CLM_TRANSPOSE_RUNS,
    CLM_TRANSPOSE,
    CLM_DEINTERLEAVE,
    CLM_INTERLEAVE,
    CLM_GATHER,
    CLM_BITS,
} clm_source;

/* The names of the kernels, which their .cl files have too, without the ending. */
extern const char *const clm_source_names[];

/* A memory pattern. */
typedef struct clm_variant {
    const char *name;
    clm_source source;
    /* What a form must have to fit: one sentence, which also opens the .cl file. */
    const char *requires_in_full;
    /* The same in fewer words, for users of clmove explain. None of the three has a full stop. */
    const char *requires_in_short;
    /* What the kernel does. */
    const char *does;
    /* How near the variant comes to a copy's speed: 3 is a copy, 0 moves single units. */
    int speed;
    /* The kernel is compiled for groups of so many units; m is no more. */
    bool m_is_constant;
    /* It makes tiles, or blocks. Only executors that take rows have either. */
    bool makes_tiles, makes_blocks;
    /* It goes through local memory. Only executors of many short runs have it. */
    bool is_local;
    /* Only executors that have passes have it. */
    bool makes_passes;
    /* Whether the variant can do the form. If so, fills the nest and the outer axes. */
    bool (*fits)(const clm_normal_form *form, clm_launch_plan *launch_plan);
    /* Whether a launch plan of its own, made for an executor of these traits, is slower than what the next variants do. NULL:
     * never. poor_since: why, without a full stop. */
    bool (*is_poor)(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits);
    const char *poor_since;
} clm_variant;

/* All variants in order of preference. The last has no name. Every form fits one of them. */
extern const clm_variant clm_variants[];

/* Checks a forced choice: *variant is NULL or the name of one, and becomes a static string; index_bits is 0, 32 or 64. Raises
 * INVALID_ARGUMENT. */
clmove_status clm_check_choice(const char **variant, uint32_t index_bits, clmove_error *error);

/* Makes a launch plan of a normalised form that is not empty. variant: the name of one, or NULL for the first that fits.
 * index_bits: 32, 64, or 0 for the smallest that suffices. Raises UNSUPPORTED if a forced choice does not fit. */
clmove_status clm_choose(const clm_normal_form *form, const clm_traits *traits, const char *variant, uint32_t index_bits,
                         clm_launch_plan *launch_plan, clmove_error *error);

/* Makes a launch plan of one of two passes: of the first, which writes to the room, or the second. traits: of the executor, with
 * the workers that share the pass. index_bits: as for clm_choose. streams: the second may go past the cache. */
clmove_status clm_choose_pass(const clm_normal_form *form, const clm_traits *traits, uint32_t index_bits, bool is_second,
                              bool streams, clm_launch_plan *launch_plan, clmove_error *error);

/* Whether the executor of a launch plan has a variant. */
bool clm_has_variant(const clm_launch_plan *launch_plan, const clm_variant *row);

/* Whether a launch plan reads unit by unit because that is faster than splitting blocks among short rows. */
bool clm_gathers_short_rows(const clm_launch_plan *launch_plan);

/* Whether the units that it reads one by one are side by side on both sides, and so near a copy's speed. */
bool clm_gathers_runs(const clm_launch_plan *launch_plan);

/* Whether two launch plans are equal in all fields. The padding of the struct does not count. */
bool clm_launch_plans_are_equal(const clm_launch_plan *a, const clm_launch_plan *b);

/* Cuts the work: orders the outer axes, takes q from them if one worker does several rows together, and fills the fields from
 * launches to constant. max_outer: one of those of the traits. For units below a byte it also fills n, the bytes of the
 * destination. */
void clm_set_geometry(clm_launch_plan *launch_plan, const clm_traits *traits, int32_t max_outer);

/* Makes work-groups that have more than `most` work-items smaller. What is moved stays the same. */
void clm_fit_groups(clm_launch_plan *launch_plan, int64_t most);

/* The last source unit of a launch whose leading axes are at their start. */
int64_t clm_last_src(const clm_launch_plan *launch_plan);

/* Goes along an axis of the launch plan the other way round: what is read backwards is read forwards, and written backwards.
 * Moves the offsets to what then comes first. */
static inline void clm_turn_axis(clm_launch_plan *launch_plan, clm_axis *axis) {
    launch_plan->src_offset += (axis->extent - 1) * axis->src;
    launch_plan->dst_offset += (axis->extent - 1) * axis->dst;
    axis->src = -axis->src;
    axis->dst = -axis->dst;
}

/* The bytes of a unit; 1 for units below a byte. */
static inline int64_t clm_unit_bytes(const clm_launch_plan *launch_plan) {
    return launch_plan->unit_bits < 8 ? 1 : launch_plan->unit_bits / 8;
}

/* Whether deinterleave reads the gap behind each group, too: both together are short. */
static inline bool clm_has_gaps_in_groups(const clm_launch_plan *launch_plan) {
    return launch_plan->takes_rows && launch_plan->variant->source == CLM_DEINTERLEAVE && launch_plan->n_src > launch_plan->m &&
           launch_plan->n_src <= CLM_MOST_GROUP;
}

/* The units that a variant of constant m reads or writes side by side: m, and such a gap. */
static inline int64_t clm_group_units(const clm_launch_plan *launch_plan) {
    return clm_has_gaps_in_groups(launch_plan) ? launch_plan->n_src : launch_plan->m;
}

/* The bytes of the destination that a form writes. Units below a byte are rounded up. */
int64_t clm_written_bytes(const clm_normal_form *form);

/* The bytes of the source that a form reads, each counted once. Units below a byte are rounded up. */
int64_t clm_read_bytes(const clm_normal_form *form);

/* Whether memory limits the launch plan to less than a copy's speed; clm_explain says the same. */
bool clm_is_below_copy(const clm_normal_form *form, const clm_launch_plan *launch_plan);

/* Writes the text of clmove_plan_explain: the summary of four lines, an empty line, then the map, its normal form, the variant
 * and the reason. launch plan: NULL if nothing moves. asked_for: the variant was forced; otherwise each earlier variant that fits
 * has failed its self-test. */
void clm_explain(const clm_map *map, const clm_normal_form *form, const clm_launch_plan *launch_plan, const char *executor,
                 bool asked_for, char *text, size_t capacity);

#endif
