/* The table of variants, and what each requires of a normal form.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/launch_plan.h"
#include "host/plan/local.h"
#include "host/plan/passes.h"
#include "host/plan/periods.h"
#include "host/plan/shuffle.h"
#include "host/plan/tiles.h"
#include "host/plan/ways.h"
#include "host/plan/windows.h"

#include <string.h>

/* The block that deinterleave and interleave keep in registers, and the longest pattern that repeat does. 16 vectors of 64 bytes
 * fill half of the registers of AVX-512. */
#define MAX_BLOCK CLM_MOST_GROUP

/* The bytes of a cache line. */
#define LINE 64

/* Rows shorter than this are left to gather: copying them moves 16 bytes or more at once. */
#define MIN_ROW_BYTES 17

static const clm_axis one_step = {.extent = 1, .src = 0, .dst = 0};

static clm_axis axis_from_inside(const clm_normal_form *form, int32_t depth) {
    return depth < form->rank ? form->axes[form->rank - 1 - depth] : one_step;
}

static bool is_contiguous(clm_axis axis) {
    return axis.src == 1 && axis.dst == 1;
}

/* Fills the nest with n and m; the outer axes are those of the form but the `taken` innermost. */
static void set_nest(const clm_normal_form *form, clm_launch_plan *launch_plan, clm_axis n, clm_axis m, int32_t taken) {
    launch_plan->n = n.extent;
    launch_plan->n_src = n.src;
    launch_plan->n_dst = n.dst;
    launch_plan->m = m.extent;
    launch_plan->m_src = m.src;
    launch_plan->m_dst = m.dst;
    launch_plan->outer_rank = form->rank > taken ? form->rank - taken : 0;
    memcpy(launch_plan->outer, form->axes, (size_t)launch_plan->outer_rank * sizeof *launch_plan->outer);
}

/* The innermost outer axis along which the source is contiguous, or, if `back`, contiguous backwards; -1 if there is none. */
static int32_t find_src_axis(const clm_normal_form *form, bool back) {
    for (int32_t i = form->rank - 2; i >= 0; i--)
        if (form->axes[i].src == 1 || (back && form->axes[i].src == -1))
            return i;
    return -1;
}

static bool fits_copy(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    clm_axis inner = axis_from_inside(form, 0);
    if (form->unit_bits < 8 || form->rank > 1 || (form->rank == 1 && !is_contiguous(inner)))
        return false;
    inner.src = inner.dst = 1;
    set_nest(form, launch_plan, inner, one_step, 1);
    return true;
}

static bool fits_repeat(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    clm_axis inner = axis_from_inside(form, 0), next = axis_from_inside(form, 1);
    if (form->unit_bits < 8 || form->rank < 1)
        return false;
    if (inner.src == 0 && inner.dst == 1) { /* one unit, repeated */
        set_nest(form, launch_plan, inner, (clm_axis){.extent = 1, .src = 1, .dst = 1}, 1);
        return true;
    }
    const int64_t run_bytes = inner.extent * (form->unit_bits / 8);
    const bool has_image = launch_plan->has_images && run_bytes > 16 && run_bytes <= CLM_MOST_IMAGE;
    if (!is_contiguous(inner) || (inner.extent > MAX_BLOCK && !has_image) || next.extent < 2 || next.src != 0 ||
        next.dst != inner.extent)
        return false;
    set_nest(form, launch_plan, next, inner, 2);
    return true;
}

/* Whether a run of more than a vector, but less than a line, is repeated so seldom that transpose_runs is faster past the cache.
 * On 2 cores of an AMD EPYC (Zen 3), 40 MB, GB/s there and so: 33 bytes 2, 4 and 10 times 27, 14; 27, 19; 19, 23; 45 bytes 34,
 * 19; 27, 26; 21, 31; 63 bytes 28, 25; 20, 24; 20, 24. In the cache repeating is 1.1 to 2.2 times as fast, and so are 17 to 32
 * bytes, which were looked up (shuffle): 11 and 23 GB/s. */
