/* Opening a list of devices: a device with the host's executor, and members that are devices of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a list, without the spaces around them. */
typedef struct parts {
    char *copy;
    int32_t count;
    const char *of[CLM_MEMBERS];
} parts;

/* Where a part ends: at a comma, or behind commas that a device's name has, such as "llvmpipe (LLVM 19.1.7, 256 bits)". */
static char *find_end(char *part, const clmove_device_info *infos, size_t count) {
    char *end = part + strcspn(part, ","), *found = end;
    while (*end) {
        end += 1 + strcspn(end + 1, ",");
        const char behind = *end;
        *end = '\0';
        if (clm_names_device(part, infos, count))
            found = end;
        *end = behind;
    }
    return found;
}

static clmove_status split(const char *list, parts *it, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device_info *infos = NULL;
    size_t count = 0;
    it->copy = strdup(list);
    REQUIRE(it->copy, OUT_OF_MEMORY, "no memory for a list of devices");
    clm_opencl_list(&infos, &count, NULL); /* if it fails, there are none */
    for (char *rest = it->copy; rest;) {
        char *part = rest + strspn(rest, " "), *end = find_end(part, infos, count);
        rest = *end ? end + 1 : NULL;
        *end = '\0';
        while (end > part && end[-1] == ' ')
            *--end = '\0';
        REQUIRE(*part, INVALID_ARGUMENT, "part %" PRId32 " of the list of devices \"%.200s\" is empty: write \"0,1,host\"",
                it->count + 1, list);
        REQUIRE(strcmp(part, "auto") != 0, INVALID_ARGUMENT,
                "\"auto\" is in the list of devices \"%.200s\": it chooses one device, and stands alone", list);
        REQUIRE(it->count < CLM_MEMBERS, INVALID_ARGUMENT, "the list of devices has more than %d", CLM_MEMBERS);
        it->of[it->count++] = part;
    }
out:
    free(infos);
    return status;
}

/* Refuses a device that is in the list already. Devices of OpenCL are told by their index; the host has -1. */
static clmove_status check_new(const clmove_device *several, const clmove_device *member, const char *list, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clmove_device_info *info = clm_device_info(member);
    for (int32_t i = 0; i < several->member_count; i++)
        REQUIRE(clm_device_info(several->members[i])->index != info->index, INVALID_ARGUMENT,
                "the device %.128s is twice in the list \"%.200s\": each works with all it has", info->name, list);
out:
    return status;
}

/* The sums of a list; it has no index, and no buffers. */
static void describe(clmove_device *several) {
    clmove_device_info *info = &several->executors[0]->info;
    size_t length = 0;
    *info = (clmove_device_info){
        .struct_size = info->struct_size, .type = CLMOVE_DEVICE_SEVERAL, .index = -1, .host_unified = true, .kernels = ""};
    for (int32_t i = 0; i < several->member_count; i++) {
        const clmove_device_info *of = clm_device_info(several->members[i]);
        int written = snprintf(info->name + length, sizeof info->name - length, "%s%s", i ? " + " : "", of->name);
        length += written > 0 ? (size_t)written : 0;
        length = length < sizeof info->name ? length : sizeof info->name - 1;
        info->compute_units += of->compute_units;
        info->memory_bytes += of->memory_bytes;
        info->host_unified = info->host_unified && (of->host_unified || of->type == CLMOVE_DEVICE_HOST);
        if (info->address_bits == 0 || of->address_bits < info->address_bits)
            info->address_bits = of->address_bits;
    }
}

clmove_status clm_open_several(const char *list, const clmove_device_params *params, clmove_device **device,
                               clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device *made = NULL, *member = NULL;
    clmove_error why = {0};
    parts asked = {0};
    TRY(split(list, &asked, error));
    if (asked.count == 1) {
        status = clm_open_one(asked.of[0], params, device, error);
        goto out;
    }
    TRY(clm_open(NULL, params, &made, error));
    made->may_fall_back = params->allow_fallback;
    for (int32_t i = 0; i < asked.count; i++) {
        clmove_device_params one = *params;
        one.allow_fallback = false;
        status = clm_open_one(asked.of[i], &one, &member, &why);
        if (status != CLMOVE_OK && clm_may_fall_back(params->allow_fallback, status)) {
            snprintf(made->fallback, sizeof made->fallback, "several: the list does without \"%.60s\": %.400s", asked.of[i],
                     why.text);
            clm_device_log(made, made->fallback);
            status = CLMOVE_OK;
            continue;
        }
        if (status != CLMOVE_OK) {
            if (error)
                *error = why;
            goto out;
        }
        TRY(check_new(made, member, list, error));
        made->members[made->member_count++] = member;
        member = NULL;
    }
    if (made->member_count > 0)
        describe(made);
    *device = made;
    made = NULL;
out:
    clmove_device_close(&member);
    if (made)
        clm_device_release(made);
    free(asked.copy);
    return status;
}
