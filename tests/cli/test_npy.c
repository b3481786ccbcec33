/* The .npy header: what is read, what is refused, what is written, and that no bytes whatever make it misbehave.
 *
 * Every header stands in a block of exactly its size, so that a sanitizer sees the first byte read past it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/npy/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A file that ends where the data would begin. */
typedef struct file {
    char *bytes;
    size_t count;
} file;

static file make_file(int version, const char *dictionary) {
    size_t length = strlen(dictionary), prologue = version == 1 ? 10 : 12;
    file made = {malloc(prologue + length), prologue + length};
    assert_non_null(made.bytes);
    memcpy(made.bytes, "\x93NUMPY", 6);
    made.bytes[6] = (char)version;
    made.bytes[7] = 0;
    for (size_t i = 8; i < prologue; i++)
        made.bytes[i] = (char)(length >> (8 * (i - 8)) & 0xFF);
    memcpy(made.bytes + prologue, dictionary, length);
    return made;
}

static void test_reads(void **state) {
    (void)state;
    static const struct {
        const char *dictionary;
        uint32_t element_bytes;
        bool fortran_order;
        int32_t rank;
        int64_t dims[3], data_bytes;
        const char *descr;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 4, false, 2, {2, 3}, 24, "'<f4'"},
        {"{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3)}", 4, true, 2, {2, 3}, 24, "'>f4'"},
        {"{'descr':'|b1','fortran_order':False,'shape':()}", 1, false, 0, {0}, 1, "'|b1'"},
        {"{'shape': (7,), 'fortran_order': False, 'descr': \"<c16\"}", 16, false, 1, {7}, 112, "\"<c16\""},
        {"{'shape': (7L, 0L), 'fortran_order': False, 'descr': '<U2'}", 8, false, 2, {7, 0}, 0, "'<U2'"},
        {"\n{ 'shape' :\t( 1 , 2 , ) ,\n'fortran_order' : False , 'descr' : u'|V5' , }\n\n", 5, false, 2, {1, 2}, 10, "u'|V5'"},
        {"{'descr': '<M8[25us]', 'fortran_order': False, 'shape': (1,)}", 8, false, 1, {1}, 8, "'<M8[25us]'"},
        {"{'descr': 'f8', 'fortran_order': False, 'shape': (1,)}", 8, false, 1, {1}, 8, "'f8'"},
        {"{'descr': [('x', '<f4'), ('', '|V3'), ('y', '|u1')], 'fortran_order': False, 'shape': (1,)}",
         8,
         false,
         1,
         {1},
         8,
         "[('x', '<f4'), ('', '|V3'), ('y', '|u1')]"},
        {"{'descr': [(('t', 'x'), '<f4', (2, 3)), ('y', [('z', '|S2', 3,),],),], 'fortran_order': False, 'shape': (1,)}",
         30,
         false,
         1,
         {1},
         30,
         "[(('t', 'x'), '<f4', (2, 3)), ('y', [('z', '|S2', 3,),],),]"},
        {"{'descr': ('<f4', (1, 1)), 'fortran_order': False, 'shape': (2,)}", 4, false, 1, {2}, 8, "('<f4', (1, 1))"},
        {"{'descr': [('\\'}', '<f4')], 'fortran_order': False, 'shape': (0, 9223372036854775807, 9223372036854775807)}",
         4,
         false,
         3,
         {0, INT64_MAX, INT64_MAX},
         0,
         "[('\\'}', '<f4')]"},
        {"{'descr': '|V536870911', 'fortran_order': False, 'shape': ()}", 536870911, false, 0, {0}, 536870911, "'|V536870911'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int version = 1; version <= 3; version++) {
            file made = make_file(version, cases[i].dictionary);
            npy_header header;
            char reason[NPY_REASON] = "";
            uint64_t offset = 0;
            assert_true(npy_data_offset(made.bytes, made.count, &offset, reason));
            assert_int_equal(offset, made.count);
            if (!npy_parse(made.bytes, made.count, &header, reason))
                fail_msg("%s: %s", cases[i].dictionary, reason);
            assert_int_equal(header.element_bytes, cases[i].element_bytes);
            assert_int_equal(header.fortran_order, cases[i].fortran_order);
            assert_int_equal(header.rank, cases[i].rank);
            assert_memory_equal(header.dims, cases[i].dims, (size_t)header.rank * sizeof(int64_t));
            assert_int_equal(header.data_bytes, cases[i].data_bytes);
            assert_string_equal(header.descr, cases[i].descr);
            assert_false(header.needs_utf8);
            free(header.text);
            free(made.bytes);
        }
    }
}

/* Whether version 3.0 accepts the bytes as a field's name. */
static bool reads_name(const char *name) {
    char dictionary[200], reason[NPY_REASON];
    snprintf(dictionary, sizeof dictionary, "{'descr': [('%s', '<f4')], 'fortran_order': False, 'shape': ()}", name);
    file made = make_file(3, dictionary);
    npy_header header;
    bool good = npy_parse(made.bytes, made.count, &header, reason);
    if (good) {
        assert_true(header.needs_utf8);
        free(header.text);
    }
    free(made.bytes);
    return good;
}

