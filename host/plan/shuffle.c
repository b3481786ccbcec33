/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/shuffle.h"

#include "cl_kernels/move.h"
#include "host/plan/periods.h"
#include "host/plan/windows.h"

/* Blocks are put together up to so many bytes. */
#define TOGETHER 512
/* A block whose source spans more than so many times its size is loose: other blocks hardly read what it leaves. */
#define DENSE_SPREAD 2

/* The number of innermost axes of a block of *n units whose source spans at most so many times as much, 0: there is none. It
 * ends where others follow, if these have TOGETHER bytes. */
static int32_t find_block(const clm_normal_form *form, int64_t most, int64_t spread, int64_t *n) {
    const int64_t enough = TOGETHER / (form->unit_bits / 8);
    int64_t units = 1, span = 1;
    int32_t taken = 0;
    for (int32_t i = 1; i <= form->rank; i++) {
        const clm_axis *axis = &form->axes[form->rank - i];
        if (axis->dst != units || axis->extent > most / units || clm_distance(axis->src) > 2 * most)
            break;
        span += (axis->extent - 1) * clm_distance(axis->src);
        units *= axis->extent;
        if (i > 1 && span <= spread * units) {
            taken = i;
            *n = units;
            if (i < form->rank && clm_distance(axis[-1].src) >= span && axis[-1].extent * units >= enough)
                break; /* enough other blocks follow */
        }
    }
    return taken;
}

/* Longer runs are copied, a line at once. */
#define LONG_RUN 64
/* Where there are fewer rows than this, blocks are parts of rows: a row is a block whose table is used for each row, and 8 KiB
 * backwards at once are faster than parts (host 28 and 24 GB/s, POCL 22 and 14, 2 cores of an Intel Xeon, model 167). */
#define FEW_ROWS 512

/* The number of innermost axes of a block of *n units that many others follow, the windows of which overlap: they are made
 * together. 0: there is none. */
static int32_t find_block_of_windows(const clm_normal_form *form, int64_t most, int64_t *n) {
    int64_t units = 1, span = 1;
    if (clm_window_bytes(form) == 0)
        return 0;
    for (int32_t i = 1; i <= form->rank; i++) {
        const clm_axis *axis = &form->axes[form->rank - i];
        const int64_t apart = clm_distance(axis->src), part = most / units;
        if (axis->dst != units || apart > 2 * most)
            return 0;
        if (axis->extent > part) {
            *n = units;
            return span + (part - 1) * apart <= CLM_SHUFFLED_SPREAD * units * part ? i - 1 : 0;
        }
        span += (axis->extent - 1) * apart;
        units *= axis->extent;
    }
    return 0;
}

/* Whether units of one axis that lie so far apart are near enough. */
static bool are_near(int64_t apart, uint32_t unit_bits) {
    return apart <= (unit_bits <= 16 ? CLM_PICKED_SPREAD : CLM_SHUFFLED_SPREAD);
}

/* Whether the innermost axis alone is a block: read backwards or with gaps, or short runs that follow each other in the
 * destination, and overlap or leave gaps in the source. */
static bool is_block(const clm_normal_form *form, const clm_axis *inner, int64_t most, int64_t enough) {
    const int64_t apart = clm_distance(inner->src), rows = clm_form_units(form) / inner->extent;
    if (form->rank < 2 || inner->extent < 2 || inner->extent > (rows < FEW_ROWS ? enough : most) || apart == 0 ||
        !are_near(apart, form->unit_bits))
        return false;
    return inner->src != 1 || (inner->extent * form->unit_bits / 8 < LONG_RUN && inner[-1].dst == inner->extent &&
                               clm_distance(inner[-1].src) <= CLM_SHUFFLED_SPREAD * inner->extent);
}

