/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/tiles.h"
#include "host/plan/order.h"
#include "host/plan/ways.h"
#include "host/plan/windows.h"

#include "cl_kernels/move.h"
#include "host/checked.h"

#include <string.h>

/* The bytes of a cache line. */
#define LINE 64

/* deinterleave and interleave shuffle blocks of up to this many units in registers, so that these are not transposed. */
#define MAX_SHUFFLED 16

/* Columns and rows take more axes until they have this many bytes, or this many axes: a launch has 16 with the outer ones. */
#define LONG_ENOUGH 1024
#define MOST_AXES 6

/* Where the innermost axis of the columns has fewer bytes than SHORT_COLUMN, and what it joins comes from afar, columns may have
 * half a line, and rows fewer units than a square, which is read whole. What follows in the table would move so few bytes at a
 * time, each from a line of its own. Only the host does so: POCL's interleave and deinterleave are as fast. 2 cores of an AMD
 * EPYC (family 26, model 2), GB/s before and so: f16 [7,4,1024,2] reversed 3, 40; u8 [6,64,1024,6] by 1,3,2,0 5, 21. */
#define SHORT_COLUMN 32
#define FAR_COLUMN 1024
#define FAR_NEXT_COLUMN 8192

/* Runs of at most this many bytes gain from tiles even if no axis continues the source behind them. */
#define SHORT_RUN_BYTES 16

/* The axes of the columns or of the rows, innermost first, and their units. */
typedef struct chain {
    clm_axis axes[CLM_MAX_AXES];
    int32_t rank;
    int64_t extent;
} chain;

/* Moves an outer axis of the launch plan to a chain. */
static void take_axis(clm_launch_plan *launch_plan, int32_t place, chain *to) {
    clm_axis *axis = &launch_plan->outer[place];
    to->axes[to->rank++] = *axis;
    to->extent *= axis->extent;
    launch_plan->outer_rank--;
    memmove(axis, axis + 1, (size_t)(launch_plan->outer_rank - place) * sizeof *axis);
}

/* Takes the axis that continues the chain, if there is one. What is read backwards is written backwards instead. */
static bool grow(clm_launch_plan *launch_plan, chain *it, bool in_src) {
    for (int32_t i = launch_plan->outer_rank - 1; i >= 0 && it->rank < MOST_AXES; i--) {
        clm_axis *axis = &launch_plan->outer[i];
        if ((in_src ? clm_distance(axis->src) : axis->dst) != it->extent)
            continue;
        if (in_src && axis->src < 0)
            clm_turn_axis(launch_plan, axis);
        take_axis(launch_plan, i, it);
        return true;
    }
    return false;
}

/* Puts a chain behind the axes of the launch plan, from the outside in. */
static void put_chain(clm_launch_plan *launch_plan, int32_t behind, const chain *it) {
    for (int32_t i = 0; i < it->rank; i++)
        launch_plan->outer[behind + it->rank - 1 - i] = it->axes[i];
}

/* The side of the square that is transposed in registers: at most a line of the source, and at most 16 rows. */
static int64_t side_of(int64_t unit_bytes) {
    return unit_bytes < LINE / 16 ? 16 : LINE / unit_bytes;
}

/* Whether the rows follow each other in the destination, and are put together before they are written. columns: in units. */
static bool are_joined(clm_axis inner_row, int64_t columns, int64_t run_units, int64_t unit_bytes) {
    return inner_row.dst == columns && TILE_IS_JOINED(columns * unit_bytes, run_units, run_units * unit_bytes);
}

/* Whether one axis continues both chains. */
static bool is_contested(const clm_launch_plan *launch_plan, const chain *columns, const chain *rows) {
    for (int32_t i = 0; i < launch_plan->outer_rank; i++)
        if (launch_plan->outer[i].dst == columns->extent && clm_distance(launch_plan->outer[i].src) == rows->extent)
            return true;
    return false;
}