static void test_utf8(void **state) {
    (void)state;
    static const char *const good[] = {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"};
    static const char *const bad[] = {"\xFF",
                                      "\x80",
                                      "\xC3",
                                      "\xC0\x80",
                                      "\xE0\x80\x80",
                                      "\xED\xA0\x80",
                                      "\xE2\x82 \xAC",
                                      "\xF4\x90\x80\x80",
                                      "\xF8\x88\x80\x80",
                                      "\xF0\x80\x80\x80"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(reads_name(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(reads_name(bad[i]));
}

static void test_writes(void **state) {
    (void)state;
    static const int64_t dims[CLMOVE_MAX_RANK] = {3, 0, INT64_MAX, 1};
    static const size_t lengths[] = {1, 2, 60, 61, 62, 63, 64, 65, 65400, 65475, 65476, 65477, 65478, 65600, 200000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (int32_t rank = 0; rank <= 4; rank++) {
            for (int utf8 = 0; utf8 < 2; utf8++) {
                size_t length = lengths[i] + 14, bytes = 0;
                char *descr = malloc(length), reason[NPY_REASON];
                assert_non_null(descr);
                memset(descr, 'x', length);
                memcpy(descr, "[('", 3);
                memcpy(descr + 3 + lengths[i], "', '<f4')]", 11);
                if (utf8 && lengths[i] > 1)
                    memcpy(descr + 3, "\xC3\xA4", 2);
                npy_header header = {.descr = descr, .needs_utf8 = utf8 && lengths[i] > 1};
                npy_header again;
                char *text = npy_format(&header, rank, dims, &bytes);
                assert_non_null(text);
                assert_int_equal(bytes % 64, 0);
                assert_int_equal(text[bytes - 1], '\n');
                if (!npy_parse(text, bytes, &again, reason))
                    fail_msg("%zu, rank %d: %s", lengths[i], (int)rank, reason);
                assert_int_equal(text[6], header.needs_utf8 ? 3 : bytes - 10 > 65535 ? 2 : 1);
                assert_string_equal(again.descr, descr);
                assert_int_equal(again.needs_utf8, header.needs_utf8);
                assert_int_equal(again.rank, rank);
                assert_memory_equal(again.dims, dims, (size_t)rank * sizeof dims[0]);
                free(again.text);
                free(text);
                free(descr);
            }
        }
    }
}

/* A small generator of its own: the same bytes everywhere. */
static uint32_t noise(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* What must hold of any bytes: an answer, with a reason if it is no, and only sizes that are in order if it is yes. */
static bool parse_anything(const char *bytes, size_t count) {
    char *exact = malloc(count ? count : 1), reason[NPY_REASON] = "";
    assert_non_null(exact);
    memcpy(exact, bytes, count);
    npy_header header;
    bool good = npy_parse(exact, count, &header, reason);
    if (!good) {
        assert_true(strlen(reason) > 0 && strlen(reason) < NPY_REASON);
        assert_null(strpbrk(reason, "\n\t"));
    } else {
        assert_true(header.element_bytes > 0 && header.rank >= 0 && header.rank <= CLMOVE_MAX_RANK && header.data_bytes >= 0);
        assert_true(header.descr > header.text && strlen(header.text) + NPY_PROLOGUE - 2 <= count);
        for (int32_t i = 0; i < header.rank; i++)
            assert_true(header.dims[i] >= 0);
        free(header.text);
    }
    free(exact);
    return good;
}

static void test_survives_anything(void **state) {
    (void)state;
    static const char *const seeds[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }                                      \n",
        "{'descr': [(('t', 'x'), '<f4', (2, 3)), ('y', [('z', '|S2', 3)])], 'fortran_order': True, 'shape': (1L,), }\n",
        "{'descr': ('<M8[ns]', (3,)), 'fortran_order': False, 'shape': (99, 9223372036854775807), }\n"};
    static const char pieces[] = "{}[]()'\",:\\0123456789-+LTrueFalsedescrshape<>|=fiuSUVOMmb \n\t\x93\xC3\xFF\x80";
    uint32_t seed = 2463534242;
    int accepted = 0;
    for (int round = 0; round < 60000; round++) {
        file made = make_file(1 + round % 3, seeds[round / 3 % 3]);
        for (uint32_t changes = 1 + noise(&seed) % 4; changes > 0; changes--) {
            size_t at = noise(&seed) % made.count;
            uint32_t kind = noise(&seed) % 4;
            size_t other = noise(&seed) % made.count;
            size_t length = noise(&seed) % 16;
            if (kind == 0)
                made.bytes[at] = (char)noise(&seed);
            else if (kind == 1)
                made.bytes[at] = pieces[noise(&seed) % sizeof pieces];
            else if (at + length <= made.count && other + length <= made.count)
                memmove(made.bytes + at, made.bytes + other, length);
        }
        accepted += parse_anything(made.bytes, round % 5 == 0 ? noise(&seed) % (made.count + 1) : made.count);
        free(made.bytes);
    }
    assert_true(accepted > 1000); /* else the changes were too many to reach far */
}

/* Nesting is bounded, so a long header of brackets costs no stack. */
static void test_deep_nesting(void **state) {
    (void)state;
    size_t count = 1000000;
    char *dictionary = malloc(count + 1);
    assert_non_null(dictionary);
    memset(dictionary, '(', count);
    memcpy(dictionary, "{'descr': ", 10);
    dictionary[count] = '\0';
    file made = make_file(2, dictionary);
    assert_false(parse_anything(made.bytes, made.count));
    free(made.bytes);
    free(dictionary);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads), cmocka_unit_test(test_utf8), cmocka_unit_test(test_writes),
                                       cmocka_unit_test(test_survives_anything), cmocka_unit_test(test_deep_nesting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