#define LEAST_REPEATED 240
static bool is_repeated_seldom(int64_t run_bytes, int64_t times, const clm_traits *traits) {
    return traits->has_short_vectors && run_bytes > LINE / 2 && run_bytes < LINE && run_bytes * times < LEAST_REPEATED;
}

/* Whether each run is a unit from a line of its own, and too short to be worth it, while other units of the line are wanted too.
 * u8 [80,3,16,320,5] of every 25th repeated 48 times: 7 GB/s, and 29 in deinterleave; f32 [2,24,320,65] repeated 3 times: 11
 * GB/s, and 69 in transpose (2 cores of an AMD EPYC, family 26, model 2, 24 MB). Kernels for GPUs have no transpose. */
static bool repeat_is_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    const clm_axis inner = axis_from_inside(form, 0), next = axis_from_inside(form, 1);
    const int64_t unit_bytes = form->unit_bits / 8, step = clm_distance(next.src);
    if (launch_plan->has_images && inner.extent > MAX_BLOCK)
        return launch_plan->stream && is_repeated_seldom(inner.extent * unit_bytes, next.extent, traits);
    return traits->takes_rows && inner.src == 0 && inner.extent * unit_bytes < LINE && step * unit_bytes >= LINE &&
           find_src_axis(form, false) >= 0;
}

static bool fits_rows(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    clm_axis inner = axis_from_inside(form, 0);
    if (form->unit_bits < 8 || form->rank < 2 || !is_contiguous(inner) || inner.extent * (form->unit_bits / 8) < MIN_ROW_BYTES)
        return false;
    set_nest(form, launch_plan, inner, one_step, 1);
    return true;
}

static bool rows_are_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    return launch_plan->n <= MAX_BLOCK && clm_windows_are_near(form, traits); /* longer runs are copied by gather, too */
}

static int64_t largest_block(int64_t extent) {
    int64_t block = MAX_BLOCK;
    while (extent % block != 0)
        block--;
    return block;
}

/* Takes axis `place` out of the outer axes. */
static void remove_outer(clm_launch_plan *launch_plan, int32_t place) {
    launch_plan->outer_rank--;
    memmove(&launch_plan->outer[place], &launch_plan->outer[place + 1],
            (size_t)(launch_plan->outer_rank - place) * sizeof *launch_plan->outer);
}

/* Whether rows of so many units follow each other in the destination. */
static bool has_rows_that_follow(const clm_normal_form *form, int64_t units) {
    bool has = false;
    for (int32_t i = 0; i < form->rank; i++)
        has |= form->axes[i].dst == units;
    return has;
}

/* Rows with fewer units than a block are joined, unless a processor may gather several of them and split those as one: their
 * groups are side by side, or read with the gaps between them. Images of 2 to 12 blocks in a row by 4 to 14 on 2 cores of an
 * Intel Xeon (model 207), share of the limit joined and split: host 0.15 and 0.36 (43 maps; bytes in rows of 12 by 14 0.05 and
 * 0.45), POCL 0.22 and 0.36 (67). */
static bool fits_deinterleave(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    int32_t place = find_src_axis(form, true);
    clm_axis inner = axis_from_inside(form, 0);
    if (form->unit_bits < 8 || place < 0 || inner.dst != 1)
        return false;
    clm_axis across = form->axes[place];
    int64_t block = largest_block(across.extent);
    const bool may_gather =
        launch_plan->takes_rows && inner.src >= block && inner.src <= MAX_BLOCK && has_rows_that_follow(form, inner.extent);
    if (block < 2 || (inner.extent < block && !may_gather))
        return false;
    if (inner.extent <= MAX_BLOCK && across.dst == inner.extent &&
        (inner.extent <= 2 * across.extent || clm_distance(inner.src) > across.extent)) /* what interleave does */
        return false;
    if (across.src < 0)
        clm_turn_axis(launch_plan, &across);
    set_nest(form, launch_plan, inner, (clm_axis){.extent = block, .src = 1, .dst = across.dst}, 1);
    if (block == across.extent)
        remove_outer(launch_plan, place);
    else /* the rest of the axis stays outside, one block a step */
        launch_plan->outer[place] =
            (clm_axis){.extent = across.extent / block, .src = across.src * block, .dst = across.dst * block};
    return true;
}