/* Takes axes to both chains in turn, the shorter one first, until they are long enough. An axis that continues both makes columns
 * of less than four lines longer, where rows fill a square: so that whole lines are written, and columns lie side by side in the
 * source. u16 [13,37,29,41,23] by 4,2,0,3,1 on 2 cores of an AMD EPYC (model 17) 0.13 of the limit, and 0.37 so; f32
 * [28,128,13,12,28] by 0,2,4,3,1, whose columns have eight lines, 0.73, and would have 0.34. is_short: columns come first until
 * they have half a line. is_torn: columns take it, too, where rows fill no square. */
static void grow_both(clm_launch_plan *launch_plan, chain *columns, chain *rows, int64_t unit_bytes, bool is_short,
                      bool is_torn) {
    const int64_t enough = LONG_ENOUGH / unit_bytes, side = side_of(unit_bytes);
    for (bool grows = true; grows;) {
        const bool is_columns = (is_short && columns->extent * unit_bytes < LINE / 2) ||
                                ((rows->extent >= side || is_torn) && columns->extent * unit_bytes < 4 * LINE &&
                                 is_contested(launch_plan, columns, rows));
        const bool rows_first = rows->extent < columns->extent && !is_columns;
        chain *first = rows_first ? rows : columns, *second = rows_first ? columns : rows;
        grows = (first->extent < enough && grow(launch_plan, first, rows_first)) ||
                (second->extent < enough && grow(launch_plan, second, !rows_first));
    }
}

static void set_tiles(clm_launch_plan *launch_plan, const chain *columns, const chain *rows, int64_t run_units) {
    launch_plan->run_units = run_units;
    launch_plan->n = columns->extent / run_units;
    launch_plan->m = rows->extent / run_units;
    launch_plan->n_src = launch_plan->n_dst = launch_plan->m_src = launch_plan->m_dst = 0;
    launch_plan->n_rank = columns->rank;
    launch_plan->m_rank = rows->rank;
    put_chain(launch_plan, launch_plan->outer_rank, columns);
    put_chain(launch_plan, launch_plan->outer_rank + columns->rank, rows);
}

/* Units of a group in the source that deinterleave moves better, in rows of so many groups, but see parts_more. 16 small units
 * make no less of a panel. Where strips are best, so are squares: groups of 8 to 16 of f64, and of 16 of f32, on 2 cores of an
 * AMD EPYC (model 17): in the cache 0.31 and 0.52 of the limit, past it 0.69 and 0.82.
 *
 * Where strips are wide, long rows of all groups are parted, and joined. 2 cores of an Intel Xeon (model 207), GB/s as squares
 * and so, on the host, with AVX2 and on POCL: images by 16 of u8 46, 51; 31, 48; 31, 38; of f16 45, 54; 32, 42; 35, 43; of f32
 * 45, 52; 41, 47; 32, 37; of f64 by 12 55, 57; 43, 52; 39, 43, by 16 56, 56; 47, 49; 43, 40. In rows of 7 to 28 groups squares
 * are faster: f16 by 16 56, 47, f32 56, 46 (of 39 groups 45, 52), f64 by 12 64, 55. But groups of 8 of f64, and of 4 to 8 of
 * complex128, are parted: f64 29, 48, Zen 5 59, 81; complex128 by 6 in rows of 33 35, 61, on POCL 21, 48. Zen 5 was not measured
 * since rows are joined, where groups of 16 of f32 made 74 as squares and 64. */
#define LEAST_JOINED(unit_bytes) ((unit_bytes) == 4 ? 32 : 40)
static int64_t most_parted(int64_t unit_bytes, const clm_launch_plan *launch_plan, int64_t row) {
    const bool are_wide = launch_plan->in_strips && launch_plan->in_wide_strips;
    if (are_wide && row >= LEAST_JOINED(unit_bytes))
        return MAX_SHUFFLED;
    if (are_wide && unit_bytes >= 8)
        return 8;
    if (unit_bytes < 4)
        return MAX_SHUFFLED - 1;
    return launch_plan->in_strips ? side_of(unit_bytes) - 1 : MAX_SHUFFLED;
}

