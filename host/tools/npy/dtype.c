/* See dtype.h: dtypes of one string.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/npy/dtype.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file says the same on every machine: the bytes of a long double as NumPy of 64-bit machines writes it. 32-bit x86 has 12. */
#define LONG_DOUBLE 16

enum { LONGEST = 64 };

/* Those of NumPy 1 and 2, in which the widths of C's types are the machine's. Between spaces. */
static const struct {
    uint32_t bytes;
    const char *names;
} WIDTHS[] = {{1, " ? bool bool_ bool8 b B c byte ubyte int8 uint8 "},
              {sizeof(short), " h H short ushort "},
              {sizeof(int), " i I intc uintc "},
              {sizeof(long), " l L long ulong int int_ uint "},
              {sizeof(long long), " q Q longlong ulonglong "},
              {sizeof(void *), " p P intp uintp int0 uint0 "},
              {2, " int16 uint16 e half float16 "},
              {4, " int32 uint32 f single float32 "},
              {8, " int64 uint64 d double float float_ float64 F csingle singlecomplex complex64 m M "},
              {16, " D cdouble cfloat complex complex_ complex128 "},
              {LONG_DOUBLE, " g longdouble longfloat float128 "},
              {2 * LONG_DOUBLE, " G clongdouble clongfloat longcomplex complex256 "}};

/* Those without a size, and the bytes of one unit. */
static const char BYTE_NAMES[] = " S a bytes bytes_ bytes0 string_ ", VOID_NAMES[] = " V void void0 ",
                  LETTER_NAMES[] = " U str str_ str0 unicode unicode_ ", OBJECT_NAMES[] = " object object_ object0 ";

static bool is_one_of(const char *names, const char *name) {
    char between_spaces[LONGEST + 3];
    snprintf(between_spaces, sizeof between_spaces, " %s ", name);
    return !strchr(name, ' ') && strstr(names, between_spaces);
}

static bool named(const char *name, npy_dtype *type) {
    *type = (npy_dtype){.is_void = is_one_of(VOID_NAMES, name)};
    type->unit = is_one_of(LETTER_NAMES, name) ? 4 : type->is_void || is_one_of(BYTE_NAMES, name) ? 1 : 0;
    for (size_t i = 0; i < sizeof WIDTHS / sizeof WIDTHS[0]; i++)
        if (is_one_of(WIDTHS[i].names, name))
            type->bytes = WIDTHS[i].bytes;
    return type->bytes > 0 || type->unit > 0;
}

/* A whole number as C reads it, white space and a plus sign before it included. Returns where it ends; at itself: there is none.
 */
static const char *number(const char *at, long long *value) {
    char *end;
    *value = strtoll(at, &end, 10);
    return *value < 0 ? at : end;
}

/* How many of a shorter one a unit has at most. Where it may have fewer, they divide that, but for a year's months, weeks and
 * days. */
static const struct {
    const char *names;
    long long has;
} UNITS[] = {{" Y ", 12},    {" Y ", 52},     {" Y ", 365},
             {" M ", 720},   {" W ", 604800}, {" D ", 86400},
             {" h ", 3600},  {" m ", 60000},  {" s ms us \xCE\xBCs ns ps ", 1000000}, /* us also with a Greek letter */
             {" fs ", 1000}, {" as ", 1},     {" generic ", 1}};

/* "[ns]", "[25us]", "[W/7]": a part of a unit must be a whole number of shorter ones. */
static bool is_unit(const char *at) {
    long long count = 0, parts = 1;
    char name[LONGEST + 1];
    if (*at++ != '[')
        return false;
    const char *unit = number(at, &count), *end = unit + strcspn(unit, "/]");
    const char *close = *end == '/' ? number(end + 1, &parts) : end;
    if (strcmp(close, "]") != 0 || count > INT_MAX || parts > INT_MAX || parts < 1)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(end - unit), unit);
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++)
        if (is_one_of(UNITS[i].names, name) && UNITS[i].has % parts == 0)
            return true;
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
        const char *codes, *sentence;
    } kinds[] = {{" b1 ", "is b1"},
                 {" i1 i2 i4 i8 ", "are i1, i2, i4 and i8"},
                 {" u1 u2 u4 u8 ", "are u1, u2, u4 and u8"},
                 {" f2 f4 f8 f16 ", "are f2, f4, f8 and f16"},
                 {" c8 c16 c32 ", "are c8, c16 and c32"}};
    long long width = 0;
    char code[LONGEST + 1];
    const char *end = number(at + 1, &width);
    if (end == at + 1 || *end != '\0')
        return strange(text, shown);
    if (strchr("SaUV", *at)) {
        const uint32_t unit = *at == 'U' ? 4 : 1;
        if (width > NPY_MOST_BYTES / unit)
            return npy_dtype_too_large(text);
        *type = (npy_dtype){.bytes = (uint32_t)width * unit, .unit = width ? 0 : unit, .is_void = *at == 'V'};
        return true;
    }
    snprintf(code, sizeof code, "%c%lld", *at, width);
    *type = (npy_dtype){.bytes = (uint32_t)width};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].codes[1] == *at)
            return is_one_of(kinds[i].codes, code) ||
                   literal_fail(text, "its dtype '%s' has a width that NumPy does not know: there %s", shown, kinds[i].sentence);
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
    if (*at == 'O' || is_one_of(OBJECT_NAMES, at))
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
