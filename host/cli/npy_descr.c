/* See npy_descr.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "npy_descr.h"

#include <string.h>

enum { MAX_DEPTH = 32, MAX_BYTES = UINT32_MAX / 8 };

static bool too_large(literal *text) {
    return literal_fail(text, "its elements have more than %d bytes", (int)MAX_BYTES);
}

static bool multiply(literal *text, uint32_t *bytes, int64_t factor) {
    if (factor < 0)
        return literal_fail(text, "its dtype has a subarray dimension of %lld", (long long)factor);
    uint64_t product = 0;
    if (__builtin_mul_overflow((uint64_t)*bytes, (uint64_t)factor, &product) || product > MAX_BYTES)
        return too_large(text);
    *bytes = (uint32_t)product;
    return true;
}

/* A code of the array protocol: a byte order, a kind, the width and, for dates and times, a unit in brackets. */
static bool code_bytes(literal *text, uint32_t *bytes) {
    literal_text code;
    if (!literal_string(text, &code))
        return false;
    char shown[40];
    literal_printable(code, shown, sizeof shown);
    const char *at = code.at, *end = code.at + code.length;
    if (at < end && strchr("<>|=", *at) && *at != '\0')
        at++;
    char kind = '\0';
    if (at < end)
        kind = *at++;
    if (kind == 'O')
        return literal_fail(text,
                            "its elements hold Python objects (dtype '%s'), which no file of plain bytes can carry; only "
                            "fixed-size dtypes can be moved",
                            shown);
    if (kind == '\0' || !strchr("biufcmMSaUV", kind))
        return literal_fail(text, "its dtype '%s' is not a fixed-size one such as '<f4', '|u1' or '<U8'", shown);
    uint64_t count = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        count = count * 10 + (uint64_t)(*at - '0');
        if (count > MAX_BYTES)
            return too_large(text);
    }
    bool has_unit = end - at >= 3 && *at == '[' && end[-1] == ']' && (kind == 'm' || kind == 'M');
    if (at != end && !has_unit)
        return literal_fail(text, "its dtype '%s' is not a fixed-size one such as '<f4', '|u1' or '<U8'", shown);
    *bytes = (uint32_t)count;
    return multiply(text, bytes, kind == 'U' ? 4 : 1);
}

/* A whole number or a tuple of them; *bytes is multiplied by each. */
static bool subarray(literal *text, uint32_t *bytes) {
    int64_t dim = 0;
    if (!literal_accept(text, '('))
        return literal_integer(text, &dim) && multiply(text, bytes, dim);
    while (literal_peek(text) != ')') {
        if (!literal_integer(text, &dim) || !multiply(text, bytes, dim))
            return false;
        if (!literal_accept(text, ','))
            break;
    }
    return literal_expect(text, ')');
}

static bool any_bytes(literal *text, uint32_t *bytes, int depth);

/* (name, descr) or (name, descr, shape), where name may also be (title, name). */
static bool field_bytes(literal *text, uint32_t *bytes, int depth) {
    literal_text name;
    if (!literal_expect(text, '('))
        return false;
    if (literal_accept(text, '(')) {
        if (!literal_string(text, &name) || !literal_expect(text, ',') || !literal_string(text, &name))
            return false;
        literal_accept(text, ',');
        if (!literal_expect(text, ')'))
            return false;
    } else if (!literal_string(text, &name)) {
        return false;
    }
    if (!literal_expect(text, ',') || !any_bytes(text, bytes, depth))
        return false;
    if (literal_accept(text, ',') && literal_peek(text) != ')') {
        if (!subarray(text, bytes))
            return false;
        literal_accept(text, ',');
    }
    return literal_expect(text, ')');
}

static bool any_bytes(literal *text, uint32_t *bytes, int depth) {
    if (depth > MAX_DEPTH)
        return literal_fail(text, "its dtype is nested more than %d levels deep", (int)MAX_DEPTH);
    if (literal_accept(text, '(')) {
        if (!any_bytes(text, bytes, depth + 1) || !literal_expect(text, ',') || !subarray(text, bytes))
            return false;
        literal_accept(text, ',');
        return literal_expect(text, ')');
    }
    if (!literal_accept(text, '['))
        return code_bytes(text, bytes);
    uint32_t total = 0, field = 0;
    while (literal_peek(text) != ']') {
        if (!field_bytes(text, &field, depth + 1))
            return false;
        total += field; /* at most twice MAX_BYTES */
        if (total > MAX_BYTES)
            return too_large(text);
        if (!literal_accept(text, ','))
            break;
    }
    *bytes = total;
    return literal_expect(text, ']');
}

bool npy_descr_bytes(literal *text, uint32_t *bytes) {
    uint32_t result = 0;
    if (!any_bytes(text, &result, 0))
        return false;
    if (result == 0)
        return literal_fail(text, "its elements have 0 bytes, so there is nothing to move");
    *bytes = result;
    return true;
}