/* Whether groups of the source, each unit of which goes to a row of its own, are parted where vectors are short, too: in long
 * rows, and where these follow each other in much longer ones. 2 cores of an AMD EPYC with AVX2 (family 25, model 1), GB/s as
 * squares and parted, host and POCL. Rows of 160 to 400 bytes that lie apart: bytes in groups of 16: 18, 26 and 17, 16; f16 of
 * 16: 24, 28 and 19, 19; f64 of 8 to 12: 23, 33 and 16, 21; complex128 of 6: 17, 30 and 10, 24. Rows of less than 160 bytes 24,
 * 22 and 15, 16; f32 of 16: 31, 28 and 19, 15. Rows that follow each other: f64 of 8, 4 KiB of them, 37, 28 and 20, 21, much
 * longer 29, 37 and 22, 24; complex128 of 6: 25, 31 and 15, 21. Other maps, and longer rows, gain on POCL as well
 * (doc/results/2026-11-29-zen3.md). Groups of 15 of f64 were not measured. */
#define LEAST_PARTED 160
#define LEAST_PARTED_IN_ORDER(unit_bytes) ((unit_bytes) == 8 ? 65536 : 4096)
#define MOST_PARTED(unit_bytes) ((unit_bytes) == 8 ? 14 : MAX_SHUFFLED)
static bool parts_more(int64_t unit_bytes, const clm_launch_plan *launch_plan, const chain *columns, const chain *rows) {
    const bool are_in_order = rows->axes[0].dst == columns->extent;
    const int64_t least = are_in_order ? LEAST_PARTED_IN_ORDER(unit_bytes) : LEAST_PARTED;
    return launch_plan->has_short_vectors && launch_plan->in_strips && !launch_plan->in_wide_strips && unit_bytes != 4 &&
           rows->extent <= MOST_PARTED(unit_bytes) && columns->extent * unit_bytes >= least;
}

/* Units of a group in the destination that interleave moves better. On the same processor groups of 16, interleaved and
 * transposed: f64 0.39 and 0.51 in the cache, 0.91 and 1.01 past it; f32 0.41 and 0.43, 0.64 and 0.84. Smaller groups are better
 * interleaved. So are those of 16 of f32 where strips are wide, if their rows are long: f32 [16,400001] by 1,0 on an Intel Xeon
 * (model 207), host 0.98 and 0.74, POCL 0.85 and 0.63; but rows of 4 to 12 units 0.30 and 0.60. Rows of 16 to 56 units: host 0.91
 * to 1.05, and 0.57 to 0.87; POCL 0.73 to 0.99, and 0.50 to 0.75 (model 167). */
#define LONG_ROW 16
static int64_t most_woven(int64_t unit_bytes, const clm_launch_plan *launch_plan, int64_t row) {
    const bool is_square = unit_bytes == 8 || (unit_bytes == 4 && !(launch_plan->in_wide_strips && row >= LONG_ROW));
    return launch_plan->in_strips && is_square ? MAX_SHUFFLED - 1 : MAX_SHUFFLED;
}

/* Whether columns so far begin with so few bytes from afar. */
static bool are_short(const clm_launch_plan *launch_plan, const chain *columns, int64_t unit_bytes) {
    bool is_far = false;
    for (int32_t i = 0; i < launch_plan->outer_rank; i++)
        is_far |= launch_plan->outer[i].dst == columns->extent &&
                  clm_distance(launch_plan->outer[i].src) * unit_bytes >= FAR_NEXT_COLUMN;
    return launch_plan->part_squares && columns->extent * unit_bytes < SHORT_COLUMN &&
           (is_far || clm_distance(columns->axes[0].src) * unit_bytes >= FAR_COLUMN);
}

