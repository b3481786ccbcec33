/* SPDX-License-Identifier: Apache-2.0 */
#include "host/params.h"

#include <inttypes.h>
#include <string.h>

static size_t size_of(const void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

/* No struct of any version is larger: what is larger was not set. */
enum { MOST_BYTES = 1 << 16 };

static clmove_status check_size(const char *name, size_t there, size_t size, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(there >= sizeof there && there <= MOST_BYTES && there % _Alignof(size_t) == 0, INVALID_ARGUMENT,
            "%s.struct_size is %zu, set it to sizeof(%s), which is %zu in clmove %s", name, there, name, size, clmove_version());
out:
    return status;
}

clmove_status clm_params_read(const char *name, const void *given, void *known, size_t size, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const unsigned char *bytes = given;
    size_t there = given ? size_of(given) : sizeof there;
    TRY(check_size(name, there, size, error));
    for (size_t i = size; i < there; i++)
        REQUIRE(bytes[i] == 0, INVALID_ARGUMENT,
                "%s has a field at byte %zu that is not 0, and clmove %s knows the first %zu bytes: set no fields that are newer",
                name, i, clmove_version(), size);
    memset(known, 0, size);
    memcpy(known, &size, sizeof size);
    if (given)
        memcpy((unsigned char *)known + sizeof there, bytes + sizeof there, (there < size ? there : size) - sizeof there);
out:
    return status;
}

clmove_status clm_output_check(clm_output it, const void *given, const char *what, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    REQUIRE(given, INVALID_ARGUMENT, "%s is NULL", what);
    if (size_of(given) > 0)
        TRY(check_size(it.name, size_of(given), it.size, error));
out:
    return status;
}

static void fill(void *given, const void *known, size_t bytes) {
    memcpy((unsigned char *)given + sizeof(size_t), (const unsigned char *)known + sizeof(size_t), bytes - sizeof(size_t));
}

void clm_output_fill(clm_output it, void *given, const void *known) {
    size_t there = size_of(given);
    fill(given, known, there == 0 ? it.first : there < it.size ? there : it.size);
}

clmove_status clm_outputs_check(clm_output it, const void *given, const char *what, int64_t capacity, size_t *stride,
                                clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    *stride = 0;
    REQUIRE(capacity >= 0, INVALID_ARGUMENT, "capacity is %" PRId64 ", a number of entries from 0 on is needed", capacity);
    REQUIRE(given || capacity == 0, INVALID_ARGUMENT, "%s is NULL but capacity is %" PRId64, what, capacity);
    if (capacity > 0) {
        *stride = size_of(given);
        TRY(check_size(it.name, *stride, it.size, error));
    }
out:
    return status;
}

void clm_outputs_fill(clm_output it, void *given, size_t stride, size_t index, const void *known) {
    unsigned char *at = (unsigned char *)given + index * stride;
    memcpy(at, &stride, sizeof stride);
    fill(at, known, stride < it.size ? stride : it.size);
}