bool clm_fits_shuffle(const clm_normal_form *form, clm_launch_plan *launch_plan) {
    if (form->unit_bits < 8 || form->rank < 1)
        return false;
    const int64_t most = CLM_MOST_SHUFFLED / (form->unit_bits / 8), enough = TOGETHER / (form->unit_bits / 8);
    const clm_axis *inner = &form->axes[form->rank - 1];
    int64_t n = 0;
    int32_t taken = find_block(form, most, DENSE_SPREAD, &n);
    if (taken == 0)
        taken = find_block(form, most, CLM_SHUFFLED_SPREAD, &n);
    if (taken == 0)
        taken = find_block_of_windows(form, most, &n);
    /* The table of a pass serves all blocks, and the next row is what can be asked for. */
    if (taken == 0 && inner->dst == 1 && is_block(form, inner, most, launch_plan->is_pass ? most : enough)) {
        taken = 1;
        n = inner->extent;
    }
    if (taken > 0) {
        clm_take_block(form, form->rank - taken, n, launch_plan);
        return true;
    }
    const int64_t apart = clm_distance(inner->src);
    if (inner->dst != 1 || inner->src == 1 || apart == 0 || !are_near(apart, form->unit_bits) || inner->extent < enough)
        return false;
    /* blocks of one unit each, along the axis */
    clm_take_block(form, form->rank, 1, launch_plan);
    launch_plan->outer[launch_plan->outer_rank] = (clm_axis){.extent = 1, .src = 0, .dst = 1};
    launch_plan->n_rank = 1;
    return true;
}

/* The least number of blocks, each of so many bytes, that are made together. */
static int64_t find_fewest(int64_t block) {
    return block < TOGETHER ? (TOGETHER + block - 1) / block : 1;
}

/* The least that fills lines; 1: that would be twice as many, or one block is enough. */
static int64_t find_whole(int64_t block) {
    const int64_t fewest = find_fewest(block);
    for (int64_t count = fewest; count < 2 * fewest; count++)
        if (count * block % CLM_MOST_WINDOW == 0)
            return count;
    return 1;
}

int64_t clm_shuffled_segment(const clm_launch_plan *launch_plan, int64_t segment) {
    const int64_t whole = find_whole(launch_plan->n * clm_unit_bytes(launch_plan));
    const bool is_long = whole > 1 && launch_plan->q_dst == launch_plan->n && segment < launch_plan->q && segment >= 8 * whole;
    return is_long ? (segment + whole - 1) / whole * whole : segment;
}

/* The number of blocks, each of so many bytes, that are made together; if possible, a segment is a multiple of it. */
static int64_t find_together(int64_t segment, int64_t block) {
    const int64_t fewest = find_fewest(block), whole = find_whole(block);
    const int64_t most = segment < CLM_BLOCKS_TOGETHER ? segment : CLM_BLOCKS_TOGETHER;
    if (whole > 1 && whole <= most && segment % whole == 0)
        return whole;
    for (int64_t count = fewest; count <= most && count < 2 * fewest; count++)
        if (segment % count == 0)
            return count;
    return fewest < most ? fewest : most;
}

/* Blocks of so many bytes and more are not put together if they are far apart: what lies between would be asked for, too. */
#define LONG_BLOCK 256

clm_shuffled clm_find_shuffled(const clm_launch_plan *launch_plan) {
    const int64_t unit_bytes = clm_unit_bytes(launch_plan), block = launch_plan->n * unit_bytes;
    const bool are_adjacent = launch_plan->q > 1 && launch_plan->q_dst == launch_plan->n;
    const int64_t step = launch_plan->q_src * unit_bytes;
    clm_shuffled found = {.blocks = 1, .end = (int32_t)unit_bytes};
    for (int32_t i = 0; i < launch_plan->n_rank; i++) {
        const clm_axis *axis = &launch_plan->outer[launch_plan->outer_rank + i];
        const int64_t within = (axis->extent - 1) * axis->src * unit_bytes;
        *(within < 0 ? &found.first : &found.end) += (int32_t)within;
    }
    const bool are_far = block >= LONG_BLOCK && clm_distance(step) > CLM_SHUFFLED_SPREAD * (found.end - found.first);
    if (are_adjacent && clm_distance(step) <= CLM_MOST_SHUFFLED && !are_far)
        found.blocks = (int32_t)find_together(launch_plan->segment, block);
    found.bytes = (int32_t)(found.blocks * block);
    const int64_t between = (found.blocks - 1) * step;
    *(between < 0 ? &found.first : &found.end) += (int32_t)between;
    return found;
}