/* Whether rows of the destination that fill no square would end within lines, although the next unit of each column could follow
 * there: one axis continues both. Rows of one square then belong to several places, whose lines are written in pieces. */
static bool are_torn(const clm_launch_plan *launch_plan, const chain *columns, const chain *rows, int64_t unit_bytes) {
    const int64_t column_bytes = columns->extent * unit_bytes;
    return column_bytes >= LINE && column_bytes % LINE != 0 && rows->extent < side_of(unit_bytes) &&
           is_contested(launch_plan, columns, rows);
}

/* Whether deinterleave moves those faster. [a,n,256,r] by 3,0,2,1, n from 9 to 65, share of the limit transposed and split: POCL
 * f64 and complex128 0.17 and 0.5, f32 0.18 and 0.35, f16 0.15 and 0.23, bytes 0.16 and 0.12; host f32 with r of 4 to 12 0.29 and
 * 0.4, f16 0.22 and 0.3. The host transposes wider units in rows that fill no square, if a column has FEW_ROW_BYTES of them: f64
 * with r of 2, 3 and 5 1.1, 1.6 and 2.3 times as fast (with AVX2 0.7 with r of 2), complex128 0.24 and 0.6. Longer columns lose
 * by splitting: f16 with n of 300 POCL 0.32 and 0.21 (2 cores of an Intel Xeon, model 207). */
#define FEW_ROW_BYTES 24
static bool is_better_split(const clm_launch_plan *launch_plan, const chain *columns, int64_t rows, int64_t unit_bytes) {
    const int64_t column_bytes = columns->extent * unit_bytes;
    if (launch_plan->part_squares)
        return unit_bytes > 1 && unit_bytes < 8 && rows >= 4 && column_bytes < 4 * LINE;
    return unit_bytes > 1 && rows <= MAX_SHUFFLED && column_bytes < (unit_bytes < 8 ? 8 : 16) * LINE;
}

bool clm_fits_tiles(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    chain columns = {.extent = 1}, rows = {.extent = 1};
    if (form->unit_bits < 8 || form->rank < 2 || form->axes[form->rank - 1].src == 1)
        return false;
    launch_plan->outer_rank = form->rank;
    memcpy(launch_plan->outer, form->axes, (size_t)form->rank * sizeof *form->axes);
    if (!grow(launch_plan, &columns, false) || !grow(launch_plan, &rows, true))
        return false;
    const int64_t unit_bytes = form->unit_bits / 8, lanes = LINE / unit_bytes;
    const bool is_short = are_short(launch_plan, &columns, unit_bytes);
    if ((clm_distance(columns.axes[0].src) == rows.extent && !is_short &&
         (rows.extent <= most_parted(unit_bytes, launch_plan, columns.extent) ||
          parts_more(unit_bytes, launch_plan, &columns, &rows))) ||
        (rows.axes[0].dst == columns.extent && columns.extent <= most_woven(unit_bytes, launch_plan, rows.extent)))
        return false;
    const bool is_torn = are_torn(launch_plan, &columns, &rows, unit_bytes);
    if (is_torn && is_better_split(launch_plan, &columns, rows.extent, unit_bytes))
        return false;
    const bool fills_enough = unit_bytes >= 8 && rows.extent * unit_bytes >= FEW_ROW_BYTES;
    const bool has_few = is_torn && launch_plan->part_squares && fills_enough;
    grow_both(launch_plan, &columns, &rows, unit_bytes, is_short, has_few);
    if ((rows.extent < side_of(unit_bytes) && !((is_short || has_few) && columns.rank > 1)) ||
        (columns.extent < (is_short ? lanes / 2 : lanes) && !are_joined(rows.axes[0], columns.extent, 1, unit_bytes)))
        return false;
    set_tiles(launch_plan, &columns, &rows, 1);
    return true;
}

