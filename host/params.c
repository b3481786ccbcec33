/* SPDX-License-Identifier: Apache-2.0 */
#include "host/params.h"

#include <string.h>

clmove_status clm_params_read(const char *name, const void *given, void *known, size_t size, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const unsigned char *bytes = given;
    size_t there = sizeof(size_t);
    if (given)
        memcpy(&there, given, sizeof there);
    REQUIRE(there >= sizeof there && there % _Alignof(size_t) == 0, INVALID_ARGUMENT,
            "%s.struct_size is %zu, it must be sizeof(%s), which is %zu in clmove %s", name, there, name, size, clmove_version());
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
