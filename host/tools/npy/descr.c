/* See dtype.h: dtypes of several strings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/npy/dtype.h"

#include <stdlib.h>

enum {
    MAX_DEPTH = 32,
    /* Of NumPy 2; NumPy 1 has 32. */
    MAX_SUBARRAY_RANK = 64,
};

/* The names and titles of one list of fields, none of which may come twice. */
typedef struct names {
    literal_text *all;
    size_t count, capacity;
} names;

static bool names_add(literal *text, names *to, literal_text content) {
    if (to->count == to->capacity) {
        size_t capacity = to->capacity ? to->capacity * 2 : 16;
        literal_text *all = realloc(to->all, capacity * sizeof *all);
        if (!all)
            return literal_fail(text, "its dtype has more fields than there is memory for");
        to->all = all;
        to->capacity = capacity;
    }
    to->all[to->count++] = content;
    return true;
}

static int compare_names(const void *one, const void *other, void *text) {
    const literal_text *a = one, *b = other;
    return literal_compare(text, *a, *b);
}

static bool names_differ(literal *text, names *of) {
    char shown[40];
    if (of->count > 1)
        qsort_r(of->all, of->count, sizeof *of->all, compare_names, text);
    for (size_t i = 1; i < of->count; i++)
        if (literal_compare(text, of->all[i - 1], of->all[i]) == 0)
            return literal_fail(text, "its dtype has two fields with the name or title '%s', and each must have its own",
                                literal_printable(of->all[i], shown, sizeof shown));
    return true;
}

static bool multiply(literal *text, npy_dtype *type, int64_t factor) {
    if (factor < 0)
        return literal_fail(text, "its dtype has a subarray dimension of %lld", (long long)factor);
    uint64_t product = 0, one = type->unit ? type->unit : type->bytes;
    if (__builtin_mul_overflow(one, (uint64_t)factor, &product) || product > NPY_MOST_BYTES)
        return npy_dtype_too_large(text);
    type->is_subarray |= type->unit == 0 && factor != 1;
    type->bytes = (uint32_t)product;
    type->unit = 0;
    return true;
}

/* A whole number, or a tuple or list of them; the bytes are multiplied by each. Of a string without a size it is the size. */
static bool subarray(literal *text, npy_dtype *type) {
    int64_t dim = 0;
    char end = literal_accept(text, '(') ? ')' : literal_accept(text, '[') ? ']' : '\0';
    if (end == '\0')
        return literal_integer(text, &dim) && multiply(text, type, dim);
    bool comma = true;
    int rank = 0;
    const bool has_no_size = type->unit > 0;
    while (comma && literal_peek(text) != end) {
        if (rank++ == MAX_SUBARRAY_RANK)
            return literal_fail(text, "its dtype has a subarray of more than %d dimensions", (int)MAX_SUBARRAY_RANK);
        if (!literal_integer(text, &dim) || !multiply(text, type, dim))
            return false;
        comma = literal_accept(text, ',');
    }
    bool is_number = end == ')' && rank == 1 && !comma; /* in parentheses */
    if (has_no_size && !is_number)
        return literal_fail(text, "its dtype has a string without a size in a subarray; write '|S3' or '<U3'");
    return literal_expect(text, end);
}

static bool any_type(literal *text, npy_dtype *type, int depth);

/* Takes the end of a tuple or list, before which a comma may stand. */
static bool closes(literal *text, char end) {
    literal_accept(text, ',');
    return literal_expect(text, end);
}

/* (name, descr) or (name, descr, shape), where name may also be (title, name). */
static bool field_type(literal *text, names *seen, npy_dtype *type, int depth) {
    literal_text title = {0}, content;
    const char end = literal_accept(text, '[') ? ']' : ')';
    if (end == ')' && !literal_expect(text, '('))
        return false;
    const bool has_title = literal_accept(text, '(');
    if (has_title && (!literal_string(text, &title) || !literal_expect(text, ',')))
        return false;
    if (!literal_string(text, &content) || (has_title && !closes(text, ')')))
        return false;
    if (!literal_expect(text, ',') || !any_type(text, type, depth))
        return false;
    /* A void without a name is room between fields, and there may be any number of it. */
    const bool is_void = type->is_void && !has_title && content.length == 0;
    if (literal_accept(text, ',') && literal_peek(text) != end && !subarray(text, type))
        return false;
    if (!closes(text, end))
        return false;
    return is_void || ((!has_title || names_add(text, seen, title)) && names_add(text, seen, content));
}

static bool fields(literal *text, npy_dtype *type, int depth) {
    npy_dtype field;
    uint32_t total = 0;
    names seen = {0};
    bool good = true, comma = true;
    while (good && comma && literal_peek(text) != ']') {
        good = field_type(text, &seen, &field, depth + 1);
        total += good ? field.bytes : 0; /* at most twice NPY_MOST_BYTES */
        good = good && (total <= NPY_MOST_BYTES || npy_dtype_too_large(text));
        comma = literal_accept(text, ',');
    }
    *type = (npy_dtype){.bytes = total};
    good = good && literal_expect(text, ']') && names_differ(text, &seen);
    free(seen.all);
    return good;
}

static bool any_type(literal *text, npy_dtype *type, int depth) {
    if (depth > MAX_DEPTH)
        return literal_fail(text, "its dtype is nested more than %d levels deep", (int)MAX_DEPTH);
    if (literal_accept(text, '('))
        return any_type(text, type, depth + 1) && literal_expect(text, ',') && subarray(text, type) && closes(text, ')');
    return literal_accept(text, '[') ? fields(text, type, depth) : npy_dtype_read(text, type);
}

bool npy_descr_bytes(literal *text, uint32_t *bytes) {
    npy_dtype type;
    if (!any_type(text, &type, 0))
        return false;
    if (type.is_subarray) /* NumPy reads it as a dtype, and then no file with it */
        return literal_fail(text, "its dtype is a subarray; make it a dimension of the shape, or a field of a structured dtype");
    if (type.bytes == 0)
        return literal_fail(text, "its elements have 0 bytes, so there is nothing to move");
    *bytes = type.bytes;
    return true;
}
