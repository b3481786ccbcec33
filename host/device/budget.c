/* SPDX-License-Identifier: Apache-2.0 */
#include "host/device/budget.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool clm_parse_bytes(const char *text, uint64_t *bytes) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (*text < '0' || *text > '9' || errno || number == 0 || (*end && (!unit || end[1])))
        return false;
    uint64_t scale = unit ? (uint64_t)1 << (10 * (unit - units + 1)) : 1;
    return !__builtin_mul_overflow(number, scale, bytes);
}

clmove_status clm_budget_init(clm_budget *budget, uint64_t asked, const clmove_device_info *info, bool takes_host_memory,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const char *text = getenv("CLMOVE_MEMORY_BUDGET");
    *budget = (clm_budget){.name = info->name, .bytes = asked};
    pthread_mutex_init(&budget->lock, NULL);
    if (asked == 0 && text && *text)
        REQUIRE(clm_parse_bytes(text, &budget->bytes), INVALID_ARGUMENT,
                "CLMOVE_MEMORY_BUDGET is \"%.100s\", it must be 1 to %" PRIu64
                " bytes: a number, or one with K, M, G or T for 2^10, 2^20, 2^30 or 2^40 bytes",
                text, UINT64_MAX);
    if (budget->bytes == 0) {
        uint64_t left = takes_host_memory ? clm_host_memory_left("") : UINT64_MAX;
        budget->bytes = info->memory_bytes && info->memory_bytes < left ? info->memory_bytes : left;
    }
out:
    return status;
}

void clm_budget_destroy(clm_budget *budget) {
    pthread_mutex_destroy(&budget->lock);
}

/* ---- what is kept ---- */

void clm_budget_add(clm_budget *budget, clm_keeper *keeper) {
    pthread_mutex_lock(&budget->lock);
    clm_keeper **at = &budget->keepers;
    while (*at)
        at = &(*at)->next;
    keeper->next = NULL;
    *at = keeper;
    pthread_mutex_unlock(&budget->lock);
}

void clm_budget_remove(clm_budget *budget, clm_keeper *keeper) {
    pthread_mutex_lock(&budget->lock);
    clm_keeper **at = &budget->keepers;
    while (*at && *at != keeper)
        at = &(*at)->next;
    if (*at)
        *at = keeper->next;
    pthread_mutex_unlock(&budget->lock);
}

bool clm_budget_reclaim(void *user) {
    clm_budget *budget = user;
    bool any = false;
    pthread_mutex_lock(&budget->lock);
    for (clm_keeper *it = budget->keepers; it; it = it->next)
        any = it->give_up(it->user) || any;
    pthread_mutex_unlock(&budget->lock);
    return any;
}

/* ---- taking and giving ---- */

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

/* Asks one keeper after the other until it is enough. */
static bool take_from_keepers(clm_budget *budget, size_t bytes) {
    bool taken = false;
    pthread_mutex_lock(&budget->lock);
    for (clm_keeper *it = budget->keepers; it && !taken; it = it->next)
        taken = it->give_up(it->user) && try_to_take(budget, bytes);
    pthread_mutex_unlock(&budget->lock);
    return taken;
}

clmove_status clm_budget_take(clm_budget *budget, size_t bytes, const char *what, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(try_to_take(budget, bytes) || take_from_keepers(budget, bytes), OUT_OF_MEMORY,
            "%s takes %zu bytes, and %" PRIu64 " of the %" PRIu64 " bytes of %s's memory budget are left", what, bytes,
            clm_budget_left(budget), budget->bytes, budget->name);
out:
    return status;
}

void clm_budget_give(clm_budget *budget, size_t bytes) {
    atomic_fetch_sub(&budget->used, bytes);
}

uint64_t clm_budget_left(const clm_budget *budget) {
    uint64_t used = atomic_load(&budget->used);
    return used < budget->bytes ? budget->bytes - used : 0;
}
