/* SPDX-License-Identifier: Apache-2.0 */
#include "host/api/tuning.h"

#include "host/api/selection.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More is no file of tunings. */
#define MOST_BYTES 65536

clmove_status clmove_tuning_path(char *path, size_t capacity, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const char *named = getenv("CLMOVE_TUNING_FILE"), *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char found[PATH_MAX] = "";
    int length = 0;
    REQUIRE(path && capacity > 0, INVALID_ARGUMENT, "there is no room for the path");
    if (named)
        length = snprintf(found, sizeof found, "%s", named);
    else if (config && config[0] == '/') /* the specification: a relative one is to be ignored */
        length = snprintf(found, sizeof found, "%s/clmove/tuning.conf", config);
    else if (home && home[0] == '/')
        length = snprintf(found, sizeof found, "%s/.config/clmove/tuning.conf", home);
    REQUIRE((size_t)length < sizeof found, INVALID_ARGUMENT, "the path of the file of tunings has %d bytes, and may have %zu",
            length, sizeof found - 1);
    REQUIRE((size_t)length < capacity, INVALID_ARGUMENT, "the path has %d bytes and a final 0, and there is room for %zu", length,
            capacity);
    memcpy(path, found, (size_t)length + 1);
out:
    return status;
}

/* The content of the file, which the caller frees; NULL where there is none and need not be one. */
static clmove_status read_file(char path[PATH_MAX], char **text, size_t *length, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    FILE *file = NULL;
    char *content = NULL;
    TRY(clmove_tuning_path(path, PATH_MAX, error));
    if (!*path)
        goto out;
    file = fopen(path, "re");
    if (!file && (errno == ENOENT || errno == ENOTDIR) && !getenv("CLMOVE_TUNING_FILE"))
        goto out;
    REQUIRE(file, INVALID_ARGUMENT, "%.300s, a file of tunings, cannot be read: %s", path, strerror(errno));
    content = malloc(MOST_BYTES + 1);
    REQUIRE(content, OUT_OF_MEMORY, "no memory for the file of tunings");
    *length = fread(content, 1, MOST_BYTES + 1, file);
    REQUIRE(!ferror(file), INVALID_ARGUMENT, "%.300s, a file of tunings, cannot be read: %s", path, strerror(errno));
    REQUIRE(*length <= MOST_BYTES, INVALID_ARGUMENT, "%.300s has more than %d bytes: it is no file of tunings", path, MOST_BYTES);
    *text = content;
    content = NULL;
out:
    if (file)
        fclose(file);
    free(content);
    return status;
}

clmove_status clm_device_tune(clmove_device *device, const char *given, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    clm_tuned host;
    clmove_device_info host_info;
    clm_tuning_class class = !device->opencl ? CLM_CLASS_HOST : device->traits.few_long_runs ? CLM_CLASS_CPU : CLM_CLASS_GPU;
    TRY(read_file(path, &text, &length, error));
    clm_host_info(device->host.threads, &host_info);
    clm_tuned_start(&host, CLM_CLASS_HOST, 0);
    clm_tuned_start(&device->tuned, class, device->traits.max_local_size);
    if (text) {
        TRY(clm_tuned_add_file(&host, text, length, path, &host_info, error));
        TRY(clm_tuned_add_file(&device->tuned, text, length, path, &device->info, error));
    }
    TRY(clm_tuned_add_list(&device->tuned, getenv("CLMOVE_TUNING"), CLMOVE_TUNING_ENVIRONMENT, "CLMOVE_TUNING", error));
    TRY(clm_tuned_add_list(&device->tuned, given, CLMOVE_TUNING_PARAMS, "clmove_device_params.tuning", error));
    device->traits.tuning = device->tuned.values;
    device->host_traits.tuning = device->opencl ? host.values : device->tuned.values;
out:
    free(text);
    return status;
}

clmove_status clmove_device_get_tuning(const clmove_device *device, clmove_tuning_value *values, size_t capacity, size_t *count,
                                       clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(count, INVALID_ARGUMENT, "count is NULL");
    REQUIRE(values || capacity == 0, INVALID_ARGUMENT, "values is NULL but capacity is %zu", capacity);
    clm_tuned_list(&device->tuned, device->traits.cache_bytes, values, capacity, count);
out:
    return status;
}
