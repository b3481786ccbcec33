/* See utf8.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/utf8.h"

size_t utf8_next(const char *at, size_t length, uint32_t *code) {
    static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    if (length == 0)
        return 0;
    uint32_t c = (unsigned char)at[0];
    size_t more = c < 0x80 ? 0 : (c & 0xE0) == 0xC0 ? 1 : (c & 0xF0) == 0xE0 ? 2 : (c & 0xF8) == 0xF0 ? 3 : SIZE_MAX;
    if (more > length - 1)
        return 0;
    uint32_t result = more == 0 ? c : c & (0x3FU >> more);
    for (size_t i = 1; i <= more; i++) {
        if (((unsigned char)at[i] & 0xC0) != 0x80)
            return 0;
        result = result << 6 | ((unsigned char)at[i] & 0x3FU);
    }
    if (result < smallest[more] || result > 0x10FFFF || (result >= 0xD800 && result <= 0xDFFF))
        return 0;
    *code = result;
    return more + 1;
}
