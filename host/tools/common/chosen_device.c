/* See chosen_device.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/chosen_device.h"

#include "host/tools/common/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const DEVICE_SELECTORS[] = {"auto", "host", "gpu", "cpu", "accelerator", NULL};
static const char *const widths[] = {"32", "64", NULL};
/* Those of the library, for completion alone: the library says whether there is one of a name. */
static const char *const variants[] = {"copy",       "local",          "period", "repeat",    "shuffle",
                                       "two_passes", "transpose_runs", "rows",   "transpose", "deinterleave",
                                       "interleave", "gather",         "bits",   NULL};

const option_row PLAN_OPTIONS[] = {
    {"memory-budget", "BYTES", OPTION_MEMORY_BUDGET, NULL,
     "the most memory that buffers and staging take on the device, in bytes, or with K, M, G or T in units of 2^10, 2^20, 2^30 "
     "or 2^40, such as 512M (default: CLMOVE_MEMORY_BUDGET, or the available memory)"},
    {"variant", "NAME", OPTION_VARIANT, variants,
     "force a variant of the plan (see clmove explain); an error if it does not fit"},
    {"index-bits", "32|64", OPTION_INDEX_BITS, widths, "force the width of indices; an error if 32 bits do not suffice"},
    {0}};
const option_row DEVICE_OPTIONS[] = {
    {"device", "SEL", OPTION_DEVICE, DEVICE_SELECTORS, "which device (default: CLMOVE_DEVICE, or auto); see clmove devices"},
    {0}};

static option_outcome take_name(const char *option, const char *value) {
    return *value || refused("--%s is empty, it must be a name", option) ? OPTION_TAKEN : OPTION_REFUSED;
}

option_outcome chosen_device_option(chosen_device *who, int id, const char *value) {
    int which = 0;
    switch (id) {
    case OPTION_DEVICE:
        who->selector = value;
        return take_name("device", value);
    case OPTION_VARIANT:
        who->variant = value;
        return take_name("variant", value);
    case OPTION_INDEX_BITS:
        if (!option_choice("index-bits", value, widths, NULL, &which))
            return OPTION_REFUSED;
        who->index_bits = which == 0 ? 32 : 64;
        return OPTION_TAKEN;
    case OPTION_MEMORY_BUDGET:
        return option_bytes("memory-budget", value, &who->budget) ? OPTION_TAKEN : OPTION_REFUSED;
    default:
        return OPTION_UNKNOWN;
    }
}

static bool begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static void print_note(void *user, const char *text) {
    chosen_device *who = user;
    const bool is_cache = begins_with(text, "program cache: ");
    const bool is_several = begins_with(text, "several: ");
    if (is_several && !who->quiet)
        report("note: %s", text);
    if (is_several) {
        who->noted = true;
        return;
    }
    if (is_cache || begins_with(text, "calibration: ") || begins_with(text, "self-test: ")) {
        if (!is_cache || who->profile) /* a slower start is worth a line where starts are looked at */
            report("note: %s", text);
        return;
    }
    who->noted = true;
    if (!who->quiet)
        report("note: the host takes over: %s", text);
}

static bool is_auto(const char *selector) {
    if (!selector || !*selector)
        selector = getenv("CLMOVE_DEVICE");
    return !selector || !*selector || strcmp(selector, "auto") == 0;
}

static bool is_several(const clmove_device *device) {
    clmove_device_info info = {.struct_size = sizeof info};
    return clmove_device_get_info(device, &info, NULL) == CLMOVE_OK && info.type == CLMOVE_DEVICE_SEVERAL;
}

/* Opens what auto found once more, by its index: a device that is named does all that it is asked for. */
static clmove_status open_by_index(chosen_device *who, clmove_device_params *params, clmove_error *error) {
    clmove_device_info info = {.struct_size = sizeof info};
    char index[24];
    clmove_status status = clmove_device_get_info(who->device, &info, error);
    if (status != CLMOVE_OK || info.type == CLMOVE_DEVICE_HOST)
        return status;
    snprintf(index, sizeof index, "%" PRId64, info.index);
    params->selector = index;
    params->allow_fallback = true;
    clmove_device_close(&who->device);
    return clmove_device_open(params, &who->device, error);
}

clmove_status chosen_device_plan(const chosen_device *who, const clmove_map *map, clmove_plan **plan, clmove_error *error) {
    clmove_plan_params params = {
        .struct_size = sizeof params, .variant = who->variant, .index_bits = who->index_bits, .tuning = who->tuning};
    return clmove_plan_create(who->device, map, &params, plan, error);
}

/* Whether there is a variant of the name that is forced, so that not fitting a map can be told from not existing. */
static bool knows_variant(const chosen_device *who, clmove_error *error) {
    clmove_map map;
    clmove_plan *plan = NULL;
    bool knows = !who->variant || (clmove_map_init(&map, 8, 0, NULL, error) == CLMOVE_OK &&
                                   chosen_device_plan(who, &map, &plan, error) != CLMOVE_INVALID_ARGUMENT);
    clmove_plan_destroy(&plan);
    return knows;
}

bool chosen_device_open(chosen_device *who) {
    clmove_error error;
    clmove_device_params params = {.struct_size = sizeof params,
                                   .selector = who->selector,
                                   .allow_fallback = who->allow_fallback,
                                   .log = print_note,
                                   .log_user = who,
                                   .profile = who->profile,
                                   .memory_budget = who->budget};
    clmove_status status = clmove_device_open(&params, &who->device, &error);
    if (status == CLMOVE_OK && who->on_device && is_several(who->device)) {
        clmove_device_close(&who->device);
        return refused("\"%s\" is a list of devices, and this command is about one: run it for each of them",
                       who->selector ? who->selector : getenv("CLMOVE_DEVICE"));
    }
    if (status == CLMOVE_OK && who->on_device && is_auto(who->selector))
        status = open_by_index(who, &params, &error);
    if (status == CLMOVE_OK && knows_variant(who, &error))
        return true;
    clmove_device_close(&who->device);
    return refused("%s", error.text);
}

void chosen_device_close(chosen_device *who) {
    clmove_device_close(&who->device);
}
