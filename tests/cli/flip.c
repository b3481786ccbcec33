/* For LD_PRELOAD: a bit of byte 5 of what clmove_buffer_read reads is flipped, so that a right result looks wrong; or, with
 * CLMOVE_TEST_FLIP=run, of what clmove_run and clmove_run_with write.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void flip(clmove_status status, void *memory, size_t bytes, bool in_runs) {
    const char *what = getenv("CLMOVE_TEST_FLIP");
    bool wants_runs = what && strcmp(what, "run") == 0;
    if (status == CLMOVE_OK && bytes > 5 && wants_runs == in_runs)
        ((unsigned char *)memory)[5] ^= 1;
}

clmove_status clmove_buffer_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_error *error) {
    __typeof__(&clmove_buffer_read) real;
    void *symbol = dlsym(RTLD_NEXT, "clmove_buffer_read");
    memcpy(&real, &symbol, sizeof real);
    clmove_status status = real(buffer, offset, dst, bytes, error);
    flip(status, dst, bytes, false);
    return status;
}

/* clmove_run comes by here, too. */
clmove_status clmove_run_with(clmove_plan *plan, const void *src, size_t src_bytes, void *dst, size_t dst_bytes,
                              const clmove_run_params *params, clmove_error *error) {
    __typeof__(&clmove_run_with) real;
    void *symbol = dlsym(RTLD_NEXT, "clmove_run_with");
    memcpy(&real, &symbol, sizeof real);
    clmove_status status = real(plan, src, src_bytes, dst, dst_bytes, params, error);
    flip(status, dst, dst_bytes, true);
    return status;
}