/* Rows of the destination of up to 96 bytes, of units of 8 bytes and more whose lines in the source are read again soon, are
 * faster unit by unit: memory takes the time, and not the processor. Images of f64 in blocks of 2 to 8, rows of 3 to 10 units
 * past the cache on 2 cores of an Intel Xeon (model 167), share of the limit split and unit by unit: host 0.17 to 0.77, and 0.35
 * to 0.84; POCL 0.16 to 0.68, and 0.44 to 0.84; rows of 20 units 0.76 to 0.97, and 0.56 to 0.78. In the cache 0.36 and 0.57
 * (host, by 7; by 2 and 3 it loses), as fast on POCL. Where so many channels come first that a line is read again after 8 to 100
 * KB 0.73 to 0.82, and 0.50 to 0.62 (host). */
#define SOON 4096
#define FEW_BLOCKS 4
static bool deinterleave_is_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    const int64_t unit_bytes = form->unit_bits / 8;
    if (clm_windows_are_near(form, traits))
        return true;
    return traits->takes_rows && !traits->is_pass && unit_bytes >= 8 && launch_plan->n * unit_bytes <= 96 &&
           clm_distance(launch_plan->n_src) * unit_bytes <= 2 * LINE && clm_distance(launch_plan->m_dst) * unit_bytes <= SOON &&
           (launch_plan->stream || (launch_plan->m >= FEW_BLOCKS && !traits->items_make_tables));
}

/* Whether groups of wide units, which most_parted leaves to squares, are parted faster: where strips are narrow and vectors have
 * a line. 2 cores of an AMD EPYC (model 17, AVX-512), share of the limit as squares and parted. Past the cache: f64 by 8 to 14 in
 * rows of 20 and 40 groups host 0.49 to 0.97, and 0.90 to 1.01; by 15 in rows of 20 0.90 and 0.75, of 40 0.54 and 0.87; POCL in
 * rows of 20 0.56 to 0.98, and 0.65 to 0.77, of 40 0.55 to 0.85, and 0.96 to 1.04. complex128 by 4 to 12 in rows of 7 to 100 host
 * 0.47 to 0.95, and 0.79 to 1.03; POCL 0.35 to 0.96, and 0.47 to 1.03. Short rows that follow each other are faster in squares:
 * f64 [5200,50,12] by 0,2,1 0.80 and 0.42. On the host so are bytes by 16 in rows of 96 and more: of 100 0.74 and 0.90, but of
 * 40 0.91 and 0.62.
 *
 * In the cache, rows of 20 and 64, 6 and 18 MB in all: f64 by 9 to 15 host 0.37 to 0.77, and 0.60 to 0.87; POCL 0.31 to 0.69, and
 * 0.53 to 0.92; complex128 host 0.44 to 0.95, and 0.64 to 0.90; POCL 0.46 to 0.75, and 0.71 to 1.04. f64 by 8 in rows of 20 host
 * 0.88 and 0.67. But of 27 MB in 32 MiB of cache, f64 by 13, 0.87 and 0.70. */
