/* See npy_dtype.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/npy/dtype.h"

#include <limits.h>
#include <string.h>

/* A file says the same on every machine: the bytes of a long double as NumPy of 64-bit machines writes it. 32-bit x86 has 12. */
#define LONG_DOUBLE 16

enum { LONGEST = 64 };

/* Those of NumPy 1 and 2, in which the widths of C's types are the machine's. */
static const struct {
    const char *name;
    uint32_t bytes;
} NAMES[] = {
    {"?", 1},
    {"bool", 1},
    {"bool_", 1},
    {"bool8", 1},
    {"b", 1},
    {"B", 1},
    {"c", 1},
    {"byte", 1},
    {"ubyte", 1},
    {"int8", 1},
    {"uint8", 1},
    {"h", sizeof(short)},
    {"H", sizeof(short)},
    {"short", sizeof(short)},
    {"ushort", sizeof(short)},
    {"int16", 2},
    {"uint16", 2},
    {"i", sizeof(int)},
    {"I", sizeof(int)},
    {"intc", sizeof(int)},
    {"uintc", sizeof(int)},
    {"int32", 4},
    {"uint32", 4},
    {"l", sizeof(long)},
    {"L", sizeof(long)},
    {"long", sizeof(long)},
    {"ulong", sizeof(long)},
    {"int", sizeof(long)},
    {"int_", sizeof(long)},
    {"uint", sizeof(long)},
    {"q", sizeof(long long)},
    {"Q", sizeof(long long)},
    {"longlong", sizeof(long long)},
    {"ulonglong", sizeof(long long)},
    {"int64", 8},
    {"uint64", 8},
    {"p", sizeof(void *)},
    {"P", sizeof(void *)},
    {"intp", sizeof(void *)},
    {"uintp", sizeof(void *)},
    {"int0", sizeof(void *)},
    {"uint0", sizeof(void *)},
    {"e", 2},
    {"half", 2},
    {"float16", 2},
    {"f", 4},
    {"single", 4},
    {"float32", 4},
    {"d", 8},
    {"double", 8},
    {"float", 8},
    {"float_", 8},
    {"float64", 8},
    {"g", LONG_DOUBLE},
    {"longdouble", LONG_DOUBLE},
    {"longfloat", LONG_DOUBLE},
    {"F", 8},
    {"csingle", 8},
    {"singlecomplex", 8},
    {"complex64", 8},
    {"D", 16},
    {"cdouble", 16},
    {"cfloat", 16},
    {"complex", 16},
    {"complex_", 16},
    {"complex128", 16},
    {"G", 2 * LONG_DOUBLE},
    {"clongdouble", 2 * LONG_DOUBLE},
    {"clongfloat", 2 * LONG_DOUBLE},
    {"longcomplex", 2 * LONG_DOUBLE},
    {"m", 8},
    {"M", 8},
};

static bool is_long_double(const char *name) {
    return strcmp(name, "float128") == 0;
}

static bool is_long_complex(const char *name) {
    return strcmp(name, "complex256") == 0;
}

static bool named(const char *name, npy_dtype *type) {
    static const char *const sizeless[] = {"S",     "a", "bytes", "bytes_", "bytes0", "string_", "V",       "void",
                                           "void0", "U", "str",   "str_",   "str0",   "unicode", "unicode_"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (strcmp(name, NAMES[i].name) == 0) {
            *type = (npy_dtype){.bytes = NAMES[i].bytes};
            return true;
        }
    for (size_t i = 0; i < sizeof sizeless / sizeof sizeless[0]; i++)
        if (strcmp(name, sizeless[i]) == 0) {
            *type = (npy_dtype){.unit = i < 9 ? 1 : 4, .is_void = i >= 6 && i < 9};
            return true;
        }
    *type = (npy_dtype){.bytes = is_long_double(name) ? LONG_DOUBLE : is_long_complex(name) ? 2 * LONG_DOUBLE : 0};
    return type->bytes > 0;
}

/* A whole number as C reads it, white space and a plus sign before it included. Returns where it ends; at itself: there is none.
 */
static const char *number(const char *at, uint64_t *value) {
    const char *digits = at + strspn(at, " \t\n\v\f\r");
    digits += *digits == '+';
    size_t count = strspn(digits, "0123456789");
    *value = 0;
    for (size_t i = 0; i < count; i++)
        if (*value <= UINT32_MAX)
            *value = *value * 10 + (uint64_t)(digits[i] - '0');
    return count ? digits + count : at;
}

/* From the longest on; how many of a shorter one a unit has. */
static const struct {
    const char *name;
    uint32_t has[4];
} UNITS[] = {{"Y", {12, 52, 365}},
             {"M", {4, 30, 720}},
             {"W", {7, 168, 10080, 604800}},
             {"D", {24, 1440, 86400}},
             {"h", {60, 3600}},
             {"m", {60, 60000}},
             {"s", {1000, 1000000}},
             {"ms", {1000, 1000000}},
             {"us", {1000, 1000000}},
             {"\xCE\xBCs", {1000, 1000000}}, /* us with a Greek letter */
             {"ns", {1000, 1000000}},
             {"ps", {1000, 1000000}},
             {"fs", {1000}},
             {"as", {0}}};

/* "[ns]", "[25us]", "[W/7]": a part of a unit must be a whole number of shorter ones. */
static bool is_unit(const char *at) {
    uint64_t count = 1, parts = 1;
    if (*at++ != '[')
        return false;
    const char *unit = number(at, &count), *end = unit + strcspn(unit, "/]"), *close = end;
    if (*end == '/')
        close = number(end + 1, &parts);
    if ((*end == '/' && close == end + 1) || strcmp(close, "]") != 0 || (unit > at && count > INT_MAX) || parts > INT_MAX ||
        parts == 0)
        return false;
    size_t length = (size_t)(end - unit);
    if (length == 7 && memcmp(unit, "generic", 7) == 0)
        return parts == 1;
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        bool divides = parts == 1;
        if (strlen(UNITS[i].name) != length || memcmp(unit, UNITS[i].name, length) != 0)
            continue;
        for (int k = 0; k < 4; k++)
            divides = divides || (UNITS[i].has[k] > 0 && UNITS[i].has[k] % parts == 0);
        return divides;
    }
    return false;
}