/* Divides at the first unit only: a plan looks at 8 times 64 bytes. */
void clm_shuffled_places(const clm_launch_plan *launch_plan, int32_t from, int32_t count, int32_t *places) {
    const clm_axis *axes = &launch_plan->outer[launch_plan->outer_rank];
    const int32_t unit_bytes = (int32_t)clm_unit_bytes(launch_plan), rank = launch_plan->n_rank;
    int64_t index[CLM_MAX_PLAN_AXES], place = 0, block = from / unit_bytes;
    for (int32_t k = rank - 1; k >= 0; k--) {
        index[k] = block % axes[k].extent;
        block /= axes[k].extent;
        place += index[k] * axes[k].src;
    }
    for (int32_t i = 0, byte = from % unit_bytes; i < count; i++) {
        places[i] = (int32_t)(place + block * launch_plan->q_src) * unit_bytes + byte;
        if (++byte < unit_bytes)
            continue;
        byte = 0;
        int32_t k = rank - 1;
        for (; k >= 0 && ++index[k] == axes[k].extent; k--) {
            place -= (axes[k].extent - 1) * axes[k].src;
            index[k] = 0;
        }
        if (k >= 0)
            place += axes[k].src;
        else
            block++;
    }
}

int32_t clm_take_window(const int32_t *places, uint64_t *wanted, int32_t window, int32_t last, uint64_t *taken) {
    int32_t place = last;
    for (uint64_t left = *wanted; left != 0; left &= left - 1) {
        const int32_t it = places[__builtin_ctzll(left)];
        place = it < place ? it : place;
    }
    *taken = 0;
    for (uint64_t left = *wanted; left != 0; left &= left - 1) {
        const int bit = __builtin_ctzll(left);
        if (places[bit] - place < window)
            *taken |= UINT64_C(1) << bit;
    }
    *wanted &= ~*taken;
    return place;
}

int32_t clm_count_steps(const int32_t *places, int32_t count, int32_t window, int32_t end) {
    int32_t most = 0;
    for (int32_t from = 0; from < count; from += window) {
        const int32_t there = count - from < window ? count - from : window;
        uint64_t wanted = UINT64_MAX >> (64 - there), taken;
        int32_t steps = 0;
        for (; wanted != 0; steps++)
            clm_take_window(places + from, &wanted, window, end - window, &taken);
        most = steps > most ? steps : most;
    }
    return most;
}

/* Lines of blocks that are looked at, of all that there are: their bytes, and how long their steps take with windows of so many
 * bytes, and of chunks. */
typedef struct sample {
    int32_t bytes, whole, chunks;
} sample;

/* All of a few; of more, lines by the golden ratio: evenly, and out of step with lines that recur. */
#define SAMPLES 8
#define FEW_LINES 12

static sample take_sample(const clm_launch_plan *launch_plan, const clm_shuffled *of, int32_t window) {
    const int32_t lines = (of->bytes + CLM_MOST_WINDOW - 1) / CLM_MOST_WINDOW, samples = lines <= FEW_LINES ? lines : SAMPLES;
    int32_t places[CLM_MOST_WINDOW];
    sample taken = {0};
    for (int32_t i = 0; i < samples; i++) {
        const int32_t line = samples == lines ? i : i * 89 % 144 * lines / 144, from = line * CLM_MOST_WINDOW,
                      left = of->bytes - from;
        const int32_t count = left < CLM_MOST_WINDOW ? left : CLM_MOST_WINDOW;
        clm_shuffled_places(launch_plan, from, count, places);
        taken.whole += STEP_OF_LINE * clm_count_steps(places, count, window, of->end);
        taken.chunks += STEP_OF_PIECES * clm_count_steps(places, count, CLM_CHUNK_WINDOW, of->end);
        taken.bytes += count;
    }
    return taken;
}

/* Whether a table of a work-item has room for all steps. Lines that are not in the sample may take more: a sixteenth is
 * kept free. */
static bool have_room(const clm_shuffled *of, const sample *taken, int32_t time, int32_t of_step) {
    return time * 16 * of->bytes <= of_step * SHUFFLE_STEPS * 15 * taken->bytes;
}

int32_t clm_find_window(const clm_launch_plan *launch_plan, const clm_traits *traits) {
    const int32_t window = traits->shuffle_window;
    if (launch_plan->variant->source != CLM_SHUFFLE_BYTES || !traits->items_make_tables)
        return 0;
    const clm_shuffled of = clm_find_shuffled(launch_plan);
    if (window <= CLM_CHUNK_WINDOW || of.end - of.first < window)
        return CLM_CHUNK_WINDOW;
    const sample taken = take_sample(launch_plan, &of, window);
    return taken.whole <= taken.chunks && have_room(&of, &taken, taken.whole, STEP_OF_LINE) ? window : CLM_CHUNK_WINDOW;
}

