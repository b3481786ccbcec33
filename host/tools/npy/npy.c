/* See npy.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/npy/npy.h"

#include "host/tools/common/printable.h"
#include "host/tools/npy/dtype.h"
#include "host/tools/npy/literal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char MAGIC[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

bool npy_data_offset(const void *bytes, size_t count, uint64_t *offset, char *reason) {
    const unsigned char *at = bytes;
    if (count >= 4 && memcmp(at, "PK\3\4", 4) == 0)
        snprintf(reason, NPY_REASON, "it is a .npz archive; unpack it and give one of the .npy files in it");
    else if (memcmp(at, MAGIC, count < sizeof MAGIC ? count : sizeof MAGIC) != 0 || count == 0)
        snprintf(reason, NPY_REASON, "it is not a .npy file, which begins with the bytes \\x93NUMPY");
    else if (count < NPY_PROLOGUE)
        snprintf(reason, NPY_REASON, "it ends after %zu bytes, within the .npy header", count);
    else if (at[6] < 1 || at[6] > 3 || at[7] != 0)
        snprintf(reason, NPY_REASON, "it is a .npy file of version %d.%d, and only 1.0, 2.0 and 3.0 are known", at[6], at[7]);
    else {
        const int digits = at[6] == 1 ? 2 : 4; /* to the base 256, the lowest first */
        *offset = 8 + (uint64_t)digits;
        for (int i = 0; i < digits; i++)
            *offset += (uint64_t)at[8 + i] << 8 * i;
        if (*offset <= 1U << 30)
            return true;
        snprintf(reason, NPY_REASON, "its header says that it has %" PRIu64 " bytes itself, and more than 1 GiB is refused",
                 *offset);
    }
    return false;
}

static bool is_ascii(const char *at) {
    while (*at != '\0' && (unsigned char)*at < 128)
        at++;
    return *at == '\0';
}

static bool is_utf8(const char *at) {
    uint32_t code;
    for (size_t bytes; *at != '\0'; at += bytes)
        if ((bytes = utf8_next(at, &code)) == 0)
            return false;
    return true;
}

static bool parse_shape(literal *text, npy_header *header) {
    bool comma = true;
    header->rank = 0;
    if (!literal_expect(text, '('))
        return false;
    while (comma && literal_peek(text) != ')') {
        int64_t dim = 0;
        if (!literal_integer(text, &dim))
            return false;
        if (dim < 0)
            return literal_fail(text, "its dimension %" PRId32 " is %" PRId64 ", and none may be negative", header->rank, dim);
        if (header->rank == CLMOVE_MAX_RANK)
            return literal_fail(text, "it has more than %d dimensions", CLMOVE_MAX_RANK);
        header->dims[header->rank++] = dim;
        comma = literal_accept(text, ',');
    }
    if (!literal_expect(text, ')'))
        return false;
    return header->rank != 1 || comma ||
           literal_fail(text, "its shape is a number in parentheses, where Python's tuple of one dimension is (N,)");
}

