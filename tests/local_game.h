/* Plays a plan of the variant local without a device: checks what its kernel relies on, and where every unit goes. All of it
 * fails the test where something is wrong. One plan at a time; not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LOCAL_GAME_H
#define CLMOVE_TESTS_LOCAL_GAME_H

#include "host/plan/launch_plan.h"

/* What is met, and how often it has to be, as the test shows little otherwise. shared_cut: of a run on both sides.
 * cut_among_runs: of neither side's runs. many_axes: at least 6 of a tile. */
#define SEEN(X)                                                                                                                  \
    X(tiles, 100000)                                                                                                             \
    X(no_cut, 2000)                                                                                                              \
    X(one_cut, 1500)                                                                                                             \
    X(two_cuts, 300)                                                                                                             \
    X(shared_cut, 200)                                                                                                           \
    X(cut_among_runs, 300)                                                                                                       \
    X(splits, 800)                                                                                                               \
    X(skews, 250)                                                                                                                \
    X(less_of_n, 2500)                                                                                                           \
    X(less_of_m, 800)                                                                                                            \
    X(less_of_both, 150)                                                                                                         \
    X(leading_axes, 150)                                                                                                         \
    X(long_runs, 400)                                                                                                            \
    X(repeats_in_tile, 1000)                                                                                                     \
    X(images, 100)                                                                                                               \
    X(backwards, 2000)                                                                                                           \
    X(jobs_in_turn, 2000)                                                                                                        \
    X(many_axes, 200)
#define SEEN_FIELD(name, least) int64_t name;
typedef struct local_seen {
    SEEN(SEEN_FIELD)
    /* Plans, by how the source is read and the destination written. */
    int64_t modes[4][4];
} local_seen;

extern local_seen seen;

/* The units that play_all's memories have. */
enum { MOST_PLACES = 1 << 16 };

/* The first and the last source unit of a form, and the last destination unit. */
typedef struct form_ends {
    int64_t first_src, last_src, last_dst;
} form_ends;

form_ends find_ends(const clm_normal_form *form);

/* Checks the plan of a form. It is the one that is played from then on; both are copied. max_outer: the axes of a launch.
 * most_local_size: that of the tuning. */
void begin_game(const clm_normal_form *form, const clm_launch_plan *plan, int32_t max_outer, int64_t most_local_size);

/* Plays every tile, and compares all of the destination with the form's definition. Both memories have at most MOST_PLACES units.
 */
void play_all(void);

/* Plays the first and the last tile, and `more` random ones, of a form of any size, and compares what they write. */
void play_some(int more);

#endif