bool clm_fits_tiles_of_runs(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    if (form->unit_bits < 8 || form->rank < 2)
        return false;
    const clm_axis run = form->axes[form->rank - 1];
    const int64_t unit_bytes = form->unit_bits / 8, run_bytes = run.extent * unit_bytes;
    chain columns = {.extent = run.extent}, rows = {.extent = run.extent};
    if (run.src != 1 || run.dst != 1 || run_bytes > TILE_MOST_RUN)
        return false;
    launch_plan->outer_rank = form->rank - 1;
    memcpy(launch_plan->outer, form->axes, (size_t)launch_plan->outer_rank * sizeof *form->axes);
    if (!grow(launch_plan, &columns, false) || (!grow(launch_plan, &rows, true) && run_bytes > SHORT_RUN_BYTES))
        return false;
    grow_both(launch_plan, &columns, &rows, unit_bytes, false, false);
    if (rows.rank == 0)
        rows.axes[rows.rank++] = (clm_axis){.extent = 1, .src = 0, .dst = 0};
    if (columns.extent * unit_bytes < LINE && !are_joined(rows.axes[0], columns.extent, run.extent, unit_bytes))
        return false;
    set_tiles(launch_plan, &columns, &rows, run.extent);
    return true;
}

/* What rows read again is still in the cache where matrices are near (order.h), and its pages are known where these lie together.
 * Runs of a line and more, matrices of 3 to 400 KB, past the cache, share of the limit on 2 cores of an Intel Xeon (model 167):
 * in tiles 0.52 to 0.97, row by row 0.80 to 1.05 (host and POCL); 32 columns 29 KB apart 0.63 to 0.94, and 0.97 to 1.07; but 20
 * columns 381 KB apart 0.82, and 0.66, and 298 of them 800 KB apart 0.84 to 0.90, and 0.54 to 0.61. In the cache tiles are as
 * fast, but where columns meet in few sets of it: 0.26 to 0.40, and 0.58 to 0.71 (host). */
#define FEW_SETS 2048
/* On the host so are shorter runs, past the cache: 55 maps with runs of 28 to 60 bytes, 40 MB, in tiles 0.81, row by row 0.94
 * (with AVX2, 13 of them: 0.82, 0.93). POCL makes 0.78 in tiles, and 0.62 row by row. */
#define LEAST_ROW 32

bool clm_runs_are_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    if (clm_windows_are_near(form, traits))
        return true;
    const int64_t unit_bytes = clm_unit_bytes(launch_plan), run_bytes = launch_plan->run_units * unit_bytes;
    const clm_axis *axes = &launch_plan->outer[launch_plan->outer_rank], *column = &axes[launch_plan->n_rank - 1];
    int64_t spanned = run_bytes;
    for (int32_t i = 0; i < launch_plan->n_rank + launch_plan->m_rank; i++)
        spanned += (axes[i].extent - 1) * clm_distance(axes[i].src) * unit_bytes;
    const bool is_near = launch_plan->n * launch_plan->m * run_bytes <= CLM_NEAR_MATRIX && spanned <= CLM_NEAR_SPAN;
    return !traits->is_pass && run_bytes >= (traits->has_images && launch_plan->stream ? LEAST_ROW : LINE) && is_near &&
           (launch_plan->stream || (column->src != 0 && column->src * unit_bytes % FEW_SETS == 0));
}

static int64_t clamp(int64_t a, int64_t least, int64_t most) {
    return a < least ? least : a > most ? most : a;
}

/* Parts of a length, each a multiple of `step` and at most `most`, and as equal as can be. */
static int64_t cut_evenly(int64_t length, int64_t most, int64_t step) {
    const int64_t parts = clm_divide_up(length, most < step ? step : most / step * step);
    return clm_divide_up(clm_divide_up(length, parts), step) * step;
}

