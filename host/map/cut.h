/* Cutting a normal form into pieces along its axes, for runs in pieces. Pure: no memory, no devices.
 *
 * A piece is a box of the form's steps: `steps` of each axis that is cut, all steps of the others. Together the pieces write each
 * unit of the destination exactly once.
 *
 * A piece is moved where it lies (clm_cut_in_place), or through packed memory in three parts (clm_cut_packed). Pack gathers what
 * the piece reads, move goes from packed to packed memory, unpack scatters what the piece writes. Both packed memories are dense.
 * A packed source has an axis with source stride 0 only once, and no negative strides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_MAP_CUT_H
#define CLMOVE_HOST_MAP_CUT_H

#include "host/map/normal_form.h"

/* The most that one piece may take, in bytes. 0: no limit. One unit is always allowed. */
typedef struct clm_cut_limits {
    /* From the first to the last byte that it reads, or writes. */
    int64_t src_spread, dst_spread;
    /* The packed bytes that it reads and writes. */
    int64_t src, dst;
    /* The sum of src and dst. */
    int64_t both;
} clm_cut_limits;

/* The bytes that the largest piece takes, as in clm_cut_limits. */
typedef struct clm_cut_sizes {
    int64_t src_spread, dst_spread, src, dst;
} clm_cut_sizes;

/* A form and how it is cut. */
typedef struct clm_cut {
    clm_normal_form form;
    /* The steps of each axis in one piece: the extent where the axis is not cut. The last piece along an axis may have fewer. */
    int64_t steps[CLM_MAX_AXES];
    int32_t cut_rank;
    /* The axes that are cut. Consecutive pieces follow each other along the last. */
    int32_t order[CLM_MAX_AXES];
    int64_t pieces;
    /* The number of different parts of the source that pieces read. Consecutive pieces may share a part. */
    int64_t src_pieces;
    /* Contiguous bytes of a piece, in source or destination, whichever is less. */
    int64_t run_bytes;
    clm_cut_sizes sizes;
} clm_cut;

/* Cuts a normalised form that is not empty. Among the cuts within the limits it prefers, in this order: the longest contiguous
 * runs in source and destination (all runs above 64 KiB are equal), the fewest axes, and the outermost axis unless another axis
 * makes clearly fewer pieces. */
void clm_cut_make(const clm_normal_form *form, const clm_cut_limits *limits, clm_cut *cut);

/* Cuts a normalised form that is not empty along the outermost axes of the destination, into at least so many pieces if that is
 * possible. No two pieces have a byte of the destination in common, nor between their first and last bytes; where they would,
 * there is one piece. */
void clm_cut_outer(const clm_normal_form *form, int64_t pieces, clm_cut *cut);

/* How many pieces from one on, at most `most`, lie next to each other along the last axis that is cut. */
int64_t clm_cut_neighbours(const clm_cut *cut, int64_t piece, int64_t most);

/* One piece where it lies. Pieces of the same extents have the same form, unless units below a byte begin elsewhere in their
 * first byte. */
typedef struct clm_placed_piece {
    /* Normalised. Its offsets count from src_first and dst_first. */
    clm_normal_form form;
    /* The first byte of the piece in each memory, and the bytes up to the last. */
    int64_t src_first, src_bytes, dst_first, dst_bytes;
} clm_placed_piece;

/* Describes a piece where it lies. piece: 0 to cut->pieces - 1, here and below. */
void clm_cut_in_place(const clm_cut *cut, int64_t piece, clm_placed_piece *placed);

/* Describes pieces, of which clm_cut_neighbours counts so many, as one. */
void clm_cut_in_place_with(const clm_cut *cut, int64_t piece, int64_t count, clm_placed_piece *placed);

/* The three parts of a piece that goes through packed memory, normalised. move depends on the extents of the piece alone. */
typedef struct clm_packed_piece {
    clm_normal_form pack, move, unpack;
    /* The sizes of the packed memories. */
    int64_t src_bytes, dst_bytes;
} clm_packed_piece;

/* Describes a piece that goes through packed memory. */
void clm_cut_packed(const clm_cut *cut, int64_t piece, clm_packed_piece *packed);

/* Whether a piece reads the same source bytes as the piece before it. */
bool clm_cut_reads_same(const clm_cut *cut, int64_t piece);

/* The units that a piece writes, or those of the packed source that it reads. */
int64_t clm_cut_units(const clm_cut *cut, int64_t piece, bool src);

/* The contiguous bytes that a form reads or writes in a row, whichever is less. */
int64_t clm_form_run_bytes(const clm_normal_form *form);

#endif
