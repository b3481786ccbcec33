/* The tile that a job of transpose or transpose_runs moves: where its columns are in the source, and its rows in the destination.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TILE_H
#define CLMOVE_TILE_H

/* Columns that may be read behind those of a tile: up to the end of a line, and to the end of a vector or of a strip. */
#define BEHIND (2 * LINE)

typedef struct {
    index_t first_column, columns, first_row, rows;
    /* Rows that have their places one after the other in the destination. */
    index_t run;
    /* All rows of the matrix follow each other in the destination. */
    bool are_in_one;
    /* Rows are put together before they are written: each is at once behind the one before, but at the end of a run. */
    bool is_joined;
    /* This one has the last columns of the matrix. */
    bool is_last;
    /* Places of columns in the source and of rows in the destination. Columns that do not exist are the last that does. */
    sindex_t column_src[TILE_COLUMNS + BEHIND], row_dst[TILE_ROWS];
} tile_t;

/* `count` places, so far apart. Not of the minimal size: compilers make vectors of it. */
MOVE_CALLED void find_run(sindex_t *places, index_t count, sindex_t place, sindex_t stride) {
    for (index_t k = 0; k < count; k++)
        places[k] = place + (sindex_t)k * stride;
}

/* The places of steps first to first + count - 1 of the product of `rank` axes of outer. */
MOVE_SELDOM void find_places(const move_args *args, index_t axis, index_t rank, bool in_src, index_t first, index_t count,
                             sindex_t *places) {
    index_t index[MOVE_OUTER];
    sindex_t stride[MOVE_OUTER], place = 0;
    for (index_t i = rank; i-- > 0;) {
        const index_t rest = divide(first, &args->outer[axis + i].by);
        stride[i] = in_src ? args->outer[axis + i].src : args->outer[axis + i].dst;
        index[i] = first - rest * args->outer[axis + i].extent;
        place += (sindex_t)index[i] * stride[i];
        first = rest;
    }
    const index_t inner = rank - 1;
    for (index_t done = 0; done < count;) {
        const index_t part = min(args->outer[axis + inner].extent - index[inner], count - done);
        find_run(places + done, part, place, stride[inner]);
        done += part;
        place -= (sindex_t)index[inner] * stride[inner];
        index[inner] = 0;
        for (index_t i = inner; i-- > 0;) {
            if (index[i] + 1 < args->outer[axis + i].extent) {
                index[i]++;
                place += stride[i];
                break;
            }
            place -= (sindex_t)index[i] * stride[i];
            index[i] = 0;
        }
    }
}

/* Finds tile number `segment` of a row of the outer axes. What stays as it was since the tile before is not found again. */
MOVE_SELDOM __attribute__((unused)) void find_tile(const move_args *args, index_t segment, tile_t *tile) {
    const index_t across = (args->n + args->segment - 1) / args->segment;
    const index_t first_column = segment % across * args->segment, first_row = segment / across * args->band;
    if (tile->columns == 0 || tile->first_column != first_column) {
        tile->first_column = first_column;
        tile->columns = min(args->segment, args->n - first_column);
        tile->is_last = first_column + tile->columns == args->n;
        const index_t there = min(args->n - first_column, tile->columns + BEHIND);
        find_places(args, args->outer_rank, args->n_rank, true, first_column, there, tile->column_src);
        for (index_t i = there; i < tile->columns + BEHIND; i++)
            tile->column_src[i] = tile->column_src[there - 1];
    }
    if (tile->rows == 0 || tile->first_row != first_row) {
        tile->first_row = first_row;
        tile->rows = min(args->band, args->m - first_row);
        find_places(args, args->outer_rank + args->n_rank, args->m_rank, false, first_row, tile->rows, tile->row_dst);
    }
}

/* Before the first tile. */
MOVE_FUNCTION void start_tile(const move_args *args, tile_t *tile) {
    const move_axis *row = &args->outer[args->outer_rank + args->n_rank + args->m_rank - 1];
    tile->columns = tile->rows = 0;
    tile->run = row->extent;
    const bool follow = row->dst == (sindex_t)(args->n * args->run_units);
    tile->are_in_one = follow && args->m_rank == 1;
    tile->is_joined =
        follow && TILE_IS_JOINED(args->n * args->run_units * sizeof(unit_t), args->run_units, args->run_units * sizeof(unit_t));
}

#endif