/* Lines of a row of the destination that one tile writes. With fewer lines, more of them are shared with other tiles. With more,
 * more places of the source are read at once. Where rows do not begin at lines, a tile reads the columns of one line more.
 * 2 cores of a virtual Intel Xeon, GB/s with 1, 2, 3 and 4 lines: f32 4096 x 4096 35, 41, -, 30; u8 8192 x 8192 29, 26, -, 19;
 * f32 4099 x 4111 20, 28, 28, 25; u8 8193 x 7777 -, 17, 20, 23. */
static int64_t lines_of_tile(const clm_launch_plan *launch_plan) {
    const bool is_small = launch_plan->unit_bits < 32;
    if (!clm_tiles_line_up(launch_plan))
        return is_small ? 4 : 3;
    return is_small ? 1 : 2;
}

/* Lines of a row that a tile of strips writes, if there is enough work for all workers. Strips take the columns line by line, so
 * that wide tiles read no more places at once. Rows that do not begin at lines, on 2 cores of an AMD EPYC (model 17, without
 * AVX-512), GB/s with 4, 8 and 16 lines: f32 4099 x 4111 22, 23, 25; f16 4099 x 8001 16, 19, 23; u8 8193 x 7777 21, 22, 26. */
#define STRIP_LINES 16

/* The least columns of a tile: runs that fill a line or a little more. Where rows begin at lines, the runs fill whole lines,
 * unless that takes too many. u8 2048 x 2048 x 3 transposed on 2 cores of an Intel Xeon at 2.8 GHz: 0.33 (host) and 0.28 (POCL)
 * of the limit with 88 columns, 0.44 and 0.46 with 192. Where rows begin anywhere, whole lines have no use: pixels of 13 bytes
 * reach 0.50 with 20 columns, and 0.44 with 64. */
static int64_t runs_of_lines(const clm_launch_plan *launch_plan, int64_t run_bytes) {
    int64_t runs = 1;
    while (runs * run_bytes % LINE != 0)
        runs++;
    return clm_tiles_line_up(launch_plan) && runs * run_bytes <= TILE_RUN_COLUMNS ? runs : clm_divide_up(LINE, run_bytes);
}

/* Rows that are written at the same time, where each run goes straight to its lines. Few rows that lie side by side in the source
 * are all written at once. Of many rows, so many are that about 1 KiB of each column is read. 2 cores of an Intel Xeon at 2.8
 * GHz, share of a streaming copy: 24 rows of 128 bytes side by side, 1, 4, 6 and 12 at a time: 0.23, 0.44, 0.53, 0.66; of 256
 * bytes 0.28, 0.47, 0.56, 0.73. 512 rows of 256 bytes, 1, 4 and 16 at a time: 0.58, 0.79, 0.74; of 300 bytes 0.70, 0.86, 0.73. */
static int64_t rows_at_once(int64_t rows, int64_t run_bytes) {
    if (rows * run_bytes > 8192)
        return clamp(TILE_DIRECT_BYTES / run_bytes, 1, TILE_DIRECT_ROWS);
    const int64_t groups = clm_divide_up(rows * run_bytes, 4096), by_count = clm_divide_up(rows, TILE_DIRECT_ROWS);
    return clm_divide_up(rows, groups > by_count ? groups : by_count);
}

/* Whether tiles have whole rows, since these follow each other in the destination and end within lines: then the line in which
 * one ends and the next begins is written whole. Such a tile may have more than segment_bytes, but at most a fourth of a worker's
 * share. Images in patches on 2 cores of an Intel Xeon (model 207), GB/s without and with all of that: f32 [24,3,336,336] by 16
 * POCL 28, 41, host 42, 53; f32 [10,3,608,608] by 32 27, 39 and 40, 54. */
static bool have_whole_rows(const clm_launch_plan *launch_plan, clm_axis inner_row, int64_t unit_bytes, int64_t share) {
    return launch_plan->m_rank == 1 && inner_row.dst == launch_plan->n && launch_plan->n <= TILE_COLUMNS &&
           launch_plan->n * unit_bytes % LINE != 0 && launch_plan->n * launch_plan->band <= share;
}

