/* SPDX-License-Identifier: Apache-2.0 */
#include "host/opencl/arguments.h"

#include <string.h>

/* The multiplication that divides by d, for dividends of `bits` - 1 bits. Let s = ceil(log2 d) and magic = ceil(2^(bits-1+s) /
 * d). Then x / d = (x * magic) >> (bits - 1 + s), because the error, x * (magic * d - 2^(bits-1+s)), stays below 2^(bits-1+s).
 * The power has up to 127 bits, for which not every compiler has an integer. So it is divided bit by bit, from 2^(s-1) on, which
 * is less than d: at most 64 steps for each divisor of a launch. */
static move_divisor_64 make_divisor(uint64_t d, uint32_t bits) {
    move_divisor_64 divisor = {.divisor = d};
    if (d < 2)
        return divisor;
    const uint32_t s = 64 - (uint32_t)__builtin_clzll(d - 1);
    uint64_t rest = (uint64_t)1 << (s - 1), quotient = 0;
    for (uint32_t bit = 0; bit < bits; bit++) {
        const bool goes = rest >= d - rest;
        rest = goes ? rest - (d - rest) : 2 * rest;
        quotient = 2 * quotient + goes;
    }
    divisor.magic = quotient + (rest > 0);
    divisor.shift = s - 1;
    return divisor;
}

/* All fields, as wide as those of 64 bits, and as many as those of 32. */
MOVE_STRUCTS(uint64_t, int64_t, staged, MOVE_OUTER_32)

static void set_wide(move_args_staged *args, const clm_launch_plan *launch_plan, uint32_t bits, int64_t src_lead,
                     int64_t dst_lead) {
    memset(args, 0, sizeof *args);
    args->src_offset = launch_plan->src_offset + src_lead;
    args->dst_offset = launch_plan->dst_offset + dst_lead;
    args->src_end = (uint64_t)(clm_last_src(launch_plan) + src_lead + 1);
    args->jobs = (uint64_t)launch_plan->jobs;
    args->item_jobs = (uint64_t)launch_plan->item_jobs;
    args->items = (uint64_t)launch_plan->items;
    args->neighbours = launch_plan->neighbours;
    args->stream = !launch_plan->stream || !launch_plan->in_strips ? launch_plan->stream
                   : launch_plan->in_rooms                         ? MOVE_STREAMS_IN_ROOMS
                   : launch_plan->in_wide_strips                   ? MOVE_STREAMS_IN_WIDE_STRIPS
                                                                   : MOVE_STREAMS_IN_STRIPS;
    const move_divisor_64 segments = make_divisor((uint64_t)launch_plan->segments, bits);
    args->segments = (move_divisor_staged){segments.divisor, segments.magic, segments.shift};
    args->segment = (uint64_t)launch_plan->segment;
    args->q = (uint64_t)launch_plan->q;
    args->q_src = launch_plan->q_src;
    args->q_dst = launch_plan->q_dst;
    args->n = (uint64_t)launch_plan->n;
    args->n_src = launch_plan->n_src;
    args->n_dst = launch_plan->n_dst;
    args->m = launch_plan->unit_bits < 8 ? launch_plan->msb_first : (uint64_t)launch_plan->m;
    args->m_src = launch_plan->m_src;
    args->m_dst = launch_plan->m_dst;
    args->band = (uint64_t)launch_plan->band;
    args->n_rank = (uint64_t)launch_plan->n_rank;
    args->m_rank = (uint64_t)launch_plan->m_rank;
    args->run_units = (uint64_t)launch_plan->run_units;
    args->src_run = (uint64_t)launch_plan->src_run;
    args->src_runs = (uint64_t)launch_plan->src_runs;
    if (launch_plan->frame_rank > 0) { /* kernels ask for what the next row reads anyway */
        args->src_run = (uint64_t)launch_plan->frame_part;
        args->src_runs = (uint64_t)launch_plan->frame_ahead;
    }
    if (launch_plan->blocks_together > 0) {
        args->src_run = (uint64_t)launch_plan->blocks_together;
        args->src_runs = (uint64_t)launch_plan->window;
    }
    args->src_lanes = (uint64_t)launch_plan->src_lanes;
    args->dst_run = (uint64_t)launch_plan->dst_run;
    args->dst_runs = (uint64_t)launch_plan->dst_runs;
    args->dst_lanes = (uint64_t)launch_plan->dst_lanes;
    args->cuts = (uint64_t)launch_plan->cuts;
    args->outer_rank = (uint64_t)(launch_plan->outer_rank - launch_plan->lead_rank);
    args->turn_rank = (uint64_t)launch_plan->turn_rank;
    for (uint64_t i = 0; i < args->outer_rank + args->n_rank + args->m_rank; i++) {
        const clm_axis *axis = &launch_plan->outer[(uint64_t)launch_plan->lead_rank + i];
        args->outer[i].extent = (uint64_t)axis->extent;
        const move_divisor_64 by = make_divisor((uint64_t)(launch_plan->unit_bits < 8 ? axis->dst : axis->extent), bits);
        args->outer[i].by = (move_divisor_staged){by.divisor, by.magic, by.shift};
        args->outer[i].src = axis->src;
        args->outer[i].dst = axis->dst;
    }
}

/* The same fields, all narrower. 32 bits are chosen only if they fit. The stride of an axis with one step may not fit, but is not
 * used. */
static void narrow_args(move_args_32 *to, const move_args_staged *from) {
    const uint64_t *wide = (const uint64_t *)from;
    uint32_t narrow[sizeof *to / sizeof(uint32_t)];
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        narrow[i] = (uint32_t)wide[i];
    memcpy(to, narrow, sizeof *to);
}

void clm_arguments_set(clm_arguments *arguments, const clm_launch_plan *launch_plan, int64_t src_lead, int64_t dst_lead) {
    move_args_staged wide;
    set_wide(&wide, launch_plan, launch_plan->index_bits, src_lead, dst_lead);
    if (launch_plan->index_bits == 32) {
        narrow_args(&arguments->as.narrow, &wide);
        arguments->bytes = sizeof arguments->as.narrow;
    } else {
        memcpy(&arguments->as.wide, &wide, sizeof arguments->as.wide); /* the same fields, and fewer axes */
        arguments->bytes = sizeof arguments->as.wide;
    }
}
