/* The device that the options choose, and what they say of plans on it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_CHOSEN_DEVICE_H
#define CLMOVE_HOST_TOOLS_COMMON_CHOSEN_DEVICE_H

#include "host/tools/common/options.h"

#include <clmove/clmove.h>

typedef struct chosen_device {
    /* NULL: the library's default. */
    const char *selector;
    /* NULL: the first that fits. */
    const char *variant;
    /* 0: as many as needed. */
    uint32_t index_bits;
    /* The memory budget. 0: CLMOVE_MEMORY_BUDGET, or what there is. */
    uint64_t budget;
    /* The tuning of plans, over that of the device. NULL: none. */
    const char *tuning;
    bool allow_fallback;
    /* Print no notes. */
    bool quiet;
    /* Open the device to be measured. */
    bool profile;
    /* The command is about the device: where auto finds one, that device does all work, and the host none; a list is refused. */
    bool on_device;
    clmove_device *device;
    /* The note that the host takes over, or others of several devices, was printed. */
    bool noted;
} chosen_device;

/* --memory-budget, --variant and --index-bits; --device of commands that go by the default; and what completes a device. */
extern const option_row PLAN_OPTIONS[], DEVICE_OPTIONS[];
extern const char *const DEVICE_SELECTORS[];

/* Reads one option. */
option_outcome chosen_device_option(chosen_device *who, int id, const char *value);

/* Opens the device, and checks that a variant of the forced name exists, so that UNSUPPORTED can only mean that it does not fit a
 * map. If the host takes over, a note on stderr says so. On false a sentence has been printed. */
bool chosen_device_open(chosen_device *who);

/* Plans a map on the open device. UNSUPPORTED: the variant or the index width that is forced does not fit this map. */
clmove_status chosen_device_plan(const chosen_device *who, const clmove_map *map, clmove_plan **plan, clmove_error *error);

void chosen_device_close(chosen_device *who);

#endif
