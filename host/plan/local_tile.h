/* The tile of a map that goes through local memory: how far each axis is in it, and along which axes either side is contiguous.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_LOCAL_TILE_H
#define CLMOVE_HOST_PLAN_LOCAL_TILE_H

#include "host/map/normal_form.h"

/* The most axes of a tile, and of those how many more splitting makes. No axis: CLM_NO_AXIS. */
enum { CLM_LOCAL_AXES = 8, CLM_LOCAL_SPLITS = 2, CLM_NO_AXIS = -1 };

/* The bytes that a work-item moves at once, at most, and those of a sector, which memory is read and written in. */
enum { CLM_ACCESS_BYTES = 16, CLM_SECTOR_BYTES = 32 };

/* An axis of the form, as far as it is in the tile. */
typedef struct clm_local_tile_part {
    clm_axis axis;
    int64_t extent;
    /* The slots of local memory from one step to the next. */
    int64_t slot;
    bool is_taken;
    /* A repeat with slots of its own. To the side that reads, it is runs that are read again. */
    bool is_imaged;
} clm_local_tile_part;

/* The axes, from the inside out, along which one side is contiguous. Only the last may be cut. The first run_rank of them make a
 * run; the others count runs, as axes of no chain do. */
typedef struct clm_local_tile_chain {
    int32_t axes[CLM_LOCAL_AXES + CLM_LOCAL_SPLITS];
    int32_t rank, run_rank;
    /* Of the side, in units. */
    int64_t offset;
    bool is_src, is_done;
} clm_local_tile_chain;

typedef struct clm_local_tile {
    clm_local_tile_part parts[CLM_MAX_AXES + CLM_LOCAL_SPLITS];
    int32_t rank, taken, splits;
    int32_t most_taken, most_splits;
    int64_t unit_bytes;
    /* Of the source in a tile, at most. */
    int64_t most_units;
    /* Of a whole tile. */
    int64_t src_units, dst_units;
    clm_local_tile_chain src, dst;
} clm_local_tile;

/* Starts with a form's axes, none of which is in the tile. workers: the device's compute units. max_outer: the axes of a launch,
 * at least 15. */
void clm_local_tile_start(clm_local_tile *tile, const clm_axis *axes, int32_t rank, int64_t unit_bytes, uint32_t workers,
                          int32_t max_outer);

/* Whether steps along an axis have different slots, as they have where the source is not repeated, or is imaged. */
bool clm_local_tile_has_slots(const clm_local_tile *tile, int32_t axis);

/* Chooses how far each axis is in the tile, so that both sides have long runs, and settles the runs. */
void clm_local_tile_choose(clm_local_tile *tile);

/* Whether an axis is in the tile, but not all of it, and ends a chain with that. Other parts divide their axes. */
bool clm_local_tile_is_end(const clm_local_tile *tile, int32_t axis);

/* The axis that ends a chain within it; CLM_NO_AXIS if the chain's last one is whole. */
int32_t clm_local_tile_find_end(const clm_local_tile *tile, const clm_local_tile_chain *chain);

bool clm_local_tile_is_of_run(const clm_local_tile_chain *chain, int32_t axis);
int64_t clm_local_tile_run(const clm_local_tile *tile, const clm_local_tile_chain *chain);

/* An axis's steps on one side, in units. */
int64_t clm_local_tile_stride(const clm_local_tile *tile, int32_t axis, bool is_src);

/* Whether all runs of one side begin and end at multiples of so many units, those of the last tiles included. */
bool clm_local_tile_lines_up(const clm_local_tile *tile, const clm_local_tile_chain *chain, int64_t units);

/* Writes the axes of the tile in the order of one side: those of a run, then by stride, and one that ends a chain last. Returns
 * how many. order: room for CLM_LOCAL_AXES + CLM_LOCAL_SPLITS. */
int32_t clm_local_tile_order(const clm_local_tile *tile, const clm_local_tile_chain *chain, int32_t *order);

#endif
