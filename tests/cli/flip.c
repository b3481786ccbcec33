/* For LD_PRELOAD: clmove_buffer_read flips a bit of byte 5 of what it reads, so that a right result looks wrong.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <dlfcn.h>
#include <string.h>

clmove_status clmove_buffer_read(clmove_buffer *buffer, size_t offset, void *dst, size_t bytes, clmove_error *error) {
    __typeof__(&clmove_buffer_read) real;
    void *symbol = dlsym(RTLD_NEXT, "clmove_buffer_read");
    memcpy(&real, &symbol, sizeof real);
    clmove_status status = real(buffer, offset, dst, bytes, error);
    if (status == CLMOVE_OK && bytes > 5)
        ((unsigned char *)dst)[5] ^= 1;
    return status;
}