/* Bytes of a tile's columns side by side, at least, where they are runs and fill whole lines. */
#define WHOLE_COLUMNS 512

void clm_cut_tiles(clm_launch_plan *launch_plan, const clm_traits *traits, const clm_tuning *tuning) {
    const bool has_runs = launch_plan->run_units > 1;
    const int64_t run_bytes = launch_plan->run_units * clm_unit_bytes(launch_plan); /* what a column has in a row */
    const bool is_direct = run_bytes >= TILE_DIRECT_RUN && has_runs;
    const int64_t lanes = is_direct  ? 1
                          : has_runs ? runs_of_lines(launch_plan, run_bytes)
                                     : LINE / run_bytes,
                  side = is_direct  ? rows_at_once(launch_plan->m, run_bytes)
                         : has_runs ? 16
                                    : side_of(run_bytes);
    const int64_t all = launch_plan->rows * launch_plan->n * launch_plan->m, share = all / (4 * traits->workers);
    const int64_t tile = clamp(tuning->segment_bytes / run_bytes, side * lanes, clamp(share, side * lanes, all));
    const clm_axis *inner_row = &launch_plan->outer[launch_plan->outer_rank + launch_plan->n_rank + launch_plan->m_rank - 1];
    if (are_joined(*inner_row, launch_plan->n * launch_plan->run_units, launch_plan->run_units, clm_unit_bytes(launch_plan))) {
        launch_plan->segment = launch_plan->n;
        launch_plan->band = cut_evenly(launch_plan->m, clamp(tile / launch_plan->n, side, TILE_ROWS), side);
        launch_plan->in_strips = false;
    } else {
        /* Twice the rows of a tile that is a line wide. Columns are a line or more, so that such a tile is larger. */
        int64_t rows = is_direct ? side : clamp(2 * tile / lanes, side, clamp(TILE_ROW_BYTES / run_bytes, side, TILE_ROWS));
        if (launch_plan->stream && launch_plan->in_strips && !has_runs)
            rows = clm_choose_way(launch_plan, tuning, rows);
        launch_plan->band = cut_evenly(launch_plan->m, rows, side);
        const int64_t most = has_runs && !is_direct ? TILE_RUN_COLUMNS / run_bytes : TILE_COLUMNS;
        const int64_t columns = tile / clamp(launch_plan->band, 1, launch_plan->m);
        int64_t least =
            has_runs && lanes * run_bytes % LINE == 0 ? WHOLE_COLUMNS / run_bytes : lines_of_tile(launch_plan) * lanes;
        if (launch_plan->in_strips && !has_runs)
            least = clamp(share / launch_plan->band, least, STRIP_LINES * lanes);
        launch_plan->segment = cut_evenly(launch_plan->n, clamp(columns, least, most), lanes);
        const bool in_strips = launch_plan->stream && launch_plan->in_strips && !has_runs;
        const bool whole_rows = in_strips && have_whole_rows(launch_plan, *inner_row, run_bytes, share);
        if (whole_rows)
            launch_plan->segment = launch_plan->n;
        const int64_t in_turn = launch_plan->stream && launch_plan->in_strips && !whole_rows ? clm_take_turns(launch_plan) : 0;
        if (in_turn > 0)
            launch_plan->segment = in_turn <= most ? in_turn : cut_evenly(launch_plan->n, most, lanes);
    }
    launch_plan->segments =
        clm_divide_up(launch_plan->n, launch_plan->segment) * clm_divide_up(launch_plan->m, launch_plan->band);
    if (has_runs && launch_plan->band > launch_plan->m) /* work is counted by these */
        launch_plan->band = launch_plan->m;
    if (has_runs && launch_plan->segment > launch_plan->n)
        launch_plan->segment = launch_plan->n;
}