/* A table is used so many times at least: one that is made with the kernel, and one of a work-item. */
#define LEAST_USES 8
#define LEAST_USES_OF_ITEMS 320

/* Whether rows of so many units follow each other in the source. */
static bool has_stride(const clm_launch_plan *launch_plan, int64_t units) {
    for (int32_t i = 0; i < launch_plan->outer_rank; i++)
        if (launch_plan->outer[i].src == units)
            return true;
    return false;
}

/* Whether single units are farther apart than those of other blocks may be: most of the bytes between them are left. */
static bool is_picked(const clm_launch_plan *launch_plan) {
    const int64_t apart = launch_plan->n == 1 ? launch_plan->q_src : launch_plan->outer[launch_plan->outer_rank].src;
    return launch_plan->n_rank == 1 && clm_distance(apart) > CLM_SHUFFLED_SPREAD;
}

/* How fast the variant moves that is next in the table. */
typedef enum rival { SLOW, HALF, IN_RUNS, FAST, FASTEST } rival;

/* The bytes that lie side by side in the destination of rows of n units, and of such that follow them. */
static int64_t find_run_bytes(const clm_launch_plan *launch_plan) {
    int64_t run = launch_plan->n;
    for (int32_t i = launch_plan->outer_rank; i-- > 0;)
        run *= launch_plan->outer[i].dst == run ? launch_plan->outer[i].extent : 1;
    return run * clm_unit_bytes(launch_plan);
}

/* 10 maps of bytes and f16, groups of 10 to 15 to rows of 33 to 300 units, past the cache on 2 cores of an Intel Xeon (model
 * 167), GB/s split, looked up and in two passes: 15 to 26, 20 to 27, 21 to 39; with AVX2 16 to 22, 18 to 20, 23 to 37. */
#define MOST_SLOW_RUN 400
bool clm_splits_slowly(const clm_launch_plan *split, bool stream) {
    const int64_t run = find_run_bytes(split);
    return stream && split->m > 8 && clm_unit_bytes(split) < 4 && run % 64 != 0 && run <= MOST_SLOW_RUN;
}

/* How fast rows are deinterleaved. Past the cache, a run that ends within a line ends where another begins that is written at the
 * same time. Matrices of 2 to 8 columns on 2 cores of an Intel Xeon (model 167), share of the limit on the host and on POCL: runs
 * of 100 to 400 bytes 0.27 to 0.45, 0.22 to 0.35; of 1000 0.5 to 0.7, 0.43 to 0.58; of 2000 0.7, 0.75; of 3000 0.77, 0.80 to
 * 0.85; in whole lines 0.9 to 1.0. Looked up, the shorter ones make 0.6 to 0.98 and 0.5 to 0.8; those of 3000 on POCL 0.72. */
static rival find_split_rival(const clm_launch_plan *split, bool stream, int32_t window, bool in_items) {
    const int64_t unit_bytes = clm_unit_bytes(split), run = find_run_bytes(split);
    const bool has_passes = !in_items && clm_splits_slowly(split, stream);
    if (split->n * unit_bytes < 64 && !(has_passes && window != CLM_MOST_WINDOW))
        return SLOW;
    if (has_passes)
        return HALF;
    if (!stream || ((run | split->m_dst * unit_bytes) & 63) == 0)
        return FAST;
    if (run >= 2500 && window != CLM_MOST_WINDOW)
        return FASTEST;
    if (run >= 1200)
        return unit_bytes >= 8 && run < 4000 ? HALF : FAST; /* units of 8 bytes take few steps */
    return run < 600 ? SLOW : HALF;
}

/* Share of the limit of 231 maps, 40 MB, on 2 cores of an AMD EPYC (family 26, model 2), host and POCL: 0.03 to 0.5 where it is
 * SLOW, and 0.5 to 1.0 elsewhere. */