enum { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
static const char *const keys[KEYS] = {"descr", "fortran_order", "shape"};

/* The dtype's end is marked last, since it is in the text that is read. */
static bool parse_dictionary(literal *text, npy_header *header) {
    char *descr_end = NULL;
    bool seen[KEYS + 1] = {false};
    if (!literal_expect(text, '{'))
        return false;
    while (literal_peek(text) != '}') {
        literal_text key;
        char shown[24];
        int which = 0;
        if (!literal_string(text, &key) || !literal_expect(text, ':'))
            return false;
        while (which < KEYS && (strlen(keys[which]) != key.length || memcmp(keys[which], key.at, key.length) != 0))
            which++;
        if (which == KEYS || seen[which])
            return literal_fail(text, "its header has the key '%s' %s", literal_printable(key, shown, sizeof shown),
                                which == KEYS ? "which is none of descr, fortran_order and shape" : "twice");
        seen[which] = true;
        literal_peek(text);
        char *value = header->text + (text->at - text->start);
        bool good = which == DESCR           ? npy_descr_bytes(text, &header->element_bytes)
                    : which == FORTRAN_ORDER ? literal_boolean(text, &header->fortran_order)
                                             : parse_shape(text, header);
        if (!good)
            return false;
        if (which == DESCR) {
            header->descr = value;
            descr_end = header->text + (text->at - text->start);
        }
        if (!literal_accept(text, ','))
            break;
    }
    if (!literal_expect(text, '}'))
        return false;
    for (int i = 0; i < KEYS; i++)
        if (!seen[i])
            return literal_fail(text, "its header lacks the key '%s'", keys[i]);
    if (literal_peek(text) != '\0')
        return literal_fail(text, "its header goes on after the dictionary, at byte %td", text->at - text->start);
    *descr_end = '\0';
    return true;
}

/* An array with an extent of 0 has no bytes, however large its other dimensions are. */
static bool count_bytes(literal *text, npy_header *header) {
    int64_t bytes = header->element_bytes;
    bool is_empty = false, overflow = false;
    for (int32_t i = 0; i < header->rank; i++) {
        is_empty = is_empty || header->dims[i] == 0;
        overflow = overflow || __builtin_mul_overflow(bytes, header->dims[i], &bytes);
    }
    header->data_bytes = is_empty ? 0 : bytes;
    return is_empty || !overflow || literal_fail(text, "its shape has more bytes than 64 bits can count");
}

bool npy_parse(const void *bytes, size_t count, npy_header *header, char *reason) {
    uint64_t offset = 0;
    if (!npy_data_offset(bytes, count, &offset, reason))
        return false;
    if (offset > count) {
        snprintf(reason, NPY_REASON, "it ends after %zu bytes, and its header says that it has %" PRIu64 " itself", count,
                 offset);
        return false;
    }
    const int version = ((const char *)bytes)[6], prologue = version == 1 ? 10 : 12;
    const size_t length = (size_t)offset - (size_t)prologue;
    npy_header result = {.text = calloc(length + 1, 1)};
    literal text = {.start = result.text, .at = result.text, .is_utf8 = version == 3};
    if (result.text)
        memcpy(result.text, (const char *)bytes + prologue, length);
    if (!result.text)
        literal_fail(&text, "its header has %zu bytes, and there is no memory for them", length);
    else if (strlen(result.text) < length)
        literal_fail(&text, "its header has a 0 at byte %zu, which no text has", strlen(result.text));
    else if (text.is_utf8 && !is_utf8(result.text))
        literal_fail(&text, "its header is not valid UTF-8, as version 3.0 requires");
    else if (parse_dictionary(&text, &result) && count_bytes(&text, &result)) {
        result.needs_utf8 = text.is_utf8 && !is_ascii(result.descr);
        *header = result;
        return true;
    }
    free(result.text);
    snprintf(reason, NPY_REASON, "%s", text.reason);
    return false;
}

const char *list_text(int32_t count, const int64_t *values, const char *between, char text[SHAPE_TEXT]) {
    int length = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < count; i++)
        length += sprintf(text + length, "%s%" PRId64, i ? between : "", values[i]);
    return text;
}

const char *shape_text(int32_t rank, const int64_t *dims, char text[SHAPE_TEXT]) {
    char list[SHAPE_TEXT];
    sprintf(text, rank == 1 ? "(%s,)" : "(%s)", list_text(rank, dims, ", ", list));
    return text;
}

char *npy_format(const npy_header *header, int32_t rank, const int64_t *dims, size_t *bytes) {
    char shape[SHAPE_TEXT], *dictionary = NULL;
    const int length = asprintf(&dictionary, "{'descr': %s, 'fortran_order': False, 'shape': %s, }", header->descr,
                                shape_text(rank, dims, shape));
    if (length < 0)
        return NULL;
    size_t total = (10 + (size_t)length + 1 + 63) / 64 * 64;
    const int version = header->needs_utf8 ? 3 : total - 10 > UINT16_MAX ? 2 : 1;
    const size_t prologue = version == 1 ? 10 : 12;
    total = (prologue + (size_t)length + 1 + 63) / 64 * 64;
    const size_t rest = total - prologue;
    char *file = malloc(total + 1);
    if (file) {
        memcpy(file, MAGIC, sizeof MAGIC);
        file[6] = (char)version;
        file[7] = 0;
        for (size_t i = 8; i < prologue; i++)
            file[i] = (char)(rest >> (8 * (i - 8)) & 0xFF);
        snprintf(file + prologue, rest + 1, "%-*s\n", (int)rest - 1, dictionary);
        *bytes = total;
    }
    free(dictionary);
    return file;
}
