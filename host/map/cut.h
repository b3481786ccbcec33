/* Cutting a normal form into pieces along its axes, for what must not, or cannot, be done at once: one piece after the other
 * (streaming), or each somewhere else (sharding).
 *
 * A piece is a box of the form's steps: `steps` of each axis that is cut, all of the others. Together the pieces write each unit
 * of the destination exactly once. Pure: no memory, no devices.
 *
 * A piece can be moved where it lies (clm_cut_in_place), or by way of packed memory, in three moves (clm_cut_packed): pack, which
 * gathers what it reads; move, from packed to packed; unpack, which puts what it writes in its places. A packed source holds
 * axes along which the source stands still only once, and its strides are never negative; both packed memories are dense.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_MAP_CUT_H
#define CLMOVE_HOST_MAP_CUT_H

#include "host/map/normal_form.h"

/* What one piece may take at most, in bytes; 0: any. A unit is always allowed. */
typedef struct clm_cut_limits {
    int64_t src_span, dst_span; /* from the first to the last byte that it touches */
    int64_t src, dst;           /* bytes read, each packed byte once, and written */
    int64_t both;               /* src + dst */
} clm_cut_limits;

/* What the largest piece takes, in bytes. */
typedef struct clm_cut_sizes {
    int64_t src_span, dst_span, src, dst;
} clm_cut_sizes;

typedef struct clm_cut {
    clm_normal_form form;
    int64_t steps[CLM_MAX_AXES]; /* of each axis in one piece, the last along it may have fewer; the extent where not cut */
    int32_t cut_rank;
    int32_t order[CLM_MAX_AXES]; /* the axes that are cut; the last is the one that the next piece goes on along */
    int64_t pieces;
    int64_t src_pieces; /* how many different parts of the source the pieces read: those that follow each other share theirs */
    int64_t run_bytes;  /* contiguous in source and in destination, whichever is less, for a piece */
    clm_cut_sizes sizes;
} clm_cut;

/* Cuts a normalised form that is not empty. Of the cuts that keep to the limits, takes the one whose pieces run longest in source
 * and destination (all beyond 64 KiB being equal), then the one that cuts the fewest axes, then the one along the outermost axis
 * unless another makes clearly fewer pieces. */
void clm_cut_make(const clm_normal_form *form, const clm_cut_limits *limits, clm_cut *cut);

/* One piece where it lies: the bytes of each memory from its first to its last, and the form that moves it, normalised, whose
 * offsets count from the first bytes of these windows. Pieces of the same extents so have the same form, except that units of
 * less than a byte may begin elsewhere in their first one. */
typedef struct clm_placed_piece {
    clm_normal_form form;
    int64_t src_first, src_bytes, dst_first, dst_bytes;
} clm_placed_piece;

void clm_cut_in_place(const clm_cut *cut, int64_t piece, clm_placed_piece *placed);

/* The three moves of one piece by way of packed memory, normalised. move does not depend on where the piece lies, only on its
 * extents. */
typedef struct clm_packed_piece {
    clm_normal_form pack, move, unpack;
    int64_t src_bytes, dst_bytes; /* of the packed memories */
} clm_packed_piece;

void clm_cut_packed(const clm_cut *cut, int64_t piece, clm_packed_piece *packed);

/* Whether a piece reads the very source that the piece before it reads. */
bool clm_cut_reads_same(const clm_cut *cut, int64_t piece);

/* Units that a piece writes, and those of the packed source that it reads. */
int64_t clm_cut_units(const clm_cut *cut, int64_t piece);
int64_t clm_cut_units_read(const clm_cut *cut, int64_t piece);

/* Bytes that hold so many units of a form. */
int64_t clm_form_bytes(const clm_normal_form *form, int64_t units);

/* Bytes that are contiguous in source and destination, whichever is less, as long as the form moves them. */
int64_t clm_form_run_bytes(const clm_normal_form *form);

#endif
