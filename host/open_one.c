/* Opening one device that a selector means: the selected executor, the host's executor behind it, and the attachments of the
 * folders above.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/open.h"

#include "host/advice/advice.h"
#include "host/native/native.h"
#include "host/run/staging.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- selecting ---- */

enum { HOST_INDEX = -1 };

/* What a selector means. */
typedef struct selected {
    /* The place of an OpenCL device in the list, or HOST_INDEX. */
    int32_t index;
    /* The selector is auto. */
    bool is_auto;
    /* No OpenCL device at all was found, not merely no GPU. The log then has the reason. */
    bool is_odd;
    /* Why auto chose the host; "": it did not. */
    char reason[512];
} selected;

static bool has_text(const clmove_device_info *info, const char *text) {
    return strcasestr(info->name, text) || strcasestr(info->platform, text);
}

bool clm_names_device(const char *text, const clmove_device_info *infos, size_t count) {
    bool has_letter = false, found = false;
    for (const char *at = text; *at; at++)
        has_letter = has_letter || isalpha((unsigned char)*at);
    for (size_t i = 0; i < count && has_letter; i++)
        found = found || has_text(&infos[i], text);
    return found;
}

/* The first device of a type, or with a part of a name. A refused device is taken if there is no other; opening it then fails
 * with the reason. */
static bool find(const clmove_device_info *infos, size_t count, const char *what, int32_t *index) {
    bool is_type = strcmp(what, "gpu") == 0 || strcmp(what, "cpu") == 0 || strcmp(what, "accelerator") == 0, found = false;
    for (size_t i = count; i-- > 0;) {
        bool fits = is_type ? strcmp(clmove_device_type_text(infos[i].type), what) == 0 : has_text(&infos[i], what);
        if (fits && (!infos[i].refused[0] || !found)) {
            *index = (int32_t)i;
            found = true;
        }
    }
    return found;
}

/* The device of auto: a GPU, else an accelerator. A refused device is taken if there is no other. */
static bool find_auto(const clmove_device_info *infos, size_t count, int32_t *index) {
    int32_t accelerator;
    bool has_gpu = find(infos, count, "gpu", index), has_accelerator = find(infos, count, "accelerator", &accelerator);
    if (has_accelerator && (!has_gpu || (infos[*index].refused[0] && !infos[accelerator].refused[0])))
        *index = accelerator;
    return has_gpu || has_accelerator;
}

static bool find_index(size_t count, const char *text, int32_t *index) {
    unsigned long long number = strtoull(text, NULL, 10); /* of one that is too large, the largest */
    if (strspn(text, "0123456789") != strlen(text) || number >= count)
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

/* Resolves a selector. Raises NO_DEVICE, and names the devices that exist. */
static clmove_status resolve(const char *selector, selected *selection, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_device_info *infos = NULL;
    clmove_error none = {0};
    size_t count = 0;
    int32_t index = HOST_INDEX;
    *selection = (selected){.index = HOST_INDEX, .is_auto = strcmp(selector, "auto") == 0};
    if (strcmp(selector, "host") == 0)
        goto out;
    clm_opencl_list(&infos, &count, &none); /* if it fails, there are none */
    if (selection->is_auto) {
        if (!find_auto(infos, count, &index)) {
            selection->is_odd = count == 0;
            if (count == 0)
                snprintf(selection->reason, sizeof selection->reason, "%s", none.text);
            else
                snprintf(selection->reason, sizeof selection->reason, "none of the OpenCL devices (%zu) is a GPU or accelerator",
                         count);
        } else if (infos[index].refused[0]) {
            selection->is_odd = true;
            snprintf(selection->reason, sizeof selection->reason, "%s (%s, driver %s) is not used: %s", infos[index].name,
                     infos[index].platform, infos[index].driver, infos[index].refused);
            index = HOST_INDEX;
        }
    } else if (!find_index(count, selector, &index) && !find(infos, count, selector, &index)) {
        status = raise_no_match(selector, infos, count, &none, error);
        goto out;
    }
    selection->index = index;
out:
    free(infos);
    return status;
}

/* ---- opening ---- */

clmove_status clm_open(clm_executor *opened, const clmove_device_params *params, clmove_device **device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *executors[CLM_EXECUTORS] = {opened};
    clmove_device *made = NULL;
    int32_t count = opened ? 1 : 0;
    TRY(clm_native_open(params->threads, &executors[count], error));
    count++;
    TRY(clm_device_create(executors, count, params, &made, error));
    count = 0; /* they are the device's */
    TRY(clm_staging_open(made, error));
    TRY(clm_advice_open(made, error));
    *device = made;
    made = NULL;
out:
    if (made)
        clm_device_release(made);
    for (int32_t i = 0; i < count; i++)
        executors[i]->calls->close(executors[i]);
    return status;
}

clmove_status clm_open_one(const char *selector, const clmove_device_params *params, clmove_device **device,
                           clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    selected selection;
    clmove_error failure = {0};
    clmove_device *made = NULL;
    clm_executor *opened = NULL;
    status = resolve(selector, &selection, &failure);
    if (status == CLMOVE_OK && selection.index != HOST_INDEX)
        status = clm_opencl_open(selection.index, params, &opened, &failure);
    bool may_fall_back = params->allow_fallback || selection.is_auto, failed = status != CLMOVE_OK;
    if (failed && !clm_may_fall_back(may_fall_back, status)) {
        if (error)
            *error = failure;
        goto out;
    }
    TRY(clm_open(opened, params, &made, error));
    made->may_fall_back = may_fall_back;
    made->is_auto = selection.is_auto && opened;
    if (!opened)
        snprintf(made->fallback, sizeof made->fallback, "%s", failed ? failure.text : selection.reason);
    if (failed || (!opened && selection.is_odd))
        clm_device_log(made, made->fallback);
    *device = made;
out:
    return status;
}
