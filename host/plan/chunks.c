/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/chunks.h"

#include "host/checked.h"

static int64_t units_of(const clm_block_set *blocks) {
    int64_t units = 1;
    for (int32_t i = 0; i < blocks->rank; i++)
        units *= blocks->axes[i].extent;
    return units;
}

/* The outer axes of a launch plan, from the outside in. */
static int32_t find_axes(const clm_launch_plan *launch_plan, clm_axis *axes) {
    int32_t rank = 0;
    for (int32_t i = 0; i < launch_plan->outer_rank; i++)
        axes[rank++] = launch_plan->outer[i];
    if (launch_plan->q > 1)
        axes[rank++] = (clm_axis){launch_plan->q, launch_plan->q_src, launch_plan->q_dst};
    return rank;
}

void clm_find_chunks(const clm_launch_plan *launch_plan, int64_t bytes, clm_chunks *chunks) {
    const int64_t block_bytes = launch_plan->n * clm_unit_bytes(launch_plan);
    clm_axis axes[CLM_MAX_PLAN_AXES];
    const int32_t rank = find_axes(launch_plan, axes);
    int32_t whole = rank; /* the first axis that a chunk has all of */
    int64_t most = bytes > block_bytes ? bytes / block_bytes : 1;
    *chunks = (clm_chunks){.count = 1};
    while (whole > 0 && axes[whole - 1].extent <= most)
        most /= axes[--whole].extent;
    for (int32_t i = 0; i < whole; i++)
        chunks->axes[chunks->rank++] = axes[i];
    clm_block_set *const blocks = chunks->blocks;
    if (whole > 0) { /* and of the axis before it as equal parts as there are */
        clm_axis *cut = &chunks->axes[whole - 1];
        const int64_t extent = cut->extent, parts = clm_divide_up(extent, most), part = clm_divide_up(extent, parts);
        *cut = (clm_axis){clm_divide_up(extent, part), part * cut->src, part * cut->dst};
        for (int kind = 0; kind < CLM_KINDS_OF_CHUNKS; kind++) {
            const int64_t steps = kind == CLM_WHOLE_CHUNK ? part : extent % part;
            if (steps > 0)
                blocks[kind].axes[blocks[kind].rank++] = (clm_axis){steps, axes[whole - 1].src, axes[whole - 1].dst};
        }
    }
    for (int kind = 0; kind < CLM_KINDS_OF_CHUNKS; kind++)
        for (int32_t i = whole; i < rank && (kind == CLM_WHOLE_CHUNK || blocks[kind].rank > 0); i++)
            blocks[kind].axes[blocks[kind].rank++] = axes[i];
    for (int32_t i = 0; i < chunks->rank; i++)
        chunks->count *= chunks->axes[i].extent;
    chunks->bytes = units_of(&blocks[CLM_WHOLE_CHUNK]) * block_bytes;
}

int clm_find_chunk(const clm_chunks *chunks, int64_t number, int64_t *src, int64_t *dst) {
    bool is_last = false;
    *src = *dst = 0;
    for (int32_t i = chunks->rank - 1; i >= 0; i--) {
        const clm_axis *axis = &chunks->axes[i];
        const int64_t step = number % axis->extent;
        is_last |= i == chunks->rank - 1 && step == axis->extent - 1;
        *src += step * axis->src;
        *dst += step * axis->dst;
        number /= axis->extent;
    }
    return is_last && chunks->blocks[CLM_LAST_CHUNK].rank > 0 ? CLM_LAST_CHUNK : CLM_WHOLE_CHUNK;
}