static rival find_rival(const clm_normal_form *form, const clm_launch_plan *launch_plan, int32_t window, bool in_items) {
    const int64_t most_joined = window == CLM_MOST_WINDOW ? 5 : 16;
    const int64_t unit_bytes = clm_unit_bytes(launch_plan);
    for (const clm_variant *row = launch_plan->variant + 1; row->name; row++) {
        clm_launch_plan other = {.variant = row,
                                 .unit_bits = form->unit_bits,
                                 .run_units = 1,
                                 .takes_rows = launch_plan->takes_rows,
                                 .has_short_vectors = launch_plan->has_short_vectors,
                                 .in_strips = launch_plan->in_strips,
                                 .in_wide_strips = launch_plan->in_wide_strips};
        if (row->makes_passes || !row->fits(form, &other))
            continue;
        const int64_t n = other.n * unit_bytes, m = other.m * unit_bytes;
        switch (row->source) {
        case CLM_COPY_ROWS: /* a run alone is no slower on the host from half a line on */
            return n >= (launch_plan->n_rank == 1 && !in_items ? 32 : 64) ? FASTEST : SLOW;
        case CLM_DEINTERLEAVE:
            if (launch_plan->n_rank == 1 && other.n_src == clm_group_units(&other))
                return FASTEST;
            if (launch_plan->n_rank == 1 && unit_bytes < 4) /* groups far apart, backwards, or overlapping */
                return SLOW;
            return find_split_rival(&other, launch_plan->stream, window, in_items);
        case CLM_TRANSPOSE_RUNS: { /* longer ones row by row */
            const int64_t run = other.run_units * unit_bytes;
            /* POCL, an Intel Xeon of model 167: 8 kinds of runs of 28 to 35 bytes looked up 0.75, in tiles 0.80; but of 3 rows
             * 0.90 and 0.70, of 40 bytes 0.90 and 0.80. */
            if (in_items && window == CLM_MOST_WINDOW && run >= 25 && unit_bytes < 8 && other.m >= 4)
                return FASTEST;
            return run < 32 ? SLOW : run < 100 ? IN_RUNS : FASTEST;
        }
        case CLM_TRANSPOSE:
            return is_picked(launch_plan) ? FASTEST : n >= 48 && m >= 48 ? FAST : SLOW;
        case CLM_INTERLEAVE: /* of runs, or of short ones that follow each other */
            /* By 2, images to space with rows of 96 to 144 bytes on the same processor: looked up 0.92 to 1.0, joined 0.58 to
             * 0.80 (POCL), 0.73 to 0.84 (host). */
            if (n >= (other.m == 2 ? 192 : 96) && other.m <= most_joined && (unit_bytes >= 4 || (other.m & (other.m - 1)) == 0))
                return FASTEST;
            /* On POCL short runs of many sources, too: f32 [.,16,12] by 0,2,1 0.67 looked up and 0.89 joined, f64 [.,9,7] 0.70
             * and 0.90 (an Intel Xeon of model 167). */
            if (window == CLM_MOST_WINDOW ? n >= 64 || (n * other.m >= 500 && in_items) : n * other.m >= 144)
                return FAST;
            /* With windows of 64 bytes rows of less are slow: of 32 to 60 bytes 0.36 to 0.50 on the same processor. */
            return window != CLM_MOST_WINDOW && other.m <= most_joined && n >= 8 && has_stride(&other, other.n) ? FAST : SLOW;
        default:
            return SLOW;
        }
    }
    return SLOW;
}

/* The steps, as tenths of STEP_OF_LINE, in which 64 bytes are made as fast as by the other variant: with windows of 64 bytes, and
 * of 16. A HALF one makes half of memory's limit, a FAST one reaches memory's limit with difficulty, a FASTEST one always. Runs
 * of 32 to 99 bytes IN_RUNS, in tiles, are as FAST, but also of units of 8 bytes, unless work-items make tables; windows of 16
 * bytes never beat them. On the same machine 1, 2, 3, 4, 6 and 8 steps with windows of 64 bytes move 128, 101, 84, 66, 56 and 40
 * GB/s, where a copy has 140; on POCL 2, 3, 4 and 8 steps of chunks 60, 50, 47 and 28, where a copy has 67. */
static int32_t find_most_steps(rival other, bool stream, int32_t window) {
    static const int32_t streamed[] = {[SLOW] = 175, [HALF] = 105, [IN_RUNS] = 84, [FAST] = 84, [FASTEST] = 31},
                         cached[] = {[SLOW] = 160, [IN_RUNS] = 42, [FAST] = 42, [FASTEST] = 31},
                         chunks[] = {[SLOW] = 255, [HALF] = 105, [IN_RUNS] = 0, [FAST] = 62, [FASTEST] = 0};
    return (window != CLM_MOST_WINDOW ? chunks : stream ? streamed : cached)[other];
}

