/* SPDX-License-Identifier: Apache-2.0 */
#include "host/native/shuffle.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 16

/* Adds the steps of a vector, or counts them if the table has no room yet. count: its bytes. */
static int32_t add_steps(clm_shuffle *shuffle, int32_t first_step, const int32_t *places, int32_t count) {
    const int32_t window = shuffle->window, windows = shuffle->vector / window;
    int32_t most = 0;
    for (int32_t chunk = 0; chunk < windows; chunk++) {
        const int32_t from = chunk * window, there = count - from < window ? count - from : window;
        uint64_t wanted = there <= 0 ? 0 : UINT64_MAX >> (64 - there);
        int32_t steps = 0;
        for (; wanted != 0; steps++) {
            uint64_t taken;
            const int32_t place = clm_take_window(places + from, &wanted, window, shuffle->of.end - window, &taken);
            if (!shuffle->lookups)
                continue;
            const size_t step = (size_t)(first_step + steps);
            shuffle->places[step * (size_t)windows + (size_t)chunk] = place;
            if (windows == 1)
                shuffle->masks[step] = taken;
            unsigned char *lookups = shuffle->lookups + step * (size_t)shuffle->vector + from;
            for (int32_t i = 0; i < there; i++)
                if (taken >> i & 1)
                    lookups[i] = (unsigned char)(places[from + i] - place);
        }
        most = steps > most ? steps : most;
    }
    return most;
}

/* The same of vector i of all. */
static int32_t add_vector(clm_shuffle *shuffle, const clm_launch_plan *launch_plan, int32_t i, int32_t first_step) {
    const int32_t left = shuffle->of.bytes - i * shuffle->vector, count = left < shuffle->vector ? left : shuffle->vector;
    int32_t places[CLM_MOST_WINDOW];
    clm_shuffled_places(launch_plan, i * shuffle->vector, count, places);
    return add_steps(shuffle, first_step, places, count);
}

static int32_t count_steps(clm_shuffle *shuffle, const clm_launch_plan *launch_plan) {
    int32_t steps = 0;
    for (int32_t i = 0; i < shuffle->vectors; i++)
        steps += add_vector(shuffle, launch_plan, i, 0);
    return steps;
}

/* Fills steps, in the order of the destination, and then order and steps in that of the table. */
static void put_in_order(clm_shuffle *shuffle, const clm_launch_plan *launch_plan) {
    const int32_t part = CLM_SHUFFLED_AT_ONCE / shuffle->vector;
    clm_shuffle counted = *shuffle;
    counted.lookups = NULL;
    for (int32_t first = 0; first < shuffle->vectors; first += part) {
        const int32_t end = shuffle->vectors - first < part ? shuffle->vectors : first + part;
        for (int32_t i = first; i < end; i++) {
            const int32_t steps = add_vector(&counted, launch_plan, i, 0);
            int32_t at = i;
            for (; at > first && shuffle->steps[at - 1] > steps; at--) {
                shuffle->steps[at] = shuffle->steps[at - 1];
                shuffle->order[at] = shuffle->order[at - 1];
            }
            shuffle->steps[at] = steps;
            shuffle->order[at] = i - first;
        }
    }
}

static size_t in_lines(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* All in one allocation: the struct, and behind it its arrays in lines of their own. */
clm_shuffle *clm_shuffle_create(const clm_launch_plan *launch_plan, int32_t vector, int32_t window) {
    clm_shuffle plan = {.of = clm_find_shuffled(launch_plan), .vector = vector, .window = window};
    const int32_t span = plan.of.end - plan.of.first;
    plan.vectors = span < window ? 0 : (plan.of.bytes + vector - 1) / vector;
    size_t steps = (size_t)count_steps(&plan, launch_plan);
    if (window > CHUNK && plan.vectors > 0) { /* a step of chunks takes one and a half times as long */
        clm_shuffle chunks = plan;
        chunks.window = CHUNK;
        const size_t of_chunks = (size_t)count_steps(&chunks, launch_plan);
        if (of_chunks * 3 < steps * 2) {
            plan.window = CHUNK;
            steps = of_chunks;
        }
    }
    const size_t windows = (size_t)(vector / plan.window), head = in_lines(sizeof plan);
    const size_t counts = in_lines(2 * (size_t)plan.vectors * sizeof *plan.steps),
                 places = in_lines(steps * windows * sizeof *plan.places);
    const size_t masks = in_lines(steps * sizeof *plan.masks), lookups = in_lines(steps * (size_t)vector);
    unsigned char *memory = aligned_alloc(64, head + counts + places + masks + lookups);
    if (!memory)
        return NULL;
    memset(memory, 0, head + counts + places + masks);
    clm_shuffle *created = (clm_shuffle *)(void *)memory;
    *created = plan;
    memory += head;
    created->steps = (int32_t *)(void *)memory;
    created->order = created->steps + plan.vectors;
    created->places = (int32_t *)(void *)(memory += counts);
    created->masks = (uint64_t *)(void *)(memory += places);
    created->lookups = memory += masks;
    memset(created->lookups, CLM_NO_BYTE, lookups);
    /* Chunks that need fewer steps than others look nothing up in what they may read. */
    for (size_t i = 0; i < steps * windows; i++)
        created->places[i] = plan.of.first;
    put_in_order(created, launch_plan);
    const int32_t part = CLM_SHUFFLED_AT_ONCE / vector;
    for (int32_t i = 0, step = 0; i < plan.vectors; step += created->steps[i++])
        add_vector(created, launch_plan, i / part * part + created->order[i], step);
    return created;
}

void clm_shuffle_destroy(clm_shuffle *shuffle) {
    free(shuffle);
}
