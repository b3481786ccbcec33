/* The tile that a worker transposes: where its columns are in the source, and its rows in the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_TILE_H
#define CLMOVE_HOST_NATIVE_TILE_H

#include "cl_kernels/move.h"
#include "host/native/wc_buffer.h"
#include "host/plan/launch_plan.h"

/* Columns that may be read behind those of a tile: up to the end of a line, and to the end of a vector or of a strip of two
 * lines. */
#define CLM_TILE_BEHIND (3 * CLM_LINE)

typedef struct clm_tile {
    int64_t first_column, columns, first_row, rows;
    /* All rows of the matrix, and how many of them have their places one after the other in the destination. */
    int64_t all_rows, run;
    /* Of a run that is a place of a column in a row. */
    int64_t bytes;
    /* Where the matrix begins and ends in the source, in bytes from its first unit; and the bytes that may be read from the
     * tile's rearmost column on, in row 0. */
    int64_t begin, end, readable;
    /* All rows of the matrix follow each other in the destination. */
    bool are_in_one;
    /* Rows are put together before they are written: each is at once behind the one before, but at the end of a run. */
    bool is_joined;
    /* It has the last columns of the matrix. */
    bool is_last;
    /* In bytes. Of columns from the first of the tile on, up to CLM_TILE_BEHIND more, of which those that do not exist are the
     * last that does; and of the rows of the tile. */
    int64_t column_src[TILE_COLUMNS + CLM_TILE_BEHIND], row_dst[TILE_ROWS];
} clm_tile;

/* What a room of transpose has of a tile. */
typedef struct clm_room {
    unsigned char *bytes;
    /* Bytes from one row of the room to the next. */
    int64_t pitch;
    int64_t row, rows, column, columns;
} clm_room;

static int64_t clm_tile_stride(const clm_axis *axis, bool in_src) {
    return in_src ? axis->src : axis->dst;
}

/* The places of steps first to first + count - 1 of the product of some axes, outermost first. */
static void clm_tile_places(const clm_axis *axes, int32_t rank, bool in_src, int64_t unit_bytes, int64_t first, int64_t count,
                            int64_t *places) {
    int64_t index[CLM_MAX_AXES], place = 0;
    for (int32_t i = rank - 1; i >= 0; i--) {
        index[i] = first % axes[i].extent;
        first /= axes[i].extent;
        place += index[i] * clm_tile_stride(&axes[i], in_src);
    }
    const int32_t inner = rank - 1;
    const int64_t stride = clm_tile_stride(&axes[inner], in_src);
    for (int64_t done = 0; done < count;) {
        const int64_t left = axes[inner].extent - index[inner], part = left < count - done ? left : count - done;
        for (int64_t k = 0; k < part; k++)
            places[done + k] = (place + k * stride) * unit_bytes;
        done += part;
        place -= index[inner] * stride;
        index[inner] = 0;
        for (int32_t i = inner - 1; i >= 0; i--) {
            if (index[i] + 1 < axes[i].extent) {
                index[i]++;
                place += clm_tile_stride(&axes[i], in_src);
                break;
            }
            place -= index[i] * clm_tile_stride(&axes[i], in_src);
            index[i] = 0;
        }
    }
}

/* Before the first tile of a launch plan. Returns whether rows are joined. */
static bool clm_tile_start(clm_tile *tile, const clm_launch_plan *launch_plan) {
    const clm_axis *columns = &launch_plan->outer[launch_plan->outer_rank],
                   *row = columns + launch_plan->n_rank + launch_plan->m_rank - 1;
    tile->columns = tile->rows = 0;
    tile->all_rows = launch_plan->m;
    tile->run = row->extent;
    tile->bytes = launch_plan->run_units * clm_unit_bytes(launch_plan);
    tile->begin = 0;
    tile->end = launch_plan->m * tile->bytes;
    for (int32_t i = 0; i < launch_plan->n_rank; i++) {
        const int64_t bytes = (columns[i].extent - 1) * columns[i].src * clm_unit_bytes(launch_plan);
        *(bytes > 0 ? &tile->end : &tile->begin) += bytes;
    }
    const bool follow = row->dst == launch_plan->n * launch_plan->run_units;
    tile->are_in_one = follow && launch_plan->m_rank == 1;
    tile->is_joined = follow && TILE_IS_JOINED(launch_plan->n * tile->bytes, launch_plan->run_units, tile->bytes);
    return tile->is_joined;
}

/* Finds tile number `segment` of a row of the outer axes. What stays as it was since the tile before is not found again. */
static void clm_tile_find(clm_tile *tile, const clm_launch_plan *launch_plan, int64_t segment) {
    const int64_t unit_bytes = clm_unit_bytes(launch_plan), n = launch_plan->n, m = launch_plan->m;
    const int64_t across = (n + launch_plan->segment - 1) / launch_plan->segment;
    const clm_axis *columns = &launch_plan->outer[launch_plan->outer_rank], *rows = columns + launch_plan->n_rank;
    const int64_t first_column = segment % across * launch_plan->segment, first_row = segment / across * launch_plan->band;
    if (tile->columns == 0 || tile->first_column != first_column) {
        tile->first_column = first_column;
        tile->columns = n - first_column < launch_plan->segment ? n - first_column : launch_plan->segment;
        tile->is_last = first_column + tile->columns == n;
        const int64_t with_behind = tile->columns + CLM_TILE_BEHIND;
        const int64_t there = n - first_column < with_behind ? n - first_column : with_behind;
        clm_tile_places(columns, launch_plan->n_rank, true, unit_bytes, first_column, there, tile->column_src);
        for (int64_t i = there; i < with_behind; i++)
            tile->column_src[i] = tile->column_src[there - 1];
        int64_t last = tile->column_src[0];
        for (int64_t i = 1; i < with_behind; i++)
            last = tile->column_src[i] > last ? tile->column_src[i] : last;
        tile->readable = tile->end - last;
    }
    if (tile->rows == 0 || tile->first_row != first_row) {
        tile->first_row = first_row;
        tile->rows = m - first_row < launch_plan->band ? m - first_row : launch_plan->band;
        clm_tile_places(rows, launch_plan->m_rank, false, unit_bytes, first_row, tile->rows, tile->row_dst);
    }
}

/* Whether rows follow each other in the destination, and the tile has them whole. */
CLM_INLINE bool clm_tile_is_in_one(const clm_tile *tile, const clm_launch_plan *launch_plan) {
    return tile->are_in_one && tile->columns == launch_plan->n;
}

/* Bytes from `to`, where a row of the tile begins, up to the end of what the tile writes of it: the last line that begins in it,
 * or the row's end. */
CLM_INLINE int64_t clm_tile_row_end(const clm_tile *tile, const clm_launch_plan *launch_plan, const unsigned char *to,
                                    int width) {
    const int64_t row_bytes = tile->columns * width, left = (launch_plan->n - tile->first_column) * width;
    const int64_t end = row_bytes + clm_to_line(to + row_bytes);
    return end < left ? end : left;
}

#endif
