/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/local_group.h"

#include "cl_kernels/move.h"
#include "host/checked.h"

/* A work-item has at least so many bytes of a tile to write, else a work-group has half of its work-items. But a compute unit
 * keeps BUSY_ITEMS, so that it does not wait. On an NVIDIA H100 22 maps of 400 MB make 2115 GB/s on average where 256 work-items
 * share a tile of 16 KiB, 1976 where 128 do, 1578 where 64 do; tiles of 8 KiB 1942 with 256, 2016 with 128. Groups that do tile
 * after tile, 7 to a compute unit, make 1691: each fills its tables once, but new groups fill in where others wait. The simulated
 * GPU says that groups of 256 are best for tiles of 9 to 12 KiB, too. */
enum { ITEM_BYTES = 32, BUSY_ITEMS = 640 };

/* Bytes that neighbouring work-items move side by side at least, and what the begin of a run takes, in words moved. */
enum { SIDE_BY_SIDE = 128, RUN_STEPS = 2 };

/* Of `size` work-items those that move each run of so many words in the fewest steps. */
static int64_t find_best_lanes(int64_t words, int64_t runs, int64_t size, int64_t fewest) {
    int64_t best = 0, least = INT64_MAX;
    for (int64_t shift = 0, lanes = 1; lanes <= size && lanes < 2 * words; shift++, lanes *= 2) {
        const int64_t steps = clm_divide_up(runs, size / lanes) * (RUN_STEPS + clm_divide_up(words, lanes));
        if ((lanes >= fewest || lanes >= words || 2 * lanes > size) && steps <= least) {
            best = shift;
            least = steps;
        }
    }
    return best;
}

/* The base 2 logarithm of the work-items that move a run: the least power of two that is not fewer than its words, or all. Words
 * of 32 bits with slots apart are moved by as few as move a sector, and so that all have a run: slots of neighbouring words are
 * often in the same bank. Where lines of bytes and halves are written from slots side by side, it is as many as take the
 * fewest steps. */
int64_t clm_local_lanes(const clm_launch_plan *launch_plan, const clm_local_tile *tile, bool is_src,
                        const clm_local_access *moved) {
    const int64_t run = is_src ? launch_plan->src_run : launch_plan->dst_run, size = launch_plan->local_size,
                  runs = is_src ? launch_plan->src_runs : launch_plan->dst_runs, sector = CLM_SECTOR_BYTES / 4;
    const bool is_narrow = tile->unit_bytes < 4;
    int64_t words = clm_divide_up(run, moved->units), shift = 0;
    if (is_narrow && !is_src && moved->by == CLM_BY_ANY_LINES)
        return find_best_lanes(words, runs, size, SIDE_BY_SIDE / CLM_ACCESS_BYTES);
    if (is_narrow && moved->by == CLM_BY_UNITS && run <= 2 * LOCAL_UNITS && !(is_src && run < LOCAL_SHORT))
        words = size / runs > sector ? size / runs : sector;
    while (INT64_C(1) << shift < words && INT64_C(2) << shift <= size)
        shift++;
    return shift;
}

int64_t clm_local_group(const clm_local_tile *tile, int64_t local_size, uint32_t workers) {
    const bool is_small = local_size > 1 && tile->dst_units * tile->unit_bytes <= local_size * ITEM_BYTES;
    int64_t tiles = 1;
    for (int32_t i = 0; i < tile->rank; i++)
        tiles *= clm_divide_up(tile->parts[i].axis.extent, tile->parts[i].extent);
    return is_small && tiles >= clm_divide_up(workers * (int64_t)BUSY_ITEMS, local_size / 2) ? local_size / 2 : local_size;
}