/* What comes after the word for a date or a time, or NULL. */
static const char *after_time(const char *at) {
    static const char *const words[] = {"M8", "m8", "datetime64", "timedelta64"};
    for (size_t i = 0; i < 4; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return NULL;
}

bool npy_dtype_too_large(literal *text) {
    return literal_fail(text, "its elements have more than %d bytes", (int)NPY_MOST_BYTES);
}

static bool strange(literal *text, const char *shown) {
    return literal_fail(text, "its dtype '%s' is not a fixed-size one such as '<f4', '|u1' or '<U8'", shown);
}

/* A kind and a width. */
static bool sized(literal *text, const char *at, const char *shown, npy_dtype *type) {
    static const struct {
        char kind;
        uint32_t widths[4];
        const char *sentence;
    } kinds[] = {{'b', {0, 0, 0, 1}, "b"},
                 {'i', {1, 2, 4, 8}, "i1, i2, i4 and i"},
                 {'u', {1, 2, 4, 8}, "u1, u2, u4 and u"},
                 {'f', {2, 4, 8, LONG_DOUBLE}, "f2, f4, f8 and f"},
                 {'c', {8, 8, 16, 2 * LONG_DOUBLE}, "c8, c16 and c"}};
    uint64_t width = 0;
    const char *end = number(at + 1, &width);
    if (end == at + 1 || *end != '\0')
        return strange(text, shown);
    if (strchr("SaUV", *at)) {
        *type = (npy_dtype){.unit = *at == 'U' ? 4 : 1, .is_void = *at == 'V'};
        if (width * type->unit > NPY_MOST_BYTES)
            return npy_dtype_too_large(text);
        type->bytes = (uint32_t)width * type->unit;
        type->unit = type->bytes ? 0 : type->unit;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].kind != *at)
            continue;
        for (int k = 0; k < 4; k++)
            if (width > 0 && kinds[i].widths[k] == width) {
                *type = (npy_dtype){.bytes = (uint32_t)width};
                return true;
            }
        return literal_fail(text, "its dtype '%s' has a width that NumPy does not know: there %s %s%u", shown,
                            i == 0 ? "is" : "are", kinds[i].sentence, (unsigned)kinds[i].widths[3]);
    }
    return strange(text, shown);
}

bool npy_dtype_read(literal *text, npy_dtype *type) {
    literal_text code;
    char shown[40], at_first[LONGEST + 1];
    if (!literal_string(text, &code))
        return false;
    literal_printable(code, shown, sizeof shown);
    if (!literal_decode(text, code, at_first, sizeof at_first))
        return strange(text, shown);
    const char *at = at_first;
    bool has_order = *at != '\0' && strchr("<>|=", *at);
    at += has_order;
    const char *after = after_time(at);
    if (*at == 'O' || strcmp(at, "object") == 0 || strcmp(at, "object_") == 0 || strcmp(at, "object0") == 0)
        return literal_fail(text,
                            "its elements hold Python objects (dtype '%s'), which no file of plain bytes can carry; only "
                            "fixed-size dtypes can be moved",
                            shown);
    if (after) {
        *type = (npy_dtype){.bytes = 8};
        return *after == '\0' || is_unit(after) ||
               literal_fail(text,
                            "its dtype '%s' is no date or time of NumPy's, such as '<M8[ns]' or '<m8[25us]': the units are Y, M, "
                            "W, D, h, m, s, ms, us, ns, ps, fs and as",
                            shown);
    }
    if (strchr(at, ',') || (*at != '\0' && strchr("(0123456789", *at)))
        return literal_fail(text,
                            "its dtype '%s' is a list in a string; write fields as [('x', '<f4'), ('y', '<i4')], and a "
                            "subarray as [('x', '<f4', (3,))]",
                            shown);
    if (named(at, type))
        return !has_order || at[1] == '\0' ||
               literal_fail(text, "its dtype '%s' has a byte order before a name; it goes before a code, such as '<f4'", shown);
    return *at == '\0' ? strange(text, shown) : sized(text, at, shown, type);
}
