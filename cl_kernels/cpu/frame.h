/* What jobs ask for of frames: contiguous parts of the source that several jobs read together (clm_launch_plan).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_FRAME_H
#define CLMOVE_FRAME_H

/* What a job still has to ask for, if there are frames. Arguments have no room for more fields. */
#define FRAME_PART src_run
#define FRAME_AHEAD src_runs
typedef struct {
    const global uchar *at;
    index_t left;
} ask_t;

MOVE_SELDOM __attribute__((unused)) ask_t find_part(const move_args *args, index_t job, const move_place *place,
                                                    const global uchar *src) {
    ask_t ask = {src, (index_t)(args->FRAME_PART * sizeof(unit_t))};
    const index_t axis = args->outer_rank - 1, row = divide(job, &args->segments);
    const index_t step = row - divide(row, &args->outer[axis].by) * args->outer[axis].extent;
    const long start = (long)place->segment * args->segment * (args->q > 1 ? args->q_src : args->n_src);
    const long frame = place->src - start - (long)step * args->outer[axis].src;
    const long part = (long)(step * args->segments.divisor + place->segment) * args->FRAME_PART;
    ask.at += (frame + (long)args->FRAME_AHEAD + part) * (long)sizeof(unit_t); /* may be behind what an index reaches */
    return ask;
}

MOVE_FUNCTION ask_t find_ask(const move_args *args, index_t job, const move_place *place, const global uchar *src) {
    const ask_t none = {src, 0};
    return args->FRAME_PART == 0 ? none : find_part(args, job, place, src);
}

MOVE_SELDOM __attribute__((unused)) void ask_for(ask_t *ask, index_t bytes) {
    const index_t now = min(bytes, ask->left);
    for (index_t i = 0; i < now; i += LINE)
        prefetch_line_far(ask->at + i);
    ask->at += now;
    ask->left -= now;
}

/* Asks for so many bytes of it. */
MOVE_FUNCTION void ask_on(ask_t *ask, index_t bytes) {
    if (ask->left != 0)
        ask_for(ask, bytes);
}

#endif