#define LONG_ROW 320
#define LONG_ROW_IN_ORDER 4096
static bool transpose_is_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    const clm_axis *axes = &launch_plan->outer[launch_plan->outer_rank], column = axes[launch_plan->n_rank - 1],
                   group = axes[launch_plan->n_rank + launch_plan->m_rank - 1];
    const int64_t unit_bytes = form->unit_bits / 8, row_bytes = column.extent * unit_bytes, m = group.extent;
    const uint64_t bytes = 2 * (uint64_t)(launch_plan->rows * launch_plan->n * launch_plan->m * unit_bytes),
                   past_cache = clm_stream_min_bytes(&traits->tuning, traits->cache_bytes);
    const bool is_far = past_cache > 0 && bytes >= past_cache, is_near = past_cache == 0 || bytes < past_cache / 2;
    const bool is_in_order = group.dst == column.extent, is_long = row_bytes >= (is_in_order ? LONG_ROW_IN_ORDER : LONG_ROW),
               is_host = traits->part_squares;
    clm_launch_plan parted = *launch_plan;
    if (!(is_far || is_near) || !clm_wants_strips(&traits->tuning) || clm_wants_wide_strips(&traits->tuning) ||
        traits->shuffle_window < CLM_MOST_WINDOW || traits->is_pass || group.src != 1 || column.src != m ||
        (is_in_order && !is_long))
        return false;
    const bool takes_short = is_host ? m != (is_far ? 15 : 8) : is_near; /* whether f64 is parted in short rows, too */
    const bool is_faster = unit_bytes == 16  ? m >= (is_long || is_host ? 4 : 5) && m <= 12
                           : unit_bytes == 8 ? m >= 8 && m <= 15 && (is_long || takes_short)
                                             : unit_bytes == 1 && m == 16 && is_far && column.extent >= 96 && is_host;
    return is_faster && fits_deinterleave(form, &parted) && !deinterleave_is_poor(form, &parted, traits);
}

static bool fits_interleave(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    int32_t place = find_src_axis(form, false);
    clm_axis inner = axis_from_inside(form, 0);
    if (form->unit_bits < 8 || place < 0 || inner.dst != 1 || inner.extent > MAX_BLOCK)
        return false;
    clm_axis along = form->axes[place];
    set_nest(form, launch_plan, along, inner, 1);
    remove_outer(launch_plan, place);
    return true;
}

/* What should be split, but for short rows, is no faster joined; nor are longer windows on the host: 24 bytes joined and unit by
 * unit 25 and 17 GB/s, 28 bytes 20 and 37 (2 cores of an Intel Xeon, model 167). */
#define MOST_JOINED_WINDOW 24
static bool interleave_is_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    clm_launch_plan split = *launch_plan;
    if (clm_windows_are_near(form, traits))
        return !traits->items_make_tables && clm_window_bytes(form) > MOST_JOINED_WINDOW;
    return fits_deinterleave(form, &split) && deinterleave_is_poor(form, &split, traits);
}

/* Whether tiles lose what they gain: because indices of 64 bits leave room for few axes beside those of a tile, or because
 * neither side has anything contiguous, and no part of a long axis divides it. f32 [20011], every other unit to every other
 * place, takes 120 times as long in tiles of one unit as by gather (simulated GPU). */
static bool local_is_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    enum { MANY_LAUNCHES = 16, SMALL_TILE = 1024 };
    const int64_t tile_bytes = launch_plan->dst_run * launch_plan->dst_runs * clm_unit_bytes(launch_plan);
    (void)form, (void)traits;
    return launch_plan->launches >= MANY_LAUNCHES || (launch_plan->jobs > 1 && tile_bytes < SMALL_TILE);
}

static bool fits_gather(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    clm_axis inner = axis_from_inside(form, 0), next = axis_from_inside(form, 1);
    if (form->unit_bits < 8)
        return false;
    if (inner.extent <= MAX_BLOCK && form->rank > 1)
        set_nest(form, launch_plan, next, inner, 2);
    else
        set_nest(form, launch_plan, inner, one_step, 1);
    return true;
}

/* Driven by the bytes of the destination, so that no two work-items write one byte. n counts bytes from the one that holds the
 * first unit to the one that holds the last; every axis stays outside, to be found by division. */
static bool fits_bits(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    if (form->unit_bits >= 8)
        return false;
    set_nest(form, launch_plan, one_step, one_step, 0);
    return true;
}

const char *const clm_source_names[] = {
    [CLM_COPY_ROWS] = "copy_rows",
    [CLM_LOCAL_TILES] = "local_tiles",
    [CLM_PERIOD] = "period",
    [CLM_REPEAT] = "repeat",
    [CLM_SHUFFLE_BYTES] = "shuffle_bytes",
    [CLM_TWO_PASSES] = "two_passes",
    [CLM_TRANSPOSE_RUNS] = "transpose_runs",
    [CLM_TRANSPOSE] = "transpose",
    [CLM_DEINTERLEAVE] = "deinterleave",
    [CLM_INTERLEAVE] = "interleave",
    [CLM_GATHER] = "gather",
    [CLM_BITS] = "bits",
};