/* The same where gather is next, which loads each unit alone. Every 6th to 16th unit on 2 cores of an Intel Xeon (model 207),
 * share of the limit gathered and looked up: bytes, 17 MB and less, host 0.23 to 0.48 and 0.83 to 0.91, with AVX2 0.29 to 0.48
 * and 0.67 to 0.85, POCL 0.22 to 0.70 and 0.51 to 0.97; f16, every 6th to 15th, host 0.31 to 0.81 and 0.80 to 0.89, POCL 0.31
 * to 1.0 and 0.47 to 1.0, every 16th 0.8 to 1.0 and 0.58. In the cache bytes 1.1 to 2.4 times as fast, every 5th f16 1.3 times,
 * every 8th 0.97, every 13th 0.76. Every 5th to 8th f32 past the cache as fast, in the cache 0.7 to 0.95 times. */
static int32_t find_most_picked(const clm_launch_plan *launch_plan, int32_t window) {
    const int32_t of_unit = !launch_plan->stream ? 5 : window == CLM_MOST_WINDOW ? 7 : 8;
    return CLM_MOST_WINDOW / (int32_t)clm_unit_bytes(launch_plan) * of_unit;
}

/* Whether patches, windows that overlap in several rows, are moved faster otherwise. Squares of 3, 5 and 7 units, images of 1 to
 * 4 channels, 32 MB on 2 cores of an Intel Xeon (model 167), GB/s looked up and what else is the fastest: host, runs of 3 to 9
 * bytes 31, 22; 20 bytes 27, 26; 28 bytes 28, 37; 56 bytes 40, 45. POCL 21, 9; joined, 12 bytes in units of 4 22, 30; 40 bytes in
 * units of 8 25, 31. */
#define MOST_PATCH_RUN 24
static bool is_poor_for_patches(const clm_normal_form *form, const clm_launch_plan *launch_plan, bool in_items) {
    const int64_t run_bytes = launch_plan->n_rank > 1 ? clm_window_bytes(form) : 0;
    if (in_items)
        return run_bytes > 0 && form->unit_bits >= 32 && clm_windows_are_joined(form);
    return run_bytes > MOST_PATCH_RUN;
}

bool clm_shuffle_is_poor(const clm_normal_form *form, const clm_launch_plan *launch_plan, const clm_traits *traits) {
    const clm_shuffled of = clm_find_shuffled(launch_plan);
    const int32_t window = traits->shuffle_window;
    if (is_poor_for_patches(form, launch_plan, traits->items_make_tables))
        return true;
    const int32_t least_uses = traits->items_make_tables ? LEAST_USES_OF_ITEMS : LEAST_USES;
    if (window == 0 || of.end - of.first < window || launch_plan->rows * launch_plan->q < least_uses * of.blocks)
        return true;
    const rival other = find_rival(form, launch_plan, window, traits->items_make_tables);
    const bool is_loose = of.end - of.first > DENSE_SPREAD * of.bytes || launch_plan->n_rank == 1;
    if (other != SLOW && (is_loose || (other >= FAST && clm_unit_bytes(launch_plan) >= 8)))
        return true;
    /* Work-items make tables, and move lines less fast: u8 [1,8,100,31,31] repeated 5,3,1,5,1 looked up 0.75, in rows 1.00
     * (POCL). */
    if (traits->items_make_tables && other != SLOW && (other == FASTEST || !launch_plan->stream))
        return true;
    const sample taken = take_sample(launch_plan, &of, window);
    const bool in_whole =
        window == CLM_MOST_WINDOW && taken.whole < taken.chunks && have_room(&of, &taken, taken.whole, STEP_OF_LINE);
    if (!in_whole && !have_room(&of, &taken, taken.chunks, STEP_OF_PIECES))
        return true;
    const int32_t least = in_whole ? taken.whole : taken.chunks;
    const int32_t most = is_picked(launch_plan) && other == SLOW ? find_most_picked(launch_plan, window)
                                                                 : find_most_steps(other, launch_plan->stream, window);
    return least * 10 * CLM_MOST_WINDOW > most * taken.bytes;
}
