/* SPDX-License-Identifier: Apache-2.0 */
#include "host/selection.h"

#include "host/device/device.h"
#include "host/native/native.h"
#include "host/native/threads.h"
#include "host/opencl/dialect.h"
#include "host/opencl/opencl.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *clmove_device_type_text(clmove_device_type type) {
    switch (type) {
    case CLMOVE_DEVICE_HOST:
        return "host";
    case CLMOVE_DEVICE_CPU:
        return "cpu";
    case CLMOVE_DEVICE_GPU:
        return "gpu";
    case CLMOVE_DEVICE_ACCELERATOR:
        return "accelerator";
    }
    return "unknown";
}

/* All OpenCL devices, in an array that the caller frees. Raises NO_DEVICE when there are none. */
static clmove_status list_opencl(clmove_device_info **infos, size_t *count, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device_info *list = NULL;
    size_t total = 0, present = 0;
    TRY(clm_opencl_list(NULL, 0, &total, error));
    list = calloc(total, sizeof *list);
    REQUIRE(list, OUT_OF_MEMORY, "no memory for the list of devices");
    TRY(clm_opencl_list(list, total, &present, error));
    *infos = list;
    *count = present < total ? present : total;
    list = NULL;
out:
    free(list);
    return status;
}

clmove_status clmove_device_list(clmove_device_info *infos, size_t capacity, size_t *count, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device_info *list = NULL, host;
    size_t total = 0, stride;
    uint32_t threads;
    REQUIRE(count, INVALID_ARGUMENT, "count is NULL");
    REQUIRE(infos || capacity == 0, INVALID_ARGUMENT, "infos is NULL but capacity is %zu", capacity);
    TRY(clm_outputs_check(clm_device_info_output, infos, capacity, &stride, error));
    TRY(clm_threads_count(0, &threads, error));
    if ((capacity > 0 ? list_opencl(&list, &total, NULL) : clm_opencl_list(NULL, 0, &total, NULL)) != CLMOVE_OK)
        total = 0;
    if (total > 0) /* the list says which kernels each device gets */
        TRY(clm_dialect_check(error));
    for (size_t i = 0; i < total && i < capacity; i++)
        clm_outputs_fill(clm_device_info_output, infos, stride, i, &list[i]);
    clm_native_list(threads, &host);
    if (total < capacity)
        clm_outputs_fill(clm_device_info_output, infos, stride, total, &host);
    *count = total + 1;
out:
    free(list);
    return status;
}

/* The first device of a type. A refused device is taken if there is no other; opening it then fails with the reason. */
static bool find_type(const clmove_device_info *infos, size_t count, clmove_device_type type, int32_t *index) {
    bool found = false;
    for (size_t i = count; i-- > 0;)
        if (infos[i].type == type && (!infos[i].refused[0] || !found)) {
            *index = (int32_t)i;
            found = true;
        }
    return found;
}

static bool contains(const char *text, const char *part) {
    for (; *text; text++)
        if (strncasecmp(text, part, strlen(part)) == 0)
            return true;
    return false;
}

/* As find_type, for a part of a name. */
static bool find_name(const clmove_device_info *infos, size_t count, const char *part, int32_t *index) {
    bool found = false;
    for (size_t i = count; i-- > 0;)
        if ((contains(infos[i].name, part) || contains(infos[i].platform, part)) && (!infos[i].refused[0] || !found)) {
            *index = (int32_t)i;
            found = true;
        }
    return found;
}

/* The device of auto: a GPU, else an accelerator. A refused device is taken if there is no other. */
static bool find_auto(const clmove_device_info *infos, size_t count, int32_t *index) {
    int32_t accelerator = 0;
    bool found = find_type(infos, count, CLMOVE_DEVICE_GPU, index);
    if ((!found || infos[*index].refused[0]) && find_type(infos, count, CLMOVE_DEVICE_ACCELERATOR, &accelerator) &&
        (!found || !infos[accelerator].refused[0])) {
        *index = accelerator;
        found = true;
    }
    return found;
}

static bool find_index(size_t count, const char *text, int32_t *index) {
    if (!*text || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    if (errno || number >= count)
        return false;
    *index = (int32_t)number;
    return true;
}

static clmove_status raise_no_match(const char *selector, const clmove_device_info *infos, size_t count, const clmove_error *none,
                                    clmove_error *error) {
    char names[320] = "";
    size_t length = 0;
    for (size_t i = 0; i < count && length < sizeof names; i++) {
        int written = snprintf(names + length, sizeof names - length, "%sdevice %zu (%s, %s)", i ? ", " : "", i,
                               clmove_device_type_text(infos[i].type), infos[i].name);
        length += written > 0 ? (size_t)written : 0;
    }
    if (count == 0)
        return clm_raise(error, CLMOVE_NO_DEVICE, none->device_code, "no OpenCL device matches \"%s\": %s", selector, none->text);
    return clm_raise(error, CLMOVE_NO_DEVICE, 0, "no OpenCL device matches \"%s\": there are %s, and host", selector, names);
}

clmove_status clm_select(const char *selector, clm_selection *selection, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device_info *infos = NULL;
    clmove_error none = {0};
    size_t count = 0;
    int32_t index = CLM_HOST_INDEX;
    memset(selection, 0, sizeof *selection);
    if (!selector || !*selector)
        selector = getenv("CLMOVE_DEVICE");
    if (!selector || !*selector)
        selector = "auto";
    selection->is_auto = strcmp(selector, "auto") == 0;
    selection->index = CLM_HOST_INDEX;
    if (strcmp(selector, "host") == 0)
        goto out;
    if (list_opencl(&infos, &count, &none) != CLMOVE_OK)
        count = 0;
    if (selection->is_auto) {
        if (!find_auto(infos, count, &index)) {
            selection->is_odd = count == 0;
            if (count == 0)
                snprintf(selection->reason, sizeof selection->reason, "%s", none.text);
            else
                snprintf(selection->reason, sizeof selection->reason, "no GPU or accelerator among the %zu OpenCL devices",
                         count);
        } else if (infos[index].refused[0]) {
            selection->is_odd = true;
            snprintf(selection->reason, sizeof selection->reason, "%s (%s, driver %s) is not used: %s", infos[index].name,
                     infos[index].platform, infos[index].driver, infos[index].refused);
            index = CLM_HOST_INDEX;
        }
    } else {
        bool found = strcmp(selector, "gpu") == 0   ? find_type(infos, count, CLMOVE_DEVICE_GPU, &index)
                     : strcmp(selector, "cpu") == 0 ? find_type(infos, count, CLMOVE_DEVICE_CPU, &index)
                     : strcmp(selector, "accelerator") == 0
                         ? find_type(infos, count, CLMOVE_DEVICE_ACCELERATOR, &index)
                         : find_index(count, selector, &index) || find_name(infos, count, selector, &index);
        if (!found) {
            status = raise_no_match(selector, infos, count, &none, error);
            goto out;
        }
    }
    selection->index = index;
out:
    free(infos);
    return status;
}
