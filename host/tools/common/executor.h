/* Who moves, and how: a device and a plan on it, as the options ask.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_EXECUTOR_H
#define CLMOVE_HOST_TOOLS_COMMON_EXECUTOR_H

#include "host/tools/common/options.h"

#include <clmove/clmove.h>

typedef struct executor {
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
    /* No notes. */
    bool quiet;
    /* Open the device to be measured. */
    bool profile;
    /* What is looked at is the device: where auto finds one, nothing is left to the host. */
    bool on_device;
    clmove_device *device;
    /* The note that the host takes over was printed. */
    bool noted;
} executor;

/* --memory-budget, --variant and --index-bits; --device of commands that go by the default; and what completes a device. */
extern const option_row EXECUTOR_OPTIONS[], DEVICE_OPTIONS[];
extern const char *const DEVICE_SELECTORS[];

/* Makes of one option what it means for an executor. */
option_outcome executor_option(executor *who, int id, const char *value);

/* Opens the device, and looks whether there is a variant of the name that is forced: then UNSUPPORTED says that it does not fit a
 * map. When the host takes over, that is said on stderr. On false a sentence has been printed. */
bool executor_open(executor *who);

/* Plans a map on the open device. UNSUPPORTED: the variant or the index width that is forced does not fit this map. */
clmove_status executor_plan(const executor *who, const clmove_map *map, clmove_plan **plan, clmove_error *error);

void executor_close(executor *who);

#endif
