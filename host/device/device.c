/* Devices: what their executors share, properties, closing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/device/device.h"

#include "host/settings/tuning.h"
#include "host/variables.h"

#include <stdlib.h>

const clm_output clm_device_info_output = CLM_OUTPUT(clmove_device_info, refused);

/* ---- listing ---- */

const char *clmove_device_type_text(clmove_device_type type) {
    static const char *const texts[] = {[CLMOVE_DEVICE_HOST] = "host",
                                        [CLMOVE_DEVICE_CPU] = "cpu",
                                        [CLMOVE_DEVICE_GPU] = "gpu",
                                        [CLMOVE_DEVICE_ACCELERATOR] = "accelerator",
                                        [CLMOVE_DEVICE_SEVERAL] = "several"};
    return (size_t)type < sizeof texts / sizeof *texts ? texts[type] : "unknown";
}

void clm_device_retain(clmove_device *device) {
    atomic_fetch_add(&device->users, 1);
}

static void close_attachment(clm_attachment *attachment) {
    if (attachment->close)
        attachment->close(attachment->of);
}

void clm_device_release(clmove_device *device) {
    if (atomic_fetch_sub(&device->users, 1) != 1)
        return;
    for (int32_t i = 0; i < device->member_count; i++)
        clm_device_release(device->members[i]);
    close_attachment(&device->staging);
    close_attachment(&device->advice);
    for (int32_t i = 0; i < device->executor_count; i++)
        device->executors[i]->calls->close(device->executors[i]);
    clm_budget_destroy(&device->budget);
    free(device);
}

bool clm_may_fall_back(bool allowed, clmove_status status) {
    return allowed && (status == CLMOVE_NO_DEVICE || status == CLMOVE_OUT_OF_MEMORY || status == CLMOVE_BUILD_FAILED ||
                       status == CLMOVE_DEVICE_FAILED);
}

clmove_status clm_device_check_one(const clmove_device *device, const char *what, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(!clm_device_is_several(device), INVALID_ARGUMENT,
            "a list of devices has no %s: open one device of it, or use clmove_run, which is cut over all of them (%s)", what,
            clm_device_info(device)->name);
out:
    return status;
}

void clm_device_log(const clmove_device *device, const char *text) {
    if (device->log)
        device->log(device->log_user, text);
}

clmove_status clm_device_create(clm_executor *const *executors, int32_t count, const clmove_device_params *params,
                                clmove_device **device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_executor *first = executors[0];
    clmove_device *created = calloc(1, sizeof *created);
    REQUIRE(created, OUT_OF_MEMORY, "no memory for a device");
    atomic_init(&created->users, 1);
    TRY(clm_budget_init(&created->budget, params->memory_budget, &first->info, first->sharing.takes_host_memory, error));
    created->log = params->log;
    created->log_user = params->log_user;
    created->may_fall_back = params->allow_fallback;
    created->tests_itself = count > 1 && clm_variable_value(CLM_VARIABLE_SELF_TEST) != 0;
    TRY(clm_tune(executors, count, params->tuning, &created->tuned, error));
    for (int32_t i = 0; i < count; i++) {
        created->executors[i] = executors[i];
        executors[i]->reclaim = (clm_reclaim){.all = clm_budget_reclaim, .user = &created->budget};
    }
    created->executor_count = count; /* which are closed with it from here on */
    *device = created;
    created = NULL;
out:
    if (created)
        clm_device_release(created);
    return status;
}

void clmove_device_close(clmove_device **device) {
    if (!device || !*device)
        return;
    clm_executor *executor = clm_device_executor(*device);
    if (!executor->queue_is_given)
        executor->calls->finish(executor, NULL, NULL);
    clm_device_release(*device);
    *device = NULL;
}

clmove_status clmove_device_get_info(const clmove_device *device, clmove_device_info *info, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_output_check(clm_device_info_output, info, "info", error));
    clm_output_fill(clm_device_info_output, info, clm_device_info(device));
out:
    return status;
}

const char *clmove_device_fallback(const clmove_device *device) {
    return device ? device->fallback : "";
}