const clm_variant clm_variants[] = {
    {.name = "copy",
     .source = CLM_COPY_ROWS,
     .requires_in_full = "one run of units, contiguous in source and destination",
     .requires_in_short = "one contiguous run on both sides",
     .does = "moves the one run as it is",
     .speed = 3,
     .fits = fits_copy},
    {.name = "local",
     .source = CLM_LOCAL_TILES,
     .requires_in_full = "units of whole bytes, any strides, on a device of many short runs with 30 KiB of local memory",
     .requires_in_short = "a GPU with 30 KiB of local memory",
     .does = "reads tiles into local memory, and writes them from there",
     .speed = 2,
     .is_local = true,
     .fits = clm_fits_local,
     .is_poor = local_is_poor,
     .poor_since = "its tiles would be small or its launches many"},
    {.name = "period",
     .source = CLM_PERIOD,
     .requires_in_full = "a block of the innermost axes of the destination, of at most 24 KiB, that repeats and is no single "
                         "run of 4 KiB or more; or one in which several runs are repeated together, of less than 256 bytes, or "
                         "with less than 2 KiB of them side by side",
     .requires_in_short = "a block of at most 24 KiB that repeats",
     .does = "builds each block in the cache once, and stores it as often as it repeats",
     .speed = 2,
     .makes_blocks = true,
     .fits = clm_fits_period,
     .is_poor = clm_period_is_poor,
     .poor_since = "its blocks would be put together of a few bytes from each line"},
    {.name = "repeat",
     .source = CLM_REPEAT,
     .requires_in_full =
         "a run of at most 16 contiguous source units, or on the host of 17 to 512 bytes, stored several times in a row",
     .requires_in_short = "a run of at most 16 units, or on the host of 17 to 512 bytes, that is stored several times",
     .does = "reads each short run once, and stores it several times",
     .speed = 2,
     .m_is_constant = true,
     .fits = fits_repeat,
     .is_poor = repeat_is_poor,
     .poor_since = "each run would be one unit of another line, or is less than a line and repeated a few times"},
    {.name = "shuffle",
     .source = CLM_SHUFFLE_BYTES,
     .requires_in_full = "a block of the innermost axes of the destination, of at most 8 KiB, whose source spans at most four "
                         "times as much, or 16 times, if it is one axis of units of one or two bytes; one axis is a block, or "
                         "has parts that are, only if its units are not side by side in the source, or make a run of less than "
                         "64 bytes with the next one near",
     .requires_in_short = "blocks of at most 8 KiB, shuffled within",
     .does = "looks the bytes of each block up in vectors of the source, by a table",
     .speed = 2,
     .makes_blocks = true,
     .fits = clm_fits_shuffle,
     .is_poor = clm_shuffle_is_poor,
     .poor_since = "its blocks are few, or come from many places, or another variant is no slower, or this processor "
                   "cannot look bytes up"},
    {.name = "two_passes",
     .source = CLM_TWO_PASSES,
     .requires_in_full = "on a processor a block of three to five innermost axes of the destination, of at most 192 KiB, with "
                         "positive strides; one of them may be a part of an axis; on either side the block is one piece, or "
                         "pieces of at least 256 bytes. Where the source has gaps within lines, or goes backwards, two axes will "
                         "do, both may be parts, strides may be negative, and 64 bytes that lie near each other are a piece",
     .requires_in_short = "on a processor blocks of at most 192 KiB, moved within",
     .does = "puts each block in another order in the cache, and in its own from there",
     .speed = 1,
     .makes_blocks = true,
     .makes_passes = true,
     .fits = clm_fits_passes,
     .is_poor = clm_passes_are_poor,
     .poor_since = "one pass is no slower, or its blocks are few or small"},
    {.name = "transpose_runs",
     .source = CLM_TRANSPOSE_RUNS,
     .requires_in_full = "runs of at most 320 bytes, contiguous on both sides; beside them axes along which the destination is "
                         "contiguous, the columns, of at least 64 bytes or in rows that follow each other; for runs of more "
                         "than 16 bytes also axes along which the source is contiguous, forwards or backwards, the rows",
     .requires_in_short = "runs of at most 320 bytes in another order",
     .does = "reads tiles of short runs, and stores them as lines",
     .speed = 2,
     .makes_tiles = true,
     .fits = clm_fits_tiles_of_runs,
     .is_poor = clm_runs_are_poor,
     .poor_since = "its runs fill lines or overlap, and what they are read from stays in the cache"},
    {.name = "rows",
     .source = CLM_COPY_ROWS,
     .requires_in_full = "runs of at least 17 bytes, contiguous in source and destination",
     .requires_in_short = "contiguous runs of at least 17 bytes",
     .does = "copies run after run",
     .speed = 2,
     .fits = fits_rows,
     .is_poor = rows_are_poor,
     .poor_since = "its runs overlap and are short, so that they are in the cache"},
    {.name = "transpose",
     .source = CLM_TRANSPOSE,
     .requires_in_full =
         "axes along which the destination is contiguous, the columns, of at least 64 bytes or in rows that "
         "follow each other; axes along which the source is contiguous, forwards or backwards, the rows, of at "
         "least 16 units or 64 bytes, whichever is less; on neither side blocks side by side that deinterleave or "
         "interleave moves faster: of up to 16 units, or up to 3 to 15 where squares of them are faster. On the host, where the "
         "innermost of several axes of columns has less than 32 bytes, and it or the next comes from afar, 32 "
         "bytes of columns and any rows will do, and source blocks of any size. Not if short columns end within "
         "lines, one axis continues both, and the rows fill no square: those are split, or on the host become columns",
     .requires_in_short =
         "runs of 64 bytes on each side (or 16 units in the source), and no blocks of 16 units or fewer that are faster split",
     .does = "reads tiles, transposes them in registers, and stores them as lines",
     .speed = 2,
     .makes_tiles = true,
     .fits = clm_fits_tiles,
     .is_poor = transpose_is_poor,
     .poor_since = "its squares are slower than blocks that are split on this processor"},
    {.name = "deinterleave",
     .source = CLM_DEINTERLEAVE,
     .requires_in_full = "destination contiguous along one axis, and source along another, forwards or backwards, whose "
                         "largest divisor up to 16, the block, is at least 2 and at most the extent of the first, or larger on "
                         "a processor that reads blocks side by side, or up to 16 units apart, and writes such rows one "
                         "after the other; not if the first has at most 16 units, both make one row of the destination, and the "
                         "first is at most twice as long as the other or comes from places farther apart than that",
     .requires_in_short = "source blocks of 2 to 16 units, and destination runs as long, or on processors shorter ones in turn",
     .does = "splits source blocks among runs",
     .speed = 1,
     .m_is_constant = true,
     .fits = fits_deinterleave,
     .is_poor = deinterleave_is_poor,
     .poor_since = "its rows would be short, and of wide units, or its runs overlap"},
    {.name = "interleave",
     .source = CLM_INTERLEAVE,
     .requires_in_full = "destination contiguous along an axis of at most 16 units, source contiguous along another",
     .requires_in_short = "source runs, and at most 16 of their units side by side in the destination",
     .does = "joins several source runs",
     .speed = 1,
     .m_is_constant = true,
     .fits = fits_interleave,
     .is_poor = interleave_is_poor,
     .poor_since = "rows would be short, and of wide units, or runs overlap"},
    {.name = "gather",
     .source = CLM_GATHER,
     .requires_in_full = "units of whole bytes, any strides",
     .requires_in_short = "units of whole bytes",
     .does = "reads each unit alone",
     .fits = fits_gather},
    {.name = "bits",
     .source = CLM_BITS,
     .requires_in_full = "units of 1, 2 or 4 bits, any strides",
     .requires_in_short = "units of 1, 2 or 4 bits",
     .does = "puts each byte of the destination together from single units",
     .fits = fits_bits},
    {.name = NULL},
};
