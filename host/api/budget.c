/* SPDX-License-Identifier: Apache-2.0 */
#include "host/api/budget.h"

#include "host/api/host_memory.h"
#include "host/api/objects.h"
#include "host/api/staging.h"
#include "host/params.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool clm_parse_bytes(const char *text, uint64_t *bytes) {
    static const char units[] = "KMG";
    size_t digits = strspn(text, "0123456789");
    uint64_t number = 0;
    for (size_t i = 0; i < digits; i++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, text[i] - '0', &number))
            return false;
    const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
    if (digits == 0 || number == 0 || (text[digits] && (!unit || text[digits + 1])))
        return false;
    uint64_t scale = unit ? (uint64_t)1 << (10 * (unit - units + 1)) : 1;
    return !__builtin_mul_overflow(number, scale, bytes);
}

clmove_status clm_budget_open(clmove_device *device, uint64_t asked, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const char *text = getenv("CLMOVE_MEMORY_BUDGET");
    const clmove_device_info *info = &device->info;
    uint64_t bytes = asked;
    if (bytes == 0 && text && *text)
        REQUIRE(clm_parse_bytes(text, &bytes), INVALID_ARGUMENT,
                "CLMOVE_MEMORY_BUDGET is \"%.100s\", it must be a number of bytes from 1 to %" PRIu64
                ", or one with K, M or G for 2^10, 2^20 or 2^30",
                text, UINT64_MAX);
    if (bytes == 0) {
        bytes = info->memory_bytes ? info->memory_bytes : UINT64_MAX;
        uint64_t left = clm_device_sharing(device).takes_host_memory ? clm_host_memory_left("") : UINT64_MAX;
        bytes = left < bytes ? left : bytes;
    }
    device->budget.bytes = bytes;
    atomic_init(&device->budget.used, 0);
    atomic_init(&device->budget.most_used, 0);
out:
    return status;
}

static bool try_to_take(clm_budget *budget, size_t bytes) {
    uint_fast64_t used = atomic_load(&budget->used);
    do {
        if (used > budget->bytes || bytes > budget->bytes - used)
            return false;
    } while (!atomic_compare_exchange_weak(&budget->used, &used, used + bytes));
    used += bytes;
    uint_fast64_t most = atomic_load(&budget->most_used);
    while (most < used && !atomic_compare_exchange_weak(&budget->most_used, &most, used))
        ;
    return true;
}

clmove_status clm_budget_take(clmove_device *device, size_t bytes, const char *what, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    /* What is only kept for later runs goes first, then what is only kept for later buffers. */
    bool taken = try_to_take(&device->budget, bytes) || (clm_staging_trim(device) && try_to_take(&device->budget, bytes)) ||
                 (clm_pools_trim(device) && try_to_take(&device->budget, bytes));
    REQUIRE(taken, OUT_OF_MEMORY, "%s takes %zu bytes, and %" PRIu64 " of the %" PRIu64 " bytes of %s's memory budget are left",
            what, bytes, clm_budget_left(device), device->budget.bytes, device->info.name);
out:
    return status;
}

void clm_budget_give(clmove_device *device, size_t bytes) {
    atomic_fetch_sub(&device->budget.used, bytes);
}

uint64_t clm_budget_left(const clmove_device *device) {
    uint64_t used = atomic_load(&device->budget.used);
    return used < device->budget.bytes ? device->budget.bytes - used : 0;
}

clmove_status clmove_device_get_memory(const clmove_device *device, clmove_memory_info *info, clmove_error *error) {
    static const clm_output output = CLM_OUTPUT(clmove_memory_info, zero_copy_multiple);
    clmove_status status = CLMOVE_OK;
    REQUIRE(device, INVALID_ARGUMENT, "device is NULL");
    TRY(clm_output_check(output, info, "info", error));
    const clm_sharing sharing = clm_device_sharing(device);
    const clmove_memory_info now = {
        .budget_bytes = device->budget.bytes,
        .used_bytes = atomic_load(&device->budget.used),
        .most_used_bytes = atomic_load(&device->budget.most_used),
        .shares_host_memory = sharing.shares,
        .zero_copy_alignment = sharing.alignment,
        .zero_copy_multiple = sharing.multiple,
    };
    clm_output_fill(output, info, &now);
out:
    return status;
}