static void add_stats(const clmove_device *device, clmove_device_stats *sums) {
    clm_executor *executor = clm_device_executor(device);
    int64_t built = 0, loaded = 0;
    if (executor->calls->count_programs)
        executor->calls->count_programs(executor, &built, &loaded);
    sums->kernels_run += (int64_t)atomic_load(&device->kernels_run);
    sums->host_runs += (int64_t)atomic_load(&device->host_runs);
    sums->programs_built += built;
    sums->programs_loaded += loaded;
    sums->self_tests += (int64_t)atomic_load(&device->self_tests);
    sums->self_test_seconds += (double)atomic_load(&device->self_test_nanoseconds) * 1e-9;
}

clmove_status clmove_device_get_stats(const clmove_device *device, clmove_device_stats *stats, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_device_stats, self_test_seconds);
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_output_check(output, stats, "stats", error));
    clmove_device_stats now = {0};
    add_stats(device, &now);
    for (int32_t i = 0; i < device->member_count; i++)
        add_stats(device->members[i], &now);
    clm_output_fill(output, stats, &now);
out:
    return status;
}

static clmove_memory_info memory_of(const clmove_device *device) {
    const clm_sharing *sharing = &clm_device_executor(device)->sharing;
    return (clmove_memory_info){
        .budget_bytes = device->budget.bytes,
        .used_bytes = atomic_load(&device->budget.used),
        .most_used_bytes = atomic_load(&device->budget.most_used),
        .shares_host_memory = sharing->shares,
        .zero_copy_alignment = sharing->alignment,
        .zero_copy_multiple = sharing->multiple,
    };
}

/* Of two devices of a list. Their pieces begin anywhere, so that memory is used in place by those that take any. */
static clmove_memory_info add_memory(clmove_memory_info a, clmove_memory_info b) {
    const bool any = a.zero_copy_alignment == 1 && b.zero_copy_alignment == 1;
    return (clmove_memory_info){
        .budget_bytes = a.budget_bytes > UINT64_MAX - b.budget_bytes ? UINT64_MAX : a.budget_bytes + b.budget_bytes,
        .used_bytes = a.used_bytes + b.used_bytes,
        .most_used_bytes = a.most_used_bytes + b.most_used_bytes,
        .shares_host_memory = any,
        .zero_copy_alignment = any,
        .zero_copy_multiple = any,
    };
}

clmove_status clmove_device_get_memory(const clmove_device *device, clmove_memory_info *info, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_memory_info, zero_copy_multiple);
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_output_check(output, info, "info", error));
    clmove_memory_info now = memory_of(device);
    for (int32_t i = 0; i < device->member_count; i++)
        now = i == 0 ? memory_of(device->members[i]) : add_memory(now, memory_of(device->members[i]));
    clm_output_fill(output, info, &now);
out:
    return status;
}

clmove_status clmove_device_finish(clmove_device *device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_executor(device)->calls->finish(clm_device_executor(device), NULL, error));
out:
    return status;
}

clmove_status clmove_device_get_tuning(const clmove_device *device, clmove_tuning_value *values, int64_t capacity, int64_t *count,
                                       clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_tuning_value, what);
    clmove_tuning_value known[CLM_TUNING_COUNT];
    size_t total, stride;
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    REQUIRE(count, INVALID_ARGUMENT, "count is NULL");
    TRY(clm_outputs_check(output, values, "values", capacity, &stride, error));
    TRY(clm_device_check_one(device, "tuning of its own", error));
    clm_tuned_list(&device->tuned, clm_device_executor(device)->traits.cache_bytes, known, CLM_TUNING_COUNT, &total);
    for (size_t i = 0; i < total && i < (size_t)capacity; i++)
        clm_outputs_fill(output, values, stride, i, &known[i]);
    *count = (int64_t)total;
out:
    return status;
}

clmove_status clmove_device_get_tuning_path(const clmove_device *device, char *path, size_t capacity, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_device_check_one(device, "tuning of its own", error));
    TRY(clm_config_path(&clm_tuning_file, clm_device_info(device), path, capacity, error));
out:
    return status;
}
