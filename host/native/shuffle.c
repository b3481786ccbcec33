/* SPDX-License-Identifier: Apache-2.0 */
#include "host/native/shuffle.h"

#include "cl_kernels/move.h"

#include <stdlib.h>
#include <string.h>

/* The least bytes of a vector. */
#define LEAST_VECTOR 16
#define MOST_VECTORS (CLM_MOST_SHUFFLED / LEAST_VECTOR)

/* Finds where the bytes of vector i are in the source, and returns their number. */
static int32_t find_places(const clm_shuffle *shuffle, const clm_launch_plan *launch_plan, int32_t i, int32_t *places) {
    const int32_t left = shuffle->of.bytes - i * shuffle->vector, count = left < shuffle->vector ? left : shuffle->vector;
    clm_shuffled_places(launch_plan, i * shuffle->vector, count, places);
    return count;
}

/* Counts the steps of each vector with such windows. Returns their sum. */
static int32_t count_steps(const clm_shuffle *shuffle, const clm_launch_plan *launch_plan, int32_t window, int32_t *counts) {
    int32_t places[CLM_MOST_WINDOW], sum = 0;
    for (int32_t i = 0; i < shuffle->vectors; i++) {
        const int32_t bytes = find_places(shuffle, launch_plan, i, places);
        counts[i] = clm_count_steps(places, bytes, window, shuffle->of.end);
        sum += counts[i];
    }
    return sum;
}

/* Fills order and steps: of each part, the vectors of few steps first. counts: in the order of the destination. */
static void put_in_order(clm_shuffle *shuffle, const int32_t *counts) {
    const int32_t part = CLM_SHUFFLED_AT_ONCE / shuffle->vector;
    for (int32_t i = 0; i < shuffle->vectors; i++) {
        const int32_t first = i / part * part;
        int32_t at = i;
        for (; at > first && shuffle->steps[at - 1] > counts[i]; at--) {
            shuffle->steps[at] = shuffle->steps[at - 1];
            shuffle->order[at] = shuffle->order[at - 1];
        }
        shuffle->steps[at] = counts[i];
        shuffle->order[at] = i - first;
    }
}

/* Fills the steps of vector i of the destination, from `first` on. */
static void fill_steps(clm_shuffle *shuffle, const clm_launch_plan *launch_plan, int32_t i, size_t first) {
    const int32_t window = shuffle->window;
    const size_t windows = (size_t)(shuffle->vector / window);
    int32_t places[CLM_MOST_WINDOW];
    const int32_t bytes = find_places(shuffle, launch_plan, i, places);
    for (int32_t from = 0; from < bytes; from += window) {
        const int32_t there = bytes - from < window ? bytes - from : window;
        uint64_t wanted = UINT64_MAX >> (64 - there), taken;
        for (size_t step = first; wanted != 0; step++) {
            const int32_t place = clm_take_window(places + from, &wanted, window, shuffle->of.end - window, &taken);
            unsigned char *lookups = shuffle->lookups + step * (size_t)shuffle->vector + from;
            shuffle->places[step * windows + (size_t)(from / window)] = place;
            shuffle->masks[step] = taken;
            for (int32_t k = 0; k < there; k++)
                if (taken >> k & 1)
                    lookups[k] = (unsigned char)(places[from + k] - place);
        }
    }
}

static size_t in_lines(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* All in one allocation: the struct, and behind it its arrays in lines of their own. */
static clm_shuffle *allocate(const clm_shuffle *plan, size_t steps) {
    const size_t windows = (size_t)(plan->vector / plan->window), head = in_lines(sizeof *plan);
    const size_t counts = in_lines(2 * (size_t)plan->vectors * sizeof *plan->steps),
                 places = in_lines(steps * windows * sizeof *plan->places);
    const size_t masks = in_lines(steps * sizeof *plan->masks), lookups = in_lines(steps * (size_t)plan->vector);
    unsigned char *memory = aligned_alloc(64, head + counts + places + masks + lookups);
    if (!memory)
        return NULL;
    clm_shuffle *created = (clm_shuffle *)(void *)memory;
    *created = *plan;
    created->steps = (int32_t *)(void *)(memory += head);
    created->order = created->steps + plan->vectors;
    created->places = (int32_t *)(void *)(memory += counts);
    created->masks = (uint64_t *)(void *)(memory += places);
    created->lookups = memory += masks;
    memset(created->lookups, CLM_NO_BYTE, lookups);
    for (size_t i = 0; i < steps * windows; i++) /* chunks of fewer steps than others look nothing up in what may be read */
        created->places[i] = plan->of.first;
    return created;
}

clm_shuffle *clm_shuffle_create(const clm_launch_plan *launch_plan, int32_t vector, int32_t window) {
    clm_shuffle plan = {.of = clm_find_shuffled(launch_plan), .vector = vector, .window = window};
    int32_t counts[2][MOST_VECTORS];
    plan.vectors = plan.of.end - plan.of.first < window ? 0 : (plan.of.bytes + vector - 1) / vector;
    const int32_t whole = count_steps(&plan, launch_plan, window, counts[0]);
    const int32_t chunks = count_steps(&plan, launch_plan, CLM_CHUNK_WINDOW, counts[1]);
    const bool in_chunks = chunks * STEP_OF_PIECES < whole * STEP_OF_LINE;
    plan.window = in_chunks ? CLM_CHUNK_WINDOW : window;
    clm_shuffle *created = allocate(&plan, (size_t)(in_chunks ? chunks : whole));
    if (!created)
        return NULL;
    put_in_order(created, counts[in_chunks]);
    const int32_t part = CLM_SHUFFLED_AT_ONCE / vector;
    size_t step = 0;
    for (int32_t i = 0; i < plan.vectors; step += (size_t)created->steps[i++])
        fill_steps(created, launch_plan, i / part * part + created->order[i], step);
    return created;
}

void clm_shuffle_destroy(clm_shuffle *shuffle) {
    free(shuffle);
}
