/* Who moves, and how: a device and a plan on it, as the options ask.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_EXECUTOR_H
#define CLMOVE_HOST_TOOLS_COMMON_EXECUTOR_H

#include "host/tools/common/options.h"

#include <clmove/clmove.h>

typedef struct executor {
    const char *selector; /* NULL: the library's default */
    const char *variant;  /* NULL: the first that fits */
    uint32_t index_bits;  /* 0: as many as needed */
    uint64_t budget;      /* of memory; 0: CLMOVE_MEMORY_BUDGET, or what there is */
    const char *tuning;   /* of plans, over that of the device; NULL: none */
    bool allow_fallback;
    bool quiet;     /* no notes */
    bool profile;   /* open the device to be measured */
    bool on_device; /* what is looked at is the device: where auto finds one, nothing is left to the host */
    clmove_device *device;
    bool noted; /* the note that the host takes over was printed */
} executor;

/* For the table of getopt_long. */
#define EXECUTOR_OPTIONS                                                                                                         \
    {"device", required_argument, NULL, OPTION_DEVICE}, {"variant", required_argument, NULL, OPTION_VARIANT},                    \
        {"index-bits", required_argument, NULL, OPTION_INDEX_BITS}, {                                                            \
        "memory-budget", required_argument, NULL, OPTION_MEMORY_BUDGET                                                           \
    }

/* The same for the help. */
#define EXECUTOR_HELP                                                                                                            \
    "  --memory-budget BYTES\n"                                                                                                  \
    "                    what buffers and staging may take together on the device;\n"                                            \
    "                    K, M and G are 2^10, 2^20 and 2^30 (default:\n"                                                         \
    "                    CLMOVE_MEMORY_BUDGET, or the available memory)\n"                                                       \
    "  --variant NAME    force a variant of the plan (see clmove explain); an error if\n"                                        \
    "                    it does not fit\n"                                                                                      \
    "  --index-bits 32|64\n"                                                                                                     \
    "                    force the width of index arithmetic; an error if 32 do not\n"                                           \
    "                    reach\n"

/* Makes of one option what it means for an executor. */
option_outcome executor_option(executor *who, int id, const char *value);

/* Opens the device. When the host takes over, that is said on stderr. On false a sentence has been printed. */
bool executor_open(executor *who);

/* Plans a map on the open device. UNSUPPORTED: the variant or the index width that is forced does not fit this map. */
clmove_status executor_plan(const executor *who, const clmove_map *map, clmove_plan **plan, clmove_error *error);

/* Whether there is a variant of the name that is forced, so that not fitting a map can be told from not existing. On false a
 * sentence has been printed. */
bool executor_knows_variant(const executor *who);

void executor_close(executor *who);

#endif
